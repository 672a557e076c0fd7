"""Whether a place in a text stands in code: in a fence, or in backticks on its line (CommonMark, simplified).

And whether a marker of thinking stands there as a word: "the model uses <think> tags".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from utp_cli.engine.markers import Hit, Role
    from utp_cli.engine.reading import Waiting
    from utp_cli.engine.source import Source

_MARKS = regex(r"\n {0,3}(`{3,}|~{3,})?|(`+)")


class Quoting:
    """Remembers where text was read and looks at it when asked, so that how it was cut up makes no difference."""

    __slots__ = ("_before", "_end", "_fence", "_inline", "_mentioned", "_source", "_unread")

    def __init__(self, source: Source) -> None:
        self._source = source
        self._before = "\n"
        """What to look at before the first stretch: a text begins at the beginning of a line."""
        self._fence = ""
        self._inline = ""
        self._mentioned = False
        """The answer has spoken of the marker that opens thinking."""
        self._end = 0
        """Where the last stretch ends that was looked at."""
        self._unread: list[tuple[int, int]] = []
        """Stretches that nobody has looked at yet; those that touch are one."""

    def read(self, start: int, end: int) -> None:
        """The stretch `[start, end)` of the source is text."""
        if self._unread and self._unread[-1][1] == start:
            start = self._unread.pop()[0]
        self._unread.append((start, end))

    def names(self, hit: Hit, role: Role) -> Waiting[bool]:
        """Whether the answer speaks of the marker: a blank and a word on both sides, on one line. One that closes
        thinking (`unthink`): only where it has spoken of one that opens it.
        """
        source = self._source
        before = source.slice(max(0, hit.start - 2), hit.start)
        closes = role == "unthink" and not self._mentioned
        if closes or len(before) < len("a ") or not (before[0].isalnum() and before[1] == " "):
            return False
        while source.length - hit.end < len(" a") and not source.closed:
            yield
        behind = source.slice(hit.end, min(hit.end + 2, source.length))
        mentioned = behind[:1] == " " and behind[1:].isalnum()
        self._mentioned = self._mentioned or mentioned
        return mentioned

    @property
    def inside(self) -> Literal["", "fence", "inline"]:
        """In which kind of code the end of what was read stands."""
        if self._unread:
            texts = []
            for start, end in self._unread:
                text = self._source.slice(start, end)
                if start == self._end or not text.isspace():  # a line end between two markers is theirs
                    texts.append(text)
                self._end = end
            self._look(self._before + "".join(texts))
            self._before = ""
            self._unread.clear()
        return "fence" if self._fence else "inline" if self._inline else ""

    def _look(self, text: str) -> None:
        for mark in _MARKS.finditer(text):
            fence, ticks = mark.groups()
            if ticks and not self._fence:
                self._inline = "" if self._inline == ticks else self._inline or ticks
            elif not ticks:
                self._inline = ""
                self._line(fence)

    def _line(self, fence: str | None) -> None:
        if fence and not self._fence:
            self._fence = fence
        elif fence and fence.startswith(self._fence):
            self._fence = ""
