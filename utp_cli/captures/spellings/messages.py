"""Messages of SDKs and frameworks, as JSON has their fields → the nearest format of the wire."""

from __future__ import annotations

from typing import Any, Final

from utp_cli.protocol.numbers import dumps
from utp_cli.wire.access import camel, dict_of, dicts_of, list_of, text_of


def arguments_text(value: Any) -> str:
    """Return arguments as JSON text: text as it is, a value as JSON. The printer's literals are no one's mistake."""
    return value if isinstance(value, str) else dumps({} if value is None else value)


def chat_call(name: Any, arguments: Any, call_id: Any) -> dict[str, Any]:
    """Return a call as openai-chat has it."""
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments_text(arguments)}}
    return {key: value for key, value in call.items() if value is not None}


def chat_body(message: dict[str, Any], model: Any = None, reason: Any = None) -> dict[str, Any]:
    """Return a message with what stands around it in openai-chat, as far as it is known."""
    body = {"model": model, "choices": [{"index": 0, "finish_reason": reason, "message": message}]}
    return {key: value for key, value in body.items() if value is not None}


def mark_hidden_calls(document: Any) -> None:
    """Give calls whose function was hidden one without a name: a call is there, which one is unknown."""
    for _, body in dicts_of(document if isinstance(document, list) else [document]):
        said = [dict_of(choice.get("message")) for _, choice in dicts_of(body.get("choices"))]
        for where in (body, dict_of(body.get("message")), *said):
            for _, call in dicts_of(where.get("tool_calls")):
                if call.keys().isdisjoint({"function", "custom", "args", "name"}):
                    call["function"] = {}
                if isinstance(call.get("function"), dict):
                    call["function"] = {"name": None, "arguments": "{}", **call["function"]}


_CALL_FIELDS: Final = (
    ("name", "tool_name", "tool", "function_name"),
    ("arguments", "args", "input", "tool_args", "tool_kwargs", "tool_input", "content"),
    ("id", "call_id", "tool_call_id", "tool_id"),
)
"""What frameworks call the name, the arguments and the id of a call. The first that is there counts."""


def unprinted_id(index: int) -> str:
    """Stand in for the id of a call whose printer leaves ids out: nobody lost it."""
    return f"call_{index}"


def framework_call(fields: dict[str, Any], index: int = 0) -> dict[str, Any] | None:
    """Write a framework's own object of a call as openai-chat has it; None where it lacks a name or arguments."""
    name, arguments, call_id = (next((key for key in keys if key in fields), None) for keys in _CALL_FIELDS)
    if name is None or arguments is None:
        return None
    return chat_call(fields[name], fields[arguments], fields[call_id] if call_id else unprinted_id(index))


def framework_calls(calls: list[Any]) -> Any:
    """Calls as frameworks keep them: AutoGen, LlamaIndex, Haystack, Semantic Kernel, Home Assistant, LangChain4j."""
    written = [framework_call(dict_of(call), index) for index, call in enumerate(calls)]
    return None if None in written else {"role": "assistant", "content": None, "tool_calls": written}


# -- OpenAI, Anthropic, Ollama ---------------------------------------------------------------------------------


def bare_call(function: dict[str, Any]) -> Any:
    """A function without the call around it."""
    return chat_calls([{"function": function}]) if {"name", "arguments"} <= function.keys() else None


def chat_calls(calls: list[Any]) -> Any:
    """Calls without a message: Ollama's have an object for arguments and no id, Haystack's no function."""
    if all("function" not in dict_of(call) for call in calls) and (kept := framework_calls(calls)):
        return kept
    return message({"role": "assistant", "content": None, "tool_calls": calls})


def message(fields: dict[str, Any]) -> Any:
    """A message of OpenAI, Mistral, Ollama or Anthropic: its fields tell whose."""
    if isinstance(fields.get("content"), list) and ("stop_reason" in fields or fields.get("type") == "message"):
        return fields
    calls = [call for _, call in dicts_of(fields.get("tool_calls"))]
    objects = any(isinstance(dict_of(call.get("function")).get("arguments"), dict) for call in calls)
    if "thinking" in fields or (objects and not any(call.get("id") for call in calls)):
        return {"model": "", "done": True, "message": fields}
    return fields


def chat_response(fields: dict[str, Any]) -> Any:
    """`ChatResponse` is Ollama's and LlamaIndex's, `ChatMessage` LlamaIndex's and LangChain's."""
    if "done" in fields or "choices" in fields:
        return fields
    if isinstance(dict_of(fields.get("raw")).get("choices"), list):
        return fields["raw"]
    said = dict_of(fields.get("message")) or fields
    if "role" not in said or said.keys().isdisjoint(
        ("content", "contents", "blocks", "tool_calls", "additional_kwargs")
    ):
        return None
    blocks = [block for _, block in dicts_of(said.get("blocks"))]
    text = "".join(text_of(block.get("text")) for block in blocks) or text_of(said.get("content"))
    calls = list_of(dict_of(said.get("additional_kwargs")).get("tool_calls")) or list_of(said.get("tool_calls"))
    blocks += [block for _, block in dicts_of(said.get("contents"))]
    calls = calls or [call for index, block in enumerate(blocks) if (call := framework_call(block, index))]
    return chat_body({"role": said["role"], "content": text or None, "tool_calls": calls})


# -- Gemini ----------------------------------------------------------------------------------------------------


def gemini(fields: dict[str, Any]) -> Any:
    """A response, a candidate or a content."""
    document = camel(fields)
    if "candidates" in document or "parts" in document:
        return document if "candidates" in document else {"role": "model", **document}
    return {"candidates": [document]} if "content" in document else None


def function_calls(calls: list[Any]) -> Any:
    """Objects of the name `FunctionCall`: Gemini's have `args`, all others `arguments`."""
    if all("arguments" in dict_of(call) for call in calls):
        return framework_calls(calls)
    return gemini_parts([{"function_call": call} for call in calls])


def gemini_parts(parts: list[Any]) -> Any:
    """Parts without a content."""
    return {"role": "model", "parts": camel(parts)}


# -- LangChain -------------------------------------------------------------------------------------------------


def langchain(fields: dict[str, Any]) -> Any:
    """An AIMessage: where it kept the calls as the provider wrote them, those are the evidence."""
    if generations := list_of(fields.get("generations")):
        first = generations[0][0] if isinstance(generations[0], list) and generations[0] else generations[0]
        fields = dict_of(first)
    fields = dict_of(fields.get("message")) or fields
    if "content" not in fields and "tool_calls" not in fields and "invalid_tool_calls" not in fields:
        return None
    meta = dict_of(fields.get("response_metadata"))
    raw = dict_of(fields.get("additional_kwargs"))
    kept = {key: raw[key] for key in ("tool_calls", "function_call") if raw.get(key)}
    if kept:
        said = {"role": "assistant", "content": fields.get("content") or None, **kept}
        return chat_body(said, meta.get("model_name") or meta.get("model"), meta.get("finish_reason"))
    return {"type": "ai", "tool_calls": [], "invalid_tool_calls": [], **fields}


def langchain_chunks(chunks: list[Any]) -> Any:
    """Chunks: their `args: {}` is a guess of the library's, `tool_call_chunks` is what came."""
    chunks = [dict_of(chunk.get("message")) or chunk for _, chunk in dicts_of(chunks)]
    pieces = any(chunk.get("tool_call_chunks") or chunk.get("tool_calls") for chunk in chunks)
    if len(chunks) == 1 and not pieces and dict_of(chunks[0].get("additional_kwargs")):
        return langchain(chunks[0])  # the sum of a stream whose calls LangChain did not read
    return [{"tool_calls": [], "invalid_tool_calls": [], **chunk, "type": "AIMessageChunk"} for chunk in chunks]


# -- Pydantic AI -----------------------------------------------------------------------------------------------


def model_response(fields: dict[str, Any]) -> Any:
    """`ModelResponse` is LiteLLM's, Pydantic AI's, and that of OpenAI's Agents SDK."""
    if "choices" in fields:
        return fields
    if isinstance(fields.get("output"), list):
        return {"object": "response", "output": fields["output"]}
    if "parts" not in fields:
        return None
    reason = {"tool_call": "tool_calls"}.get(text_of(fields.get("finish_reason")), fields.get("finish_reason"))
    return chat_body(pydantic_ai_parts(fields["parts"]), fields.get("model_name"), reason)


def pydantic_ai_parts(parts: list[Any]) -> dict[str, Any]:
    """Parts of an answer of Pydantic AI."""
    calls, texts, thoughts = [], [], []
    for _, part in dicts_of(parts):
        if "tool_name" in part:
            calls.append(chat_call(part["tool_name"], part.get("args"), part.get("tool_call_id")))
        elif "signature" in part or part.get("class") == "ThinkingPart":
            thoughts.append(text_of(part.get("content")))
        else:
            texts.append(text_of(part.get("content")))
    said: dict[str, Any] = {"role": "assistant", "content": "".join(texts) or None}
    if thoughts:
        said["reasoning_content"] = "".join(thoughts)
    return {**said, "tool_calls": calls} if calls else said


# -- results and conversations ---------------------------------------------------------------------------------


_CALL_IDS: Final = ("tool_call_id", "tool_use_id", "id", "call_id")


def tool_result(fields: dict[str, Any]) -> dict[str, Any]:
    """What a tool, or a framework in its place, answered: a message of the role `tool`."""
    name = fields.get("name") or fields.get("tool_name")
    call_id = next((fields[key] for key in _CALL_IDS if fields.get(key)), None)
    content = fields.get("content", fields.get("response"))
    status = "error" if fields.get("is_error") is True else fields.get("status")
    out = {"role": "tool", "tool_call_id": call_id, "name": name, "content": content, "status": status}
    return {key: value for key, value in out.items() if value is not None}


def mcp_result(fields: dict[str, Any]) -> Any:
    """The result of a call over MCP, as its JSON-RPC message."""
    return {"jsonrpc": "2.0", "result": camel(fields)}


_ROLES: Final = {"HumanMessage": "user", "SystemMessage": "system"}


def session(messages: list[Any]) -> Any:
    """Messages of LangChain or Pydantic AI as those of openai-chat; each has its class under `class`."""
    out: list[dict[str, Any]] = []
    for fields in messages:
        name = fields["class"]
        if name in _ROLES:
            out.append({"role": _ROLES[name], "content": fields.get("content")})
        elif name == "ModelRequest":
            out += map(_asked_part, list_of(fields.get("parts")))
        elif name == "ModelResponse":
            out.append(pydantic_ai_parts(list_of(fields.get("parts"))))
        elif name == "AIMessage":
            out.append(_said(fields))
        else:
            out.append(tool_result(fields))
    return {"messages": out}


def _asked_part(part: Any) -> dict[str, Any]:
    fields = dict_of(part)
    if "tool_call_id" in fields:
        return tool_result(fields)
    return {"role": "user", "content": fields.get("content")}


def _said(fields: dict[str, Any]) -> dict[str, Any]:
    """An AIMessage in a conversation."""
    raw = list_of(dict_of(fields.get("additional_kwargs")).get("tool_calls"))
    parsed = [*list_of(fields.get("tool_calls")), *list_of(fields.get("invalid_tool_calls"))]
    calls = raw or [chat_call(call.get("name"), call.get("args"), call.get("id")) for _, call in dicts_of(parsed)]
    said = {"role": "assistant", "content": fields.get("content")}
    return {**said, "tool_calls": calls} if calls else said


_AI_SDK_ENDS: Final = frozenset({"stop", "length", "content-filter", "tool-calls", "error", "other", "unknown"})


def ai_sdk_step(value: dict[str, Any]) -> dict[str, Any] | None:
    """Write a result, or a step, of the AI SDK as an answer of chat completions; None for anything else.

    What its providers return (version 6) has all parts in `content`, and the end as `{"unified", "raw"}`.
    """
    end = value.get("finishReason")
    end = end.get("unified") if isinstance(end, dict) else end
    parts = [part for _, part in dicts_of(value.get("content"))]
    called = [part for part in parts if part.get("type") == "tool-call"]
    told = "toolCalls" in value or called or ("usage" in value and ("text" in value or bool(parts)))
    if not isinstance(end, str) or end not in _AI_SDK_ENDS or not told:
        return None
    text = "".join(text_of(part.get("text")) or "" for part in parts if part.get("type") == "text")
    calls = [
        {
            "id": call.get("toolCallId"),
            "type": "function",
            "function": {
                "name": call.get("toolName"),
                "arguments": arguments_text(call.get("input", call.get("args"))),
            },
        }
        for call in called or [call for _, call in dicts_of(value.get("toolCalls"))]
    ]
    message = {"role": "assistant", "content": text_of(value.get("text")) or text, "tool_calls": calls}
    return {"choices": [{"index": 0, "message": message, "finish_reason": end.replace("-", "_")}]}
