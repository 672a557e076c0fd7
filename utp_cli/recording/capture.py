"""What went by between a client and a server → a line of a session file."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from utp_cli.protocol.numbers import dumps, loads_or_none
from utp_cli.recording.redaction import spans_of
from utp_cli.recording.secrets import secrets_of, without_parameters
from utp_cli.recording.split import bytes_hold, without_split
from utp_cli.wire.shape import recognise

if TYPE_CHECKING:
    from utp_cli.recording.redaction import Redactor

Ended = Literal["complete", "client-gone", "upstream-broke", "unreachable", "stopped", "too-long"]
_STREAMS = ("text/event-stream", "application/x-ndjson", "application/jsonl", "application/vnd.amazon.eventstream")
WITHHELD = "[withheld: it holds a key]"
UNREADABLE = "[withheld: its content encoding is not known, so it may hold a key]"


@dataclass(slots=True, kw_only=True)
class RecordedExchange:
    """One exchange as it went by; both bodies, from `unpack` on without their content encoding."""

    method: str
    path: str
    """With the query."""
    host: str = ""
    """The server that is asked, without its port."""
    at: float
    """When the request came, in seconds since the epoch."""
    request_headers: list[tuple[str, str]]
    request_body: bytes = b""
    status: int | None = None
    response_headers: list[tuple[str, str]] = field(default_factory=list)
    response_body: bytes = b""
    elapsed: float = 0.0
    """Seconds."""
    ended: Ended = "stopped"
    unreadable: bool = False
    """The content encoding of a body is not known here."""
    healed: list[dict[str, Any]] = field(default_factory=list)
    """What was changed on the way to the client, as `Heal.to_dict` says it; the body is as the server sent it."""
    fitted: list[dict[str, str]] = field(default_factory=list)
    """What was changed in the history on the way to the server, as `Fitted.told` says it; the body is the client's."""
    note: str = ""
    """Why it was not healed, where it was to be."""
    retries: int = 0
    """How often the model had been asked before, within one request of the client."""
    dropped: bool = False
    """The client got nothing of this answer: the model was asked again."""
    mode: str = ""
    """How tools were emulated; the body is then the answer with its calls, as a whole."""
    held: float = 0.0
    """The longest that bytes of a stream were held back, in seconds."""

    @property
    def request(self) -> Any:
        """The decoded body of the request; None where it is no JSON."""
        return loads_or_none(_text(self.request_body))

    @property
    def asks_model(self) -> bool:
        """Whether this is worth recording: lists of models, health checks and pages are not."""
        request = self.request
        return self.method == "POST" and isinstance(request, dict) and recognise(request).side == "request"


def row_of(capture: RecordedExchange, redactor: Redactor) -> dict[str, Any]:
    """Write an exchange as a line of a session file, without secrets."""
    secrets = secrets_of([*capture.request_headers, *capture.response_headers], capture.path)
    row: dict[str, Any] = {
        "at": datetime.fromtimestamp(capture.at, UTC).isoformat(timespec="milliseconds"),
        "path": redactor.text(without_parameters(capture.path), secrets),
        "request": loads_or_none(redactor.text(_text(capture.request_body) or "", secrets)),
        **_answer(capture, redactor, secrets),
        "status": capture.status,
        "elapsed": round(capture.elapsed, 3),
    }
    if capture.healed:
        row["healed"] = loads_or_none(redactor.text(dumps(capture.healed), secrets))
    if capture.fitted:
        row["fitted"] = loads_or_none(redactor.text(dumps(capture.fitted), secrets))
    ended = "" if capture.ended == "complete" else capture.ended
    more = {"mode": capture.mode, "repair_attempts": capture.retries, "ended": ended}
    return row | {key: value for key, value in more.items() if value}


def _answer(capture: RecordedExchange, redactor: Redactor, secrets: set[str]) -> dict[str, Any]:
    look = partial(spans_of, secrets=secrets)
    if capture.unreadable:
        return {"stream": UNREADABLE}
    text = _text(capture.response_body)
    if text is None:
        if bytes_hold(capture.response_body, look):
            return {"stream": WITHHELD}
        return {"stream_base64": base64.b64encode(capture.response_body).decode("ascii")}
    clean = redactor.text(text, secrets)
    kind = next((value for name, value in capture.response_headers if name.lower() == "content-type"), "")
    body = None if kind.startswith(_STREAMS) else loads_or_none(clean)
    if isinstance(body, dict):
        return {"response": body}
    clean = without_split(clean, look)
    body = loads_or_none(clean) if body is not None else None
    return {"stream": clean} if body is None else {"response": body}


def _text(body: bytes) -> str | None:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        # A body that was cut may end within a character.
        return body[: error.start].decode("utf-8") if error.end == len(body) and len(body) - error.start < 4 else None
