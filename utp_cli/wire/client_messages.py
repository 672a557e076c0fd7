"""Conversations as client libraries keep them: UI messages of the AI SDK, and messages with keys in camel case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.spans import pointer
from utp_cli.wire.access import dict_of, dicts_of, list_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_UI_PARTS: Final = frozenset({"text", "reasoning", "step-start", "file", "source", "source-url", "source-document"})
"""Parts of a UI message beside those of tools (`ai` 5 and 6, `UIMessage`, November 2026)."""
_TOOL: Final = "tool-"
_OWN: Final = (_TOOL, "data-")
"""How the types of parts begin that an application names."""
_DYNAMIC: Final = "dynamic-tool"
_INVOCATION: Final = "tool-invocation"
"""The part of a tool in version 4, which holds the call inside."""
INNER: Final = "toolInvocation"
"""The key of what it holds."""
_CALL, _RESULT = "tool-call", "tool-result"
"""Parts of messages that the SDK sends to a model (`ModelMessage`)."""
_NO_CALLS: Final = frozenset({_RESULT, "tool-approval-request", "tool-approval-response", "tool-error"})
"""Parts that begin as a tool's does and are no call: what is said of one."""
_SIGNATURES: Final = {"iVBOR": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp"}
"""How Base64 begins of pictures whose kind is not told."""
_ANSWERED: Final = frozenset({"output-available", "output-error", "output-denied", "result"})
_DENIED: Final = "Tool call execution denied."
"""What the SDK sends as the result of a call that its user did not allow, where no reason is given (`ai` 6.0.326).

It sends no result in state `approval-responded`.
"""
STREAMING: Final = frozenset({"input-streaming", "partial-call"})

Said = tuple[dict[str, Any], str, tuple[str, ...]]
"""A message in OpenAI's form, its place in the list, and the places of its calls."""


def is_ui(messages: Sequence[Any]) -> bool:
    """Whether messages are those of the AI SDK's hooks: their parts have types, and one is of a tool or a step."""
    kinds = {
        text_of(part.get("type"))
        for _, message in dicts_of(messages)
        if "content" not in message or isinstance(message["content"], str)
        for _, part in dicts_of(message.get("parts"))
    }
    own = {kind for kind in kinds if _is_own(kind)}
    return bool(own or "step-start" in kinds) and kinds - own <= _UI_PARTS | {""}


def is_camel(messages: Sequence[Any]) -> bool:
    """Whether calls and results go by keys in camel case, as in Mistral's SDK for TypeScript and TanStack AI (2026)."""
    said = [message for _, message in dicts_of(messages)]
    camel = any(isinstance(one.get("toolCalls"), list) or isinstance(one.get("toolCallId"), str) for one in said)
    return camel and not any("tool_calls" in one or "tool_call_id" in one for one in said)


def of_ui(messages: Sequence[Any]) -> Iterator[Said]:
    """Read UI messages: of each step, the text and the calls, and behind them what its parts say of results."""
    for at, message in dicts_of(messages):
        place, step = pointer(at), list[tuple[int, dict[str, Any]]]()
        content = message.get("content")
        told = [{"type": "text", "text": content}] if "parts" not in message and isinstance(content, str) else None
        for number, part in dicts_of(told or message.get("parts")):
            if part.get("type") == "step-start":
                yield from _step(message, place, step)
                step = []
            else:
                step.append((number, part))
        yield from _step(message, place, step)


def _step(
    message: dict[str, Any], place: str, parts: list[tuple[int, dict[str, Any]]], key: str = "parts"
) -> Iterator[Said]:
    if not parts:
        return
    files = [file for _, part in parts if message.get("role") == "user" and (file := _file(part))]
    text = "".join(text_of(part.get("text")) for _, part in parts if part.get("type") == "text")
    held = ((number, tool_of(part)) for number, part in parts if is_call(part))
    tools = [(number, (name, part)) for number, (name, part) in held if text_of(part.get("state")) not in STREAMING]
    calls = [
        {"id": part.get("toolCallId"), "type": "function", "function": {"name": name, "arguments": _written(part)}}
        for _, (name, part) in tools
    ]
    places = tuple(place + pointer(key, number) for number, _ in tools)
    words = [{"type": "text", "text": text}] if text else []
    said = {"role": message.get("role"), "content": [*files, *words] if files else text}
    if calls or said["content"] or any(part.get("type") == "text" for _, part in parts):
        yield said | ({"tool_calls": calls} if calls else {}), place, places
    for (_, (_, part)), where in zip(tools, places, strict=True):
        state = text_of(part.get("state"))
        if state in _ANSWERED:
            denied = dict_of(part.get("approval")).get("reason") or _DENIED
            given = denied if state == "output-denied" else part.get("errorText")
            yield _answer(part, part.get("output", part.get("result", given))), where, ()


def _answer(part: dict[str, Any], result: Any) -> dict[str, Any]:
    content = result if isinstance(result, str) else json_dumps(result, ensure_ascii=False, default=repr)
    return {"role": "tool", "tool_call_id": part.get("toolCallId"), "content": content}


def _file(part: dict[str, Any]) -> dict[str, Any] | None:
    """Write a file as OpenAI's API takes it: an image by its URL, all else by its data; None for other parts.

    Version 4 has `mimeType` and, in Base64, `data`.
    """
    if part.get("type") not in ("file", "image"):
        return None
    data = text_of(part.get("data")) or text_of(part.get("image"))
    told = text_of(part.get("mediaType")) or text_of(part.get("mimeType"))
    kind = told or next((kind for sign, kind in _SIGNATURES.items() if data.startswith(sign)), "image/png")
    whole = data if "://" in data or data.startswith("data:") else ""
    url = text_of(part.get("url")) or whole or (f"data:{kind};base64,{data}" if data else "")
    if not url:  # its bytes were written in another way, or there are none
        return part if any(part.get(key) for key in ("data", "image", "url")) else None
    if kind.startswith("image/") or part["type"] == "image":
        return {"type": "image_url", "image_url": {"url": url}}
    name = text_of(part.get("filename"))
    return {"type": "file", "file": {"file_data": url, **({"filename": name} if name else {})}}


def is_sdk(messages: Sequence[Any]) -> bool:
    """Whether messages are the AI SDK's, which rewrites them before they are sent."""
    return is_ui(messages) or is_model(messages)


def is_model(messages: Sequence[Any]) -> bool:
    """Whether messages are those that the AI SDK sends to a model: a content holds one of its calls or results."""
    return any(_sent(message) for _, message in dicts_of(messages))


def of_model(messages: Sequence[Any]) -> Iterator[Said]:
    """Read messages for a model: each result is a message; of text, files and calls the other one is made."""
    for at, message in dicts_of(messages):
        place = pointer(at)
        parts = list(dicts_of(message.get("content")))
        results = [(number, part) for number, part in parts if part.get("type") == _RESULT]
        if not results or len(results) < len(parts):
            yield from _step(message, place, parts, "content") if parts else [(message, place, ())]
        for number, part in results:
            output = part.get("output", part.get("result"))
            said = output["value"] if isinstance(output, dict) and output.keys() >= {"type", "value"} else output
            yield _answer(part, said), place + pointer("content", number), ()


def of_camel(messages: Sequence[Any]) -> Iterator[Said]:
    """Read messages whose calls and results go by keys in camel case."""
    for at, message in dicts_of(messages):
        said = {_SNAKE.get(key, key): value for key, value in message.items()}
        if isinstance(said.get("content"), list):
            said["content"] = [_snake(part) if isinstance(part, dict) else part for part in said["content"]]
        place, made = pointer(at), list_of(message.get("toolCalls"))
        if made:
            said["tool_calls"] = [_typed(call) if isinstance(call, dict) else call for call in made]
        yield said, place, tuple(place + pointer("toolCalls", number) for number in range(len(made)))


_SNAKE: Final = {
    "toolCalls": "tool_calls",
    "toolCallId": "tool_call_id",
    "imageUrl": "image_url",
    "documentUrl": "document_url",
    "inputAudio": "input_audio",
    "fileId": "file_id",
}


def _snake(part: dict[str, Any]) -> dict[str, Any]:
    return {_SNAKE.get(key, key): value for key, value in part.items()}


def _typed(call: dict[str, Any]) -> dict[str, Any]:
    """Write a call as its SDK sends it: the SDK adds the type, and takes arguments as an object, too."""
    if "function" not in call and "name" in call:  # flat, as Spring AI has them
        call = {"id": call.get("id"), "function": {"name": call["name"], "arguments": call.get("arguments", {})}}
    function = dict_of(call.get("function"))
    if not isinstance(function.get("arguments"), dict):
        return {"type": "function"} | call
    written = json_dumps(function["arguments"], ensure_ascii=False, default=repr)
    return {"type": "function"} | call | {"function": {**function, "arguments": written}}


def _is_own(kind: str) -> bool:
    return kind == _DYNAMIC or (kind.startswith(_OWN) and kind != _CALL and kind not in _NO_CALLS)


def is_call(part: dict[str, Any]) -> bool:
    """Whether a part of a message is a tool's: a call, with its result once there is one."""
    kind = text_of(part.get("type"))
    return (kind == _DYNAMIC or kind.startswith(_TOOL)) and kind not in _NO_CALLS


def tool_of(part: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name of the tool that a part is about, and what holds the call."""
    kind = text_of(part.get("type"))
    inner = dict_of(part.get(INNER)) if kind == _INVOCATION else part
    return text_of(inner.get("toolName")) or kind.removeprefix(_TOOL), inner


def is_message(message: dict[str, Any]) -> bool:
    """Whether a message is one of the SDK's, by its parts: a UI message, or one for a model with a call or a result."""
    if "role" not in message:
        return False
    kinds = {text_of(part.get("type")) for _, part in dicts_of(message.get("parts"))}
    typed = bool(kinds) and "" not in kinds and all(kind in _UI_PARTS or _is_own(kind) for kind in kinds)
    said = [part for _, part in dicts_of(message.get("parts")) if part.get("type") == "text"]
    typed = typed and all(isinstance(part.get("text"), str) for part in said)
    return typed or _sent(message)


def _sent(message: dict[str, Any]) -> bool:
    return any(
        part.get("type") in (_CALL, _RESULT) and "toolCallId" in part for _, part in dicts_of(message.get("content"))
    )


def _written(part: dict[str, Any]) -> str:
    given: Any = next((part[key] for key in ("input", "args", "rawInput") if part.get(key) is not None), {})
    raw = given if isinstance(given, str) and part.get("rawInput") is given else None  # no JSON, as the model wrote it
    return raw if raw is not None else json_dumps(given, ensure_ascii=False, default=repr)
