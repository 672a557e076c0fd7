"""Transcripts of HTTP: `curl -i`, `curl -v`, dumps of responses, pages that a server shows in place of an answer."""

from __future__ import annotations

import html
import re
from typing import Final

from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record

_STATUS: Final = regex(r"^(?P<mark>< )?HTTP/[\d.]{1,3} (?P<status>\d{3})[^\n]{0,80}$", re.MULTILINE)
_HEADER: Final = regex(r"(?:< ?)?([A-Za-z][\w-]{0,80}): ?([^\n\r]{0,4000})\r?\n")
_NOISE: Final = regex(r"(?!< HTTP/)(?:[*<>}{](?: [^\n]*)?|\s*)\r?\n")
"""What curl says of itself between the headers and the body. The next head ends it, so that each line is read once."""
_MOST_HEADERS: Final = 200
_PAGE: Final = regex(r"\s*(?:<!doctype html|<html\b)", re.IGNORECASE)
_TITLE: Final = regex(r"<(?:title|h1)[^>]{0,200}>([^<]{1,300})</(?:title|h1)>", re.IGNORECASE)
_REFUSES: Final = regex(
    r"\b[45]\d\d\b|bad gateway|not found|forbidden|unavailable|timed? ?-?out|access denied|too large|internal server"
    r"|unauthorized|just a moment|attention required|error|bad request|proxy error",
    re.IGNORECASE,
)
_NUMBER: Final = regex(r"\b[45]\d\d\b")


class Response(Record):
    """A response in a transcript: its head goes from `start` to `body`, where what it brought begins."""

    start: int
    body: int
    status: int
    headers: tuple[tuple[str, str], ...]
    form: str


def responses_in(text: str) -> list[Response]:
    """Find the heads of responses, in order."""
    return [_response(text, found) for found in _STATUS.finditer(text)] if "HTTP/" in text else []


def _response(text: str, found: re.Match[str]) -> Response:
    at = found.end() + 1
    headers: list[tuple[str, str]] = []
    while len(headers) < _MOST_HEADERS and (header := _HEADER.match(text, at)):
        headers.append((header[1].lower(), header[2].strip()))
        at = header.end()
    while noise := _NOISE.match(text, at):
        at = noise.end()
    form = "curl-verbose" if found["mark"] else "curl-include"
    return Response(start=found.start(), body=at, status=int(found["status"]), headers=tuple(headers), form=form)


def page_error(text: str, start: int = 0) -> tuple[str, int | None] | None:
    """Return what an error page in HTML says, and its status; None where the text is no such page."""
    if not _PAGE.match(text, start):
        return None
    said = [html.unescape(found[1]).strip() for found in _TITLE.finditer(text, start, start + 20_000)]
    words = next(filter(_REFUSES.search, said), None)
    if words is None:
        return None
    number = _NUMBER.search(words)
    return words, int(number[0]) if number else None
