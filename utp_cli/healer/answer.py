"""One answer (one choice) as it arrives: what the wire tells goes to the one parser, and to what holds text back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from utp_cli.healer.held_text import HeldText
from utp_cli.parsing.parser import Parser
from utp_cli.protocol.calls import WireFacts
from utp_cli.validation.arguments import check_arguments
from utp_cli.wire.access import decode_whole
from utp_cli.wire.spec import CallDone, Finished, ServerCallSeen, TextPiece

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from utp_cli.engine.machine import Engine
    from utp_cli.healer.verdict import CallRules
    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.tools import Tool
    from utp_cli.wire.decoder import FormatDecoder
    from utp_cli.wire.spec import WireEvent, WireMetadata

BROKEN: Final = "incomplete"
"""The finish reason of a stream whose end never came: what was cut off is no call."""


class _AlreadyRead:
    """Stands for the reader of the wire: the healer has read it."""

    verbatim, length, side, form, document = False, 0, "response", "document", None

    def __init__(self, shape: str, told: WireMetadata, *, stream: bool) -> None:
        self.shape, self.stream = shape, stream
        self._told = told

    @property
    def model(self) -> str | None:
        return self._told.model

    @property
    def facts(self) -> WireFacts:
        told = self._told
        return WireFacts(
            document={}, error=told.error, prompt_tokens=told.prompt_tokens, completion_tokens=told.completion_tokens,
            finish_message=told.finish_message, flavour=told.flavour, anomalies=tuple(told.anomalies),
        )  # fmt: skip

    def close(self) -> list[WireEvent]:
        return []


class _EventParser(Parser):
    """The parser, told by a decoder in place of its own reader."""

    def __init__(self, read: _AlreadyRead, **options: Any) -> None:
        super().__init__(as_is=True, **options)
        self._wire = read  # type: ignore[assignment]
        self._text_fields.announcer = None  # nobody hears what it would tell

    def hear(self, told: Iterable[WireEvent]) -> None:
        self._heard(told)

    def engine_of(self, pointer: str) -> Engine:
        return next(text_field.engine for text_field in self._text_fields if text_field.pointer == pointer)


@dataclass(slots=True)
class ChoiceState:
    """What one choice has said so far."""

    decoder: FormatDecoder
    parser: _EventParser
    tools: Mapping[str, Tool] | None
    engines: dict[str, Engine] = field(default_factory=dict)
    """What reads each text and each thinking, by pointer."""
    text_fields: dict[str, HeldText] = field(default_factory=dict)
    """Texts that a call may stand in, by pointer."""
    natives: list[CallDone] = field(default_factory=list)
    passed: set[int] = field(default_factory=set)
    """Those of the native calls (by their place) that were certain before the end: they stay as they came."""
    _ids: set[str] = field(default_factory=set)
    """Of those calls."""
    json: bool = False
    """It was asked for in JSON: what is written without markers is no call."""
    called: bool = False
    """A native call has begun."""
    finish: str | None = None
    settled: bool = False
    result: ParseResult | None = None

    @classmethod
    def of(
        cls, decoder: FormatDecoder, tools: Mapping[str, Tool] | None, options: Mapping[str, Any], *, stream: bool
    ) -> ChoiceState:
        """Make one for a decoder of its format. `options`: those of `Parser`."""
        read = _AlreadyRead(decoder.format, decoder.metadata, stream=stream)
        return cls(decoder, _EventParser(read, tools=tools, **options), tools)

    def feed(self, doc: Any) -> list[tuple[HeldText, int, int]]:
        """Read a document; return which texts it goes on with: characters of the text field."""
        return self.hear(self.decoder.feed(doc))

    def hear(self, told: list[WireEvent]) -> list[tuple[HeldText, int, int]]:
        """Take what a decoder tells."""
        texts = []
        for event in told:
            if isinstance(event, TextPiece):
                self._read(event)
                if event.kind == "text":
                    texts.append(self._text(event))
                continue
            self.parser.hear([event])
            if isinstance(event, Finished):
                self.finish = event.reason or self.finish
            elif isinstance(event, CallDone):
                self.called = True
                self.natives.append(event)
            elif not isinstance(event, ServerCallSeen):
                self.called = True
        return texts

    def is_new(self, call_id: str, form: CallRules) -> bool:
        """Say whether an id is one that a call may have."""
        return call_id not in self._ids and bool(call_id or not form.id_due)

    def passes(self, place: int, name: str | None, arguments: Any, call_id: Any, form: CallRules) -> bool:
        """Say whether a native call is certain to stay as it came: it is whole, has an id, and fits a known tool."""
        given = "" if call_id is None else str(call_id)
        known = bool(name) and (self.tools is None or name in self.tools)
        if not known or not self.is_new(given, form) or not form.fine(arguments):
            return False
        values = decode_whole(arguments) if isinstance(arguments, str) and arguments else arguments
        if isinstance(values, dict) and values and self.tools is not None:
            checked = check_arguments(str(name), values, self.tools)
            if checked.valid is False or checked.repairs:
                return False
        elif not values:
            return False  # more may come, or nothing was meant
        self.passed.add(place)
        self._ids |= {given} - {""}
        return True

    def passes_all(self, first: int, form: CallRules) -> bool:
        """Say so of the native calls from the place `first` on."""
        told = list(enumerate(self.natives))[first:]
        return all(self.passes(at, one.name, one.arguments, one.id, form) for at, one in told)

    def _read(self, piece: TextPiece) -> None:
        """Feed the engine of a text; nobody hears the events of the parser, so that none are made."""
        engine = self.engines.get(piece.pointer)
        if engine is None:
            self.parser.hear([piece])
            self.engines[piece.pointer] = self.parser.engine_of(piece.pointer)
        else:
            engine.feed(piece.text)

    def _text(self, piece: TextPiece) -> tuple[HeldText, int, int]:
        text_field = self.text_fields.get(piece.pointer)
        if text_field is None:
            text_field = self.text_fields[piece.pointer] = HeldText(
                self.engines[piece.pointer], self.tools, marked_only=self.json
            )
        start = text_field.length
        text_field.grow(len(piece.text))
        return text_field, start, text_field.length

    def close(self, finish: str | None) -> ParseResult:
        """The answer is over: say what it holds. `finish`: why it ended, in the wire's word."""
        self.hear([*self.decoder.close(), Finished(reason=finish)])
        self.result = self.parser.close()
        self.settled = True
        return self.result
