"""What a reader of spellings gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from utp_cli.protocol.captures import CaptureKind


class Spelling(Record):
    """A document that was not printed as JSON."""

    document: Any
    """Decoded, in a format of `wire/`: for a stream the list of its documents; for text in an envelope, the text."""
    kind: CaptureKind
    form: str
    """How it was written: `python-repr`, `util-inspect`, `go-map`, …"""
    end: int
    """Where it ends: characters of the text, exclusive."""
    cut: bool = False
    """A value in it was hidden, cut off, or cannot be told from what stands beside it."""
    hops: tuple[str, ...] = ()
    """Who passed it on, outermost first."""
