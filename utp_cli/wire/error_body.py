"""What a body that is an error says; also error events in the middle of a stream.

Providers have five envelopes: `error` (a text or an object); `type` or `object` that is `error`; `message` beside a
`type` or `code` that names a fault (Cerebras, DeepSeek, SiliconFlow); `detail` (FastAPI); a `message` alone (Bedrock).
"""

from __future__ import annotations

import re
from typing import Any, Final

from utp_cli.wire.access import dict_of, text_of
from utp_cli.wire.decoder import first_known, quoted

_MESSAGES = ("message", "error", "detail", "msg")
_CODES = ("code", "status", "status_code", "type")
_FAULT: Final = re.compile(r"error|invalid|exception|exceeded|overloaded", re.IGNORECASE)
_ALONE: Final = frozenset({"message", "__type", "requestid", "request_id", "status", "statuscode", "originalmessage"})
_REFUSES: Final = re.compile(
    r"\b(?:must|invalid|not (?:support|allowed|valid|found|authorized)\w*|(?:does|do|is) not|cannot|can't|could not"
    r"|expected|required?|exceed\w*|denied|fail\w*|error|unknown|unexpected"
    r"|too (?:many|long|large)|throttl\w*|missing)\b",
    re.IGNORECASE,
)
"""Words of one who refuses: a model may write `{"message": "Hello"}`."""
_FIRST_FAULT: Final = 400


def error_of(document: Any) -> tuple[str, int | str | None] | None:
    """Return the message and the code of an error; None where the document is none."""
    doc = dict_of(document)
    error = doc.get("error")
    if not error and not _names_fault(doc):
        return None
    inner = dict_of(error)
    said = [text_of(place.get(key)) for place in (inner, doc) for key in _MESSAGES]
    codes = [_code(place.get(key)) for place in (inner, doc) for key in _CODES if place.get(key) != "error"]
    told = next(filter(None, said), "") or text_of(doc.get("Message"))
    return told or quoted(error or doc.get("detail") or doc)[:1000], first_known(*codes)


def _names_fault(doc: dict[str, Any]) -> bool:
    """Whether a body without `error` is one of an error."""
    if any(text_of(doc.get(key)).lower() == "error" for key in ("type", "object")):
        return True
    if _complains(doc.get("detail")) and doc.keys() <= {"detail", "status", "title", "type", "instance"}:
        return True
    said = text_of(doc.get("message")) or text_of(doc.get("Message")) or text_of(doc.get("msg"))
    if not said or not doc.keys().isdisjoint(
        ("choices", "content", "role", "jsonrpc", "response", "arguments", "parameters")
    ):
        return False
    code = doc.get("code", doc.get("status"))
    faulty = isinstance(code, int) and not isinstance(code, bool) and code >= _FIRST_FAULT
    named = any(_FAULT.search(text_of(doc.get(key))) for key in ("type", "code", "__type", "status"))
    alone = {key.lower() for key in doc} <= _ALONE and _REFUSES.search(said) is not None
    return (
        named
        or alone
        or (faulty and doc.keys() <= {"code", "message", "msg", "data", "status", "success", "metadata", "user_id"})
    )


def _complains(detail: Any) -> bool:
    """Whether a `detail` is what FastAPI and pydantic say of a bad request."""
    listed = detail if isinstance(detail, list) else []
    return any("loc" in dict_of(each) and "msg" in dict_of(each) for each in listed) or (
        isinstance(detail, str) and _REFUSES.search(detail) is not None
    )


def _code(value: Any) -> int | str | None:
    return value if isinstance(value, int | str) and not isinstance(value, bool) and value != "" else None
