"""What an engine finds in a text, and what it tells while it reads a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from utp_cli.protocol.events import Event
from utp_cli.protocol.records import MutableRecord, Record, field

if TYPE_CHECKING:
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.machine import Engine
    from utp_cli.engine.reading import RawCall
    from utp_cli.protocol.calls import Standing


class FoundCall(MutableRecord):
    """A call in its place."""

    call: RawCall
    dialect: Dialect
    marker: str
    """The opening marker, as it was spelt."""
    start: int
    """Where its markup begins."""
    end: int
    closed: bool
    at_end: bool
    """The text ended before its closing marker came."""
    runs: range
    """Which of the engine's runs it covers."""
    thought: bool = False
    """It stands in thinking."""
    quoted: Literal["", "fence", "inline"] = ""
    """It stands in code: text, unless it names a known tool or is the whole answer."""
    standing: Standing = "made"
    """`shown` where its place, or the words before it, say that it is not made."""


class Thinking(MutableRecord):
    """Thinking that is open."""

    first_run: int
    """The first run inside it."""
    first_call: int | None = None
    """The run behind its first call: where it ended if it never closes."""
    begun: bool = False
    """It is known to hold more than blanks."""
    calls: list[FoundCall] = field(default_factory=list)


class Declining(Record):
    """A dialect whose marker was there and whose payload was not."""

    dialect: str
    marker: str
    position: int
    reason: str


class LiveCall:
    """Turns what a grammar tells about a call into events."""

    def __init__(self, engine: Engine, index: int) -> None:
        self._engine = engine
        self._index = index
        self._named = False

    @property
    def hears(self) -> bool:
        return self._engine.tells

    def name(self, name: str, call_id: str | int | None = None) -> None:
        self._index += self._named  # the next call of one payload
        self._named = True
        if self._engine.tells:
            self._engine.begun = self._index
            self._engine._emit(Event(type="tool_start", index=self._index, name=name, id=call_id))  # noqa: SLF001

    def arguments(self, start: int, end: int) -> None:
        engine = self._engine
        if engine.tells and start < end:
            text = engine.source.slice(start, end)
            engine._emit(Event(type="tool_args", index=self._index, text=text))  # noqa: SLF001

    def end(self, call: RawCall) -> None:
        if self._engine.begun < self._index and call.name:  # it stands where only the whole call tells it
            self.name(call.name, call.id)
        done = Event(type="tool_end", index=self._index, name=call.name, id=call.id, arguments=call.arguments)
        self._engine._emit(done)  # noqa: SLF001
