"""Values in brackets, as programming languages write and print them: the one walk through what is nested.

    value   = scalar | opener [ entry *( "," entry ) ] closer
    entry   = [ key ] value

What a scalar, an opener or a key is, and what is made of a container, is the business of a `Notation`. The walk has a
stack of its own, so that depth and length cost no more than their characters. Nothing is evaluated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol

from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record
from utp_cli.repair.text_window import Starved

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from utp_cli.repair.text_window import TextWindow

SPACE: Final = regex(r"[ \t\r\n\f\v]*")
NOTHING: Final = object()
"""Stands where a key has no value, for the notation to say what that means."""


class Fault(Exception):
    """What stands here is no value in this notation. Never leaves the readers."""


class Read(NamedTuple):
    """A value and where it ends."""

    value: Any
    end: int
    """Characters, exclusive."""
    open: bool = False
    """The text was cut off inside it: whatever stands around it ends here, too."""


class NestFrame:
    """An open container. What has a key is in `pairs`, the rest in `items`."""

    __slots__ = ("closer", "items", "key", "keyed", "name", "pairs", "start")

    def __init__(self, closer: str, start: int, name: str = "") -> None:
        """`start`: the index behind its opener."""
        self.closer = closer
        self.start = start
        self.name = name
        """Of the class whose object it is."""
        self.items: list[Any] = []
        self.pairs: dict[str, Any] = {}
        self.key = ""
        self.keyed = False
        """A key was read, its value was not."""

    def begin(self, key: str) -> None:
        """A key was read."""
        self.key, self.keyed = key, True

    def add(self, value: Any) -> None:
        """A value was read."""
        if self.keyed:
            self.pairs[self.key] = value
            self.keyed = False
        else:
            self.items.append(value)


class LongText(Protocol):
    """A string that arrives in many pieces: it lets go of what it has read."""

    def read(self) -> Read:
        """Read it to its end (an offset). Raises Starved, to be called again when more text has come."""


class Notation(Protocol):
    """How a language writes values. Places are indexes in the window. All may raise Starved, having changed nothing."""

    deepest: int
    """Containers in containers that are read."""
    lenient: bool
    """Commas may be missing or too many, and a key may lack its value: `NOTHING` is added for it."""

    def begin(self, source: TextWindow, at: int, frame: NestFrame | None) -> Read | NestFrame | LongText:
        """Read a scalar, or what opens a container or a long string; `frame` is the container it stands in."""

    def key(self, source: TextWindow, at: int, frame: NestFrame) -> int:
        """Read the key in front of a value, if there is one, into the frame; return where the value begins."""

    def key_of(self, read: Read, frame: NestFrame) -> str | None:
        """Return the key that a value is if a colon follows it; None where it cannot be one."""

    def add(self, source: TextWindow, frame: NestFrame, read: Read) -> None:
        """Put a value into its container."""

    def end(self, frame: NestFrame, before: str, *, cut: bool) -> Any:
        """Make the value of a container; `before` is the character in front of its closer, `cut` says it has none."""

    def cut_off(self, source: TextWindow, end: int, at: int, last: Any) -> int:
        """No comma stands at `at`, behind the value `last`: return where the text was cut off; -1 where it was not."""


Due = Literal["value", "entry", "text", "place", "after"]
"""What is done next: read a value; read an entry or a closer; go on with a long string; put a value in its place; read
what follows an entry."""


class Nest:
    """Reads one value with all that is nested in it."""

    def __init__(self, source: TextWindow, notation: Notation, start: int, root: NestFrame | None = None) -> None:
        """The value begins at the offset `start`; or, where `root` is open already, its entries do."""
        self.at = start
        """The offset up to which all was read."""
        self._source = source
        self._notation = notation
        self._stack = [root] if root else []
        self._due: Due = "entry" if root else "value"
        self._text: LongText | None = None
        self._read = Read(None, start)
        """The value that was read last; its end is an offset."""

    def read(self) -> Read:
        """Read to the end, which is an offset. Raises Fault; Starved where it is to be called again with more text."""
        step = {
            "value": self._value, "entry": self._entry, "text": self._go_on, "place": self._place, "after": self._after,
        }  # fmt: skip
        try:
            while not step[self._due]():
                pass
        except Starved:
            if self._due != "text":
                self._source.here = max(self.at - self._source.base, 0)
                self._source.sleep_on_lookahead()
            raise
        return self._read

    # Each step changes nothing before it has all the text that it needs. True where the whole value was read.

    def _skipped(self) -> int:
        """Return the index behind white space."""
        at = SPACE.match(self._source.window, self.at - self._source.base).end()  # type: ignore[union-attr]
        self._source.peek(at)
        return at

    def _go_to(self, at: int, due: Due) -> bool:
        self.at, self._due = self._source.base + at, due
        return False

    def _found(self, value: Any, end: int, *, cut: bool = False) -> bool:
        """A value was read up to the index."""
        self._read, self._due = Read(value, self._source.base + end, cut), "place"
        return False

    def _entry(self) -> bool:
        """Read the key of an entry and its value, or the closer."""
        frame, at = self._stack[-1], self._skipped()
        char = self._source.peek(at)
        if not char:
            return self._cut(at)
        lenient = self._notation.lenient
        if lenient and frame.keyed and char in (",", frame.closer):
            self._notation.add(self._source, frame, Read(NOTHING, self._source.base + at))
        if char == frame.closer:
            self._stack.pop()
            self.at = self._source.base + at
            return self._found(self._notation.end(frame, self._source.window[at - 1 : at], cut=False), at + 1)
        if char == "," and lenient:
            return self._go_to(at + 1, "entry")
        behind = self._notation.key(self._source, at, frame)
        return self._go_to(behind, "entry" if lenient and behind > at else "value")

    def _value(self) -> bool:
        """Read a value, or what opens it."""
        at = self._skipped() if self._stack else self.at - self._source.base
        if len(self._stack) > self._notation.deepest:
            raise Fault("nested too deeply")
        begun = self._notation.begin(self._source, at, self._stack[-1] if self._stack else None)
        self.at = self._source.base + at
        if isinstance(begun, Read):
            return self._found(begun.value, begun.end, cut=begun.open)
        if isinstance(begun, NestFrame):
            self._stack.append(begun)
            return self._go_to(begun.start, "entry")
        self._text, self._due = begun, "text"
        return False

    def _go_on(self) -> bool:
        """Go on with a long string."""
        assert self._text is not None  # noqa: S101 - what is due says so
        self._read, self._due = self._text.read(), "place"
        return False

    def _place(self) -> bool:
        """Put the value that was read in its place: as a key, if a colon follows it."""
        if not self._stack:
            return True
        read, frame = self._read, self._stack[-1]
        end = read.end - self._source.base
        lenient = self._notation.lenient
        key = None if frame.keyed or frame.closer != "}" or read.open else self._notation.key_of(read, frame)
        if key is not None:
            behind = SPACE.match(self._source.window, end).end()  # type: ignore[union-attr]  # it matches ""
            if self._source.peek(behind) == ":":
                frame.begin(key)
                return self._go_to(behind + 1, "entry" if lenient else "value")
        self._notation.add(self._source, frame, read)
        return self._cut(end) if read.open else self._go_to(end, "entry" if lenient else "after")

    def _after(self) -> bool:
        """Read what follows an entry."""
        at, end = self._skipped(), self.at - self._source.base
        char = self._source.peek(at)
        if not char:
            return self._cut(end)
        if char == ",":
            return self._go_to(at + 1, "entry")
        if char == self._stack[-1].closer:
            return self._go_to(at, "entry")
        cut = self._notation.cut_off(self._source, end, at, self._read.value)
        if cut < 0:
            raise Fault("no comma")
        return self._cut(cut)

    def _cut(self, end: int) -> bool:
        """The text ends, or was cut off, at the index: so do all open containers."""
        offset, inner = self._source.base + end, None
        while self._stack:
            frame = self._stack.pop()
            if inner:
                self._notation.add(self._source, frame, inner)
            inner = Read(self._notation.end(frame, "", cut=True), offset, open=True)
        self._read, self.at = inner or self._read, offset
        return True


class Escapes(Record):
    """What a backslash in a string means. `sign` has the groups `hex` (one or several), `octal`, `name` and `char`."""

    sign: re.Pattern[str]
    meanings: Mapping[str, str]
    """What the character behind the backslash stands for."""
    keeps: bool
    """A backslash that means nothing is kept, else dropped."""

    def undone(self, text: str) -> str:
        """Return the text that was meant."""
        return self.sign.sub(self._meaning, text) if "\\" in text else text

    def _meaning(self, found: re.Match[str]) -> str:
        written = found.groupdict()
        if digits := found[1] or found[2] or found[3]:
            code = int(digits, 16)
            return chr(code) if code <= 0x10FFFF else found[0]
        if octal := written.get("octal"):
            return chr(int(octal, 8))
        if name := written.get("name"):
            return _named(name) or found[0]
        return self.meanings.get(found["char"], found[0] if self.keeps else found["char"])


def _named(name: str) -> str:
    """Return the character that Unicode calls so, `""` where it calls none so."""
    import unicodedata  # noqa: PLC0415 - its tables are large, and names are rare

    try:
        return unicodedata.lookup(name)
    except KeyError:
        return ""
