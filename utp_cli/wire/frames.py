"""Bytes and text → JSON documents: server-sent events, JSON one after another, the elements of a JSON array.

A framing takes text cut anywhere and gives the documents that have become whole. Every character is looked at
a bounded number of times: the scanner of the standard library reads a value that lies in one piece; one that is
cut is followed by its brackets and strings until it ends, and then read once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from utp_cli.protocol.calls import WireAnomaly
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace
from utp_cli.wire.access import decode, decode_whole
from utp_cli.wire.spec import MOST_EVIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

DONE: Final = object()
"""Stands among the documents for the `[DONE]` that ends an OpenAI stream."""
BLANK: Final = " \t\r\n\ufeff"
_SSE: Final = regex(r"data:|event:|id:|retry:|:")
_LEFT_OUT: Final = regex(r"\{\s*(?:\.{3}|\u2026)\s*\}|\[\s*(?:\.{3}|\u2026)\s*\]|(?:\.{3}|\u2026)\s*\Z")
"""What somebody who copies a stream by hand puts for a value."""
_ODD: Final = "sse-framing"
_TWICE: Final = "sse-framed-twice"
_COMMENT: Final = "sse-comment-framed"
_UNPARTED: Final = "sse-unparted"
"""What is odd where no event of a stream is parted from the next; where some are, it is `_ODD` too."""
_SSE_PREFIXES: Final = frozenset(word[:n] for word in ("data:", "event:", "id:", "retry:") for n in range(1, len(word)))
_LINE_END: Final = regex(r"\r\n|\r|\n")
_BETWEEN: Final = regex(r"[ \t\r\n,\x1e\ufeff]*")
_STRUCTURE: Final = regex(r'["{}\[\]]')
_IN_STRING: Final = regex(r'["\\\n]')


class Framing:
    """How documents are parted in a text."""

    form = "json-lines"
    """The slug of a stream that is written so."""
    several = False
    """More than one document: a stream."""
    printed = False
    """A document goes over several lines: a program printed some of a stream, no server sends it so."""
    trusted = False
    """Set by the reader once a document was of a known format: what does not fit is then passed over."""
    broken = False
    """Something in the text does not fit. Where it is not trusted, the framing gives nothing behind that."""

    def __init__(self) -> None:
        self.anomalies: list[WireAnomaly] = []

    def feed(self, text: str) -> Iterator[Any]:
        """Give the documents that are whole now, one by one: each may change `trusted`."""
        raise NotImplementedError

    def close(self) -> list[Any]:
        return []

    def odd(self, code: str, evidence: str) -> None:
        self.anomalies.append(WireAnomaly(code=code, evidence=evidence[:MOST_EVIDENCE]))


class SseFraming(Framing):
    """Server-sent events: the documents in their `data:` lines.

    A line that is a whole JSON value is given out at once: nothing could be joined to it.
    """

    form = "sse"
    several = True

    def __init__(self) -> None:
        super().__init__()
        self._line: list[str] = []
        self._after_cr = False
        self._data: list[str] = []
        self._given = False
        """The event at hand has given a document already."""
        self._events = 0
        """How often an event began behind an empty line; the first does."""

    def feed(self, text: str) -> Iterator[Any]:
        if self._after_cr and text:
            text = text.removeprefix("\n")
            self._after_cr = False
        self._after_cr = text.endswith("\r")
        at = 0
        for end in _LINE_END.finditer(text):
            self._line.append(text[at : end.start()])
            at = end.end()
            yield from self._take("".join(self._line))
            self._line.clear()
            if self.broken and not self.trusted:
                return
        self._line.append(text[at:])

    def close(self) -> list[Any]:
        """End the last event. A last line that breaks off is no fault of the framing."""
        line = "".join(self._line)
        whole = line.startswith("data:") and (self._data or _document(line[5:]) is not None)
        out = self._take(line) if whole else []
        out = [*out, *self._joined()] if self._data else out
        if self._events > 1:  # else whoever copied the stream may have left out the empty lines, all of them
            self.anomalies = [replace(odd, code=_ODD) if odd.code == _UNPARTED else odd for odd in self.anomalies]
        return out

    def _take(self, line: str) -> list[Any]:
        line = line.lstrip("\ufeff")
        if not line:
            self._given = False
            return self._joined() if self._data else []
        if line.startswith("data:"):
            return self._payload(line[5:].removeprefix(" "))
        if _SSE.match(line):
            return []
        self.broken = True
        document = _document(line)
        if document is None:
            return []
        self.odd(_ODD, f"JSON without `data:` before it: {line}")
        return [document]

    def _payload(self, payload: str) -> list[Any]:
        if not payload.strip():
            return []
        if payload.startswith("data:"):  # somebody framed what was framed already
            self.odd(_TWICE, payload)
            payload = payload[5:].removeprefix(" ")
        document = None if self._data else _document(payload)
        if document is None:
            self._data.append(payload)
            return []
        if self._given:
            self.odd(_UNPARTED, f"no empty line before: {payload}")
        else:
            self._events += 1
        self._given = True
        return [document]

    def _joined(self) -> list[Any]:
        """The documents of the collected lines: one over all of them, else one for each that is one."""
        lines, self._data = self._data, []
        document = _document("\n".join(lines))
        if document is not None:
            return [document]
        if len(lines) == 1 and (several := _several(lines[0])):
            self.odd(_ODD, f"several documents in one `data:` line: {lines[0]}")
            return several
        documents = [_document(line) for line in lines]
        for line, found in zip(lines, documents, strict=True):
            if found is None and _LEFT_OUT.search(line):  # by whoever wrote it down
                continue
            comment = found is None and line.startswith(":")
            fault = "neither JSON nor [DONE]" if found is None else "no empty line around"
            self.odd(_COMMENT if comment else _ODD, f"{fault}: {line}")
        return [document for document in documents if document is not None]


def _document(payload: str) -> Any:
    """The document of a payload, None for what is none."""
    if payload.strip() == "[DONE]":
        return DONE
    try:
        return decode_whole(payload)
    except ValueError:
        return None


def _several(line: str) -> list[Any]:
    """Return the JSON objects that stand one behind the other in a line, and nothing else; `[]` where it is not so."""
    found: list[Any] = []
    at = 0
    while at < len(line):
        if line[at] != "{":
            return []
        try:
            document, at = decode(line, at)
        except ValueError:
            return []
        found.append(document)
        at += len(line[at : at + _GAP]) - len(line[at : at + _GAP].lstrip())
    return found


_GAP: Final = 8
"""Blanks between two of them."""


class JsonFraming(Framing):
    """JSON values one after another (NDJSON, or a single body), or the elements of an array.

    The first of several values is given out when the second begins: until then it may be the only one.
    """

    _ended = False
    _count = 0
    _depth = 0
    _in_string = False
    _escaped = False

    def __init__(self, *, array: bool = False) -> None:
        self.anomalies = []
        self.several = self._array = array
        self._entered = not array
        self._first: list[Any] = []
        self._value: list[str] = []
        """Pieces of a value that is cut."""
        self._skipped: list[str] = []
        """What is no JSON, and passed over up to the end of its line."""

    def feed(self, text: str) -> Iterator[Any]:
        at = 0
        while at < len(text) and not self._ended and (self.trusted or not self.broken):
            out: list[Any] = []
            at = self._follow(text, at, out) if self._value else self._between(text, at, out)
            yield from out

    def close(self) -> list[Any]:
        self._note_skipped()
        return self._give_first()

    def _between(self, text: str, at: int, out: list[Any]) -> int:
        """Go on where no value is open."""
        if self._skipped:
            return self._skip(text, at)
        gap = _BETWEEN.match(text, at)
        at = gap.end() if gap else at
        if at == len(text):
            return at
        if not self._entered:
            self._entered = True
            return at + 1
        if text[at] == "]" and self._array:
            self._ended = True
            return at
        if self._count == 1 and not self._array:
            self.several = self.several or text[at] in '{["'
            out += self._give_first()
        if text[at] not in '{["':
            return self._skip(text, at)
        return self._begin(text, at, out)

    def _begin(self, text: str, at: int, out: list[Any]) -> int:
        try:
            document, end = decode(text, at)
        except ValueError:
            self._depth, self._in_string, self._escaped = 0, False, False
            return self._follow(text, at, out)
        self._give(document, out, printed=text.find("\n", at, end) >= 0)
        return end

    def _follow(self, text: str, at: int, out: list[Any]) -> int:
        """Look for the end of the value that is open."""
        end = self._end_of_value(text, at)
        self._value.append(text[at : len(text) if end < 0 else end])
        if end < 0:
            return len(text)
        whole = "".join(self._value)
        self._value.clear()
        try:
            self._give(decode_whole(whole), out, printed="\n" in whole)
        except ValueError:
            self._skip(whole, 0)
        return end

    def _end_of_value(self, text: str, at: int) -> int:
        """Return the index behind the value; behind a line break in a string, which no JSON has; else -1."""
        if self._escaped and at < len(text):
            at, self._escaped = at + 1, False
        while found := (_IN_STRING if self._in_string else _STRUCTURE).search(text, at):
            at = found.end()
            mark = found[0]
            if mark == "\n":
                return at
            if mark == "\\":
                self._escaped = at == len(text)
                at += 1
                continue
            if mark == '"':
                self._in_string = not self._in_string
            else:
                self._depth += 1 if mark in "{[" else -1
            if self._depth <= 0 and not self._in_string:
                return at
        return -1

    def _give(self, document: Any, out: list[Any], *, printed: bool) -> None:
        self._count += 1
        self.printed = self.printed or (printed and not self._array)
        if self._count == 1 and not self._array:
            self._first.append(document)
        else:
            out.append(document)

    def _give_first(self) -> list[Any]:
        first, self._first = self._first, []
        return first

    def _skip(self, text: str, at: int) -> int:
        """Pass over what is no JSON: the rest of its line."""
        self.broken = True
        end = text.find("\n", at) + 1 or len(text)
        self._skipped.append(text[at:end])
        if text[end - 1] == "\n":
            self._note_skipped()
        return end

    def _note_skipped(self) -> None:
        if self._skipped:
            self.odd("not-json", "".join(self._skipped))
            self._skipped.clear()


_BEGINNINGS: Final = {
    "{": (regex(r"\{[ \t\r\n]*(\Z|.)", re.DOTALL), '"}'),
    "[": (regex(r"\[[ \t\r\n]*(\Z|.)", re.DOTALL), "{"),
    '"': (regex(r'"(?:\\[ntr]|[ \t])*(\\?\Z|.)', re.DOTALL), "{["),
}
"""First character of JSON worth waiting for, and what may follow it."""
_LONG_ENOUGH: Final = 64
"""Characters after which a beginning of blanks is followed as JSON, rather than waited with."""


class FramingGuess(NamedTuple):
    """What the beginning of a text says of its framing."""

    framing: Framing | None = None
    """None for raw text."""
    wait: bool = False
    """It does not say yet."""


def begins_sse(source: str | bytes) -> bool:
    """Whether a long input begins as server-sent events do."""
    head = source[:_LONG_ENOUGH]
    return bool(_SSE.match((head if isinstance(head, str) else head.decode("utf-8", "replace")).lstrip(BLANK)))


def framing_of(head: str) -> FramingGuess:
    """Choose the framing for a text that begins with `head`, which starts with no blank."""
    if _SSE.match(head):
        return FramingGuess(SseFraming())
    if not head or head in _SSE_PREFIXES:
        return FramingGuess(wait=True)
    pattern, followers = _BEGINNINGS.get(head[0], (None, ""))
    begin = pattern.match(head) if pattern else None
    if begin is None:
        return FramingGuess()
    undecided = begin[1] in ("", "\\")
    if undecided and len(head) < _LONG_ENOUGH:
        return FramingGuess(wait=True)
    return FramingGuess(JsonFraming(array=head[0] == "[")) if undecided or begin[1] in followers else FramingGuess()
