"""What is taken and lost all the same: fields that a receiver does not read, and what its older releases stumble over.

Sources: OpenAI's reference of chat completions and of Responses; Ollama, api/types.go; vLLM and SGLang of November 2026
(both put an empty text where a message has no content; SGLang did not before 0.5); sgl-project/sglang#7639 and
mlc-ai/xgrammar#210 on schemas that refer to themselves; Anthropic's list of its own tools.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.series import Series
from utp_cli.diagnosis.choice import schema_asked
from utp_cli.diagnosis.histories.options import UNFORCED, forced_in_thought, tools_in
from utp_cli.diagnosis.models import OPENAI_MODELS, belongs
from utp_cli.diagnosis.observation import clipped
from utp_cli.facts.releases import number_of
from utp_cli.protocol.findings import Finding, Place, Severity
from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record
from utp_cli.schemas.resolve import recursive
from utp_cli.schemas.walk import walk
from utp_cli.wire.access import dict_of, dicts_of, dig, list_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
_JSON_FORMATS: Final = frozenset({"json_schema", "json_object"})
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
_SPELT: Final = {
    "tool_choice": "tool-choice-malformed",
    "tool_choice_option": "tool-choice-malformed",  # watsonx
    "response_format": "constraint-field-ignored",
    **dict.fromkeys(
        ("guided_json", "guided_grammar", "guided_regex", "guided_choice", "structured_outputs"),
        "constraint-field-ignored",
    ),
}
"""A field → the diagnosis of what comes of it where it is misspelt."""
_REAL: Final = frozenset(_SPELT) | {"structured_output", "guided_options", "response_formats"}
"""Fields that are spelt alike, and that somebody reads."""
_ALIKE: Final = 0.88
"""How much of two names is the same."""
_MOST_KEYS: Final = 100
_LONGEST_KEY: Final = 40


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
    yield from _other_apis_format(asked)
    yield from _unread_calls(asked, to)
    yield from _tools_left_out(asked, to)
    yield from _without_content(asked, to)
    yield from _empty_beside_calls(asked, to)
    yield from _recursive_schema(asked, to)
    yield from _claudes_tools(asked, to)
    yield from _text_behind_calls(asked)
    yield from _forced_in_thought(asked, to)
    yield from _between_items(asked, to)
    yield from _nobody_asks(asked)
    yield from _null_tools(asked)
    yield from _empty_calls(asked, to)
    yield from _misspelt(asked)
    yield from _begun_in_thought(asked)


def _told(code: str, place: str, message: str, evidence: str, mend: str, *, severity: Severity = "info") -> Finding:
    return Finding(
        code=code,
        name=code,
        severity=severity,
        confidence="low" if severity == "info" else "high",
        place=Place(pointer=place),
        message=message,
        evidence=clipped(evidence),
        hint=mend,
        fix=mend,
    )


def _other_apis_format(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find a schema for the answer in the field of OpenAI's other API."""
    chat = text_of(dig(asked, "response_format", "type"))
    items = text_of(dig(asked, "text", "format", "type"))
    if "input" in asked and "messages" not in asked and chat in _JSON_FORMATS:
        key, api, mend = (
            "response_format",
            "the Responses API",
            'ask for it in `text`: {"format": {"type": "json_schema", …}}',
        )
    elif "messages" in asked and "input" not in asked and items in _JSON_FORMATS:
        key, api, mend = "text", "chat completions", 'ask for it in `response_format`: {"type": "json_schema", …}'
    else:
        return
    message = f"`{key}` is no field of {api}: OpenAI refuses it, compatible servers ignore it"
    written = json_dumps(asked[key], default=repr)
    yield _told("constraint-field-ignored", f"/{key}", message, written, mend, severity="warning")


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
            written = json_dumps(calls, default=repr)
            yield _told("call-shape-invalid", f"/messages/{at}/toolCalls", said, written, _KEPT, severity=severity)
            return


def _tools_left_out(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find a whole request that goes on behind the result of a call and offers no tools any more."""
    listed = list_of(asked.get("messages"))
    last = dict_of(listed[-1]) if listed else {}
    whole = text_of(asked.get("model")) and not any(asked.get(key) for key in _STATE)
    offered = to.offered or tools_in(asked) or asked.get("functions") or asked.get("toolConfig")
    blocks = {text_of(block.get("type")) for _, block in dicts_of(last.get("content"))}
    if not whole or offered or not (last.get("role") == "tool" or "tool_result" in blocks):
        return
    if any(_calls_in(message) for _, message in dicts_of(listed)):
        message = "calls in the history, a result at its end, and no tools: the model can call none any more"
        mend = "send the same tools on every turn (tool choice none where no call is wanted)"
        yield _told("tools-missing-with-history", "/tools", message, f"{len(listed)} messages, no tools", mend)


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
            yield _told("content-null-refused", f"/messages/{at}/content", said, keys, mend)
            return


def _empty_beside_calls(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find an empty text beside the calls of a message for Claude: who rewrites it may make an empty block of it."""
    if not belongs(to.model, _CLAUDE):
        return
    for at, message in dicts_of(asked.get("messages")):
        if list_of(message.get("tool_calls")) and message.get("content") == "":
            said = "an empty text beside the calls: some gateways make an empty block of it, which Claude refuses"
            mend = "send `content: null` beside tool_calls, or leave it out; upgrade the gateway"
            yield _told("empty-content-refused", f"/messages/{at}/content", said, 'content: ""', mend)
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
        yield _told("schema-ref-unsupported", one.pointer, said, json_dumps(one.schema, default=repr), mend)
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
            yield _told("tool-type-unsupported", f"/tools/{at}", said, json_dumps(tool, default=repr), mend)
            return


def _forced_in_thought(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find a forced call of a model that thinks by default, under the name that DeepSeek's own API has for it."""
    own = not (to.engine or to.provider) and "/" not in (to.model or "")
    if own and forced_in_thought(asked, to.model):
        said = f"a forced call, and {to.model} thinks unless it is told not to: DeepSeek's own API refuses it then"
        written = json_dumps(asked.get("tool_choice"), default=repr)
        yield _told("tool-choice-refused", "/tool_choice", said, written, UNFORCED)


def _between_items(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find a message between a call and its output among items: OpenAI takes it, who follows its API may not."""
    if not to.model or belongs(to.model, OPENAI_MODELS) or LIKE_OPENAIS.search(to.model):
        return
    called, message = "", ""
    for at, item in dicts_of(asked.get("input")):
        kind = text_of(item.get("type"))
        if kind == "function_call":
            called, message = text_of(item.get("call_id")), ""
        elif kind == "function_call_output":
            if message and item.get("call_id") == called:
                said = "a message stands between a call and its output: some that follow OpenAI's API refuse that"
                mend = "put it before the call, or behind its output: the output stands right behind its call"
                yield _told("turn-order", message, said, f"{message} between the call {called} and its output", mend)
                return
            called = ""
        elif called and item.get("role"):
            message = message or f"/input/{at}"


def _nobody_asks(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find a conversation whose messages of the user are gone: who cuts a history cuts the task off."""
    roles = [text_of(message.get("role")) for _, message in dicts_of(asked.get("messages"))]
    if {"assistant", "tool"} <= {*roles} and roles[0] in ("system", "developer") and "user" not in roles:
        said = "no message of the user's: the model does not see what it was asked, and some templates refuse it"
        mend = "keep the user's message when the history is cut: cut between turns, behind it"
        yield _told("no-user-query", "/messages", said, f"roles: {', '.join(roles[:9])}", mend)


def _null_tools(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find fields for tools that are null in a request: lenient servers take that for their absence, others refuse."""
    null = [key for key in ("tools", "tool_choice") if key in asked and asked[key] is None]
    if len(null) > 1 and asked.get("model"):
        mend = "leave the fields out where there are no tools, or omit null when the request is written"
        said = f"{' and '.join(null)} are null: OpenAI takes that, strict servers refuse it"
        yield _told("tool-options-without-tools", f"/{null[0]}", said, ", ".join(f"{key}: null" for key in null), mend)


def _empty_calls(asked: Mapping[str, Any], to: Receiver) -> Iterator[Finding]:
    """Find an empty list of calls for gpt-oss, whose template looks whether the key is there."""
    for at, message in dicts_of(asked.get("messages")) if _GPT_OSS in (to.model or "").casefold() else ():
        if message.get("tool_calls") == [] and message.get("role") == "assistant":
            said = "an empty `tool_calls`: the template of gpt-oss takes the message for one with calls"
            mend = "leave tool_calls out of messages without a call (`exclude_none` keeps an empty list)"
            yield _told("tool-calls-empty-array", f"/messages/{at}/tool_calls", said, "tool_calls: []", mend)
            return


def _misspelt(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find a field for tools or the form of the answer that is nearly spelt as one is: servers pass over it."""
    whole = "messages" in asked
    names = (key for key in islice(asked, _MOST_KEYS) if isinstance(key, str) and len(key) <= _LONGEST_KEY)
    for key in names if whole else ():
        known = get_close_matches(key, _SPELT, 1, _ALIKE) if key not in _REAL else []
        if known and abs(len(known[0]) - len(key)) <= 1:
            said = (
                f"`{key}` is no field that is known: did you mean `{known[0]}`? Servers pass over what they do not know"
            )
            yield _told(_SPELT[known[0]], f"/{key}", said, f"{key}: …", f"write `{known[0]}`")
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
        yield _told("ends-with-assistant", place, said, json_dumps(last, default=repr), mend)


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
                yield _told("turn-order", f"/messages/{at}/content/{number}", said, text_of(block["text"]), mend)
                return


def _is_answered(message: dict[str, Any]) -> bool:
    return any(
        block.get("type") == "tool_result" or "toolResult" in block for _, block in dicts_of(message.get("content"))
    )
