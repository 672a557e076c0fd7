"""Every place in a tool's schema where a schema stands, as written: something else may stand there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.spans import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.validation.definitions import Definition

_ALONE = ("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_LONGEST = 2000
"""Characters of a pointer: what lies deeper is not looked at."""
_MAPS = ("properties", "$defs", "definitions", "patternProperties")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One such place."""

    schema: Any
    """A dict, unless something else stands there."""
    pointer: str
    """Into the list of definitions."""
    named: bool = False
    """It is the schema of a property."""

    @property
    def keywords(self) -> dict[str, Any]:
        """What the schema says; nothing where it is none."""
        return self.schema if isinstance(self.schema, dict) else {}


def nodes_of(definition: Definition) -> Iterator[Node]:
    """Walk a schema, its root first. Values (`default`, `enum`, `examples`) are no schemas."""
    todo = [Node(schema=definition.schema, pointer=definition.pointer + definition.schema_pointer)]
    while todo:
        node = todo.pop()
        if len(node.pointer) > _LONGEST:
            continue
        yield node
        todo.extend(reversed(list(_below(node))))


def _below(node: Node) -> Iterator[Node]:
    for key, inner in node.keywords.items():
        if key in _MAPS and isinstance(inner, dict):
            for name, item in inner.items():
                yield Node(schema=item, pointer=node.pointer + pointer(key, str(name)), named=key == "properties")
        elif key in _LISTS and isinstance(inner, list):
            for index, item in enumerate(inner):
                yield Node(schema=item, pointer=node.pointer + pointer(key, index))
        elif key in _ALONE and isinstance(inner, dict):
            yield Node(schema=inner, pointer=node.pointer + pointer(key))
