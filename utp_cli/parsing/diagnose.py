"""Diagnoses of a capture of any kind: the whole road, where there is an answer to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.observation import finding_of
from utp_cli.diagnosis.run import ANSWER_KINDS, diagnose_other
from utp_cli.parsing.parser import parse
from utp_cli.protocol.findings import Place
from utp_cli.protocol.numbers import json_dumps
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
    found = diagnose_other(kind, {**known, **(request or {}), **said})
    return found + _left_in_text(table, known) if kind == "session" else found


_IN_TEXT: Final = frozenset({"call-left-in-content", "harmony-leak", "parser-mismatch", "special-tokens-stripped"})
_MOST: Final = 20
"""Messages that are read, from the end."""
_ABOUT: Final = frozenset({"role", "id", "name", "type", "timestamp", "createdAt", "model"})
"""Fields of a message that say nothing."""
_MARKUP: Final = regex(r"[\[<{|]")


def _left_in_text(session: Mapping[str, Any], known: Mapping[str, Any]) -> list[Finding]:
    """Read the assistant's messages as the answers that they were; tell of the last with a call that nothing ran."""
    messages = session.get("messages", session.get("session"))
    said = [
        (at, message)
        for at, message in enumerate(messages if isinstance(messages, list) else ())
        if isinstance(message, dict) and message.get("role") == "assistant" and not message.get("tool_calls")
    ]
    for at, message in said[: -_MOST - 1 : -1]:
        content = message.get("content")
        if isinstance(content, str) and _MARKUP.search(content):
            named = parse({"role": "assistant", "content": content}, **known).diagnoses
            if found := [one for one in named if one.code in _IN_TEXT and one.severity == "error"]:
                return [replace(one, place=replace(one.place, pointer=f"/messages/{at}/content")) for one in found]
    return _nothing_said(*said[-1]) if said and messages and said[-1][1] is messages[-1] else []


def _nothing_said(at: int, message: Mapping[str, Any]) -> list[Finding]:
    """Say of a session that ends with an answer which has nothing in it that a call may be lost."""
    if any(value for key, value in message.items() if key not in _ABOUT):
        return []
    from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - all pages, for one message

    found = finding_of(
        DIAGNOSES["calls-lost"],
        "perhaps: the last answer has neither text nor call",
        json_dumps(message),
        severity="info",
        confidence="low",
    )
    return [replace(found, place=Place(pointer=f"/messages/{at}"))]
