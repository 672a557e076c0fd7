"""The conversation that a request carries, in whichever format it asks: as messages in OpenAI's form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps
from utp_cli.protocol.spans import pointer
from utp_cli.wire.access import camel, dict_of, dicts_of, text_of
from utp_cli.wire.client_messages import is_camel, is_model, is_sdk, is_ui, of_camel, of_model, of_ui
from utp_cli.wire.framework_histories import framework_of
from utp_cli.wire.langchain_history import is_langchain, of_langchain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ELSEWHERE: Final = ("previous_response_id", "conversation", "cachedContent")
"""With these the server keeps what came before: the request shows only a part."""
_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
_OF_THE_MODEL: Final = frozenset({*_CALLS, "reasoning"})
"""Items of the Responses API that make one turn with those beside them."""


class HistoryMessage(dict[str, Any]):
    """A message that was put together from what a request, or an answer, holds."""

    def __init__(self, said: dict[str, Any], *, place: str = "", calls: tuple[str, ...] = ()) -> None:
        """`place` is the JSON Pointer of its source in the request, `calls` are those of its calls."""
        super().__init__(said)
        self.place = place
        self.calls = calls


def messages_of(request: Mapping[str, Any]) -> list[Any] | None:
    """Return the messages of a request: `messages` as they are, `input` (Responses) and `contents` (Gemini) rewritten.

    None where there are none, or where what came before them is kept by the server.
    """
    messages = request.get("messages")
    if isinstance(messages, list):
        return _of_client(messages)
    if any(request.get(key) for key in _ELSEWHERE):
        return None
    for key, read in (("input", _of_items), ("contents", _of_contents)):
        if any(item.get("type") == "item_reference" for _, item in dicts_of(request.get(key))):
            return None  # the server keeps that item: it may be a call
        if isinstance(request.get(key), list):
            return list(read(request[key]))
    return None


def is_kept(messages: list[Any]) -> bool:
    """Whether a client library keeps messages in this form, and writes them anew for each API before it sends them."""
    return is_sdk(messages) or is_langchain(messages) or framework_of(messages) is not None


def is_conversation(messages: list[Any]) -> bool:
    """Whether a list holds what a framework keeps of a conversation: somebody else than the assistant speaks in it."""
    known = framework_of(messages) is not None or is_langchain(messages)
    return known and any(said["role"] != "assistant" for said in _of_client(messages) if isinstance(said, dict))


def _of_client(messages: list[Any]) -> list[Any]:
    """Rewrite messages that a client library keeps in a form of its own; others stay as they are."""
    reader = framework_of(messages) or next((read for is_own, read in _CLIENTS if is_own(messages)), None)
    if reader is None:
        return messages
    return [
        HistoryMessage(said, place=f"/messages{place}", calls=tuple(f"/messages{call}" for call in calls))
        for said, place, calls in reader(messages)
    ]


_CLIENTS: Final = ((is_ui, of_ui), (is_model, of_model), (is_camel, of_camel), (is_langchain, of_langchain))


def request_of(listed: list[Any]) -> dict[str, Any]:
    """Return the request whose conversation a list is: of items of the Responses API, else of messages."""
    kinds = {text_of(item.get("type")) for _, item in dicts_of(listed)}
    return {"messages" if kinds.isdisjoint(_OF_THE_MODEL | _OUTPUTS) else "input": listed}


def _of_items(items: list[Any]) -> Iterator[HistoryMessage]:
    """Read the items of the Responses API; calls, and the text and thoughts beside them, are one message."""
    turn: list[tuple[str, dict[str, Any]]] = []
    for at, item in dicts_of(items):
        place, kind = pointer("input", at), text_of(item.get("type"))
        if kind in _OF_THE_MODEL or item.get("role") == "assistant":
            turn.append((place, item))
            continue
        yield from _turn(turn)
        turn = []
        if kind in _OUTPUTS:
            said = {"role": "tool", "tool_call_id": item.get("call_id"), "content": item.get("output")}
            yield HistoryMessage(said, place=place)
        elif "role" in item:  # of the role tool: a message of chat completions
            answers = {"tool_call_id": item["tool_call_id"]} if "tool_call_id" in item else {}
            yield HistoryMessage({"role": item["role"], "content": item.get("content"), **answers}, place=place)
    yield from _turn(turn)


def _turn(items: list[tuple[str, dict[str, Any]]]) -> Iterator[HistoryMessage]:
    if not items:
        return
    texts = [_text(item.get("content")) for _, item in items if item.get("role")]
    called = [(place, item) for place, item in items if text_of(item.get("type")) in _CALLS]
    calls = [_item_call(item) for _, item in called]
    said = {"role": "assistant", "content": "\n".join(texts), **({"tool_calls": calls} if calls else {})}
    yield HistoryMessage(said, place=items[0][0], calls=tuple(place for place, _ in called))


def _item_call(item: dict[str, Any]) -> dict[str, Any]:
    """Write an item as a call; the input of a custom tool is any text."""
    if item["type"] == "custom_tool_call":
        held = {"name": item.get("name"), "input": item.get("input")}
        return {"id": item.get("call_id"), "type": "custom", "custom": held}
    return _call(item.get("call_id"), item.get("name"), item.get("arguments"))


def _of_contents(contents: list[Any]) -> Iterator[HistoryMessage]:
    """Read Gemini's contents; each result is a message, and so is what else its content holds."""
    for at, content in dicts_of(camel(contents)):
        place = pointer("contents", at)
        parts = list(dicts_of(content.get("parts")))
        text = "".join(text_of(part.get("text")) for _, part in parts if part.get("thought") is not True)
        for number, part in parts:
            answer = part.get("functionResponse")
            if isinstance(answer, dict):
                said = {"role": "tool", "name": answer.get("name"), "content": _written(answer.get("response"))}
                said |= {"tool_call_id": answer["id"]} if answer.get("id") else {}
                yield HistoryMessage(said, place=place + pointer("parts", number))
        called = [(number, part) for number, part in parts if isinstance(part.get("functionCall"), dict)]
        if called or text or content.get("role") == "model":
            role = "assistant" if content.get("role") == "model" else "user"
            calls = {"tool_calls": [_gemini_call(part) for _, part in called]} if called else {}
            places = tuple(place + pointer("parts", number) for number, _ in called)
            yield HistoryMessage({"role": role, "content": text, **calls}, place=place, calls=places)


def _gemini_call(part: dict[str, Any]) -> dict[str, Any]:
    """Write a part as a call, what stands beside it included."""
    call = dict_of(part.get("functionCall"))
    beside = {key: value for key, value in part.items() if key != "functionCall"}
    return {**beside, **_call(call.get("id"), call.get("name"), _written(call.get("args", {})))}


def _call(call_id: Any, name: Any, arguments: Any) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _text(content: Any) -> str:
    parts = "".join(text_of(part.get("text")) for _, part in dicts_of(content))
    return content if isinstance(content, str) else parts


def _written(value: Any) -> str:
    return dumps(value, default=repr)
