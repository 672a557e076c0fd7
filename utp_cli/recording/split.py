"""Secrets that a stream cuts: what its events say one after the other in the same field is read as one text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps, loads_or_none
from utp_cli.recording.secrets import REDACTED
from utp_cli.wire.shape import documents_of

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
    whole = loads_or_none(text) if text.lstrip().startswith("[") else None
    if isinstance(whole, list):
        return dumps(whole) if _clean(whole, spans) else text
    if not holds_split((_event(line)[1] for line in _lines(text)), spans):
        return text  # nearly always: no event of a long stream was kept
    lines = [*_lines(text)]
    heads, events = zip(*map(_event, lines), strict=True)
    for number in _clean([*events], spans):
        ending = "\r" if lines[number].endswith("\r") else ""
        lines[number] = f"{heads[number]}{dumps(events[number])}{ending}"
    return "\n".join(lines)


def _lines(text: str) -> Iterator[str]:
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _event(line: str) -> tuple[str, Any]:
    """Return what stands before an event, and the event."""
    plain = line.removeprefix("data:")
    return "data: " if len(plain) < len(line) else "", loads_or_none(plain)


def holds_split(events: Iterable[Any], spans: Spans) -> bool:
    """Whether `spans` finds anything in the joined texts of events."""
    groups: dict[int, list[str]] = {}
    for place, _, holder, key in _strings(events):
        texts, text = groups.setdefault(place, []), holder[key]
        texts.append(texts[-1] if texts and texts[-1] == text else text)  # what every event repeats is kept once
    return any(spans("".join(texts)) for texts in groups.values())


def bytes_hold(data: bytes, spans: Spans) -> bool:
    """Whether `spans` finds anything in bytes that are no UTF-8: as they stand, as UTF-16, in events of a stream."""
    framed = documents_of(data)
    plain = {data.decode("latin-1"), data.replace(b"\0", b"").decode("latin-1")}
    return any(map(spans, plain)) or bool(framed and holds_split(framed.documents, spans))


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
    groups: dict[int, list[_Piece]] = {}
    for place, *piece in _strings(events):
        groups.setdefault(place, []).append(_Piece(*piece))
    yield from groups.values()


def _strings(events: Iterable[Any]) -> Iterator[tuple[int, int, Any, Any]]:
    """Yield each string of events: the place where it stands, the event's number, what holds it, its key there."""
    places: dict[tuple[int, Any], int] = {}  # a place is a number: (the place around it, its key) → itself
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
                        yield there, number, value, key
                    else:
                        waiting.append((there, item))
