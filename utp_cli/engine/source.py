"""One text field while it arrives: the window that readers work in, and a memory of all that came before it.

All positions are absolute: characters since the start of the text field. Pieces are kept as they came; only the window
(what has not been read yet) is one string, so that a piece costs its own length however long the text is.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from utp_cli.repair.text_window import TextWindow

if TYPE_CHECKING:
    import re


SURE = 3
"""Characters of a marker that tell it from most of the text."""


class Source(TextWindow):
    """A growing text that can be read again. Grammars wait for more of it with a bare `yield`."""

    __slots__ = ("_absent", "_pieces", "_starts", "_tail", "_wake_on", "noted")

    def __init__(self) -> None:
        super().__init__()
        self.noted: dict[str, Any] = {}
        """What readers remember of the text, by whose it is. No reader forgets what another one noted."""
        self._absent: dict[str, tuple[int, int]] = {}
        """Of texts that were looked for: between which places they do not stand."""
        self._pieces: list[str] = []
        self._starts: list[int] = [0]
        """Where the pieces begin, as far as somebody asked."""
        self._wake_on: re.Pattern[str] | None = None
        self._tail = ""

    def feed(self, piece: str) -> bool:
        """Take the next piece, and remember it; return whether a reader can do anything with it."""
        self._pieces.append(piece)
        if self._wake_on is not None:
            end = self._tail + piece
            if self._wake_on.search(end) is None:
                self._tail = end[1 - SURE :]
                self._late.append(piece)
                self.length += len(piece)
                return False
            self._wake_on = None
        return TextWindow.feed(self, piece)  # `super()` would cost as much as the rest, and pieces are many

    def sleep_until(self, pattern: re.Pattern[str]) -> None:
        """Say, right before a `yield`: nothing can happen until the pattern matches (`SURE` characters at most)."""
        self._wake_on, self._tail = pattern, self.window[1 - SURE :]

    def release(self, position: int) -> None:
        """What stands before `position` has been read; the window may drop it when more text comes."""
        self.here = position - self.base if position > self.base else 0

    def rewind(self, position: int) -> None:
        """Make the window start at `position` or before it, to read from there again."""
        if position < self.base:
            self.window = self.slice(position, self.length)
            self.base = position
        self.here = position - self.base

    def take(self, position: int, limit: int) -> str:
        """Return up to `limit` characters from `position` on and release them."""
        index = position - self.base
        text = self.window[index : index + limit]
        self.here = index + len(text)
        return text

    def slice(self, start: int, end: int) -> str:
        """Return any stretch of the text, also one that the window has dropped."""
        if start >= self.base:
            return self.window[start - self.base : end - self.base]
        if len(self._pieces) == 1:
            return self._pieces[0][start:end]
        starts = self._starts
        for piece in self._pieces[len(starts) - 1 :]:
            starts.append(starts[-1] + len(piece))
        first = bisect_right(starts, start) - 1
        last = bisect_right(starts, end - 1) if end > start else first
        joined = "".join(self._pieces[first:last])
        return joined[start - starts[first] : end - starts[first]]

    def whole(self) -> str:
        """Return all text so far."""
        return "".join(self._pieces)

    def char(self, position: int) -> str:
        """Return one character, `""` where the text has none yet."""
        index = position - self.base
        return self.window[index : index + 1]

    def startswith(self, marker: str, position: int) -> bool:
        """Whether a text stands at the position."""
        return self.window.startswith(marker, position - self.base)

    def search(self, pattern: re.Pattern[str], position: int, limit: int | None = None) -> re.Match[str] | None:
        """Search the window from `position`, `limit` characters far. The match counts from `base`: see `at`."""
        index = position - self.base
        if limit is None:
            return pattern.search(self.window, index)
        return pattern.search(self.window, index, index + limit)

    def find(self, text: str, position: int) -> int:
        """Return where a text stands, from `position` on; -1 where it does not. No stretch is searched twice."""
        begin, end = self._absent.get(text, (0, 0))
        known = max(position, end - len(text) + 1) if begin <= position < end else position
        found = self.window.find(text, known - self.base)
        if found < 0:
            self._absent[text] = (begin if known > position else position, self.length)
            return -1
        return found + self.base

    def at(self, match: re.Match[str]) -> int:
        """Return the position at which a match starts."""
        return match.start() + self.base
