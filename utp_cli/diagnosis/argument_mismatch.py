"""Where arguments do not fit the schema of their tool, as far as diagnoses need to know: names and types."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from utp_cli.protocol.records import Record
from utp_cli.protocol.spans import pointer
from utp_cli.schemas.resolve import resolve
from utp_cli.schemas.types import certain_types, json_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.protocol.tools import Tool

_FREE = ("anyOf", "oneOf", "allOf", "$ref", "patternProperties", "if")
_REFERENCES = 8
_LONGEST = 2000
"""Characters of a path: what lies deeper is not compared."""
_MOST = 10
"""Texts of an enum that a misfit has with it."""


class Misfit(Record):
    """One place where a value is not what the schema asks."""

    kind: Literal["missing", "type", "unexpected", "enum"]
    path: str
    """JSON Pointer into the arguments."""
    value: Any = None
    asked: tuple[str, ...] = ()
    """`type`: the JSON types that would do. `unexpected`: the names that exist. `enum`: the first texts that
    would do."""


def misfits(arguments: dict[str, Any], tool: Tool) -> Iterator[Misfit]:
    """Compare arguments with the schema of their tool, outermost first. What a union may allow is allowed."""
    todo: deque[tuple[str, Any, Any]] = deque([("", arguments, tool.parameters)])
    enums: dict[int, dict[str, None]] = {}  # by the list of each: the items of an array share one
    while todo:
        path, value, part = todo.popleft()
        if len(path) > _LONGEST:
            continue
        schema = _resolved(part, tool.parameters)
        asked = certain_types(schema)
        if path and asked and json_type(value) not in asked and not _counts_as(value, asked):
            yield Misfit(kind="type", path=path, value=value, asked=asked)
        elif isinstance(value, str):
            listed = schema.get("enum")
            if not isinstance(listed, list) or any(key in schema for key in _FREE):
                continue
            texts = enums[id(listed)] if id(listed) in enums else enums.setdefault(id(listed), _texts(listed))
            if texts and value not in texts:
                yield Misfit(kind="enum", path=path, value=value, asked=(*islice(texts, _MOST),))
        elif isinstance(value, dict):
            yield from _members(path, value, schema)
            properties = _properties(schema)
            todo.extend((path + pointer(key), item, properties.get(key)) for key, item in value.items())
        elif isinstance(value, list):
            items = schema.get("items")
            todo.extend((path + pointer(index), item, items) for index, item in enumerate(value))


def _texts(listed: list[Any]) -> dict[str, None]:
    """Return the texts of an enum, in their order; none where it has other values."""
    return dict.fromkeys(listed) if all(isinstance(one, str) for one in listed) else {}


def _members(path: str, value: dict[str, Any], schema: dict[str, Any]) -> Iterator[Misfit]:
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str) and name not in value:
            yield Misfit(kind="missing", path=path + pointer(name))
    properties = _properties(schema)
    others = schema.get("additionalProperties", bool(path))
    if "properties" not in schema or others or any(key in schema for key in _FREE):
        return
    known = tuple(properties)
    for name, item in value.items():
        if name not in properties:
            yield Misfit(kind="unexpected", path=path + pointer(name), value=item, asked=known)


def _properties(schema: dict[str, Any]) -> dict[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def _resolved(schema: Any, root: dict[str, Any]) -> dict[str, Any]:
    """Follow references inside the schema, a few; what leads nowhere asks nothing."""
    for _ in range(_REFERENCES):
        if not isinstance(schema, dict):
            return {}
        if "$ref" not in schema:
            return schema
        schema = resolve(schema["$ref"], root)
    return {}


def _counts_as(value: Any, asked: tuple[str, ...]) -> bool:
    """Whether it is an integer where a number will do, or a whole float where an integer is asked."""
    if isinstance(value, float):
        return "integer" in asked and value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool) and "number" in asked
