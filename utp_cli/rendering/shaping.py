"""A tool's result made small enough to read: what is kept, how many items and tokens, a hint about the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from utp_cli.rendering.tokens import CHARACTERS_A_TOKEN, estimate
from utp_cli.rendering.values import as_text

ENVELOPE_BEGIN, ENVELOPE_END = "# TE_BEGIN_META", "# TE_END_META"
"""Frame of the metadata in a Tool Envelope; text with it passes untouched."""

_ID = re.compile(r"(?:^|_)(?i:id|ids|uuid|guid)$|[a-z](?:Id|Ids|ID|IDs|Uuid|UUID)$")
_METADATA = frozenset({"metadata", "meta", "etag", "headers", "created_at", "updated_at", "createdAt", "updatedAt"})
_BREAKS = ("\n\n", "\n", ". ", "; ", ", ", " ")
"""Where a text may be cut, best first."""
_BREAK_WITHIN = 0.7
"""A break is good enough if at most so much of the room is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shaping:
    """How much of a result goes to the model."""

    detail: Literal["concise", "detailed"] = "detailed"
    """`concise`: without ids, metadata, nulls and empty values. `detailed`: everything."""
    ids: bool | None = None
    """Whether ids are kept; None: as `detail` says."""
    metadata: bool | None = None
    """Whether metadata is kept; None: as `detail` says."""
    items: int | None = None
    """Members of a list that are shown."""
    tokens: int | None = None
    """Estimated tokens of the whole, without the hint."""


def shaped(value: Any, shaping: Shaping) -> Any:
    """Return the value as the shaping asks for. With a hint, a list or text becomes text that ends in it."""
    if shaping == Shaping() or (isinstance(value, str) and ENVELOPE_BEGIN in value and ENVELOPE_END in value):
        return value
    hints: list[str] = []
    kept = _kept(value, shaping, hints)
    if shaping.tokens is not None and estimate(as_text(kept)) > shaping.tokens:
        kept = _cut(kept, shaping.tokens, hints)
    return "\n".join([as_text(kept), *dict.fromkeys(hints)]) if hints else kept


def _kept(value: Any, shaping: Shaping, hints: list[str]) -> Any:
    """Leave out keys and items that are not asked for. The value is bounded in depth already."""
    if isinstance(value, list):
        shown = value if shaping.items is None else value[: shaping.items]
        if len(shown) < len(value):
            hints.append(f"[{len(shown)} of {len(value)} items are shown; narrow the request to see others]")
        return [_kept(item, shaping, hints) for item in shown]
    if not isinstance(value, dict):
        return value
    concise = shaping.detail == "concise"
    ids = not concise if shaping.ids is None else shaping.ids
    metadata = not concise if shaping.metadata is None else shaping.metadata
    return {
        key: _kept(item, shaping, hints)
        for key, item in value.items()
        if (ids or not _ID.search(key))
        and (metadata or not (key in _METADATA or key.startswith("_")))
        and not (concise and (item is None or item in ("", [], {})))
    }


def _cut(value: Any, tokens: int, hints: list[str]) -> Any:
    """Cut a list between items, anything else between lines, sentences or words."""
    whole = estimate(as_text(value))
    if isinstance(value, list) and value and estimate(as_text(value[:1])) <= tokens:
        low, high = 1, len(value)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if estimate(as_text(value[:middle])) <= tokens else (low, middle - 1)
        hints.append(f"[cut after {low} of {len(value)} items, about {whole} tokens in all; ask for less at once]")
        return value[:low]
    room = as_text(value)[: tokens * CHARACTERS_A_TOKEN]
    ends = (room.rfind(mark) + len(mark.rstrip()) for mark in _BREAKS if mark in room)
    end = next((end for end in ends if end >= len(room) * _BREAK_WITHIN), len(room))
    hints.append(f"[cut at about {tokens} of {whole} tokens; ask for less at once, or for the next part]")
    return room[:end].rstrip()
