"""What a grammar makes of the text behind an opening marker, and how it waits for more of that text.

A grammar's `read` is a generator: a bare `yield` says "need more text", its return value is a `MarkerRead` or a
`Declined`. It never looks back before the place where it began, and it may leave text unread for whoever comes next.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from utp_cli.engine.markers import Hit, Markers
from utp_cli.protocol.calls import Repair
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import MutableRecord, Record, field
from utp_cli.protocol.spans import pointer
from utp_cli.repair.text_window import Starved

if TYPE_CHECKING:
    from utp_cli.dialects.bodies import Body
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.layout import TextRun
    from utp_cli.engine.source import Source
    from utp_cli.protocol.spans import Span
    from utp_cli.protocol.tools import Tool

T = TypeVar("T")
B_co = TypeVar("B_co", bound="Body", covariant=True)
Waiting = Generator[None, None, T]
"""A reader that may have to wait for text before it can return its T."""

SPACE = " \t\n\r\f\v"
_BLANKS = regex(f"[{SPACE}]*")
HEADER_LIMIT = 512
"""Characters that an opening tag or a name may take; longer ones are no markup. Bounds every look-ahead."""


class RawCall(MutableRecord):
    """A call as read from markup, before it is judged."""

    name: str | None
    arguments: dict[str, Any]
    id: str | int | None = None
    server: str | None = None
    repairs: list[Repair] = field(default_factory=list)
    """Syntax repairs count in the text field's text; shape repairs point into the call."""
    partial: list[str] = field(default_factory=list)
    """JSON Pointers into the arguments: values that broke off."""
    payload: Span
    """The text between the markers."""
    lack: Literal["nothing", "closers", "more"] = "nothing"
    """What the payload lacks: nothing, only its last `}` and `]`, or more than that."""
    reason: str = ""
    """Why this is no call at all (`malformed`), where it is none."""


class MarkerRead(MutableRecord):
    """What stood behind an opening marker."""

    calls: list[RawCall]
    end: int
    """Where reading goes on: behind the closing marker, or where the call stopped without one."""
    runs: list[TextRun]
    """Tile the text from the opening marker's end to `end`."""
    closed: bool
    """A closing marker was there, or none is due."""
    mode: Literal["text", "answer", "thinking"] | None = None
    """What follows (and the calls themselves) stands in, where a message's header says so."""

    @property
    def worth(self) -> tuple[bool, int]:
        """Rank of a malformed one: with a sound call, then the one that came furthest: no text is tried twice."""
        return any(not call.reason and call.lack == "nothing" for call in self.calls), self.end


class Declined(NamedTuple):
    """The text behind the marker is no payload of this dialect."""

    reason: str
    until: int = 0
    """How far it was read: no unmarked payload is looked for before that place again."""


class Live(Protocol):
    """Hears about a call while it is being read."""

    @property
    def hears(self) -> bool:
        """Whether somebody wants to know."""

    def name(self, name: str, call_id: str | int | None = None) -> None:
        """The tool's name is certain."""

    def arguments(self, start: int, end: int) -> None:
        """The text `[start, end)` certainly belongs to the arguments."""


class Context(Record, Generic[B_co]):
    """What a grammar may know beside the text; its parameter is the type of body that the grammar reads."""

    dialect: Dialect
    body: B_co
    """The dialect's."""
    tools: Mapping[str, Tool] | None
    local: Markers
    """The markers that structure a payload of this dialect; each has one of the roles of `LocalRole`."""
    until: tuple[str, ...]
    """The same markers as plain text."""
    live: Live


LocalRole = Literal["open", "close", "argument", "argument-close", "separator"]
Reader = Callable[["Source", Hit, Context[Any]], Waiting[MarkerRead | Declined]]
Writer = Callable[["Dialect", Any, Sequence[Mapping[str, Any]]], str]
"""Takes a dialect, its body, and calls `{name, arguments, id?, server?}`."""


class Grammar(Record):
    """How the payloads of a family are read and written."""

    read: Reader
    write: Writer
    cannot: tuple[str, ...] = ()
    """What none of the family's dialects can carry, in words of `LIMITS`."""


def missing_close(position: int, marker: str) -> Repair:
    """Make the repair for a closing marker that is not there."""
    message = f"read as if {marker} stood here" if marker else "read as if it were closed here"
    return Repair(
        code="missing-close-tag", layer="syntax", confidence="likely", span=(position, position), after=marker,
        message=message,
    )  # fmt: skip


def repeated(name: str, before: Any, after: Any) -> Repair:
    """Make the repair for an argument that was given before."""
    return Repair(
        code="repeated-argument", layer="shape", confidence="safe" if before == after else "likely",
        pointer=pointer("arguments", name), before=before, after=after,
        message=f"{name} was given before; the last one counts",
    )  # fmt: skip


def waiting(step: Callable[[], T]) -> Waiting[T]:
    """Take a step of a reader that raises Starved, as often as it takes until there is text enough for it."""
    while True:
        try:
            return step()
        except Starved:
            yield


def skip_space(source: Source, position: int) -> Waiting[int]:
    """Return the position of the next character that is no whitespace; the end where the text has none."""
    while True:
        index = _BLANKS.match(source.window, position - source.base).end()  # type: ignore[union-attr]  # or nothing
        position = index + source.base
        if index < len(source.window) or source.closed:
            return position
        yield


def next_hit(
    source: Source, markers: Markers, position: int, passed: Callable[[int], int] | None = None
) -> Waiting[Hit | None]:
    """Return the next marker from `position` on; None where there is none.

    Whenever the text so far is used up, `passed` is told how far it holds no marker, and says how long the text is
    to be before it wants to be told again.
    """
    while True:
        found = source.search(markers.stops, position)
        if found is None:
            position = source.length
            hit: Hit | bool = not source.closed
        else:
            position = source.at(found)
            hit = markers.match(source, position)
        if hit is True:
            source.release(position)
            again = passed(position) if passed else sys.maxsize
            if found is None:
                source.sleep(markers.first, again)
            yield
        elif hit is False:
            if found is None:
                return None
            position += 1
        else:
            return hit


def hit_at(source: Source, markers: Markers, position: int) -> Waiting[Hit | None]:
    """Return the marker that stands exactly at `position`, None where there is none."""
    while (hit := markers.match(source, position)) is True:
        yield
    return hit or None


def role_of(hit: Hit | None) -> str:
    """Return the role of a local marker, `""` for none."""
    return hit.meanings[0].role if hit else ""
