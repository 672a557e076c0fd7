"""What comes from elsewhere, or goes there, without keys: files that are imported, exchanges that are shared."""

from __future__ import annotations

import base64
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps, loads
from utp_cli.recording.capture import WITHHELD
from utp_cli.recording.redaction import Redactor, spans_of
from utp_cli.recording.secrets import secrets_of, without_parameters
from utp_cli.recording.split import bytes_hold, without_split
from utp_cli.replaying.importing import exchanges_in, exchanges_of
from utp_cli.wire.access import dict_of, dicts_of, dig, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from utp_cli.replaying.session import Exchange, RawLine, Session

_REDACTOR: Final = Redactor()


def clean_text(text: str) -> str:
    """Return the text of a file without keys; those that headers of an HTTP archive show are sought in its bodies."""
    document = None
    if '"entries"' in text and '"log"' in text:
        with suppress(ValueError, RecursionError):
            document = loads(text)
    entries = dicts_of(dig(document, "log", "entries")) if isinstance(document, dict) else ()
    cleaned = [_entry(entry) for _, entry in entries]
    if not cleaned or not isinstance(document, dict):
        return _REDACTOR.text(text)
    return dumps({"log": {**dict_of(document["log"]), "entries": cleaned}})


def clean_bytes(data: bytes) -> bytes:
    """Return what was pasted without keys. Bytes that are no text are returned as they are."""
    try:
        return clean_text(data.decode("utf-8")).encode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data


def _entry(entry: dict[str, Any]) -> Any:
    """Clean one entry of an HTTP archive."""
    sides = [dict_of(entry.get(side)) for side in ("request", "response")]
    headers = [
        (text_of(h.get("name")), text_of(h.get("value"))) for side in sides for _, h in dicts_of(side.get("headers"))
    ]
    headers += [("cookie", f"x={text_of(c.get('value'))}") for side in sides for _, c in dicts_of(side.get("cookies"))]
    secrets = secrets_of(headers, text_of(dig(entry, "request", "url")))
    content = dict_of(dig(entry, "response", "content"))
    if content.get("encoding") == "base64":
        content = {**content, **_opened(text_of(content.get("text")), secrets)}
    elif isinstance(content.get("text"), str):
        content = {**content, "text": without_split(content["text"], lambda text: spans_of(text, secrets))}
    whole = {**entry, "response": {**sides[1], "content": content}}
    return loads(_REDACTOR.text(dumps(whole), secrets))


def _opened(text: str, secrets: set[str]) -> dict[str, Any]:
    """Return the content of a base64 body as text; bytes stay as they are, unless they hold a key."""
    try:
        data = base64.b64decode(text)
    except ValueError:
        return {}
    with suppress(UnicodeDecodeError):
        return {"encoding": None, "text": without_split(data.decode("utf-8"), lambda part: spans_of(part, secrets))}
    return {"encoding": None, "text": WITHHELD} if bytes_hold(data, lambda part: spans_of(part, secrets)) else {}


def clean_exchange(exchange: Exchange) -> dict[str, Any]:
    """Return an exchange as a line of a session file, without keys."""
    stream = exchange.stream
    if isinstance(stream, str):
        stream = without_split(stream, spans_of)
    elif stream is not None and bytes_hold(stream, spans_of):
        stream = WITHHELD
    path = exchange.path and without_parameters(exchange.path)
    row = replace(exchange, stream=stream, path=path).to_dict()
    return dict(loads(_REDACTOR.text(dumps(row))))


def clean_session(session: Session) -> Session:
    """Return a session whose exchanges are cleaned as they are read."""
    return replace(session, rows=_cleaned(session.rows, session.source))


def _cleaned(rows: Iterable[Exchange | RawLine], source: str) -> Iterator[Exchange]:
    for exchange in exchanges_of(rows, source):
        for cleaned in exchanges_in(clean_exchange(exchange)):
            yield replace(
                cleaned, line=exchange.line, failure=exchange.failure, repair_attempts=exchange.repair_attempts
            )


def clean_header(header: dict[str, Any]) -> dict[str, Any]:
    """Return the first line of a session file without keys."""
    return dict(loads(_REDACTOR.text(dumps(header))))
