"""Conversations as frameworks store them: Pydantic AI, Semantic Kernel, Spring AI, LlamaIndex.

Forms: pydantic-ai 2 (`ModelMessagesTypeAdapter`), Semantic Kernel (`ChatHistory` as JSON: 1.7 of .NET, 1.45 of
Python), Spring AI 1.1 (`Message`), llama-index-core 0.14 (`ChatMessage`); November 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps
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
    given = {} if arguments is None else arguments
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": _text(given)}}


def _answer(call_id: Any, content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": _text(content)}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value, default=repr)


def _pydantic_ai(message: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, list[Placed]]]:
    """Read a request, whose parts are prompts and results, or a response, whose parts are texts and calls.

    Pydantic AI sends the results of a request first. A retry that names no tool is a message of the user.
    """
    parts = [(pointer("parts", at), one, text_of(one.get("part_kind"))) for at, one in dicts_of(message["parts"])]
    if message["kind"] == "response":
        calls = [(place, _pydantic_call(part)) for place, part, kind in parts if kind == "tool-call"]
        texts = "".join(text_of(part.get("content")) for _, part, kind in parts if kind == "text")
        yield {"role": "assistant", "content": texts}, "", calls
        return
    answers = [
        one for one in parts if one[2] == "tool-return" or (one[2] == "retry-prompt" and one[1].get("tool_name"))
    ]
    for place, part, _ in answers:
        yield _answer(part.get("tool_call_id"), part.get("content")), place, []
    for place, part, kind in parts:
        if kind in _PROMPTS and not (kind == "retry-prompt" and part.get("tool_name")):
            yield {"role": _PROMPTS[kind], "content": _pydantic_content(part.get("content"))}, place, []


_PROMPTS: Final = {
    "system-prompt": "system",
    **dict.fromkeys(("user-prompt", "retry-prompt", "retry-feedback"), "user"),
}
"""Parts of Pydantic AI's that are messages → whose."""


def _pydantic_call(part: dict[str, Any]) -> dict[str, Any]:
    """Read a call; Pydantic AI sends `{}` for arguments that are empty."""
    call = _call(part.get("tool_call_id"), part.get("tool_name"), part.get("args") or {})
    signature = dict_of(part.get("provider_details")).get("thought_signature")
    return call | ({"thought_signature": signature} if signature else {})


def _pydantic_content(content: Any) -> Any:
    """Write texts and pictures as parts of chat completions; a part of another kind becomes a text that names it."""
    if not isinstance(content, list):
        return content
    parts: list[Any] = []
    for item in content:
        one = dict_of(item)
        kind, media, url = (text_of(one.get(key)) for key in ("kind", "media_type", "url"))
        if kind == "binary" and media.startswith("image/"):
            url = f"data:{media};base64,{text_of(one.get('data'))}"
        if url and kind in ("image-url", "binary"):
            parts.append({"type": "image_url", "image_url": {"url": url}})
        else:
            said = item if isinstance(item, str) else text_of(one.get("content")) or f"[{kind or 'a part'}]"
            parts.append({"type": "text", "text": said})
    return parts


def _semantic_kernel(message: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, list[Placed]]]:
    """Read a message of .NET's or of Python's, whose items have the same fields in another spelling."""
    key = "Items" if "Items" in message else "items"
    role = message.get("Role", message.get("role"))
    said = text_of(next(iter(role.values()), "")) if isinstance(role, dict) else text_of(role)
    read = [
        (pointer(key, at), {_bare(name): value for name, value in one.items()}) for at, one in dicts_of(message[key])
    ]
    items = [
        (place, item, _bare(text_of(item.get("$type")) or text_of(item.get("contenttype")))) for place, item in read
    ]
    calls = [
        (place, _call(item.get("id"), _plugin(item), item.get("arguments")))
        for place, item, kind in items
        if kind.startswith("functioncall")
    ]
    texts = "".join(text_of(item.get("text")) for _, item, kind in items if kind.startswith("text"))
    results = [(place, item) for place, item, kind in items if kind.startswith("functionresult")]
    for place, item in results:
        yield _answer(item.get("callid") or item.get("id"), item.get("result")), place, []
    if calls or not results:
        yield {"role": said, "content": texts or text_of(message.get("Content", message.get("content")))}, "", calls


def _bare(name: str) -> str:
    """Return a name as all spellings have it: `CallId`, `callId` and `call_id` are `callid`."""
    return name.replace("_", "").casefold()


def _plugin(item: dict[str, Any]) -> str:
    """Return the name of a function with its plugin's in front, as it is sent."""
    return "-".join(filter(None, (text_of(item.get("pluginname")), text_of(item.get("functionname"))))) or text_of(
        item.get("name")
    )


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
    role = _LLAMA_ROLES.get(text_of(message.get("role")), message.get("role"))
    texts = "".join(text_of(block.get("text")) for _, block, kind in blocks if kind == "text")
    if role in ("tool", "function"):
        name = {"name": beside["name"]} if text_of(beside.get("name")) else {}
        yield _answer(beside.get("tool_call_id"), texts) | name, "", []
        return
    calls = [
        (place, _call(block.get("tool_call_id"), block.get("tool_name"), block.get("tool_kwargs")))
        for place, block, kind in blocks
        if kind == "tool_call"
    ]
    kept = dicts_of(list_of(beside.get("tool_calls"))) if not calls else ()
    calls += [(pointer("additional_kwargs", "tool_calls", at), _kept_call(call)) for at, call in kept]
    yield {"role": role, "content": texts}, "", calls


_LLAMA_ROLES: Final = {"model": "assistant", "chatbot": "assistant"}
"""Roles that LlamaIndex has for Gemini's and Cohere's sake → what its clients send (`MessageRole`)."""


def _kept_call(call: dict[str, Any]) -> dict[str, Any]:
    """Return a call that stands beside a message, as its API sent it: OpenAI's form, Ollama's, or Anthropic's block."""
    if call.get("type") == "tool_use":
        return _call(call.get("id"), call.get("name"), call.get("input"))
    function = dict_of(call.get("function"))
    if isinstance(function.get("arguments"), dict):
        return call | {"function": {**function, "arguments": _text(function["arguments"])}}
    return call


_SPRING_ROLES: Final = frozenset({"user", "assistant", "system", "tool"})
_FRAMEWORKS: Final = (
    (lambda one: one.get("kind") in ("request", "response") and _has(one, "parts"), _read(_pydantic_ai)),
    (lambda one: isinstance(one.get("Role"), dict | str) and _has(one, "Items"), _read(_semantic_kernel)),
    (
        lambda one: _has(one, "items") and (one.get("content_type") == "message" or _is_typed(one)),
        _read(_semantic_kernel),
    ),
    (lambda one: text_of(one.get("messageType")).lower() in _SPRING_ROLES and "role" not in one, _read(_spring_ai)),
    (lambda one: _has(one, "blocks") and "additional_kwargs" in one, _read(_llama_index)),
)
"""What all messages of a framework have, and what reads them."""


def _has(message: dict[str, Any], key: str) -> bool:
    return isinstance(message.get(key), list)


def _is_typed(message: dict[str, Any]) -> bool:
    """Whether items say their type as .NET writes it, beside a role."""
    return "role" in message and any("$type" in item for _, item in dicts_of(message["items"]))
