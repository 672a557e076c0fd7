"""Does a value go on behind a marker that would end it? Signs of that are looked for ahead, each stretch of text once.

A value that is not closed where a marker stands may hold that marker as text. What proves it is a closing tag with
something behind it that is due there, or the next argument of the call. A closing tag that proves nothing, and an
opening marker behind it, prove that the value has ended. Where a search found no proof, a search that begins further
on would find none either; so it is remembered how far that holds, and for which names of arguments it does not.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from utp_cli.engine.reading import Context, Waiting, hit_at, next_hit, role_of, skip_space
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import MutableRecord, field

if TYPE_CHECKING:
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source


class Key(MutableRecord):
    """The opening of an argument that was read."""

    name: str
    type: str = ""
    """What the markup itself says of the value's type (`true`, `string`, `number` …)."""
    end: int
    """Where the value begins."""
    empty: bool = False
    """The tag closes itself: there is no value."""
    missing: str = ""
    """The tag before the value that is not there."""


_CLOSES_ARGUMENT: Final = ("due", "argument-close")
_MOST_QUOTED: Final = 32
"""Markers of a call that a value may quote: a search further on would be repeated at each of them."""

KeyReader = Callable[["Source", "Hit", Context[Any]], Waiting[Key | None]]
"""Reads an argument's opening from its marker on; None where it is no such thing."""


class Sign(NamedTuple):
    """A marker of the dialect, somewhere behind the one that may end a value."""

    start: int
    role: str
    """As `LocalRole`; `due` for an argument's closing tag with something behind it that is due there."""
    behind: int
    """Where reading goes on behind it."""
    name: str = ""
    """Of the argument that it opens."""
    own_line: bool = False
    """It stands at the beginning of a line."""


class _Barren(MutableRecord):
    """From every place in `[first, last]` up to `end` there is no proof but the arguments that are listed."""

    first: int
    last: int
    end: int
    names: dict[str, int] = field(default_factory=dict)
    """Names of arguments with the place of their last opening tag, in the order of these places."""
    own_line: dict[str, int] = field(default_factory=dict)
    """The same of those at the beginning of a line."""


class Wanted(MutableRecord):
    """Which arguments would be the next one of a call."""

    known: frozenset[str] | None
    """The names that the tool has; None: any name, at the beginning of a line."""
    given: Collection[str]
    """Names that the call has already. They only become more."""
    reading: str = ""
    """The argument whose value is read: its own tag in there is text, but for one at the beginning of a line."""
    none_before: int = 0
    """Up to here none of them stands."""

    def fits(self, sign: Sign) -> bool:
        """Whether the argument that the sign opens is one of them."""
        if sign.role != "argument" or not sign.name or sign.name in self.given:
            return False
        return sign.own_line if not self.known or sign.name == self.reading else sign.name in self.known

    def any_in(self, barren: _Barren, position: int) -> bool:
        """Whether one of them stands behind `position`."""
        if barren.end <= self.none_before:
            return False
        if self.known:
            tables = ((n, barren.own_line if n == self.reading else barren.names) for n in self.known)
            return any(table.get(n, -1) >= position for n, table in tables if n not in self.given)
        for name, place in reversed(barren.own_line.items()):
            if place < position:
                return False
            if name not in self.given:
                return True
        self.none_before = barren.end
        return False


class MarkerSigns:
    """The signs of one dialect in one text, from the first place that somebody asked about."""

    def __init__(self, source: Source, context: Context[Any], read_key: KeyReader) -> None:
        self._source, self._context, self._read_key = source, context, read_key
        self._signs: list[Sign] = []
        self._begin = self._end = 0
        """Which stretch of the text has been searched."""
        self._barren = _Barren(first=0, last=-1, end=0)

    def proof(self, position: int, wanted: Wanted, *, closed: bool) -> Waiting[Sign | None]:
        """Return the sign from `position` on that proves that a value goes on up to it; None where there is none.

        `closed`: a closing tag was seen that proves nothing.
        """
        barren = self._barren
        if not closed and barren.first <= position <= barren.last and not wanted.any_in(barren, position):
            return None
        if not self._begin <= position <= self._end:
            self._signs, self._begin, self._end = [], position, position
        barren = _Barren(first=position, last=position - 1 if closed else position, end=position)
        index = bisect_left(self._signs, (position,))
        while sign := (yield from self._sign(index)):
            if sign.role == "due" or wanted.fits(sign):
                return sign
            if sign.role == "open":
                behind = yield from self._unpaired(index)
                if behind:
                    return behind
                if closed:
                    break
            barren.last = barren.last if closed else sign.start
            closed = closed or sign.role in ("argument-close", "close")
            for table, listed in ((barren.names, True), (barren.own_line, sign.own_line)):
                if sign.name and listed:
                    table.pop(sign.name, None)
                    table[sign.name] = sign.start
            index += 1
        barren.end = sign.start if sign else self._source.length
        self._barren = barren
        return None

    def _unpaired(self, index: int) -> Waiting[Sign | None]:
        """Return a closing tag, due where it stands, that nothing from the opening at `index` on could have opened.

        Then what was opened there stands in the value: somebody quotes a call.
        """
        calls = arguments = 0
        for ahead in range(index, index + _MOST_QUOTED):
            sign = yield from self._sign(ahead)
            if sign is None:
                return None
            if sign.role == "open":
                calls += 1
            elif sign.role == "argument":
                arguments += 1
            elif sign.role == "close":
                calls -= 1
                if calls < 0:
                    return None
            elif arguments and sign.role in _CLOSES_ARGUMENT:
                arguments -= 1
            elif sign.role in _CLOSES_ARGUMENT:
                return sign if sign.role == "due" else None
        return None

    def _sign(self, index: int) -> Waiting[Sign | None]:
        """Return a sign by its number; None where the text has no more."""
        if index == len(self._signs):
            hit = yield from next_hit(self._source, self._context.local, self._end)
            if hit is None:
                self._end = self._source.length
                return None
            self._signs.append((yield from self.sign_of(hit)))
            self._end = hit.end
        return self._signs[index]

    def sign_of(self, hit: Hit) -> Waiting[Sign]:
        """Say what a marker is a sign of."""
        source, role = self._source, role_of(hit)
        if role == "argument-close":
            behind = yield from past_tag(source, hit)
            due = yield from _due_behind(source, behind, self._context)
            return Sign(hit.start, "due" if due else role, behind)
        if role == "argument":
            key = yield from self._read_key(source, hit, self._context)
            own_line = source.slice(max(0, hit.start - 1), hit.start) in ("", "\n")
            return Sign(hit.start, role, hit.start, key.name if key else "", own_line)
        return Sign(hit.start, role, hit.start)


def signs_of(source: Source, context: Context[Any], read_key: KeyReader) -> MarkerSigns:
    """Return what is known of a dialect's signs in this text."""
    name = context.dialect.name
    found = source.noted.get(name)
    if found is None:
        found = source.noted[name] = MarkerSigns(source, context, read_key)
    return found


_SUFFIX = regex(r"[\w:.-]{0,64}(>?)")
"""What a checkpoint adds to a tag (`</arg_value:opensource>`), and the tag's end."""


def past_tag(source: Source, hit: Hit) -> Waiting[int]:
    """Return the position behind a tag whose marker leaves its end open; the marker's end where no tag follows."""
    if hit.marker[-1] in ">]":
        return hit.end
    while True:
        suffix = _SUFFIX.match(source.window, hit.end - source.base)
        if suffix and suffix[1]:
            return source.at(suffix) + len(suffix[0])
        if source.closed or suffix is None or source.base + suffix.end() < source.length:
            return hit.end
        yield


def _due_behind(source: Source, position: int, context: Context[Any]) -> Waiting[bool]:
    """Whether what follows a closing tag is due there."""
    ahead = yield from skip_breaks(source, position)
    if ahead >= source.length:
        return True
    hit = yield from hit_at(source, context.local, ahead)
    return role_of(hit) in ("argument", "close", "open")


def skip_breaks(source: Source, position: int) -> Waiting[int]:
    """Skip whitespace, and line breaks that are written as the two characters backslash and n."""
    while True:
        position = yield from skip_space(source, position)
        while source.char(position) == "\\" and position + 1 >= source.length and not source.closed:
            yield
        if not source.startswith("\\n", position):
            return position
        position += 2
