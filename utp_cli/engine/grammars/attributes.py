"""A name and the arguments as attributes: `NAME a=1 b="two"`.

    call      = open NAME *( space KEY "=" value ) space close
    value     = string | object | list | word              string = JSON's, or one in single quotes

Nothing but the whole form is a call: what stands between the markers may be prose. Only where the text ends in a value
was it cut off.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from utp_cli.engine.grammars.json_value import read_value
from utp_cli.engine.grammars.literals import WORD
from utp_cli.engine.grammars.writing import first, json_text
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
    repeated,
    role_of,
    skip_space,
)
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import pointer
from utp_cli.repair.typed import typed_text

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.bodies import AttributesBody
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source

_NAME_END = regex(r"[^\w.:/-]")
_KEY_END = regex(r"[^\w.-]")
_WORD_END = regex(r"""[\s"'<>\[\]{}]""")
_STRING_END = {quote: regex(rf"[\\{quote}]") for quote in "\"'"}
_QUOTES = tuple(_STRING_END)
_FAULT = "no attributes behind the name"


def read(source: Source, opened: Hit, context: Context[AttributesBody]) -> Waiting[MarkerRead | Declined]:
    """Read one call. Declines where anything but attributes stands in front of the closing marker."""
    begin = yield from skip_space(source, opened.end)
    quote = source.char(begin) if source.char(begin) in _QUOTES else ""
    end = yield from _stop(source, _NAME_END, begin + len(quote))
    name = source.slice(begin + len(quote), end)
    if not WORD.match(name) or (quote and source.char(end) != quote):
        return Declined("no name behind the marker")
    known = context.tools is not None and name in context.tools
    if not known and context.tools:
        return Declined("no known tool behind the marker")
    call = RawCall(name=name, arguments={}, payload=(begin, end))
    end, closed = yield from _attributes(source, end + len(quote), call, context)
    call.payload = (begin, end)
    hit = yield from hit_at(source, context.local, end)
    if not closed or not (call.arguments or known or quote):
        if end - begin <= HEADER_LIMIT and not (closed is None and call.arguments):
            return Declined(_FAULT, end)
        call.reason = "" if closed is None else _FAULT
    if not call.arguments:
        context.live.name(name)
    runs = [TextRun("call", opened.end, end)]
    if role_of(hit) != "close" or hit is None:
        source.rewind(end)
        return MarkerRead(calls=[call], end=end, runs=runs, closed=False)
    source.rewind(hit.end)
    return MarkerRead(calls=[call], end=hit.end, runs=[*runs, TextRun("markup", end, hit.end)], closed=True)


def _attributes(
    source: Source, position: int, call: RawCall, context: Context[AttributesBody]
) -> Waiting[tuple[int, bool | None]]:
    """Read attributes up to what is none; return where that stands, and whether it is the closing marker.

    None where the text ends in them.
    """
    tool = (context.tools or {}).get(call.name or "")
    while True:
        start = yield from skip_space(source, position)
        hit = yield from hit_at(source, context.local, start)
        if role_of(hit) == "close":
            return start, True
        if start >= source.length:
            call.lack = "more"
            return start, None
        stop = yield from _stop(source, _KEY_END, start)
        key = source.slice(start, stop)
        sign = yield from skip_space(source, stop)
        if start == position or not key or source.char(sign) != "=":
            return start, False
        if not call.arguments:
            context.live.name(call.name or "")
        begin = yield from skip_space(source, sign + 1)
        schema = tool.properties.get(key) if tool else None
        value, end, cut = yield from _value(source, begin, schema, tool and tool.parameters, call, context)
        if end == begin:
            return begin, False
        if key in call.arguments:
            call.repairs.append(repeated(key, call.arguments[key], value))
        call.arguments[key] = value
        context.live.arguments(position if len(call.arguments) > 1 else start, end)
        position = end
        if cut is not None:
            call.lack = "more"
            call.partial += [pointer(key) + place for place in cut]
            return position, None


def _value(
    source: Source, begin: int, schema: Any, root: Any, call: RawCall, context: Context[AttributesBody]
) -> Waiting[tuple[Any, int, list[str] | None]]:
    """Read a value; return it, the place behind it, and which parts of it were cut off: None where it is whole.

    That place is `begin` for none.
    """
    sign = source.char(begin)
    if sign and sign in "\"'":
        return (yield from _string(source, begin))
    if sign and sign in "{[":
        until = tuple(marker for marker in context.until if marker != "]")
        reader = yield from read_value(source, begin, until)
        surplus = [r.span[0] for r in reader.repairs if r.code == "extra-close" and r.span]  # the call's own bracket
        call.repairs += [repair for repair in reader.repairs if repair.code != "extra-close"]
        end = begin if reader.declined else min([reader.end, *surplus])
        source.rewind(end)
        return reader.value, end, None if reader.complete else list(reader.partial) or [""]
    end = yield from _stop(source, _WORD_END, begin)
    value, repairs = typed_text(source.slice(begin, end), schema, root)
    call.repairs += [repair.moved(begin) for repair in repairs]
    return value, end, None if end < source.length else [""]


def _string(source: Source, start: int) -> Waiting[tuple[str, int, list[str] | None]]:
    """Read a string up to the first quote that no backslash stands before."""
    quote, at = source.char(start), start + 1
    while True:
        found = source.search(_STRING_END[quote], at)
        if found is None:
            if source.closed:
                return source.slice(start + 1, source.length), source.length, [""]
            at = max(at, source.length)
            source.sleep(quote)
            yield
        elif found[0] == quote:
            end = source.at(found)
            return _unescaped(source.slice(start + 1, end), quote), end + 1, None
        else:
            at = source.at(found) + 2


def _unescaped(text: str, quote: str) -> str:
    """Undo the escapes of a string; one that is not JSON's is taken as it stands."""
    if quote == "'":
        return text.replace("\\'", "'")
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text.replace('\\"', '"')


def _stop(source: Source, stop: re.Pattern[str], position: int) -> Waiting[int]:
    """Return where the first of some signs stands, at most `HEADER_LIMIT` characters on."""
    while True:
        found = source.search(stop, position, HEADER_LIMIT)
        if found:
            return source.at(found)
        if source.closed or source.length - position > HEADER_LIMIT:
            return min(source.length, position + HEADER_LIMIT)
        yield


def write(dialect: Dialect, body: AttributesBody, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write a call a line; all values as JSON."""
    opening, closing = first(dialect.call_open), first(dialect.call_close)
    lines = []
    for call in calls:
        name = f'"{call["name"]}"' if body.plain_words else call["name"]
        attributes = [f"{key}={json_text(value)}" for key, value in call["arguments"].items()]
        lines.append(opening + " ".join([name, *attributes]) + closing)
    return "\n".join(lines)


GRAMMAR = Grammar(read=read, write=write, cannot=("odd-keys",))
