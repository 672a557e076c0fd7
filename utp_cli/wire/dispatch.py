"""Documents → the decoder of their format, as soon as one of them tells which that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.records import replace
from utp_cli.wire.access import dict_of, text_of
from utp_cli.wire.catalogue import FORMATS, decoder_of
from utp_cli.wire.error_body import error_of
from utp_cli.wire.error_quote import quoted_output
from utp_cli.wire.shape import Recognised, decoded, is_piece, judge, unwrap

if TYPE_CHECKING:
    from utp_cli.wire.decoder import FormatDecoder, Scope
    from utp_cli.wire.spec import WireEvent

_DEEPEST: Final = 4
"""Wrappers around wrappers that are looked into."""
_SPEAKERS: Final = frozenset({"assistant", "model", "ai"})
"""Roles of a conversation whose messages are answers."""


class Dispatch:
    """The documents of one input. Undecided ones wait until a later one tells the format."""

    def __init__(self, scope: Scope, provider: str | None = None) -> None:
        self.scope = scope
        self.recognised: Recognised | None = None
        """None until a document was decisive."""
        self._provider = provider
        self.waiting: list[tuple[Any, int | None]] = []
        """Documents that told nothing so far, each with its place in a list."""
        self._decoder: FormatDecoder | None = None
        self._number = 0
        self._pieces = 0
        """How many of them are events of a stream, by what they hold."""

    @property
    def shape(self) -> str | None:
        """The format's name, None until a document was decisive; `openai-legacy` may show late."""
        return self._decoder.format if self._decoder else self.recognised.format if self.recognised else None

    @property
    def lone(self) -> bool:
        """Whether a part of a stream is all there was: one event that ends no answer, or events without the first."""
        metadata = self.scope.metadata
        part = metadata.begun is False or (self._pieces == 1 and self._number == 1 and not metadata.ended)
        return part and metadata.error is None

    def feed(self, document: Any) -> list[WireEvent]:
        """Read the next document; a text that holds JSON, or a list, is taken for what is in it."""
        document = decoded(document)
        if isinstance(document, list):
            return [event for place, element in enumerate(document) for event in self._take(element, place)]
        return self._take(document)

    def close(self) -> list[WireEvent]:
        """End what is open. Documents may still follow: a second stream behind a `[DONE]`, say."""
        events: list[WireEvent] = []
        if self.waiting and all(error_of(document) for document, _ in self.waiting):
            self._note_error(self.waiting[-1][0])
            events += quoted_output(self.waiting[-1][0], self.scope.metadata.error or "")
        self.waiting = []
        return events + (self._decoder.close() if self._decoder else [])

    def _take(self, document: Any, place: int | None = None) -> list[WireEvent]:
        """Read a document; `place`: where it stands in a list."""
        if self.recognised is not None:
            return self._read(self.recognised, document, place)
        if self.scope.depth > _DEEPEST:
            return []
        self.waiting.append((document, place))
        found = judge(document)
        if not found.decisive:
            return []
        if found.ambiguous and self._provider in FORMATS:
            found = replace(found, format=str(self._provider))
        self._decide(found)
        waiting, self.waiting = self.waiting, []
        return [event for held, at in waiting for event in self._read(found, held, at)]

    def _decide(self, found: Recognised) -> None:
        self.recognised = found
        if found.unit == "event":
            scope = self.scope
            if found.path:
                scope = scope.inside(*found.path, stream=scope.stream or found.path[-1] == "stream")
            self._decoder = decoder_of(found.format, scope)

    def _read(self, found: Recognised, document: Any, place: int | None) -> list[WireEvent]:
        self._note_error(document)
        self._number += 1
        inner = unwrap(document, found.path) if found.path else document
        self._pieces += self._number == 1 and found.unit == "event" and (found.side == "stream" or is_piece(inner))
        if found.unit != "event" or self._decoder is None:
            return self._answers(found, inner, place)
        elements = inner if isinstance(inner, list) else [inner]
        return [event for element in elements for event in self._decoder.feed(element)]

    def _answers(self, found: Recognised, inner: Any, place: int | None) -> list[WireEvent]:
        """Read documents that each stand for themselves; in a conversation, those that are answers."""
        events: list[WireEvent] = []
        listed = isinstance(inner, list)
        at = self._number - 1 if self.scope.stream else place
        number = () if at is None else (at,)
        for index, answer in enumerate(inner if listed else [inner]):
            if text_of(dict_of(answer).get("role", "assistant")) not in _SPEAKERS:
                continue
            path = (*number, *found.path, *((index,) if listed else ()))
            self._decoder = decoder_of(found.format, self.scope.inside(*path, stream=False))
            events += [*self._decoder.feed(answer), *self._decoder.close()]
            self.scope.metadata.ended = True
        return events

    def _note_error(self, document: Any) -> None:
        if error := error_of(document):
            self.scope.metadata.error, self.scope.metadata.status = error
