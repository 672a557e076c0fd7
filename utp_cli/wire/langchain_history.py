"""Conversations as LangChain keeps them: messages with a type in place of a role, and calls that are flat.

Forms: `model_dump` and `dumpd` of messages, `messages_to_dict`; langchain-core 1.8 (November 2026).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps
from utp_cli.protocol.spans import pointer
from utp_cli.wire.access import dict_of, dicts_of, list_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from utp_cli.wire.client_messages import Said

_CLASSES: Final = {"human": "Human", "ai": "AI", "system": "System", "tool": "Tool", "function": "Function"}
_TYPES: Final = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function"}
_ROLES: Final = {
    name: role
    for kind, role in _TYPES.items()
    for name in (kind, *(f"{_CLASSES[kind]}Message{end}" for end in ("", "Chunk")))
}
"""The type of a message, or the name of its class → its role."""
_FREE: Final = frozenset({"chat", "ChatMessage", "ChatMessageChunk"})
"""Types of messages that have a role of their own beside the type."""
_OWN: Final = frozenset(_ROLES) - {"system", "tool", "function"}
"""Types that no API has for messages."""
_SAME_CALLS: Final = frozenset({"tool_use", "tool_call", "tool_call_chunk", "invalid_tool_call", "function_call"})
"""Types of blocks that say the same as `tool_calls` does."""
_SIGNATURES: Final = "__gemini_function_call_thought_signatures__"
"""Where langchain-google-genai 4 keeps the signatures: the id of a call → its signature."""


def is_langchain(messages: Sequence[Any]) -> bool:
    """Whether messages have LangChain's types, and no roles but where the type leaves it open."""
    read = [(_kind(message), message) for _, message in dicts_of(messages)]
    return any(kind in _OWN for kind, _ in read) and all(
        kind in _FREE or (kind in _ROLES and "role" not in message) for kind, message in read
    )


def of_langchain(messages: Sequence[Any]) -> Iterator[Said]:
    """Read messages; a call that could not be read is sent back with the text of its arguments, as it came."""
    for at, message in dicts_of(messages):
        key, held = held_in(message)
        place, beside = pointer(at) + (pointer(key) if key else ""), dict_of(held.get("additional_kwargs"))
        calls = [
            (place + pointer(name, number), _call(call, dict_of(beside.get(_SIGNATURES))))
            for name in ("tool_calls", "invalid_tool_calls")
            for number, call in dicts_of(held.get(name))
        ]
        if not calls:  # as versions before 0.2 wrote them: LangChain still reads them
            kept = dicts_of(beside.get("tool_calls"))
            calls = [(place + pointer("additional_kwargs", "tool_calls", number), call) for number, call in kept]
        content = held.get("content")
        if calls and isinstance(content, list):
            content = [part for part in content if text_of(dict_of(part).get("type")) not in _SAME_CALLS]
        said = {"role": _ROLES.get(_kind(message), held.get("role")), "content": content}
        said |= {name: held[name] for name in ("name", "tool_call_id") if held.get(name) is not None}
        said |= {"status": "error"} if held.get("status") == "error" else {}
        yield (
            said | ({"tool_calls": [call for _, call in calls]} if calls else {}),
            place,
            tuple(where for where, _ in calls),
        )


def held_in(message: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the key under which the fields of a message stand, and the fields; `""` where they stand in it."""
    for key in ("kwargs", "data"):
        if isinstance(message.get(key), dict):
            return key, message[key]
    return "", message


def _kind(message: dict[str, Any]) -> str:
    path = list_of(message.get("id")) if message.get("type") == "constructor" else []
    return text_of(path[-1]) if path else text_of(message.get("type"))


def _call(call: dict[str, Any], signatures: dict[str, Any]) -> dict[str, Any]:
    given = call.get("args")
    written = given if isinstance(given, str) else dumps(given, default=repr)
    function = {"name": call.get("name"), **({"arguments": written} if "args" in call else {})}
    signature = signatures.get(text_of(call.get("id")))
    signed = {"thought_signature": signature} if signature else {}
    return {"id": call.get("id"), "type": "function", "function": function, **signed}
