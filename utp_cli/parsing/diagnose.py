"""Diagnoses of a capture of any kind: the whole road, where there is an answer to read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.observation import finding_of
from utp_cli.diagnosis.run import ANSWER_KINDS, diagnose_other
from utp_cli.diagnosis.subject import known_tools
from utp_cli.dialects.catalogue import CALL_MARKUP
from utp_cli.parsing.parser import parse
from utp_cli.protocol.findings import Place
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace
from utp_cli.protocol.sdk_objects import document_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.findings import Finding


def diagnose(
    source: Any,
    kind: str = "response",
    tools: Any = None,
    model: str | None = None,
    provider: str | None = None,
    request: Mapping[str, Any] | None = None,
    server: Mapping[str, Any] | None = None,
) -> list[Finding]:
    """Return the diagnoses of a capture, worst first.

    `kind`: `text`, `response`, `stream` (read by `parse`), `session` (`{"messages", "tools"}`), `tools`
    (`{"provider", "tools"}` or a list of definitions), `template` (the text of a chat template). Raises `BadOption`
    for another kind.
    """
    known = {"tools": tools, "model": model, "provider": provider, "server": server}
    if kind in ANSWER_KINDS:
        reason = (request or {}).get("finish_reason")
        return parse(source, finish_reason=reason, request=request, **known).diagnoses
    source = document_of(source)
    table = source if isinstance(source, dict) else {kind: source}
    # What the capture says of itself comes first.
    said = {key: value for key, value in table.items() if value is not None}
    asked = {**known, **(request or {}), **said}
    found = diagnose_other(kind, asked)
    return found + _left_in_text(asked) if kind == "session" else found


_IN_TEXT: Final = frozenset({"call-left-in-content", "harmony-leak", "parser-mismatch", "special-tokens-stripped"})
_LONGEST: Final = 20_000
"""Characters of a message that is read."""
_MARKUP: Final = regex(r"[\[<{|]")
_ANSWERED: Final = regex(r"tool_response|TOOL_RESULTS|function_results?>|tool_result|\bObservation:")
"""How a client gives back what a tool said, as a message of the user."""


def _left_in_text(session: Mapping[str, Any]) -> list[Finding]:
    """Read the assistant's last message as the answer that it was: a call that nobody answered, or nothing at all."""
    messages = session.get("messages", session.get("session"))
    turns = [turn for turn in (messages if isinstance(messages, list) else ()) if isinstance(turn, dict)]
    at = next((at for at in range(len(turns) - 1, -1, -1) if turns[at].get("role") == "assistant"), None)
    if at is None or turns[at].get("tool_calls") or any(map(_answers, turns[at + 1 :])) or _teaches(turns):
        return []
    content = turns[at].get("content")
    if not content and at == len(turns) - 1 and not any(turns[at].get(key) for key in _SAYING):
        return [_nothing_said(at)]
    if not isinstance(content, str) or len(content) > _LONGEST or not _MARKUP.search(content):
        return []
    known = {key: session.get(key) for key in ("tools", "server")}
    known |= {key: text for key in ("model", "provider") if isinstance(text := session.get(key), str)}
    read = parse({"role": "assistant", "content": content}, **known)
    found = [one for one in read.diagnoses if one.code in _IN_TEXT and one.severity == "error"]
    tools = known_tools(session.get("tools"))
    marked = any(call.rung == "markup" or call.name in tools for call in read.calls)
    place = Place(pointer=f"/messages/{at}/content")
    return [replace(one, place=place, **({} if marked else {"severity": "info", "confidence": "low"})) for one in found]


_SAYING: Final = (
    "tool_calls",
    "reasoning",
    "reasoning_content",
    "thinking",
    "function_call",
    "refusal",
    "parts",
    "audio",
)


def _answers(turn: Mapping[str, Any]) -> bool:
    """Whether a message gives back what a tool said."""
    content = turn.get("content")
    return turn.get("role") in {"tool", "function"} or (isinstance(content, str) and bool(_ANSWERED.search(content)))


def _teaches(turns: list[dict[str, Any]]) -> bool:
    """Whether the prompt asks for calls in the text."""
    said = (turn.get("content") for turn in turns if turn.get("role") in {"system", "developer"})
    return any(isinstance(text, str) and re.search(CALL_MARKUP, text) for text in said)


def _nothing_said(at: int) -> Finding:
    """Say of a session that ends with an answer which has nothing in it that a call may be lost."""
    from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - all pages, for one message

    said = "perhaps: the last answer has neither text nor call"
    found = finding_of(DIAGNOSES["calls-lost"], said, 'content: ""', severity="info", confidence="low")
    return replace(found, place=Place(pointer=f"/messages/{at}"))
