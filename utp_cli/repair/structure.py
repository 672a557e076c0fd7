"""Which bracket was meant: open containers, and the choice where a closer does not fit."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from utp_cli.repair.tape import Starved, any_of

if TYPE_CHECKING:
    from utp_cli.repair.codes import Edit
    from utp_cli.repair.tape import Tape

DEEP: Final = 64
"""So many due closers are compared; what lies further out is taken to fit."""

_BRACKET: Final = r'[{}\[\]]|"(?:[^"\\]|\\.)*"?|(?<=[\[{,:\s])\'[^\'\n]*\'(?=\s*[,:}\]])'
"""A bracket, or a string."""


class Member(NamedTuple):
    """Where the value of a key stands. Offsets."""

    key: str
    start: int
    end: int | None
    """None until it is known."""


class Comma(NamedTuple):
    """A separator that still has to prove that something follows it."""

    start: int
    text: str


class Frame:
    """An open container."""

    key: str | None = None
    key_start: int = 0
    key_text: str = ""
    key_end: int = 0
    comma: Comma | None = None
    colon: Comma | None = None
    """Where it stands apart from the key."""
    many: bool = False
    """A comma was seen."""

    def __init__(self, value: Any, closer: str, start: int, end: int, before: int, *, watched: bool = False) -> None:
        """`closer`: what closes it in the text; a Python set is a list that `}` closes."""
        self.value = value
        self.closer = closer
        self.start = start
        self.end = end
        """Just behind its last entry, or its opener. Where a lost comma or closer belongs."""
        self.before = before
        """The same for the entry before the last."""
        self.watched = watched
        """Its members are reported while they arrive."""
        self.key_edits: list[Edit] = []
        """What the key needed; told only when the key stays."""

    @property
    def is_object(self) -> bool:
        """Whether it has keys."""
        return isinstance(self.value, dict)


def due(frames: list[Frame]) -> str:
    """Return the closers that are due, innermost first."""
    return "".join(frame.closer for frame in frames[: -DEEP - 1 : -1])


def closers_ahead(tape: Tape, at: int, enough: int, until: tuple[str, ...]) -> str:
    """Return the closers that fit no opener of the text from index `at` on, `enough` at most.

    Strings are skipped; a marker or the end of the text ends it. Raises Starved until that is known.
    """
    text, found, depth = tape.text, "", 0
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
    if not tape.closed:
        raise Starved
    return found


@lru_cache(maxsize=256)
def _signs(until: tuple[str, ...]) -> re.Pattern[str]:
    """Match a marker, a bracket or a string."""
    return re.compile(f"{any_of(until).pattern}|{_BRACKET}", re.DOTALL)


def best(ahead: str, readings: list[tuple[str, Any]], default: Any) -> Any:
    """Return the reading whose due closers are just those ahead; else the default."""
    return next((answer for closers, answer in readings if closers == ahead), default)
