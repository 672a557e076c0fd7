"""Model output for the page: what is not shown is counted, what would hide is a picture. Escaping is the template's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unicodedata import combining

from utp_cli.views.escape import shown
from utp_cli.views.json import document, line

if TYPE_CHECKING:
    from collections.abc import Iterator

_SUSPECT = re.compile(r"[^ -~\n\t]")
"""What has to be looked at; line breaks and tabs show themselves."""
_SLACK = 1.2
"""A text that is so little too long is shown whole."""
_NAMES = dict(enumerate((
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "TAB", "LF", "VT", "FF", "CR", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
))) | {0x7F: "DEL"}  # fmt: skip
"""Names of ASCII's control characters: fewer fonts have the pictures that a terminal shows."""
_STACKED = 4
"""Combining characters on one letter; more of them would grow over other lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """The two ends of a text, and how many characters between them are left out."""

    head: str
    left_out: int = 0
    tail: str = ""


def quote(text: str, most: int = 400) -> Quote:
    """Take out the middle of a text that has more than so many characters."""
    if len(text) <= most * _SLACK:
        return Quote(head=text)
    tail = most // 4
    return Quote(head=text[: most - tail], left_out=len(text) - most, tail=text[len(text) - tail :])


def pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield the text in pieces; True comes with the picture of a character that would not be seen, or would act."""
    at, stacked, last = 0, 0, -2
    for match in _SUSPECT.finditer(text):
        follows = stacked if match.start() == last + 1 else 0
        stacked = follows + 1 if combining(match[0]) else 0
        last = match.start()
        picture = _named(match[0]) if stacked > _STACKED else _picture(match[0])
        if picture != match[0]:
            if last > at:
                yield False, text[at:last]
            yield True, picture
            at = match.end()
    if at < len(text):
        yield False, text[at:]


def _picture(character: str) -> str:
    code = ord(character)
    if code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:  # no characters: a page may not hold them
        return _named(character)
    return _NAMES.get(code) or shown(character)


def _named(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"


def written(value: Any) -> str:
    """Write a JSON value for reading: text as it is, anything else as JSON, a short one in one line."""
    if isinstance(value, str):
        return value
    short = line(value)
    return short if len(short) <= 80 else document(value).rstrip("\n")


def brief(text: str, most: int = 120) -> str:
    """Return the start of a text in one line, for an attribute: pictures in place of what would not be seen."""
    row = " ".join(text[: 4 * most].split())
    cut = row[:most] + ("…" if len(row) > most or len(text) > 4 * most else "")
    return "".join(piece for _, piece in pieces(cut))


_CODE = re.compile(
    r"utp [a-z-]+ \S.*"  # a command
    r"|--[\w-]+(?:[= ][^\s(),;`-][^\s(),;`]*)?(?: --[\w-]+(?:[= ][^\s(),;`-][^\s(),;`]*)?)*"  # flags with their values
    r"|`[^`]+`"
)
"""What can be copied out of a sentence: the first of it."""
_MORE_CODE = re.compile(r"--[\w-]+|`[^`]+`")
"""What else is code there; the word behind a flag may be a word of the sentence."""
_MOST_TO_DO = 3000
"""Characters of what is to be done; longer is only what quotes a model at length."""


def steps(does: str) -> list[list[tuple[bool, str]]]:
    """Part what is to be done into steps, and each step into words and (True) code."""
    return [list(_coded(step)) for step in does[:_MOST_TO_DO].split("; ") if step.strip()]


def _coded(step: str) -> Iterator[tuple[bool, str]]:
    at, code = 0, _CODE
    while match := code.search(step, at):
        if match.start() > at:
            yield False, step[at : match.start()]
        yield True, match[0].strip("`")
        at, code = match.end(), _MORE_CODE
    if at < len(step):
        yield False, step[at:]
