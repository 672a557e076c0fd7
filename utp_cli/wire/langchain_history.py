"""Conversations as LangChain keeps them: messages with a type in place of a role, and calls that are flat.

Forms: `model_dump` and `dumpd` of messages, `messages_to_dict`; langchain-core 1.8 (November 2026).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.spans import pointer
from utp_cli.wire.access import dict_of, dicts_of, list_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from utp_cli.wire.client_messages import Said

_ROLES: Final = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "tool": "tool",
    "function": "function",
    **{f"{name}MessageChunk": role for name, role in (("Human", "user"), ("AI", "assistant"), ("Tool", "tool"))},
    **{f"{name}Message": role for name, role in (("Human", "user"), ("AI", "assistant"), ("Tool", "tool"))},
    "SystemMessage": "system",
}
"""The type of a message, or the name of its class → its role."""
_OWN: Final = frozenset({"human", "ai", "HumanMessage", "AIMessage", "AIMessageChunk", "ToolMessage"})
"""Types that no API has for messages."""


def is_langchain(messages: Sequence[Any]) -> bool:
    """Whether messages have LangChain's types, and no roles."""
    read = [(_kind(message), message) for _, message in dicts_of(messages)]
    return any(kind in _OWN for kind, _ in read) and all(
        kind in _ROLES and "role" not in message for kind, message in read
    )


def of_langchain(messages: Sequence[Any]) -> Iterator[Said]:
    """Read messages; a call that could not be read is sent back with the text of its arguments, as it came."""
    for at, message in dicts_of(messages):
        key, held = _held(message)
        place = pointer(at) + (pointer(key) if key else "")
        calls = [
            (place + pointer(name, number), call)
            for name in ("tool_calls", "invalid_tool_calls")
            for number, call in dicts_of(held.get(name))
        ]
        content = held.get("content")
        if calls and isinstance(content, list):  # Anthropic's blocks of the same calls
            content = [part for part in content if text_of(dict_of(part).get("type")) != "tool_use"]
        said = {"role": _ROLES[_kind(message)], "content": content}
        said |= {name: held[name] for name in ("name", "tool_call_id", "status") if held.get(name) is not None}
        yield (
            said | ({"tool_calls": [_call(call) for _, call in calls]} if calls else {}),
            place,
            tuple(where for where, _ in calls),
        )


def _held(message: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the key under which the fields of a message stand, and the fields; `""` where they stand in it."""
    for key in ("kwargs", "data"):
        if isinstance(message.get(key), dict):
            return key, message[key]
    return "", message


def _kind(message: dict[str, Any]) -> str:
    path = list_of(message.get("id")) if message.get("type") == "constructor" else []
    return text_of(path[-1]) if path else text_of(message.get("type"))


def _call(call: dict[str, Any]) -> dict[str, Any]:
    given = call.get("args")
    written = given if isinstance(given, str) else json_dumps(given, ensure_ascii=False, default=repr)
    function = {"name": call.get("name"), **({"arguments": written} if "args" in call else {})}
    return {"id": call.get("id"), "type": "function", "function": function}
