"""Streams: pieces put together the wrong way, frames that are none."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from utp_cli.diagnosis.fixes import is_parsed
from utp_cli.diagnosis.json_text import strict
from utp_cli.diagnosis.observation import Observation, diagnosis
from utp_cli.diagnosis.special_tokens import lone_closing
from utp_cli.diagnosis.subject import compact
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.subject import Answer, ConversationHistory


def odd(subject: Answer | ConversationHistory, code: str, message: str) -> Iterator[Observation]:
    """Report the anomalies of one kind that the wire told of, once for each place: a proxy breaks all lines alike."""
    places: dict[str, list[str]] = {}
    for anomaly in subject.anomalies:
        if anomaly.code == code:
            places.setdefault(anomaly.pointer, []).append(anomaly.evidence or code)
    for pointer, seen in places.items():
        times = f", {len(seen)} times" if len(seen) > 1 else ""
        yield Observation(message=message + times, evidence=seen[0], pointer=pointer)


_IN_ORDER = "join the pieces of one `index` in their order; the server or gateway sends one piece a call in each event"
_SPLIT = (
    "each piece with whole arguments is a call of its own: split them; the provider or gateway has to count `index` up "
    "and to give every call an `id` of its own; until then `parallel_tool_calls: false`"
)
_CLOSED_EARLY = "the gateway ends a block of tool_use before its last piece: update it, or ask with `stream: false`"
_FRAMED_TWICE = "a relay or proxy puts `data:` before lines that have it: let it pass the bytes on as they are"
_COMMENT = (
    "the gateway has to pass comments on as comments (a line that begins with a colon), or drop them; until then "
    "ignore frames whose data begins with a colon"
)
_BEHIND_END = "whoever makes the stream sends every block before message_stop; a client drops what comes behind it"
_MISPLACED = (
    "who makes the stream begins a new block when the kind changes: update the gateway (LiteLLM, a proxy), or ask with "
    "`stream: false`; where thinking is what is misplaced, without thinking"
)
_STOP_EARLY = (
    "update the proxy that sends `finishReason: STOP` with empty chunks; a client reads to the end of the stream, and "
    "takes no STOP without parts for the end"
)


@diagnosis("stream-index-collision", "error", views=("anomalies",))
def stream_index_collision(answer: Answer) -> Iterator[Observation]:
    """Several calls of a stream share one index.

    What people see: parallel calls become one, with names or arguments glued together.

    What proves it: two different ids, or a second complete name, under one `tool_calls[].index`; several whole
    arguments that differ, each with name and id, under one; or several calls without any `index`.

    What to change: group the pieces by `id` when it changes; the server or the gateway must send an `index` with
    every call. Ollama and some Gemini gateways send `index: 0` for all: update them, or send
    `parallel_tool_calls: false`.

    Symptoms: `Extra data: line 1 column`, `tool call index 0 reused`.
    """
    yield from odd(answer, "index-collision", "pieces of different calls come under one index")
    for shared in odd(answer, "index-shared", "several calls come under one index and one id"):
        yield replace(shared, fix=_SPLIT)
    for hint in odd(answer, "index-twice", "one event has two pieces of one call: some clients keep the last"):
        yield replace(hint, severity="info", confidence="low", fix=_IN_ORDER)


@diagnosis("stream-name-repeated", "error", views=("anomalies", "native"))
def stream_name_repeated(answer: Answer) -> Iterator[Observation]:
    """The name of a call comes more than once.

    What people see: a tool named `searchsearchsearch`, or `null`; from a name sent in pieces, `weather` of
    `get_weather` in one client and not in another.

    What proves it: more than one piece of the same call carries a name, or the name is the text `null`, or one name
    several times over (`get_weatherget_weather`), as a client put it together. Pieces
    of one name are a warning: openai-python joins them, openai-node (4.104, 5.23) keeps the last alone.

    What to change: the server sends the whole name once, in the first piece; update LiteLLM or the gateway.
    A client of your own sets the name once and does not append.

    Symptoms: `Tool searchsearch not found`, `Unknown function: null`.
    """
    yield from odd(answer, "name-repeated", "the name of a call is sent again and again, or is null")
    for each in odd(answer, "name-in-pieces", "the name of a call comes in pieces: some clients keep only the last"):
        yield replace(each, severity="warning")
    for call in answer.native:
        name = call.name or ""
        if name == "null":
            yield Observation(
                message="the name of a call is the text null", evidence="name: 'null'", pointer=call.pointer
            )
        elif name and name in (name + name)[1:-1] and name not in answer.known:
            one = name[: (name + name).index(name, 1)]
            if one in answer.known or ("_" in one[1:-1] and not one.endswith("_")):
                yield Observation(
                    message=f"the name of a call is {one} again and again: pieces of a stream were put together so",
                    evidence=f"name: '{name}'",
                    pointer=call.pointer,
                    tool=one,
                )


_HELD = (
    "the adapter sends an empty text with the name, not {}: upgrade it (older LiteLLM made it of the empty input with "
    "which a block of Anthropic's begins); a client drops a first {} when more arguments come"
)


@diagnosis("stream-arguments-repeated", "error", views=("anomalies",))
def stream_arguments_repeated(answer: Answer) -> Iterator[Observation]:
    """The arguments come as growing copies of themselves, or twice.

    What people see: arguments twice, or many times, in one text.

    What proves it: each piece begins with all that came before it, or the joined text is one JSON value
    twice. An empty object before the real one is a warning: strict clients join the two.

    What to change: take the last piece, or replace instead of append; the provider has to send the difference only
    (DashScope: `incremental_output: true`). vLLM hermes: a newer release, or `stream: false`.

    Symptoms: `Extra data: line 1 column`, `Unexpected non-whitespace character after JSON`.
    """
    yield from odd(answer, "arguments-repeated", "pieces of the arguments repeat what came before")
    for each in odd(answer, "arguments-held", "the arguments come behind an empty object, and clients join the two"):
        yield replace(each, severity="warning", fix=_HELD)


_LONGEST = 100_000
"""Characters of arguments that are looked at."""
_MOST_OPENED, _MOST_CLOSED = 3, 8
"""Places where a value in quotes may begin, and end."""
_BEFORE = ('{"', "{")
"""What the beginning of arguments is lost with."""
_LOST_BEGINNING = (
    "the server's parser of streams lost it: `stream: false` for turns with tools, until the server is updated to a "
    "newer release (vLLM with qwen3_coder: also `--tool-call-parser qwen3_xml`); what is there is whole with {lost} "
    "in front"
)
_QUOTED = (
    "the server's parser took the list or the object for a text, and put it in quotes as it is: a newer parser that "
    "reads the types of the tool's schema (vLLM: a newer qwen3_coder, or `--tool-call-parser qwen3_xml`), or "
    "`stream: false`"
)
_OPENS = regex(r":\s{0,9}\"(?=\s{0,9}(?:\[\s{0,9}[\"{\[\]]|\{\s{0,9}[\"}]))")
"""The quote in front of a list or an object."""
_CLOSES = regex(r"(?<=[\]}])\s{0,9}\"(?=\s{0,9}[,}])")
"""The quote behind one."""
_UNFINISHED = (
    "the proxy sends response.output_item.done for each item, and all of them in the `output` of response.completed: "
    "update it; a client may take the call from its deltas; or ask with `stream: false`"
)


@diagnosis("streaming-parser-loss", "error", views=("misread", "rejected", "misfits", "anomalies"))
def streaming_parser_loss(answer: Answer) -> Iterator[Observation]:
    """The parser of streamed calls failed, and lost a part of the answer.

    What people see: calls are broken or missing in a stream; without streaming the same answer is fine.

    What proves it: an error body, a log line or an error in a stream with one of the texts below; or a streamed
    call whose name came, and whose arguments are JSON but for their beginning (not Anthropic's, who streams what
    the model writes), or are JSON once the quotes around a list or an object are taken off. A warning:
    response.completed of the Responses API has an empty output, and calls that were streamed never got their
    response.output_item.done, from which many clients build their answer. As a hint: a streamed call came without
    arguments, and its tool requires some (surer where the end of a call's markup stands in the text beside it); or
    its arguments break off though the stop reason says that a tool is called; or arguments that a server's parser made
    are no JSON, or of another type than the tool's.

    What to change: `stream: false` for turns with tools, until the server is updated to a newer release; vLLM:
    `--stream-interval 1`.
    """
    if not answer.result.stream:
        return
    parsed = answer.shape != "anthropic" or answer.server
    for call in [view for view, _ in answer.misread if view.native and view.name] if parsed else ():
        begun = not call.text.lstrip().startswith(_BEFORE)
        found = [lost for lost in _BEFORE if begun and isinstance(strict(lost + call.text).value, dict)]
        if found:
            yield Observation(
                message=f"the beginning of the arguments of {call.name} is lost",
                evidence=call.text,
                pointer=call.pointer,
                fix=_LOST_BEGINNING.format(lost=found[0]),
                tool=call.name,
            )
            return
    for view in [view for view, _ in answer.misread if view.native] if parsed else ():
        if key := _quoted_value(view.text):
            yield Observation(
                message=f"{key} stands in quotes, and its own quotes are not escaped: a list or an object was streamed "
                "as a text",
                evidence=view.text,
                pointer=view.pointer,
                fix=_QUOTED,
                tool=view.name,
            )
            return
    for unfinished in odd(answer, "item-unfinished", "a call of the stream never ends, and the last event lacks it"):
        yield replace(unfinished, severity="warning", fix=_UNFINISHED)
    cut = [call for call in answer.rejected if call.rung == "native" and call.name and call.reason == "truncated"]
    if parsed and cut and answer.stop == "tool":
        yield Observation(
            severity="info",
            confidence="low",
            message=f"the arguments of {cut[0].name} break off, and the stop reason says that the call is whole",
            evidence=cut[0].raw,
            pointer=cut[0].pointer,
            tool=cut[0].name,
        )
    if is_parsed(answer):
        yield from _broken_on_the_way(answer)
    emptied = [call for call, _ in answer.misfits if call.native and not call.arguments]
    if emptied:
        closing = next(filter(None, (lone_closing(passage.prose) for passage in answer.visible)), None)
        beside = f"{closing[0]} stands in the text" if closing else "the tool requires some"
        yield Observation(
            severity="info",
            confidence="medium" if closing else "low",
            message=f"the call of {emptied[0].name} came without its arguments, and {beside}",
            evidence=closing[0] if closing else compact(emptied[0].arguments),
            pointer=emptied[0].pointer,
            tool=emptied[0].name,
        )


def _broken_on_the_way(answer: Answer) -> Iterator[Observation]:
    """Find, as a hint, arguments that the server's parser of streams may have broken."""
    views = [view for view, _ in answer.misread if view.native and view.name]
    views += [view for view, found in answer.misfits if view.native and any(one.kind == "type" for one in found)]
    if views:
        yield Observation(
            severity="info",
            confidence="low",
            message=f"the arguments of {views[0].name} came in a stream: the server's parser may have broken them",
            evidence=views[0].text,
            pointer=views[0].pointer,
            tool=views[0].name,
        )


def _quoted_value(text: str) -> str:
    """Return the key whose value is a list or an object in quotes, where the text is JSON without them; else `""`."""
    for opens in islice(_OPENS.finditer(text), _MOST_OPENED) if len(text) <= _LONGEST else ():
        for closes in islice(_CLOSES.finditer(text, opens.end()), _MOST_CLOSED):
            middle = text[opens.end() : closes.end() - 1]
            mended = strict(text[: opens.end() - 1] + middle + text[closes.end() :]).value
            if isinstance(mended, dict):
                return next((key for key, value in mended.items() if value == strict(middle).value), "a value")
    return ""


_OF_BLOCKS = {
    "block-after-end": ("a further block begins behind the event that ends the message", _BEHIND_END),
    "delta-misplaced": ("a delta comes in a block of another kind", _MISPLACED),
}
"""Anomalies of Anthropic's blocks: what is wrong, and what helps."""


@diagnosis("sse-framing-broken", "error", views=("anomalies",))
def sse_framing_broken(answer: Answer) -> Iterator[Observation]:
    """The frames of the stream are broken.

    What people see: the client waits for ever, or sees half of the answer.

    What proves it: pieces of a block of Anthropic's come behind its `content_block_stop` (here they are read, where
    no other block has begun), a further block behind `message_stop`, or a delta of another kind than its block
    (`thinking_delta` in a text); `data:` lines of separate JSON documents are not parted by an empty line, or a `data:`
    payload is neither JSON nor `[DONE]`: a comment, say. A warning: Gemini's `finishReason` stands in an empty chunk,
    and the content comes behind it.
    Where no event at all is parted from the next, it is a hint: whoever copied the stream may have left the
    empty lines out.

    What to change: the proxy must send an empty line after each event and must not re-chunk, compress or
    buffer (nginx: `proxy_buffering off`).

    Symptoms: `Could not parse message into JSON`, `Unexpected token d in JSON`, `Error reading SSE
    stream`.
    """
    broken = [*odd(answer, "sse-framing", "the stream's events are not framed as SSE asks")]
    for late in odd(answer, "delta-after-stop", "pieces of a block come after the event that ends it"):
        yield replace(late, fix=_CLOSED_EARLY)
    for code, (message, fix) in _OF_BLOCKS.items():
        for wrong in odd(answer, code, message):
            yield replace(wrong, fix=fix)
    for early in odd(answer, "content-after-finish", "content comes behind the chunk that says how the answer ended"):
        yield replace(early, severity="warning", fix=_STOP_EARLY)
    yield from broken
    for comment in odd(answer, "sse-comment-framed", "a comment of the stream stands in a `data:` line"):
        yield replace(comment, fix=_COMMENT)
    for twice in odd(answer, "sse-framed-twice", "the stream's events are framed twice: `data:` stands two times"):
        yield replace(twice, fix=_FRAMED_TWICE)
    unparted = "no empty line between the events, which may have been lost in copying"
    for hint in () if broken else odd(answer, "sse-unparted", unparted):
        yield replace(hint, severity="info")
