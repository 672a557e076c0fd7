"""Errors in errors: unwrapped hop by hop, until the words of whoever refused are left."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from utp_cli.captures.hops import body_hops, metadata_of, take_off
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, replace
from utp_cli.repair.reader import JsonReader
from utp_cli.wire.access import decode, dict_of
from utp_cli.wire.error_body import error_of, failed_tool, own_error_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST: Final = 8
_MOST_LOOKED_AT: Final = 2000
"""Values of a document that are looked at for an error."""
_BODY: Final = regex(r"""(?<!input_value=)(?:\{(?=\s*\\*["'])|\[(?=\s*\{\s*\\*["']))""")
"""How a body begins. What a validator shows is what it refused."""
_CLOSING: Final = regex(
    r"(?<!\s)\s*+(?:\(Service: \w[^)\n]{0,300}\)(?: ?\(SDK Attempt Count: \d+\))?|\(request id: \w{1,80}\)"
    r"|\(Code -?\d{1,6}\)|\. Received Model Group=.*|During task with name .*|\(Code: \d{3}\))\s*+\Z",
    re.DOTALL,
)
"""What wrappers put behind an error."""
_ESCAPED: Final = regex(r"""(?<!\\)\\++(?=["'])""")
_INNER_KEYS: Final = (
    "responseBody",
    "response_body",
    "body",
    "raw",
    "error",
    "err",
    "exception",
    "exc_info",
    "cause",
    "outputs",
    "output",
    "response",
)
"""Where logs and clients keep the error or the answer that they had; all other values come after these."""
_SIGN_OF_ERROR: Final = regex(r"[Ee]rror|[Ee]xception|invalid_|\b[45]\d\d\b")

_THROWN: Final = regex(r"(?:[\w$.]{0,60}(?:Error|Exception)\b|[^\n]{0,400}\n[ \t]+at )")
"""How a stack begins."""
_TAGGED: Final = regex(r"\s{0,40}<(?:\w{1,20}_)?error>")
"""How clients write an error down for the model that made the call."""


class ErrorRead(Record):
    """The innermost error."""

    message: str
    hops: tuple[str, ...] = ()
    """Who passed it on, outermost first; each name once in a row."""
    status: int | str | None = None
    document: Any = None
    """The innermost body that holds it; None where it was words alone."""


_MOST_INSIDE: Final = 3
"""Documents in documents in whose values errors are looked for."""


def read_error(text: str) -> ErrorRead:
    """Unwrap the text of an error."""
    return _from_text(text, ErrorRead(message=""), 0)


def read_error_body(body: Any) -> ErrorRead | None:
    """Unwrap a decoded error body; None where it holds no error."""
    listed = body if isinstance(body, list) else [body]
    inner = next((each for each in listed if error_of(each)), None)
    return None if inner is None else _from_body(inner, ErrorRead(message=""), 0)


def find_error(document: Any, inside: int = 0) -> ErrorRead | None:
    """Find the error that any document holds: a record of a log, what a client made of an answer.

    `inside`: how many documents this one stands in.
    """
    for value in values_in(document):
        if isinstance(value, dict) and (said := failed_tool(value)):
            return read_error(said)
        if isinstance(value, dict) and (found := read_error_body(value) or _thrown(value)):
            return found
        if isinstance(value, str) and _SIGN_OF_ERROR.search(value):
            read = _from_text(value, ErrorRead(message=""), 0, inside)
            if read.document is not None or read.hops or read.status or _TAGGED.match(value):
                return read
    return None


def _thrown(value: dict[str, Any]) -> ErrorRead | None:
    """Unwrap an exception that a log keeps with its stack: `{"type": "TypeError", "message": …, "stack": …}`."""
    message, stack = value.get("message"), value.get("stack")
    if not (isinstance(message, str) and message and isinstance(stack, str)):
        return None
    return read_error(message) if _THROWN.match(stack) else None


def document_of(error: ErrorRead) -> Any:
    """Return the body to read in place of what was pasted: the innermost, or one made of the words."""
    if (told := error_of(error.document)) and told[0].strip() == error.message:
        return error.document
    body = {"message": error.message} | ({"code": error.status} if error.status is not None else {})
    kept = dict_of(dict_of(error.document).get("error"))
    return {"error": {**{key: value for key, value in kept.items() if key != "metadata"}, **body}}


def _from_text(text: str, so_far: ErrorRead, depth: int, inside: int = 0) -> ErrorRead:
    taken = take_off(_CLOSING.sub("", text))
    hops = _added(so_far.hops, taken.hops)
    status = so_far.status if taken.status is None else taken.status
    found = replace(so_far, message=_CLOSING.sub("", taken.rest).strip(), hops=hops, status=status)
    body = _body_in(taken.rest) if depth < _DEEPEST else None
    if body is None:
        return found
    if _holds_error(body):
        inner = _from_body(body, found, depth + 1)
        return inner if inner.message else replace(found, document=body)
    below = find_error(body, inside + 1) if depth == 0 and inside < _MOST_INSIDE else None
    return replace(below, hops=_added(hops, below.hops), status=below.status or status) if below else found


def _from_body(body: Any, so_far: ErrorRead, depth: int) -> ErrorRead:
    if isinstance(body, list):
        body = next((each for each in body if error_of(each)), {})
    told = own_error_of(body)
    if told is None:
        return so_far
    message, status = told
    found = replace(
        so_far,
        message=message.strip() or so_far.message,
        hops=_added(so_far.hops, body_hops(body)),
        status=so_far.status if status is None or isinstance(so_far.status, int) else status,
        document=body,
    )
    if depth >= _DEEPEST:
        return found
    for raw in (metadata_of(body).get("raw"), dict_of(body).get("responseBody"), message):
        inner = _inner(raw, found, depth + 1)
        if inner and inner.message and inner.message != message:
            return inner
    return found


def _inner(raw: Any, so_far: ErrorRead, depth: int) -> ErrorRead | None:
    if isinstance(raw, dict):
        return _from_body(raw, so_far, depth) if error_of(raw) else None
    if not isinstance(raw, str) or not raw.strip():
        return None
    return _from_text(raw, so_far, depth)


def _body_in(text: str) -> Any:
    """Return the first body that stands in a text, an error or not; its quotes may be escaped still."""
    values = (_value_at(text, begin.start()) for begin in _BODY.finditer(text[: 1 << 20]))
    return next((value for value in values if value is not None), None)


def _holds_error(value: Any) -> bool:
    return any(error_of(each) for each in (value if isinstance(value, list) else [value]))


def _value_at(text: str, at: int) -> Any:
    try:
        return decode(text, at)[0]
    except ValueError:
        pass
    if _ESCAPED.match(text, at + 1):
        text, at = _ESCAPED.sub("", text[at:]), 0
    reader = JsonReader(start=at, whole=False)
    reader.feed(text[at:])
    reader.close()
    return None if reader.declined else reader.value


def values_in(document: Any) -> Iterator[Any]:
    """Give the values in a document, breadth first, those that keep errors before others; a bounded number."""
    level: list[Any] = [document]
    left = _MOST_LOOKED_AT
    while level and left > 0:
        following: list[Any] = []
        for value in level[:left]:
            yield value
            if isinstance(value, dict):
                following += [value[key] for key in _INNER_KEYS if key in value]
                following += [each for key, each in value.items() if key not in _INNER_KEYS]
            elif isinstance(value, list):
                following += value
        left -= len(level)
        level = following


def _added(hops: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """Put hops behind others, none twice in a row."""
    out = list(hops)
    for hop in more:
        if not out or out[-1] != hop:
            out.append(hop)
    return tuple(out)
