"""Where a secret stands in a text, however it is written there: as in JSON, in a URL, in HTML, or mixed."""

from __future__ import annotations

import re
from html import unescape
from io import StringIO
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ESCAPE: Final = re.compile(
    r"""\\++(?:u[0-9a-fA-F]{4}|["'/])?|%(?:25){0,9}[0-9A-Fa-f]{2}"""
    r"""|&(?:amp;){0,9}(?:amp|lt|gt|quot|apos|\#0{0,5}\d{1,5}|\#[xX]0{0,4}[0-9A-Fa-f]{1,4});"""
)
"""What stands for one character. JSON within JSON doubles backslashes: any number of them counts as one; so it is with
URLs within URLs (`%2520`) and HTML within HTML (`&amp;lt;`)."""


def occurrences(text: str, secrets: Iterable[str]) -> list[tuple[int, int]]:
    """Return the spans of secrets in a text (characters, 0-based, end exclusive), in order; they may overlap.

    The cost is linear in the text for each secret.
    """
    plain = _plain(text)
    found = []
    for needle in {form for secret in secrets for form in (secret, _plain(secret))}:
        at = plain.find(needle)
        while at >= 0:
            found.append((at, at + len(needle) - 1))
            at = plain.find(needle, at + len(needle))
    places = _origins(text, sorted({place for span in found for place in span}))
    return sorted((places[first][0], places[last][1]) for first, last in found)


def _escapes(text: str) -> Iterator[re.Match[str]]:
    return _ESCAPE.finditer(text) if "\\" in text or "%" in text or "&" in text else iter(())


def _plain(text: str) -> str:
    """Read the escapes of a text. A list of its parts would take ten times its memory."""
    written, done = StringIO(), 0
    for match in _escapes(text):
        written.write(text[done : match.start()])
        written.write(_character(match[0]))
        done = match.end()
    return written.getvalue() + text[done:] if done else text


def _origins(text: str, places: list[int]) -> dict[int, tuple[int, int]]:
    """Return the spans in the text that characters of the plain text come from; `places` are in order."""
    spans: dict[int, tuple[int, int]] = {}
    waiting, ahead = iter(places), 0
    place = next(waiting, None)
    for match in _escapes(text) if places else ():
        begins = match.start() - ahead
        while place is not None and place <= begins:
            spans[place] = (place + ahead, place + ahead + 1) if place < begins else match.span()
            place = next(waiting, None)
        if place is None:
            break
        ahead += match.end() - match.start() - 1
    while place is not None:
        spans[place] = (place + ahead, place + ahead + 1)
        place = next(waiting, None)
    return spans


def _character(escape: str) -> str:
    if escape[0] == "%":
        return chr(int(escape[-2:], 16))
    if escape[0] == "&":
        return unescape(f"&{escape[1:-1].rpartition(';')[2]};") or "\ufffd"
    rest = escape.lstrip("\\")
    return chr(int(rest[1:], 16)) if len(rest) == 5 else rest or "\\"
