"""The walk over a JSON Schema: every place where a schema stands, once. `$ref` is not followed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.spans import pointer
from utp_cli.schemas.bounds import DEPTH, POINTER, SCHEMAS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Schema = dict[str, Any]

BY_NAME: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
"""Keywords whose value maps names to schemas."""
IN_LIST: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
"""Keywords whose value is a list of schemas; so is `items`, up to draft 2019-09."""
ALONE: Final = (
    "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "additionalItems",
    "unevaluatedItems", "unevaluatedProperties", "contentSchema",
)  # fmt: skip
"""Keywords whose value is one schema."""
DEFINITIONS: Final = ("$defs", "definitions")
"""Keywords that keep schemas for others to refer to."""
SAME_VALUE: Final = ("anyOf", "oneOf", "allOf", "not", "if", "then", "else", "dependentSchemas", "dependencies")
"""Keywords whose schemas speak of the same value as the schema they stand in."""
_BY_NAME, _IN_LIST, _ALONE = frozenset(BY_NAME), frozenset((*IN_LIST, "items")), frozenset(ALONE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaPlace:
    """One place where a schema stands, or should stand."""

    schema: Any
    """A dict, unless something else stands there: `true`, a text."""
    pointer: str
    """From where the walk began."""
    keyword: str = ""
    """The keyword it stands under; `""` for the root."""
    key: str | int | None = None
    """Its name or number under that keyword; None where it stands there alone."""
    parent: SchemaPlace | None = None
    depth: int = 0
    """Schemas above it."""

    @property
    def keywords(self) -> Schema:
        """What the schema says; nothing where it is none."""
        return self.schema if isinstance(self.schema, dict) else {}

    @property
    def name(self) -> str | None:
        """The property's name, where it is the schema of one."""
        return str(self.key) if self.keyword == "properties" else None


def inner(schema: Any) -> Iterator[tuple[str, str | int | None, Any]]:
    """Yield what stands directly inside where a schema should: its keyword, its key there, itself. Order of writing."""
    for keyword, value in schema.items() if isinstance(schema, dict) else ():
        if isinstance(value, dict):
            if keyword in _ALONE:
                yield keyword, None, value
            elif keyword in _BY_NAME:
                for name, part in value.items():
                    yield keyword, str(name), part
        elif isinstance(value, list):
            if keyword in _IN_LIST:
                for index, part in enumerate(value):
                    yield keyword, index, part
        elif isinstance(value, bool) and keyword in _ALONE:
            yield keyword, None, value


def walk(root: Any, at: str = "") -> Iterator[SchemaPlace]:
    """Yield every place in order of writing, the root first; its pointer is `at`. Stops at the bounds."""
    waiting = [SchemaPlace(schema=root, pointer=at)]
    for _ in range(SCHEMAS):
        if not waiting:
            return
        place = waiting.pop()
        yield place
        if place.depth < DEPTH and len(place.pointer) < POINTER:
            waiting.extend(reversed(list(_below(place))))


def _below(place: SchemaPlace) -> Iterator[SchemaPlace]:
    for keyword, key, schema in inner(place.schema):
        yield SchemaPlace(
            schema=schema,
            pointer=place.pointer + (pointer(keyword) if key is None else pointer(keyword, key)),
            keyword=keyword,
            key=key,
            parent=place,
            depth=place.depth + 1,
        )


def changed(root: Schema, change: Callable[[Schema], None]) -> Schema:
    """Return a copy of a schema in which `change` was made to every schema, outermost first. Other values are shared.

    What lies beyond the bounds stays as it is.
    """
    top = dict(root)
    waiting = [(top, 0)]
    for node, depth in waiting:
        change(node)
        if depth < DEPTH and len(waiting) < SCHEMAS:
            for part in _copied(node):
                waiting.append((part, depth + 1))  # noqa: PERF401 - it grows while it is read
    return top


def _copied(node: Schema) -> Iterator[Schema]:
    """Put a copy in the place of each schema directly inside, and yield it."""
    for keyword, value in list(node.items()):
        if isinstance(value, dict) and keyword in _ALONE:
            node[keyword] = dict(value)
            yield node[keyword]
        elif isinstance(value, dict) and keyword in _BY_NAME:
            node[keyword] = {name: dict(part) if isinstance(part, dict) else part for name, part in value.items()}
            yield from (part for part in node[keyword].values() if isinstance(part, dict))
        elif isinstance(value, list) and keyword in _IN_LIST:
            node[keyword] = [dict(part) if isinstance(part, dict) else part for part in value]
            yield from (part for part in node[keyword] if isinstance(part, dict))
