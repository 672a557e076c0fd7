"""Conversations as frameworks store them: Pydantic AI, Semantic Kernel, Spring AI, LlamaIndex.

Forms: pydantic-ai 2 (`ModelMessagesTypeAdapter`), Semantic Kernel 1.7 (`ChatHistory` as JSON), Spring AI 1.1
(`Message`), llama-index-core 0.14 (`ChatMessage`); November 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.spans import pointer
from utp_cli.wire.access import dict_of, dicts_of, list_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from utp_cli.wire.client_messages import Said

Placed = tuple[str, dict[str, Any]]
"""A call in OpenAI's form, and its place in the message."""


def framework_of(messages: Sequence[Any]) -> Callable[[Sequence[Any]], Iterator[Said]] | None:
    """Return what reads the messages of the framework whose form all of them have; None for other messages."""
    listed = [message for _, message in dicts_of(messages)]
    return next((read for told, read in _FRAMEWORKS if listed and all(map(told, listed))), None)


def _read(read: Callable[[dict[str, Any]], Iterator[tuple[dict[str, Any], str, list[Placed]]]]) -> Any:
    """Make a reader of messages from one of a message: it yields what is said, its place, and its calls."""

    def of(messages: Sequence[Any]) -> Iterator[Said]:
        for at, message in dicts_of(messages):
            for said, place, calls in read(message):
                where = pointer(at)
                held = {"tool_calls": [call for _, call in calls]} if calls else {}
                yield said | held, where + place, tuple(where + path for path, _ in calls)

    return of


def _call(call_id: Any, name: Any, arguments: Any) -> dict[str, Any]:
    written = arguments if isinstance(arguments, str) else _text(arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": written}}


def _answer(call_id: Any, content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content if isinstance(content, str) else _text(content)}


def _text(value: Any) -> str:
    return json_dumps({} if value is None else value, ensure_ascii=False, default=repr)


def _pydantic_ai(message: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, list[Placed]]]:
    """Read a request, whose parts are prompts and results, or a response, whose parts are texts and calls."""
    parts = [(pointer("parts", at), one, text_of(one.get("part_kind"))) for at, one in dicts_of(message.get("parts"))]
    if message["kind"] == "response":
        calls = [
            (place, _call(part.get("tool_call_id"), part.get("tool_name"), part.get("args")))
            for place, part, kind in parts
            if kind == "tool-call"
        ]
        texts = "".join(text_of(part.get("content")) for _, part, kind in parts if kind == "text")
        yield {"role": "assistant", "content": texts}, "", calls
        return
    for place, part, kind in parts:
        if kind in ("tool-return", "retry-prompt") and part.get("tool_call_id"):
            yield _answer(part["tool_call_id"], part.get("content")), place, []
        elif kind.endswith("-prompt"):
            yield {"role": "system" if kind == "system-prompt" else "user", "content": part.get("content")}, place, []


def _semantic_kernel(message: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, list[Placed]]]:
    role = message["Role"]
    said = text_of(role.get("Label")) if isinstance(role, dict) else text_of(role)
    items = [(pointer("Items", at), item, text_of(item.get("$type"))) for at, item in dicts_of(message.get("Items"))]
    calls = [
        (place, _call(item.get("Id"), _plugin(item), item.get("Arguments")))
        for place, item, kind in items
        if kind == "FunctionCallContent"
    ]
    texts = "".join(text_of(item.get("Text")) for _, item, kind in items if kind == "TextContent")
    results = [(place, item) for place, item, kind in items if kind == "FunctionResultContent"]
    for place, item in results:
        yield _answer(item.get("CallId"), item.get("Result")), place, []
    if calls or not results:
        yield {"role": said, "content": texts or text_of(message.get("Content"))}, "", calls


def _plugin(item: dict[str, Any]) -> str:
    return "-".join(filter(None, (text_of(item.get("PluginName")), text_of(item.get("FunctionName")))))


def _spring_ai(message: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, list[Placed]]]:
    role = message["messageType"].lower()
    if role == "tool":
        for at, answer in dicts_of(message.get("responses")):
            yield _answer(answer.get("id"), answer.get("responseData")), pointer("responses", at), []
        return
    calls = [
        (pointer("toolCalls", at), _call(call.get("id"), call.get("name"), call.get("arguments")))
        for at, call in dicts_of(message.get("toolCalls"))
    ]
    yield {"role": role, "content": message.get("text") or message.get("content") or ""}, "", calls


def _llama_index(message: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, list[Placed]]]:
    blocks = [(pointer("blocks", at), one, text_of(one.get("block_type"))) for at, one in dicts_of(message["blocks"])]
    beside = dict_of(message.get("additional_kwargs"))
    texts = "".join(text_of(block.get("text")) for _, block, kind in blocks if kind == "text")
    if message.get("role") in ("tool", "function"):
        yield _answer(beside.get("tool_call_id"), texts), "", []
        return
    calls = [
        (place, _call(block.get("tool_call_id"), block.get("tool_name"), block.get("tool_kwargs")))
        for place, block, kind in blocks
        if kind == "tool_call"
    ]
    kept = dicts_of(list_of(beside.get("tool_calls"))) if not calls else ()
    calls += [(pointer("additional_kwargs", "tool_calls", at), call) for at, call in kept]
    yield {"role": message.get("role"), "content": texts}, "", calls


_FRAMEWORKS: Final = (
    (lambda one: one.get("kind") in ("request", "response") and _has(one, "parts"), _read(_pydantic_ai)),
    (lambda one: isinstance(one.get("Role"), dict | str) and _has(one, "Items"), _read(_semantic_kernel)),
    (lambda one: isinstance(one.get("messageType"), str), _read(_spring_ai)),
    (lambda one: _has(one, "blocks") and "additional_kwargs" in one, _read(_llama_index)),
)
"""What all messages of a framework have, and what reads them."""


def _has(message: dict[str, Any], key: str) -> bool:
    return isinstance(message.get(key), list)
