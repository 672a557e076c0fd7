"""What the rules look at, with the views they share. Views are worked out when first asked for, and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis.argument_mismatch import misfits
from utp_cli.diagnosis.call_view import CallView, call_view
from utp_cli.diagnosis.conversation_turns import MessageTurn, anomalies_of, told_by_system, turns_of
from utp_cli.diagnosis.passages import AnswerText, blanked, code_in
from utp_cli.facts.finish_reasons import meaning_of
from utp_cli.protocol.calls import NOT_MEANT, WireAnomaly
from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, field, kept
from utp_cli.protocol.tools import Tool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from utp_cli.diagnosis.argument_mismatch import Misfit
    from utp_cli.diagnosis.json_text import Strict
    from utp_cli.facts.finish_reasons import Meaning
    from utp_cli.protocol.calls import ParseResult, Rejected
    from utp_cli.protocol.findings import Finding
    from utp_cli.protocol.spans import Span
    from utp_cli.validation.definitions import Definition

RAW_SHAPES = frozenset({"text", "ollama-generate"})
"""What the model generated, unread by any server: markup is where it belongs."""


_THINKING_KEYS = frozenset({"reasoning_content", "reasoning", "thinking", "tool_plan", "summary"})

_COMPLETION = regex(r"/choices/\d+/text")

_HIDDEN_TOKENS = (
    ("usage", "completion_tokens_details", "reasoning_tokens"),
    ("usage", "output_tokens_details", "reasoning_tokens"),
    ("usage", "output_tokens_details", "thinking_tokens"),
    ("usageMetadata", "thoughtsTokenCount"),
    ("tokens", "thinking_tokens"),
)
"""Where bodies count the tokens of thinking: OpenAI, its Responses API, Anthropic, Gemini, records of gateways."""

_OTHER_CONTENT = ("refusal", "audio", "images")


class Answer(Record):
    """One answer of a model, and what is known of who asked and who served."""

    result: ParseResult
    tools: Mapping[str, Tool] | None = None
    model: str | None = None
    """As the caller says, else as the answer does."""
    provider: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    """What is known of the request: `tool_choice`, `max_tokens`, `options`, …"""
    server: Mapping[str, Any] = field(default_factory=dict)
    """What is known of the server: `engine`, `tool_call_parser`, `reasoning_parser`."""
    asked_in_text: bool = False
    """Calls were asked for as text, by a prompt, a schema or a grammar: they stand there on purpose."""

    @property
    def shape(self) -> str:
        """The wire format."""
        return self.result.shape

    @property
    def flavour(self) -> str | None:
        """Which server wrote it, where that shows."""
        return self.result.facts.flavour

    @kept
    def raw(self) -> bool:
        """It is what the model generated, unread by any server: also the text of OpenAI's older completions."""
        texts = self.result.texts
        return self.shape in RAW_SHAPES or (bool(texts) and all(map(_COMPLETION.fullmatch, texts)))

    @kept
    def known(self) -> Mapping[str, Tool]:
        """The tools by name: those given, else those of the request; `{}` where none are known."""
        return self.tools if self.tools is not None else known_tools(self.request.get("tools"))

    @property
    def declared(self) -> Mapping[str, Tool]:
        """The tools that the request offers as such; those of a prompt are none."""
        return known_tools(self.request.get("tools")) if self.asked_in_text else self.known

    @kept
    def stop(self) -> Meaning:
        """The stop reason: stop, tool, length, filter, malformed, none."""
        return meaning_of(self.result.finish_reason)

    @property
    def ended(self) -> bool:
        """It came to a normal end; of a raw generation that is taken for granted where nothing is known."""
        return self.stop in {"stop", "tool"} or (self.raw and self.stop == "none")

    @kept
    def call_views(self) -> tuple[CallView, ...]:
        """Every call, also those rejected, that was meant to be run: not thought, not announced."""
        rejected = [call for call in self.result.rejected if call.reason not in NOT_MEANT]
        return tuple([call_view(call, self.result) for call in (*self.result.calls, *rejected)])

    @kept
    def readings(self) -> tuple[tuple[CallView, Strict], ...]:
        """The calls whose arguments came as JSON text, and what the strict reader makes of it."""
        return tuple([(call, call.reading) for call in self.call_views if call.text_due and call.text.strip()])

    @kept
    def misread(self) -> tuple[tuple[CallView, Strict], ...]:
        """The readings of arguments that are no JSON."""
        return tuple([(call, reading) for call, reading in self.readings if not reading.ok])

    @kept
    def misfits(self) -> tuple[tuple[CallView, tuple[Misfit, ...]], ...]:
        """The whole calls of known tools whose arguments do not fit, and where."""
        if not self.known:
            return ()
        known = (
            (call, self.known.get(call.known_name)) for call in self.call_views if call.whole and not call.free_text
        )
        found = ((call, tuple(misfits(call.arguments, tool))) for call, tool in known if tool)
        return tuple((call, wrong) for call, wrong in found if wrong)

    @kept
    def native(self) -> tuple[CallView, ...]:
        """Structured calls."""
        return tuple(call for call in self.call_views if call.native)

    @kept
    def in_text(self) -> tuple[CallView, ...]:
        """Complete calls found in the text."""
        return tuple(call for call in self.call_views if not call.native and call.whole)

    @kept
    def thought(self) -> tuple[CallView, ...]:
        """Calls found in thinking; of known tools only, where tools are known."""
        found = [call_view(call, self.result) for call in self.result.rejected if call.reason == "in-reasoning"]
        return tuple(call for call in found if not self.known or call.name in self.known)

    @kept
    def shown(self) -> tuple[CallView, ...]:
        """Calls between words that may only show them."""
        return tuple(call_view(call, self.result) for call in self.result.rejected if call.reason == "shown")

    @kept
    def malformed(self) -> tuple[CallView, ...]:
        """Calls in the text that no repair makes whole."""
        return tuple(call for call in self.call_views if call.reason == "malformed" and not call.native)

    def written(self, call: CallView) -> str:
        """A call of a text, as it stands there."""
        return (self.result.texts.get(call.pointer, "")[slice(*call.span)] if call.span else "") or call.text

    @property
    def rejected(self) -> Sequence[Rejected]:
        """Calls that are none, as they were read."""
        return self.result.rejected

    @kept
    def cut_off(self) -> tuple[CallView, ...]:
        """Calls in the text whose end is missing."""
        return tuple(call for call in self.call_views if call.reason == "truncated" and not call.native)

    @kept
    def anomalies(self) -> Sequence[WireAnomaly]:
        """Where the wire, or the request, strays from its format."""
        return (*self.result.facts.anomalies, *legacy_fields(self.request))

    @property
    def prompt_tokens(self) -> int | None:
        """As the server counts them."""
        return self.result.facts.prompt_tokens

    @property
    def completion_tokens(self) -> int | None:
        """Those of hidden thinking included."""
        return self.result.facts.completion_tokens

    @property
    def hidden_tokens(self) -> int:
        """Tokens that were billed for thinking that is not shown."""
        counts = (_number_at(self.result.facts.document, path) for path in _HIDDEN_TOKENS)
        return next(filter(None, counts), 0)

    @property
    def speaks_otherwise(self) -> bool:
        """It holds something that is neither text nor call: a refusal, sound, a picture."""
        document = self.result.facts.document
        choices = document.get("choices") if isinstance(document, dict) else None
        messages = [c.get("message") for c in choices if isinstance(c, dict)] if isinstance(choices, list) else []
        return any(message.get(key) for message in messages if isinstance(message, dict) for key in _OTHER_CONTENT)

    @property
    def tools_size(self) -> int:
        """Characters of the tool definitions as compact JSON."""
        plain = [
            {"name": t.name, "description": t.description, "parameters": t.parameters} for t in self.known.values()
        ]
        return len(compact(plain)) if plain else 0

    @kept
    def passages(self) -> tuple[AnswerText, ...]:
        """Every text of it."""
        return tuple(self._passage(pointer, text) for pointer, text in self.result.texts.items())

    def _passage(self, pointer: str, text: str) -> AnswerText:
        spans = self._spans.get(pointer, {})
        code = list(code_in(text))
        spoken = blanked(text, [*code, *spans.get("call", ()), *spans.get("reasoning", ())])
        return AnswerText(
            pointer=pointer,
            text=text,
            holds_call="call" in spans,
            thinking=not _THINKING_KEYS.isdisjoint(pointer.split("/")) or spans.keys() == {"reasoning"},
            without_code=blanked(text, code),
            prose=spoken,
            told=blanked(spoken, spans.get("markup", ())),
        )

    @kept
    def _spans(self) -> dict[str, dict[str, list[Span]]]:
        """By text and kind: the segments, and as `call` the whole of each call, its markers included."""
        found: dict[str, dict[str, list[Span]]] = {}
        for segment in self.result.segments:
            found.setdefault(segment.pointer, {}).setdefault(segment.kind, []).append(segment.span)
        for call in (*self.result.calls, *self.result.rejected):
            if call.span and getattr(call, "reason", "") != "intent":
                found.setdefault(call.pointer, {}).setdefault("call", []).append(call.span)
        return found

    @property
    def silent_thinking(self) -> tuple[AnswerText, ...]:
        """The thinking of an answer that has nothing else."""
        if self.call_views or self.raw or any(passage.text.strip() for passage in self.visible):
            return ()
        return tuple(passage for passage in self.passages if passage.thinking)

    @property
    def visible(self) -> tuple[AnswerText, ...]:
        """What the user would see."""
        return tuple(passage for passage in self.passages if not passage.thinking)

    @property
    def bare(self) -> Sequence[AnswerText]:
        """Visible texts of an answer that begin as JSON does, or a fence, hold a call, or have lines."""
        if not self.result.texts or (self.raw and not self.native):
            return ()
        said = [(one, one.text.strip()) for one in self.visible]
        return [one for one, text in said if one.holds_call or text[:1] in ("{", "[", "`", ",") or "\n" in text]

    @kept
    def system(self) -> str:
        """The system prompt of the request."""
        return told_by_system(self.request)

    @kept
    def turns(self) -> tuple[MessageTurn, ...]:
        """The calls of each choice, as a conversation has them of each message."""
        by_turn: dict[str, list[CallView]] = {}
        for call in self.call_views:
            if call.whole:
                by_turn.setdefault(call.turn, []).append(call)
        return tuple(MessageTurn(pointer=turn, role="assistant", calls=tuple(calls)) for turn, calls in by_turn.items())


class Refusal(Record):
    """An error body: the server did not answer at all."""

    message: str
    pointer: str = ""
    """Where the message stands in the document."""
    quoted: str = ""
    """What the model's answer that the error quotes turned out to be, in a sentence; `""` where it quotes none."""
    quoting: str = ""
    """The field of the error in which it is quoted; `""` where the message quotes it."""
    quotes_several: bool = False
    """The arguments that it quotes are several objects, one after the other."""
    window: int | None = None
    """Tokens of the context window, where the error tells them."""
    shape: str = "error"
    status: int | str | None = None
    """The code that came with it."""
    flavour: str | None = None
    model: str | None = None
    provider: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    server: Mapping[str, Any] = field(default_factory=dict)
    tools: Mapping[str, Tool] = field(default_factory=dict)
    """Those of the request that was refused, by name, where they are known."""


class ConversationHistory(Record):
    """A conversation: messages in OpenAI's form; blocks in Anthropic's are understood too, and `wire/history.py`'s."""

    messages: Sequence[Any]
    tools: Sequence[Any] | Mapping[str, Tool] | None = None
    model: str | None = None
    provider: str | None = None
    request: Mapping[str, Any] = field(default_factory=dict)
    """What else is known of the last request (`functions`, `system`, …)."""

    @kept
    def known(self) -> Mapping[str, Tool]:
        """The tools by name."""
        return known_tools(self.tools)

    @property
    def declared(self) -> Mapping[str, Tool]:
        """The tools that the request offers as such."""
        return self.known

    @kept
    def turns(self) -> tuple[MessageTurn, ...]:
        """One for each message."""
        return turns_of(self.messages)

    @kept
    def anomalies(self) -> Sequence[WireAnomaly]:
        """Where messages, or the request, stray from their format."""
        return (*anomalies_of(self.messages, self.provider), *legacy_fields(self.request))

    @kept
    def call_views(self) -> tuple[CallView, ...]:
        """The calls of all messages."""
        return tuple(call for turn in self.turns for call in turn.calls)

    @kept
    def system(self) -> str:
        """The system prompt."""
        return told_by_system({**self.request, "messages": list(self.messages)})


class ToolSet(Record):
    """Tool definitions as they were written, for one provider."""

    tools: Sequence[Any]
    provider: str | None = None

    @kept
    def definitions(self) -> tuple[Definition, ...]:
        """Each with the place where it stands."""
        from utp_cli.validation.definitions import find_definitions  # noqa: PLC0415 - only where there are tools

        return tuple(find_definitions(list(self.tools)))


class Template(Record):
    """The text of a chat template: Jinja, the TEMPLATE of an Ollama Modelfile, or a whole Modelfile."""

    text: str
    server: Mapping[str, Any] = field(default_factory=dict)
    """What is known of the server that renders with it: `engine`, `tool_call_parser`."""
    model: str | None = None


class Inspected(Record):
    """A subject of any kind once it was looked at."""

    model: str | None
    found: Sequence[Finding]


def legacy_fields(request: Mapping[str, Any]) -> Iterator[WireAnomaly]:
    """Find OpenAI's first generation of tool fields in a request."""
    for key in ("functions", "function_call"):
        if request.get(key):
            yield WireAnomaly(code="legacy-field", pointer=f"/{key}", evidence=key)


def known_tools(tools: Any) -> dict[str, Tool]:
    """Return tools by name: those of a list of definitions, or what is a table of tools already."""
    if isinstance(tools, dict):
        return {name: tool for name, tool in tools.items() if isinstance(tool, Tool)}
    if not isinstance(tools, (list, tuple)) or not tools:
        return {}
    from utp_cli.validation.definitions import read_definition  # noqa: PLC0415 - only where there are tools

    listed = list(tools)
    return {tool.name: tool for tool in read_definition(listed) if tool.name}


def _number_at(document: Any, path: tuple[str, ...]) -> int | None:
    """Return the number at the end of a path of keys, None where there is none."""
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, int) else None


def compact(value: Any) -> str:
    """Write a value as JSON on one line; what JSON cannot hold, as Python shows it."""
    try:
        return json_dumps(value, ensure_ascii=False, separators=(",", ":"), default=repr)
    except (ValueError, RecursionError):
        return ""
