"""What is taken and lost all the same: fields that a receiver does not read, and what its older releases stumble over.

Sources: OpenAI's reference of chat completions and of Responses; Ollama, api/types.go; vLLM and SGLang of November 2026
(both put an empty text where a message has no content; SGLang did not before 0.5); sgl-project/sglang#7639 and
mlc-ai/xgrammar#210 on schemas that refer to themselves; Anthropic's list of its own tools.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.series import Series
from utp_cli.diagnosis.choice import schema_asked
from utp_cli.diagnosis.histories.client_forms import client_forms
from utp_cli.diagnosis.histories.fields import fields, told
from utp_cli.diagnosis.histories.model_hints import model_hints
from utp_cli.diagnosis.histories.options import UNFORCED, forced_in_thought, tools_in
from utp_cli.diagnosis.models import OPENAI_MODELS, belongs
from utp_cli.facts.releases import number_of
from utp_cli.protocol.numbers import dumps
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record
from utp_cli.schemas.resolve import recursive
from utp_cli.schemas.walk import walk
from utp_cli.wire.access import dict_of, dicts_of, dig, list_of, text_of
from utp_cli.wire.history import HistoryMessage, messages_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from utp_cli.protocol.findings import Finding, Severity

_LOCAL: Final = frozenset({"ollama", "vllm", "sglang", "llama.cpp", "lmstudio", "tgi", "lmdeploy", "mlx"})
"""Servers that read messages of one form, and drop keys that they do not know."""
_COMPILES: Final = frozenset({"vllm", "sglang"})
_UNGUARDED: Final = frozenset({"sglang", "llama.cpp", "llama-cpp-python"})
"""Servers that handed a message without content to the template as it is, or refuse it."""
_GUARDED_SINCE: Final = {"sglang": "0.5"}
"""The first release of one of them that does not."""
_CLAUDE: Final = (Series(family="claude"),)
_STATE: Final = ("previous_response_id", "conversation", "cachedContent", "cached_content", "prompt")
"""Fields of requests whose tools the server may know already."""
_KEPT: Final = (
    'send it as `tool_calls`: a list of `{"function": {"name", "arguments"}}`, an object on Ollama\'s API, else a text'
)
_CLAUDES_TOOLS: Final = regex(
    r"(?:web_search|web_fetch|code_execution|computer|bash|text_editor|memory|tool_search_tool_\w{1,20})_20\d{6}\Z"
)
"""Types of Anthropic's own tools: a name and a date."""
_CHAT_FIELDS: Final = frozenset(
    {"max_completion_tokens", "response_format", "stream_options", "n", "logprobs", "top_logprobs", "logit_bias"}
    | {"frequency_penalty", "presence_penalty", "reasoning_effort", "parallel_tool_calls", "functions"}
)
"""Fields that chat completions have, and Anthropic's API has not."""
_OF_CHAT: Final = frozenset({"system", "developer", "tool"})
"""Roles among the messages that Anthropic's API does not have."""


LIKE_OPENAIS: Final = regex(r"codex|computer-use|gpt(?!-oss)|\bazure/", re.IGNORECASE)
"""Further names of OpenAI's models, and such as people give to a deployment of one."""
_GPT_OSS: Final = "gpt-oss"


class Receiver(Record):
    """Who gets a conversation, as far as that is known."""

    engine: str = ""
    version: str = ""
    provider: str = ""
    """Who was named; `""` where nobody was."""
    model: str | None = None
    offered: bool = False
    """Tools are known to be offered, in the request or beside it."""


def hints(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Yield what may be lost of a request or a conversation, whoever gets it."""
    yield from fields(asked)
    yield from _unread_calls(asked, to)
    yield from _tools_left_out(asked, to)
    yield from _without_content(asked, to)
    yield from _null_results(asked)
    yield from _empty_beside_calls(asked, to)
    yield from _servers_own_left_open(asked)
    yield from _recursive_schema(asked, to)
    yield from _claudes_tools(asked, to)
    yield from _text_behind_calls(asked)
    yield from _forced_in_thought(asked, to)
    yield from _between_items(asked, to)
    yield from _nobody_asks(asked)
    yield from _empty_calls(asked, to)
    yield from _begun_in_thought(asked)
    yield from _answers_without_id(asked, to)
    yield from client_forms(asked)
    yield from model_hints(asked, to.engine, to.model)


def _unread_calls(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find calls under a key of a client's own in what a server gets that does not know the key."""
    messages = list(dicts_of(asked.get("messages")))
    shown = any("tool_name" in message for _, message in messages)
    if to.engine not in _LOCAL and not (shown and not to.engine):
        return
    for at, message in messages:
        calls = [call for _, call in dicts_of(message.get("toolCalls")) if text_of(call.get("name"))]
        if calls and not message.get("tool_calls"):
            who = to.engine or "Ollama"
            said = f"calls under `toolCalls`, a key that {who} does not know: the model never sees them"
            severity: Severity = "error" if to.engine else "info"
            written = dumps(calls, default=repr)
            yield told("call-shape-invalid", f"/messages/{at}/toolCalls", said, written, _KEPT, severity=severity)
            return


def _tools_left_out(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find a whole request that goes on behind the result of a call and offers no tools any more.

    Claude may run on Bedrock, which refuses any history with calls and no tools.
    """
    listed = list_of(asked.get("messages"))
    last = dict_of(listed[-1]) if listed else {}
    whole = text_of(asked.get("model")) and not any(asked.get(key) for key in _STATE)
    offered = to.offered or tools_in(asked) or asked.get("functions") or asked.get("toolConfig")
    blocks = {text_of(block.get("type")) for _, block in dicts_of(last.get("content"))}
    ends = last.get("role") == "tool" or "tool_result" in blocks or belongs(to.model, _CLAUDE)
    if not whole or offered or not ends:
        return
    if any(_calls_in(message) for _, message in dicts_of(listed)):
        message = "calls in the history, and no tools: the model can call none, and Bedrock refuses such a history"
        mend = "send the same tools on every turn (tool choice none where no call is wanted)"
        yield told("tools-missing-with-history", "/tools", message, f"{len(listed)} messages, no tools", mend)


def _calls_in(message: dict[str, Any]) -> bool:
    uses = any(block.get("type") == "tool_use" for _, block in dicts_of(message.get("content")))
    return bool(list_of(message.get("tool_calls"))) or uses


def _without_content(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find calls in a message without the key `content`, which templates read."""
    release = number_of(to.version)
    since = number_of(_GUARDED_SINCE.get(to.engine))
    if to.engine not in _UNGUARDED or (since and release >= since):
        return
    for at, message in dicts_of(asked.get("messages")):
        if list_of(message.get("tool_calls")) and "content" not in message:
            said = f"a message with calls and no `content`: older releases of {to.engine} leave it to the template"
            mend = 'send `content: ""` beside tool_calls, or upgrade the server'
            keys = f"keys: {', '.join(map(str, message))}"
            yield told("content-null-refused", f"/messages/{at}/content", said, keys, mend)
            return


def _null_results(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find the result of a tool that is null: a client that did not run the call writes it so."""
    for at, message in dicts_of(asked.get("messages")):
        if message.get("role") == "tool" and "content" in message and message["content"] is None:
            said = "the result of a tool is null: OpenAI and strict servers take a text or parts"
            mend = 'send a text as its `content`: the result, "" for none, or the error where the call was not run'
            written = dumps(message, default=repr)
            yield told("content-null-refused", f"/messages/{at}/content", said, written, mend)
            return


def _servers_own_left_open(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find a call of a tool that Anthropic runs itself without its result, in a message that others follow.

    Code that was run waits for the results of the calls that it made, so it is not told.
    """
    messages = list(dicts_of(asked.get("messages")))
    blocks = [(at, number, block) for at, message in messages for number, block in dicts_of(message.get("content"))]
    answered = {text_of(block.get("tool_use_id")) for _, _, block in blocks}
    for at, number, block in blocks:
        own = block.get("type") == "server_tool_use" and "code_execution" not in text_of(block.get("name"))
        if own and at < messages[-1][0] and text_of(block.get("id")) not in answered:
            said = (
                f"no result of {text_of(block.get('name'))}, which Anthropic runs itself: it may refuse such a history"
            )
            mend = "drop the server_tool_use block without its result, or ask for the rest of the turn first"
            written = dumps(block, default=repr)
            place = f"/messages/{at}/content/{number}"
            yield told("missing-tool-result", place, said, written, mend)
            return


def _empty_beside_calls(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find an empty text beside the calls of a message for Claude: who rewrites it may make an empty block of it."""
    if not belongs(to.model, _CLAUDE):
        return
    for at, message in dicts_of(asked.get("messages")):
        if list_of(message.get("tool_calls")) and message.get("content") == "":
            said = "an empty text beside the calls: some gateways make an empty block of it, which Claude refuses"
            mend = "send `content: null` beside tool_calls, or leave it out; upgrade the gateway"
            yield told("empty-content-refused", f"/messages/{at}/content", said, 'content: ""', mend)
            return


def _recursive_schema(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find a schema for the answer that refers to itself, on a server that makes a grammar of it."""
    found = schema_asked(asked) if to.engine in _COMPILES else None
    if found is None:
        return
    place, schema = found
    for one in recursive(walk(schema, place), schema, place):
        said = "a reference that leads back to itself: older xgrammar, and outlines, do not come to an end with it"
        mend = "write the recursion out to a fixed depth, or --grammar-backend llguidance, or a newer xgrammar"
        yield told("schema-ref-unsupported", one.pointer, said, dumps(one.schema, default=repr), mend)
        return


def _claudes_tools(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find tools of Anthropic's own in a request for chat completions."""
    if to.provider == "anthropic" or not asked.get("model") or "messages" not in asked:
        return
    if "max_tokens" in asked and _CHAT_FIELDS.isdisjoint(asked) and not _speaks_chat(asked):
        return
    for at, tool in dicts_of(asked.get("tools")):
        if _CLAUDES_TOOLS.match(kind := text_of(tool.get("type"))) and "function" not in tool:
            said = f"a tool of Anthropic's own ({kind}) in a request for chat completions, where most drop or refuse it"
            mend = "send it to Anthropic's own endpoint (/v1/messages), or declare a function"
            yield told("tool-type-unsupported", f"/tools/{at}", said, dumps(tool, default=repr), mend)
            return


def _forced_in_thought(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find a forced call of a model that thinks by default, under the name that DeepSeek's own API has for it."""
    own = not (to.engine or to.provider) and "/" not in (to.model or "")
    if own and forced_in_thought(asked, to.model):
        said = f"a forced call, and {to.model} thinks unless it is told not to: DeepSeek's own API refuses it then"
        written = dumps(asked.get("tool_choice"), default=repr)
        yield told("tool-choice-refused", "/tool_choice", said, written, UNFORCED)


def _between_items(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find a message between a call and its output among items: OpenAI takes it, who follows its API may not."""
    if not to.model or belongs(to.model, OPENAI_MODELS) or LIKE_OPENAIS.search(to.model):
        return
    waiting: set[str] = set()  # calls behind which no message stands yet
    behind: dict[str, str] = {}  # the first message behind a call
    for at, item in dicts_of(asked.get("input")):
        kind, call = text_of(item.get("type")), text_of(item.get("call_id"))
        if kind == "function_call" and call:
            waiting.add(call)
            behind.pop(call, None)
        elif kind == "function_call_output":
            waiting.discard(call)
            if message := behind.pop(call, ""):
                said = "a message stands between a call and its output: some that follow OpenAI's API refuse that"
                mend = "put it before the call, or behind its output: the output follows right behind its call"
                yield told("turn-order", message, said, f"{message} between the call {call} and its output", mend)
                return
        elif item.get("role"):
            behind |= dict.fromkeys(waiting, f"/input/{at}")
            waiting = set()


def _nobody_asks(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find a conversation whose messages of the user are gone: who cuts a history cuts the task off."""
    roles = [text_of(message.get("role")) for _, message in dicts_of(asked.get("messages"))]
    if {"assistant", "tool"} <= {*roles} and roles[0] in ("system", "developer") and "user" not in roles:
        said = "no message of the user's: the model does not see what it was asked, and some templates refuse it"
        mend = "keep the user's message when the history is cut: cut between turns, behind it"
        yield told("no-user-query", "/messages", said, f"roles: {', '.join(roles[:9])}", mend)


def _empty_calls(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find an empty list of calls for gpt-oss, whose template looks whether the key is there."""
    for at, message in dicts_of(asked.get("messages")) if _GPT_OSS in (to.model or "").casefold() else ():
        if message.get("tool_calls") == [] and message.get("role") == "assistant":
            said = "an empty `tool_calls`: the template of gpt-oss takes the message for one with calls"
            mend = "leave tool_calls out of messages without a call (`exclude_none` keeps an empty list)"
            yield told("tool-calls-empty-array", f"/messages/{at}/tool_calls", said, "tool_calls: []", mend)
            return


def _begun_in_thought(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find the beginning of an answer without thinking in a request that has thinking on, in Anthropic's form."""
    messages = list_of(asked.get("messages"))
    last = dict_of(messages[-1]) if messages else {}
    if dig(asked, "thinking", "type") != "enabled" or last.get("role") != "assistant":
        return
    kinds = [text_of(block.get("type")) for _, block in dicts_of(last.get("content"))]
    if "tool_use" not in kinds and kinds[:1] not in (["thinking"], ["redacted_thinking"]):
        said = "thinking is on, and the last message begins the answer without it: Claude refuses that"
        mend = "switch thinking off for such requests, or drop the prefill (the last message of the assistant)"
        place = f"/messages/{len(messages) - 1}"
        yield told("ends-with-assistant", place, said, dumps(last, default=repr), mend)


def _speaks_chat(asked: Mapping[str, Any]) -> bool:
    roles = {text_of(message.get("role")) for _, message in dicts_of(asked.get("messages"))}
    nested = any(isinstance(tool.get("function"), dict) for _, tool in dicts_of(asked.get("tools")))
    return nested or not roles.isdisjoint(_OF_CHAT)


def _text_behind_calls(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find text behind a call in one message of blocks, whose result follows."""
    messages = list_of(asked.get("messages"))
    for at, message in dicts_of(messages[:-1]):
        if message.get("role") != "assistant":
            continue
        called = False
        for number, block in dicts_of(message.get("content")):
            called = called or block.get("type") == "tool_use" or "toolUse" in block
            if called and text_of(block.get("text")).strip() and _is_answered(dict_of(messages[at + 1])):
                said = "text behind a call in one message: models write it in front, and some take it for a beginning"
                mend = (
                    "put the text in front of the calls; blocks of a stream are joined by their index, not as they come"
                )
                yield told("turn-order", f"/messages/{at}/content/{number}", said, text_of(block["text"]), mend)
                return


def _is_answered(message: dict[str, Any]) -> bool:
    return any(
        block.get("type") == "tool_result" or "toolResult" in block for _, block in dicts_of(message.get("content"))
    )


def _answers_without_id(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find a result without an id behind calls that have ids: the name of the tool alone is the form of Ollama."""
    has_ids = False
    for at, message in dicts_of(messages_of(asked) if to.engine != "ollama" and "messages" in asked else ()):
        has_ids = has_ids or any(text_of(call.get("id")) for _, call in dicts_of(message.get("tool_calls")))
        without = message.get("role") == "tool" and not message.get("tool_call_id") and "tool_name" not in message
        if has_ids and without and message.get("name"):
            said = (
                "a result without `tool_call_id`, though its call has an id: OpenAI's API and most libraries refuse it"
            )
            mend = "send `tool_call_id` with the id of the call"
            place = message.place if isinstance(message, HistoryMessage) else f"/messages/{at}"
            yield told("call-id-missing", place, said, dumps(message, default=repr), mend)
            return
