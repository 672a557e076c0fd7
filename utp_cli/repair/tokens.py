"""What every part of the reader stands on: the text, what stands between tokens, the log of changes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.protocol.patterns import regex
from utp_cli.repair.ahead import SPACES
from utp_cli.repair.codes import Edit, in_order
from utp_cli.repair.shortcuts import respelling
from utp_cli.repair.tape import Starved, Tape, any_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from utp_cli.protocol.calls import Note, Repair, Sureness

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


class Tokens:
    """The text as it arrives, and what is told about it. States raise Starved to be called again later."""

    def __init__(self, until: tuple[str, ...], start: int) -> None:
        self.declined = False
        """Nothing here reads as a container."""
        self.done = False
        self.edits: list[Edit] = []
        """As they were made; `codes.in_order` puts them in the order of the text."""
        self.respellings: list[tuple[int, str]] = []
        """Stretches that a short cut respelt: where each begins, and its text."""
        self.kept_notes: list[Note] = []
        self._tape = Tape(start)
        self._ends = until
        """What ends the payload: markers, and the fence that was opened."""
        self._firsts = frozenset(marker[0] for marker in until)
        self._behind = start
        """Just behind the last token."""
        self._state: Callable[[], None]

    @property
    def repairs(self) -> list[Repair]:
        """All edits so far, in the order of the text."""
        return [edit.repair() for edit in in_order([*self.edits, *self.respelt()])]

    def respelt(self) -> Iterator[Edit]:
        """Give the edits of stretches that a short cut respelt, which are not among the others."""
        for start, text in self.respellings:
            yield from respelling(text, start)

    @property
    def over(self) -> bool:
        """Whether the reader wants no more text."""
        return self.done or self.declined

    def _run(self) -> None:
        try:
            while not self.over:
                self._state()
        except Starved:
            pass

    @property
    def _offset(self) -> int:
        return self._tape.base + self._tape.at

    def _need(self, index: int) -> None:
        """Wait until the character at the index, or the end of the text, has come."""
        if index >= len(self._tape.text) and not self._tape.closed:
            raise Starved

    def _fix(self, code: str, start: int, before: str, after: str, confidence: Sureness | None = None) -> None:
        self.edits.append(Edit(code, start, before, after, confidence))

    def _drop(self, code: str, width: int, after: str = "", confidence: Sureness | None = None) -> None:
        """Put something else in the place of the next characters."""
        at = self._tape.at
        self._fix(code, self._offset, self._tape.text[at : at + width], after, confidence)
        self._tape.at += width
        self._behind = self._offset

    def _next(self) -> str:
        """Skip what stands between tokens and return the next character, `""` where text or payload ends."""
        tape = self._tape
        self._behind = self._offset
        while True:
            at = SPACE.match(tape.text, tape.at).end()  # type: ignore[union-attr]
            char = tape.char(at)
            over = not char or (char in self._firsts and self._at_marker(at))
            tape.at = at
            if over:
                return ""
            if "!" < char < "\x7f" and char not in "/#\\":
                return char
            if not self._skip_odd(char):
                return char

    def _at_marker(self, at: int) -> bool:
        if self._tape.text.startswith(self._ends, at):
            return True
        if self._tape.begins(at, self._ends):
            raise Starved
        return False

    def _skip_odd(self, char: str) -> bool:
        """Skip a comment or unusual white space; False where there is none."""
        text, at = self._tape.text, self._tape.at
        if char == "\\":
            self._tape.char(at + 1)
            if found := _ESCAPED_SPACE.match(text, at):
                self._need(found.end() + 1)
                self._drop("over-escaped", len(found[0]))
            return found is not None
        if found := _ODD.match(text, at):
            self._need(found.end())
            self._drop("odd-whitespace", len(found[0]), " ")
            return True
        if char == "/":
            self._tape.char(at + 1)
        for code, pattern in _COMMENTS:
            if found := pattern.match(text, at):
                if not _BLOCK.fullmatch(found[0]):
                    self._need(found.end())
                marker = any_of(self._ends).search(text, at, found.end())
                self._drop(code, (marker.start() if marker else found.end()) - at)
                return True
        return False

    def _dots(self) -> int:
        """Return how many characters an ellipsis takes here."""
        text, at = self._tape.text, self._tape.at
        if text[at] == "…":
            return 1
        if text[at] == ".":
            self._need(at + 2)
        return 3 if text.startswith("...", at) else 0

    def _garbage(self) -> None:
        """Drop what can be nothing, up to what can be something."""
        found = _GARBAGE.match(self._tape.text, self._tape.at)
        assert found is not None  # noqa: S101 - it matches any character
        self._need(found.end())
        marker = any_of(self._ends).search(self._tape.text, self._tape.at, found.end())
        self._drop("trailing-garbage", (marker.start() if marker else found.end()) - self._tape.at)
