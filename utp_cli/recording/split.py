"""Secrets that a stream cuts: what its events say one after the other in the same field is read as one text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps, loads
from utp_cli.recording.secrets import REDACTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Spans = Callable[[str], list[tuple[int, int]]]

_NUMBERS: Final = ("index", "output_index", "content_index")
"""Fields that say which of several parallel texts an event goes on with."""


@dataclass(slots=True)
class _Piece:
    """A string in an event."""

    event: int
    holder: Any
    key: Any


def without_split(text: str, spans: Spans) -> str:
    """Return a stream (events, lines of JSON, a list) without what `spans` finds in its joined texts.

    What is found is written as one `REDACTED` where it begins. Only events that hold a part of it change their bytes.
    """
    whole = _decoded(text) if text.lstrip().startswith("[") else None
    if isinstance(whole, list):
        return dumps(whole) if _clean(whole, spans) else text
    lines = text.split("\n")
    starts = [len(line) - len(line.removeprefix("data:")) for line in lines]
    events = [_decoded(line[start:]) for line, start in zip(lines, starts, strict=True)]
    for number in _clean(events, spans):
        ending = "\r" if lines[number].endswith("\r") else ""
        head = "data: " if starts[number] else ""
        lines[number] = head + dumps(events[number]) + ending
    return "\n".join(lines)


def holds_split(events: Iterable[Any], spans: Spans) -> bool:
    """Whether `spans` finds anything in the joined texts of events."""
    return any(spans("".join(p.holder[p.key] for p in pieces)) for pieces in _texts(events))


def _clean(events: list[Any], spans: Spans) -> set[int]:
    """Take what is found out of the events; return the numbers of those that changed."""
    changed: set[int] = set()
    for pieces in _texts(events):
        if len(pieces) < 2:
            continue
        found = spans("".join(piece.holder[piece.key] for piece in pieces))
        if found:
            changed |= _cut(pieces, found)
    return changed


def _cut(pieces: list[_Piece], found: list[tuple[int, int]]) -> set[int]:
    """Take spans of the joined text out of its pieces; both are in order, and spans do not overlap."""
    changed, start, first = set(), 0, 0
    for piece in pieces:
        text = piece.holder[piece.key]
        end, done, kept = start + len(text), start, []
        while first < len(found) and found[first][0] < end:
            left, right = found[first]
            kept += [text[done - start : max(left - start, 0)], REDACTED if left >= start else ""]
            done = min(right, end)
            if right > end:
                break
            first += 1
        if done > start or kept:
            piece.holder[piece.key] = "".join([*kept, text[done - start :]])
            changed.add(piece.event)
        start = end
    return changed


def _texts(events: Iterable[Any]) -> Iterator[list[_Piece]]:
    """Group the strings of events by where they stand."""
    places: dict[tuple[int, Any], int] = {}  # a place is a number: (the place around it, its key) → itself
    groups: dict[int, list[_Piece]] = {}
    for number, event in enumerate(events):
        waiting = [(0, event)]
        while waiting:
            place, value = waiting.pop()
            items: Iterable[tuple[Any, Any]] = ()
            if isinstance(value, dict):
                for name in _NUMBERS:
                    if isinstance(found := value.get(name), int):
                        place = places.setdefault((place, (name, found)), len(places) + 1)
                items = value.items()
            elif isinstance(value, list):
                items = enumerate(value)
            for key, item in items:
                if isinstance(item, str | dict | list):
                    there = places.setdefault((place, key), len(places) + 1)
                    if isinstance(item, str):
                        groups.setdefault(there, []).append(_Piece(number, value, key))
                    else:
                        waiting.append((there, item))
    yield from groups.values()


def _decoded(text: str) -> Any:
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None
