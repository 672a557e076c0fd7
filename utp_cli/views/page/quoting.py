"""Model output for the page: what is not shown is counted, what would hide is a picture. Escaping is the template's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.views.escape import shown
from utp_cli.views.json import document, line

if TYPE_CHECKING:
    from collections.abc import Iterator

_SUSPECT = re.compile(r"[^ -~\n\t]")
"""What has to be looked at; line breaks and tabs show themselves."""
_SLACK = 1.2
"""A text that is so little too long is shown whole."""


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
    at = 0
    for match in _SUSPECT.finditer(text):
        picture = _picture(match[0])
        if picture != match[0]:
            if match.start() > at:
                yield False, text[at : match.start()]
            yield True, picture
            at = match.end()
    if at < len(text):
        yield False, text[at:]


def _picture(character: str) -> str:
    code = ord(character)
    if code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:  # no characters: a page may not hold them
        return f"⟨U+{code:04X}⟩"
    return shown(character)


def written(value: Any) -> str:
    """Write a JSON value for reading: text as it is, anything else as JSON, a short one in one line."""
    if isinstance(value, str):
        return value
    short = line(value)
    return short if len(short) <= 80 else document(value).rstrip("\n")


def one_line(text: str) -> str:
    """Return a text whose white space does not break lines."""
    return " ".join(text.split())
