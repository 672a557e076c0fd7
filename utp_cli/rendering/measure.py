"""How large a translated schema is, in the counts that strict modes limit."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from utp_cli.rendering.values import as_text
from utp_cli.schemas.walk import DEFINITIONS, walk

if TYPE_CHECKING:
    from utp_cli.facts.providers import StrictLimits

Counts = dict[str, int]


def measure(schema: dict[str, Any], limits: StrictLimits) -> Counts:
    """Count by the fields of `StrictLimits`. Takes schemas that `translate` made."""
    counts = {"tools": 1, "optional": 0, "unions": 0, "properties": 0, "enum_values": 0, "characters": 0}
    longest, (many, _) = 0, limits.long_enum or (0, 0)
    levels: dict[str, int] = {}
    for place in walk(schema):
        node = place.keywords
        above = levels[place.parent.pointer] if place.parent and place.keyword not in DEFINITIONS else 0
        levels[place.pointer] = above + ("properties" in node or "items" in node)
        properties, values = node.get("properties", {}), node.get("enum", ())
        counts["properties"] += len(properties)
        counts["optional"] += len(properties.keys() - set(node.get("required", ())))
        counts["unions"] += "anyOf" in node or isinstance(node.get("type"), list)
        counts["enum_values"] += len(values)
        longest = max(longest, sum(map(len, map(as_text, values)))) if len(values) > many else longest
        counts["characters"] += sum(map(len, (*properties, *node.get("$defs", ()), *map(as_text, values))))
    return {**counts, "levels": max(levels.values()), "long_enum": longest}


_NAMES = {"long_enum": "characters in a long enum"}


def exceeded(limits: StrictLimits, counts: Counts) -> str | None:
    """Return the first limit that the counts are over, as words; None where all are kept."""
    for field in fields(limits):
        limit = getattr(limits, field.name)
        limit = limit[1] if isinstance(limit, tuple) else limit
        if field.name in counts and limit is not None and counts[field.name] > limit:
            what = _NAMES.get(field.name, field.name.replace("_", " "))
            return f"{counts[field.name]} {what}, where {limit} are taken"
    return None
