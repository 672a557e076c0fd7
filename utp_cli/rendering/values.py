"""Foreign values made safe to keep and to write: copied, bounded in depth and number, JSON through and through."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.numbers import dumps

if TYPE_CHECKING:
    from collections.abc import Mapping

DEPTH = 150
"""Levels that are kept; what lies deeper is left out."""
EXCERPT = 240
"""Characters of a value that are quoted in a sentence."""


def plain(value: Any) -> Any:
    """Return a copy that is JSON: a container that lies too deep is empty, what is no JSON becomes its text."""
    return copied(value)[0]


def copied(value: Any) -> tuple[Any, bool]:
    """Return what `plain` returns, and whether something lay too deep."""
    deep: list[bool] = []
    return _copied(value, DEPTH, deep), bool(deep)


def _copied(value: Any, depth: int, deep: list[bool]) -> Any:
    if isinstance(value, dict | list | tuple):
        if depth == 0 and value:
            deep.append(True)
            value = type(value)()
        if isinstance(value, dict):
            return {str(key): _copied(item, depth - 1, deep) for key, item in value.items()}
        return [_copied(item, depth - 1, deep) for item in value]
    if type(value) is float and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def compact(value: Any) -> str:
    """Return the value as JSON on one line, other letters than ASCII as they are."""
    return dumps(plain(value))


def as_text(value: Any) -> str:
    """Return a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else compact(value)


def excerpt(value: Any) -> str:
    """Return the value for a sentence: a text bare, anything else as JSON, cut where it is long."""
    text = as_text(value)
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"


def worded(text: str, limit: int) -> str:
    """Return the text cut between words to at most so many characters, with `…` where something is gone."""
    if len(text) <= limit:
        return text
    room = text[: limit - 1]
    return (room.rsplit(None, 1)[0] if " " in room[limit // 2 :] else room) + "…"


def filled(value: Any, slot: str, text: str) -> Any:
    """Put a text where its slot stands."""
    if isinstance(value, dict):
        return {key: filled(item, slot, text) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(item, slot, text) for item in value]
    return text if value == slot else value


def merged(fragment: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fragment with the other one put into it, mapping into mapping."""
    out = dict(fragment)
    for key, value in more.items():
        inner = out.get(key)
        out[key] = merged(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
    return out
