"""A document or a line of a text → the capture that it is, one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.captures.alike import Alike
from utp_cli.captures.documents import documents_in
from utp_cli.captures.errors import document_of, read_error
from utp_cli.captures.found import FIRST_REFUSAL, FoundCapture
from utp_cli.captures.hops import take_off
from utp_cli.captures.told import known_inside, known_of, told_best, unquoted
from utp_cli.captures.tracebacks import fenced
from utp_cli.protocol.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from utp_cli.captures.classify import Sort
    from utp_cli.captures.documents import Document
    from utp_cli.captures.errors import ErrorRead
    from utp_cli.captures.tracebacks import ErrorLine, LoggedLines

_STRONG_FORMS: Final = frozenset(
    {
        "python-traceback",
        "exception",
        "validation-error",
        "api-error",
        "http-status",
        "mcp-error",
        "logfmt",
        "log-error",
    }
)
_DIGITS: Final = 3
TELLS: Final = 2
"""Words that tell a cause: see `known_of`."""
_COMPLAINED_OF: Final = frozenset({"tools", "request"})
"""What an error in known words quotes, and is about."""
_LINE: Final = 300
"""Characters of the line above a document that are looked at."""
_LONGEST: Final = 8_000
"""Characters behind words that quote what a model wrote, which are read as the quote."""


def of_documents(text: str, told: LoggedLines) -> Iterable[FoundCapture]:
    """Take the documents that are something; each with the line of an error that it stands in."""
    at, alike, lines = 0, Alike(), told.errors
    for document in documents_in(text, told.stack, alike):
        while at < len(lines) and lines[at].end <= document.start:
            at += 1
        if sort := alike.sort_of(document, text):
            line = lines[at] if at < len(lines) and lines[at].start <= document.start else None
            if not (line and sort.kind in _COMPLAINED_OF and known_of(text[line.start : line.end]) >= TELLS):
                yield _of_document(document, sort, line, text)


def _of_document(document: Document, sort: Sort, line: ErrorLine | None, text: str) -> FoundCapture:
    found = FoundCapture(
        start=document.start,
        end=document.end,
        kind=sort.kind,
        form=document.form,
        document=document.value if sort.document is None else sort.document,
        part=sort.part,
        hops=document.hops,
        cut=document.cut,
        strong=sort.known,
    )
    if sort.error is None:
        return replace(found, told=2) if found.kind == "error" else found
    begin = line.start if line else text.rfind("\n", 0, document.start) + 1
    head = take_off(text[begin : document.start] + "{", hunt=True)
    hops = tuple(dict.fromkeys((*head.hops, *document.hops, *sort.error.hops)))
    status = head.status or status_of(sort.error)
    error = replace(sort.error, hops=hops, status=status if sort.error.status is None else sort.error.status)
    error, known = _telling(error, document.value, text[document.start : document.end])
    above = text[begin : document.start] or _line_above(text, document.start)
    led = _led_in(above, error.message) if known < TELLS or not sort.known else ""
    if led and known_of(led) >= (known + 1 if sort.known else known):  # a list of issues says less than who prints it
        error, known = replace(error, message=led), known_of(led)
    return replace(
        found,
        start=begin if line or head.hops or head.status else document.start,
        form=line.form if line else document.form,
        document=document_of(error),
        hops=hops,
        status=status,
        message=error.message,
        told=2,
        strong=sort.known or bool(hops or status),
        known=known,
        chained=bool(line and line.chained),
        deeper=bool(line and line.deeper),
    )


def _telling(error: ErrorRead, document: Any, written: str) -> tuple[ErrorRead, int]:
    """Return an error with the text of its document that tells most, and how much: see `known_inside`."""
    known = known_of(error.message)
    said, more = known_inside(document, written) if known < TELLS else ("", 0)
    return (replace(error, message=said), min(more, TELLS)) if more > known else (error, known)


def _line_above(text: str, start: int) -> str:
    """Return the line above a document where it leads over to it: `Error executing MCP tool:`."""
    words = text[max(start - _LINE, 0) : start].rstrip()
    return words[words.rfind("\n") + 1 :] if words.endswith(":") else ""


def _led_in(above: str, message: str) -> str:
    """Put the words in front of a document before the message in it: whose answer it is, the class of an exception."""
    words = above.partition("{")[0].strip()
    return f"{words} {message}" if words else ""


def of_lines(
    lines: Sequence[ErrorLine], taken: Sequence[FoundCapture], text: str, *, log: bool
) -> Iterable[FoundCapture]:
    """The errors that are words alone; a line whose document was read is told already.

    One that quotes what the model wrote goes on to the end, but in a `log`.
    """
    at = 0
    for line in lines:
        while at < len(taken) and taken[at].end <= line.start:
            at += 1
        if at < len(taken) and taken[at].start < line.end:
            continue
        error = read_error(line.message or unquoted(text[line.start : line.end]))
        if not any(map(str.isalpha, error.message)):
            continue
        named = bool(error.hops) or error.status is not None
        said, known = told_best(text, line, error.message)
        error = replace(error, message=said)
        end = line.end
        if known and known[0].entry.carries == "model output" and not log and line is lines[-1] and at == len(taken):
            end = min(len(text), line.start + _LONGEST)
            error = read_error(text[line.start : end])
        yield FoundCapture(
            start=line.start,
            end=end,
            kind="error",
            form=line.form,
            document=document_of(error),
            hops=error.hops,
            status=status_of(error),
            message=error.message,
            told=1 if named else 0,
            strong=line.form in _STRONG_FORMS or named or (bool(known) and fenced(text, line.start)),
            known=known_of(error.message) if known else 0,
            chained=line.chained,
            deeper=line.deeper,
        )


def of_lines_of_status(lines: Sequence[ErrorLine]) -> Iterable[FoundCapture]:
    """Where a log tells nothing but a status that refuses, that is what there is."""
    for line in lines:
        if (line.status or 0) >= FIRST_REFUSAL:
            yield FoundCapture(
                start=line.start, end=line.end, kind="log", form=line.form, document=None, status=line.status
            )


def status_of(error: ErrorRead) -> int | None:
    """Return the HTTP status of an error as a number; None where it has none."""
    status = error.status
    if isinstance(status, str):
        return int(status) if status.isdecimal() and len(status) == _DIGITS else None
    return status
