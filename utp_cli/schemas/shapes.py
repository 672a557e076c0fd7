"""What a keyword's value must be, and whether it is; whether a value has a type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from utp_cli.protocol.numbers import digits

if TYPE_CHECKING:
    from collections.abc import Callable


class Shape(NamedTuple):
    """One kind of value."""

    what: str
    """In words, for a message."""
    fits: Callable[[Any], bool]


def is_number(value: Any) -> bool:
    """Say whether a JSON value is a number; true and false are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Say whether a JSON value is a whole number: 1 and 1.0 are."""
    return is_number(value) and (isinstance(value, int) or value.is_integer())


def _is_schema(value: Any) -> bool:
    return isinstance(value, (dict, bool))


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


SHAPES: Final[dict[str, Shape]] = {
    "any": Shape("any value", lambda _: True),
    "type": Shape(
        "a type name or a list of different ones",
        lambda value: isinstance(value, str) or (_strings(value) and 0 < len(value) == len(set(value))),
    ),
    "schema": Shape("a schema", _is_schema),
    "schemas": Shape(
        "a list of schemas", lambda value: isinstance(value, list) and bool(value) and all(map(_is_schema, value))
    ),
    "named schemas": Shape(
        "a mapping of names to schemas",
        lambda value: isinstance(value, dict) and all(map(_is_schema, value.values())),
    ),
    "names": Shape("a list of names", _strings),
    "named names": Shape(
        "a mapping of names to lists of names",
        lambda value: isinstance(value, dict) and all(map(_strings, value.values())),
    ),
    "mapping": Shape("a mapping", lambda value: isinstance(value, dict)),
    "count": Shape("a whole number from 0", lambda value: is_whole(value) and value >= 0),
    "number": Shape("a number", is_number),
    "positive number": Shape("a number above 0", lambda value: is_number(value) and value > 0),
    "text": Shape("text", lambda value: isinstance(value, str)),
    "flag": Shape("true or false", lambda value: isinstance(value, bool)),
    "list": Shape("a list", lambda value: isinstance(value, list)),
}
"""By the names of `facts.schema_keywords.Shape`."""

_OF_TYPE: Final[dict[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "number": is_number,
    "integer": is_whole,
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
}


def is_of_type(value: Any, types: tuple[str, ...]) -> bool:
    """Say whether a JSON value has one of these types."""
    return any(_OF_TYPE[kind](value) for kind in types)


def same_key(value: Any) -> str:
    """Return a text that is equal for JSON values that are equal: 1 and 1.0 are, 1 and true are not."""
    return digits(int(value)) if is_whole(value) else f"{type(value).__name__}:{value!r}"
