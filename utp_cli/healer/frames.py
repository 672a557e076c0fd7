"""Bytes of a stream → frames: a document with the bytes it came in, so that what is healthy passes as it was.

A frame ends with the line that makes its document whole; the empty line behind it is a frame without a document. All
bytes of the input stand in the frames, in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps
from utp_cli.wire.access import decode_whole
from utp_cli.wire.frames import DONE, SseFraming

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.healer.held_text import HeldText

NOTHING: Final = object()
"""The document of a frame that holds none: a comment, an empty line."""


@dataclass(slots=True, eq=False)
class StreamFrame:
    """One event of a stream, or bytes between two."""

    raw: bytes = b""
    doc: Any = NOTHING
    texts: list[tuple[HeldText, int, int]] = field(default_factory=list)
    """What it adds to texts that a call may stand in: characters of the text field, end exclusive."""
    waits: frozenset[int] = frozenset()
    """The answers (by number) in which it is part of something that is not decided yet."""
    calls: dict[int, int] = field(default_factory=dict)
    """By answer: the place of the first native call that it holds, on wires where a frame has whole calls."""
    changed: bool = False
    """`doc` is what the client gets, not `raw`."""
    gone: bool = False
    """The client gets nothing of it."""

    @property
    def certain(self) -> bool:
        """Whether the client may have it."""
        if self.waits:
            return False
        return not self.texts or all(end <= text_field.certain for text_field, _, end in self.texts)


class Splitter:
    """Cuts a stream into frames."""

    def __init__(self, *, sse: bool) -> None:
        """`sse`: server-sent events; else one document a line."""
        self._framing = SseFraming() if sse else None
        if self._framing:
            self._framing.trusted = True
        self._line = bytearray()
        self._raw = bytearray()

    @property
    def rest(self) -> bytes:
        """Bytes that are in no frame yet."""
        return bytes(self._raw + self._line)

    @property
    def held(self) -> int:
        """How many those are."""
        return len(self._raw) + len(self._line)

    def feed(self, data: bytes) -> list[StreamFrame]:
        """Return the frames that are whole now."""
        if not self._line.endswith(b"\r") and b"\n" not in data and b"\r" not in data:
            self._line += data
            return []
        if self._line:
            data = bytes(self._line) + data
            self._line.clear()
        frames: list[StreamFrame] = []
        lines = data.splitlines(keepends=True)
        if lines and not lines[-1].endswith(b"\n"):
            self._line += lines.pop()  # behind a CR an LF may follow, which belongs to it
        for line in lines:
            frames += self._take(line)
        return frames

    def close(self) -> list[StreamFrame]:
        """There are no more bytes."""
        line = bytes(self._line)
        self._line.clear()
        frames = self._take(line) if line else []
        documents = self._framing.close() if self._framing else []
        return frames + self._frame(documents) if documents or self._raw else frames

    def _take(self, line: bytes) -> list[StreamFrame]:
        self._raw += line
        blank = not line.strip()
        if self._framing is None:
            return self._frame([] if blank else _documents(line))
        documents = list(self._framing.feed(line.decode("utf-8", "replace")))
        ends = documents or blank or (line.startswith(b":") and len(self._raw) == len(line))
        return self._frame(documents) if ends else []

    def _frame(self, documents: list[Any]) -> list[StreamFrame]:
        raw = bytes(self._raw)
        self._raw.clear()
        return [StreamFrame(raw, documents[0] if len(documents) == 1 else NOTHING)]


def _documents(line: bytes) -> list[Any]:
    try:
        return [decode_whole(line.decode("utf-8", "replace"))]
    except ValueError:
        return []


class Writer:
    """Frames → bytes."""

    def __init__(self, *, sse: bool, name: Callable[[Any], str] | None = None) -> None:
        """`name`: the name of a document's event, where the wire names its events."""
        self._sse = sse
        self._name = name
        self._tail = b""
        """The last bytes that were written."""

    def write(self, frame: StreamFrame) -> bytes:
        """Return what the client gets of a frame."""
        if frame.gone:
            return b""
        out = self._encoded(frame.doc) if frame.changed else frame.raw
        if out:
            self._tail = (self._tail + out)[-4:]
        return out

    def _encoded(self, doc: Any) -> bytes:
        ends = (b"\n\n", b"\r\r", b"\n\r\n") if self._sse else (b"\n",)
        over = not self._tail or self._tail.endswith(ends)
        begin = b"" if over else b"\n" if not self._sse or self._tail.endswith((b"\n", b"\r")) else b"\n\n"
        return begin + written(doc, sse=self._sse, name=self._name)


def written(doc: Any, *, sse: bool, name: Callable[[Any], str] | None = None) -> bytes:
    """Write a document as a frame of a stream."""
    if not sse:
        return dumps(doc).encode("utf-8", "replace") + b"\n"
    data = "[DONE]" if doc is DONE else dumps(doc)
    event = name(doc) if name else ""
    return ((f"event: {event}\n" if event else "") + f"data: {data}\n\n").encode("utf-8", "replace")
