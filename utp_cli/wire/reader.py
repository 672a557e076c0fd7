"""Bytes, text or a decoded body → wire events. What the input is, it decides by itself.

    bytes ──event stream?──► messages ─┐
      │                                ├──► documents ──► dispatch ──► the decoder of the format
    text ──JSON, SSE, NDJSON? ─────────┘
      └──none of these──► verbatim

Until a document has told the format, the text is held; it is raw text as soon as it cannot be anything else.
"""

from __future__ import annotations

import codecs
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.calls import WireFacts
from utp_cli.wire.event_stream import EventStream, may_begin
from utp_cli.wire.frames import BLANK, DONE, begins_sse, framing_of
from utp_cli.wire.spec import TextPiece

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.wire.decoder import Scope
    from utp_cli.wire.dispatch import Dispatch
    from utp_cli.wire.frames import Framing
    from utp_cli.wire.shape import Recognised
    from utp_cli.wire.spec import WireEvent


_LONG: Final = 1 << 20
"""Characters (bytes) from which on a stream is read in parts."""
_PART: Final = 1 << 16
_MOST_WAITING: Final = 200
"""Documents that may tell nothing before the first that does: a log of JSON lines is text."""


def parts_of(source: str | bytes) -> Iterable[str | bytes]:
    """Cut a whole input so that the events of a long stream are never there all at once.

    JSON is left whole: its scanner wants a value in one piece.
    """
    if len(source) < _LONG or not begins_sse(source):
        return (source,)
    return (source[at : at + _PART] for at in range(0, len(source), _PART))


@cache
def _of_documents() -> tuple[type[Scope], type[Dispatch]]:
    """Load what reads documents: raw text does without all of it."""
    from utp_cli.wire.decoder import Scope  # noqa: PLC0415
    from utp_cli.wire.dispatch import Dispatch  # noqa: PLC0415

    return Scope, Dispatch


class WireReader:
    """Reads one input. Never raises, whatever is fed."""

    shape: str | None = None
    """None until known; then a name of `FORMATS`, or `text`, `error`, `unknown`."""
    stream = False
    verbatim = False
    """The input is raw text: pieces of it may be handed on as they are."""
    length = 0
    """Characters read so far; bytes of a binary stream."""
    document: Any = None
    """The decoded body, or what was decoded last; None for raw text."""
    _dispatch: Dispatch | None = None
    _framing: Framing | EventStream | None = None
    _characters: codecs.IncrementalDecoder | None = None
    """Of bytes: made for the first."""
    _bytes: bytes | None = b""
    """The first bytes, until they tell whether an event stream begins; None from then on."""
    _head = ""
    _otherwise = "text"
    """What an input is that no document told of."""

    def __init__(self, provider: str | None = None) -> None:
        """`provider`: the format to assume where the input fits several."""
        self._provider = provider
        self._held: list[str] = []

    @property
    def side(self) -> str:
        """What the input is, as `Recognised.side` has it; `response` where no document told."""
        return self._dispatch.recognised.side if self._dispatch and self._dispatch.recognised else "response"

    @property
    def form(self) -> str:
        """How the input was written: `json-body`, `json-lines`, `sse`, `event-stream`, `document`, `text`."""
        if self.shape == "text" or self._framing is None:
            return "text" if self.shape == "text" else "document"
        return self._framing.form if self._framing.several else "json-body"

    @property
    def model(self) -> str | None:
        """The model that the input names."""
        return self._dispatch.scope.metadata.model if self._dispatch else None

    @property
    def facts(self) -> WireFacts:
        """What was said beside calls and text, as far as it has been read."""
        if self._dispatch is None:
            return WireFacts(document=self.document)
        metadata = self._dispatch.scope.metadata
        framing = self._framing.anomalies if self._framing else []
        printed = self.stream and self._framing is not None and self._framing.printed
        printed = printed and not metadata.ended and metadata.error is None
        return WireFacts(
            document=self.document,
            error=metadata.error,
            status=metadata.status,
            prompt_tokens=metadata.prompt_tokens,
            completion_tokens=metadata.completion_tokens,
            ended=metadata.ended if self.stream else None,
            lone=self._dispatch.lone or printed,
            blank_name=metadata.blank_name,
            finish_message=metadata.finish_message,
            flavour=metadata.flavour,
            anomalies=(*framing, *metadata.anomalies),
        )

    def feed(self, data: str | bytes) -> list[WireEvent]:
        """Read the next piece, cut anywhere."""
        return self._take_text(data) if isinstance(data, str) else self._take_bytes(data)

    def feed_document(self, body: Any) -> list[WireEvent]:
        """Read a decoded body; a list is taken for the documents of a stream, or for messages."""
        if isinstance(body, str | bytes | bytearray):
            return self.feed(body if isinstance(body, str) else bytes(body))
        dispatch = self._made_dispatch()
        self._otherwise = "unknown"
        if isinstance(body, list):
            self.document, dispatch.scope.stream = [], True
            return [event for chunk in body for event in self.feed_chunk(chunk)]
        self.document = body
        events = [*dispatch.feed(body), *dispatch.close()]
        self._settle()
        return events

    def feed_chunk(self, document: Any) -> list[WireEvent]:
        """Read the next document of a stream, decoded."""
        dispatch = self._made_dispatch()
        if not (isinstance(self.document, list) and self._otherwise == "unknown"):
            self.document, self._otherwise, dispatch.scope.stream = [], "unknown", True
        if document == "[DONE]":  # the last line of a stream, kept among what the others decode to
            dispatch.scope.metadata.ended = True
            return dispatch.close()
        self.document.append(document)
        events = dispatch.feed(document)
        self._settle()
        return events

    def close(self) -> list[WireEvent]:
        """There is no more: what is still undecided is settled."""
        rest = self._bytes or b""
        events = self._take_text(self._decoded(rest, final=True)) if rest or self._characters else []
        self._bytes = None
        if self._framing and not self.verbatim:
            events += self._take_documents(self._framing, self._framing.close())
        events += self._dispatch.close() if self._dispatch else []
        known = self._settle()
        return events if known or self._otherwise == "unknown" else events + self._release()

    def _take_bytes(self, data: bytes) -> list[WireEvent]:
        if self._bytes is not None:
            data = self._bytes + data
            begins = may_begin(data)
            self._bytes = data if begins is None else None
            if begins is None:
                return []
            self._framing = EventStream() if begins else None
        if isinstance(self._framing, EventStream):
            self.length += len(data)
            return self._take_documents(self._framing, self._framing.feed(data))
        return self._take_text(self._decoded(data))

    def _decoded(self, data: bytes, *, final: bool = False) -> str:
        if self._characters is None:
            self._characters = codecs.getincrementaldecoder("utf-8")("replace")
        return self._characters.decode(data, final)

    def _take_text(self, text: str) -> list[WireEvent]:
        if not text:
            return []
        self.length += len(text)
        if self.verbatim:
            return [TextPiece(pointer="", text=text)]
        if self._recognised is None:
            self._held.append(text)
        if self._framing is None:
            self._head += text if self._head else text.lstrip(BLANK)
            choice = framing_of(self._head)
            if choice.wait:
                return []
            if choice.framing is None:
                return self._release()
            self._framing, text = choice.framing, self._head
        if isinstance(self._framing, EventStream):
            return []
        events = self._take_documents(self._framing, self._framing.feed(text))
        if self._framing.broken and self._recognised is None:
            return self._release()
        return events

    def _take_documents(self, framing: Framing | EventStream, documents: Iterable[Any]) -> list[WireEvent]:
        events: list[WireEvent] = []
        for document in documents:
            dispatch = self._made_dispatch()
            dispatch.scope.stream = framing.several
            self.document = None if framing.several else document
            if document is DONE:
                dispatch.scope.metadata.ended = True
                events += dispatch.close()
            else:
                events += dispatch.feed(document)
            framing.trusted = dispatch.recognised is not None
            if framing.form == "json-lines" and len(dispatch.waiting) > _MOST_WAITING:
                framing.broken = True
        if self._recognised is not None:
            self._held.clear()
            self._settle()
        return events

    @property
    def _recognised(self) -> Recognised | None:
        return self._dispatch.recognised if self._dispatch else None

    def _made_dispatch(self) -> Dispatch:
        """The dispatch, made for the first document."""
        if self._dispatch is None:
            scope, dispatch = _of_documents()
            self._dispatch = dispatch(scope(), self._provider)
        return self._dispatch

    def _settle(self) -> bool:
        """Say what the input is; return whether a document told."""
        if self._dispatch is None:
            self.shape = self._otherwise
            return False
        found, scope = self._dispatch.recognised, self._dispatch.scope
        error = scope.metadata.error is not None
        self.shape = self._dispatch.shape or ("error" if error else self._otherwise)
        recorded = found is not None and found.path[-1:] == ("response",)  # a session: each line holds a whole answer
        self.stream = scope.stream and not recorded and (error if found is None else found.unit != "message")
        return found is not None or error

    def _release(self) -> list[WireEvent]:
        """It is raw text: hand on what was held."""
        text = "".join(self._held)
        self._held.clear()
        self._dispatch, self.document = None, None
        self.shape, self.verbatim, self.stream = "text", True, False
        return [TextPiece(pointer="", text=text)] if text else []
