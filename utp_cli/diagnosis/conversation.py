"""Ids and order of the conversation: every call answered once, right after it, under its own id."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from utp_cli.diagnosis.conversation_turns import messages_between, unasked_results
from utp_cli.diagnosis.models import KIMI_K2, MISTRAL, OPENAI_MODELS, belongs
from utp_cli.diagnosis.observation import Observation, diagnosis
from utp_cli.diagnosis.streaming import odd
from utp_cli.diagnosis.subject import ConversationHistory
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.subject import Answer


@diagnosis("call-id-missing", "warning", kinds=("answer", "session"), views=("anomalies",))
def call_id_missing(subject: Answer | ConversationHistory) -> Iterator[Observation]:
    """A call has no id.

    What people see: the call is dropped, or its result cannot be matched.

    What proves it: on the OpenAI wire the `id` of a call is null, empty or absent; in a stream in every
    piece of it. Ollama's own wire and Gemini do without.

    What to change: generate one of your own (`call_<index>`, or a uuid) and use it in the call and in its result
    (`tool_call_id`, `tool_use_id`); update LiteLLM or the Ollama gateway.

    Error texts: `Invalid 'tool_call_id': empty string`, `tool_call_id is required`,
    `tool_calls[0].id: field required`.
    """
    yield from odd(subject, "call-id-missing", "a call has no id")


@diagnosis("call-id-duplicate", "error", kinds=("answer", "session"), views=("turns",))
def call_id_duplicate(subject: Answer | ConversationHistory) -> Iterator[Observation]:
    """Two calls have the same id.

    What people see: HTTP 400, or the wrong result attached to a call.

    What proves it: one id on two calls of a response, or of a whole session.

    What to change: a unique id for each call: never derived from the tool's name alone; rename on re-use.

    Error texts: `tool_use ids must be unique`, `Duplicate value for 'tool_call_id' of 'call_1' in
    message[2]`, `duplicate tool call ids`.
    """
    first: dict[object, str] = {}
    for turn in subject.turns:
        for call in turn.calls:
            if call.id is not None and call.native and first.setdefault(call.id, call.pointer) != call.pointer:
                yield Observation(
                    message=f"two calls have the id {call.id}",
                    evidence=f"{call.id} at {first[call.id]} and at {call.pointer}",
                    pointer=call.pointer,
                    tool=call.name,
                )
                return


@diagnosis("missing-tool-result", "error", star=True, kinds=("session",))
def missing_tool_result(session: ConversationHistory) -> Iterator[Observation]:
    """A call was never answered.

    What people see: HTTP 400 as soon as the conversation goes on.

    What proves it: a call is followed by a message of the user or the assistant before a result answers it.
    A call at the very end is pending, and no fault. Or an error body that says so.

    What to change: answer every call, right after it (`tool_result`, role `tool`, `functionResponse`, the same number
    of results as of calls), also when it was refused, cancelled or failed (`is_error: true`); compaction must keep
    pairs; else a new session.

    Error texts: ``tool_use ids were found without `tool_result` blocks immediately after``, `No tool output
    found for function call`, `An assistant message with 'tool_calls' must be followed by tool messages`.
    """
    pending: dict[object, str] = {}
    for turn in session.turns:
        for result in turn.results:
            pending.pop(result.call_id, None)
        if any(result.named for result in turn.results):
            pending.clear()  # results by name answer in order: what they leave open cannot be told
        if turn.role in {"user", "assistant"} and pending and (turn.role == "assistant" or turn.speaks or turn.results):
            yield Observation(
                message="a call was not answered before the conversation went on",
                evidence=", ".join(map(str, pending)) + f" without a result before {turn.pointer}",
                pointer=next(iter(pending.values())),
            )
            pending.clear()
        pending.update({call.id: call.pointer for call in turn.calls if call.id is not None})


@diagnosis("orphan-tool-result", "error", star=True, kinds=("session",))
def orphan_tool_result(session: ConversationHistory) -> Iterator[Observation]:
    """A result answers no call.

    What people see: HTTP 400, most often after the history was shortened.

    What proves it: a tool message whose id is not among the calls of the assistant message it follows; or
    an error body that says so. One that tells the tool's name and no id, where nothing before it calls a tool, is a
    warning: Ollama takes it, and the model never sees what it called.

    What to change: keep the assistant message with the call before its result; cut the history only between turns,
    drop call and result together; copy the id (`tool_call_id`, `tool_use_id`, `toolUseId`) as it is.

    Error texts: `messages with role 'tool' must be a response to a preceeding message with 'tool_calls'`,
    ``unexpected `tool_use_id` found in `tool_result` blocks``, `No tool call found for function call
    output`.
    """
    asked: list[object] = []
    for turn in session.turns if len(session.turns) > 1 else ():  # one alone was cut out of its history
        for result in turn.results:
            if not result.named and result.call_id not in asked:
                yield Observation(
                    message="a tool result answers no call of the assistant message before it",
                    evidence=f"id {result.call_id}; asked for: {', '.join(map(str, asked[:9])) or 'none'}",
                    pointer=result.pointer,
                )
        if turn.role == "assistant":
            asked = [call.id for call in turn.calls]
    for result in unasked_results(session.turns):
        yield Observation(
            severity="warning",
            message="a tool result stands where no call came before it: the model does not see what it called",
            evidence=f"a result of {result.said.get('tool_name') or result.said.get('name')}, and no call before it",
            pointer=result.pointer,
            fix="send the assistant message with its tool_calls (and its thinking) again, in front of the result",
        )
        return


@diagnosis("mistral-id-format", "error", star=True, kinds=("session",))
def mistral_id_format(session: ConversationHistory) -> Iterator[Observation]:
    """A call's id is not of the form that Mistral takes.

    What people see: HTTP 400 on the second turn, most often after switching models or providers in
    mid-conversation.

    What proves it: a model of the Mistral family, and an id in the session that is not nine letters or
    digits; or the error body.

    What to change: map ids to nine letters or digits, the same for call and result.

    Error texts: `Tool call id was … but must be a-z, A-Z, 0-9, with a length of 9`.

    Symptoms: `invalid_request_message_order`.
    """
    if not belongs(session.model, MISTRAL):
        return
    from utp_cli.facts.providers import ANY_ID, PROVIDERS  # noqa: PLC0415 - only for its models

    ids = PROVIDERS["mistral"].call_ids or ANY_ID
    for call in session.call_views:
        if call.id is not None and not ids.accepts(str(call.id)):
            yield Observation(
                message=f"Mistral refuses the call id {call.id}",
                evidence=f"id {call.id}: not nine letters or digits",
                pointer=call.pointer,
            )
            return


_BENT = regex(r"(?:functions|call|toolu|fc|chatcmpl)\b.*\d.*|(?:functions|call)[\w.]*\d\w*|functions|\d+")
"""What is left of an id, without the name of a known tool, where a client or a server bent it: a name alone is none.
With `functions.` in front it is one whose number is lost."""


@diagnosis("kimi-id-format", "error", kinds=("answer", "session"), views=("call_views",))
def kimi_id_format(subject: Answer | ConversationHistory) -> Iterator[Observation]:
    """A call's id is not of the form that Kimi K2 was trained on.

    What people see: one or two calls work, then the model prints raw markers, or the call is gone.

    What proves it: a Kimi K2 model, and an id in the session that is not `functions.<name>:<n>`; or such an id in
    the call that the model wrote, as `call00003` or `functions_get_weather_1`. The id is the only place of the name:
    a parser drops a call without it, and Kimi goes on with the ids that it sees in the history.

    What to change: keep `functions.<name>:<n>` with one running number for the conversation, in the call and in its
    result; `--tool-call-parser kimi_k2` of vLLM and SGLang makes such ids.

    Symptoms: `<|tool_call_begin|> in content`, `<|tool_calls_section_begin|> in response`.
    """
    for_kimi = isinstance(subject, ConversationHistory) and belongs(subject.model, KIMI_K2)
    for call in subject.call_views:
        rest = str(call.id).replace(call.known_name, "", 1) if call.known_name in subject.known else str(call.id)
        written = call.parser == "kimi_k2" and _BENT.fullmatch(rest.strip("._:"))
        if call.id is None or call.reason == "truncated" or not (for_kimi or written):
            continue
        if not re.fullmatch(rf"(?:functions\.)?{re.escape(call.name or '')}:\d+", str(call.id)):
            named = call.known_name in subject.known or call.known_name not in ("", call.id)
            name = call.known_name if named else "<name>"
            rewritten = f"name the ids of the history functions.{name}:<n> again: Kimi goes on with those that it sees"
            yield Observation(
                severity="warning" if rest.strip("._:") == "functions" else "error",  # some parsers take it
                message=f"Kimi K2 wants ids of the form functions.{name}:0, not {call.id}",
                evidence=f"id {call.id}",
                pointer=call.pointer,
                span=call.span,
                fix=f"rename it to functions.{name}:<n>, n counting all calls from 0" if call.native else rewritten,
            )
            return


@diagnosis("history-arguments-invalid", "error", kinds=("session",))
def history_arguments_invalid(session: ConversationHistory) -> Iterator[Observation]:
    """A call in the history has arguments that are no JSON, or no object.

    What people see: one bad call, and every later request fails with 400.

    What proves it: an assistant call in the session whose arguments are text and no JSON, or JSON and no object;
    or an error body that says so. An empty text is a warning: some servers read it as `{}`, others refuse it.

    What to change: repair them, or replace them by `{}`, before the history is sent again.

    Error texts: `Failed to parse tool call arguments as JSON`, `The "function.arguments" parameter of
    the code model must be in JSON format`.

    Symptoms: `invalid character in string literal`, `Unterminated string starting at`.
    """
    for call in session.call_views:
        if call.free_text:
            continue
        if call.text.strip() and not call.reading.ok:
            yield Observation(
                message=f"the arguments of a past call of {call.name} are no JSON: {call.reading.error}",
                evidence=call.text,
                pointer=call.pointer,
            )
        elif call.text.strip() and call.read is not None and not isinstance(call.reading.value, dict):
            yield Observation(
                message=f"the arguments of a past call of {call.name} are JSON, and no object",
                evidence=f"arguments: {call.text}",
                pointer=call.pointer,
                fix='send arguments that decode to an object: {"name": value}',
            )
        elif call.read is not None and not call.text.strip():
            yield Observation(
                severity="warning",
                message=f"the arguments of a past call of {call.name} are an empty text, which vLLM and others refuse",
                evidence=f"arguments: {call.text!r}",
                pointer=call.pointer,
                fix='"{}" in its place',
            )


@diagnosis("turn-order", "error", kinds=("session",))
def turn_order(session: ConversationHistory) -> Iterator[Observation]:
    """A turn stands where the provider does not take one.

    What people see: HTTP 400 after the history was cut, or after a message was put in between.

    What proves it: on Mistral a user message directly after a tool result; on OpenAI a system message between a call
    and its result, which is a hint where nobody says who gets the conversation; on any provider an error text that
    says so.

    What to change: cut only before a user turn; join turns of one role; results directly after their call; on
    Mistral put an assistant message between a tool result and the next user message.
    """
    yield from _between(session)
    if session.provider != "mistral" and not belongs(session.model, MISTRAL):
        return
    for before, turn in pairwise(session.turns):
        if before.role == "tool" and turn.role == "user":
            yield Observation(
                message="a user message stands directly after a tool result, which Mistral refuses",
                evidence=f"role user after role tool at {turn.pointer}",
                pointer=turn.pointer,
            )


_TAKES_BETWEEN = frozenset({"anthropic", "bedrock", "gemini", "vertex", "ollama", "openai-responses"})
"""Their results stand elsewhere, or nobody looks where."""
_REFUSES_BETWEEN = frozenset({"openai", "azure"})


def _between(session: ConversationHistory) -> Iterator[Observation]:
    """Find messages that are neither the user's nor the model's between a call and its result."""
    known = session.provider or ("openai" if belongs(session.model, OPENAI_MODELS) else "")
    between = next(messages_between(session.turns), None) if known not in _TAKES_BETWEEN else None
    if between is not None:
        call, turn = between
        sure = known in _REFUSES_BETWEEN
        yield Observation(
            severity=None if sure else "info",
            confidence="high" if sure else "low",
            message=f"a {turn.role} message stands between a call and its result: "
            + ("OpenAI refuses that" if sure else "OpenAI, and who follows it, refuse that"),
            evidence=f"{turn.pointer} between the call {call} and its result",
            pointer=turn.pointer,
            fix="put it before the assistant message with the call, or behind the results: they follow it at once",
        )


@diagnosis("empty-content-refused", "error", kinds=("session",))
def empty_content_refused(session: ConversationHistory) -> Iterator[Observation]:
    """A message, a block or a tool result is empty.

    What people see: HTTP 400 after a tool gave nothing back, or after an answer with a call and no text.

    What proves it: on Bedrock a tool result without content, or with blank text; on any provider an error text
    that says so.

    What to change: drop the empty block, and the message where nothing is left; write `(no output)` as the
    result of a tool that gave nothing. A lone space is refused too.
    """
    if session.provider != "bedrock":
        return
    for turn in session.turns:
        for result in turn.results:
            content = result.said.get("content")
            if content in ([], None) or (isinstance(content, str) and not content.strip()):
                yield Observation(
                    message="a tool result is empty, which Bedrock refuses",
                    evidence=f"content: {content!r} at {result.pointer}",
                    pointer=result.pointer,
                )
