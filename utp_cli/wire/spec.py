"""What a wire format tells, in words that no format owns.

A decoder takes the JSON documents of one answer (one body, or one document a stream event) and says what each
adds. A whole body is a stream of one document, so there is one reader for both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from utp_cli.protocol.records import MutableRecord, Record

if TYPE_CHECKING:
    from utp_cli.protocol.calls import ServerCall, WireAnomaly


class _Absent:
    """The type of `ABSENT`."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()
"""Arguments that the wire did not write at all, which is not the same as null."""
MOST_EVIDENCE = 200
"""Characters of the input that an anomaly quotes at most."""


class TextPiece(NamedTuple):
    """The next piece of a text. Pieces of one pointer join without anything between them.

    A tuple, as all but the rarest events are: a long stream has one for every few characters.
    """

    pointer: str
    """Where the text stands in the body, or would stand in the body that a stream adds up to."""
    text: str
    kind: Literal["text", "reasoning"] = "text"


class CallOpened(NamedTuple):
    """A native call has begun; sent once its name is known."""

    key: int
    """Counts the calls of an answer from 0, in the order in which they began; those that the provider ran count too."""
    name: str
    id: str | int | None
    pointer: str
    """Where the arguments stand (as for `TextPiece`)."""


class CallPiece(NamedTuple):
    """The next piece of the arguments' text, for calls that arrive in pieces."""

    key: int
    text: str


class CallDone(NamedTuple):
    """A native call is as whole as it will get. The one event that every call gets."""

    key: int
    name: str | None
    """None where the wire never gave one."""
    id: str | int | None
    """The wire's, None for a missing, empty or `"null"` one."""
    pointer: str
    arguments: Any = ABSENT
    """As the wire has it: a decoded value, the JSON *text* (a str), or `ABSENT`."""
    custom: bool = False
    """A free-text tool: `arguments` is its input text."""
    absent_is_empty: bool = False
    """The format allows arguments to be left out, so that `{}` for them is no repair."""
    text_due: bool = False
    """The format writes arguments as JSON text (OpenAI), so that a str is to be decoded once without a repair."""
    server: str | None = None
    """The MCP server the call is routed to."""
    hosted: bool = False
    """A tool that the provider defines and the client runs (a computer, a shell): no definition of the caller's says
    what its arguments are."""
    signature: str | None = None
    """Gemini's thought signature, which it wants back with the call."""


class ServerCallSeen(Record):
    """A call that the provider ran itself."""

    call: ServerCall


class Finished(NamedTuple):
    """The end, and why, in the wire's own word."""

    reason: str | None


WireEvent = TextPiece | CallOpened | CallPiece | CallDone | ServerCallSeen | Finished


class WireMetadata(MutableRecord):
    """What the documents said beside their events; a decoder fills it in as it reads."""

    model: str | None = None
    error: str | None = None
    status: int | str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    begun: bool | None = None
    """Whether the first event of a stream goes on with nothing; None before it was read, or where nobody looks."""
    ended: bool = False
    blank_name: str = ""
    """The place of a call whose later pieces have an empty name; `""` for none."""
    finish_message: str | None = None
    flavour: str | None = None
    anomalies: list[WireAnomaly]


class Decoder(Protocol):
    """Reads the documents of one answer in one format. Never raises, whatever the documents hold."""

    metadata: WireMetadata

    def feed(self, document: Any) -> list[WireEvent]:
        """Read the next document: the one body, or the data of the next stream event."""

    def close(self) -> list[WireEvent]:
        """There is no more: every open call gets its `CallDone`."""
