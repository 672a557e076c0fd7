"""The part of a text that readers still need: it grows at the end as pieces arrive, and is forgotten at the front.

There is one way to wait. A step that cannot be decided before more text has come raises Starved, having changed
nothing, and is taken again when the window has grown. Who knows what it waits for lets the window sleep until then.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from typing import Final

GROW: Final = 1024
"""From this many characters of look-ahead on, a step is taken again only when they have become a quarter more.

So a look-ahead that has to start again each time still costs linear time in all."""


@lru_cache(maxsize=256)
def any_of(markers: tuple[str, ...]) -> re.Pattern[str]:
    """Match any of the markers, the first of them in the text; nothing where there are none."""
    return re.compile("|".join(map(re.escape, markers)) or "(?!)")


class Starved(Exception):
    """Whether something holds cannot be said before more text has come."""


class TextWindow:
    """A text that grows, of which a window is kept. Indexes count in `window`, offsets from the beginning of the text.

    Both are characters.
    """

    __slots__ = ("_late", "_wake", "_wake_at", "base", "closed", "here", "length", "window")

    def __init__(self, start: int = 0) -> None:
        self.window = ""
        self.base = start
        """The offset of the window's first character."""
        self.here = 0
        """The index of the first character that may still be needed."""
        self.length = start
        """How many characters have arrived in all; also the offset behind the last one."""
        self.closed = False
        """No more text will come."""
        self._late: list[str] = []
        """What came while the window slept."""
        self._wake = ""
        self._wake_at = 0

    @classmethod
    def over(cls, text: str) -> TextWindow:
        """Return a window on a text that is all there."""
        window = cls()
        window.window, window.length, window.closed = text, len(text), True
        return window

    def feed(self, piece: str) -> bool:
        """Take a piece; True where the window has grown, so that waiting steps are worth taking again."""
        self.length += len(piece)
        if self.length < self._wake_at and not (self._wake and self._wake in piece):
            self._late.append(piece)
            return False
        if self._late:
            self._late.append(piece)
            piece = "".join(self._late)
            self._late = []
        if self.here:
            self.window = self.window[self.here :] + piece
            self.base += self.here
            self.here = 0
        else:
            self.window += piece
        self._wake_at = 0
        return True

    def skip_to(self, offset: int) -> None:
        """Take the text up to the offset as read elsewhere. Only before anything was fed."""
        self.base = self.length = offset

    def close(self) -> None:
        """No more text will come."""
        self._wake_at = 0
        TextWindow.feed(self, "")
        self.closed = True

    def sleep(self, wake: str, at: int = sys.maxsize) -> None:
        """Say, before waiting: nothing can happen until a piece holds `wake`, or the text is `at` characters long.

        Where `wake` is empty, nobody knows what to wait for: then there is no sleep.
        """
        self._wake, self._wake_at = wake, at if wake else 0

    def sleep_on_lookahead(self) -> None:
        """Sleep until there is much more text, where much was looked at in vain."""
        needed = len(self.window) - self.here
        if needed > GROW:
            self._wake, self._wake_at = "", self.length + needed // 4

    def begins(self, at: int, markers: tuple[str, ...]) -> bool:
        """Whether all that stands from the index on is the beginning of a marker, and more may come."""
        rest = len(self.window) - at
        return not self.closed and any(len(m) >= rest and m.startswith(self.window[at:]) for m in markers)

    def peek(self, index: int) -> str:
        """Return the character there, `""` at the end of all text. Raises Starved where it is yet to come."""
        if index < len(self.window):
            return self.window[index]
        if not self.closed:
            raise Starved
        return ""
