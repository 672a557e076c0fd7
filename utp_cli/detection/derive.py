"""A dialect that nobody declared, out of what a template writes for calls that are known.

The text is cut at the words of the probe. What stands between them is markup; what repeats for a second call
belongs to a call, the rest to the section around all calls. Each way of cutting gives a table, and the grammars
say which tables are right: the one that reads most of the turns.
"""

from __future__ import annotations

import json
import re
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any

from utp_cli.detection.probe import CALLS, IDS, KEYS, NAMES
from utp_cli.dialects.custom_dialects import dialect_from_table
from utp_cli.protocol.errors import BadOption
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from utp_cli.dialects.spec import Dialect

Table = dict[str, Any]

_LONGEST = 4000
"""Characters of a turn that are looked at."""
_TABLES = 60
"""Tables that are tried; a clear template needs one."""
_TOKEN = regex(r"<[^<>\s]*>|\[[^\[\]\s]*\]|\s+|[\w.:-]+|.", re.DOTALL)
_BRACKET = regex(r"[\[{]")
_FENCE = regex(r"(?<!\s)\s*+```[a-z]*+\s*+\Z")
_FENCE_END = regex(r"\A\s*```")
_LAST_TAG = regex(r"<([\w.:-]+)>\s*\Z")
_ASSIGNS = regex(r"""\s*["']?""")
_SLOT = regex(r"(?<=\s)[\w:.-]+")
_ATTRIBUTES = regex(r"""\A["']?(?:\s+[\w:.-]+=["'][^"']*["'])*""")
_ATTRIBUTE = regex(r"""(?<![\w:.-])([\w:.-]++)=["']([^"']*)["']""")


def derive(one: str, two: str, *, reads: Callable[[Dialect], int]) -> Table | None:
    """Return the `[dialects.NAME]` table that reads most of what a template writes; None where none does.

    `one`, `two`: the first probe call and both of them, as the template writes them, without what stands around
    any answer; `two` is empty where it cannot be written. `reads` tells how many turns a dialect reads right.
    """
    best: tuple[int, Table | None] = (0, None)
    two = two.replace(IDS[1], IDS[0])  # so that what is left to differ is not the id
    for table in islice(_tables(one[:_LONGEST], two[: 2 * _LONGEST]), _TABLES):
        try:
            dialect = dialect_from_table("derived", table)
        except BadOption:
            continue
        count = reads(dialect)
        if count > best[0]:
            best = (count, table)
    return best[1]


def _tables(one: str, two: str) -> Iterator[Table]:
    """Propose dialects, the simplest first."""
    for propose in (_json_tables, _header_tables, _argument_tables):
        yield from propose(one, two)


# -- JSON ------------------------------------------------------------------------------------------------------------


def _values(text: str) -> Iterator[tuple[int, int, Any]]:
    """Yield the JSON objects and lists of a text with their spans, outermost ones only."""
    decoder, at = json.JSONDecoder(), 0
    while found := _BRACKET.search(text, at):
        try:
            value, at = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            at = found.end()
            continue
        yield found.start(), at, value


def _calls_in(value: Any) -> list[dict[str, Any]]:
    """Return the objects with a tool's name: the value, members of a list, or what `{"function": {…}}` holds."""
    items = [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]
    inner = [part for item in items for part in item.values() if isinstance(part, dict)]
    return [item for item in [*items, *inner] if {*NAMES} & {*item, *(v for v in item.values() if isinstance(v, str))}]


def _json_tables(one: str, two: str) -> Iterator[Table]:
    """Propose JSON that holds the name."""
    for start, end, value in _values(one):
        inner, wrappers = _unwrapped(value)
        calls = _calls_in(inner)
        if not calls:
            continue
        ends = [(s, e) for s, e, v in _values(two) if _calls_in(_unwrapped(v)[0])]
        before, after, fenced = _unfenced(one[:start], one[end:])
        middle = two[ends[0][1] : ends[1][0]] if ends[1:] else None
        if middle and fenced:
            middle = _FENCE.sub("", _FENCE_END.sub("", middle))
        family = "tagged_json_list" if isinstance(inner, list) else "tagged_json_object"
        keys = {**_json_keys(calls[0]), **({"wrappers": wrappers} if wrappers else {}), **fenced}
        for markers in _around(before, middle, after):
            yield {"family": family, **_opened(markers, one[start]), **keys}


def _unwrapped(value: Any) -> tuple[Any, list[str]]:
    """Take an object of one key off a call: `{"tool_call": {…}}`."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, inner),) = value.items()
        if key not in NAMES and _calls_in(inner):
            return inner, [key]
    return value, []


def _opened(markers: Table, first: str) -> Table:
    """Complete the opening marker: a bare word needs the bracket behind it, and nothing at all is a bare payload."""
    if not (opening := markers["call_open"][0] if markers["call_open"] else ""):
        return {**{k: v for k, v in markers.items() if k != "call_open"}, "bare": [first]}
    word = opening[-1].isalnum() and first == "["
    return {**markers, "call_open": [opening + first if word else opening]}


def _json_keys(call: dict[str, Any]) -> Table:
    """Return which keys hold what."""
    if call.keys() & {*NAMES}:
        return {"single_key": True}
    found: Table = {"name_keys": [key for key, value in call.items() if value in NAMES]}
    found["argument_keys"] = [
        key
        for key, value in call.items()
        if value == CALLS[0]["arguments"] or (isinstance(value, str) and KEYS[0] in value)
    ]
    ids = [key for key, value in call.items() if isinstance(value, str) and value == IDS[0]]
    return {**found, **({"id_keys": ids} if ids else {})}


def _unfenced(before: str, after: str) -> tuple[str, str, Table]:
    """Take a code fence off a payload."""
    opened = _FENCE.search(before[-40:])
    if opened is None:
        return before, after, {}
    cut = before[: len(before) - len(opened[0])]
    return cut, _FENCE_END.sub("", after), {"fenced": True}


def _header_tables(one: str, two: str) -> Iterator[Table]:
    """Propose a header with the name, then the arguments as JSON."""
    for start, end, value in _values(one):
        at = one.rfind(NAMES[0], 0, start)
        if value != CALLS[0]["arguments"] or at < 0:
            continue
        between, after, fenced = _unfenced(one[at + len(NAMES[0]) : start], one[end:])
        if fenced:
            between += "\n"
        second = next(((s, e) for s, e, v in _values(two) if v == CALLS[1]["arguments"]), None)
        first = next(((s, e) for s, e, v in _values(two) if v == value), None)
        middle = None
        if first and second and (name := two.find(NAMES[1], first[1])) >= 0:
            middle = two[first[1] : name]
            middle = _FENCE_END.sub("", middle) if fenced else middle
        counter = _counter(between, two, second)
        for markers in _around(one[:at], middle, after):
            opening = "".join(markers["call_open"])
            for cut in _cuts(opening):
                header = opening[len(cut) :] + "{name}" + (between if counter is None else counter)
                if IDS[0] not in cut:
                    header = header.replace(IDS[0], "{id}")
                    yield {"family": "header_json", **markers, "call_open": [cut], "header": [header], **fenced}


def _counter(between: str, two: str, second: tuple[int, int] | None) -> str | None:
    """Return what stands behind the name with a slot for its number or id, where it differs from call to call."""
    if not second:
        return None
    other = two[two.rfind(NAMES[1], 0, second[0]) + len(NAMES[1]) : second[0]]
    if other == between:
        return None
    head = _without_last_word(between[: _same(between, other)])
    tail = _without_last_word(between[::-1][: _same(between[::-1], other[::-1])])[::-1]
    varying = between[len(head) : len(between) - len(tail)]
    return f"{head}{{id}}{tail}" if re.fullmatch(r"[\w-]+", varying) else None


def _without_last_word(text: str) -> str:
    return re.sub(r"(?<![\w-])[\w-]++\Z", "", text)


# -- one piece of markup an argument ---------------------------------------------------------------------------------


def _argument_tables(one: str, two: str) -> Iterator[Table]:
    """Propose tags, pairs of tags, Python's and Gemma's way."""
    parts = _parts(one, CALLS[0])
    if parts is None:
        return
    before, name_key, key_value, value_key, second_value, after = parts
    middle = None
    if (at := two.find(NAMES[1])) >= 0 and (first := _parts(two[:at] + "\0", CALLS[0])):
        middle = first[-1].removesuffix("\0")
    if KEYS[0] in value_key:
        yield from _element_tables(before, middle, parts)
        yield from _nested_tables(before, middle, parts)
    quote = _quote(key_value, value_key)
    if name_key.strip() == "(" and quote is not None:
        yield from _python_tables(before, middle, after)
    elif name_key.strip() == "{" and quote:
        for markers in _around(before, middle and middle.lstrip()[1:], after.lstrip()[1:]):
            yield {"family": "kv_custom", **markers, "quote": quote}
    opening = _shared_end(name_key, value_key)
    closing = _shared_start(value_key, after).strip()
    if not opening.strip() or not closing:
        return
    rest = after[len(_shared_start(value_key, after)) :]
    middle = middle and middle[len(_shared_start(value_key, after)) :]
    key_end = _ATTRIBUTES.sub("", key_value).strip()
    opening = opening.lstrip().removeprefix(key_end) if key_end else opening
    if pair := _pair(opening.strip(), key_value, closing):
        for markers in _around(before, middle, rest):
            separator = name_key[: len(name_key) - len(opening)].strip()
            more = {"separators": [separator]} if separator else {}
            yield {"family": "arg_key_value", **markers, "argument": pair, **more}
    argument = _tag(opening.strip(), key_value, closing, second_value)
    if argument is None:
        return
    trim = {"trim": "line"} if "\n" in key_value or value_key.startswith("\n") else {}
    end = name_key[: len(name_key) - len(opening)].strip()
    for markers in _around(before, middle, rest, key_end):
        for table in _tag_tables(markers, end):
            yield {**table, "argument": argument, **trim}
            yield {**table, "argument": argument, "trim": "cdata"}


def _parts(text: str, call: dict[str, Any]) -> list[str] | None:
    """Cut a text at name, key, value, key, value of a call; None where they do not stand so."""
    name, arguments = call["name"], call["arguments"]
    words = [word for key, value in arguments.items() for word in (key, str(value))]
    first = text.find(words[0])
    at = text.rfind(name, 0, first)
    if first < 0 or at < 0:
        return None
    parts, position = [text[:at]], at + len(name)
    for word in words:
        found = text.find(word, position)
        if found < 0:
            return None
        parts.append(text[position:found])
        position = found + len(word)
    return [*parts, text[position:]]


def _quote(key_value: str, value_key: str) -> str | None:
    """Return what stands at both ends of a text value; None where nothing or not the same does."""
    quote = key_value.strip().lstrip("=:").strip()
    return quote if quote and value_key.startswith(quote) else None


def _python_tables(before: str, middle: str | None, after: str) -> Iterator[Table]:
    """Propose Python calls, in a list or one a line."""
    listed = before.rstrip().endswith("[")
    opening = before.rstrip().removesuffix("[").strip()
    closing = after.strip().removeprefix(")").strip()
    closing = closing.removeprefix("]").strip() if listed else closing
    if not opening:
        yield {"family": "pythonic", "bare": ["["], "close_optional": True}
        return
    by_line = {"by_line": True} if not listed and middle and "\n" in middle else {}
    yield {"family": "pythonic", "call_open": [opening], "call_close": [closing] if closing else [], **by_line}


def _element_tables(before: str, middle: str | None, parts: Sequence[str]) -> Iterator[Table]:
    """Propose `<call><name>N</name><arguments><K>v</K></arguments></call>`."""
    named = _LAST_TAG.search(before)
    around = re.fullmatch(rf"\s*</{re.escape(named[1])}>\s*<([\w.:-]+)>\s*<", parts[1]) if named else None
    if named is None or around is None:
        return
    end = f"</{around[1]}>"
    rest = parts[-1].partition(end)[2]
    inner = middle and _LAST_TAG.sub("", middle.partition(end)[2])
    keys = {"name_keys": [named[1]], "argument_keys": [around[1]]}
    for markers in _around(before[: named.start()], inner, rest):
        yield {"family": "xml_elements", **markers, **keys}


def _nested_tables(before: str, middle: str | None, parts: Sequence[str]) -> Iterator[Table]:
    """Propose elements that are named as the arguments are."""
    _, name_key, _, value_key, _, after = parts
    prefix = value_key[: value_key.find("</" + KEYS[0])].strip()
    if not prefix:
        return
    rest = after[after.find(">") + 1 :]
    middle = middle and middle[middle.find(">") + 1 :]
    end = name_key[: name_key.rfind(prefix)].strip()
    for markers in _around(before, middle, rest):
        for table in _tag_tables(markers, end):
            yield {**table, "family": "xml_nested", "tag_prefix": prefix}


def _pair(opening: str, key_value: str, closing: str) -> Table | None:
    """Return `<key>K</key><value>V</value>` as a pair of tags."""
    found = re.fullmatch(r"(?P<close></[^<>]+)>\s*(?P<open><[^<>/]+)>\s*", key_value)
    if not found or not opening.endswith(">") or found["close"][2:] != opening[1:-1]:
        return None
    return {"open": opening[:-1], "slot": "=", "close": closing.removesuffix(">")}


def _tag(opening: str, key_value: str, closing: str, other: str = "") -> Table | None:
    """Return the tag of an argument from what stands before its slot, behind it and behind its value."""
    ahead, sign, behind = opening.rpartition("=")
    ahead = ahead.rstrip()
    attribute = _SLOT.fullmatch(ahead, len(ahead) - len((ahead.split() or [""])[-1]))
    start = ahead[: attribute.start()].strip() if attribute else ahead.strip()
    if not sign or not start or not _ASSIGNS.fullmatch(behind):
        return None
    end = _ATTRIBUTES.sub("", key_value).strip()
    told = dict(_ATTRIBUTE.findall(key_value))
    differing = [key for key, value in _ATTRIBUTE.findall(other) if told.get(key, value) != value]
    tag = {"open": start, "slot": attribute[0] if attribute else "=", "close": closing, "end": end or ">"}
    return {**tag, **({"type": differing[0]} if differing else {})}


def _tag_tables(markers: Table, end: str) -> Iterator[Table]:
    """Split what stands around a call into the tag that names it and a section around it, in every way."""
    opening, closing = "".join(markers["call_open"]), "".join(markers["call_close"])
    for head in _cuts(opening, whole=False):
        start = opening[len(head) :].strip()
        if not start or start[0].isalnum():
            continue
        for close in _cuts(closing):
            tag = _tag(start, end, close)
            if tag is None:
                continue
            tail = closing[len(close) :].strip()
            sections = {
                "section_open": [*markers.get("section_open", []), *([head.strip()] if head.strip() else [])],
                "section_close": [*([tail] if tail else []), *markers.get("section_close", [])],
            }
            counter = _ATTRIBUTE.findall(end)
            tag |= {"counter": counter[0][0]} if counter and counter[0][1] == "1" else {}
            family = "xml_function_eq" if tag["slot"] == "=" else "xml_invoke"
            called = {"call_open": [tag["open"] + ("=" if tag["slot"] == "=" else " ")], "call": tag}
            yield {"family": family, **called, **{key: value for key, value in sections.items() if value}}


# -- cutting ---------------------------------------------------------------------------------------------------------


def _around(before: str, middle: str | None, after: str, end: str = "") -> Iterator[Table]:
    """Tell the markers of a call from those of the section, by what stands between two calls.

    With no second call, or only space between two, all of it belongs to the call. `end` ends opening tags, so that
    it begins none.
    """
    if middle is not None and middle.strip(" \n\t,;"):
        closing = _shared_start(middle, after)
        opening = _shared_end(before, middle) if before.strip() else middle[len(closing) :]
        opening = opening.lstrip().removeprefix(end).strip()
        if after[len(closing) :].strip():
            closing = _without_start(closing.rstrip(), opening)
        outer = before.rstrip().removesuffix(opening).strip(), after[len(closing) :].strip()
        table: Table = {"call_open": [opening], "call_close": [closing.strip()] if closing.strip() else []}
        for key, marker in zip(("section_open", "section_close"), outer, strict=True):
            table |= {key: [marker]} if marker else {}
        if opening:
            yield table
            for key in ("section_open", "section_close"):  # what stands around any answer is no section
                if key in table:
                    yield {k: v for k, v in table.items() if k != key}
    yield {"call_open": [before.strip()], "call_close": [after.strip()] if after.strip() else []}


def _without_start(text: str, following: str) -> str:
    """Cut off the end of a text that is the beginning of what follows it, as far as something is left."""
    sizes = range(min(len(text) - 1, len(following)), 0, -1)
    size = next((size for size in sizes if text.endswith(following[:size])), 0)
    return text[: len(text) - size]


def _cuts(text: str, *, whole: bool = True) -> Iterator[str]:
    """Yield the beginnings of a text that end between two tokens: the whole first, or without it the shortest."""
    ends = [found.end() for found in _TOKEN.finditer(text)]
    yield from (text[:end] for end in reversed(ends)) if whole else (text[:end] for end in reversed([0, *ends[:-1]]))


def _shared_start(left: str, right: str) -> str:
    """Return the tokens that two texts begin with."""
    tokens = _TOKEN.findall(left)
    return "".join(tokens[: _same(tokens, _TOKEN.findall(right))])


def _shared_end(left: str, right: str) -> str:
    """Return the tokens that two texts end with."""
    tokens = _TOKEN.findall(left)
    size = _same(tokens[::-1], _TOKEN.findall(right)[::-1])
    return "".join(tokens[len(tokens) - size :])


def _same(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many items two sequences have in common at their start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))
