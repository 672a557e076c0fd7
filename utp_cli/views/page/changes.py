"""Before and after: what a repair did to the text around it, and how calls differ from those that were expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.views.page.quoting import written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.protocol.calls import Repair

_CONTEXT = 24
"""Characters of the text on each side of a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChange:
    """What was taken out and what was put in, between what stayed."""

    start: str = ""
    removed: str = ""
    added: str = ""
    end: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentRow:
    """One argument of an expected call beside the one found."""

    name: str
    state: str
    """`same`, `changed`, `missing`, `extra`."""
    change: TextChange


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPair:
    """An expected call and the one found in its place; one of them may not be there."""

    name: str
    state: str
    """`lost`, `found`, `changed`."""
    rows: list[ArgumentRow]


def repaired(repair: Repair, text: str) -> TextChange:
    """Show a syntax repair within the line of the text it was made in; any other as the two values."""
    before, after = (written(value) for value in (repair.before, repair.after))
    if repair.span is None or repair.span[1] > len(text):
        return TextChange(removed=before, added=after) if repair.before != repair.after else TextChange()
    start, end = repair.span
    left = text[max(start - _CONTEXT, 0) : start].rpartition("\n")[2]
    right = text[end : end + _CONTEXT].partition("\n")[0]
    return TextChange(start=left, removed=text[start:end], added=after, end=right)


def difference(before: str, after: str) -> TextChange:
    """Find what differs between two texts: all between their common start and their common end."""
    same = _common(before, after)
    left, right = before[same:], after[same:]
    size = _common(left[::-1], right[::-1])
    return TextChange(
        start=before[:same], removed=left[: len(left) - size], added=right[: len(right) - size],
        end=left[len(left) - size :],
    )  # fmt: skip


def _common(one: str, other: str) -> int:
    """Count the characters with which both begin."""
    shorter = min(len(one), len(other))
    return next((at for at in range(shorter) if one[at] != other[at]), shorter)


def pairs(lost: Sequence[dict[str, Any]], found: Sequence[dict[str, Any]]) -> list[CallPair]:
    """Put each call that is missed beside the next one found under its name; what is left stands alone."""
    left = list(found)
    out = []
    for wanted in lost:
        other = next((call for call in left if call.get("name") == wanted.get("name")), None)
        if other is not None:
            left.remove(other)
        state = "lost" if other is None else "changed"
        out.append(CallPair(name=str(wanted.get("name")), state=state, rows=_rows(wanted, other or {})))
    return out + [CallPair(name=str(call.get("name")), state="found", rows=_rows({}, call)) for call in left]


def _rows(wanted: dict[str, Any], found: dict[str, Any]) -> list[ArgumentRow]:
    old, new = (_arguments(call.get("arguments")) for call in (wanted, found))
    return [_row(name, old, new) for name in dict.fromkeys([*old, *new])]


def _arguments(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {} if value is None else {"": value}


def _row(name: str, old: dict[str, Any], new: dict[str, Any]) -> ArgumentRow:
    before, after = (written(side[name]) if name in side else "" for side in (old, new))
    if name not in new:
        return ArgumentRow(name=name, state="missing", change=TextChange(removed=before))
    if name not in old:
        return ArgumentRow(name=name, state="extra", change=TextChange(added=after))
    if old[name] == new[name] and type(old[name]) is type(new[name]):
        return ArgumentRow(name=name, state="same", change=TextChange(start=before))
    if type(old[name]) is not type(new[name]):
        return ArgumentRow(name=name, state="changed", change=TextChange(removed=before, added=after))
    return ArgumentRow(name=name, state="changed", change=difference(before, after))
