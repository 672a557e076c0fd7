"""Values as Node's `util.inspect` and `console.log` print them (Node 20, `lib/internal/util/inspect.js`).

Each function takes the text, a position and a depth, and gives the value with its end, or raises `Fault`.
"""

from __future__ import annotations

import re
from typing import Any, Final

from utp_cli.captures.spellings.values import DEEPEST, HIDDEN, Fault, Named, Partial, Read
from utp_cli.protocol.patterns import regex
from utp_cli.repair.strict import number

_SPACE: Final = regex(r"[ \t\r\n]*")
_BODIES: Final = {
    "'": regex(r"[^'\\\n]*(?:\\.[^'\\\n]*)*", re.DOTALL),
    '"': regex(r'[^"\\\n]*(?:\\.[^"\\\n]*)*', re.DOTALL),
    "`": regex(r"[^`\\]*(?:\\.[^`\\]*)*", re.DOTALL),
}
_JOINED: Final = regex(r" \+\r?\n[ \t]*(?=['\"`])")
"""Between the lines of a string that was broken at its line ends."""
_MORE_OF_IT: Final = regex(r"\.\.\. \d+ more characters?")
_ESCAPE: Final = regex(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|(.))", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
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


def read_value(text: str, at: int, depth: int = 0) -> Read:
    """Read the value that begins at `at`. Raises Fault."""
    if depth > DEEPEST:
        raise Fault("nested too deeply")
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
    if ERROR.match(text, at):
        return read_error(text, at, depth)
    if opening := _CLASS.match(text, at):
        read = (_object if text[opening.end()] == "{" else _array)(text, opening.end(), depth)
        name = opening["name"]
        if name and name != "Object" and isinstance(read.value, dict):
            return Read(Named(name, read.value, []), read.end, read.open)
        return read
    raise Fault("no value")


def read_error(text: str, at: int, depth: int = 0) -> Read:
    """Read an error: its message, its stack, its own fields; a `Named` with `message` and `code` among the fields."""
    head = ERROR.match(text, at)
    begun = _STACK_BEGINS.search(text, at, at + _LONGEST_MESSAGE)
    stack = _STACK.match(text, begun.start()) if begun else None
    if head is None or stack is None:
        raise Fault("no error with a stack")
    fields: dict[str, Any] = {"message": text[head.end() : stack.start()]}
    end, cut = stack.end(), False
    if text.startswith(" {", end - 2):
        read = _object(text, end - 1, depth)
        fields = {**read.value, **fields} if isinstance(read.value, dict) else fields
        end, cut = read.end, read.open
    return Read(Named(head["code"] or head["name"], fields, []), end, cut)


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
        pieces.append(_ESCAPE.sub(_unescaped, inner) if "\\" in inner else inner)
        if not text.startswith(mark, end):
            return Read(Partial("".join(pieces)), end, open=True)
        end += 1
        if more := _MORE_OF_IT.match(text, end):
            return Read(Partial("".join(pieces)), more.end())
        joined = _JOINED.match(text, end)
        if not joined:
            return Read("".join(pieces), end)
        at = joined.end()


def _unescaped(match: re.Match[str]) -> str:
    for group in (1, 2, 3):
        if match[group]:
            code = int(match[group], 16)
            return chr(code) if code <= 0x10FFFF else match[0]
    return _ESCAPED.get(match[4], match[4])


def _object(text: str, at: int, depth: int) -> Read:
    pairs: dict[str, Any] = {}
    at += 1
    while True:
        at = skip(text, at)
        if at >= len(text):
            return Read({**pairs, "...": HIDDEN}, at, open=True)
        if text[at] == "}":
            return Read(pairs or {}, at + 1)
        key, at = _key(text, at)
        read = read_value(text, at, depth + 1)
        if key is not None:
            pairs[key] = read.value
        at = _behind(text, read, "}")
        if read.open or at < 0:
            return Read({**pairs, "...": HIDDEN}, read.end, open=True)


def _key(text: str, at: int) -> tuple[str | None, int]:
    """Return the key and where its value begins; no key for a symbol and for the entries of a Set."""
    if symbol := _SYMBOL.match(text, at):
        return None, symbol.end()
    if plain := _KEY.match(text, at):
        return plain[1].strip("[]"), plain.end()
    if text[at] in "'\"":
        read = _strings(text, at)
        behind = skip(text, read.end)
        for sign in (":", "=>"):
            if text.startswith(sign, behind):
                return str(read.value), skip(text, behind + len(sign))
    return ("..." if _HIDDEN.match(text, at) else None), at


def _behind(text: str, read: Read, closer: str) -> int:
    """Return where the next entry or the closer stands; -1 where the text was cut off."""
    at = skip(text, read.end)
    if at >= len(text) or _HIDDEN.match(text, at):
        return -1
    if text[at] == ",":
        return at + 1
    if text[at] == closer:
        return at
    if read.value is HIDDEN:
        return -1
    raise Fault("no comma")


def _array(text: str, at: int, depth: int) -> Read:
    items: list[Any] = []
    at += 1
    while True:
        at = skip(text, at)
        if at >= len(text):
            return Read([*items, HIDDEN], at, open=True)
        if text[at] == "]":
            return Read(items, at + 1)
        read = read_value(text, at, depth + 1)
        items.append(read.value)
        at = _behind(text, read, "]")
        if read.open or at < 0:
            return Read([*items, HIDDEN], read.end, open=True)
