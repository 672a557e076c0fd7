"""What was found in an input that is more than an answer: a traceback, a log, an SDK object, a transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from utp_cli.protocol.spans import Span

CaptureKind = Literal["answer", "error", "stream", "request", "session", "tools", "result", "log", "text"]


class Capture(Record):
    """One document in a paste."""

    kind: CaptureKind
    form: str
    """How it was written: a slug such as `json-body`, `python-repr`, `curl-verbose`."""
    span: Span
    """Characters of the input, 0-based, end exclusive."""
    hops: tuple[str, ...] = ()
    """Who passed it on, outermost first: `("litellm", "openrouter", "anthropic")`."""
    document: Any = None
    """What was read there: a decoded document in a format of `wire/FORMATS.md`, or a text."""
    status: int | None = None
    """The HTTP status that stands beside it."""
    headers: tuple[tuple[str, str], ...] = ()
    """The HTTP headers that stand beside it, names in lower case."""
    cut: bool = False
    """Its end, or a value in it, was cut off by whoever printed it: that is unknown, not empty."""

    def to_dict(self) -> dict[str, Any]:
        """Write it as an entry of `captures` in `utp.parse/1`."""
        return {"kind": self.kind, "form": self.form, "span": list(self.span), "hops": list(self.hops)}
