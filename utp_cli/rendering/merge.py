"""Several schemas that must all hold, as one: for targets without `allOf`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.protocol.numbers import json_dumps

if TYPE_CHECKING:
    from collections.abc import Callable


def _all_names(left: Any, right: Any) -> Any:
    return list(dict.fromkeys([*left, *right]))


def _common(left: Any, right: Any) -> Any:
    ours = {json_dumps(member, sort_keys=True): member for member in left}
    theirs = {json_dumps(member, sort_keys=True) for member in right}
    return [member for text, member in ours.items() if text in theirs] or left


def _said(left: Any, right: Any) -> Any:
    return left if right in left else f"{left} ({right})"


def _types(left: Any, right: Any) -> Any:
    ours = left if isinstance(left, list) else [left]
    theirs = right if isinstance(right, list) else [right]
    common = [kind for kind in ours if kind in theirs or (kind == "integer" and "number" in theirs)]
    common += ["integer"] if "number" in ours and "integer" in theirs else []
    return (common if len(common) > 1 else common[0]) if common else left


def _both(left: Any, right: Any) -> Any:
    merged = dict(left)
    for name, schema in right.items():
        merged[name] = {"allOf": [merged[name], schema]} if name in merged and merged[name] != schema else schema
    return merged


_EXACT: dict[str, tuple[type | tuple[type, ...], Callable[[Any, Any], Any]]] = {
    "description": (str, _said),
    "required": (list, _all_names),
    "enum": (list, _common),
    "type": ((str, list), _types),
    "properties": (dict, _both),
    "minimum": ((int, float), max),
    "exclusiveMinimum": ((int, float), max),
    "minLength": (int, max),
    "minItems": (int, max),
    "minProperties": (int, max),
    "maximum": ((int, float), min),
    "exclusiveMaximum": ((int, float), min),
    "maxLength": (int, min),
    "maxItems": (int, min),
    "maxProperties": (int, min),
}
"""Keyword → what its values must be to be joined, and how."""
ANNOTATIONS = frozenset({"title", "description", "default", "examples", "example", "deprecated", "$comment", "$id"})
"""Keywords that ask nothing of a value; the outermost counts."""


def merge_into(found: dict[str, Any], part: dict[str, Any]) -> list[str]:
    """Add the demands of `part` to `found`; return the keywords whose demand could not be added."""
    lost = []
    for keyword, value in part.items():
        if keyword not in found or found[keyword] == value:
            found.setdefault(keyword, value)
            continue
        of, join = _EXACT.get(keyword, ((), max))
        if isinstance(value, of) and isinstance(found[keyword], of):
            found[keyword] = join(found[keyword], value)
        elif keyword in ("items", "additionalProperties"):
            found[keyword] = {"allOf": [found[keyword], value]}
        elif keyword not in ANNOTATIONS:
            lost.append(keyword)
    return lost
