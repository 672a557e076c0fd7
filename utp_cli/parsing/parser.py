"""The whole road: input → shape → native calls and texts → ladder → calls → validation → diagnosis."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from utp_cli.dialects.catalogue import DIALECTS, dialects_of
from utp_cli.engine.plan import Plan
from utp_cli.parsing import rungs
from utp_cli.parsing.announce import Announcer
from utp_cli.parsing.attempts import late_attempt, native_attempt
from utp_cli.parsing.candidates import Ending, ending
from utp_cli.parsing.captured import plain_capture, unfolded
from utp_cli.parsing.collect import collect, merged
from utp_cli.parsing.json_rung import JSON_PARSER, JsonRung, is_call, read_json_rung
from utp_cli.parsing.missing_tokens import read_stripped
from utp_cli.parsing.modes import mode_named
from utp_cli.parsing.native import native_candidate
from utp_cli.parsing.preflight import preflight
from utp_cli.parsing.result import Circumstances, Parsed, known_of
from utp_cli.parsing.surroundings import weigh
from utp_cli.parsing.text_fields import TextFields
from utp_cli.parsing.unknown_markers import unknown_calls
from utp_cli.parsing.unmarked import with_names
from utp_cli.protocol.collecting import CollectorWaits
from utp_cli.protocol.events import Event
from utp_cli.protocol.records import MutableRecord, field
from utp_cli.protocol.sdk_objects import document_of, plain
from utp_cli.wire.reader import WireReader, parts_of
from utp_cli.wire.spec import CallDone, CallOpened, CallPiece, Finished, ServerCallSeen, TextPiece

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from utp_cli.dialects.spec import Dialect
    from utp_cli.parsing.candidates import Candidate
    from utp_cli.protocol.calls import Attempt, Note, ParseResult, RepairConfidence, ServerCall
    from utp_cli.protocol.tools import Tier, Tool
    from utp_cli.wire.spec import WireEvent


class Parser:
    """Reads one answer in pieces: `feed` returns what became certain, `close` the whole explained result.

    `tools`: definitions in any known form, or `Tool`s. `model`: its id, which says what dialects to expect.
    `parser`: a dialect's name (`auto`: the text decides). `finish_reason`: as the server gave it, where the input
    does not say. `generation_prompt`: what the chat template put before the model's first token. `request`, `server`:
    what is known of them, for diagnoses. `mode`: how calls were asked for. `tier`, `root`: as `preflight` takes them.
    `as_is`: read the text as it stands; else, where it turns out to be a paste, what matters in it is read.
    `decoded`: documents come out of JSON; else they may hold objects of SDKs, or themselves.

    Feed what the server sends (bytes, or the chunks of an SDK), and text is told as it comes. Of text alone nothing
    is told before its end: a closing marker may yet say that all of it was thinking. Where the model cannot think,
    say so: `generation_prompt="<think></think>"`.
    Raises `UtpError` for a parser or mode that does not exist; input never raises.
    """

    def __init__(
        self,
        *,
        tools: Iterable[Any] | None = None,
        model: str | None = None,
        provider: str | None = None,
        parser: str = "auto",
        finish_reason: str | None = None,
        generation_prompt: str = "",
        request: Mapping[str, Any] | None = None,
        server: Mapping[str, Any] | None = None,
        min_confidence: RepairConfidence = "guess",
        dialects: Sequence[Dialect] = (),
        mode: str = "auto",
        tier: Tier | None = None,
        root: str | None = None,
        as_is: bool = False,
        decoded: bool = False,
    ) -> None:
        self._tools = known_tools(tools)
        server = known_of(server) if server else {}
        self._options: dict[str, Any] = {
            "tools": self._tools, "model": model, "provider": provider,
            "parser": parser, "finish_reason": finish_reason, "generation_prompt": generation_prompt,
            "request": request, "server": server, "min_confidence": min_confidence, "dialects": dialects,
            "mode": mode, "tier": tier, "root": root,
        }  # fmt: skip
        self._fed: list[Any] | None = None if as_is else []
        """The pieces of the input, or its document: what is in a paste is found once it is whole."""
        self._decoded = decoded
        self._mode = mode_named(mode)
        self._circumstances = Circumstances(
            tools=self._tools if self._mode.checked else None,
            model=model, provider=provider, request=request or {}, server=server,
            asked_in_text=self._mode.in_text,
        )  # fmt: skip
        self._finish_reason = finish_reason
        self._least = min_confidence
        self._tier, self._root = tier, root
        mine = {dialect.name: dialect for dialect in dialects}
        self._asked = (mine[parser],) if parser in mine else dialects_of(parser, server.get("engine"))
        self._asked, dialects = _with_names(self._asked, dialects, self._tools)
        self._text_fields = TextFields(
            _plan(self._asked, tuple(dialects), model), self._tools, generation_prompt, Announcer()
        )
        self._wire = WireReader(provider)
        self._natives: list[CallDone] = []
        self._server_calls: list[ServerCall] = []
        self._result: ParseResult | None = None

    def feed(self, data: Any) -> list[Event]:
        """Read the next piece of the input: text or bytes, cut anywhere, or a chunk of a stream as SDKs give it."""
        if not isinstance(data, str | bytes):
            return self._feed_chunk(self._given(data))
        if self._fed is not None:
            self._fed.append(data)
        if self._wire.verbatim and isinstance(data, str):
            self._wire.length += len(data)
            return self._text_fields.feed("", "text", data)
        return self._heard(self._wire.feed(data))

    def _given(self, value: Any) -> Any:
        if self._decoded:
            return value
        return plain(value) if self._fed is None else document_of(value)  # what utp itself has read is sound

    def _feed_chunk(self, chunk: Any) -> list[Event]:
        if self._fed is not None:
            self._fed.append(chunk)
        return self._heard(self._wire.feed_chunk(chunk))

    def feed_document(self, body: Any) -> list[Event]:
        """Read a decoded JSON body, or an object of an SDK; a list holds the chunks of a stream, or messages."""
        body = self._given(body)
        if self._fed is not None:
            self._fed.append(body)
        return self._heard(self._wire.feed_document(body))

    def read(self, source: Any) -> ParseResult:
        """Read a whole input at once, text, bytes or a decoded body: nothing is told on the way, which saves time."""
        self._text_fields.announcer = None
        with CollectorWaits():
            if isinstance(source, str | bytes):
                if self._fed is not None:
                    self._fed.append(source)
                for part in parts_of(source):
                    self._heard(self._wire.feed(part))
            else:
                self.feed_document(source)
            return self.close()

    def close(self) -> ParseResult:
        """There is no more: settle everything."""
        self.finish()
        assert self._result is not None  # noqa: S101 - `finish` made it
        return self._result

    def finish(self) -> list[Event]:
        """Tell the input is over, and return the last events; `close` does it where it was not done."""
        if self._result is not None:
            return []
        events = [*self._heard(self._wire.close()), *self._text_fields.close()]
        self._result = self._settled()
        if self._fed is not None:
            self._result = unfolded(self._result, _joined(self._fed), self._options, parse_as_is)
        announcer = self._text_fields.announcer
        return events + announcer.rest(self._result) if announcer else events

    def _settled(self) -> ParseResult:
        facts, shape = self._wire.facts, self._wire.shape or "text"
        climbed = self._climb(shape, facts.document, ending(self._finish_reason, facts.ended))
        checked = self._mode.checked
        collected = collect(climbed.candidates, self._tools, self._least, checked=checked)
        return Parsed(
            shape=shape,
            stream=self._wire.stream,
            model=self._wire.model or self._circumstances.model,
            finish_reason=self._finish_reason,
            content=climbed.content,
            reasoning=climbed.reasoning,
            calls=preflight(collected.calls, self._tools if checked else None, tier=self._tier, root=self._root),
            rejected=collected.rejected,
            repairs=collected.repairs,
            server_calls=self._server_calls,
            attempts=climbed.attempts,
            segments=[segment for text_field in self._text_fields for segment in text_field.segments],
            texts=self._text_fields.texts,
            facts=facts,
            kept_notes=[*climbed.notes, *collected.notes],
            captures=[plain_capture(self._wire)],
            circumstances=self._circumstances,
        )

    # -- the wire ---------------------------------------------------------------------------------------------------

    def _heard(self, told: Iterable[WireEvent]) -> list[Event]:
        events: list[Event] = []
        for wire_event in told:
            events += _HEARERS[type(wire_event)](self, wire_event)
        return events

    def _text(self, piece: TextPiece) -> list[Event]:
        return self._text_fields.feed(piece.pointer, piece.kind, piece.text)

    def _opened(self, opened: CallOpened) -> list[Event]:
        if not self._text_fields.announcer:
            return []
        return [
            *self._text_fields.announcer.before_native(),
            Event(
                type="tool_start", index=opened.key, name=opened.name, id=opened.id, pointer=opened.pointer,
                provisional=True,
            ),
        ]  # fmt: skip

    def _piece(self, piece: CallPiece) -> list[Event]:
        if not self._text_fields.announcer:
            return []
        return [Event(type="tool_args", index=piece.key, text=piece.text, provisional=True)]

    def _done(self, done: CallDone) -> list[Event]:
        self._natives.append(done)
        if not self._text_fields.announcer:
            return []
        read = native_candidate(done, "", self._tools, Ending(reason=None, cut=False))
        return [
            Event(
                type="tool_end", index=done.key, name=done.name, id=done.id, arguments=read.arguments,
                pointer=done.pointer, provisional=True,
            )
        ]  # fmt: skip

    def _server_call(self, seen: ServerCallSeen) -> list[Event]:
        self._server_calls.append(seen.call)
        return []

    def _finished(self, finished: Finished) -> list[Event]:
        self._finish_reason = finished.reason or self._finish_reason
        return []

    # -- the ladder -------------------------------------------------------------------------------------------------

    def _climb(self, shape: str, document: Any, end: Ending) -> Climbed:
        native = [native_candidate(done, shape, self._tools, end) for done in self._natives]
        markup = self._markup(end) if self._text_fields else []
        asked = [dialect.name for dialect in self._asked]
        attempts = [
            native_attempt(shape, native, document),
            *rungs.markup_attempts(markup, self._text_fields.declined if self._text_fields else (), asked),
        ]
        candidates = merged(native, markup)
        higher = any(c.reason in _FOUND for c in candidates)
        found = JsonRung() if higher else self._without_markers(end)
        parser = found.candidates[0].parser if found.candidates else JSON_PARSER
        attempts.append(late_attempt("json", parser, found.candidates, found.nothing, skipped=higher))
        higher = higher or any(c.reason in _FOUND for c in found.candidates)
        if markup or found.candidates:
            weigh([*markup, *found.candidates], self._text_fields)
        intents = [] if higher else rungs.intent_candidates(self._text_fields, self._tools)
        intents = [found.chosen] if found.chosen else intents
        last = intents[0].parser if intents else rungs.INTENT_PARSER
        attempts.append(late_attempt("heuristic", last, intents, "no intent in the text", skipped=higher))
        return Climbed(
            # What rung 3 claimed is no content; an answer wrapped in JSON is.
            content=self._text_fields.content() if found.answer is None else found.answer,
            reasoning="\n".join(filter(None, [self._text_fields.reasoning(), *found.thoughts])),
            attempts=attempts,
            candidates=[*candidates, *found.candidates, *intents],
            notes=[*self._text_fields.notes, *found.notes],
        )

    def _markup(self, end: Ending) -> list[Candidate]:
        """Rung 2: what stands between markers; else the payload of a dialect that has none."""
        self._text_fields.read_again(lambda text: is_call(text, self._tools))
        if self._tools and not self._asked:
            self._text_fields.read_elements(self._tools)
        found = self._text_fields.found
        if self._tools and not (self._asked or (found and not found[0][1].dialect.prompt_tail)):
            self._text_fields.read_behind_tail(self._tools)
            found = self._text_fields.found
        if not found:
            self._text_fields.read_unmarked(self._tools)
            found = self._text_fields.found
        made: list[Candidate] = []
        for text_field, one in found:
            made.append(rungs.markup_candidate(text_field, one, end, made[-1] if made else None))
        return made

    def _without_markers(self, end: Ending) -> JsonRung:
        """Rung 3: what lost its markers, else JSON that is a call, else what stands between unknown markers."""
        stripped = read_stripped(self._text_fields, self._tools, end)
        if stripped:
            return JsonRung(candidates=stripped)
        found = read_json_rung(self._text_fields, self._tools, end, self._mode.form)
        if self._asked and not self._mode.in_text and all(d.body.family == "xml_elements" for d in self._asked):
            for candidate in found.candidates:  # whoever names a dialect of elements takes no JSON for a call
                candidate.reason = candidate.reason or "shown"
        if not (found.candidates or found.chosen or found.answer):
            found.candidates = unknown_calls(self._text_fields, self._tools)
            found.notes += rungs.file_name_notes(self._text_fields)
        return found


class Climbed(MutableRecord):
    """What the ladder brought."""

    content: str
    reasoning: str
    attempts: list[Attempt]
    candidates: list[Candidate]
    notes: list[Note] = field(default_factory=list)


_FOUND = (None, "truncated", "malformed", "shown")
"""Reasons that make a rung count as having found something, so that no lower one is tried."""

_HEARERS: dict[type, Any] = {
    TextPiece: Parser._text,  # noqa: SLF001
    CallOpened: Parser._opened,  # noqa: SLF001
    CallPiece: Parser._piece,  # noqa: SLF001
    CallDone: Parser._done,  # noqa: SLF001
    ServerCallSeen: Parser._server_call,  # noqa: SLF001
    Finished: Parser._finished,  # noqa: SLF001
}


def parse(source: Any, **options: Any) -> ParseResult:
    """Read a whole answer: text, bytes, or a decoded JSON body. The options are those of `Parser`.

    Text may be anything that people paste: where it is no plain answer, what matters in it is read (`captures`,
    `chosen`).
    """
    return read_whole(Parser(**options), source)


def read_whole(parser: Parser, source: Any) -> ParseResult:
    """Read a whole answer with a fresh parser."""
    return parser.read(source)


def parse_as_is(source: Any, options: dict[str, Any]) -> ParseResult:
    """Read a whole input as it is: nothing around it is taken off."""
    return parse(source, **options, as_is=True)


def _joined(pieces: list[Any]) -> Any:
    """Return the whole input: a text, bytes, or the document; the chunks of a stream as a list."""
    if len(pieces) == 1:
        return pieces[0]
    kinds = {*map(type, pieces)}
    if kinds <= {str}:
        return "".join(pieces)
    if not all(issubclass(kind, str | bytes) for kind in kinds):
        return pieces
    return b"".join(piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else piece for piece in pieces)


def known_tools(tools: Iterable[Any] | None) -> dict[str, Tool] | None:
    """Take definitions in any form, or what this has returned; None stands for "no tools are known"."""
    if tools is None:
        return None
    from utp_cli.protocol.tools import Tool  # noqa: PLC0415
    from utp_cli.validation.definitions import read_definitions  # noqa: PLC0415

    if isinstance(tools, dict) and all(isinstance(tool, Tool) for tool in tools.values()):
        return tools
    listed = [tools] if isinstance(tools, dict) else list(tools)
    done = [tool for tool in listed if isinstance(tool, Tool)]
    done += read_definitions([tool for tool in listed if not isinstance(tool, Tool)])
    return {tool.name: tool for tool in done}


def _with_names(
    asked: tuple[Dialect, ...], mine: Sequence[Dialect], tools: Mapping[str, Tool] | None
) -> tuple[tuple[Dialect, ...], Sequence[Dialect]]:
    """Tell the dialects whose calls begin with a tool's name what the names are: those become dialects of one's own."""
    if not asked or not any(dialect.by_name for dialect in asked):
        return asked, mine
    told = tuple(with_names(dialect, tools) if dialect.by_name else dialect for dialect in asked)
    return told, (*told, *mine)


def _plan(asked: Sequence[Dialect], mine: tuple[Dialect, ...], model: str | None) -> Plan:
    """Order the dialects: those asked for, those of the user's own, those of the model, all others."""
    by_model: list[Dialect] = []
    if model:
        from utp_cli.detection.dialect import dialects_for  # noqa: PLC0415 - only who names a model pays

        by_model = [dialect for name in dialects_for(model) if (dialect := DIALECTS.get(name))]
    return _plan_led_by((*asked, *mine, *by_model))


@lru_cache(maxsize=64)
def _plan_led_by(leading: tuple[Dialect, ...]) -> Plan:
    """Put these dialects before all others. Kept: making a plan costs more than reading a short answer."""
    first = {dialect.name: dialect for dialect in leading}
    rest = [dialect for dialect in DIALECTS if dialect.name not in first and not dialect.by_name]
    return Plan([*first.values(), *rest], [*first])
