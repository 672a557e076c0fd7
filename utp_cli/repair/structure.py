"""Which bracket was meant: open containers, and the choice where a closer does not fit."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from utp_cli.repair.text_window import Starved, any_of

if TYPE_CHECKING:
    from utp_cli.repair.codes import Edit
    from utp_cli.repair.text_window import TextWindow

DEEP: Final = 64
"""So many due closers are compared; what lies further out is taken to fit."""

OPTION: Final = ("--", "\u2013", "\u2014")
"""How a key begins that is written as an option of a command: MiniMax's `args => {--city "Oslo"}`; pages make a dash of
the two signs."""
_BRACKET: Final = r'[{}\[\]]|"[^"\\]*(?:\\.[^"\\]*)*"?|(?<=[\[{,:\s])\'[^\'\n]*\'(?=\s*[,:}\]])'
"""A bracket, or a string."""


class Comma(NamedTuple):
    """A separator that still has to prove that something follows it."""

    start: int
    text: str


class Frame:
    """An open container."""

    __slots__ = (
        "before", "closer", "colon", "comma", "end", "is_object", "key", "key_edits", "key_end", "key_start",
        "key_text", "many", "start", "value", "watched",
    )  # fmt: skip

    def __init__(self, value: Any, closer: str, start: int, end: int, before: int) -> None:
        """`closer`: what closes it in the text; a Python set is a list that `}` closes."""
        self.value = value
        self.is_object = type(value) is dict
        """Whether it has keys."""
        self.closer = closer
        self.start = start
        self.end = end
        """Just behind its last entry, or its opener. Where a lost comma or closer belongs."""
        self.before = before
        """The same for the entry before the last."""
        self.watched = False
        """Its members are reported while they arrive."""
        self.key: str | None = None
        self.key_start = self.key_end = 0
        self.key_text = ""
        self.key_edits: list[Edit] = []
        """What the key needed; told only when the key stays."""
        self.comma: Comma | None = None
        self.colon: Comma | None = None
        """Where it stands apart from the key."""
        self.many = False
        """A comma was seen."""

    @property
    def is_fresh(self) -> bool:
        """Whether nothing has been read in it."""
        return not self.value and self.comma is None

    def begin_key(self, key: str, start: int, written: str, end: int) -> None:
        """A key has been read; it stands once its value begins."""
        self.key, self.key_start, self.key_text, self.key_end = key, start, written, end
        self.key_edits, self.colon = [], None

    def turn_into_list(self) -> None:
        """It has no keys after all."""
        self.value, self.is_object, self.watched = [], False, False


def due(frames: list[Frame]) -> str:
    """Return the closers that are due, innermost first."""
    return "".join(frame.closer for frame in frames[: -DEEP - 1 : -1])


def closers_ahead(source: TextWindow, at: int, enough: int, until: tuple[str, ...]) -> str:
    """Return the closers that fit no opener of the text from index `at` on, `enough` at most.

    Strings are skipped; a marker or the end of the text ends it. Raises Starved until that is known.
    """
    text, found, depth = source.window, "", 0
    signs, markers = _signs(until), any_of(until)
    while sign := signs.search(text, at):
        at = sign.end()
        if sign[0] in "{[":
            depth += 1
        elif sign[0] in "}]":
            found += "" if depth else sign[0]
            depth = max(depth - 1, 0)
        elif markers.search(text, sign.start(), at):
            return found
        if len(found) == enough:
            return found
    if not source.closed:
        raise Starved
    return found


@lru_cache(maxsize=256)
def _signs(until: tuple[str, ...]) -> re.Pattern[str]:
    """Match a marker, a bracket or a string."""
    return re.compile(f"{any_of(until).pattern}|{_BRACKET}", re.DOTALL)


def best(ahead: str, readings: list[tuple[str, Any]], default: Any) -> Any:
    """Return the reading whose due closers are just those ahead; else the default."""
    return next((answer for closers, answer in readings if closers == ahead), default)
