"""Values as Node's `util.inspect` and `console.log` print them (Node 20, `lib/internal/util/inspect.js`).

A notation for the one walk through nested values.
"""

from __future__ import annotations

import re
from typing import Any, Final

from utp_cli.captures.spellings.values import DEEPEST, HIDDEN, Fault, Named, Partial, Read
from utp_cli.protocol.patterns import regex
from utp_cli.repair.nesting import Escapes, Nest, NestFrame
from utp_cli.repair.strict import number
from utp_cli.repair.text_window import TextWindow

_SPACE: Final = regex(r"[ \t\r\n]*")
_BODIES: Final = {
    "'": regex(r"[^'\\\n]*(?:\\.[^'\\\n]*)*", re.DOTALL),
    '"': regex(r'[^"\\\n]*(?:\\.[^"\\\n]*)*', re.DOTALL),
    "`": regex(r"[^`\\]*(?:\\.[^`\\]*)*", re.DOTALL),
}
_JOINED: Final = regex(r" \+\r?\n[ \t]*(?=['\"`])")
"""Between the lines of a string that was broken at its line ends."""
_MORE_OF_IT: Final = regex(r"\.\.\. \d+ more characters?")
_ESCAPES: Final = Escapes(
    sign=regex(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|(?P<char>.))", re.DOTALL),
    meanings={"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"},
    keeps=False,
)
_HIDDEN: Final = regex(
    r"\[(?:Object|Array|Circular \*\d+|[A-Z][\w$.]*)\]|<\d+ empty items?>|\.\.\. ?\d+ more [a-z]+|\.\.\.|…"
)
_NOTHING: Final = regex(
    r"undefined\b|\[(?:Async)?(?:Generator)?Function\b[^\]\n]*\]|\[class [^\]\n]*\]"
    r"|\[[GS]etter[^\]\n]*\]|Symbol\([^()\n]*\)"
)
"""What JSON would leave out."""
_NUMBER: Final = regex(r"-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?n?|Infinity|NaN)(?![\w.:-])")
_BARE: Final = regex(r"\d{4}-\d\d-\d\dT[\d:.]+Z|<Buffer[^>\n]*>|/(?:[^/\\\n]|\\.)+/[a-z]*|Invalid Date")
_WORDS: Final[dict[str, Any]] = {"null": None, "true": True, "false": False}
_WORD: Final = regex(r"(?:null|true|false)\b")
_CLASS: Final = regex(
    r"(?:<ref \*\d+> )?(?:\[Object: null prototype\] "
    r"|(?P<name>[A-Za-z_$][\w$]*)(?:\(\d+\))?(?: \[[^\]\n]*\])? )?(?=[{\[])"
)
_CLOSERS: Final = {"{": "}", "[": "]"}
_KEY: Final = regex(r"([A-Za-z_$][\w$]*|\d+|\[[\w$]+\]): ?[ \t\r\n]*")
_SYMBOL: Final = regex(r"\[Symbol\([^()\n]*\)\]: ")
ERROR: Final = regex(r"(?P<name>[\w$]*(?:Error|Exception))(?: \[(?P<code>[\w$]+)\])?: ")
_STACK: Final = regex(r"(?:\n[ \t]+at [^\n]*)+")
_STACK_BEGINS: Final = regex(r"\n[ \t]+at ")
_LONGEST_MESSAGE: Final = 8_000


def skip(text: str, at: int) -> int:
    """Return the position behind white space."""
    match = _SPACE.match(text, at)
    return match.end() if match else at


def read_value(text: str, at: int) -> Read:
    """Read the value that begins at `at`. Raises Fault."""
    return Nest(TextWindow.over(text), _Inspected(), at).read()


def read_error(text: str, at: int) -> Read:
    """Read an error: its message, its stack, its own fields; a `Named` with `message` and `code` among the fields."""
    if not ERROR.match(text, at):
        raise Fault("no error with a stack")
    return read_value(text, at)


def _number(run: str) -> Any:
    if run[-1] in "yN":
        return None  # what JSON makes of them
    return float(run) if any(sign in run for sign in ".e") else number(run.removesuffix("n"))


def _strings(text: str, at: int) -> Read:
    """Read a string; one with lines is printed piece by piece, with `+` between them."""
    pieces: list[str] = []
    while True:
        mark = text[at]
        body = _BODIES[mark].match(text, at + 1)
        end = body.end() if body else at + 1
        inner = text[at + 1 : end]
        pieces.append(_ESCAPES.undone(inner))
        if not text.startswith(mark, end):
            return Read(Partial("".join(pieces)), end, open=True)
        end += 1
        if more := _MORE_OF_IT.match(text, end):
            return Read(Partial("".join(pieces)), more.end())
        joined = _JOINED.match(text, end)
        if not joined:
            return Read("".join(pieces), end)
        at = joined.end()


class _Error(NestFrame):
    """The fields of an error, with what stands in front of them."""

    __slots__ = ("message",)

    def __init__(self, start: int, name: str, message: str) -> None:
        super().__init__("}", start, name)
        self.message = message

    def value(self, fields: dict[str, Any]) -> Named:
        return Named(self.name, {**fields, "message": self.message}, [])


class _Inspected:
    """How Node prints. The name of a frame is that of its class; plain objects and arrays have none."""

    deepest = DEEPEST
    lenient = False

    def begin(self, source: TextWindow, at: int, _: NestFrame | None) -> Read | NestFrame:
        """Read a string, a number, a word, what was left out or nothing, or what opens a container."""
        text = source.window
        if at >= len(text):
            return Read(HIDDEN, at, open=True)
        if text[at] in _BODIES:
            return _strings(text, at)
        if nothing := _NOTHING.match(text, at):
            return Read(None, nothing.end())
        if hidden := _HIDDEN.match(text, at):
            return Read(HIDDEN, hidden.end())
        if word := _WORD.match(text, at):
            return Read(_WORDS[word[0]], word.end())
        if run := _NUMBER.match(text, at):
            return Read(_number(run[0]), run.end())
        if bare := _BARE.match(text, at):
            return Read(bare[0], bare.end())
        if error := ERROR.match(text, at):
            return _error(text, error)
        if opening := _CLASS.match(text, at):
            name = opening["name"] or ""
            return NestFrame(_CLOSERS[text[opening.end()]], opening.end() + 1, name if name != "Object" else "")
        raise Fault("no value")

    def key(self, source: TextWindow, at: int, frame: NestFrame) -> int:
        """Read a key. Symbols and the entries of a Set have none."""
        text = source.window
        if frame.closer != "}":
            return at
        if symbol := _SYMBOL.match(text, at):
            return symbol.end()
        if plain := _KEY.match(text, at):
            frame.begin(plain[1].strip("[]"))
            return plain.end()
        if text[at] in "'\"`":
            read = _strings(text, at)
            behind = skip(text, read.end)
            for sign in (":", "=>"):
                if text.startswith(sign, behind):
                    frame.begin(str(read.value))
                    return behind + len(sign)
        if _HIDDEN.match(text, at):
            frame.begin("...")
        return at

    def key_of(self, _: Read, __: NestFrame) -> str | None:
        """Keys stand in front only."""
        return None

    def add(self, source: TextWindow, frame: NestFrame, read: Read) -> None:
        """Put a value into its container; without a key it is none of an object's."""
        if read.open and read.value is not HIDDEN and not _may_end(source.window, read.end, frame.closer):
            raise Fault("no comma")
        if frame.keyed or frame.closer == "]":
            frame.add(read.value)

    def end(self, frame: NestFrame, _: str, *, cut: bool) -> Any:
        """Return a list, a dict, or an object."""
        if frame.closer == "]":
            return [*frame.items, HIDDEN] if cut else frame.items
        pairs = {**frame.pairs, "...": HIDDEN} if cut else frame.pairs
        if isinstance(frame, _Error):
            return frame.value(pairs)
        return Named(frame.name, pairs, []) if frame.name else pairs

    def cut_off(self, source: TextWindow, end: int, at: int, last: Any) -> int:
        """Node says how much it left out; behind what it left out anything may follow."""
        return end if last is HIDDEN or _HIDDEN.match(source.window, at) else -1


def _may_end(text: str, end: int, closer: str) -> bool:
    """Whether what was never closed can have been cut off there."""
    at = skip(text, end)
    return at >= len(text) or text[at] in (",", closer) or _HIDDEN.match(text, at) is not None


def _error(text: str, head: re.Match[str]) -> Read | NestFrame:
    """Read an error up to the fields of its own, where it has some."""
    begun = _STACK_BEGINS.search(text, head.start(), head.start() + _LONGEST_MESSAGE)
    stack = _STACK.match(text, begun.start()) if begun else None
    if stack is None:
        raise Fault("no error with a stack")
    end = stack.end()
    error = _Error(end, head["code"] or head["name"], text[head.end() : stack.start()])
    return error if text.startswith(" {", end - 2) else Read(error.value({}), end)
