"""One tag that names the tool, one tag an argument, free text as value.

    call     = header *( space argument ) space close
    header   = "<function=" NAME ">"            or  '<invoke name="' NAME '">'
    argument = "<parameter=" KEY ">" VALUE "</parameter>"

A value may hold any text, its own closing tag included. A closing tag ends the value if what follows is due there
(another argument, the end of the call, the end of the text); else it is text. A value that is never closed ends where
the next argument of the tool, or the end of the call, begins.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.engine.layout import Run
from utp_cli.engine.reading import (
    HEADER_LIMIT,
    Context,
    Declined,
    Grammar,
    RawCall,
    Read,
    Waiting,
    hit_at,
    missing_close,
    next_hit,
    role_of,
    skip_space,
)
from utp_cli.repair.around import repair_json
from utp_cli.repair.reader import JsonReader
from utp_cli.repair.typed import typed_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.spec import Dialect, Tag
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source
    from utp_cli.protocol.calls import Repair

_ATTRIBUTE = re.compile(r"""([^\s=<>"']+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""")
_SLOT = re.compile(r"""\s*=\s*["']?(.*?)["']?\s*\Z""", re.DOTALL)


@dataclass(slots=True, kw_only=True)
class _Header:
    """An opening tag that was read."""

    value: str
    type: str
    end: int
    empty: bool
    """`<invoke name="x"/>`: there is no body."""


@dataclass(slots=True, kw_only=True)
class _Value:
    """The text of one argument: `[start, end)`, reading goes on at `next`."""

    start: int
    end: int
    next: int
    closed: bool
    cut: bool = False
    """The text ended inside it."""


@dataclass(slots=True)
class _Body:
    """What has been read of a call's arguments."""

    arguments: dict[str, Any]
    repairs: list[Repair]
    partial: list[str]
    position: int
    lack: str = "nothing"


def read(source: Source, opened: Hit, context: Context) -> Waiting[Read | Declined]:
    """Read one call from its opening tag on. Declines where that is no tag with a name."""
    tag = context.dialect.call
    if tag is None:
        return Declined("the dialect declares no call tag")
    header = yield from read_header(source, opened.start, tag)
    if header is None or not header.value:
        return Declined("no name in the opening tag")
    context.live.name(header.value)
    body = _Body({}, [], [], header.end)
    closed = header.empty
    if not header.empty:
        closed = yield from _read_body(source, header, body, context)
    end = body.position
    payload_end = end - len(tag.close) if closed and not header.empty else end
    call = RawCall(
        name=header.value, arguments=body.arguments, repairs=body.repairs, partial=body.partial,
        payload=(header.end, payload_end), lack=body.lack,  # type: ignore[arg-type]
    )  # fmt: skip
    runs = [Run("markup", opened.end, header.end)] if header.end > opened.end else []
    runs += [Run("call", header.end, payload_end)] if payload_end > header.end else []
    runs += [Run("markup", payload_end, end)] if end > payload_end else []
    return Read(calls=[call], end=end, runs=runs, closed=closed)


def read_header(source: Source, start: int, tag: Tag) -> Waiting[_Header | None]:
    """Read an opening tag. None where it does not end within `HEADER_LIMIT` characters."""
    begin = start + len(tag.open)
    while True:
        index = begin - source.base
        end = source.window.find(tag.end, index, index + HEADER_LIMIT)
        if end >= 0 or source.closed or source.length - begin >= HEADER_LIMIT:
            break
        yield
    if end < 0:
        return None
    inside = source.window[index:end]
    empty = inside.endswith("/")
    inside = inside.removesuffix("/")
    stop = end + source.base + len(tag.end)
    if tag.slot == "=":
        slot = _SLOT.match(inside)
        return _Header(value=slot[1].strip(), type="", end=stop, empty=empty) if slot else None
    attributes = {key: a or b or c for key, a, b, c in _ATTRIBUTE.findall(inside)}
    if tag.slot not in attributes:
        return None
    return _Header(value=attributes[tag.slot], type=attributes.get(tag.type, ""), end=stop, empty=empty)


def _read_body(source: Source, header: _Header, body: _Body, context: Context) -> Waiting[bool]:
    """Read arguments until the call is closed; return whether it was."""
    tag = context.dialect.argument
    first = True
    while True:
        ahead = yield from skip_space(source, body.position)
        hit = yield from hit_at(source, context.local, ahead)
        if hit is None and first and source.char(ahead) == "{":
            yield from _read_object(source, ahead, body, context)
            first = False
            continue
        first = False
        if hit is None and ahead < source.length:
            hit = yield from next_hit(source, context.local, ahead)
            if role_of(hit) not in ("argument", "close") or hit is None or hit.marker not in _own(context):
                source.rewind(body.position)
                return False
        if hit is None:
            body.lack = "more" if body.lack == "more" else "nothing"
            source.rewind(body.position)
            return False
        if hit.meanings[0].role == "argument" and tag:  # type: ignore[comparison-overlap]
            argument = yield from read_header(source, hit.start, tag)
            if argument is None:
                body.position, body.lack = source.length, "more"
                return False
            yield from _read_argument(source, header.value, argument, body, context)
            continue
        if hit.marker == _own(context)[0]:
            body.position = hit.end
            source.rewind(hit.end)
            return True
        if role_of(hit) == "argument-close":  # closed twice
            body.position = hit.end
            continue
        source.rewind(body.position)
        return False


def _own(context: Context) -> tuple[str, str]:
    """The markers that a call's own structure consists of: its closing tag, and the opening tag of an argument."""
    call, argument = context.dialect.call, context.dialect.argument
    return (call.close if call else "", argument.open if argument else "")


def _read_object(source: Source, start: int, body: _Body, context: Context) -> Waiting[None]:
    """Read a JSON object that stands in place of the argument tags."""
    reader = JsonReader(until=context.until, start=start)
    cursor = start
    while not (reader.feed(source.take(cursor)) or reader.declined):
        cursor = source.length
        if source.closed:
            reader.close()
            break
        yield
    source.rewind(reader.end)
    body.position = reader.end
    if isinstance(reader.value, dict):
        body.arguments.update(reader.value)
        context.live.arguments(start, reader.end)
    body.repairs += reader.repairs
    body.partial += reader.partial
    body.lack = "nothing" if reader.complete else "closers" if reader.only_closers else "more"


def _read_argument(source: Source, tool_name: str, header: _Header, body: _Body, context: Context) -> Waiting[None]:
    known = _properties(tool_name, context)
    if header.empty:
        value = _Value(start=header.end, end=header.end, next=header.end, closed=True)
    else:
        value = yield from _read_value(source, header.end, known, body.arguments, context)
    text = _trimmed(source.slice(value.start, value.end), context.dialect.trim)
    schema = known.get(header.value) if known is not None else None
    root = context.tools[tool_name].parameters if known is not None and context.tools else None
    if header.type:
        typed, repairs = _typed_by_attribute(text, header.type, schema, root)
    else:
        typed, repairs = typed_text(text, schema, root, decode=_decode)
    body.arguments[header.value] = typed
    body.repairs += [repair.moved(value.start) for repair in repairs]
    pointer = "/" + header.value.replace("~", "~0").replace("/", "~1")
    if value.cut:
        body.partial.append(pointer)
        body.lack = "more"
    elif not value.closed:
        tag = context.dialect.argument
        body.repairs.append(missing_close(value.end, tag.close if tag else ""))
    body.position = value.next
    context.live.arguments(value.start, value.next)


def _read_value(
    source: Source, start: int, known: Mapping[str, Any] | None, given: Mapping[str, Any], context: Context
) -> Waiting[_Value]:
    """Find the end of a value. `weak` is where it ends should no proper end come."""
    weak: _Value | None = None
    position = start
    while True:
        hit = yield from next_hit(source, context.local, position)
        role = role_of(hit)
        if hit is None:
            source.rewind(start)
            return weak or _Value(start=start, end=source.length, next=source.length, closed=False, cut=True)
        position = hit.end
        if role == "argument-close":
            if (yield from _due_behind(source, hit.end, context)):
                return _Value(start=start, end=hit.start, next=hit.end, closed=True)
            weak = weak or _Value(start=start, end=hit.start, next=hit.end, closed=True)
        elif role == "argument":
            if (yield from _is_next_argument(source, hit, known, given, context)):
                return _Value(start=start, end=hit.start, next=hit.start, closed=False)
        elif weak is not None and role == "open":
            source.rewind(weak.next)
            return weak
        else:
            weak = weak or _Value(start=start, end=hit.start, next=hit.start, closed=False)


def _due_behind(source: Source, position: int, context: Context) -> Waiting[bool]:
    """Whether what follows a closing tag is due there."""
    ahead = yield from skip_space(source, position)
    if ahead >= source.length:
        return True
    hit = yield from hit_at(source, context.local, ahead)
    return role_of(hit) in ("argument", "close", "open")


def _is_next_argument(
    source: Source, hit: Hit, known: Mapping[str, Any] | None, given: Mapping[str, Any], context: Context
) -> Waiting[bool]:
    """Whether an opening tag inside a value is the next argument, so that the value was never closed."""
    tag = context.dialect.argument
    header = (yield from read_header(source, hit.start, tag)) if tag else None
    if header is None or header.value in given:
        return False
    if known:
        return header.value in known
    before = source.slice(max(0, hit.start - 1), hit.start)
    return before in ("", "\n")


def _properties(tool_name: str, context: Context) -> Mapping[str, Any] | None:
    """The properties of the tool's schema, None where the tool is not known."""
    tool = (context.tools or {}).get(tool_name)
    return tool.properties if tool else None


def _trimmed(text: str, trim: str) -> str:
    if trim == "space":
        return text.strip()
    if trim == "line":
        return text.removeprefix("\n").removesuffix("\n")
    return text


def _typed_by_attribute(text: str, kind: str, schema: Any, root: Any) -> tuple[Any, list[Repair]]:
    """`string="true"` (or `type="string"`) means text as it stands; anything else means JSON."""
    if kind in ("true", "string"):
        return text, []
    return typed_text(text, schema if kind == "false" else None, root, decode=_decode)


def _decode(text: str) -> tuple[Any, list[Repair]] | None:
    """Read broken JSON in a value where the schema asks for an object or an array."""
    reading = repair_json(text)
    return (reading.value, list(reading.repairs)) if isinstance(reading.value, dict | list) else None


def write(dialect: Dialect, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write calls in the dialect's first spelling: strings as they are, all else as JSON."""
    tag, argument = dialect.call, dialect.argument
    if tag is None or argument is None:
        return ""
    opening, closing = (dialect.section_open or ("",))[0], (dialect.section_close or ("",))[0]
    lines = [opening] if opening else []
    for call in calls:
        lines.append(_opening(tag, call["name"]))
        for key, value in call["arguments"].items():
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            text = f"\n{text}\n" if dialect.trim == "line" else text
            lines.append(f"{_opening(argument, key, string=isinstance(value, str))}{text}{argument.close}")
        lines.append(tag.close)
    return "\n".join([*lines, closing] if closing else lines)


def _opening(tag: Tag, value: str, *, string: bool = True) -> str:
    if tag.slot == "=":
        return f"{tag.open}={value}{tag.end}"
    typed = f' {tag.type}="{"true" if string else "false"}"' if tag.type else ""
    return f'{tag.open} {tag.slot}="{value}"{typed}{tag.end}'


GRAMMAR = Grammar(read=read, write=write)
