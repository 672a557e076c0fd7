"""Where a secret stands in a text, however it is written there: plain, escaped as in JSON, percent-encoded, mixed."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_ESCAPE: Final = re.compile(r"""\\++(?:u[0-9a-fA-F]{4}|["'/])?|%[0-9A-Fa-f]{2}""")
"""What stands for one character. JSON within JSON doubles backslashes: any number of them counts as one."""


def occurrences(text: str, secrets: Iterable[str]) -> list[tuple[int, int]]:
    """Return the spans of secrets in a text (characters, 0-based, end exclusive), in order; they may overlap.

    The cost is linear in the text for each secret.
    """
    read = _Read(text)
    found = []
    for needle in {form for secret in secrets for form in (secret, _Read(secret).plain)}:
        at = read.plain.find(needle)
        while at >= 0:
            found.append((read.origin(at)[0], read.origin(at + len(needle) - 1)[1]))
            at = read.plain.find(needle, at + len(needle))
    return sorted(found)


class _Read:
    """A text with its escapes read, and the way back from each of its characters."""

    def __init__(self, text: str) -> None:
        self._at: list[int] = []
        """Places of read escapes in the plain text."""
        self._from: list[tuple[int, int]] = []
        """Their spans in the text."""
        pieces, done, length = [], 0, 0
        for match in _ESCAPE.finditer(text) if "\\" in text or "%" in text else ():
            pieces += [text[done : match.start()], _character(match[0])]
            length += match.start() - done
            self._at.append(length)
            self._from.append(match.span())
            length, done = length + 1, match.end()
        self.plain = "".join([*pieces, text[done:]])

    def origin(self, place: int) -> tuple[int, int]:
        """Return the span in the text that one character of the plain text comes from."""
        before = bisect_right(self._at, place) - 1
        if before < 0:
            return place, place + 1
        if self._at[before] == place:
            return self._from[before]
        start = self._from[before][1] + place - self._at[before] - 1
        return start, start + 1


def _character(escape: str) -> str:
    if escape[0] == "%":
        return chr(int(escape[1:], 16))
    rest = escape.lstrip("\\")
    return chr(int(rest[1:], 16)) if len(rest) == 5 else rest or "\\"
