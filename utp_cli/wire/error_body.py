"""What a body that is an error says; also error events in the middle of a stream."""

from __future__ import annotations

from typing import Any

from utp_cli.wire.access import dict_of, text_of
from utp_cli.wire.decoder import first_known, quoted

_MESSAGES = ("message", "error", "detail", "msg")
_CODES = ("code", "status", "status_code", "type")


def error_of(document: Any) -> tuple[str, int | str | None] | None:
    """Return the message and the code of an error; None where the document is none."""
    doc = dict_of(document)
    error = doc.get("error")
    if not error and "error" not in (doc.get("type"), doc.get("object")):
        return None
    inner = dict_of(error)
    said = [text_of(place.get(key)) for place in (inner, doc) for key in _MESSAGES]
    codes = [_code(place.get(key)) for place in (inner, doc) for key in _CODES if place.get(key) != "error"]
    return next(filter(None, said), "") or quoted(error)[:1000], first_known(*codes)


def _code(value: Any) -> int | str | None:
    return value if isinstance(value, int | str) and not isinstance(value, bool) and value != "" else None
