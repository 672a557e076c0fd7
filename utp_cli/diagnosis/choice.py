"""Tool choice: what the request asked for and what came."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from utp_cli.detection.series import Series
from utp_cli.diagnosis.json_text import strict
from utp_cli.diagnosis.models import belongs
from utp_cli.diagnosis.observation import Observation, diagnosis
from utp_cli.facts.built_in_tools import BUILT_IN
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record
from utp_cli.wire.access import dict_of, dig

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from utp_cli.diagnosis.call_view import CallView
    from utp_cli.diagnosis.subject import Answer

_DEEPSEEK = (Series(family="deepseek"),)
_CHAT = frozenset({"openai-chat", "openai-legacy"})
_BLOCKS = frozenset({"anthropic", "bedrock"})
"""Wires on which `end_turn` says that there is no call. Gemini's STOP and Ollama's stop say nothing of calls."""
_MODES: dict[str, Literal["auto", "none", "must"]] = {
    "auto": "auto",
    "validated": "auto",
    "none": "none",
    **dict.fromkeys(("required", "any", "tool", "function", "custom"), "must"),
}


class RequestChoice(Record):
    """What a request says about calling tools."""

    mode: Literal["auto", "none", "must"] = "auto"
    names: tuple[str, ...] = ()
    """`must`: one of these tools; any tool where there are none."""
    written: Any = None


_AUTO = RequestChoice()
_OFF = (
    ("chat_template_kwargs", "enable_thinking", False),
    ("chat_template_kwargs", "thinking", False),
    ("thinking", "type", "disabled"),
    ("reasoning", "enabled", False),
    ("reasoning", "effort", "none"),
)
"""A field in a field, and what it says where the model is not to think."""


def is_unthinking(request: Mapping[str, Any]) -> bool:
    """Whether a request says that the model is not to think."""
    alone = (request.get("enable_thinking"), request.get("think"), request.get("reasoning_effort") != "none")
    return False in alone or any(dict_of(request.get(outer)).get(inner) == said for outer, inner, said in _OFF)


def choice_of(request: Mapping[str, Any]) -> RequestChoice:
    """Read the tool choice of any provider's request."""
    found = request.get("tool_choice", request.get("function_call"))
    if not found:
        config = dict_of(request.get("toolConfig") or request.get("tool_config"))
        found = config.get("functionCallingConfig") or config.get("toolChoice")
    if isinstance(found, str):
        return RequestChoice(mode=_MODES.get(found.casefold(), "auto"), written=found)
    if not isinstance(found, dict):
        return _AUTO
    kind = found.get("mode", found.get("type"))
    inner = next(
        (v for k in ("function", "tool", "allowed_tools", "custom") if isinstance(v := found.get(k), dict)),
        {},
    )
    allowed = found.get("allowedFunctionNames")
    names = [found.get("name"), inner.get("name"), *(allowed if isinstance(allowed, list) else ())]
    known = tuple(name for name in names if isinstance(name, str))
    must = bool(known) or "any" in found
    mode = _MODES.get(str(inner.get("mode") or kind or "").casefold(), "must" if must else "auto")
    return RequestChoice(mode=mode, names=known, written=found)


@diagnosis("tool-choice-ignored", "error", views=("request",))
def tool_choice_ignored(answer: Answer) -> Iterator[Observation]:
    """A call was asked for, and none came.

    What people see: `required` was sent, and a plain answer came.

    What proves it: the request's tool choice is required or any, or names a tool, and there is no call, or
    only calls of other tools; the answer came to a normal end. A hint: it spoke up to its limit of tokens.

    What to change: Ollama, LM Studio and some parsers of vLLM accept the field and drop it: force the call
    with structured output or a grammar, or retry; for a named tool send that tool alone. A proxy between two APIs has
    to hand `tool_choice` on (Gemini's is `functionCallingConfig` with the mode ANY): upgrade it, or ask natively.

    Error texts: `tool_choice required but no tool call in response`.
    """
    choice = choice_of(answer.request)
    spoke = answer.stop == "length" and bool(answer.result.content.strip())  # where a call was due at once
    ended = answer.ended or spoke
    if choice.mode != "must" or not ended or answer.thought or any(call.reason for call in answer.call_views):
        return  # what was cut off, refused or swallowed on the way says nothing about the choice
    if answer.raw and answer.result.content.lstrip()[:1] in ("{", "["):
        return  # a server that forces a call lets the model write its arguments alone
    called = [call.known_name for call in answer.call_views]
    if not called or (choice.names and not set(choice.names) & set(called)):
        yield Observation(
            severity="info" if spoke else None,
            confidence="low" if spoke else "high",
            message="a call was asked for, and " + (f"{', '.join(called)} was called" if called else "there is none"),
            evidence=f"tool_choice: {choice.written}; calls: {', '.join(called) or 'none'}",
        )


_TRACES = frozenset({"otel", "langfuse"})
_TOOLS_ELSEWHERE = (
    *("previous_response_id", "conversation", "cachedContent", "cached_content", "prompt", "assistant_id", "agent"),
    *("mcp_servers", "plugins", "web_search_options", "search_parameters", "connectors", "toolConfig", "container"),
    *("tool_ids", "integrations"),  # Open WebUI, LM Studio
)
"""Fields of requests with which a server knows tools that the request does not list."""


def sends_no_tools(answer: Answer) -> bool:
    """Whether the request is there as a whole, and has no tools; saved conversations and traces may leave them out."""
    request = answer.request
    whole = "model" in request and "messages" in request and answer.shape not in _TRACES
    inner = (dict_of(request.get(key)) for key in ("extra_body", "chat_template_kwargs"))  # as SDKs and templates take
    if any(request.get(key) for key in _TOOLS_ELSEWHERE) or any(one.get("tools") for one in inner):
        return False
    return whole and not (answer.tools or request.get("tools") or request.get("functions"))


def undeclared(answer: Answer) -> list[CallView]:
    """Return structured calls in the answer to a request that declares no tools, and whose server knows none."""
    if not sends_no_tools(answer) or "tools" in answer.request or answer.asked_in_text:
        return []
    made = (call for call in answer.native if call.name and not call.server and call.name not in BUILT_IN)
    return [call for call in made if not call.pointer.startswith("/messages/")]


@diagnosis("tool-choice-none-ignored", "warning", views=("request",))
def tool_choice_none_ignored(answer: Answer) -> Iterator[Observation]:
    """A call came although calls were forbidden.

    What people see: a call on a turn that asked for none.

    What proves it: the request's tool choice is none, or it sent no tools, and there is a structured call
    or the markup of one in the text.

    What to change: send no `tools` at all on that turn; do not run the call.

    Symptoms: `tool call returned with tool_choice none`.
    """
    choice, request = choice_of(answer.request), answer.request
    sent = request.get("tools") or request.get("functions")
    none_sent = not sent and ("tools" in request or sends_no_tools(answer))
    if choice.mode != "none" and not none_sent:
        return
    strange = {call.pointer for call in undeclared(answer)} if choice.mode != "none" else set()  # have their own code
    seen = [call for call in answer.call_views if call.native or call.parser not in {"", "json-content"}]
    seen = [call for call in seen if call.pointer not in strange]
    calls = [call for call in seen if not call.pointer.startswith("/messages/")]  # those of its history came before
    if calls:
        yield Observation(
            message=f"{calls[0].name} is called although calls were forbidden",
            evidence=f"tool_choice: {choice.written}" if choice.mode == "none" else "tools: none sent",
            pointer=calls[0].pointer,
            span=calls[0].span,
            tool=calls[0].name,
        )


@diagnosis("parallel-off-ignored", "warning", views=("request",))
def parallel_off_ignored(answer: Answer) -> Iterator[Observation]:
    """Several calls came although one was asked for.

    What people see: several calls in one turn.

    What proves it: the request switched parallel calls off, and one turn has two or more.

    What to change: run the first only, answer the others with an error result. vLLM, SGLang and Ollama do
    not enforce the setting.

    Symptoms: `multiple tool calls with parallel_tool_calls false`.
    """
    chosen = answer.request.get("tool_choice")
    off = isinstance(chosen, dict) and chosen.get("disable_parallel_tool_use") is True
    misspelt = answer.request.get(_MISSPELT) is False
    if answer.request.get("parallel_tool_calls") is not False and not off and not misspelt:
        return
    for turn in answer.turns:
        if len(turn.calls) > 1:
            yield Observation(
                message=f"{len(turn.calls)} calls came although parallel calls are off",
                evidence=", ".join(str(call.name) for call in turn.calls),
                pointer=turn.calls[1].pointer,
                span=turn.calls[1].span,
                fix=f"the field is `parallel_tool_calls`; `{_MISSPELT}` is none" if misspelt else "",
            )


_MISSPELT = "parallel_function_calls"


def _of_one(call: CallView) -> bool:
    """Whether a call stands in an answer of blocks, and not among the messages of a conversation."""
    return call.parser in _BLOCKS and call.pointer.startswith(("/content/", "/output/"))


_OTHER_WORDS = regex(r"(?:tool|function)[_ -]?(?:calls?|uses?)", re.IGNORECASE)
"""Words for a call, of other APIs and of none."""
_ITS_WORDS = frozenset({"tool_calls", "function_call"})
"""Those of chat completions (the types of openai 2.54); some who print them do so in upper case."""
_RIGHT_WORD = (
    "update the server or gateway: `finish_reason` is `tool_calls` here; until then decide by the calls, and read the "
    "answer with a client that does not check the word"
)


@diagnosis("finish-stop-with-calls", "warning", views=("native",))
def finish_stop_with_calls(answer: Answer) -> Iterator[Observation]:
    """The stop reason is `stop` or `end_turn`, and there is a call.

    What people see: the agent ends the turn and ignores the call.

    What proves it: a structured call on the OpenAI chat wire with the stop reason `stop`, or on Anthropic's or
    Bedrock's with `end_turn`. Where a tool was forced OpenAI's API itself does that; of a server
    that is known it is a hint then. Or the stop reason on the chat
    wire is a word for a call that this API does not have (`tool_call`, `tool_use`): strict clients refuse the answer.

    What to change: decide by the calls (`tool_calls`, `tool_use` blocks), not by the stop reason; update the server or
    the proxy (OpenVINO, mlx and SGLang had it; gateways that translate a chat answer for Anthropic's clients).

    Symptoms: `finish_reason is stop but tool_calls is not empty`, `stop_reason end_turn with a tool_use block`.
    """
    ended = answer.result.finish_reason == "end_turn"
    made = [call for call in answer.native if call.whole and (call.parser in _CHAT or (ended and _of_one(call)))]
    forced = choice_of(answer.request).mode == "must"
    own = answer.server.get("engine") not in (None, "openai", "azure")
    if made and answer.stop == "stop" and (own or not forced):
        yield Observation(
            severity="info" if forced else None,
            confidence="low" if forced else "high",
            message=f"{made[0].name} is called, and the stop reason is {answer.result.finish_reason}",
            evidence=f"finish_reason: {answer.result.finish_reason}, {len(made)} calls",
            pointer=made[0].pointer,
            tool=made[0].name,
        )
    reason = answer.result.finish_reason or ""
    chat = [call for call in made if call.parser in _CHAT]
    if chat and _OTHER_WORDS.fullmatch(reason) and reason.lower() not in _ITS_WORDS:
        yield Observation(
            message=f"{chat[0].name} is called, and the stop reason is {reason}, which chat completions do not have",
            evidence=f"finish_reason: {reason}, {len(chat)} calls",
            pointer=chat[0].pointer,
            fix=_RIGHT_WORD,
            tool=chat[0].name,
        )


_SCHEMAS = (
    ("response_format", "json_schema", "schema"),
    ("response_format", "schema"),
    ("text", "format", "schema"),
    ("generationConfig", "responseSchema"),
    ("generationConfig", "responseJsonSchema"),
    ("generation_config", "response_schema"),
    ("output_format", "schema"),
    ("output_config", "format", "schema"),
    ("structured_outputs", "json"),
    ("json_schema",),
    ("guided_json",),
    ("format",),
)
"""Where requests hold a schema for the answer: OpenAI, Cohere, Gemini, Anthropic, vLLM, llama.cpp, Ollama."""


def schema_asked(request: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Return the schema that a request wants the answer to fit, with its place; None where it wants none."""
    for path in _SCHEMAS:
        held = dig(request, *path)
        if isinstance(held, dict) and held:
            return "/" + "/".join(path), held
    return None


_REFUSES = regex(
    r"(?i:\W{0,3}(?:I(?:'|\u2019)m (?:sorry|unable|not able)|I am (?:sorry|unable|not able)|sorry\b|unfortunately\b"
    r"|I (?:can(?:no|'|\u2019)t|can not|won(?:'|\u2019)t|will not)\b|as an AI\b))"
)
"""How a model begins that does not do what it was asked."""
_MAY_REFUSE = regex(
    r"(?i:\b(?:guidelines|polic(?:y|ies)|can(?:no|'|\u2019)t|unable|sorry|regret|apologi[sz]e|against|not allowed"
    r"|leider|kann (?:ich )?nicht|lo siento|no puedo|d\u00e9sol\u00e9|je ne peux|n\u00e3o posso|purtroppo)\b)"
    r"|\u62b1\u6b49|\u65e0\u6cd5|\u5bf9\u4e0d\u8d77|\u4e0d\u80fd|\u3067\u304d\u307e\u305b\u3093"
    r"|\u7533\u3057\u8a33|\u043d\u0435 \u043c\u043e\u0433\u0443|\uc8c4\uc1a1"
)
"""Words of a refusal, in a few languages."""
_SIGNS = frozenset("{[")
_NO_SCHEMAS = (
    "DeepSeek's own API has no json_schema: response_format json_object with the schema in the prompt, or a tool"
)
_NO_GRAMMAR = "take the GGUF build of the model: Ollama's MLX runner kept to no format; or upgrade Ollama"


@diagnosis("constraint-field-ignored", "warning", views=("request",))
def constraint_field_ignored(answer: Answer) -> Iterator[Observation]:
    """The request asks for structured output, and the server ignores the field.

    What people see: HTTP 200 and an answer that keeps to no schema.

    What proves it: the request has a schema for an object, and an answer that came to its end has no JSON in it, only
    words, and no call; or the schema stands in a field of OpenAI's other API (`response_format` beside `input`, `text`
    beside `messages`), or in `guided_json` and the like, which vLLM ignores; or an error text that says so.

    What to change: send the schema in the field of this API: `response_format` (chat completions), `text.format`
    (Responses), `structured_outputs` instead of `guided_json`, `format` (Ollama). Where the server takes it and does
    not keep to it: the schema in the prompt as well, and a check of the answer; or force a call of one tool that has
    the schema; or a server with a backend for structured output.
    """
    asked = schema_asked(answer.request)
    if asked is None or answer.shape == "text" or answer.stop != "stop" or answer.asked_in_text:
        return
    place, schema = asked
    spoken = [one for one in answer.visible if one.text.strip()]
    quiet = answer.call_views or answer.thought or answer.shown or answer.rejected or answer.speaks_otherwise
    if quiet or not spoken or not (schema.get("type") == "object" or "properties" in schema):
        return
    text = spoken[-1].text
    elsewhere = any("refusal" in one.pointer or not _SIGNS.isdisjoint(one.text) for one in answer.passages)
    if elsewhere or _REFUSES.match(text) or strict(text).ok:
        return
    doubt = text.rstrip().endswith(("?", "\uff1f")) or _MAY_REFUSE.search(text)  # it refuses, or asks back
    yield Observation(
        severity="info" if doubt else None,
        confidence="low" if doubt else "high",
        message=f"the request has a schema for the answer ({place[1:]}), and the answer is no JSON at all",
        evidence=text,
        pointer=spoken[-1].pointer,
        fix=_of_schema(answer),
    )


def _of_schema(answer: Answer) -> str:
    """Return what helps for servers that are known to keep to no schema; `""` for any other."""
    model = answer.model or ""
    if answer.shape.startswith("ollama") and "mlx" in model.casefold():
        return _NO_GRAMMAR
    hosted = answer.provider in (None, "deepseek") and "/" not in model and not answer.server
    return _NO_SCHEMAS if hosted and belongs(model, _DEEPSEEK) and answer.shape == "openai-chat" else ""
