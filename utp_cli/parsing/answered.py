"""Whether an answer was read at all: an error, a request, tool definitions, an empty answer are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from utp_cli.protocol.calls import ParseResult


def no_answer(result: ParseResult) -> str | None:
    """Say what was read in place of an answer; None where there is one."""
    if result.shape == "error":
        return "no answer: the server sent an error"
    if (other := other_than_answer(result)) or _says_something(result):
        return other
    if result.shape == "unknown":
        return "no answer: JSON in no known format"
    tokens = result.facts.prompt_tokens
    return (
        f"empty answer after {tokens:,} prompt tokens: was the context cut?" if tokens else "no call: an empty answer"
    )


def other_than_answer(result: ParseResult) -> str | None:
    """Say what the input is where it is a request, tools, a result, a log line; None where it is none of them."""
    return _OTHERS.get(result.captures[result.chosen].kind) if result.captures else None


_OTHERS: dict[str, str] = {
    "request": "this is a request, not an answer",
    "tools": "these are tool definitions, not an answer",
    "result": "this is the result of a tool, not an answer",
    "log": "a log line, without the answer or the error that it tells of",
}
"""Kinds of capture that are no answer, and what to say of each."""


def _says_something(result: ParseResult) -> bool:
    if result.calls or result.rejected or result.server_calls or result.content.strip() or result.reasoning:
        return True
    return any(finding.severity == "error" for finding in result.diagnoses) or _speaks_otherwise(result.facts.document)


def _speaks_otherwise(document: object) -> bool:
    """Whether a message holds something that is neither text nor call: a refusal, sound, a picture."""
    choices = document.get("choices") if isinstance(document, dict) else None
    messages = [c.get("message") for c in choices if isinstance(c, dict)] if isinstance(choices, list) else []
    return any(isinstance(m, dict) and any(m.get(key) for key in ("refusal", "audio", "images")) for m in messages)
