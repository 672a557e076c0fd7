"""Whether a place in a text stands in code: in a fence, or in backticks on its line (CommonMark, simplified)."""

from __future__ import annotations

from typing import Literal

from utp_cli.protocol.patterns import regex

_MARKS = regex(r"\n {0,3}(`{3,}|~{3,})?|(`+)")


class Quoting:
    """Remembers the text that was read and looks at it when asked, so that how it was cut up makes no difference."""

    __slots__ = ("_fence", "_inline", "_unread")

    def __init__(self) -> None:
        self._fence = ""
        self._inline = ""
        self._unread = ["\n"]  # a text begins at the beginning of a line

    def read(self, text: str) -> None:
        self._unread.append(text)

    @property
    def inside(self) -> Literal["", "fence", "inline"]:
        """In which kind of code the end of what was read stands."""
        for mark in _MARKS.finditer("".join(self._unread)):
            fence, ticks = mark.groups()
            if ticks and not self._fence:
                self._inline = "" if self._inline == ticks else self._inline or ticks
            elif not ticks:
                self._inline = ""
                self._line(fence)
        self._unread.clear()
        return "fence" if self._fence else "inline" if self._inline else ""

    def _line(self, fence: str | None) -> None:
        if fence and not self._fence:
            self._fence = fence
        elif fence and fence.startswith(self._fence):
            self._fence = ""
