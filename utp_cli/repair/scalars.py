"""Numbers, literals and bare words: values and keys that no quote begins."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from utp_cli.protocol import numbers
from utp_cli.protocol.patterns import regex
from utp_cli.repair import strict
from utp_cli.repair.codes import Edit
from utp_cli.repair.escapes import decode, quoted
from utp_cli.repair.lookahead import REACH, SPACES, STRONG, WEAK, strength, token
from utp_cli.repair.text_window import Starved, any_of

if TYPE_CHECKING:
    from utp_cli.repair.lookahead import ValuePlace
    from utp_cli.repair.text_window import TextWindow


class Bare(NamedTuple):
    """A value that was written without quotes."""

    value: Any
    edits: list[Edit]
    dropped: bool = False
    """Nothing of it can be kept: a lone `-` where the text ends."""
    cut: bool = False
    """The text ends here, and the value might have gone on."""


LITERALS: Final = {"true": True, "false": False, "null": None}

LITERAL: Final = regex(r"true|false|null|True|False|None")

_WORDS: Final = {
    "python-literal": {"True": "true", "False": "false", "None": "null"},
    "js-undefined": {"undefined": "null"},
}
_WORDS_IN_ANY_CASE: Final = {
    "literal-case": {"true": "true", "false": "false", "null": "null", "nil": "null", "none": "null"},
    "nan-infinity": {sign + word: "null" for sign in ("", "-", "+") for word in ("nan", "inf", "infinity")},
}
_MEANINGS: Final = {
    "True": "true",
    "False": "false",
    "None": "null",
    "true": "true",
    "false": "false",
    "null": "null",
}
_BEGINNINGS: Final = {word[:length]: word for word in _MEANINGS for length in range(1, len(word))}
"""What a literal that the end of the text cut off must have been."""

_LOOSE: Final = regex(r"([+-]?)((?:\d[\d_]*)?)((?:\.[\d_]*)?)((?:[eE][+-]?\d+)?)", re.ASCII)
_UNDERSCORES: Final = regex("_+")
_RADIX: Final = regex(r"([+-]?)(0[xX]_?[0-9a-fA-F][0-9a-fA-F_]*|0[oO]_?[0-7][0-7_]*|0[bB]_?[01][01_]*)", re.ASCII)
_THOUSANDS: Final = regex(r"([+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?)(?=\s*(?:[,;}\n]|$))", re.ASCII)
_CUT_NUMBER: Final = regex(r"(-?(?:0|[1-9]\d*)(?:\.\d+)?)(?:\.|[eE][+-]?)", re.ASCII)
_WRAPPERS: Final = (
    "ObjectId|ObjectID|NumberLong|NumberInt|NumberDecimal|Decimal|Decimal128|datetime|date|time|timedelta|ISODate|Date"
    "|Timestamp|UUID|uuid|BinData|Path|PosixPath|int|float|str|bool|Int32|Int64|Long|Double"
)
_TYPED: Final = regex(
    rf"(?:new\s+)?(?:(?:[A-Za-z_]\w*\.)*(?:{_WRAPPERS})\(([^()\n]{{0,{REACH}}})\)"
    rf"|[A-Za-z_][\w.]*\(\s*(\"(?:[^\"\\\n]|\\.){{0,{REACH}}}\"|'(?:[^'\\\n]|\\.){{0,{REACH}}}')\s*\))"
)
_ONE_STRING: Final = regex(r"\s*(?:\"([^\"\\]*(?:\\.[^\"\\]*)*)\"|'([^'\\]*(?:\\.[^'\\]*)*)')\s*", re.DOTALL)

_RUN: Final = regex(r"(?:[^,，;\n\r{}\[\]｝］()\"/`~\\]|[`~](?![`~])|(?<![\s])/|/(?![/*]))+")
_KEY: Final = regex(
    r"(?:--|[\u2013\u2014])[A-Za-z][\w-]*(?=\s)|[^\s:：=,，;\"'`“”{}\[\]()][^:：=,，;\"'`“”{}\[\]()\n\r]*"
)
_COMMA_ENDS: Final = regex(
    rf"[,，;](?:[{SPACES},，;]|//[^\n]{{0,{REACH}}}\n|#[^\n]{{0,{REACH}}}\n){{0,{REACH}}}"
    rf"(?:(?:\"(?:[^\"\\\n]|\\.){{0,{REACH}}}\"|'[^'\n]{{0,{REACH}}}'|“[^”\n]{{0,{REACH}}}”|[\w$.-]{{1,{REACH}}}\"?)"
    rf"\s*(?:[:：]|=>?)|[}}\])｝］]|\.\.\.|…|\Z)"
    rf"|[,，;][{SPACES}]{{0,{REACH}}}\n"
)
"""A comma behind which a key, a closer, a new line or nothing follows."""
_ESCAPED_SPACE: Final = regex(rf"(?:\\[ntr])+[{SPACES}]*")
_STRIDE: Final = 64
"""Characters of an unquoted value that are read before a marker is looked for in them; then twice as many."""
_OPENERS: Final = {"(": ")", "[": "]", "{": "}"}


def read_bare(source: TextWindow, at: int, place: ValuePlace) -> tuple[Bare, int]:
    """Read the unquoted value that begins at index `at`, and return it with the index behind it.

    Raises Starved where more text could change the answer.
    """
    text, start = source.window, source.base + at
    end, half_quoted = _run_end(source, at, place)
    if half_quoted:
        value, edits = decode(text[at:end], start)
        return Bare(value, [Edit("missing-open-quote", start, "", '"'), *edits]), end + 1
    if place.role == "member" and (grouped := _THOUSANDS.match(text, at)):
        run = grouped[1]
        plain = run.replace(",", "").lstrip("+")
        if strict.NUMBER.fullmatch(plain):
            return Bare(numbers.number(plain), [Edit("thousands-comma", start, run, plain)]), grouped.end(1)
    run = text[at:end].rstrip()
    ends_text = source.closed and end == len(text) and place.role != "top"
    return (_cut(run, start) if ends_text else None) or classify(run, start, cut=ends_text), at + len(run)


def _run_end(source: TextWindow, at: int, place: ValuePlace) -> tuple[int, bool]:
    """Find where an unquoted value ends; True behind it where a quote that was never opened ends it."""
    text, end, separated = source.window, at, False
    depth: list[str] = []
    while True:
        begin, limit = end, end + max(_STRIDE, end - at)
        if run := _RUN.match(text, end, limit):
            end = run.end()
        if place.until and (_marker_in(text, begin, end, place.until) or text.startswith(place.until, end)):
            break
        if end == limit:  # what the last character is, the next one may decide
            end -= 1
            continue
        char = source.peek(end)
        if not char or char in "\n\r`~/":
            break
        if char == '"':
            if not depth and not separated and _closes(source, end + 1, place):
                return _before_marker(source, at, end, place.until)
        elif char == "\\":
            past = _past_escaped_space(source, end)
            if past is None:
                break
            end = past  # all of it: each part of it would be followed to the same end
            continue
        elif char in _OPENERS:
            depth.append(_OPENERS[char])
        elif char in ",，;":
            if not depth and (place.role == "item" or _comma_ends(source, end)):
                break
            separated = True
        elif depth and depth[-1] == char:
            depth.pop()
        elif char in place.closers or char != ")":
            break
        end += 1
    return _before_marker(source, at, end, place.until)[0], False


def _closes(source: TextWindow, at: int, place: ValuePlace) -> bool:
    """Whether the quote before index `at` can close the run."""
    fits = strength(source, at, place)
    return fits == STRONG or (fits == WEAK and not source.peek(at).isalnum())


def _before_marker(source: TextWindow, at: int, end: int, until: tuple[str, ...]) -> tuple[int, bool]:
    """Return the end of the run, or the first marker in it; True where there is none.

    Raises Starved where one may have begun in it.
    """
    found = _marker_in(source.window, at, end, until)
    stop = found.start() if found else end
    longest = max(map(len, until), default=0)
    if any(source.begins(i, until) for i in range(max(at, len(source.window) - longest + 1), stop)):
        raise Starved
    return stop, not found


def _marker_in(text: str, begin: int, end: int, until: tuple[str, ...]) -> re.Match[str] | None:
    """Return the first marker that begins between two indexes."""
    found = any_of(until).search(text, begin, end + max(map(len, until), default=0))
    return found if found and found.start() < end else None


def _past_escaped_space(source: TextWindow, at: int) -> int | None:
    r"""Return the index behind the `\n` that were written as two characters; None where they stand between tokens."""
    source.peek(at + 1)
    found = _ESCAPED_SPACE.match(source.window, at)
    if found is None:
        return at + 1
    return None if source.peek(found.end()) in ("", *',}]"') else found.end()


def _comma_ends(source: TextWindow, at: int) -> bool:
    """Whether a comma in the unquoted value of a member ends it."""
    found = _COMMA_ENDS.match(source.window, at)
    if not source.closed and (found.end() == len(source.window) if found else len(source.window) - at <= REACH + 8):
        raise Starved
    return found is not None


def classify(run: str, start: int, *, cut: bool = False) -> Bare:
    """Say what a bare run stands for: a literal, a number, a typed value, or text."""
    if run in LITERALS:
        return Bare(LITERALS[run], [])
    if strict.NUMBER.fullmatch(run):
        return Bare(numbers.number(run), [])
    for table, spelling in ((_WORDS, run), (_WORDS_IN_ANY_CASE, run.lower())):
        for code, words in table.items():
            if spelling in words:
                return Bare(LITERALS[words[spelling]], [Edit(code, start, run, words[spelling])])
    if (loose := _loose_number(run, start)) is not None:
        return loose
    if typed := _TYPED.fullmatch(run):
        value = _argument(typed[1] if typed[2] is None else typed[2], run)
        return Bare(value, [Edit("typed-value", start, run, numbers.dumps(value))])
    return Bare(run, [Edit("unquoted-string", start, run, quoted(run))], cut=cut)


def _argument(inside: str, source: str) -> Any:
    """Return the one scalar between the parentheses of a typed value, else its source text."""
    if string := _ONE_STRING.fullmatch(inside):
        return decode(string[1] if string[2] is None else string[2], closer="'" if string[1] is None else '"')[0]
    if strict.NUMBER.fullmatch(inside.strip()):
        return numbers.number(inside.strip())
    return LITERALS.get(inside.strip(), source)


def _cut(run: str, start: int) -> Bare | None:
    """Read what the end of the text left of a number or literal; None where it left neither."""
    if run in ("-", "+"):
        return Bare(None, [Edit("truncated-number", start, run, "")], dropped=True, cut=True)
    if word := _BEGINNINGS.get(run):
        meaning = _MEANINGS[word]
        spelled = [] if word == meaning else [Edit("python-literal", start, run, meaning)]
        rest = "" if spelled else word[len(run) :]
        return Bare(LITERALS[meaning], [*spelled, Edit("truncated-literal", start + len(run), "", rest)])
    if number := _CUT_NUMBER.fullmatch(run):
        return Bare(numbers.number(number[1]), [Edit("truncated-number", start, run, number[1])], cut=True)
    if (loose := _loose_number(run, start)) is None:
        return None
    return loose._replace(edits=[*loose.edits, Edit("truncated-number", start + len(run), "", "")], cut=True)


def _loose_number(run: str, start: int) -> Bare | None:
    """Read a number in a looser spelling than JSON's: `+07_000.` is 7000.0 with four edits; else None."""
    if radix := _RADIX.fullmatch(run):
        value = numbers.shown_whole(int(radix[1] + radix[2].replace("_", ""), 0))  # linear: its base is a power of two
        return Bare(value, [Edit("hex-number", start, run, numbers.digits(value))])
    parts = _LOOSE.fullmatch(run)
    sign, whole, fraction, _ = parts.groups() if parts else ("", "", "", "")
    if not parts or not (whole or fraction.strip("._")):
        return None
    begin = len(sign)
    zeros = len(whole) - len(whole.lstrip("0_") or "0")
    edits = [Edit("plus-sign", 0, sign, "")] if sign == "+" else []
    if zeros > 0:
        edits.append(Edit("leading-zero", begin, whole[:zeros], ""))
    if not whole:
        edits.append(Edit("bare-decimal-point", begin, "", "0"))
    edits += [Edit("digit-separator", m.start(), m[0], "") for m in _UNDERSCORES.finditer(run, begin + max(zeros, 0))]
    if fraction == ".":
        edits.append(Edit("bare-decimal-point", parts.end(3), "", "0"))
    plain = _applied(run, edits)
    if not strict.NUMBER.fullmatch(plain):
        return None
    return Bare(numbers.number(plain), [edit._replace(start=start + edit.start) for edit in edits])


def _applied(text: str, edits: list[Edit]) -> str:
    out: list[str] = []
    done = 0
    for edit in edits:
        out += text[done : edit.start], edit.after
        done = edit.start + len(edit.before)
    return "".join((*out, text[done:]))


def read_bare_key(source: TextWindow, at: int, until: tuple[str, ...]) -> tuple[str, int, bool]:
    """Read the unquoted key at index `at`: its text, the index behind it, whether a closing quote follows it.

    The text is `""` where no key can begin there. Raises Starved where the key may go on.
    """
    found = _KEY.match(source.window, at)
    if not found:
        return "", at, False
    end, whole = _before_marker(source, at, found.end(), until)
    quote = whole and source.peek(end) == '"' and token(source, end + 1, until)[0] in ":="
    key = source.window[at:end] if quote else source.window[at:end].rstrip()
    return key, at + len(key), quote
