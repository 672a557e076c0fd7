"""What a validator found, in words that a model or a person can act on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.calls import Problem
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.spans import pointer

if TYPE_CHECKING:
    from collections.abc import Callable

_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array"}
_LIMITS = {
    "minimum": ("out-of-range", "at least {limit}"),
    "maximum": ("out-of-range", "at most {limit}"),
    "exclusiveMinimum": ("out-of-range", "more than {limit}"),
    "exclusiveMaximum": ("out-of-range", "less than {limit}"),
    "multipleOf": ("out-of-range", "a multiple of {limit}"),
    "minLength": ("too-short", "at least {limit} characters"),
    "maxLength": ("too-long", "at most {limit} characters"),
    "minItems": ("too-few-items", "at least {limit} items"),
    "maxItems": ("too-many-items", "at most {limit} items"),
    "pattern": ("pattern-mismatch", "text that matches {limit}"),
    "format": ("bad-format", "the format {limit}"),
    "uniqueItems": ("repeated-item", "items that all differ"),
    "const": ("not-in-enum", "{limit}"),
}
"""Keyword → our code, and what is expected."""


def worded(error: Any, root: Any) -> Problem:
    """Make a problem of a fault that jsonschema-rs reports."""
    path = list(error.instance_path)
    keyword = str(error.schema_path[-1]) if error.schema_path else ""
    maker = _WORDED.get(keyword)
    if maker:
        return maker(error, path)
    limit = _limit(root, list(error.schema_path))
    code, expected = _LIMITS.get(keyword, ("schema-mismatch", "a value that the schema accepts"))
    return Problem(
        code=code,
        pointer=pointer(*path),
        message=f"{_what(path)} must be {expected.format(limit=_short(limit))}",
        hint=_short_message(error),
        expected=limit,
        received=_received(error),
    )


def _missing(error: Any, path: list[Any]) -> Problem:
    name = error.kind.property
    name = name.strip('"') if isinstance(name, str) else str(name)
    return Problem(
        code="missing-argument",
        pointer=pointer(*path, name),
        message=f"{_what([*path, name])} is required and missing",
        hint=f"give a value for {name}",
        expected=name,
        received=None,
    )


def _type(error: Any, path: list[Any]) -> Problem:
    types = sorted(str(kind) for kind in error.kind.types)
    received = type_name(error.instance)
    return Problem(
        code="wrong-type",
        pointer=pointer(*path),
        message=f"{_what(path)} must be {' or '.join(types)}, not {received}",
        hint=f"got {_short(error.instance)}",
        expected=types,
        received=received,
    )


def _enum(error: Any, path: list[Any]) -> Problem:
    options = list(error.kind.options)
    near = nearest(str(error.instance), [str(option) for option in options])
    listed = ", ".join(_short(option) for option in options[:12])
    return Problem(
        code="not-in-enum",
        pointer=pointer(*path),
        message=f"{_what(path)} must be one of {listed}",
        hint=f"did you mean {near}?" if near else f"got {_short(error.instance)}",
        expected=options,
        received=_received(error),
    )


def _unexpected(error: Any, path: list[Any]) -> Problem:
    names = [str(name) for name in error.kind.unexpected]
    known = [str(name) for name in error.instance if name not in names] if isinstance(error.instance, dict) else []
    near = nearest(names[0], known) if names else None
    return Problem(
        code="unexpected-argument",
        pointer=pointer(*path, *names[:1]),
        message=f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} not known to the tool",
        hint=f"did you mean {near}?" if near else "leave it out",
        expected=known,
        received=names,
    )


def _any_of(error: Any, path: list[Any]) -> Problem:
    return Problem(
        code="wrong-type",
        pointer=pointer(*path),
        message=f"{_what(path)} fits none of the forms that the schema allows",
        hint=f"got {_short(error.instance)}",
        expected=None,
        received=type_name(error.instance),
    )


_WORDED: dict[str, Callable[[Any, list[Any]], Problem]] = {
    "required": _missing,
    "type": _type,
    "enum": _enum,
    "additionalProperties": _unexpected,
    "unevaluatedProperties": _unexpected,
    "anyOf": _any_of,
    "oneOf": _any_of,
}


def type_name(value: Any) -> str:
    """Return the JSON type of a value."""
    return _TYPES.get(type(value), "null")


def _what(path: list[Any]) -> str:
    return ".".join(str(part) for part in path) or "the arguments"


def _limit(root: Any, path: list[Any]) -> Any:
    for part in path:
        try:
            root = root[part]
        except (KeyError, IndexError, TypeError):
            return None
    return root


def _received(error: Any) -> Any:
    value = error.instance
    return value if isinstance(value, str | int | float | bool) else type_name(value)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 60 else text[:57] + "…"


def _short_message(error: Any) -> str:
    text = str(error.message).partition("\n")[0]
    return text if len(text) <= 120 else text[:117] + "…"
