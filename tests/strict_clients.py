"""Clients that take an answer at its word, as the official SDKs do: what one of them breaks on, breaks these.

Each returns `{"calls", "text", "finish", "reasoning", "usage", "ids"}`. Facts: measured with the SDKs of November 2026.
"""

from __future__ import annotations

import json
from typing import Any


def events(data: bytes) -> list[tuple[str, str]]:
    """Server-sent events as (name, data); comments and blank lines are nothing."""
    found: list[tuple[str, str]] = []
    name, lines = "", []
    for line in [*data.decode().lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        if line.startswith("event:"):
            name = line[6:].strip()
        elif line.startswith("data:"):
            lines.append(line[5:].removeprefix(" "))
        elif not line:
            if lines:
                found.append((name, "\n".join(lines)))
            name, lines = "", []
        else:
            assert line.startswith((":", "id:", "retry:")), line
    return found


def said(**more: Any) -> dict[str, Any]:
    return {"calls": [], "text": "", "finish": None, "reasoning": "", "usage": None, "ids": []} | more


def whole_call(out: dict[str, Any], name: Any, arguments: Any, call_id: Any) -> None:
    assert isinstance(name, str)
    assert isinstance(arguments, dict), arguments
    out["calls"].append({"name": name, "arguments": arguments})
    out["ids"].append(call_id)


def chat_stream(data: bytes) -> list[dict[str, Any]]:
    """One result for each choice."""
    outs: dict[int, dict[str, Any]] = {}
    pieces: dict[int, list[dict[str, Any]]] = {}
    usage, done = None, False
    for _, payload in events(data):
        assert not done, "something follows [DONE]"
        if payload == "[DONE]":
            done = True
            continue
        doc = json.loads(payload)
        assert "error" not in doc, doc
        usage = (doc.get("usage") or {}).get("total_tokens", usage)
        for choice in doc["choices"]:
            out = outs.setdefault(choice["index"], said())
            calls = pieces.setdefault(choice["index"], [])
            delta = choice["delta"]
            assert out["finish"] is None, "something follows the finish chunk"
            out["text"] += delta.get("content") or ""
            out["reasoning"] += delta.get("reasoning_content") or ""
            for piece in delta.get("tool_calls") or []:
                index = piece["index"]
                assert index in (len(calls), len(calls) - 1), "calls come one after the other"
                if index == len(calls):
                    assert piece["id"]
                    assert piece["type"] == "function"
                    calls.append({"id": piece["id"], "name": piece["function"]["name"], "arguments": ""})
                else:
                    assert not piece.get("id")
                    assert not piece["function"].get("name")
                calls[index]["arguments"] += piece["function"].get("arguments") or ""
            out["finish"] = choice.get("finish_reason")
    for number, out in outs.items():
        assert out["finish"], "no finish chunk"
        out["usage"] = usage
        for call in pieces[number]:
            whole_call(out, call["name"], json.loads(call["arguments"]), call["id"])
    return [out for _, out in sorted(outs.items())]


def chat_body(data: bytes) -> list[dict[str, Any]]:
    doc = json.loads(data)
    outs = []
    for choice in doc["choices"]:
        message = choice["message"]
        out = said(text=message.get("content") or "", finish=choice["finish_reason"])
        out["reasoning"] = message.get("reasoning_content") or ""
        out["usage"] = (doc.get("usage") or {}).get("total_tokens")
        for call in message.get("tool_calls") or []:
            assert isinstance(call["function"]["arguments"], str)
            whole_call(out, call["function"]["name"], json.loads(call["function"]["arguments"]), call["id"])
        outs.append(out)
    return outs


def anthropic_stream(data: bytes) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    out = said()
    for name, payload in events(data):
        doc = json.loads(payload)
        assert name == doc["type"]
        assert doc["type"] != "error", doc
        if name == "content_block_start":
            assert doc["index"] == len(blocks), "indexes without a gap"
            blocks.append({**doc["content_block"], "json": ""})
        elif name == "content_block_delta":
            block, delta = blocks[doc["index"]], doc["delta"]
            for key, piece in (("text", "text"), ("thinking", "thinking"), ("json", "partial_json")):
                block[key] = block.get(key, "") + delta.get(piece, "")
        elif name == "message_delta":
            assert isinstance(doc["usage"], dict)
            out["finish"] = doc["delta"]["stop_reason"]
    return [_blocks(blocks, out)]


def anthropic_body(data: bytes) -> list[dict[str, Any]]:
    doc = json.loads(data)
    return [_blocks(doc["content"], said(finish=doc["stop_reason"]))]


def _blocks(blocks: list[dict[str, Any]], out: dict[str, Any]) -> dict[str, Any]:
    for block in blocks:
        if block["type"] == "text":
            out["text"] += block["text"]
        elif block["type"] == "thinking":
            out["reasoning"] += block["thinking"]
        elif block["type"] == "tool_use":
            given = json.loads(block["json"]) if block.get("json") else block["input"]
            whole_call(out, block["name"], given, block["id"])
    return out


def ollama_stream(data: bytes) -> list[dict[str, Any]]:
    out = said()
    for line in data.decode().removesuffix("\n").split("\n"):
        doc = json.loads(line)  # a blank line breaks the SDK
        assert "error" not in doc, doc
        message = doc["message"]
        out["text"] += message.get("content") or ""
        out["reasoning"] += message.get("thinking") or ""
        for call in message.get("tool_calls") or []:
            whole_call(out, call["function"]["name"], call["function"]["arguments"], call.get("id"))
        out["finish"] = doc.get("done_reason") if doc["done"] else out["finish"]
    return [out]


def gemini_stream(data: bytes) -> list[dict[str, Any]]:
    assert not any(line.startswith(b":") for line in data.splitlines()), "a comment breaks the SDK"
    return _gemini([json.loads(payload) for _, payload in events(data)])


def _gemini(docs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    outs: dict[int, dict[str, Any]] = {}
    for doc in docs:
        for candidate in doc.get("candidates") or []:
            out = outs.setdefault(candidate.get("index", 0), said())
            for part in (candidate.get("content") or {}).get("parts") or []:
                if part.get("text"):
                    out["reasoning" if part.get("thought") else "text"] += part["text"]
                if part.get("functionCall"):
                    call = part["functionCall"]
                    whole_call(out, call["name"], call.get("args", {}), call.get("id"))
            out["finish"] = candidate.get("finishReason") or out["finish"]
    return list(outs.values())


def responses_stream(data: bytes) -> list[dict[str, Any]]:
    items: dict[int, dict[str, Any]] = {}
    text, last, numbers = "", {}, []
    for name, payload in events(data):
        doc = json.loads(payload)
        assert name == doc["type"]
        numbers.append(doc["sequence_number"])
        place = doc.get("output_index")
        if name == "response.output_item.added":
            assert place == len(items), "items without a gap"
            items[place] = doc["item"]
        elif place is not None:
            assert place in items, "an item is added before anything is said of it"
        if name == "response.output_text.delta":
            text += doc["delta"]
        elif name == "response.output_item.done":
            items[place] = doc["item"]
        elif name in ("response.completed", "response.incomplete"):
            last = doc["response"]
    assert numbers == list(range(len(numbers)))
    assert [item["type"] for item in last["output"]] == [item["type"] for _, item in sorted(items.items())]
    (out,) = responses_body(json.dumps(last).encode())
    assert out["text"] == text
    return [out]


def responses_body(data: bytes) -> list[dict[str, Any]]:
    doc = json.loads(data)
    out = said(finish=doc["status"])
    for item in doc["output"]:
        if item["type"] == "message":
            assert item["content"], "no empty message"
            out["text"] += "".join(part["text"] for part in item["content"])
        elif item["type"] == "function_call":
            assert isinstance(item["arguments"], str)
            whole_call(out, item["name"], json.loads(item["arguments"]), item["call_id"])
    return [out]


READERS = {
    ("openai-chat", True): chat_stream,
    ("openai-chat", False): chat_body,
    ("openai-responses", True): responses_stream,
    ("openai-responses", False): responses_body,
    ("anthropic", True): anthropic_stream,
    ("anthropic", False): anthropic_body,
    ("ollama", True): ollama_stream,
    ("ollama", False): ollama_stream,
    ("gemini", True): gemini_stream,
    ("gemini", False): lambda data: _gemini([json.loads(data)]),
}
"""(wire, streamed) → what a client makes of the bytes."""
