"""The tool's name as text, then pairs of a key's tag and a value's tag.

    call = open NAME [ separator ] *( space KEY-TAG space [ TYPE-TAG space ] VALUE-TAG ) space close

What ends the name differs from model to model (a line break, the first key, a separator tag); all of it is accepted
everywhere, also a line break written as backslash and n. Tags may carry a suffix: `<arg_key:opensource>`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from utp_cli.engine.grammars.proof import Key, past_tag, skip_breaks
from utp_cli.engine.grammars.values import GrowingArguments, read_argument, read_object, run_over, shape_body, skip_tag
from utp_cli.engine.grammars.writing import first, in_section, plain_text
from utp_cli.engine.layout import TextRun
from utp_cli.engine.reading import (
    HEADER_LIMIT,
    Context,
    Declined,
    Grammar,
    MarkerRead,
    RawCall,
    Waiting,
    hit_at,
    missing_close,
    next_hit,
    role_of,
    skip_space,
)
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.bodies import PairsBody, Tag
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source

_NAME = regex(r"\s*+([\w.:/-]{1,200})\s*+(?:\\n)?\s*+")
_NAME_END = regex(r"[<>\n\\{]|\]<")
_NAME_AND_KEY = regex(r"\s*([\w.:/-]{1,200})\s+(?=[\w.-]{1,200}\s*\Z)")
"""A name with a key behind it whose opening tag is missing; a name holds no blank."""
_UNDECIDED = regex(r"(?:\s|\\n)*\\?\Z|(?:\s|\\n)*(?:<(?!/)[\w|]*(?:type|value)|[^<]*(?:<[\w|/:]*)?\Z)")
"""What may stand behind a key before it is certain whether a value follows."""


@cache
def _pair(tag: Tag) -> re.Pattern[str]:
    """Match a key up to its closing tag, a type, and the opening of the value's tag; or up to one marker for all."""
    if tag.middle:
        return re.compile(rf"(?P<key>.*?)(?P<type>)(?P<value>{re.escape(tag.middle)})", re.DOTALL)
    key, value = (rf"(?:[\w|]*{word}|{re.escape(part)})(?::\w*)?>" for word, part in _words(tag))
    return re.compile(
        rf"(?P<key>[^<]*)(?:</{key}(?:\s|\\n)*"
        r"(?:<(?P<word2>[\w|]*type)(?::\w*)?>(?P<type>[^<]*)</(?P=word2)(?::\w*)?>(?:\s|\\n)*)?"
        rf"(?:(?P<value><{value})|(?P<unopened>(?=[^<\s][^<]*</{value})))?|(?P<unclosed><{value}))"
        rf"|(?P<key2>[\w.-]+)=(?=[^<]*</{value})"
    )


def _words(tag: Tag) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return what the names of the two tags end in, and what they are called."""
    return ("key", tag.open.lstrip("<")), ("value", tag.close.lstrip("</"))


def read(source: Source, opened: Hit, context: Context[PairsBody]) -> Waiting[MarkerRead | Declined]:
    """Read one call. Declines where no name follows the marker, or something else than a key or the end follows it."""
    begin = yield from past_tag(source, opened)
    name_end = yield from _name_end(source, begin)
    match = _NAME.fullmatch(source.slice(begin, name_end))
    while match is None and source.char(name_end) == "<" and name_end + 1 >= source.length and not source.closed:
        yield
    unopened = match is None
    if match is None and source.startswith("</", name_end):
        match = _NAME_AND_KEY.match(source.slice(begin, name_end))
        name_end = begin + match.end() if match else name_end
    if match is None:
        return Declined("no name behind the marker")
    body = GrowingArguments(tool=match[1], position=name_end)
    ahead = yield from skip_breaks(source, name_end)
    hit = yield from hit_at(source, context.local, ahead)
    if role_of(hit) == "separator" and hit:
        body.position = yield from past_tag(source, hit)
    elif not unopened and hit is None and not (source.closed and ahead >= source.length) and source.char(ahead) != "{":
        return Declined("neither an argument nor the end behind the name")
    if source.closed and ahead >= source.length and _is_mentioned(source, opened, match):
        return Declined("the marker is a word of a sentence")
    if source.closed and name_end >= source.length and _is_half(match[1], context):
        half = RawCall(name=None, arguments={}, payload=(begin, name_end), partial=[""], lack="more")
        return MarkerRead(calls=[half], end=name_end, runs=[TextRun("call", opened.end, name_end)], closed=False)
    context.live.name(match[1])
    if unopened:
        key = yield from _key_at(source, name_end, context)
        if key is None or key.empty:
            return Declined("no argument behind the name")
        body.repairs.append(missing_close(name_end, context.body.argument.open + ">"))
        yield from read_argument(source, key, body, context, _read_key)
    closed, payload_end = yield from _read_pairs(source, body, context)
    shape_body(body, context)
    call = RawCall(
        name=body.tool, arguments=body.arguments, repairs=body.repairs, partial=body.partial,
        payload=(begin, payload_end), lack=body.lack, reason=body.reason,  # type: ignore[arg-type]
    )  # fmt: skip
    pieces = (("markup", opened.end, begin), ("call", begin, payload_end), ("markup", payload_end, body.position))
    runs = [TextRun(kind, left, right) for kind, left, right in pieces if right > left]  # type: ignore[arg-type]
    return MarkerRead(calls=[call], end=body.position, runs=runs, closed=closed)


def _is_mentioned(source: Source, opened: Hit, name: re.Match[str]) -> bool:
    """Whether a sentence goes on behind the marker, in which it stands as a word, with a blank on both sides."""
    before = source.slice(max(0, opened.start - 2), opened.start)
    return name[0][:1] == " " and before[-1:] == " " and before[:1].isalnum()


def _is_half(name: str, context: Context[PairsBody]) -> bool:
    """Whether the text may have ended in the name of a tool."""
    names = context.tools or {}
    return name not in names and any(each.startswith(name) for each in names)


def _name_end(source: Source, begin: int) -> Waiting[int]:
    """Return where the name stops: before a tag, a line break or an object."""
    start = yield from skip_space(source, begin)
    while True:
        found = source.search(_NAME_END, start, HEADER_LIMIT)
        if found:
            return source.at(found)
        if source.closed or source.length - start > HEADER_LIMIT:
            return min(source.length, start + HEADER_LIMIT)
        yield


def _read_pairs(source: Source, body: GrowingArguments, context: Context[PairsBody]) -> Waiting[tuple[bool, int]]:
    """Read arguments until the call is closed; return whether it was, and where its payload ends."""
    while True:
        ahead = yield from skip_breaks(source, body.position)
        hit = yield from hit_at(source, context.local, ahead)
        if hit is None and not body.arguments and source.char(ahead) == "{":
            yield from read_object(source, ahead, body, context)
            continue
        if hit is None and ahead < source.length:
            hit = yield from next_hit(source, context.local, ahead)
            hit = hit if role_of(hit) in ("argument", "close") else None
        if role_of(hit) == "argument" and hit:
            key = yield from _read_key(source, hit, context)
            if key is None and source.closed and (yield from _ends_in_key(source, hit.end, context)):
                body.position, body.lack = source.length, "more"  # the text ends in the key
                return False, body.position
            if key is None and not (yield from skip_tag(source, hit, body)):
                return False, body.position
            if key is None or key.empty:  # a tag without a key, or a key without a value, is dropped; text is not
                body.position = body.position if key is None else key.end
                behind = yield from skip_breaks(source, body.position)
                if behind < source.length and source.char(behind) != "<":
                    body.reason = "text where a key, or the tag of a value, is due"
                continue
            yield from read_argument(source, key, body, context, _read_key)
        elif role_of(hit) == "close" and hit and hit.marker in context.dialect.call_close:
            body.position = yield from past_tag(source, hit)
            source.rewind(body.position)
            return True, hit.start
        elif role_of(hit) == "argument-close" and hit:
            body.position = yield from past_tag(source, hit)
        else:
            if role_of(hit) == "open" and not body.arguments and not body.reason:
                body.reason = run_over(body, context)
            source.rewind(body.position)
            return False, body.position


def _ends_in_key(source: Source, position: int, context: Context[PairsBody]) -> Waiting[bool]:
    """Whether nothing but a separator, which may be any sign, stands between an opening tag and the end of the text."""
    hit = yield from next_hit(source, context.local, position)
    if role_of(hit) == "separator" and hit:
        hit = yield from next_hit(source, context.local, hit.end)
    return hit is None


def _read_key(source: Source, hit: Hit, context: Context[PairsBody]) -> Waiting[Key | None]:
    """Read a key's tag, a type's tag if there is one, and the opening of the value's tag."""
    begin = yield from past_tag(source, hit)
    return (yield from _key_at(source, begin, context))


def _key_at(source: Source, begin: int, context: Context[PairsBody]) -> Waiting[Key | None]:
    """Read what follows the opening of a key's tag. A tag before the value may be missing where the rest is sound."""
    tag = context.body.argument
    pattern = _pair(tag)
    while True:
        index = begin - source.base
        pair = pattern.match(source.window, index, index + HEADER_LIMIT)
        enough = source.closed or source.length - begin >= HEADER_LIMIT
        if pair and (_has_value(pair) or enough or not _is_undecided(source, source.base + pair.end())):
            return _key_of(pair, source.base + pair.end(), tag)
        if enough:
            return None
        yield


def _has_value(pair: re.Match[str]) -> bool:
    return any(pair.groupdict().get(part) is not None for part in ("value", "unopened", "unclosed", "key2"))


def _key_of(pair: re.Match[str], end: int, tag: Tag) -> Key:
    """Make the key that a match found, with the tag that was missing."""
    parts = pair.groupdict()
    key, value = (f"<{word}>" for _, word in _words(tag))
    missing = value if parts.get("unopened") is not None or parts.get("key2") else ""
    missing = key.replace("<", "</") if parts.get("unclosed") else missing
    name = (parts.get("key2") or parts["key"]).strip()
    return Key(name=name, type=parts["type"] or "", end=end, empty=not _has_value(pair), missing=missing)


def _is_undecided(source: Source, position: int) -> bool:
    """Whether more text has to come before it shows what follows a key."""
    return _UNDECIDED.match(source.slice(position, min(position + HEADER_LIMIT, source.length))) is not None


def write(dialect: Dialect, body: PairsBody, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write calls in the dialect's first spelling: strings as they are, all else as JSON."""
    lines = []
    for call in calls:
        parts = [first(dialect.call_open) + call["name"] + first(body.separators)]
        for key, value in call["arguments"].items():
            parts += _written(body.argument, key, plain_text(value))
        lines.append("\n".join([*parts, first(dialect.call_close)]))
    return in_section(dialect, lines)


def _written(tag: Tag, key: str, text: str) -> list[str]:
    """Write an argument: two elements (`open` is the key's opening tag, `close` the value's closing one), or one."""
    if tag.middle:
        return [f"{tag.open}{key}{tag.middle}{text}{tag.close}"]
    return [f"<{word}>{part}</{word}>" for (_, word), part in zip(_words(tag), (key, text), strict=True)]


GRAMMAR = Grammar(read=read, write=write, cannot=("own-tags", "odd-keys"))
