"""Logs that hold the answers of other formats: pointers lead into the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.wire.decoder import FormatDecoder
from utp_cli.wire.dispatch import Dispatch
from utp_cli.wire.shape import documents_of

if TYPE_CHECKING:
    from utp_cli.wire.spec import WireEvent


class Wrapper(FormatDecoder):
    """The base of their decoders."""

    def inside(self, answer: Any, *path: str | int) -> list[WireEvent]:
        """Read what stands at a path: a decoded answer, or its text or bytes; nothing where it is none."""
        documents, several = [answer], isinstance(answer, list)
        if isinstance(answer, str | bytes):
            framed = documents_of(answer)
            if framed is None:
                return []
            documents, several = framed.documents, framed.several
            self.metadata.anomalies += framed.anomalies
        inner = Dispatch(self.scope.inside(*path, stream=several))
        events = [event for document in documents for event in inner.feed(document)]
        return [*events, *inner.close()]
