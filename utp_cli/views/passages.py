"""The text of an answer as the model wrote it, with calls, thinking and repairs marked by sign and colour."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from utp_cli.protocol.calls import Rejected
from utp_cli.views.lines import STYLES, counted, place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from utp_cli.protocol.calls import ParseResult, Repair, ToolCall
    from utp_cli.protocol.spans import Segment, Span
    from utp_cli.views.lines import Screen

_HEAD, _TAIL = 8, 3
"""Rows of a long passage that are shown where not everything is: the first and the last ones."""
_LINES = 24
"""Rows of one text after which no further passage begins where not everything is shown."""
_TEXTS = 4
"""Texts of one answer that are drawn where not everything is."""
_INDENT = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stretch of one text that is drawn as one thing."""

    kind: str
    """A kind of segment, or `boxed` for the whole markup of a call."""
    span: Span
    title: str = ""
    style: str = ""
    repairs: Sequence[Repair] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A character as it is shown."""

    offset: int
    shown: str

    @property
    def width(self) -> int:
        """Terminal cells."""
        return cell_len(self.shown)


def texts(result: ParseResult, screen: Screen) -> list[list[Text]]:
    """Draw every text that was read for markup, then the arguments of native calls that needed a repair."""
    return list(islice(_texts(result, screen), None if screen.verbose else _TEXTS))


def _texts(result: ParseResult, screen: Screen) -> Iterator[list[Text]]:
    for pointer, text in result.texts.items():
        if text.strip():
            yield _drawn(pointer, text, _passages(result, pointer), screen)
    for call in (*result.calls, *result.rejected):
        if call.rung == "native" and call.raw and (call.repairs or isinstance(call, Rejected)):
            yield _drawn(call.pointer, call.raw, [_boxed(result, call, (0, len(call.raw)))], screen)


def _drawn(pointer: str, text: str, passages: Iterable[Passage], screen: Screen) -> list[Text]:
    where = screen.safe(place(pointer)) if pointer else "raw text"
    lines = [screen.section("Text", f"{where}, {counted(len(text), 'character')}")]
    for passage in passages:
        if len(lines) > _LINES and not screen.verbose:
            return [
                *lines,
                Text(f"{' ' * _INDENT}{screen.signs.cut} --verbose shows the rest", style="dim italic"),
            ]
        lines += _box(text, passage, screen) if passage.kind == "boxed" else _margined(text, passage, screen)
    return lines


def _passages(result: ParseResult, pointer: str) -> Iterator[Passage]:
    """Cut one text into what is drawn as one thing: calls whole, the rest as its segments have it."""
    segments = [segment for segment in result.segments if segment.pointer == pointer]
    here = (call for call in (*result.calls, *result.rejected) if call.span and call.pointer == pointer)
    boxes = [(call.span or (0, 0), call) for call in here if call.rung != "heuristic"]
    at = 0
    for span, call in sorted(boxes, key=itemgetter(0)):
        if span[0] >= at:
            yield from _between(segments, at, span[0])
            yield _boxed(result, call, span)
            at = span[1]
    yield from _between(segments, at, segments[-1].span[1] if segments else at)


def _between(segments: Sequence[Segment], start: int, end: int) -> Iterator[Passage]:
    """Yield what the segments have from start to end, without layout."""
    first = bisect_right(segments, start, key=lambda segment: segment.span[1])
    for at in range(first, len(segments)):
        segment = segments[at]
        if segment.span[0] >= end:
            return
        if segment.kind != "layout":
            yield Passage(kind=segment.kind, span=(max(segment.span[0], start), min(segment.span[1], end)))


def _boxed(result: ParseResult, call: ToolCall, span: Span) -> Passage:
    reason = call.reason if isinstance(call, Rejected) else ""
    return Passage(
        kind="boxed",
        span=span,
        title=f"{call.parser}, {reason}" if reason else call.parser,
        style=STYLES["lost" if reason else "good"],
        repairs=[repair for repair in result.repairs_of(call) if repair.span],
    )


_MARGINS = {
    "text": ("", ""),
    "reasoning": ("thought", "dim"),
    "markup": ("skipped", "dim"),
    "call": ("skipped", "dim"),
}
"""The sign in the margin and the style of what is no box."""


def _margined(text: str, passage: Passage, screen: Screen) -> Iterator[Text]:
    sign, style = _MARGINS[passage.kind]
    margin = f"  {getattr(screen.signs, sign) if sign else ' '} "
    for row in _rows_shown(text, passage, screen.width - _INDENT, screen):
        if isinstance(row, str):
            yield Text(f"{' ' * _INDENT}{row}", style="dim italic")
        else:
            yield Text(margin + "".join(cell.shown for cell in row), style=style)


def _box(text: str, passage: Passage, screen: Screen) -> Iterator[Text]:
    signs, style = screen.signs, passage.style
    inner = screen.width - _INDENT - 4
    title = f"{signs.corners[0]} {screen.cut(screen.safe(passage.title), inner - 2)} "
    rule = signs.edge * (inner + 3 - cell_len(title))
    yield Text(f"{' ' * _INDENT}{title}{rule}{signs.corners[1]}", style=style)
    for row in _rows_shown(text, passage, inner, screen):
        if isinstance(row, str):
            yield _sided(Text(row, style="dim italic"), inner, style, screen)
            continue
        yield _sided(Text("".join(cell.shown for cell in row)), inner, style, screen)
        if carets := _carets(row, passage.repairs):
            yield _sided(Text(carets, style=STYLES["repaired"]), inner, style, screen)
    yield Text(f"{' ' * _INDENT}{signs.corners[2]}{signs.edge * (inner + 2)}{signs.corners[3]}", style=style)


def _sided(content: Text, inner: int, style: str, screen: Screen) -> Text:
    side = screen.signs.side
    fill = " " * (inner - content.cell_len)
    return Text.assemble(" " * _INDENT, (f"{side} ", style), content, fill, (f" {side}", style))


def _rows_shown(text: str, passage: Passage, width: int, screen: Screen) -> Iterator[list[Cell] | str]:
    """Yield the rows of a passage; of a long one the first, in words what is left out, and the last."""
    start, end = passage.span
    most = end - start if screen.verbose else width * (_HEAD + _TAIL + 1)
    rows = list(_rows(text, start, min(end, start + most), width, screen))
    if end - start <= most and (screen.verbose or len(rows) <= _HEAD + _TAIL + 1):
        yield from rows
        return
    tail = list(_rows(text, max(start, end - width * _TAIL), end, width, screen))[-_TAIL:]
    head = [row for row in rows[:_HEAD] if not row or row[0].offset < tail[0][0].offset] if tail and tail[0] else rows
    yield from head
    begin = next((row[-1].offset + 1 for row in reversed(head) if row), start)
    resume = next((row[0].offset for row in tail if row), end)
    yield f"{screen.signs.cut} {counted(resume - begin, 'character')}; --verbose shows all {screen.signs.cut}"
    yield from tail


def _rows(text: str, start: int, end: int, width: int, screen: Screen) -> Iterator[list[Cell]]:
    """Break a stretch of a text into rows that fit, at spaces where one is near."""
    row: list[Cell] = []
    used = 0
    for offset in range(start, end):
        if text[offset] == "\n":
            yield row
            row, used = [], 0
            continue
        cell = Cell(offset=offset, shown=screen.safe(text[offset]))
        if used + cell.width > width:
            keep = next((at + 1 for at in range(len(row) - 1, len(row) // 2, -1) if row[at].shown == " "), len(row))
            yield row[:keep]
            row = row[keep:]
            used = sum(cell.width for cell in row)
        row.append(cell)
        used += cell.width
    if row:
        yield row


def _carets(row: Sequence[Cell], repairs: Sequence[Repair]) -> str:
    """Mark the characters of a row that a repair changed, or before which it put something."""
    if not row:
        return ""
    first, last = row[0].offset, row[-1].offset
    marked: set[int] = set()
    for start, end in (repair.span for repair in repairs if repair.span):
        if start == end:
            marked.add(start if start <= last else last if start == last + 1 else start)
        else:
            marked.update(range(max(start, first), min(end, last + 1)))
    return "".join(("^" if cell.offset in marked else " ") * cell.width for cell in row).rstrip()
