"""Diagnoses of a capture of any kind: the whole road, where there is an answer to read."""

from __future__ import annotations

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
from utp_cli.wire.history import request_of

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
    listed = request_of(source) if kind == "session" and isinstance(source, list) else {kind: source}
    table = source if isinstance(source, dict) else listed
    # What the capture says of itself comes first.
    said = {key: value for key, value in table.items() if value is not None}
    asked = {**known, **(request or {}), **said}
    if kind == "tools":
        from utp_cli.parsing.audited import diagnose_definitions  # noqa: PLC0415 - only for tools

        return diagnose_definitions(asked)
    found = diagnose_other(kind, asked)
    return found + left_in_text(asked) if kind == "session" else found


_IN_TEXT: Final = frozenset({"call-left-in-content", "harmony-leak", "parser-mismatch", "special-tokens-stripped"})
_LONGEST: Final = 20_000
"""Characters of a message that is read."""
_ABOUT: Final = frozenset({"role", "content", "id", "name", "type", "timestamp", "createdAt", "model"})
"""Fields of a message that say nothing."""
_MARKUP: Final = regex(r"[\[<{|]")
_TAUGHT: Final = regex(rf"{CALL_MARKUP}|[\"']arguments[\"']|<\|?/?tool|\b(?:example|show me|markup|format|JSON)\b")
"""What asks for a call in the text, or for one to look at."""


def left_in_text(session: Mapping[str, Any]) -> list[Finding]:
    """Read the message of the assistant with which a session ends as the answer that it was: a call, or nothing."""
    messages = session.get("messages", session.get("session"))
    turns = [turn for turn in (messages if isinstance(messages, list) else ()) if isinstance(turn, dict)]
    last = turns[-1] if turns and turns[-1] is messages[-1] else {}
    if last.get("role") != "assistant" or last.get("tool_calls"):
        return []
    at, content, before = len(messages) - 1, last.get("content"), turns[-2] if len(turns) > 1 else {}
    if not content:
        said = any(value for key, value in last.items() if key not in _ABOUT)
        return [_nothing_said(at)] if not said and before.get("role") == "user" else []
    if not isinstance(content, str) or len(content) > _LONGEST or not _MARKUP.search(content):
        return []
    if ("`" in content and not content.startswith("```")) or any(_TAUGHT.search(_text_of(turn)) for turn in turns[:-1]):
        return []
    known = {key: session.get(key) for key in ("tools", "server")}
    known |= {key: text for key in ("model", "provider") if isinstance(text := session.get(key), str)}
    read = parse({"role": "assistant", "content": content}, **known)
    found = [one for one in read.diagnoses if one.code in _IN_TEXT and one.severity == "error"]
    tools = known_tools(session.get("tools"))
    marked = any(call.rung == "markup" or call.name in tools for call in read.calls)
    place = Place(pointer=f"/messages/{at}/content")
    return [replace(one, place=place, **({} if marked else {"severity": "info", "confidence": "low"})) for one in found]


def _text_of(turn: Mapping[str, Any]) -> str:
    content = turn.get("content")
    return content if isinstance(content, str) else str(content)[:_LONGEST]


def _nothing_said(at: int) -> Finding:
    """Say of a session that ends with an answer which has nothing in it that a call may be lost."""
    from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - all pages, for one message

    said = "perhaps: the last answer has neither text nor call"
    found = finding_of(DIAGNOSES["calls-lost"], said, 'content: ""', severity="info", confidence="low")
    return replace(found, place=Place(pointer=f"/messages/{at}"))
