"""Values as Python's `repr`, `pprint` and Rich print them, and objects as SDKs do: `Name(key=value)`.

Each function takes the text, a position and a depth, and gives the value with its end, or raises `Fault`. Nothing is
evaluated or looked up: a name is a word.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any, Final

from utp_cli.captures.spellings.values import DEEPEST, HIDDEN, Fault, Named, Partial, Read
from utp_cli.protocol.patterns import regex
from utp_cli.repair.strict import number

if TYPE_CHECKING:
    from collections.abc import Callable

_SPACE: Final = regex(r"[ \t\r\n]*")
NAME: Final = regex(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_KEY: Final = regex(r"([^\W\d]\w*)[ \t]*=(?!=)[ \t\r\n]*")
_NUMBER: Final = regex(r"[+-]?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|inf|nan)(?![\w.])")
_QUOTE: Final = regex(r"([rRbBuUfF]{0,2})('''|\"\"\"|'|\")")
_BODIES: Final = {
    "'": regex(r"[^'\\\n]*(?:\\.[^'\\\n]*)*", re.DOTALL),
    '"': regex(r'[^"\\\n]*(?:\\.[^"\\\n]*)*', re.DOTALL),
    "'''": regex(r"(?:[^'\\]|\\.|'(?!''))*", re.DOTALL),
    '"""': regex(r'(?:[^"\\]|\\"\\"\\"|\\|"(?!"")|"(?="""))*'),
}
_ESCAPE: Final = regex(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{([^}\n]{1,80})\}|([0-7]{1,3})|(.))", re.DOTALL
)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "\n": ""}
_MORE: Final = regex(r"\+(\d+)(?=\s*[,)\]}])")
"""What Rich puts behind a string whose end it left out."""
CUT: Final = regex(
    r"(?:\.\.\.|…)(?: ?\+\d+| \d+ more [\w ]+)?"
    r"|\[(?:truncated|[Tt]runcated [^\]\n]{0,40}|\.\.\.|…)\]|<(?:truncated|snip)[^>\n]{0,40}>"
)
"""What stands where somebody cut something off."""
_ANGLE: Final = regex(
    r"<(?:[\w.]+: (?P<value>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|-?\d+)"
    r"|[^<>\n]{0,200}(?:<[^<>\n]{0,200}>[^<>\n]{0,200})?)>"
)
_WORDS: Final[dict[str, Any]] = {"None": None, "True": True, "False": False, "Ellipsis": HIDDEN}
_CLOSERS: Final = {"[": "]", "(": ")", "{": "}"}
_ABSENT: Final = frozenset({"Unset", "NotGiven", "Omit", "UNSET", "NOT_GIVEN", "PydanticUndefined"})
"""Classes for "nothing was given"."""


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
    if _QUOTE.match(text, at):
        return _strings(text, at)
    char = text[at]
    if cut := CUT.match(text, at):
        return Read(HIDDEN, cut.end())
    if char in "[(":
        return _listed(text, at, depth)
    if char == "{":
        return _braces(text, at, depth)
    if char == "<":
        return _angle(text, at)
    if match := _NUMBER.match(text, at):
        return Read(_number(match[0]), match.end())
    if match := NAME.match(text, at):
        return _named(text, match, depth)
    raise Fault("no value")


def read_fields(text: str, at: int, depth: int, closer: str) -> Read:
    """Read `key=value` and plain values up to a closer, as a `Named` without a name."""
    fields: dict[str, Any] = {}
    items: list[Any] = []

    def entry(at: int) -> Read:
        if key := _KEY.match(text, at):
            read = read_value(text, key.end(), depth + 1)
            fields[key[1]] = read.value
            return read
        read = read_value(text, at, depth + 1)
        items.append(read.value)
        return read

    end, cut = _entries(text, at, closer, entry)
    if cut:
        items.append(HIDDEN)
    return Read(Named("", fields, items), end, cut)


# -- strings and numbers ---------------------------------------------------------------------------------------


def read_string(text: str, at: int) -> Read:
    """Read one string or bytes. One whose line ends before its quote was cut off.

    Between three double quotes stands what google-genai prints of a text with lines: as it is, but for the same quotes
    in it (`_pretty_repr` in its `_common.py`, November 2026).
    """
    quote = _QUOTE.match(text, at)
    if not quote:
        raise Fault("no string")
    prefix, mark = quote[1].lower(), quote[2]
    body = _BODIES[mark].match(text, quote.end())
    end = body.end() if body else quote.end()
    inner = text[quote.end() : end]
    if mark == '"""':
        inner = inner.replace(r"\"\"\"", mark)
    elif "r" not in prefix and "\\" in inner:
        inner = _ESCAPE.sub(_unescaped, inner)
    if not text.startswith(mark, end):
        return Read(Partial(inner), end, open=True)
    value = inner.encode("latin-1", "replace") if "b" in prefix else inner
    return Read(value, end + len(mark))


def _strings(text: str, at: int) -> Read:
    """Read strings that stand one behind the other, as `pprint` breaks long ones."""
    read = read_string(text, at)
    pieces = [read.value]
    while not read.open:
        following = skip(text, read.end)
        quote = _QUOTE.match(text, following)
        if not quote or isinstance(pieces[0], bytes) != ("b" in quote[1].lower()):
            break
        read = read_string(text, following)
        pieces.append(read.value)
    value: Any = b"".join(pieces) if isinstance(pieces[0], bytes) else "".join(pieces)
    if read.open:
        return Read(Partial(value), read.end, open=True)
    if more := _MORE.match(text, read.end):
        return Read(Partial(value), more.end())
    return Read(value, read.end)


def _unescaped(match: re.Match[str]) -> str:
    for group, base in ((1, 16), (2, 16), (3, 16), (5, 8)):
        if match[group]:
            code = int(match[group], base)
            return chr(code) if code <= 0x10FFFF else match[0]
    if match[4]:
        try:
            return unicodedata.lookup(match[4])
        except KeyError:
            return match[0]
    char = match[6]
    return _ESCAPED.get(char, char if char in "\\'\"" else match[0])


def _number(run: str) -> Any:
    if run.lstrip("+-") in ("inf", "nan"):
        return float(run)
    return float(run) if any(sign in run for sign in ".eE") else number(run.lstrip("+"))


# -- containers ------------------------------------------------------------------------------------------------


def _entries(text: str, at: int, closer: str, entry: Callable[[int], Read]) -> tuple[int, bool]:
    """Read entries between commas up to a closer; return the position behind it, and whether the text was cut off."""
    while True:
        at = skip(text, at)
        if text.startswith(closer, at):
            return at + 1, False
        if at >= len(text):
            return len(text), True
        read = entry(at)
        if read.open:
            return read.end, True
        at = skip(text, read.end)
        if text.startswith(",", at):
            at += 1
        elif at >= len(text):
            return read.end, True
        elif not text.startswith(closer, at):
            cut = CUT.match(text, at)
            if cut or read.value is HIDDEN:
                return cut.end() if cut else read.end, True
            raise Fault("no comma")


def _listed(text: str, at: int, depth: int) -> Read:
    items: list[Any] = []

    def entry(at: int) -> Read:
        read = read_value(text, at, depth + 1)
        items.append(read.value)
        return read

    end, cut = _entries(text, at + 1, _CLOSERS[text[at]], entry)
    if cut:
        items.append(HIDDEN)
    if items == [HIDDEN]:
        return Read(HIDDEN, end, cut)
    if text[at] == "(" and len(items) == 1 and not cut and text[end - 2] != ",":
        return Read(items[0], end)  # brackets around one value, as `pprint` sets them around strings
    return Read(items, end, cut)


def _braces(text: str, at: int, depth: int) -> Read:
    """Read a dict, or a set as a list."""
    pairs: dict[str, Any] = {}
    items: list[Any] = []

    def entry(at: int) -> Read:
        key = read_value(text, at, depth + 1)
        behind = skip(text, key.end)
        if key.open or key.value is HIDDEN or not text.startswith(":", behind):
            items.append(key.value if not key.open else HIDDEN)
            return key
        read = read_value(text, skip(text, behind + 1), depth + 1)
        pairs[key.value if isinstance(key.value, str) else repr(key.value)] = read.value
        return read

    end, cut = _entries(text, at + 1, "}", entry)
    if items and not pairs and HIDDEN not in items:
        return Read(items, end, cut)
    if any(item is not HIDDEN for item in items):
        raise Fault("a dict with a value that has no key")
    if cut or items:
        pairs["..."] = HIDDEN
        if len(pairs) == 1:
            return Read(HIDDEN, end, cut)
    return Read(pairs, end, cut)


# -- names -----------------------------------------------------------------------------------------------------


def _angle(text: str, at: int) -> Read:
    """Read `<Role.USER: 'user'>`, `<object at 0x7f>`, `<... Max depth ...>`."""
    match = _ANGLE.match(text, at)
    if not match:
        raise Fault("no angle brackets")
    if not match["value"]:
        return Read(HIDDEN, match.end())
    return Read(read_value(match["value"], 0).value, match.end())


def _named(text: str, match: re.Match[str], depth: int) -> Read:
    """Read a literal, an object, or a word such as `FinishReason.STOP`."""
    word, end = match[0], match.end()
    if word in _WORDS:
        return Read(_WORDS[word], end)
    if text.startswith("(", end):
        read = read_fields(text, end + 1, depth, ")")
        return Read(_simple(word.rpartition(".")[2], read.value), read.end, read.open)
    name = word.rpartition(".")[2]
    if name in _ABSENT:
        return Read(None, end)
    if name == word and not word[0].isupper():
        raise Fault("a word")
    return Read(name, end)


def _simple(name: str, given: Named) -> Any:
    """Return what the objects of the standard library stand for; others with their name."""
    items = given.items
    if name in _ABSENT:
        return None
    if name in ("datetime", "date", "time", "timedelta", "timezone", "TzInfo", "tzutc", "tzlocal"):
        numbers = [item for item in items if isinstance(item, int)]
        day, clock = ("-".join(f"{n:02}" for n in numbers[:3]), ":".join(f"{n:02}" for n in numbers[3:6]))
        return "T".join(filter(None, (day, clock))) if name in ("datetime", "date") else None
    if name in ("OrderedDict", "defaultdict", "mappingproxy", "dict", "Counter", "Box", "DotMap") and items:
        held = items[-1]
        if isinstance(held, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in held):
            return {str(key): value for key, value in held}
        return held
    if name in ("deque", "frozenset", "set", "tuple", "list", "Decimal", "UUID", "SecretStr", "Sequence") and items:
        return items[0]
    return Named(name, given.fields, items)
