"""JSON inside another text: a JSON string, a string of bytes, escaped text, HTML."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Any, Final

from utp_cli.captures.spellings.documents import FoundDocument, document_of
from utp_cli.captures.spellings.python_values import read_string
from utp_cli.captures.spellings.spelling import Spelling
from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import decode
from utp_cli.wire.shape import documents_of

if TYPE_CHECKING:
    from collections.abc import Callable

_ENTITY: Final = regex(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});")
_ESCAPE: Final = regex(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_NEXT: Final = regex(r'[ \t]*+(?:,[ \t]*+)?\n++[ \t]*+(?="(?:data|event): ?)')
"""Between the quoted lines of one stream."""
_FIRST_PIECE: Final = 4096


def read_quoted(text: str, at: int) -> Spelling | None:
    """Read a JSON string that holds a document, or the lines of a stream, one string each."""
    pieces: list[str] = []
    end = at
    while True:
        try:
            value, end = decode(text, at)
        except ValueError:
            break
        if not isinstance(value, str):
            break
        pieces.append(value)
        following = _NEXT.match(text, end)
        if not following or not value.startswith(("data:", "event:")):
            break
        at = following.end()
    return _spelling("".join(pieces), "json-string", end) if pieces else None


def read_bytes(text: str, at: int) -> Spelling | None:
    """Read `b'…'` as Python prints it."""
    read = read_string(text, at)
    value = read.value.decode("utf-8", "replace") if isinstance(read.value, bytes) else read.value
    return _spelling(value, "python-bytes", read.end)


def read_escaped(text: str, at: int) -> Spelling | None:
    r"""Read what a JSON string held, without its quotes: `{\n \"role\": …`."""
    return _through(text, at, "escaped-json", _ESCAPE, _unescaped)


def read_entities(text: str, at: int) -> Spelling | None:
    """Read JSON whose quotes are `&quot;`."""
    return _through(text, at, "html-entities", _ENTITY, lambda match: html.unescape(match[0]))


def _unescaped(match: re.Match[str]) -> str:
    try:
        return str(json.loads(f'"{match[0]}"'))
    except ValueError:
        return match[0]


def _through(
    text: str, at: int, form: str, sign: re.Pattern[str], meaning: Callable[[re.Match[str]], str]
) -> Spelling | None:
    """Read a JSON value through escapes: in pieces that grow, so that a value that ends early costs little."""
    size = _FIRST_PIECE
    while True:
        stop = min(len(text), at + size)
        stop = max(at, text.rfind("\n", at, stop)) if form == "html-entities" and stop < len(text) else stop
        inner = sign.sub(meaning, text[at:stop])
        try:
            value, length = decode(inner)
        except json.JSONDecodeError as error:
            if stop >= len(text) or error.pos < len(inner) * 3 // 4:
                return None
            size *= 4
            continue
        except ValueError:
            return None
        found = document_of(value)
        if found is None:
            return None
        end = _back(text[at:stop], length, sign, meaning) + at
        return Spelling(document=found.document, kind=found.kind, form=form, end=end, cut=found.cut)


def _back(text: str, length: int, sign: re.Pattern[str], meaning: Callable[[re.Match[str]], str]) -> int:
    """Return where the first `length` characters end that a text says through its escapes."""
    said = at = 0
    for match in sign.finditer(text):
        plain = match.start() - at
        if said + plain >= length:
            break
        said += plain + len(meaning(match))
        at = match.end()
        if said >= length:
            return at
    return at + length - said


def _spelling(inner: str, form: str, end: int) -> Spelling | None:
    """Read a whole text that was in an envelope: JSON, or a stream of it."""
    framed = documents_of(inner)
    if framed is None:
        return None
    value: Any = framed.documents if framed.several else framed.documents[0]
    found = document_of(value)
    if found is None:
        return None
    kind = "stream" if framed.several and found.kind == "answer" else found.kind
    found = FoundDocument(value if framed.several else found.document, kind, found.cut)
    return Spelling(document=found.document, kind=found.kind, form=form, end=end, cut=found.cut)
