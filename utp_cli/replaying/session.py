"""A captured conversation with a model: a header, and exchanges of a request and an answer."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from utp_cli.wire.history import messages_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One answer, with the request that asked for it where that is known."""

    response: Any = None
    """The decoded body; None where the answer was streamed."""
    stream: str | bytes | None = None
    """A streamed answer as it came."""
    request: Mapping[str, Any] | None = None
    status: int | None = None
    """Of HTTP."""
    elapsed: float | None = None
    """Seconds from the request to the end of the answer."""
    failure: str | None = None
    """Why there is no answer."""
    repair_attempts: int = 0
    """How often the model was told what was wrong before this answer came."""
    expected: list[dict[str, Any]] | None = None
    """The calls `{name, arguments}` that somebody accepted; None where nobody did."""
    expected_delivered: list[dict[str, Any]] | None = None
    """The native calls that somebody accepted, where those are not all that could be read."""
    path: str | None = None
    """Where the request went, below the server's root: `/v1/chat/completions`."""
    line: int | None = None
    """Line of the session file, from 1."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """What else its line says."""

    @property
    def source(self) -> Any:
        """What there is to parse."""
        return self.stream if self.stream is not None else self.response

    def to_dict(self) -> dict[str, Any]:
        """Write it as a line of a session file."""
        body: dict[str, Any] = {"response": self.response}
        if isinstance(self.stream, str):
            body = {"stream": self.stream}
        elif self.stream is not None:
            body = {"stream_base64": base64.b64encode(self.stream).decode("ascii")}
        agreed = {"calls": self.expected, "delivered": self.expected_delivered}
        expected = {key: calls for key, calls in agreed.items() if calls is not None} or None
        request = None if self.request is None else dict(self.request)
        row = {"path": self.path, "request": request, **body, "status": self.status, "elapsed": self.elapsed}
        known = {key: value for key, value in {**row, "expected": expected}.items() if value is not None}
        return {**known, **self.more}


class MessagesBefore(Sequence[Any]):
    """The messages before one answer: the beginning of a list that all answers of a conversation share."""

    def __init__(self, whole: list[Any], length: int, known: dict[str, Any]) -> None:
        """`known` is for what is worked out once for the whole list; it is shared as the list is."""
        self.whole = whole
        self.length = length
        self.known = known

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> list[Any]: ...
    def __getitem__(self, at: int | slice) -> Any:
        """Return a message, or a list of some."""
        if isinstance(at, slice):
            return [self.whole[place] for place in range(*at.indices(self.length))]
        return self.whole[range(self.length)[at]]

    def __len__(self) -> int:
        """Count the messages."""
        return self.length


class RequestBefore(Mapping[str, Any]):
    """The request for one answer of a conversation: its messages are those before the answer.

    They are listed when asked for: a kept list for every answer takes the square of the conversation's length.
    """

    def __init__(self, said: Mapping[str, Any], messages: MessagesBefore) -> None:
        """`said`: what the request says beside `messages`."""
        self.said = said
        self.messages = messages

    def __getitem__(self, key: str) -> Any:
        """Return what the request says under a key."""
        return self.messages[:] if key == "messages" else self.said[key]

    def get(self, key: str, default: Any = None) -> Any:
        """Return what the request says under a key; the rules ask for many that it does not have."""
        return self.messages[:] if key == "messages" else self.said.get(key, default)

    def __contains__(self, key: object) -> bool:
        """Whether the request says something under a key; the messages are not listed for that."""
        return key == "messages" or key in self.said

    def __iter__(self) -> Iterator[str]:
        """Give the keys."""
        yield from (*self.said, "messages")

    def __len__(self) -> int:
        """Count the keys."""
        return len(self.said) + 1


def messages_before(exchange: Exchange) -> Sequence[Any]:
    """Return the messages that an exchange's request carries; empty where there are none or no request."""
    request = exchange.request or {}
    return request.messages if isinstance(request, RequestBefore) else messages_of(request) or ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RawLine:
    """A line of a file that nobody has decoded yet."""

    text: str
    number: int
    """From 1."""


@dataclass(kw_only=True)
class Session:
    """A header and its exchanges, which may be read from a file while they are used: go through them once."""

    source: str = ""
    model: str | None = None
    provider: str | None = None
    profile: str | None = None
    tools: list[Any] | None = None
    rows: Iterable[Exchange | RawLine] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    """What holds no answer and was passed over, by kind; known once the rows were read."""
    own: bool = False
    """It is a session file, which may be empty; anything else must hold an answer."""

    def header(self) -> dict[str, Any]:
        """Write the first line of a session file."""
        known = {key: getattr(self, key) for key in ("model", "provider", "profile", "tools")}
        return {"utp_session": 1, **{key: value for key, value in known.items() if value is not None}}
