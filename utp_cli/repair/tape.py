"""The text a reader still needs: it grows at the end as pieces arrive and is forgotten at the front."""

from __future__ import annotations

import re
from functools import lru_cache

GROW = 1024
"""From this many characters of look-ahead on, pieces are collected until they add a quarter of it.

So a look-ahead that has to start again with every piece still costs linear time in all."""


@lru_cache(maxsize=256)
def any_of(markers: tuple[str, ...]) -> re.Pattern[str]:
    """Match any of the markers, the first of them in the text; nothing where there are none."""
    return re.compile("|".join(map(re.escape, markers)) or "(?!)")


class Starved(Exception):
    """Whether something holds cannot be said before more text has come."""


class Tape:
    """A window on the text. `at` and all indexes count in `text`; `base` is the offset of `text[0]`."""

    __slots__ = ("_late", "_waiting", "at", "base", "closed", "text")

    def __init__(self, start: int) -> None:
        self.text = ""
        self.base = start
        self.at = 0
        """The first character that may still be needed."""
        self.closed = False
        self._late: list[str] = []
        self._waiting = 0

    def add(self, piece: str) -> bool:
        """Take a piece; True where the window has grown."""
        needed = len(self.text) - self.at
        if not needed and not self._late:
            self.base += self.at
            self.text, self.at = piece, 0
            return True
        self._late.append(piece)
        self._waiting += len(piece)
        if needed > GROW and self._waiting * 4 < needed:
            return False
        self._join()
        return True

    def close(self) -> None:
        """No more text will come."""
        self._join()
        self.closed = True

    def _join(self) -> None:
        self.text = "".join((self.text[self.at :], *self._late))
        self.base += self.at
        self.at = self._waiting = 0
        self._late = []

    @property
    def length(self) -> int:
        """How many characters have arrived in all, as an offset."""
        return self.base + len(self.text) + self._waiting

    def begins(self, at: int, markers: tuple[str, ...]) -> bool:
        """Whether all that stands from the index on is the beginning of a marker, and more may come."""
        rest = len(self.text) - at
        return not self.closed and any(len(m) >= rest and m.startswith(self.text[at:]) for m in markers)

    def char(self, index: int) -> str:
        """Return the character there, `""` at the end of all text. Raises Starved where it is yet to come."""
        if index < len(self.text):
            return self.text[index]
        if not self.closed:
            raise Starved
        return ""
