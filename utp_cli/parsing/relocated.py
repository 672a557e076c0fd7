"""Results of a part of a text, with places that count in the whole of it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from utp_cli.captures.mapped import Mapped
from utp_cli.protocol.records import replace
from utp_cli.protocol.spans import Segment

if TYPE_CHECKING:
    from utp_cli.protocol.calls import ParseResult, Rejected, Repair, ToolCall
    from utp_cli.protocol.captures import Capture
    from utp_cli.protocol.spans import Span

Placed = TypeVar("Placed", bound="ToolCall | Rejected | Repair | Segment")


def in_report(result: ParseResult, span: Span, text: str, captures: list[Capture]) -> ParseResult:
    """Let the places of what was read at `span` count in the whole text, whose other words are text, too."""
    start, end = span
    inner = Mapped(text[start:end], origins=(start,))
    before, behind = (Segment(kind="text", pointer="", span=one) for one in ((0, start), (end, len(text))))
    moved = replace(_moved_all(result, inner, text), captures=captures)
    return replace(
        moved,
        content=text[:start] + result.content + text[end:],
        segments=[before, *(_moved(segment, inner) for segment in result.segments), behind],
    )


def in_paste(result: ParseResult, inner: Mapped, text: str) -> ParseResult:
    """Let the places of a result count in the paste `text`; `inner` is what was read of it."""
    if result.shape != "text":
        return result
    begins = [0, *(inner.origin(segment.span[0]) for segment in result.segments[1:]), len(text)]
    spans = zip(result.segments, pairwise(begins), strict=True)
    return replace(_moved_all(result, inner, text), segments=[replace(segment, span=span) for segment, span in spans])


def _moved_all(result: ParseResult, inner: Mapped, text: str) -> ParseResult:
    return replace(
        result,
        texts={"": text},
        calls=[_moved(call, inner) for call in result.calls],
        rejected=[_moved(call, inner) for call in result.rejected],
        repairs=[_moved(repair, inner) for repair in result.repairs],
    )


def _moved(one: Placed, inner: Mapped) -> Placed:
    return replace(one, span=inner.span(*one.span)) if one.span else one
