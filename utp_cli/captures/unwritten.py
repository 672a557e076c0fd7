"""Texts that stand inside JSON strings: the lines of Docker's log files, and a text that was copied as one string."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.captures.mapped import Mapped
    from utp_cli.protocol.spans import Span

_STRING: Final = r"\"((?>(?:[^\"\\\n]++|\\.)*))\""
_DOCKER: Final = regex(
    rf"^[ \t]*\{{\"log\": ?{_STRING}, ?\"stream\": ?\"\w{{1,10}}\"(?:, ?\"attrs\": ?\{{[^{{}}\n]*\}})?"
    r"(?:, ?\"time\": ?\"[^\"\n]{1,40}\")?\}[ \t\r]*(?:\n|\Z)",
    re.MULTILINE,
)
"""A line of the file that Docker keeps in what a container printed (driver json-file, Docker 28, November 2026)."""
_WHOLE: Final = regex(rf"\s*{_STRING}\s*\Z")
_ESCAPE: Final = regex(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
_ITSELF: Final = '"\\/'


def docker_lines(mapped: Mapped) -> Mapped | None:
    """Return a text with what a container printed in place of the lines of Docker's file; None where there are none."""
    text = mapped.text

    def parts() -> Iterator[Span | str]:
        at = 0
        for line in _DOCKER.finditer(text):
            yield at, line.start()
            yield from _unescaped(text, *line.span(1))
            at = line.end()
        yield at, len(text)

    return mapped.made_of(parts()) if _DOCKER.search(text) else None


def json_string(mapped: Mapped) -> Mapped | None:
    """Return what a text means that is one JSON string; None where it is none, or nothing in it is escaped."""
    found = _WHOLE.match(mapped.text)
    if found is None or "\\" not in found[1]:
        return None
    return mapped.made_of(_unescaped(mapped.text, *found.span(1)))


def _unescaped(text: str, start: int, end: int) -> Iterator[Span | str]:
    at = start
    for escape in _ESCAPE.finditer(text, start, end):
        yield at, escape.start()
        at = escape.end()
        if escape[0][1] in _ITSELF:
            at -= 1
            continue
        yield _meant(escape[0])
    yield at, end


def _meant(escape: str) -> str:
    try:
        return str(json.loads(f'"{escape}"'))
    except ValueError:
        return escape
