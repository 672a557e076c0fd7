"""What stands in the brackets of a call, as Python, or a model's own likeness of it, writes it: a notation.

    arguments = argument *( "," argument )              ends at the closing bracket
    argument  = NAME sign value                         sign is "=" in "(…)", ":" in "{…}"
    value     = string | number | literal | "[" values "]" | "(" values ")" | "{" pairs "}"

JSON literals count as Python's. A quote closes a string if what follows it may follow a value; else it is text. A
dialect may have a delimiter of its own for strings, which nothing inside can end.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from utp_cli.engine.reading import RawCall, Waiting, repeated, waiting
from utp_cli.protocol.calls import Repair
from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.patterns import regex
from utp_cli.repair.nesting import NOTHING, SPACE, Escapes, Fault, LongText, Nest, NestFrame, Read
from utp_cli.repair.text_window import Starved

if TYPE_CHECKING:
    import re

    from utp_cli.engine.grammars.progress import ArgumentsProgress
    from utp_cli.engine.source import Source

__all__ = ["WORD", "Fault", "Literals", "NestFrame", "broken"]

WORD = regex(r"[^\W\d][\w.\-]*")
_NUMBER_END = regex(r"[^\w.+\-$/]")
_KEY_END = regex(r"[:,{}\[\]()<\"'\n]")
_TEXT_END = regex(r"[,{}\[\]<\"\n]")
"""Ends a key, and text, without quotes in dialects with a delimiter of their own: there may be blanks in it."""
_QUOTE_ENDS = {quote: regex(rf"[\\{quote}]") for quote in "\"'"}
_FOLLOWERS = ",)]}:"
_NEXT_NAME = regex(r",[ \t\r\n]*([\w.\-]{0,200})[ \t]*")
"""What stands behind a keyword argument, up to the sign that makes it the next one."""
_WORDS = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}
_NULLS = ("null", "none", "nil")
"""Written in any case, where text would have a delimiter."""
_ESCAPES = Escapes(
    sign=regex(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(?P<char>[\s\S]|\Z))"),
    meanings={
        "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "0": "\0", "\\": "\\", "'": "'",
        '"': '"', "\n": "", "/": "/",
    },
    keeps=True,
)  # fmt: skip
_PAIRS = {"[": "]", "(": ")", "{": "}"}
_HALF = object()
"""What the text was cut in before anything of a value came: a key, or the sign that opens a string."""


class Literals:
    """Reads the arguments of one call; collects the repairs that took. The notation of its `Nest`."""

    deepest = 10_000
    lenient = True

    def __init__(self, source: Source, delimiter: str = "", progress: ArgumentsProgress | None = None) -> None:
        """`delimiter`: a token that stands at both ends of a string, beside the quotes of Python.

        `progress` is told how far the text is the arguments': only where there can be no doubt that it is.
        """
        self.repairs: list[Repair] = []
        self.reached = 0
        """How far the text was read."""
        self.cut: list[str | int] = []
        """Path of the string, number or word that the text was cut in; empty where it was not."""
        self._source = source
        self._delimiter = delimiter
        self._progress = progress
        self._root: NestFrame | None = None
        """What holds the arguments themselves."""

    def arguments(self, position: int, closer: str) -> Waiting[tuple[NestFrame, int, bool]]:
        """Read up to the bracket that closes the call; return its frame, the position behind, and whether it came."""
        root = self._root = NestFrame(closer, 0)
        nest = Nest(self._source, self, position, root)

        def step() -> Read:
            try:
                return nest.read()
            finally:
                self.reached = nest.at
                if self._progress:
                    self._progress.up_to(nest.at)

        read = yield from waiting(step)
        return root, read.end, not read.open

    # --- the notation ---------------------------------------------------------------------------------------

    def begin(self, _: object, at: int, frame: NestFrame | None) -> Read | NestFrame | LongText:
        """Read a number, a literal or a word, or what opens a container or a string."""
        source, char = self._source, self._source.window[at]
        if self._delimiter and self._is_delimited(at):
            return _Delimited(source, source.base + at, self._delimiter, self._progress)
        rest = source.window[at : at + len(self._delimiter)]
        if self._delimiter.startswith(rest) and rest != "":  # whole it has been sought: the text ends in it
            return Read(_HALF, len(source.window), open=True)
        if char in _PAIRS:
            return NestFrame(_PAIRS[char], at + 1)
        if char in ")]}" and frame:
            raise Fault(f"'{char}' where '{frame.closer}' is due")
        if char in "\"'":
            _have(source, at, 3)
            named = frame is not None and frame.closer == ")" and frame.keyed
            return _Quoted(source, source.base + at, self.repairs, named=named)
        token, end = self._bare(at, frame)
        if end == at:
            raise Fault(f"'{char}' where a value is due")
        source.peek(SPACE.match(source.window, end).end())  # type: ignore[union-attr]  # it matches the empty string
        cut = end == len(source.window)
        if cut and frame and _may_be_key(token, frame):
            return Read(_HALF, end, open=True)
        value = _scalar_value(token)
        if value == token and self._delimiter:
            if token.lower() in _NULLS:
                self.repairs.append(_spelled(token, source.base + at))
                return Read(None, end, open=cut)
            self.repairs.append(_unquoted(token, source.base + at))
        return Read(value, end, open=cut)

    def key(self, _: object, at: int, frame: NestFrame) -> int:
        """Read a word with the sign behind it that makes it a key."""
        source, char = self._source, self._source.window[at]
        if char in "\"'[]{}()" or frame.closer == "]" or (frame.closer == "}" and frame.keyed):
            return at
        if self._delimiter and self._is_delimited(at):
            return at
        token, end = self._bare(at, frame)
        behind = SPACE.match(source.window, end).end()  # type: ignore[union-attr]  # it matches the empty string
        sign = source.peek(behind) if end > at else ""
        if (sign == ":" and frame.closer == "}") or (sign == "=" and frame.closer == ")" and WORD.fullmatch(token)):
            frame.begin(token)
            return behind + 1
        return at

    def key_of(self, read: Read, _: NestFrame) -> str | None:
        """Return a value as JSON writes it: that is the key."""
        value = read.value
        return value if isinstance(value, str) else json_dumps(value, ensure_ascii=False, default=str)

    def add(self, _: object, frame: NestFrame, read: Read) -> None:
        """Put a value into its container, unless it is half a key."""
        if read.open:
            scalar = not isinstance(read.value, dict | list)
            if read.value is _HALF or (scalar and frame.closer == "}" and not frame.keyed):
                return
            if scalar or self.cut:  # a container is cut in what stands in it
                self.cut.insert(0, frame.key if frame.keyed else len(frame.items))
        value = self._filled(read.end) if read.value is NOTHING else read.value
        if frame.keyed and (frame is self._root or frame.closer == ")") and frame.key in frame.pairs:
            self.repairs.append(repeated(frame.key, frame.pairs[frame.key], value))
        frame.add(value)

    def end(self, frame: NestFrame, before: str, *, cut: bool) -> Any:  # noqa: ARG002 - no matter what stands there
        """Return a dict, or a list. Where the text was cut off behind the first word, or the last, that was a key."""
        half_key = cut and (frame.pairs or len(frame.items) == 1)
        return frame.pairs if frame.closer == "}" and (half_key or not frame.items) else frame.items

    def cut_off(self, source: object, end: int, at: int, last: Any) -> int:  # noqa: ARG002 - commas may be missing
        """Nothing says that something was cut off."""
        return -1

    def _filled(self, here: int) -> str | None:
        """Return what a missing value is: the empty string where its delimiters may have been stripped, else null."""
        value = "" if self._delimiter else None
        self.repairs.append(
            Repair(
                code="missing-value", layer="syntax", confidence="guess", span=(here, here), before="",
                after=json.dumps(value), message="filled in a value that is missing",
            )
        )  # fmt: skip
        return value

    def _is_delimited(self, at: int) -> bool:
        """Whether the delimiter of strings stands at the index."""
        source, delimiter = self._source, self._delimiter
        if not source.closed and len(source.window) - at < len(delimiter) and delimiter.startswith(source.window[at:]):
            raise Starved
        return source.window.startswith(delimiter, at)

    def _bare(self, at: int, frame: NestFrame | None) -> tuple[str, int]:
        """Read a word, or, where strings have a delimiter of their own, a key or text of several words."""
        window = self._source.window
        if self._delimiter:
            is_key = frame is not None and frame.closer == "}" and not frame.keyed
            end = self._token_end(at, _KEY_END if is_key else _TEXT_END)
            if window[end : end + 1] in (":" if is_key else ",]}"):
                return window[at:end].rstrip(), end
        end = self._token_end(at, _NUMBER_END)
        return window[at:end], end

    def _token_end(self, at: int, sign: re.Pattern[str]) -> int:
        """Return where the first `sign` stands from the index on."""
        source = self._source
        if end := sign.search(source.window, at):
            return end.start()
        if not source.closed:
            raise Starved
        return len(source.window)


class _Quoted:
    """A string between quotes. A quote that cannot end it is noted as a repair, and kept."""

    def __init__(self, source: Source, start: int, repairs: list[Repair], *, named: bool) -> None:
        """`named`: it is a keyword argument, which only another one can follow."""
        self._source, self._repairs, self._named = source, repairs, named
        self._quote = source.char(start)
        self._width = 3 if source.startswith(self._quote * 3, start) else 1
        self._at = self._kept = start + self._width
        """Up to here it was searched for its end; from here on the window is needed."""
        self._parts: list[str] = []

    def read(self) -> Read:
        source = self._source
        while True:
            found = source.search(_QUOTE_ENDS[self._quote], self._at)
            if found is None:
                self._at = source.length
                if source.closed:
                    return Read(self._text(self._at), self._at, open=True)
                self._parts.append(source.slice(self._kept, self._at))
                self._kept = self._at
                source.release(self._at)
                raise Starved
            here = self._at = source.at(found)
            if found[0] == "\\":
                _have(source, here - source.base, 2)
                self._at = min(here + 2, source.length)
            elif self._closes(here):
                return Read(self._text(here), here + self._width)
            else:
                self._keep_quote(here)

    def _text(self, end: int) -> str:
        return _ESCAPES.undone("".join((*self._parts, self._source.slice(self._kept, end))))

    def _closes(self, here: int) -> bool:
        source, index = self._source, here - self._source.base
        if self._width == 3:
            _have(source, index, 3)
            return source.startswith(self._quote * 3, here)
        behind = SPACE.match(source.window, index + 1).end()  # type: ignore[union-attr]  # it matches the empty string
        follower = source.peek(behind)
        if follower != "," or not self._named:
            return follower in _FOLLOWERS
        named = _NEXT_NAME.match(source.window, behind)
        sign = source.peek(named.end() if named else behind)
        return sign in ("=", ")", "") or (sign in "\"'" and not (named and named[1]))  # that one has no name

    def _keep_quote(self, here: int) -> None:
        self._at = here + 1
        if self._width == 1:
            self._repairs.append(
                Repair(
                    code="unescaped-quote", layer="syntax", confidence="likely", span=(here, here + 1),
                    before=self._quote, after=f"\\{self._quote}", message="kept a quote inside a string",
                )
            )  # fmt: skip


class _Delimited:
    """A string between two delimiters."""

    def __init__(self, source: Source, start: int, delimiter: str, progress: ArgumentsProgress | None) -> None:
        self._source, self._delimiter, self._progress = source, delimiter, progress
        self._start = start + len(delimiter)
        self._rare = next((sign for sign in delimiter if sign not in "<>"), "")
        """The sign of it to wait for: angle brackets are common in what strings hold."""

    def read(self) -> Read:
        source, delimiter = self._source, self._delimiter
        end = source.find(delimiter, self._start)
        if end >= 0:
            return Read(source.slice(self._start, end), end + len(delimiter))
        if source.closed:
            return Read(source.slice(self._start, source.length), source.length, open=True)
        held = len(delimiter) - 1
        at = max(self._start, source.length - held)
        again = self._progress.passed(at) if self._progress else sys.maxsize
        source.release(self._progress.reported if self._progress else at)
        if self._rare not in source.window[at - source.base :]:
            source.sleep(self._rare, again + held)
        raise Starved


def _may_be_key(token: str, frame: NestFrame) -> bool:
    """Whether a word that the text ends in may be the beginning of a key."""
    return not frame.keyed and (frame.closer == "}" or (frame.closer == ")" and WORD.fullmatch(token) is not None))


def _have(source: Source, at: int, count: int) -> None:
    """Wait until so many characters have come from the index on."""
    if len(source.window) - at < count and not source.closed:
        raise Starved


def _unquoted(text: str, start: int) -> Repair:
    return Repair(
        code="unquoted-string", layer="syntax", confidence="likely", span=(start, start + len(text)),
        before=text, after=json.dumps(text, ensure_ascii=False), message="quoted a bare value",
    )  # fmt: skip


def _spelled(text: str, start: int) -> Repair:
    return Repair(
        code="literal-case", layer="syntax", confidence="likely", span=(start, start + len(text)),
        before=text, after="null", message="read null in another spelling",
    )  # fmt: skip


def broken(name: str, start: int, end: int, fault: Fault) -> RawCall:
    """Make the call of arguments that cannot be read from `end` on."""
    return RawCall(name=name, arguments={}, payload=(start, end), reason=str(fault))


def _scalar_value(token: str) -> Any:
    """Read a number or a literal; any other word is text."""
    if token in _WORDS:
        return _WORDS[token]
    digits = token.replace("_", "")
    for kind in (int, float):
        try:
            value = kind(digits)
        except (ValueError, OverflowError):
            continue
        return value if value == value and value not in (float("inf"), float("-inf")) else token  # noqa: PLR0124
    return token
