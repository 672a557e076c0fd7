"""Values and named arguments in brackets, as Python, or a model's own likeness of it, writes them.

    arguments = argument *( "," argument )              ends at the closing bracket
    argument  = NAME sign value                         sign is "=" in "(…)", ":" in "{…}"
    value     = string | number | literal | "[" values "]" | "(" values ")" | "{" pairs "}"

Read token by token with a stack of its own, so that depth and length cost no more than their characters. Nothing is
evaluated. JSON literals count as Python's. A quote closes a string if what follows it may follow a value; else it is
text. A dialect may have a delimiter of its own for strings, which nothing inside can end.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from utp_cli.engine.reading import RawCall, Waiting, skip_space
from utp_cli.protocol.calls import Repair
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import MutableRecord, field

if TYPE_CHECKING:
    import re

    from utp_cli.engine.grammars.telling import Telling
    from utp_cli.engine.source import Source

DEPTH_LIMIT = 10_000
WORD = regex(r"[^\W\d][\w.\-]*")
_NUMBER_END = regex(r"[^\w.+\-$/]")
_KEY_END = regex(r"[:,{}\[\]()<\"'\n]")
_TEXT_END = regex(r"[,{}\[\]<\"\n]")
"""Ends a key, and text, without quotes in dialects with a delimiter of their own: there may be blanks in it."""
_QUOTE_ENDS = {quote: regex(rf"[\\{quote}]") for quote in "\"'"}
_FOLLOWERS = ",)]}:"
_LITERALS = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}
_ESCAPES = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "0": "\0", "\\": "\\", "'": "'",
    '"': '"', "\n": "", "/": "/",
}  # fmt: skip
_HEX = {"x": 2, "u": 4, "U": 8}
_PAIRS = {"[": "]", "(": ")", "{": "}"}


class Fault(Exception):
    """What stands here is no such thing. Never leaves the grammars."""


class Frame(MutableRecord):
    """A container, or the arguments of a call, while it is read."""

    closer: str
    items: list[Any] = field(default_factory=list)
    pairs: dict[str, Any] = field(default_factory=dict)
    key: Any = None
    keyed: bool = False

    def add(self, value: Any) -> None:
        if self.keyed:
            self.pairs[self.key if isinstance(self.key, str) else _spelt(self.key)] = value
            self.keyed = False
        else:
            self.items.append(value)

    def value(self) -> Any:
        return self.pairs if self.closer == "}" and not self.items else self.items


def _spelt(key: Any) -> str:
    return json.dumps(key, ensure_ascii=False, default=str)


class Literals:
    """Reads what stands in brackets; collects the repairs that took."""

    def __init__(self, source: Source, delimiter: str = "", telling: Telling | None = None) -> None:
        """`delimiter`: a token that stands at both ends of a string, beside the quotes of Python.

        `telling` is told how far the text is the arguments': only where there can be no doubt that it is.
        """
        self.repairs: list[Repair] = []
        self.reached = 0
        """How far the text was read."""
        self._source = source
        self._delimiter = delimiter
        self._rare = next((sign for sign in delimiter if sign not in "<>"), "")
        """The sign of it to wait for: angle brackets are common in what strings hold."""
        self._telling = telling

    def arguments(self, position: int, closer: str) -> Waiting[tuple[Frame, int, bool]]:
        """Read up to the bracket that closes the call; return its frame, the position behind, and whether it came."""
        source = self._source
        stack = [Frame(closer=closer)]
        while True:
            position = yield from skip_space(source, position)
            character = source.char(position)
            self.reached = position
            if self._telling:
                self._telling.up_to(position)
            if not character:
                _close_all(stack)
                return stack[0], position, False
            if self._delimiter and (yield from self._delimited(position)):
                position = yield from self._scalar(position, stack[-1])
            elif character in _PAIRS:
                if len(stack) >= DEPTH_LIMIT:
                    raise Fault("nested too deeply")
                stack.append(Frame(closer=_PAIRS[character]))
                position += 1
            elif character in ")]}":
                if character != stack[-1].closer:
                    raise Fault(f"'{character}' where '{stack[-1].closer}' is due")
                position += 1
                frame = stack.pop()
                if not stack:
                    return frame, position, True
                stack[-1].add(frame.value())
            elif character == ",":
                position += 1
            else:
                position = yield from self._scalar(position, stack[-1])

    def _scalar(self, position: int, frame: Frame) -> Waiting[int]:
        """Read a string, a number, a literal, or the name of an argument."""
        source = self._source
        character = source.char(position)
        value: Any
        if self._delimiter and source.startswith(self._delimiter, position):
            value, position = yield from self._between_delimiters(position)
        elif character in "\"'":
            value, position = yield from self._string(position)
        else:
            token, end = yield from self._bare(position, frame)
            if end == position:
                raise Fault(f"'{character}' where a value is due")
            position = end
            ahead = yield from skip_space(source, position)
            if frame.closer == ")" and source.char(ahead) == "=" and WORD.fullmatch(token):
                frame.key, frame.keyed = token, True
                return ahead + 1
            if frame.closer == "}" and not frame.keyed and source.char(ahead) == ":":
                value = token
            else:
                value = _scalar_value(token)
                if value == token and self._delimiter:
                    self.repairs.append(_unquoted(token, position))
        ahead = yield from skip_space(source, position)
        if frame.closer == "}" and not frame.keyed and source.char(ahead) == ":":
            frame.key, frame.keyed = value, True
            return ahead + 1
        frame.add(value)
        return position

    def _delimited(self, position: int) -> Waiting[bool]:
        """Whether the delimiter of strings stands at `position`."""
        delimiter, source = self._delimiter, self._source
        while not source.closed and source.length - position < len(delimiter):
            if not delimiter.startswith(source.slice(position, source.length)):
                return False
            yield
        return source.startswith(delimiter, position)

    def _between_delimiters(self, position: int) -> Waiting[tuple[str, int]]:
        """Read a string between two delimiters; return it and the position behind the second."""
        delimiter, source = self._delimiter, self._source
        start = at = position + len(delimiter)
        while True:
            end = source.find(delimiter, at)
            if end >= 0:
                return source.slice(start, end), end + len(delimiter)
            if source.closed:
                return source.slice(start, source.length), source.length
            held = len(delimiter) - 1
            at = max(at, source.length - held)
            again = self._telling.passed(at) if self._telling else sys.maxsize
            source.release(self._telling.told if self._telling else at)
            if self._rare not in source.window[at - source.base :]:
                source.sleep(self._rare, again + held)
            yield

    def _bare(self, position: int, frame: Frame) -> Waiting[tuple[str, int]]:
        """Read a word, or, where strings have a delimiter of their own, a key or text of several words."""
        source = self._source
        if self._delimiter:
            is_key = frame.closer == "}" and not frame.keyed
            end = yield from self._token_end(position, _KEY_END if is_key else _TEXT_END)
            if source.char(end) in (":" if is_key else ",]}"):
                return source.slice(position, end).rstrip(), end
        end = yield from self._token_end(position)
        return source.slice(position, end), end

    def _token_end(self, position: int, sign: re.Pattern[str] = _NUMBER_END) -> Waiting[int]:
        """Return where the first `sign` stands from `position` on."""
        source = self._source
        at = position
        while True:
            end = source.search(sign, at)
            if end:
                return source.at(end)
            if source.closed:
                return source.length
            at = source.length
            yield

    def _string(self, position: int) -> Waiting[tuple[str, int]]:
        """Read a string; return it and the position behind its closing quote."""
        source = self._source
        quote = source.char(position)
        yield from self._have(position, 3)
        triple = source.startswith(quote * 3, position)
        start = at = position + (3 if triple else 1)
        parts: list[str] = []
        while True:
            found = source.search(_QUOTE_ENDS[quote], at)
            if found is None:
                at = source.length
                if source.closed:
                    parts.append(source.slice(start, at))
                    return "".join(parts), at
                source.release(at)
                yield
                continue
            here = source.at(found)
            if found[0] == "\\":
                parts.append(source.slice(start, here))
                text, start = yield from self._escape(here)
                parts.append(text)
                at = start
            elif (yield from self._closes(here, quote, triple=triple)):
                parts.append(source.slice(start, here))
                return "".join(parts), here + (3 if triple else 1)
            else:
                if not triple:
                    self.repairs.append(
                        Repair(
                            code="unescaped-quote", layer="syntax", confidence="likely", span=(here, here + 1),
                            before=quote, after=f"\\{quote}", message="kept a quote inside a string",
                        )
                    )  # fmt: skip
                at = here + 1

    def _closes(self, position: int, quote: str, *, triple: bool) -> Waiting[bool]:
        source = self._source
        if triple:
            yield from self._have(position, 3)
            return source.startswith(quote * 3, position)
        ahead = yield from skip_space(source, position + 1)
        return source.char(ahead) in _FOLLOWERS

    def _escape(self, position: int) -> Waiting[tuple[str, int]]:
        """Read the escape at `position`; an unknown one keeps its backslash, as in Python."""
        source = self._source
        yield from self._have(position, 2)
        letter = source.char(position + 1)
        digits = _HEX.get(letter)
        if digits:
            yield from self._have(position, 2 + digits)
            text = source.slice(position + 2, position + 2 + digits)
            if len(text) == digits and all(c in "0123456789abcdefABCDEF" for c in text) and int(text, 16) < 0x110000:
                return chr(int(text, 16)), position + 2 + digits
        return _ESCAPES.get(letter, "\\" + letter), position + 1 + len(letter)

    def _have(self, position: int, count: int) -> Waiting[None]:
        while self._source.length - position < count and not self._source.closed:
            yield


def _unquoted(text: str, start: int) -> Repair:
    return Repair(
        code="unquoted-string", layer="syntax", confidence="likely", span=(start, start + len(text)),
        before=text, after=json.dumps(text, ensure_ascii=False), message="quoted a bare value",
    )  # fmt: skip


def broken(name: str, start: int, end: int, fault: Fault) -> RawCall:
    """Make the call of arguments that cannot be read from `end` on."""
    return RawCall(name=name, arguments={}, payload=(start, end), reason=str(fault))


def _close_all(stack: list[Frame]) -> None:
    while len(stack) > 1:
        frame = stack.pop()
        stack[-1].add(frame.value())


def _scalar_value(token: str) -> Any:
    """Read a number or a literal; any other word is text."""
    if token in _LITERALS:
        return _LITERALS[token]
    digits = token.replace("_", "")
    for kind in (int, float):
        try:
            value = kind(digits)
        except (ValueError, OverflowError):
            continue
        return value if value == value and value not in (float("inf"), float("-inf")) else token  # noqa: PLR0124
    return token
