"""Where documents stand in a text, and what they hold: JSON, wrapped or cut JSON, other spellings."""

from __future__ import annotations

import re
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, Final

from utp_cli.captures.mapped import Mapped
from utp_cli.captures.spellings import read_spelling, starts
from utp_cli.dialects.catalogue import CALL_MARKUP
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, replace
from utp_cli.protocol.spans import lines_of
from utp_cli.repair.escapes import decode as string_value
from utp_cli.repair.reader import JsonReader
from utp_cli.wire.access import decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from utp_cli.captures.alike import Alike
    from utp_cli.protocol.captures import CaptureKind
    from utp_cli.protocol.spans import Span

_BEGIN: Final = regex(r"""\{(?=\s*["'}])|\[(?=\s*[{\["'])""")
"""Where JSON, or the repr of a dict or list, may begin."""
_MEMBER: Final = regex(r"\s*([\"'])[\w.-]{1,60}\1\s*:")
_HALF_KEY: Final = regex(r"\s*[A-Za-z_]\w{2,60}([\"'])\s*:\s*(?=[\"'\[{])")
"""A key whose first quote was not copied."""
_BARE_KEY: Final = regex(
    r"(?:^|(?<=,))(\s*)([A-Za-z_]\w{0,60})(?=\s{0,3}:\s{0,3}(?:[\"'\[{]|(?:null|None|true|false)\b|-?\d))", re.MULTILINE
)
_OF_MESSAGES: Final = regex(r"^\s*(?:tool_calls|reasoning_content|finish_reason)\s{0,3}:", re.MULTILINE)
"""A member of an answer, its key without quotes."""
_ASSIGNED: Final = regex(
    r"\s*(?:\w{1,40}(?:\[\d{1,3}\])?\.){0,6}(\w{1,40})\s{0,9}[:=]\s{0,9}(?=([\"']))([^\0]*\2)\s*,?;?"
    r"(?:\s*(?:tool_?)?calls\s?[:=]\s?(?:\[\s?\]|None|null|\(\))\s*,?;?)?\s*\Z"
)
"""A name, and the text that it has: `message.content = '…'`; behind it perhaps that there are no calls."""
_DELTA: Final = regex(
    r"\b(?:content|output)[\"']?[ ]{0,3}[:=][ ]{0,3}(\"(?>(?:[^\"\\\n]++|\\.)*)\"|'(?>(?:[^'\\\n]++|\\.)*)')"
)
"""The text in a line that somebody kept of a piece of a stream, or that vLLM logs of it (`--enable-log-outputs`)."""
_FEW_DELTAS: Final = 3
_LONGEST_DELTA: Final = 120
"""Characters of a piece of a stream: longer texts are messages."""
_OTHERS: Final = regex(r"user|human|system|tool", re.IGNORECASE)
"""Who else speaks in a conversation."""
_MARKUP: Final = regex(CALL_MARKUP)
"""What a text has that holds a call: others with a name before them are settings."""
_OBJECT: Final = regex(r"\s*([\"'])[\w.-]{1,60}\1\s*:\s*[{\[]")
"""A member that begins an object or a list: what is cut off in it is found all the same."""
_LONGEST_PIECE: Final = 20_000
_CUT: Final = regex(r"(?:…|\.\.\.|\[truncated\]|<truncated>)")
_NO_TOOLS: Final = regex(r"[\"']tools[\"']\s{0,9}:\s{0,9}\[\s{0,99}\]")
"""A list of tools that is empty as it stands."""
_LONG_WORD: Final = 20
"""Characters of a word that a terminal breaks rather than moves to the next line."""
_WIDE: Final = 40
_NEAR: Final = 10
"""Characters by which a line may be shorter than the width, and still have been broken at it."""
_BUDGET: Final = 6
"""How often each character of a text may be looked at, on average, before the search is given up."""
_BUDGET_AT_LEAST: Final = 50_000
_LONG_TEXT: Final = 20_000
"""Characters of a text whose records are not all read: so many are never shown one by one."""
_FIRST_PIECE: Final = 256
"""Characters that a tolerant reader is given first; then twice as many each time."""
_STRETCH: Final = 1 << 17
"""Characters whose lines are joined at a time."""
_FAILED: Final = 1_000
"""Characters that are counted for a reading that failed and does not say how far it looked."""
_DEEP: Final = 10_000
"""The same for brackets that only open."""


class Document(Record):
    """A document in a text: characters `start` to `end`, exclusive."""

    value: Any
    start: int
    end: int
    form: str
    kind: CaptureKind | None = None
    """What a spelling says it is; None where its content is to tell."""
    hops: tuple[str, ...] = ()
    cut: bool = False


def documents_in(text: str, masked: Sequence[Span] = (), alike: Alike | None = None) -> Iterator[Document]:
    """Find the documents of a text, in order; none begins in what is masked (stack frames, source lines).

    `alike`: the records of a long text that are not read again.
    """
    piece = _members(text) or _deltas(text)
    return iter([piece]) if piece else _Finder(text, masked, alike).documents()


def _members(text: str) -> Document | None:
    """Read a text that is nothing but members out of the middle of an object."""
    if (size := len(text)) > _LONGEST_PIECE:
        return None
    named = _ASSIGNED.match(text) if _MARKUP.search(text) else None
    text = text if named else _with_keys(text)
    if not named and not _MEMBER.match(text):
        return None
    inside = f"{{{text.rstrip().rstrip(',')}"
    if named:
        inside = f'{{"{named[1]}": {named[3]}'
    try:
        value, end = decode(inside + "}", 0)
    except ValueError:
        reader = JsonReader(start=0, whole=False)
        if named or _OBJECT.match(text):
            reader.feed(inside + "}" if named else inside)
        reader.close()
        value, end = (None, 0) if reader.declined else (reader.value, reader.end)
    if not isinstance(value, dict) or end < len(inside):
        return None
    return Document(value=value, start=0, end=size, form="print-repr" if named else "cut-json", cut=True)


def _with_keys(text: str) -> str:
    """Put in the quotes that the keys of members lack."""
    if half := _HALF_KEY.match(text):
        return half[1] + text.lstrip()
    return _BARE_KEY.sub(r'\1"\2"', text) if _OF_MESSAGES.search(text) else text


def _deltas(text: str) -> Document | None:
    """Read lines that are each a piece of a stream, shortened, whose texts are the markup of a call."""
    lines = [line for line in text.splitlines() if line.strip()] if len(text) <= _LONGEST_PIECE else []
    pieces = [_DELTA.search(line) for line in lines] if len(lines) >= _FEW_DELTAS else []
    heads = {piece.string[: piece.start()] for piece in pieces[1:] if piece}
    if None in pieces or len(heads) != 1 or _OTHERS.search(heads.pop()) or all(map(_is_json, lines)):
        return None
    texts = [string_value(piece[1][1:-1])[0] for piece in pieces if piece]
    said = "".join(texts)
    if max(map(len, texts)) > _LONGEST_DELTA or not _MARKUP.search(said):
        return None
    return Document(value={"role": "assistant", "content": said}, start=0, end=len(text), form="print-repr", cut=True)


def _is_json(line: str) -> bool:
    try:
        decode(line.strip().removeprefix("data:").strip(), 0)
    except ValueError:
        return False
    return True


class _Finder:
    """One walk over a text. `_left` bounds the work: nested brackets that never close cost no more than others."""

    def __init__(self, text: str, masked: Sequence[Span], alike: Alike | None) -> None:
        self._text = text
        self._masked = masked
        self._alike = alike if len(text) > _LONG_TEXT else None
        self._left = max(_BUDGET * len(text), _BUDGET_AT_LEAST)
        self._joined: Mapped | None = None
        self._joined_to = 0

    def documents(self) -> Iterator[Document]:
        end, mask = 0, 0
        size = len(self._text)
        spelt = starts(self._text)
        start = bracket = -1
        while self._left > 0:
            if bracket < end:
                found = _BEGIN.search(self._text, end)
                bracket = found.start() if found else size
            while start < end:
                start = next(spelt, size)
            at = min(bracket, start)
            if at == size:
                return
            while mask < len(self._masked) and self._masked[mask][1] <= at:
                mask += 1
            end = at + 1
            if mask < len(self._masked) and self._masked[mask][0] <= at:
                continue
            if document := (self._alike and self._alike.record(self._text, at)) or self._read(at):
                end = max(document.end, end)
                yield document

    def _read(self, at: int) -> Document | None:
        text = self._text
        wrapped = False
        if text[at] in "{[":
            try:
                value, end = decode(text, at)
                self._left -= end - at
                return Document(value=value, start=at, end=end, form="json-body")
            except JSONDecodeError as error:
                self._left -= error.pos - at
                wrapped = text[error.pos : error.pos + 1] == "\n"
                if wrapped and self._is_broken_off(error.pos):
                    return None
            except ValueError:  # nested too deeply: so are the brackets behind it
                self._left -= _DEEP
                return None
        if found := self._spelt(at, text):
            broken = found.form.startswith("python") and "\n" in text[at : found.end + 2]
            return (self._across_lines(at) if broken else None) or found
        if text[at] not in "{[":
            return None
        read = (self._across_lines(at) if wrapped else None) or self._tolerant(at, text)
        if read:  # no reading that failed looked far behind it
            self._left += max(_FAILED - (read.end - at), 0)
        return read

    def _spelt(self, at: int, text: str) -> Document | None:
        found = read_spelling(text, at)
        if found is None:
            self._left -= _FAILED
            return None
        self._left -= found.end - at
        kind = found.kind if found.kind != "stream" or isinstance(found.document, list) else None
        return Document(
            value=found.document, start=at, end=found.end, form=found.form, kind=kind, hops=tuple(found.hops),
            cut=found.cut,
        )  # fmt: skip

    def _across_lines(self, at: int) -> Document | None:
        """Read what was broken into lines inside its strings."""
        if self._joined is None or at > self._joined_to - _STRETCH // 2:
            begin = self._text.rfind("\n", 0, at) + 1
            self._joined_to = begin + _STRETCH
            self._joined = joined(self._text, begin, min(self._joined_to, len(self._text)))
            self._left -= min(_STRETCH, len(self._text)) // 8
        lines, start = self._joined, self._joined.place(at)
        try:
            value, end = decode(lines.text, start)
            self._left -= end - start
            return Document(value=value, start=at, end=lines.span(start, end)[1], form="wrapped-json")
        except JSONDecodeError as error:
            self._left -= error.pos - start
        except ValueError:
            return None
        if spelt := self._spelt(start, lines.text):
            return replace(spelt, start=at, end=lines.span(start, spelt.end)[1])
        found = self._tolerant(start, lines.text)
        if found is None:
            return None
        return Document(
            value=found.value, start=at, end=lines.span(start, found.end)[1], form="wrapped-json", cut=found.cut
        )

    def _tolerant(self, at: int, text: str) -> Document | None:
        """Read JSON with faults, or cut off: only what has a key in quotes right behind its bracket."""
        reader, fed, piece = JsonReader(start=at, whole=False), at, _FIRST_PIECE
        while fed < len(text) and not reader.feed(text[fed : fed + piece]):
            fed += piece
            piece *= 2
        reader.close()
        self._left -= max(reader.end, min(fed + piece, len(text))) - at
        if reader.declined or not isinstance(reader.value, dict | list) or not reader.value:
            return None
        cut = not reader.complete or _CUT.search(text, max(at, reader.end - 12), reader.end + 3) is not None
        cut = cut or any(repair.code == "ellipsis" for repair in reader.repairs)
        held = reader.value
        if isinstance(held, list) and isinstance(held[0], str) and "\n" in held[0]:  # words, and a bracket in them
            return None
        if isinstance(held, dict) and held.get("tools") == [] and not _NO_TOOLS.search(text, at, reader.end):
            held["tools"] = ["\u2026"]  # `[…]`, or a comment: there are some
        form = "cut-json" if not reader.complete else "json-with-faults"
        return Document(value=reader.value, start=at, end=min(reader.end, len(text)), form=form, cut=cut)

    def _is_broken_off(self, at: int) -> bool:
        """Whether a document breaks off in a text at the end of a line, and the next line is another document."""
        text = self._text
        if not text.startswith('{"', at + 1) or text[at - 1] in '"\n':
            return False
        try:
            end = decode(text, at + 1)[1]
        except ValueError:
            return False
        self._left -= end - at
        return True


def joined(text: str, begin: int = 0, stop: int | None = None) -> Mapped:
    """Join the lines of a stretch of a text that was wrapped at a width.

    A line that is full, and was broken inside a word, is joined as it is; all others with a blank between.
    """
    lines = [(start, end) for start, end in lines_of(text, begin, stop) if text[start:end].strip()]
    width = max((len(text[start:end].rstrip()) for start, end in lines), default=0)
    lengths = [len(text[start:end].rstrip()) for start, end in lines[:-1]]
    full, near = sum(length == width for length in lengths), sum(length > width - _NEAR for length in lengths)
    hard = full > 1 and full * 2 > near and width >= _WIDE
    parts: list[Span | str] = []
    for number, (start, end) in enumerate(lines):
        begin = end - len(text[start:end].lstrip()) if number else start
        stop = start + len(text[start:end].rstrip())
        parts.append((begin, stop))
        last = text.rfind(" ", start, stop) + 1
        broken = (
            stop == end and stop - start == width and width >= _WIDE and (hard or stop - max(last, start) >= _LONG_WORD)
        )
        if number + 1 < len(lines) and not broken:
            parts.append(" ")
    return Mapped(text).made_of(parts)
