"""How far a schema expands: how often a validator may have to look at one value.

Schemas that refer to others twice, which refer to the next twice, are small as text; a validator that tells every fault
takes time and memory for each way through them. Counted is the worst way down: what speaks of the same value adds up,
of what speaks of its parts the largest counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.repair.typed import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

AT_MOST: Final = 16_384
"""Ways through a schema that are taken; each can cost a validator some kilobytes."""
_SAME_VALUE: Final = ("anyOf", "oneOf", "allOf", "not", "if", "then", "else")
_SAME_VALUE_NAMED: Final = ("dependentSchemas", "dependencies")
_PARTS: Final = ("items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "additionalProperties")
_PARTS_NAMED: Final = ("properties", "patternProperties")
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")


def expands_too_far(schema: Any) -> bool:
    """Whether there are more ways through a schema than a validator should take. Linear in the schema's size."""
    names = _named(schema)
    ways: dict[int, int] = {}
    """By identity; 0 while a schema is looked into, so that one which contains itself counts as one."""
    waiting = [schema]
    while waiting:
        node = waiting[-1]
        same, parts = list(_of_same_value(node, schema, names)), list(_of_parts(node))
        if id(node) not in ways:
            ways[id(node)] = 0
            waiting += [inner for inner in (*same, *parts) if id(inner) not in ways]
            continue
        waiting.pop()
        if not ways[id(node)]:
            most = max((ways[id(inner)] for inner in parts), default=0)
            ways[id(node)] = 1 + sum(max(ways[id(inner)], 1) for inner in same) + most
            if ways[id(node)] > AT_MOST:
                return True
    return False


def _of_same_value(node: Any, root: Any, names: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the schemas that speak of the same value as this one."""
    for key in _REFERENCES:
        ref = node.get(key)
        found = names.get(ref) if isinstance(ref, str) else None
        found = resolve(ref, root) if found is None else found
        if isinstance(found, dict):
            yield found
    yield from _schemas(node, _SAME_VALUE, _SAME_VALUE_NAMED)


def _of_parts(node: Any) -> Iterator[dict[str, Any]]:
    return _schemas(node, _PARTS, _PARTS_NAMED)


def _schemas(node: Any, plain: tuple[str, ...], named: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for key in plain:
        inner = node.get(key)
        yield from (each for each in (inner if isinstance(inner, list) else [inner]) if isinstance(each, dict))
    for key in named:
        inner = node.get(key)
        yield from (each for each in (inner.values() if isinstance(inner, dict) else ()) if isinstance(each, dict))


def _named(schema: Any) -> dict[str, Any]:
    """Return the schemas that have names of their own, by how references write them."""
    found: dict[str, Any] = {}
    waiting, seen = [schema], set()
    for node in waiting:
        if isinstance(node, dict | list) and id(node) not in seen:
            seen.add(id(node))
            waiting += node.values() if isinstance(node, dict) else node
        if isinstance(node, dict):
            marks = (("$anchor", "#"), ("$dynamicAnchor", "#"), ("$id", ""), ("id", ""))
            found |= {f"{sign}{node[key]}": node for key, sign in marks if isinstance(node.get(key), str)}
    return found
