"""How large a translated schema is, in the counts that strict modes limit."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from utp_cli.rendering.subschemas import Schema, every, inside
from utp_cli.rendering.values import as_text

if TYPE_CHECKING:
    from utp_cli.rendering.spec import StrictLimits

Counts = dict[str, int]


def measure(schema: Schema) -> Counts:
    """Count by the fields of `StrictLimits`. Takes schemas that `translate` made."""
    counts = {"tools": 1, "optional": 0, "unions": 0, "properties": 0, "enum_values": 0, "characters": 0}
    for node in every(schema):
        properties, values = node.get("properties", {}), node.get("enum", ())
        counts["properties"] += len(properties)
        counts["optional"] += len(properties.keys() - set(node.get("required", ())))
        counts["unions"] += "anyOf" in node or isinstance(node.get("type"), list)
        counts["enum_values"] += len(values)
        counts["characters"] += sum(map(len, (*properties, *node.get("$defs", ()), *map(as_text, values))))
    return {**counts, "levels": max(map(_levels, (schema, *schema.get("$defs", {}).values())))}


def _levels(schema: Schema) -> int:
    """Count the objects and arrays on the deepest way down."""
    deepest, waiting = 0, [(schema, 0)]
    while waiting:
        node, above = waiting.pop()
        level = above + ("properties" in node or "items" in node)
        deepest = max(deepest, level)
        waiting += [(child, level) for child in inside(node)]
    return deepest


def exceeded(limits: StrictLimits, counts: Counts) -> str | None:
    """Return the first limit that the counts are over, as words; None where all are kept."""
    for field in fields(limits):
        limit = getattr(limits, field.name)
        if field.name in counts and limit is not None and counts[field.name] > limit:
            return f"{counts[field.name]} {field.name.replace('_', ' ')}, where {limit} are taken"
    return None
