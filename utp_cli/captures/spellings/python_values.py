"""Values as Python's `repr`, `pprint` and Rich print them, and objects as SDKs do: `Name(key=value)`.

A notation for the one walk through nested values. Nothing is evaluated or looked up: a name is a word.
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
_ESCAPES: Final = Escapes(
    sign=regex(
        r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|N\{(?P<name>[^}\n]{1,80})\}"
        r"|(?P<octal>[0-7]{1,3})|(?P<char>.))",
        re.DOTALL,
    ),
    meanings={
        "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "a": "\a", "\n": "", "\\": "\\", "'": "'",
        '"': '"',
    },
    keeps=True,
)  # fmt: skip
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


def read_value(text: str, at: int) -> Read:
    """Read the value that begins at `at`. Raises Fault."""
    return Nest(TextWindow.over(text), _Printed(), at).read()


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
    elif "r" not in prefix:
        inner = _ESCAPES.undone(inner)
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


def _number(run: str) -> Any:
    if run.lstrip("+-") in ("inf", "nan"):
        return float(run)
    return float(run) if any(sign in run for sign in ".eE") else number(run.lstrip("+"))


# -- containers ------------------------------------------------------------------------------------------------


class _Printed:
    """How Python prints. The name of a frame is that of its class; lists, tuples and dicts have none."""

    deepest = DEEPEST
    lenient = False

    def begin(self, source: TextWindow, at: int, _: NestFrame | None) -> Read | NestFrame:
        """Read a string, a number, a word or what was left out, or what opens a container."""
        text = source.window
        if at >= len(text):
            return Read(HIDDEN, at, open=True)
        if _QUOTE.match(text, at):
            return _strings(text, at)
        if cut := CUT.match(text, at):
            return Read(HIDDEN, cut.end())
        char = text[at]
        if char in _CLOSERS:
            return NestFrame(_CLOSERS[char], at + 1)
        if char == "<":
            return _angle(text, at)
        if match := _NUMBER.match(text, at):
            return Read(_number(match[0]), match.end())
        if match := NAME.match(text, at):
            return _named(text, match)
        raise Fault("no value")

    def key(self, source: TextWindow, at: int, frame: NestFrame) -> int:
        """Read `key=`, which only objects have."""
        key = _KEY.match(source.window, at) if frame.name else None
        if key:
            frame.begin(key[1])
        return key.end() if key else at

    def key_of(self, read: Read, _: NestFrame) -> str | None:
        """Return a key as text. What was left out is none."""
        value = read.value
        return None if value is HIDDEN else value if isinstance(value, str) else repr(value)

    def add(self, _: TextWindow, frame: NestFrame, read: Read) -> None:
        """Put a value into its container. What was cut off in a dict may have been a key."""
        is_key = frame.closer == "}" and not frame.keyed and read.open
        frame.add(HIDDEN if is_key else read.value)

    def end(self, frame: NestFrame, before: str, *, cut: bool) -> Any:
        """Return a list, a dict, an object; brackets around one value are what `pprint` sets around strings."""
        items = frame.items
        if frame.closer == "}":
            return _braces(frame, cut=cut)
        if cut:
            items.append(HIDDEN)
        if frame.name:
            return _simple(frame.name, Named("", frame.pairs, items))
        if items == [HIDDEN]:
            return HIDDEN
        return items[0] if frame.closer == ")" and len(items) == 1 and not cut and before != "," else items

    def cut_off(self, source: TextWindow, end: int, at: int, last: Any) -> int:
        """Return the end of the sign that says so; behind what was left out anything may follow."""
        cut = CUT.match(source.window, at)
        return cut.end() if cut else end if last is HIDDEN else -1


def _braces(frame: NestFrame, *, cut: bool) -> Any:
    """Return a dict, or a set as a list."""
    pairs, items = frame.pairs, frame.items
    if items and not pairs and HIDDEN not in items:
        return items
    if any(item is not HIDDEN for item in items):
        raise Fault("a dict with a value that has no key")
    if cut or items:
        pairs["..."] = HIDDEN
        if len(pairs) == 1:
            return HIDDEN
    return pairs


# -- names -----------------------------------------------------------------------------------------------------


def _angle(text: str, at: int) -> Read:
    """Read `<Role.USER: 'user'>`, `<object at 0x7f>`, `<... Max depth ...>`."""
    match = _ANGLE.match(text, at)
    if not match:
        raise Fault("no angle brackets")
    if not match["value"]:
        return Read(HIDDEN, match.end())
    return Read(read_value(match["value"], 0).value, match.end())


def _named(text: str, match: re.Match[str]) -> Read | NestFrame:
    """Read a literal, a word such as `FinishReason.STOP`, or what opens an object."""
    word, end = match[0], match.end()
    if word in _WORDS:
        return Read(_WORDS[word], end)
    name = word.rpartition(".")[2]
    if text.startswith("(", end):
        return NestFrame(")", end + 1, name)
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
