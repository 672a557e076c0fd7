"""The texts of an answer, and what of them a reader sees as prose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from utp_cli.protocol.spans import Span

_MARKS = regex(r"\n {0,3}(`{3,}|~{3,})?|(`+)")

_BLANKS = " " * 4096
"""One piece, many times: a long call is not there a second time while it is blanked out."""

THINK_MARKERS: tuple[tuple[str, str], ...] = tuple(
    sorted(
        {
            (opener, closer)
            for dialect in DIALECTS
            for opener, closer in dialect.reasoning
            if dialect.family != "harmony" and opener[:1] in "<["
        }
    )
)
"""Every pair of think tags that a dialect has; the channels of harmony are no tags."""

THINK_TAGS = frozenset(
    {opener for opener, _ in THINK_MARKERS} | {closer for _, closer in THINK_MARKERS if "think" in closer.casefold()}
)
"""Those that are about thinking alone: some dialects close it with the token that ends any message."""


class AnswerText(Record):
    """One text of an answer."""

    pointer: str
    text: str
    holds_call: bool
    """A call was read in it, even if it is not counted because a structured one equals it."""
    thinking: bool
    """It stands in a field for thinking."""
    without_code: str
    """`text` with code blanked out: places stay the same."""
    prose: str
    """`text` with code, calls and closed thinking blanked out: places stay the same."""
    told: str
    """As `prose`, without the markup that the parser took for a dialect's."""


def blanked(text: str, spans: Iterable[Span]) -> str:
    """Return the text with blanks in place of the spans, which may overlap and come in any order.

    Where they are blank already, that is the text itself.
    """
    pieces, at = [], 0
    for start, end in sorted(spans):
        if end > at and text.count(" ", start, end) < end - start:
            begin = max(start, at)
            pieces.append(text[at:begin])
            pieces += [_BLANKS] * ((end - begin) // len(_BLANKS))
            pieces.append(" " * ((end - begin) % len(_BLANKS)))
            at = end
    return "".join([*pieces, text[at:]])


def code_in(text: str) -> Iterator[Span]:
    """Find code: fences, closed or not, and backticks on one line. One pass."""
    if "`" not in text and "~~~" not in text:
        return
    fence, ticks, start = "", "", 0
    for mark in _MARKS.finditer("\n" + text):
        opener, run = mark.groups()
        begin, end = max(mark.start() - 1, 0), mark.end() - 1
        if run and not fence and ticks == run:
            yield start, end
            ticks = ""
        elif run and not fence and not ticks:
            ticks, start = run, begin
        elif not run:
            ticks = ""
            if opener and not fence:
                fence, start = opener, begin
            elif opener and opener.startswith(fence):
                yield start, end
                fence = ""
    if fence:
        yield start, len(text)
