"""A captured conversation with a model: a header, and exchanges of a request and an answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One answer, with the request that asked for it where that is known."""

    index: int
    response: Any = None
    """The decoded body; None where the answer was streamed."""
    stream: str | None = None
    """The raw text of a streamed answer."""
    request: Mapping[str, Any] | None = None
    status: int | None = None
    expected: list[dict[str, Any]] | None = None
    """The calls `{name, arguments}` that somebody accepted; None where nobody did."""

    @property
    def source(self) -> Any:
        """What there is to parse."""
        return self.stream if self.stream is not None else self.response


@dataclass(kw_only=True)
class Session:
    """A header and its exchanges. The exchanges may be read while they are used: go through them once."""

    source: str = ""
    model: str | None = None
    provider: str | None = None
    profile: str | None = None
    tools: list[Any] | None = None
    exchanges: Iterable[Exchange] = field(default_factory=list)
    messages: list[Any] | None = None
    """The conversation, where the session was given as one list of messages."""


def session_of(document: Mapping[str, Any], source: str = "") -> Session:
    """Make a session of `{"messages": [...], "tools": [...]}`, or of a header with `"exchanges"`."""
    common = {key: document.get(key) for key in ("model", "provider", "profile", "tools")}
    messages = document.get("messages")
    if isinstance(messages, list):
        return Session(source=source, exchanges=list(_turns(messages)), messages=messages, **common)
    exchanges = document.get("exchanges")
    rows = exchanges if isinstance(exchanges, list) else [document]
    return Session(source=source, exchanges=exchanges_of(rows), **common)


def exchanges_of(rows: Iterable[Any]) -> Iterator[Exchange]:
    """Read rows `{"request", "response" | "stream", "status", "expected"}`; rows that hold no answer are skipped."""
    index = 0
    for row in rows:
        if not isinstance(row, dict) or not ("response" in row or isinstance(row.get("stream"), str)):
            continue
        expected, request = row.get("expected"), row.get("request")
        calls = expected.get("calls") if isinstance(expected, dict) else None
        yield Exchange(
            index=index,
            response=row.get("response"),
            stream=row["stream"] if isinstance(row.get("stream"), str) else None,
            request=request if isinstance(request, dict) else None,
            status=row["status"] if isinstance(row.get("status"), int) else None,
            expected=[call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else None,
        )
        index += 1


def _turns(messages: list[Any]) -> Iterator[Exchange]:
    """Every assistant message is an answer to the messages before it."""
    index = 0
    for position, message in enumerate(messages):
        if isinstance(message, dict) and message.get("role") == "assistant":
            yield Exchange(index=index, response=message, request={"messages": messages[:position]})
            index += 1
