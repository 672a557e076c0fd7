"""Session files of coding agents: lines that each hold one message, or one item, of a conversation.

    Claude Code   {"type": "assistant", "message": {"role": "assistant", "content": […]}, "sessionId": …}
    Codex         {"type": "response_item", "payload": {"type": "function_call", "name": …}}

Sources: what Claude Code 2.0 writes below `~/.claude/projects` and Codex 0.4x below `~/.codex/sessions`, as public code
reads it (November 2026).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from utp_cli.wire.access import dict_of, dicts_of, text_of
from utp_cli.wire.history import messages_of

if TYPE_CHECKING:
    from collections.abc import Sequence


class Transcript(NamedTuple):
    """What a session file holds."""

    conversation: dict[str, Any]
    """`{"messages": […]}`, in the form of Anthropic or of openai-chat; of a single line: its message, an answer."""
    error: str
    """The error that it ends with, as the agent wrote it; empty where there is none."""


def transcript_of(rows: Sequence[Any]) -> Transcript | None:
    """Return what the lines of a session file hold; None where they are no such file."""
    lines = [line for _, line in dicts_of(rows)]
    return _codex(lines) or _claude_code(lines)


def codex_item(line: dict[str, Any]) -> dict[str, Any]:
    """Return the item of the Responses API that a line of Codex holds; an empty one where it holds none."""
    return dict_of(line.get("payload")) if line.get("type") == "response_item" else {}


def _codex(lines: list[dict[str, Any]]) -> Transcript | None:
    items = [item for line in lines if (item := codex_item(line))]
    if not items:
        return None
    last = dict_of(lines[-1].get("payload"))
    messages = [{**message} for message in messages_of({"input": items}) or []]
    return Transcript({"messages": messages}, text_of(last.get("message")) if last.get("type") == "error" else "")


def _claude_code(lines: list[dict[str, Any]]) -> Transcript | None:
    lines = [line for line in lines if _is_said(line)]
    if len(lines) == 1 and lines[0]["type"] == "user":  # what it answers is not here
        return None
    if not any("uuid" in line or "sessionId" in line for line in lines):
        return None
    messages: list[dict[str, Any]] = []
    answer = ""
    for line in lines:
        message = line["message"]
        if line.get("isApiErrorMessage"):
            continue
        if messages and answer and answer == message.get("id"):  # a line for each block of one answer
            before = messages[-1]["content"]
            messages[-1] = {**message, "content": [*before, *(message.get("content") or [])]}
            continue
        answer = text_of(message.get("id"))
        messages.append(message)
    said = messages[0] if len(lines) == len(messages) == 1 else {"messages": messages}
    return Transcript(said, _text(lines[-1]) if lines[-1].get("isApiErrorMessage") else "")


def _is_said(line: dict[str, Any]) -> bool:
    """Whether a line is a message of the conversation itself, and not of a helper's beside it."""
    said = dict_of(line.get("message")).get("role")
    return line.get("type") in ("user", "assistant") and line["type"] == said and not line.get("isSidechain")


def _text(line: dict[str, Any]) -> str:
    content = dict_of(line["message"]).get("content")
    return content if isinstance(content, str) else "".join(text_of(one.get("text")) for _, one in dicts_of(content))
