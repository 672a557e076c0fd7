"""A call on its way to being one: what each rung hands over before names, types and ids are settled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.facts.finish_reasons import meaning_of
from utp_cli.protocol.records import MutableRecord, Record, field

if TYPE_CHECKING:
    from utp_cli.protocol.calls import Reason, Repair, Rung, Standing
    from utp_cli.protocol.spans import Span


class Candidate(MutableRecord):
    """Something that a rung took for a call."""

    rung: Rung
    parser: str
    name: str | None
    arguments: dict[str, Any]
    id: str | int | None = None
    server: str | None = None
    hosted: bool = False
    """A tool of the provider's own: there is no definition to check it against."""
    signature: str | None = None
    text_due: bool = False
    """Native: the wire writes its arguments as JSON text."""
    pointer: str = ""
    span: Span | None = None
    opening: str = ""
    """Markup: its opening marker."""
    raw: str = ""
    payload: Span | None = None
    """Markup: where `raw` stands, which several calls may share."""
    repairs: list[Repair] = field(default_factory=list)
    partial: list[str] = field(default_factory=list)
    standing: Standing = "made"
    doubt: str = ""
    """Why nothing tells whether it is made."""
    reason: Reason | None = None
    """Why it is no safe call; None where it is one as far as its rung can tell."""


class Ending(Record):
    """How the answer ended, as far as that is known."""

    reason: str | None
    """The finish reason, in the wire's or the caller's word."""
    cut: bool
    """It was cut off: by a limit of tokens, or because the stream broke."""

    @property
    def whole(self) -> bool:
        """It is known to have ended by itself."""
        return self.reason is not None and not self.cut


def ending(reason: str | None, stream_ended: bool | None) -> Ending:
    """Judge the finish reason; `stream_ended` is False for a stream whose end never came."""
    return Ending(reason=reason, cut=meaning_of(reason) == "length" or stream_ended is False)


def breaks_off(lack: str, *, closed: bool, at_end: bool, end: Ending) -> bool:
    """Whether a payload counts as cut off (`lack`: nothing, closers, more).

    What lacks nothing stands unless the answer was cut before its closing marker. What lacks only closers stands
    where a closing marker follows, or the answer is known to have ended by itself.
    """
    if lack == "nothing":
        return not closed and at_end and end.cut
    return lack == "more" or not (closed or end.whole)
