"""Keywords that a narrow target lacks, said by keywords that it has. Each function changes the schema it is given.

A rewrite that loses something returns the keyword and a sentence about it; one that loses nothing returns None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.facts.schema_subsets import EVERYTHING
from utp_cli.facts.schema_types import type_meant

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.rendering.targets import SchemaTarget


def _type_names(found: dict[str, Any], _: SchemaTarget) -> tuple[str, str] | None:
    """OpenAPI writes types in capitals, people by the names of their language; any other name says nothing."""
    if "type" not in found:
        return None
    declared = found.pop("type")
    asked = [kind for kind in (declared if isinstance(declared, list) else [declared]) if isinstance(kind, str)]
    known = list(dict.fromkeys(meant for kind in asked if (meant := type_meant(kind))))
    if "number" in known and "integer" in known:
        known.remove("integer")
    if known:
        found["type"] = known
    return None if known else ("type", f"{declared!r} names no type of JSON Schema")


def _const(found: dict[str, Any], _: SchemaTarget) -> None:
    if "const" in found:
        found["enum"] = [found.pop("const")]


def _nullable(found: dict[str, Any], _: SchemaTarget) -> None:
    """OpenAPI's `nullable`, as a type; without a type null is allowed anyway."""
    if found.pop("nullable", None) is not True:
        return
    for keyword, null in (("type", "null"), ("enum", None), ("anyOf", {"type": "null"})):
        if isinstance(found.get(keyword), list):
            found[keyword] = [*found[keyword], null]


def _one_of(found: dict[str, Any], _: SchemaTarget) -> tuple[str, str] | None:
    if not isinstance(found.get("oneOf"), list) or not found["oneOf"] or "anyOf" in found:
        return None
    found["anyOf"] = found.pop("oneOf")
    return "oneOf", "sent as anyOf: that exactly one branch fits is not checked"


def _tuple(found: dict[str, Any], _: SchemaTarget) -> None:
    """Items by place: any of them at every place; the order is said in words."""
    if isinstance(found.get("items"), list):
        found["prefixItems"] = found.pop("items")
    places = found.get("prefixItems")
    if not isinstance(places, list) or not places:
        return
    rest = found.get("items")
    found["items"] = {"anyOf": [*places, *([rest] if isinstance(rest, dict) else [])]}


def _whole_bounds(found: dict[str, Any], target: SchemaTarget) -> None:
    """An integer above 0 is one from 1 on."""
    subset = target.subset or EVERYTHING
    if found.get("type") != ["integer"] or "minimum" not in subset.taken:
        return
    for keyword, bound, step in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
        value = found.get(keyword)
        kept = keyword in subset.taken
        if isinstance(value, int) and not isinstance(value, bool) and not kept and bound not in found:
            found[bound] = found.pop(keyword) + step


def _whole_range(found: dict[str, Any], target: SchemaTarget) -> None:
    """The integers 1, 2, 3 are those from 1 to 3, where an enum holds only text."""
    values = found.get("enum")
    if not target.one_type or not isinstance(values, list) or not values:
        return
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        low, high = min(values), max(values)
        found.setdefault("type", ["integer"])
        if len(set(values)) == high - low + 1 and not {"minimum", "maximum"} & found.keys():
            del found["enum"]
            found |= {"minimum": low, "maximum": high}


REWRITES: tuple[Callable[[dict[str, Any], SchemaTarget], tuple[str, str] | None], ...] = (
    _type_names,
    _const,
    _one_of,
    _nullable,
    _tuple,
    _whole_bounds,
    _whole_range,
)
"""In this order: later ones count on what earlier ones write."""
