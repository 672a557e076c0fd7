"""A text as the model wrote it: cut into runs, each with what it was found to be and the repairs made there."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from utp_cli.protocol.spans import Segment, Span

_WHOLE = 12_000
"""Characters up to which a text is shown whole."""
_HEAD, _TAIL, _AROUND = 3_000, 1_000, 120
"""Characters that are shown of a longer one: at its start, at its end, at each end of what was found in it."""
_PLACES = 40
"""Things found whose surroundings are shown in a longer one."""
_MARKS = 200
"""Marks of one text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """The whole markup of a call."""

    span: Span
    anchor: str
    """The id of the box."""
    target: str
    """The id of the call."""
    title: str
    kept: bool
    """It is a call that may be run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A place where something was repaired, or that a diagnosis points at."""

    span: Span
    """Start and end are equal where something was put in."""
    anchor: str
    target: str
    title: str
    sign: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedRun:
    """Characters that look alike."""

    text: str = ""
    kind: str = "text"
    """A kind of segment."""
    left_out: int = 0
    """Characters that are not shown here, in place of `text`."""
    mark: Mark | None = None
    """The smallest mark that covers it."""
    starts: tuple[str, ...] = ()
    """Ids of the marks that begin here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Runs within one call, or between calls."""

    box: Box | None
    first: bool
    """It is the first stretch of its box."""
    runs: list[MarkedRun]


def stretches(
    text: str, segments: Sequence[Segment], boxes: Iterable[Box], marks: Iterable[Mark]
) -> tuple[list[Stretch], set[str]]:
    """Cut a text for drawing; return also the ids of the boxes and marks that are in what is shown.

    `segments` are those of this text, in order. Of boxes that overlap the first counts.
    """
    apart = _apart(boxes)
    inside = [mark for mark in marks if mark.span[1] <= len(text)][:_MARKS]
    shown = _windows(len(text), [*(box.span for box in apart), *(mark.span for mark in inside)])
    visible = [mark for mark in inside if any(start <= mark.span[0] <= end for start, end in shown)]
    runs = list(_runs(text, segments, apart, visible, shown))
    drawn: list[Stretch] = []
    seen: set[str] = set()
    for box, group in groupby(runs, key=lambda pair: pair[0]):
        drawn.append(Stretch(box=box, first=box is not None and box.anchor not in seen, runs=[run for _, run in group]))
        seen |= {box.anchor} if box else set()
    return drawn, seen | {anchor for _, run in runs for anchor in run.starts}


def _apart(boxes: Iterable[Box]) -> list[Box]:
    kept: list[Box] = []
    for box in sorted(boxes, key=lambda box: box.span):
        if box.span[0] < box.span[1] and (not kept or box.span[0] >= kept[-1].span[1]):
            kept.append(box)
    return kept


def _windows(length: int, spans: Sequence[Span]) -> list[Span]:
    """Return the stretches of a text that are shown, in order, none touching the next."""
    if length <= _WHOLE:
        return [(0, length)]
    points = {edge for span in spans[:_PLACES] for edge in span}
    around = [(max(point - _AROUND, 0), min(point + _AROUND, length)) for point in points]
    wanted = sorted([(0, _HEAD), (length - _TAIL, length), *around])
    merged = wanted[:1]
    for start, end in wanted[1:]:
        if start <= merged[-1][1] + _AROUND:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _runs(
    text: str, segments: Sequence[Segment], boxes: Sequence[Box], marks: Sequence[Mark], shown: Sequence[Span]
) -> Iterator[tuple[Box | None, MarkedRun]]:
    """Yield the runs of every window, and between two windows what is left out."""
    narrow = sorted(marks, key=lambda mark: mark.span[1] - mark.span[0])
    last = 0
    for start, end in shown:
        if start > last:
            yield _box_at(boxes, last), MarkedRun(left_out=start - last)
        for left, right in _cuts(start, end, segments, boxes, marks):
            here = [mark for mark in narrow if _covers(mark, left, right)]
            yield (
                _box_at(boxes, left if left < right else max(left - 1, 0)),
                MarkedRun(
                    text=text[left:right],
                    kind=_kind_at(segments, left),
                    mark=next(iter(here), None),
                    starts=tuple(mark.anchor for mark in here if mark.span[0] == left),
                ),
            )
        last = end


def _cuts(
    start: int, end: int, segments: Sequence[Segment], boxes: Sequence[Box], marks: Sequence[Mark]
) -> Iterator[Span]:
    """Yield the stretches between places where anything begins or ends; empty ones where something was put in."""
    first = bisect_right(segments, start, key=lambda segment: segment.span[1])
    edges = {start, end}
    for segment in segments[first:]:
        if segment.span[0] >= end:
            break
        edges |= set(segment.span)
    edges |= {edge for box in boxes for edge in box.span} | {edge for mark in marks for edge in mark.span}
    put_in = {mark.span[0] for mark in marks if mark.span[0] == mark.span[1]}
    inside = sorted(edge for edge in edges if start <= edge <= end)
    for left, right in pairwise([*inside, end]):
        if left in put_in:
            yield left, left
        if left < right:
            yield left, right


def _covers(mark: Mark, left: int, right: int) -> bool:
    start, end = mark.span
    return start == end == left == right if start == end or left == right else start <= left and right <= end


def _box_at(boxes: Sequence[Box], offset: int) -> Box | None:
    at = bisect_right(boxes, offset, key=lambda box: box.span[0]) - 1
    return boxes[at] if at >= 0 and offset < boxes[at].span[1] else None


def _kind_at(segments: Sequence[Segment], offset: int) -> str:
    at = bisect_right(segments, offset, key=lambda segment: segment.span[0]) - 1
    return segments[at].kind if at >= 0 and offset < segments[at].span[1] else "text"
