"""How large a translated schema is, in the counts that strict modes limit."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from utp_cli.rendering.values import as_text

if TYPE_CHECKING:
    from utp_cli.rendering.spec import StrictLimits

Counts = dict[str, int]


def measure(schema: dict[str, Any]) -> Counts:
    """Count by the fields of `StrictLimits`. Takes schemas that `translate` made."""
    counts = {"tools": 1, "optional": 0, "unions": 0, "properties": 0, "levels": 0, "enum_values": 0, "characters": 0}
    waiting = [(schema, 0)]
    while waiting:
        node, above = waiting.pop()
        properties, definitions = node.get("properties", {}), node.get("$defs", {})
        level = above + ("properties" in node or "items" in node)
        counts["levels"] = max(counts["levels"], level)
        counts["properties"] += len(properties)
        counts["optional"] += len(properties.keys() - set(node.get("required", ())))
        counts["unions"] += "anyOf" in node or isinstance(node.get("type"), list)
        counts["enum_values"] += len(node.get("enum", ()))
        counts["characters"] += sum(map(len, (*properties, *definitions, *map(as_text, node.get("enum", ())))))
        waiting += [(child, level) for child in (*properties.values(), *node.get("anyOf", ()))]
        waiting += [(child, 0) for child in definitions.values()]
        waiting += [(node["items"], level)] if "items" in node else []
    return counts


def exceeded(limits: StrictLimits, counts: Counts) -> str | None:
    """Return the first limit that the counts are over, as words; None where all are kept."""
    for field in fields(limits):
        limit = getattr(limits, field.name)
        if field.name in counts and limit is not None and counts[field.name] > limit:
            return f"{counts[field.name]} {field.name.replace('_', ' ')}, where {limit} are taken"
    return None
