"""A place in the text, the steps over what stands between two tokens, and the log of what was changed."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from utp_cli.protocol.patterns import regex
from utp_cli.repair.codes import Edit
from utp_cli.repair.lookahead import SPACES
from utp_cli.repair.text_window import Starved, any_of

if TYPE_CHECKING:
    from utp_cli.protocol.calls import Note, RepairConfidence
    from utp_cli.repair.text_window import TextWindow

SPACE: Final = regex(r"[ \t\n\r]*")
_ODD: Final = regex(rf"[{SPACES}]+")
_ESCAPED_SPACE: Final = regex(r"(?:\\[ntr])+")
_COMMENTS: Final = (
    ("js-comment", regex(r"/\*(?:[^*]|\*(?!/))*(?:\*/|\*?\Z)|//[^\n\r]*")),
    ("hash-comment", regex(r"#[^\n\r]*")),
)
_BLOCK: Final = regex(r"/\*.*\*/", re.DOTALL)
_GARBAGE: Final = regex(r"[^,;，}\])\"'\n]+|.", re.DOTALL)
ASCII: Final = {"｛": "{", "｝": "}", "［": "[", "］": "]", "：": ":", "，": ","}
"""What fullwidth punctuation stands for."""


@lru_cache(maxsize=256)
def _firsts(markers: tuple[str, ...]) -> str:
    """Return the characters that markers begin with."""
    return "".join(marker[0] for marker in markers)


class Log:
    """What was changed and noted on the way. Offsets."""

    __slots__ = ("edits", "notes", "respellings", "skimmed")

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        """As they were made; `codes.in_order` puts them in the order of the text."""
        self.notes: list[Note] = []
        self.respellings: list[tuple[int, str]] = []
        """Stretches that a short cut read as Python: where each begins, and its text."""
        self.skimmed: list[tuple[int, str]] = []
        """Stretches that a short cut read: what is worth noting in them nobody has looked for."""

    def fix(self, code: str, start: int, before: str, after: str, confidence: RepairConfidence | None = None) -> None:
        """Say that the text `before` at the offset was read as `after`."""
        self.edits.append(Edit(code, start, before, after, confidence))


class Cursor:
    """Goes over the text of a window, token by token. Raises Starved where it needs more, having changed nothing."""

    __slots__ = ("_firsts", "behind", "ends", "log", "source")

    def __init__(self, source: TextWindow, until: tuple[str, ...]) -> None:
        self.source = source
        self.log = Log()
        self.ends = until
        """What ends the payload: markers, and the fence that was opened."""
        self.behind = source.length
        """Just behind the last token."""
        self._firsts = _firsts(until)

    @property
    def offset(self) -> int:
        """Where the cursor stands."""
        return self.source.base + self.source.here

    def end_at(self, marker: str) -> None:
        """Let another marker end the payload."""
        self.ends = (*self.ends, marker)
        self._firsts += marker[0]

    def need(self, index: int) -> None:
        """Wait until the character at the index, or the end of the text, has come."""
        if index >= len(self.source.window) and not self.source.closed:
            raise Starved

    def drop(self, code: str, width: int, after: str = "", confidence: RepairConfidence | None = None) -> None:
        """Put something else in the place of the next characters."""
        source = self.source
        start = source.base + source.here
        self.log.edits.append(Edit(code, start, source.window[source.here : source.here + width], after, confidence))
        source.here += width
        self.behind = start + width

    def next(self) -> str:
        """Skip what stands between tokens and return the next character, `""` where text or payload ends."""
        source = self.source
        self.behind = source.base + source.here
        while True:
            at = SPACE.match(source.window, source.here).end()  # type: ignore[union-attr]  # it matches the empty string
            char = source.peek(at)
            over = not char or (char in self._firsts and self.at_marker(at))
            source.here = at
            if over:
                return ""
            if "!" < char < "\x7f" and char not in "/#\\":
                return char
            if not self.skip_odd(char):
                return char

    def marker_begins(self, at: int, char: str) -> bool:
        """Whether a marker stands at the index, where `char` does."""
        return char in self._firsts and self.at_marker(at)

    def at_marker(self, at: int) -> bool:
        """Whether a marker stands at the index."""
        if self.source.window.startswith(self.ends, at):
            return True
        if self.source.begins(at, self.ends):
            raise Starved
        return False

    def skip_odd(self, char: str) -> bool:
        """Skip a comment or unusual white space; False where there is none."""
        source, text, at = self.source, self.source.window, self.source.here
        if char == "\\":
            source.peek(at + 1)
            if found := _ESCAPED_SPACE.match(text, at):
                self.need(found.end() + 1)
                self.drop("over-escaped", len(found[0]))
            return found is not None
        if found := _ODD.match(text, at):
            self.need(found.end())
            self.drop("odd-whitespace", len(found[0]), " ")
            return True
        if char == "/":
            source.peek(at + 1)
        for code, pattern in _COMMENTS:
            if found := pattern.match(text, at):
                if not _BLOCK.fullmatch(found[0]):
                    self.need(found.end())
                marker = any_of(self.ends).search(text, at, found.end())
                self.drop(code, (marker.start() if marker else found.end()) - at)
                return True
        return False

    def dots(self) -> int:
        """Return how many characters an ellipsis takes here."""
        text, at = self.source.window, self.source.here
        if text[at] == "…":
            return 1
        if text[at] == ".":
            self.need(at + 2)
        return 3 if text.startswith("...", at) else 0

    def skip_garbage(self) -> None:
        """Drop what can be nothing, up to what can be something."""
        source = self.source
        found = _GARBAGE.match(source.window, source.here)
        assert found is not None  # noqa: S101 - it matches any character
        self.need(found.end())
        marker = any_of(self.ends).search(source.window, source.here, found.end())
        self.drop("trailing-garbage", (marker.start() if marker else found.end()) - source.here)
