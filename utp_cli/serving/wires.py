"""The wires that answers are healed on: how a request is told, and what keeps a client waiting while nothing is said.

| wire | a sign of life that no client minds |
| --- | --- |
| openai-chat, openai-responses | a comment; before `response.created` nothing else is allowed |
| anthropic | `event: ping`; a comment is no event, and clients count events |
| ollama | a line without text; a blank line or a comment breaks its client |
| gemini | an empty object; a comment breaks its client |

Measured with the official clients in November 2026.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps, loads
from utp_cli.wire.access import dict_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

SSE: Final = "text/event-stream"
NDJSON: Final = "application/x-ndjson"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedWire:
    """What differs between the wires, beside the answers themselves."""

    name: str
    """A name of `wire.catalogue.FORMATS`."""
    ends: tuple[str, ...]
    """How the path of a request ends, without its query."""
    media: str = SSE
    beat: Callable[[str], bytes]
    """A sign of life in a stream; takes the model's id."""
    fault: Callable[[dict[str, Any]], bytes]
    """An event that tells of an error in the midst of a stream; takes the error."""
    streams_by_path: bool = False
    """Whether to stream is said by the path, so that an answer is a stream whatever the request says."""
    messages: str = "messages"
    """Where a request keeps its conversation."""

    def at_boundary(self, tail: bytes) -> bool:
        """Whether an event may begin behind bytes that end so; `tail`: at least the last four."""
        if not tail:
            return True
        ends = (b"\n",) if self.media == NDJSON else (b"\n\n", b"\r\n\r\n", b"\r\r")
        return tail.endswith(ends)


def _event(data: dict[str, Any], name: str = "", end: str = "\n\n") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {dumps(data)}{end}".encode()


def _ollama_beat(model: str) -> bytes:
    now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    said = {"model": model, "created_at": now, "message": {"role": "assistant", "content": ""}, "done": False}
    return f"{dumps(said)}\n".encode()


def _comment(_: str) -> bytes:
    return b": still working\n\n"


WIRES: Final = (
    ServedWire(
        name="openai-chat", ends=("/chat/completions",), beat=_comment, fault=lambda error: _event({"error": error})
    ),
    ServedWire(
        name="openai-responses", ends=("/responses",), beat=_comment, messages="input",
        fault=lambda error: _event({"error": error}),
    ),
    ServedWire(
        name="anthropic", ends=("/messages",), beat=lambda _: _event({"type": "ping"}, "ping"),
        fault=lambda error: _event({"type": "error", "error": error}, "error"),
    ),
    ServedWire(
        name="ollama", ends=("/api/chat",), media=NDJSON, beat=_ollama_beat,
        fault=lambda error: f"{dumps({'error': text_of(error.get('message'))})}\n".encode(),
    ),
    ServedWire(
        name="gemini", ends=(":generateContent", ":streamGenerateContent"), messages="contents",
        streams_by_path=True,
        beat=lambda _: _event({}, end="\r\n\r\n"), fault=lambda error: _event({"error": error}, end="\r\n\r\n"),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRequest:
    """What a request for an answer says."""

    wire: ServedWire
    path: str
    """With the query."""
    request: dict[str, Any]
    model: str
    """`""` where none is named."""
    stream: bool

    @property
    def tools(self) -> list[Any]:
        """The definitions that the request offers, where it lets the model call."""
        choice = self.request.get("tool_choice")
        if choice == "none" or dict_of(choice).get("type") == "none":
            return []
        tools = self.request.get("tools")
        return tools if isinstance(tools, list) else []

    def told(self, document: Any) -> dict[str, Any]:
        """Return the error in the body of an answer, in the form that events have it."""
        error = dict_of(document).get("error")
        if isinstance(error, dict):
            return error
        return {"type": "api_error", "message": text_of(error) or "the server answered with an error"}


def asked_of(path: str, body: bytes) -> AnswerRequest | None:
    """Read a request; None where it asks for no answer on a known wire, or is no JSON."""
    before, _, query = path.partition("?")
    wire = next((wire for wire in WIRES if before.rstrip("/").endswith(wire.ends)), None)
    if wire is None:
        return None
    try:
        request = loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(request, dict) or not isinstance(request.get(wire.messages), list | str):
        return None
    model = text_of(request.get("model"))
    stream = request.get("stream", wire.media == NDJSON) is True
    if wire.name == "gemini":
        model = before.rpartition("/models/")[2].partition(":")[0]
        stream = before.endswith(":streamGenerateContent")
        if stream and "alt=sse" not in query:
            return None  # one JSON list in pieces: clients read it as it comes, and there is no event to add to it
    return AnswerRequest(wire=wire, path=path, request=request, model=model, stream=stream)
