"""The server: its tool parser, its flags, what it let through and what it swallowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.diagnosis import fixes
from utp_cli.diagnosis.beside_native import calls_behind, named_alone, said_again
from utp_cli.diagnosis.models import dialect_of
from utp_cli.diagnosis.nameless import arguments_said
from utp_cli.diagnosis.observation import Observation, diagnosis
from utp_cli.diagnosis.special_tokens import has_turns
from utp_cli.diagnosis.truncation import is_swallowed
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.facts.releases import number_of
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.call_view import CallView
    from utp_cli.diagnosis.subject import Answer
    from utp_cli.dialects.spec import Dialect

_AROUND_CALLS = regex(r"Calling tools?:|```\w{0,20}|</?[a-z_]{1,30}>|[\s,;]+")
"""What may stand around calls where a text is nothing else: fences, tags that no dialect has, separators, and the words
in which smolagents tells of calls."""
_BARE = regex(r"\s*(?:\{|\[(?![A-Z_]{3,30}\])|```)")
_BULLETS = frozenset("●⏺✦")
"""What windows of clients put in front of an answer."""
_ALREADY = "; where that is set already: upgrade the server, and ask with `stream: false`"
_PRINTED = regex(r"\btype[\"']?\s{0,9}:\s{0,9}[\"'](?:function|tool)\b")
"""What a structured call has, and a model seldom writes: a program printed it."""
_ARGUMENTS = regex(r"\"(?:arg|param|input)")
_NO_ARGUMENTS = (
    '; parsers want arguments, also where there are none: have the prompt show `"arguments": {}`, or give the tool a '
    "parameter that may be left out"
)
_IF_TOOL = ", where that is a tool, and no JSON that the text shows"
_ALONE = "; or have the prompt ask for the call alone, as a larger model writes it"
_BROKEN = (
    "the model wrote it badly, and parsers of servers leave such a call in content: retry at a lower temperature, "
    "send `tool_choice: required` (the JSON is constrained then), or repair it in the client; "
)
_MARKED = "upgrade to a parser that reads JSON to its end, or keep the marker out of the arguments; "
_OF_JSON = frozenset({"tagged_json_object", "tagged_json_list", "header_json", "harmony"})
_NO_FAULT = frozenset({"missing-close-tag", "single-quotes", "python-literal"})
"""Repairs that say something else: servers take a marker's end for granted, and Python has a diagnosis of its own."""
_STREAMS_SINCE = "0.8.0"
"""The release of Ollama that reads calls in streams (ollama.com/blog/streaming-tool, 28 May 2025)."""
_OLD_STREAM = f"; before {_STREAMS_SINCE} it reads no calls in streams: upgrade, or ask with `stream: false`"
_RESPONSES = "openai-responses"
_ITS_CHAT = "; or stream /v1/chat/completions, or do not stream: the Responses API of a server has a parser of its own"
_WITHOUT_OPENING = "upgrade to a parser that reads calls without {opening}, or read them out of the text"
_TOOL_NAME = regex(r"[\w.:/-]{1,128}")
"""What may be a tool's name: no provider takes blanks in it."""


@diagnosis(
    "call-left-in-content",
    "error",
    star=True,
    views=("in_text", "rejected", "bare"),
)
def call_left_in_content(answer: Answer) -> Iterator[Observation]:
    """The call stands in the text and nothing runs it.

    What people see: the agent prints the call, as JSON or as tags, and stops. The list of tool calls is
    empty.

    What proves it: there is no structured call, and the visible text holds a call that a parser can read.
    Bare and fenced JSON count where they name a known tool, or where the whole content is objects with
    `name` and `arguments`. In a raw generation the call is where it belongs, unless somebody's words around it
    say that it is printed instead of run; a hint says what makes a server read it. In a stream a marker that
    opens a call is enough: parsers of streams hold it back.
    A text that is nothing but the arguments of a known tool, or of the tool that the thinking names, is one, too.
    Where there is a structured call, a text that is nothing but its JSON, or but the values of its arguments line by
    line, is a warning: the call is run, and people see it written.

    What to change: run the server with the tool parser of the model's format (vLLM:
    `--enable-auto-tool-choice --tool-call-parser NAME`; SGLang: `--tool-call-parser NAME`; llama.cpp:
    `--jinja`; Ollama: a model whose `ollama show` lists tools), or read the calls out of the text.

    Symptoms: `tool_calls is empty but content contains <tool_call>`, `finish_reason stop instead of
    tool_calls`, `model returns tool call as plain text`.
    """
    later = calls_behind(answer) if answer.native else []
    if answer.native and not later:
        yield from said_again(answer)
        return
    if answer.asked_in_text:
        return
    said = _told(answer) if answer.raw else ""
    told = said == "told"
    if answer.raw and not told:
        yield from _closed_only(answer) or _perhaps_left(answer, said)
        return
    streamed = answer.result.stream and answer.stop == "none"  # a parser of streams holds the marker back
    begun = [call for call in answer.cut_off if told or (streamed and call.text.strip())]
    for call in later or answer.in_text or (answer.shown if told else ()) or begun:
        text = answer.result.texts.get(call.pointer, "")
        dialect = DIALECTS.get(call.parser)
        if dialect and dialect.read_by_clients and not answer.request.get("tools"):
            continue
        sure = told or not _is_bare(call, answer) or call.name in answer.known or _is_all(text, call, answer)
        if not sure and (answer.known or not _TOOL_NAME.fullmatch(call.name or "")):
            continue
        yield Observation(
            severity=None if sure else "info",
            confidence="high" if sure else "low",
            message=f"the call of {call.name or 'a tool'} stands in the text only{'' if sure else _IF_TOOL}",
            evidence=answer.written(call),
            pointer=call.pointer,
            span=call.span,
            fix=fixes.tool_parser(answer, dialect or dialect_of(answer.model))
            + _of_stream(answer)
            + _without_arguments(call, answer)
            + ("" if sure else _ALONE),
            tool=call.name,
        )
        return  # one answer has one parser: further calls prove nothing new
    yield from arguments_said(answer)


def _without_arguments(call: CallView, answer: Answer) -> str:
    """Say what else helps where a call in JSON leaves its arguments out."""
    written = answer.written(call)
    return "" if call.arguments or not _is_bare(call, answer) or _ARGUMENTS.search(written) else _NO_ARGUMENTS


def _of_stream(answer: Answer) -> str:
    """Say what else helps in a stream: of an Ollama that may be too old to read calls in one, of a Responses API."""
    old = number_of(answer.server.get("version")) < number_of(_STREAMS_SINCE)
    if answer.result.stream and answer.shape == _RESPONSES and fixes.engine_of(answer) not in (None, "hosted"):
        return _ITS_CHAT
    return _OLD_STREAM if answer.result.stream and fixes.engine_of(answer) == "ollama" and old else ""


def _closed_only(answer: Answer) -> list[Observation]:
    """Find a call of a generation that is closed by a marker, and opened by none; `[]` where there is none.

    A decoder that drops special tokens drops both: the model left its opening out, as Qwen3-Coder does.
    """
    for call in {(call.pointer, call.parser): call for call in answer.in_text}.values():
        text, dialect = answer.result.texts.get(call.pointer, ""), DIALECTS.get(call.parser)
        markers = zip(dialect.section_open, dialect.section_close, strict=False) if dialect else ()
        lost = next(((one, end) for one, end in markers if end in text and one not in text), None)
        if lost:
            seen = Observation(
                severity="warning",
                message=f"the call ends with {lost[1]}, and no {lost[0]} begins it: parsers that wait for it find none",
                evidence=answer.written(call),
                pointer=call.pointer,
                span=call.span,
                fix=_WITHOUT_OPENING.format(opening=lost[0]) + "; " + fixes.tool_parser(answer, dialect),
                tool=call.name,
            )
            return [seen]
    return []


def _perhaps_left(answer: Answer, said: str) -> Iterator[Observation]:
    """Say what to set for a call in a generation, where it is the content of an answer: a server left it there."""
    server = answer.server.get("engine")
    whole = next(iter(answer.in_text or (answer.shown if said else ())), None)
    call = whole or next(iter(answer.cut_off), None)
    dialect = DIALECTS.get(call.parser) if call else None
    running = answer.server.get("tool_call_parser")
    served = answer.server or answer.provider or answer.model  # a provider hands no generation out but as content
    if call is None or not (whole or served):
        return
    if dialect and running and DIALECTS.get(running) and running not in fixes.parsers_of(dialect, answer.model):
        return  # of another format: told as a mismatch
    lost, helps = _why_lost(call, dialect) if whole else ("", "")  # half a call is no JSON in any case
    hosted = bool(served) and fixes.engine_of(answer) == "hosted"
    run = call.span and has_turns(answer.result.texts.get(call.pointer, ""), call.span[1])
    if run or (dialect and dialect.read_by_clients) or (not served and _PRINTED.search(answer.written(call))):
        return
    if call.parser == "json-content" and call.name not in answer.known:
        lost = lost or _IF_TOOL
    who = fixes.label_of(server) if server else "the provider" if hosted else "the server"
    yield Observation(
        severity="info",
        confidence="low",
        message=f"a raw text; where a client got it as its content, {who} did not read the call of {call.name}{lost}",
        evidence=answer.written(call),
        pointer=call.pointer,
        span=call.span,
        fix=helps
        + fixes.tool_parser(answer, dialect or dialect_of(answer.model))
        + ("" if helps or hosted or running else _ALREADY),
        tool=call.name,
    )


def _why_lost(call: CallView, dialect: Dialect | None) -> tuple[str, str]:
    """Say why parsers of servers lose a call that is read here, and what helps; empty texts where nothing is odd.

    They take strict JSON, and most end a call at the first closing marker: vLLM's Hermes parser by
    `(.*?)</tool_call>`, SGLang's by the same (read in November 2026).
    """
    if dialect is None or not dialect.servers or dialect.body.family not in _OF_JSON:
        return "", ""
    for mended in call.repairs:
        if mended.layer == "syntax" and mended.code not in _NO_FAULT:
            return f": it is no JSON as it stands ({mended.code})", _BROKEN
    for end in dialect.call_close:
        if len(end) > 1 and end in call.text:
            return f": its arguments hold {end}, and parsers end the call there", _MARKED
    return "", ""


def _is_bare(call: CallView, answer: Answer) -> bool:
    written, dialect = answer.written(call), DIALECTS.get(call.parser)
    marked = dialect is not None and written.startswith(dialect.call_open)  # one dialect's marker is a fence
    return not marked and _BARE.match(written) is not None


def _is_all(text: str, call: CallView, answer: Answer) -> bool:
    """Whether a text is nothing but calls with arguments, in a fence or in tags; the last one may be cut off."""
    if not _TOOL_NAME.fullmatch(call.name or ""):
        return False
    if named_alone(text):
        return True
    spans = sorted(one.span for one in (*answer.in_text, *answer.cut_off) if one.span and one.pointer == call.pointer)
    between = zip([0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)], strict=True)
    return bool(call.arguments) and not _AROUND_CALLS.sub("", "".join(text[end:start] for end, start in between))


def _told(answer: Answer) -> str:
    """Say whether somebody tells in the text around a call that nothing ran it: `told`, `perhaps` or `""`."""
    text = answer.result.texts.get("", "")
    if not answer.result.content.strip() and text[:1] not in _BULLETS:
        return ""
    starts = [call.span[0] for call in (*answer.in_text, *answer.shown, *answer.cut_off) if call.span]
    if not starts:
        return ""
    from utp_cli.captures.report import told_beside  # noqa: PLC0415 - only for text beside a call

    kinds = {"text", "layout"}
    spoken = [text[slice(*part.span)] for part in answer.result.segments if part.kind in kinds and not part.pointer]
    return told_beside("".join(spoken), text[: min(starts)])


@diagnosis("parser-mismatch", "error", views=("in_text",))
def parser_mismatch(answer: Answer) -> Iterator[Observation]:
    """The server's tool parser reads another format than the model writes.

    What people see: a tool parser is configured, and still the calls arrive as text, or its log is full of
    JSON errors.

    What proves it: the server's tool parser is known, and it is no parser of the format recognised in the
    text. Formats that look alike (the same markers and the same grammar) are no mismatch.

    What to change: restart the server with the parser of the format that the model writes.

    Symptoms: `Error in extracting tool call from response`, `JSONDecodeError … hermes_tool_parser.py`.
    """
    configured = answer.server.get("tool_call_parser")
    running = DIALECTS.get(configured or "")
    for call in answer.in_text:
        dialect = DIALECTS.get(call.parser)
        if dialect is None or running is None or configured in fixes.parsers_of(dialect, answer.model):
            continue
        if dialect == dialect_of(answer.model) or not _alike(dialect, running):
            yield Observation(
                message=f"the server runs the tool parser {configured}, and the model writes {dialect.name}",
                evidence=answer.written(call),
                pointer=call.pointer,
                span=call.span,
                fix=fixes.tool_parser(answer, dialect),
            )
            return


def _alike(one: Dialect, other: Dialect) -> bool:
    return one.family == other.family and one.call_open == other.call_open and one.body.call == other.body.call


_MANY = 8
"""Tokens that are more than an empty turn has."""
_LAST_EVENT = (
    "upgrade the server, which sends the last event of its own stream as the answer (Xinference did), or ask with "
    "`stream: true` and read the stream; the event by itself, out of a stream, is sound"
)


def _without_choices(answer: Answer) -> bool:
    """Whether it is a body of chat completions without a choice, and no stream was asked for."""
    document = answer.result.facts.document
    return (
        isinstance(document, dict)
        and document.get("choices") == []
        and not (answer.result.stream or answer.result.finish_reason or answer.request.get("stream"))
    )


@diagnosis("calls-lost", "error")
def calls_lost(answer: Answer) -> Iterator[Observation]:
    """The server swallowed what the model wrote.

    What people see: an empty answer: no text, no call, although tokens were billed.

    What proves it: the stop reason says tool call and there is none anywhere; or text, thinking and calls
    are all empty, the stop reason is normal, and at least 8 tokens were generated (those of hidden thinking
    not counted); or it is a length limit, a call was forced, and the model was told not to think. A warning: a body
    that was asked for whole has no choices, and counts the tokens of an answer.

    What to change: retry the turn; repeat the request with `stream: false`, and once without the server's tool
    parser, to see the raw text; then upgrade the server or switch the parser. Ollama: read the calls of the last
    (`done: true`) frame too.

    Symptoms: `finish_reason is tool_calls but tool_calls is empty`, `empty response content`.
    """
    result = answer.result
    if answer.raw or result.server_calls or answer.call_views or answer.thought:
        return
    if answer.stop == "tool":
        yield Observation(
            message="the stop reason says that a tool is called, and there is no call",
            evidence=f"stop reason {result.finish_reason}, no call",
        )
    tokens = (answer.completion_tokens or 0) - answer.hidden_tokens
    empty = not any(text.strip() for text in result.texts.values()) and not answer.speaks_otherwise
    if answer.stop == "stop" and tokens >= _MANY and empty:
        yield Observation(
            message="nothing arrived of what the model generated",
            evidence=f"{tokens} tokens generated, and text, thinking and calls are empty",
            fix=fixes.lost_text(answer),
        )
    if tokens >= _MANY and _without_choices(answer):
        asked = bool(answer.request)  # else it may be the last event of a stream, which nobody called one
        yield Observation(
            severity="warning" if asked else "info",
            confidence="medium" if asked else "low",
            message="the body has no choices: the answer was lost, and what is left counts its tokens",
            evidence=f"choices: [], {tokens} tokens generated",
            fix=_LAST_EVENT,
        )
    if is_swallowed(answer):
        yield Observation(
            message="the forced call was cut off by the token limit, and the server dropped what was there",
            evidence=f"{tokens} tokens generated, and text, thinking and calls are empty",
            fix=fixes.token_limit(answer),
        )
