"""A message that stands alone: without its role, or a piece out of the middle of an answer."""

from __future__ import annotations

from typing import Any, Final

from utp_cli.dialects.catalogue import CALL_MARKUP
from utp_cli.protocol.numbers import loads_or_none
from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import dicts_of, text_of

_MARKUP: Final = regex(CALL_MARKUP)
_MEMBER: Final = regex(r"\s*\"(?:reasoning_content|reasoning|content|tool_calls)\"\s*:\s*[\"\[]")
"""How a piece out of the middle of an answer begins."""
_CALLED: Final = frozenset({"function", "args", "arguments"})
"""What a call of a message has, whose role was left out."""
_BESIDE: Final = frozenset({"content", "reasoning", "id", "type", "model", "usage", "stop_reason", "stop_sequence"})
"""What stands in a message whose role was left out; a result of MCP's tools, or a page, has other fields."""
_MESSAGE: Final = regex(r"\s*\{\s*\"(?:content|text|aiMessage|toolExecutionRequests)\"\s*:")
"""How a message without a role begins."""


def message_in(text: str) -> dict[str, Any] | None:
    """Read a message without a role; or members of one, without the braces around them, maybe to the middle of a text.

    None where the text is neither.
    """
    if _MESSAGE.match(text):
        document = loads_or_none(text)
        return message_of(document) if isinstance(document, dict) else None
    if not _MEMBER.match(text):
        return None
    piece = text.strip().rstrip(",")
    message = next(filter(None, (loads_or_none(f"{{{piece}{end}") for end in ("}", '"}'))), None)
    return {"role": "assistant", "content": None, **message} if isinstance(message, dict) else None


def message_of(source: dict[str, Any]) -> dict[str, Any] | None:
    """Return the message of an assistant that a document without a role is; None where it is none.

    A result of a tool of MCP has such content too.
    """
    source = source["aiMessage"] if isinstance(source.get("aiMessage"), dict) else source
    if asked := [call for _, call in dicts_of(source.get("toolExecutionRequests"))]:
        return {"role": "assistant", "content": source.get("text"), "tool_calls": list(map(_of_langchain4j, asked))}
    blocks = [text_of(block.get("text")).lstrip() for _, block in dicts_of(source.get("content"))]
    called = any(not _CALLED.isdisjoint(call) for _, call in dicts_of(source.get("tool_calls")))
    written = any(map(_MARKUP.match, blocks)) and source.keys() <= _BESIDE
    return {"role": "assistant", **source} if called or written else None


def _of_langchain4j(call: dict[str, Any]) -> dict[str, Any]:
    """Write a call of LangChain4j's messages as OpenAI has it."""
    function = {"name": call.get("name"), "arguments": call.get("arguments") or "{}"}
    return {"id": call.get("id"), "type": "function", "function": function}
