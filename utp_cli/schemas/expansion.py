"""How far a schema expands: how often a validator may have to look at one value.

Schemas that refer to others twice, which refer to the next twice, are small as text; a validator that tells every fault
takes time and memory for each way through them. Counted is the worst way down: what speaks of the same value adds up,
of what speaks of its parts the largest counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.schemas.bounds import SCHEMAS
from utp_cli.schemas.resolve import resolve
from utp_cli.schemas.walk import DEFINITIONS, SAME_VALUE, inner

if TYPE_CHECKING:
    from collections.abc import Iterator

AT_MOST: Final = 16_384
"""Ways through a schema that are taken; each can cost a validator some kilobytes."""
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")


def expands_too_far(schema: Any) -> bool:
    """Whether there are more ways through a schema than a validator should take. Linear in the schema's size."""
    ways: dict[int, int] = {}
    """By identity; 0 while a schema is looked into, so that one which contains itself counts as one."""
    below: dict[int, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {}
    """What those speak of that are looked into."""
    waiting = [schema] if isinstance(schema, dict) else []
    while waiting:
        node = waiting[-1]
        if id(node) not in ways:
            ways[id(node)] = 0
            same, parts = below[id(node)] = list(_of_same_value(node, schema)), list(_of_parts(node))
            waiting += [part for part in (*same, *parts) if id(part) not in ways]
            continue
        waiting.pop()
        if id(node) in below:
            same, parts = below.pop(id(node))
            most = max((ways[id(part)] for part in parts), default=0)
            ways[id(node)] = 1 + sum(max(ways[id(part)], 1) for part in same) + most
            if ways[id(node)] > AT_MOST or len(ways) > SCHEMAS:
                return True
    return False


def _of_same_value(node: dict[str, Any], root: Any) -> Iterator[dict[str, Any]]:
    """Yield the schemas that speak of the same value as this one."""
    for key in _REFERENCES:
        found = resolve(node.get(key), root)
        if isinstance(found, dict):
            yield found
    yield from (part for keyword, _, part in inner(node) if keyword in SAME_VALUE and isinstance(part, dict))


def _of_parts(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the schemas that speak of parts of the value."""
    for keyword, _, part in inner(node):
        if keyword not in SAME_VALUE and keyword not in DEFINITIONS and isinstance(part, dict):
            yield part
