"""Gemini's generateContent, on Vertex and behind Code Assist too: candidates with a list of parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import MutableRecord, field
from utp_cli.wire.access import camel, dict_of, dicts_of, integer_of, text_of
from utp_cli.wire.decoder import FormatDecoder, Parts
from utp_cli.wire.flavours import flavour_of
from utp_cli.wire.open_call import OpenCall
from utp_cli.wire.partial_args import PartialArguments
from utp_cli.wire.spec import ABSENT

if TYPE_CHECKING:
    from utp_cli.wire.decoder import Scope
    from utp_cli.wire.spec import WireEvent

_CAPITAL: Final = regex(r"[A-Z]")


class _Candidate(MutableRecord):
    """What one candidate has said so far."""

    root: tuple[str | int, ...]
    parts: Parts = field(default_factory=Parts)
    call: OpenCall | None = None
    """The call whose arguments arrive in pieces."""
    arguments: PartialArguments = field(default_factory=PartialArguments)
    called: bool = False
    spoke: bool = False
    """A part of it has come."""
    reason: str | None = None
    ended_by: str | None = None
    """The id of the response in whose empty chunk a finish reason came, where more may come behind it."""
    malformed: list[WireEvent] = field(default_factory=list)
    held: list[WireEvent] = field(default_factory=list)
    """Events of a later candidate, until those before it have ended."""


class Decoder(FormatDecoder):
    """Reads `gemini`."""

    format = "gemini"

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope)
        self._candidates: dict[int, _Candidate] = {}
        self._underscores = False
        """Keys are written as protobuf has them."""

    def feed(self, document: Any) -> list[WireEvent]:
        doc = dict_of(document)
        if _has_underscores(doc):
            self._underscores = True
            doc = camel(doc)
        self.note_model(doc.get("modelVersion"))
        self.metadata.flavour = self.metadata.flavour or flavour_of(self.format, doc)
        usage = dict_of(doc.get("usageMetadata"))
        self.count_tokens(usage.get("promptTokenCount"), usage.get("candidatesTokenCount"))
        if "parts" in doc:
            return self._content(self._candidate(0, ()), doc)
        blocked = dict_of(doc.get("promptFeedback"))
        self._note_end(blocked.get("blockReasonMessage"))
        events = self.finish(blocked.get("blockReason"))
        for place, candidate in dicts_of(doc.get("candidates")):
            number = place if not self.scope.stream else integer_of(candidate.get("index")) or 0
            state = self._candidate(number, ("candidates", number, "content"))
            self._note_going_on(state, candidate, text_of(doc.get("responseId")))
            said = self._read_candidate(state, candidate)
            if number == 0:
                events += said
            else:
                state.held += said
        return events

    def at(self, *parts: str | int) -> str:
        """Return the pointer to a place, in the spelling of the document."""
        if self._underscores:
            parts = tuple(_CAPITAL.sub(lambda m: f"_{m[0].lower()}", p) if isinstance(p, str) else p for p in parts)
        return super().at(*parts)

    def close(self) -> list[WireEvent]:
        events: list[WireEvent] = []
        for _, candidate in sorted(self._candidates.items()):
            events += [*candidate.held, *self._end_call(candidate), *candidate.malformed]
        reasons = [candidate.reason for _, candidate in sorted(self._candidates.items()) if candidate.reason]
        self._candidates.clear()
        return [*events, *self.finish(reasons[0] if reasons else None)]

    def _candidate(self, number: int, root: tuple[str | int, ...]) -> _Candidate:
        return self._candidates.setdefault(number, _Candidate(root=root))

    def _read_candidate(self, state: _Candidate, candidate: dict[str, Any]) -> list[WireEvent]:
        events = self._content(state, dict_of(candidate.get("content")))
        said = candidate.get("finishMessage")
        self._note_end(said)
        if reason := text_of(candidate.get("finishReason")):
            state.reason = reason
            self.metadata.ended = True
        if reason == "MALFORMED_FUNCTION_CALL" and not state.called:
            place = self.at(*state.root[:-1], "finishMessage")
            state.malformed = self.whole_call(place, name=None, call_id=None, arguments=text_of(said) or ABSENT)
        return events

    def _note_going_on(self, state: _Candidate, candidate: dict[str, Any], response: str) -> None:
        """Note a candidate that goes on behind the chunk that ended it, and that had nothing else.

        Gemini itself once put STOP into every chunk with text (1.0 and 1.5, 2024). Behind an end with texts before it
        another answer may stand, which the id of the response tells.
        """
        speaks = any(part.get("text") or "functionCall" in part for part in _parts_of(candidate))
        told = not state.spoke or response
        if speaks and told and response == state.ended_by and not text_of(candidate.get("finishReason")):
            self.odd("content-after-finish", self.at(*state.root), f"finishReason {state.reason} came before it")
        if speaks:
            state.spoke, state.ended_by = True, None
        elif text_of(candidate.get("finishReason")):
            state.ended_by = response

    def _note_end(self, said: Any) -> None:
        self.metadata.finish_message = text_of(said) or self.metadata.finish_message

    def _content(self, state: _Candidate, content: dict[str, Any]) -> list[WireEvent]:
        events: list[WireEvent] = []
        for place, part in dicts_of(content.get("parts")):
            events += self._part(state, place, part)
        return events

    def _part(self, state: _Candidate, place: int, part: dict[str, Any]) -> list[WireEvent]:
        if isinstance(part.get("functionCall"), dict):
            return self._call(state, place, part)
        for key, name in (("executableCode", "code_execution"), ("toolCall", None)):
            ran = part.get(key)
            if isinstance(ran, dict):
                state.parts.place(key, joins=False)
                given = {k: v for k, v in ran.items() if k != "id"} if name else ran.get("args")
                return self.server_call(name or ran.get("toolType") or ran.get("name"), given, ran.get("id"))
        if not text_of(part.get("text")):
            return []
        kind: Any = "reasoning" if part.get("thought") is True else "text"
        number = state.parts.place(kind) if self.scope.stream else place
        return self.text(self.at(*state.root, "parts", number, "text"), part["text"], kind)

    # -- calls -----------------------------------------------------------------------------------------------

    def _call(self, state: _Candidate, place: int, part: dict[str, Any]) -> list[WireEvent]:
        """Read a call: whole, or (Vertex) the next piece of one, which an empty one ends."""
        function = part["functionCall"]
        goes_on = function.get("willContinue") is True
        events: list[WireEvent] = []
        if not function and state.call is None:
            return events
        if state.call is None or function.get("name"):
            events += self._end_call(state)
            events += self._begin_call(state, place, part)
        state.arguments.take(function.get("partialArgs"))
        return events if goes_on else [*events, *self._end_call(state)]

    def _begin_call(self, state: _Candidate, place: int, part: dict[str, Any]) -> list[WireEvent]:
        function = part["functionCall"]
        number = state.parts.place("functionCall", joins=False) if self.scope.stream else place
        where = self.at(*state.root, "parts", number, "functionCall", "args")
        state.called = True
        signature = text_of(part.get("thoughtSignature")) or None
        state.call = OpenCall(self, where, call_id=function.get("id"), absent_is_empty=True, signature=signature)
        state.call.value = function.get("args", ABSENT)
        self.note_kind(state.call.value, where, dict)
        state.arguments = PartialArguments()
        return state.call.named(function.get("name"))

    def _end_call(self, state: _Candidate) -> list[WireEvent]:
        call, state.call = state.call, None
        if call is None:
            return []
        streamed = state.arguments.whole()
        call.value = streamed if streamed and call.value in (ABSENT, None) else call.value
        return [call.done()]


def _parts_of(candidate: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for _, part in dicts_of(dict_of(candidate.get("content")).get("parts"))]


def _has_underscores(doc: dict[str, Any]) -> bool:
    """Whether keys that Gemini's REST interface writes in one word have underscores."""
    candidates = [candidate for _, candidate in dicts_of(doc.get("candidates"))]
    contents = [doc, *(dict_of(candidate.get("content")) for candidate in candidates)]
    parts = [part for content in contents for _, part in dicts_of(content.get("parts"))]
    return any("_" in key for each in (doc, *candidates, *parts) for key in each)
