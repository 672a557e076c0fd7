"""Finding the next marker among all markers of all candidate dialects at once."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from utp_cli.engine.source import SURE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.source import Source

Role = Literal["call", "bare", "section", "think", "unthink", "end", "drop"]


class Meaning(NamedTuple):
    """What a marker would mean in one dialect."""

    role: Role
    dialect: Dialect


class Hit(NamedTuple):
    """A marker in the text: `[start, end)`, and all that it could mean, in the order of the dialects."""

    marker: str
    start: int
    end: int
    meanings: tuple[Meaning, ...]


class Markers:
    """Markers, found by how they begin. The longest marker at a place wins."""

    def __init__(self, marked: Iterable[tuple[str, Meaning]], *, tells_half: bool = False) -> None:
        """`tells_half`: half a marker at the end of the text, cut between its tokens, is found as well."""
        self._tells_half = tells_half
        self._meanings: dict[str, tuple[Meaning, ...]] = {}
        for marker, meaning in marked:
            self._meanings[marker] = (*self._meanings.get(marker, ()), meaning)
        by_length = sorted(self._meanings, key=len, reverse=True)
        self._longest = len(by_length[0]) if by_length else 0
        short = [marker for marker in by_length if len(marker) < SURE]
        begun: dict[str, dict[int, None]] = {}
        for marker in by_length:
            for head in (marker[:SURE],) if len(marker) >= SURE else [h for h in begun if h.startswith(marker)]:
                begun.setdefault(head, {})[len(marker)] = None
        self._lengths = {head: tuple(lengths) for head, lengths in begun.items()}
        """Of the markers that may stand behind a beginning of `SURE` characters, the longest first."""
        self._short = tuple({len(marker): None for marker in short})
        """The same behind all others."""
        self.stops = _stops(frozenset(self._meanings))
        """Where a marker may start. No marker starts at a place that this does not match."""
        first = {marker[0] for marker in self._meanings}
        self.first = first.pop() if len(first) == 1 else ""
        """The character that every marker starts with, `""` where they start with several."""

    @cached_property
    def beginnings(self) -> re.Pattern[str]:
        """Match the first characters of a marker, `SURE` at most, where none of them is still to come."""
        return _stops(frozenset(self._meanings), cut=False)

    def match(self, source: Source, position: int) -> Hit | bool:
        """Return the longest marker at `position`; False where there is none, True where more text must tell."""
        window, index, meanings = source.window, position - source.base, self._meanings
        may_break_off = len(window) - index < self._longest
        if may_break_off and not source.closed and window[index:] in self._beginnings:
            return True
        for length in self._lengths.get(window[index : index + SURE], self._short):
            marker = window[index : index + length]
            if marker in meanings:
                return Hit(marker, position, position + len(marker), meanings[marker])
        return may_break_off and source.closed and self._tells_half and self._half(window[index:], position)

    def _half(self, half: str, position: int) -> Hit | bool:
        """Return a marker of several tokens that the text ends in, behind at least one of them: it is a token."""
        if "|>" not in half:
            return False
        begun = next((marker for marker in self._meanings if marker.startswith(half)), half)
        ends = range(len(half) + 1, len(begun) + 1)
        whole = next((begun[:end] for end in ends if begun[:end] in self._meanings), "")
        if not whole:
            return False
        return Hit(half, position, position + len(half), (self._meanings[whole][0]._replace(role="drop"),))

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        """What all texts are that a marker goes on from."""
        return frozenset(marker[:end] for marker in self._meanings for end in range(len(marker)))


@lru_cache(maxsize=256)
def _stops(markers: frozenset[str], *, cut: bool = True) -> re.Pattern[str]:
    """Match where a marker may start: at its first two characters, or for words at their first three.

    One character alone is common in prose, so that it would stop the search too often; at the end of the window a
    shorter beginning counts (`cut`), for the rest may still come. Every branch begins with a character, not with a
    class: `re` skips at once to where one of those stands.
    """
    begins: dict[str, set[str]] = {}
    for marker in markers:
        is_word = marker[0].isalnum() or marker[0].isspace()
        begins.setdefault(marker[0], set()).add(marker[1 : SURE if is_word else 2])
    end = [r"\Z"] if cut else []
    branches = [re.escape(first) + _rests(rests, end) for first, rests in sorted(begins.items())]
    return re.compile("|".join(branches) or "(?!)")


def _rests(rests: set[str], end: list[str]) -> str:
    """Match one of the texts, or in one of them what `end` matches."""
    if "" in rests:
        return ""
    seconds: dict[str, set[str]] = {}
    for rest in rests:
        seconds.setdefault(rest[0], set()).add(rest[1:])
    ends = "".join(sorted(second for second, more in seconds.items() if "" in more))
    branches = [f"[{re.escape(ends)}]"] if ends else []
    branches += [re.escape(second) + _rests(more, end) for second, more in sorted(seconds.items()) if "" not in more]
    return "(?:" + "|".join([*branches, *end]) + ")"
