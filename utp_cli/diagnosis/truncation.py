"""What was cut off: by a limit that says so, by one that does not, by thinking, by a lost connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.diagnosis import fixes
from utp_cli.diagnosis.choice import choice_of, is_unthinking
from utp_cli.diagnosis.json_text import broken_off, is_prose
from utp_cli.diagnosis.observation import Observation, diagnosis
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace
from utp_cli.wire.access import dict_of, dicts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.call_view import CallView
    from utp_cli.diagnosis.subject import Answer
    from utp_cli.protocol.calls import ParseResult

_WHERE = {
    "string": "inside a string",
    "separator": "after a separator",
    "closers": "before the last closing brackets",
    "": "before its end",
}

_LEFT_OUT = regex(r"(?:\.{3}|\u2026)[ \t\"'`]{0,9}(?:\n|\Z)")
"""How who pasted a text shows that he left something out."""
_MANY = 64
"""Tokens that are no slip of a very small limit."""
_UNCLOSED = (
    "where nothing was cut off, the model left a closing tag out, and a server's parser leaves such a call in content"
)
_LOST_END = (
    "where no limit was reached, the server's parser of streams lost the end: ask with `stream: false`, without "
    "speculative decoding, or upgrade the server"
)
_NO_END = frozenset({"langchain"})
"""Logs of streams that need not tell of their end."""


@diagnosis("truncated-call", "error", views=("call_views",))
def truncated_call(answer: Answer) -> Iterator[Observation]:
    """The answer reached its token limit in the middle of a call.

    What people see: the arguments end in the middle of a string and cannot be decoded.

    What proves it: the stop reason is a length limit, and the last call is incomplete; or it is the last of
    the answer and its arguments are an object, in which nobody sees where they break off (a warning then); or a raw
    text, of which no stop reason is known, ends in a call.

    What to change: raise `max_tokens` (Ollama `num_predict`, Gemini `maxOutputTokens`); let the model write
    big content in pieces; never run the call.

    Symptoms: `Unterminated string starting at`, `Unexpected end of JSON input`, `finish_reason length`.
    """
    if answer.stop == "length":
        for call in answer.call_views:
            where = broken_off(call.text)
            if call.reason == "truncated" or (call.text_due and where):
                message = f"the call of {call.name or 'a tool'} was cut off by the token limit"
                yield _cut(call, message, answer, where)
            elif call is answer.call_views[-1] and call.native and call.whole and not (call.text_due or call.free_text):
                message = (
                    f"the token limit was reached in the call of {call.name or 'a tool'}: arguments may be missing"
                )
                cut = _cut(call, message, answer, where)
                yield replace(cut, severity="error" if not call.arguments else "warning")
    for call, where in _broken_off(answer) if answer.raw and answer.stop != "length" else ():
        if _is_shown(call, answer):
            continue
        cut = _cut(call, f"the text ends in the middle of the call of {call.name or 'a tool'}", answer, where)
        yield replace(cut, fix=f"{cut.fix}; {_UNCLOSED}") if call.parser in DIALECTS else cut


@diagnosis("truncation-hidden", "error", views=("call_views",))
def truncation_hidden(answer: Answer) -> Iterator[Observation]:
    """The call was cut off, and the stop reason does not say so.

    What people see: the arguments end in the middle of a string, although the server says `tool_calls`.

    What proves it: the stop reason is no length limit, and the arguments break off inside a string or after
    a comma or colon; or they are incomplete and as many tokens were generated as the request allowed.

    What to change: treat it as cut off and raise `max_tokens`. vLLM reports `tool_calls` where the limit
    was hit; some routers rewrite the stop reason.

    Symptoms: `Unterminated string starting at`, `Expecting value`, `finish_reason tool_calls but
    arguments are incomplete`.
    """
    reason = answer.result.finish_reason or "unknown"
    ended_by_error = answer.result.stream and answer.result.facts.error
    for call, where in () if answer.raw or answer.stop == "length" or ended_by_error else _broken_off(answer):
        said = f"the call of {call.name or 'a tool'} breaks off, and the stop reason is {reason}"
        cut = _cut(call, said, answer, where)
        yield replace(cut, fix=f"{cut.fix}; {_LOST_END}") if answer.result.stream and answer.stop == "tool" else cut


def _broken_off(answer: Answer) -> Iterator[tuple[CallView, str]]:
    """Give the calls that break off, each with the place in its JSON where it does; `""` where that is not known."""
    for call in answer.call_views:
        if call.reason != "truncated" and (not call.text_due or call.reading.ok):
            continue
        if answer.raw and (_LEFT_OUT.search(call.text) or _LEFT_OUT.search(answer.written(call))):
            continue
        limit = fixes.limit_of(answer.request)
        full = limit is not None and (answer.completion_tokens or 0) >= limit
        breaks = "" if call.reading.ok else broken_off(call.text)
        where = breaks if call.text_due else ""
        early = where in {"string", "separator"} or bool(
            call.reason == "truncated" and not where and (call.arguments or not is_prose(call.text))
        )
        # A string that "goes on" up to a closing bracket was most likely not closed, not cut off.
        closed = call.native and call.text.rstrip().endswith(("}", "]"))
        if (early and not closed) or (where and full):
            yield call, breaks


def _is_shown(call: CallView, answer: Answer) -> bool:
    """Whether the text goes on behind a call that breaks off, or the fence around it ends."""
    text = answer.result.texts.get(call.pointer, "")
    start, end = call.span or (len(text), len(text))
    return bool(text[end:].strip()) or ("```" in text[:start] and "\n```" in text[start:end])


def _cut(call: CallView, message: str, answer: Answer, where: str) -> Observation:
    return Observation(
        message=message,
        evidence=f"breaks off {_WHERE[where]}: …{call.text[-80:]}",
        pointer=call.pointer,
        span=call.span,
        fix=fixes.token_limit(answer),
        tool=call.name,
    )


@diagnosis("reasoning-exhausted-budget", "error")
def reasoning_exhausted_budget(answer: Answer) -> Iterator[Observation]:
    """Thinking used up all the tokens.

    What people see: a long wait, then an empty answer.

    What proves it: the stop reason is a length limit, there is no text and no call, but there is thinking, or many
    tokens were written of which nothing came.

    What to change: raise `max_tokens`; lower `reasoning_effort`; `chat_template_kwargs: {"enable_thinking":
    false}`; llama.cpp `--reasoning-budget N`.

    Symptoms: `content is empty, finish_reason length`, `max_tokens reached during reasoning`.
    """
    result = answer.result
    thought = result.reasoning.strip()
    if answer.stop != "length" or result.content.strip() or answer.call_views:
        return
    if thought or answer.hidden_tokens:
        yield Observation(
            message="thinking used up the token limit before any text or call",
            evidence=f"…{thought[-80:]}" if thought else f"{answer.hidden_tokens} tokens of hidden thinking",
        )
    elif _is_lost(answer) and not is_swallowed(answer):
        yield Observation(
            message="the token limit was reached, and nothing of what was written came: most often it was thinking",
            evidence=f"{answer.completion_tokens} tokens were written, and none is here",
            confidence="medium",
        )


def _is_lost(answer: Answer) -> bool:
    """Whether an answer ended at a limit, and nothing is there of many tokens."""
    written, result = answer.completion_tokens or 0, answer.result
    empty = not (result.content or result.reasoning.strip() or answer.call_views or answer.hidden_tokens)
    return answer.stop == "length" and written >= _MANY and empty and _is_bare(answer)


def is_swallowed(answer: Answer) -> bool:
    """Whether it was a forced call that is not there: who was told not to think wrote nothing else."""
    return choice_of(answer.request).mode == "must" and is_unthinking(answer.request) and _is_lost(answer)


def _is_bare(answer: Answer) -> bool:
    """Whether the message of a body has nothing but its role: no picture, no sound, no search."""
    choices = dicts_of(dict_of(answer.result.facts.document).get("choices"))
    messages = [dict_of(choice.get("message")) for _, choice in choices]
    return bool(messages) and not any(value for said in messages for key, value in said.items() if key != "role")


def _is_copied(result: ParseResult) -> bool:
    """Whether who pasted it left the rest out, or printed deltas of an SDK without the choices that hold the end."""
    read = result.captures[result.chosen] if result.captures else None
    if read is None or read.cut:
        return read is not None
    choices = [one for _, event in dicts_of(read.document) for _, one in dicts_of(event.get("choices"))]
    return read.form == "python-repr" and bool(choices) and not any("finish_reason" in one for one in choices)


@diagnosis("stream-cut-off", "error")
def stream_cut_off(answer: Answer) -> Iterator[Observation]:
    """The stream stops without an end.

    What people see: the turn stops in the middle, and there is no error.

    What proves it: the stream has neither a stop reason nor a closing event (`[DONE]`, `message_stop`,
    `response.completed`, `done: true`); or an error ends it in the middle of a call.

    What to change: the connection or a proxy dropped it, often while large arguments were generated without
    a byte being sent: raise the proxy's idle timeout and retry; do not run the last call.

    Error texts: `peer closed connection without sending complete message body`, `Premature close`,
    `incomplete chunked read`.

    Symptoms: `ECONNRESET`.
    """
    result = answer.result
    cut = result.facts.ended is False and answer.shape not in _NO_END
    if result.facts.error:
        cut = result.stream and any(call.reason == "truncated" for call in answer.call_views)
    if cut and not (result.finish_reason or _is_copied(result)):
        last = answer.call_views[-1] if answer.call_views else None
        yield Observation(
            message="an error ended the stream in the middle of a call"
            if result.facts.error
            else "the stream ends with neither a stop reason nor a closing event",
            evidence=f"ends in the call of {last.name}: …{last.text[-80:]}" if last else f"…{result.content[-80:]}",
            pointer=last.pointer if last else "",
        )
