"""Answers of the five wires as faithful servers write them, from plain parts; streamed (`size` characters a piece) or
whole. A part is a text, `("think", text)`, or `("call", id, name, arguments)`."""

from __future__ import annotations

import json
from typing import Any

Part = Any
MODEL = "local-model"
USAGE = {"prompt_tokens": 41, "completion_tokens": 17, "total_tokens": 58}


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def cut(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def sse(docs: list[dict[str, Any]], *, named: bool = False, end: str = "\n") -> bytes:
    lines = [(f"event: {doc['type']}{end}" if named else "") + f"data: {dump(doc)}{end}{end}" for doc in docs]
    return "".join(lines).encode()


def chunk(delta: dict[str, Any], finish: str | None = None, index: int = 0, **more: Any) -> dict[str, Any]:
    choices = [{"index": index, "delta": delta, "finish_reason": finish}]
    return {
        "id": "chatcmpl-7",
        "object": "chat.completion.chunk",
        "created": 7,
        "model": MODEL,
        "choices": choices,
        **more,
    }


def piece(
    index: int | None = 0, call_id: str | None = None, name: str | None = None, arguments: Any = ""
) -> dict[str, Any]:
    """A chunk with a piece of a native call; what is None is absent."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    call = {"index": index, "id": call_id, "type": "function" if name else None, "function": function}
    return chunk({"tool_calls": [{key: value for key, value in call.items() if value is not None}]})


def chat_stream(*parts: Part, size: int = 6, finish: str | None = "stop", usage: bool = False) -> bytes:
    docs, index = [chunk({"role": "assistant", "content": ""})], 0
    for part in parts:
        if isinstance(part, str):
            docs += [chunk({"content": text}) for text in cut(part, size)]
        elif part[0] == "think":
            docs += [chunk({"reasoning_content": text}) for text in cut(part[1], size)]
        else:
            docs.append(piece(index, part[1], part[2]))
            docs += [piece(index, arguments=text) for text in cut(dump(part[3]), size)]
            index += 1
    docs += [chunk({}, finish)] if finish else []
    docs += [{**chunk({}), "choices": [], "usage": {"total_tokens": 58}}] if usage else []
    return sse(docs) + b"data: [DONE]\n\n"


def chat_body(*parts: Part, finish: str = "stop", **_: Any) -> bytes:
    texts = {"content": "".join(part for part in parts if isinstance(part, str))}
    thought = "".join(part[1] for part in parts if part[:1] == ("think",))
    calls = [
        {"id": part[1], "type": "function", "function": {"name": part[2], "arguments": dump(part[3])}}
        for part in parts if part[:1] == ("call",)
    ]  # fmt: skip
    message = {"role": "assistant", **texts, **({"reasoning_content": thought} if thought else {})}
    message |= {"tool_calls": calls} if calls else {}
    choices = [{"index": 0, "message": message, "finish_reason": finish}]
    return dump(
        {
            "id": "chatcmpl-7",
            "object": "chat.completion",
            "created": 7,
            "model": MODEL,
            "choices": choices,
            "usage": USAGE,
        }
    ).encode()


def item(part: Part, number: int) -> dict[str, Any]:
    if isinstance(part, str):
        content = [{"type": "output_text", "text": part, "annotations": []}]
        return {
            "type": "message",
            "id": f"msg_{number}",
            "role": "assistant",
            "status": "completed",
            "content": content,
        }
    return {
        "type": "function_call", "id": f"fc_{number}", "call_id": part[1], "name": part[2], "arguments": dump(part[3]),
        "status": "completed",
    }  # fmt: skip


def response(items: list[dict[str, Any]], status: str = "completed") -> dict[str, Any]:
    return {"id": "resp_7", "object": "response", "created_at": 7, "status": status, "model": MODEL, "output": items}


def responses_body(*parts: Part, **_: Any) -> bytes:
    return dump(response([item(part, at) for at, part in enumerate(parts) if part])).encode()


def responses_stream(*parts: Part, size: int = 6, **_: Any) -> bytes:
    docs: list[dict[str, Any]] = [{"type": "response.created", "response": response([], "in_progress")}]
    items = [item(part, at) for at, part in enumerate(parts) if part]
    for at, one in enumerate(items):
        place: dict[str, Any] = {"item_id": one["id"], "output_index": at}
        empty = {"content": []} if one["type"] == "message" else {"arguments": ""}
        docs.append({"type": "response.output_item.added", "output_index": at, "item": {**one, **empty}})
        if one["type"] == "message":
            place["content_index"] = 0
            whole = one["content"][0]
            docs.append({"type": "response.content_part.added", **place, "part": {**whole, "text": ""}})
            docs += [{"type": "response.output_text.delta", **place, "delta": t} for t in cut(whole["text"], size)]
            docs.append({"type": "response.output_text.done", **place, "text": whole["text"]})
            docs.append({"type": "response.content_part.done", **place, "part": whole})
        else:
            kind = "response.function_call_arguments"
            docs += [{"type": f"{kind}.delta", **place, "delta": t} for t in cut(one["arguments"], size)]
            docs.append({"type": f"{kind}.done", **place, "arguments": one["arguments"]})
        docs.append({"type": "response.output_item.done", "output_index": at, "item": one})
    docs.append({"type": "response.completed", "response": response(items)})
    return sse([{**doc, "sequence_number": number} for number, doc in enumerate(docs)], named=True)


def block(part: Part) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    if part[0] == "think":
        return {"type": "thinking", "thinking": part[1], "signature": "c2ln"}
    return {"type": "tool_use", "id": part[1], "name": part[2], "input": part[3]}


def message(content: list[dict[str, Any]], finish: str | None) -> dict[str, Any]:
    return {
        "id": "msg_7", "type": "message", "role": "assistant", "model": MODEL, "content": content,
        "stop_reason": finish, "stop_sequence": None, "usage": {"input_tokens": 41, "output_tokens": 17},
    }  # fmt: skip


def anthropic_body(*parts: Part, finish: str = "end_turn", **_: Any) -> bytes:
    return dump(message([block(part) for part in parts if part], finish)).encode()


def anthropic_stream(*parts: Part, size: int = 6, finish: str = "end_turn", **_: Any) -> bytes:
    docs: list[dict[str, Any]] = [{"type": "message_start", "message": message([], None)}, {"type": "ping"}]
    for at, part in enumerate(part for part in parts if part):
        whole = block(part)
        empty = {key: "" for key in ("text", "thinking", "signature") if key in whole}
        begun = {**whole, **empty, **({"input": {}} if "input" in whole else {})}
        docs.append({"type": "content_block_start", "index": at, "content_block": begun})
        kind, key, text = "text_delta", "text", whole.get("text", "")
        if "thinking" in whole:
            kind, key, text = "thinking_delta", "thinking", whole["thinking"]
        elif "input" in whole:
            kind, key, text = "input_json_delta", "partial_json", dump(whole["input"])
        docs += [{"type": "content_block_delta", "index": at, "delta": {"type": kind, key: t}} for t in cut(text, size)]
        docs.append({"type": "content_block_stop", "index": at})
    docs.append({"type": "message_delta", "delta": {"stop_reason": finish}, "usage": {"output_tokens": 17}})
    return sse([*docs, {"type": "message_stop"}], named=True)


def line(said: dict[str, Any], *, done: bool = False) -> dict[str, Any]:
    ends = {"done_reason": "stop", "eval_count": 17} if done else {}
    message_ = {"role": "assistant", "content": "", **said}
    return {"model": MODEL, "created_at": "2026-01-01T00:00:00Z", "message": message_, "done": done, **ends}


def ollama_stream(*parts: Part, size: int = 6, **_: Any) -> bytes:
    docs = []
    for part in parts:
        if isinstance(part, str):
            docs += [line({"content": text}) for text in cut(part, size)]
        elif part[0] == "think":
            docs += [line({"thinking": text}) for text in cut(part[1], size)]
        else:
            docs.append(line({"tool_calls": [{"function": {"name": part[2], "arguments": part[3]}}]}))
    return "".join(dump(doc) + "\n" for doc in [*docs, line({}, done=True)]).encode()


def ollama_body(*parts: Part, **_: Any) -> bytes:
    calls = [{"function": {"name": part[2], "arguments": part[3]}} for part in parts if part[:1] == ("call",)]
    texts = {"content": "".join(part for part in parts if isinstance(part, str))}
    thoughts = [part[1] for part in parts if part[:1] == ("think",)]
    thought = {"thinking": thoughts[0]} if thoughts else {}
    return dump(line({**texts, **thought, **({"tool_calls": calls} if calls else {})}, done=True)).encode()


def gemini_part(part: Part) -> dict[str, Any]:
    if isinstance(part, str):
        return {"text": part}
    if part[0] == "think":
        return {"text": part[1], "thought": True}
    return {"functionCall": {"name": part[2], "args": part[3]}}


def candidate(parts: list[dict[str, Any]], finish: str | None = None, **more: Any) -> dict[str, Any]:
    ends = {"finishReason": finish} if finish else {}
    found = {"content": {"role": "model", "parts": parts}, "index": 0, **ends, **more}
    return {"candidates": [found], "usageMetadata": {"totalTokenCount": 58}, "responseId": "r7"}


def gemini_stream(*parts: Part, size: int = 6, **_: Any) -> bytes:
    split = [p for part in parts for p in (cut(part, size) if isinstance(part, str) else [part])] or [""]
    docs = [candidate([gemini_part(part)]) for part in split[:-1]]
    return sse([*docs, candidate([gemini_part(split[-1])], "STOP")], end="\r\n")


def gemini_body(*parts: Part, **_: Any) -> bytes:
    return dump(candidate([gemini_part(part) for part in parts], "STOP")).encode()


BUILDERS = {
    ("openai-chat", True): chat_stream,
    ("openai-chat", False): chat_body,
    ("openai-responses", True): responses_stream,
    ("openai-responses", False): responses_body,
    ("anthropic", True): anthropic_stream,
    ("anthropic", False): anthropic_body,
    ("ollama", True): ollama_stream,
    ("ollama", False): ollama_body,
    ("gemini", True): gemini_stream,
    ("gemini", False): gemini_body,
}
"""(wire, streamed) → the builder of an answer."""
PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "ollama": "/api/chat",
    "gemini": "/v1beta/models/gemini-local:streamGenerateContent",
}
