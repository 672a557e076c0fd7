"""Events that only go on with a line of plain words: they pass at once, and are read later, many as one.

Most events of a stream are like the one before but for their text. Where that text cannot begin a call, because a line
of prose is under way and it holds nothing but letters, spaces and a few marks, the event needs no reading of its own:
its text is kept, and is read together with what comes next.
"""

from __future__ import annotations

import re
from typing import Final

from utp_cli.dialects.catalogue import DIALECTS

_MARKERS: Final = [
    mark for one in DIALECTS for mark in (*one.call_open, *one.section_open, *(p[0] for p in one.reasoning))
]
_LEADS: Final = frozenset(mark.encode()[0] for mark in _MARKERS if mark) | {0xE2, 0xEF}
"""First bytes of the markers of all dialects; and of UTF-8's dashes, quotation marks and signs."""
_LETTERS: Final = bytes(byte for byte in range(0x80, 0x100) if byte not in _LEADS)
_PLAIN: Final = re.compile(rb"[A-Za-z0-9 ,.;!?'" + re.escape(_LETTERS) + rb"-]+")
_TEXT: Final = re.compile(rb'"(?:content|text)"[ ]?:[ ]?"([^"\\]+)"')
"""The text of an event, on the wires whose events are alike."""
_VARIES: Final = re.compile(rb'("(?:created_at|obfuscation)"[ ]?:[ ]?")[^"\\]{1,80}"')
"""What differs from event to event and says nothing: Ollama's time, OpenAI's padding."""
_LONGEST: Final = 4096
"""Bytes of an event that others may be alike."""


class PlainText:
    """Tells the events of one stream that are plain."""

    def __init__(self) -> None:
        self._frame: tuple[bytes, bytes] | None = None
        self._text: list[bytes] = []
        self._written = (b"", b"")
        """The frame with what varies, as one event had it."""
        self._varies = False

    def learn(self, event: bytes) -> None:
        """Look at an event that was read: the next may be like it. Only one with plain words begins that."""
        self._frame = None
        if len(event) > _LONGEST or not event.endswith((b"\n\n", b"}\n")) or event.count(b"\n") > 3:
            return
        found = list(_TEXT.finditer(event))
        if len(found) == 1 and _PLAIN.fullmatch(found[0][1]):
            self._written = event[: found[0].start(1)], event[found[0].end(1) :]
            head, tail = (_VARIES.sub(rb'\1"', part) for part in self._written)
            self._frame, self._varies = (head, tail), (head, tail) != self._written

    def take(self, data: bytes) -> bool:
        """Keep the text of events that are plain; return whether all of `data` is."""
        if self._frame is None:
            return False
        head, tail = self._frame
        data = _VARIES.sub(rb'\1"', data) if self._varies else data
        first, last = len(head), len(data) - len(tail)
        if not (first < last and data.startswith(head) and data.endswith(tail)):
            return False
        if _PLAIN.fullmatch(data, first, last):
            self._text.append(data[first:last])
            return True
        texts = data[first:last].split(tail + head)
        if len(texts) == 1 or not all(map(_PLAIN.fullmatch, texts)):
            return False
        self._text += texts
        return True

    def taken(self) -> bytes:
        """Return all that was kept, as one event; nothing where there is none."""
        if not self._text or self._frame is None:
            return b""
        head, tail = self._written
        out = head + b"".join(self._text) + tail
        self._text.clear()
        return out
