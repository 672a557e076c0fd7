"""XML elements: one child for the name, one for the arguments.

    call      = open *( space child ) [ space object ] space close
    child     = "<" NAME ">" content "</" NAME ">"
    object    = a JSON object behind the name alone, as small models mix it with hermes
    arguments = a JSON object, or one element an argument; text may stand in CDATA

A child ends at its own closing tag; tags of the same name inside it are counted, CDATA is opaque. The five entities
of XML are decoded outside CDATA, no others.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from utp_cli.engine.grammars.element_values import CDATA_CLOSE, CDATA_OPEN, element_value, placed, plain_text
from utp_cli.engine.grammars.json_value import read_value
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
    missing_close,
    role_of,
    skip_space,
)
from utp_cli.protocol.calls import Repair
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import MutableRecord
from utp_cli.protocol.spans import pointer
from utp_cli.repair.arguments import shape_arguments
from utp_cli.repair.extract import repair_json

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.bodies import ElementsBody
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source
    from utp_cli.protocol.tools import Tool

_CDATA_AGAIN = "]]]]><![CDATA[>"
"""The end of CDATA in CDATA: half of it in one section, half in the next."""
_TAG = regex(r"<(/?)([A-Za-z_][\w.:-]*)((?:\s(?!\s*=)[^<>]*|/)?)>")
_LEFT = regex("<")


class Child(MutableRecord):
    """A child element: its content is `[start, end)`."""

    name: str
    """Empty: an object that stands there in no element."""
    start: int
    end: int
    next: int
    closed: bool


def read(source: Source, opened: Hit, context: Context[ElementsBody]) -> Waiting[MarkerRead | Declined]:
    """Read the children of one call. Declines where the first thing behind the marker is no element it knows."""
    children: list[Child] = []
    position, closed = opened.end, False
    while True:
        ahead = yield from skip_space(source, position)
        hit = yield from hit_at(source, context.local, ahead)
        if role_of(hit) == "close" and hit and hit.marker in context.dialect.call_close:
            position, closed = hit.end, True
            break
        begins = "" if hit else source.char(ahead)
        child = (yield from read_child(source, ahead, context)) if begins == "<" else None
        if begins == "{" and len(children) == 1 and children[0].name in context.body.name_keys:
            child = yield from _bare_object(source, ahead, context)
        if child is None or (not children and child.name not in _known(context.body)):
            break
        children.append(child)
        position = child.next
    if not children:
        return Declined("no element behind the marker")
    source.rewind(position)
    end = position
    payload = (opened.end, hit.start if closed and hit else end)
    call = _call(source, children, payload, context)
    runs = [TextRun("call", *payload)] if payload[1] > payload[0] else []
    return MarkerRead(
        calls=[call], end=end, runs=[*runs, TextRun("markup", payload[1], end)] if closed else runs, closed=closed
    )


def _bare_object(source: Source, start: int, context: Context[ElementsBody]) -> Waiting[Child | None]:
    """Read the object that stands behind the name, in no element; None where none does."""
    reader = yield from read_value(source, start, context.dialect.call_close)
    if reader.declined:
        return None
    return Child(name="", start=start, end=reader.end, next=reader.end, closed=reader.complete)


def _known(body: ElementsBody) -> tuple[str, ...]:
    return body.name_keys + body.argument_keys + body.server_keys


def tag_at(source: Source, position: int) -> Waiting[re.Match[str] | None]:
    """Return the tag at `position`, None where there is none."""
    while True:
        index = position - source.base
        end = source.window.find(">", index, index + HEADER_LIMIT)
        if end >= 0 or source.closed or source.length - position >= HEADER_LIMIT:
            return _TAG.match(source.window, index) if end >= 0 else None
        yield


def read_child(source: Source, start: int, context: Context[Any]) -> Waiting[Child | None]:
    """Read the element that begins at `start`; None where none does. `<x/>` is empty."""
    opening = yield from tag_at(source, start)
    if opening is None or opening[1]:
        return None
    name, begin = opening[2], source.base + opening.end()
    if opening[3].endswith("/"):
        return Child(name=name, start=begin, end=begin, next=begin, closed=True)
    position, depth = begin, 0
    weak: int | None = None
    while True:
        found = yield from _next_left(source, position)
        if found is None:
            end = source.length if weak is None else weak
            source.rewind(end)
            return Child(name=name, start=begin, end=end, next=end, closed=False)
        if source.startswith(CDATA_OPEN, found):
            position = yield from behind_cdata(source, found)
            continue
        tag = yield from tag_at(source, found)
        position = found + 1
        if tag and tag[2] == name:
            position = source.base + tag.end()
            if tag[1] and not depth:
                return Child(name=name, start=begin, end=found, next=position, closed=True)
            depth += -1 if tag[1] else 0 if tag[3].endswith("/") else 1
            continue
        hit = yield from hit_at(source, context.local, found)
        if role_of(hit) == "open" and weak is not None:
            source.rewind(weak)
            return Child(name=name, start=begin, end=weak, next=weak, closed=False)
        if role_of(hit) in ("close", "open") and weak is None:
            weak = found


def _next_left(source: Source, position: int) -> Waiting[int | None]:
    """Return where the next `<` stands that is followed by enough text to tell what it opens."""
    while True:
        found = source.search(_LEFT, position)
        position = source.length if found is None else source.at(found)
        if source.closed:
            return None if found is None else position
        if found and source.length - position >= len(CDATA_OPEN):
            return position
        source.release(position)
        if found is None:
            source.sleep("<")
        yield


def behind_cdata(source: Source, start: int) -> Waiting[int]:
    """Return the position behind a CDATA section; the end of the text where it is never closed."""
    position = start + len(CDATA_OPEN)
    while True:
        found = source.find(CDATA_CLOSE, position)
        if found >= 0:
            return found + len(CDATA_CLOSE)
        if source.closed:
            return source.length
        position = max(position, source.length - len(CDATA_CLOSE) + 1)
        source.release(position)
        if CDATA_CLOSE[0] not in source.window[position - source.base :]:
            source.sleep(CDATA_CLOSE[0])
        yield


def _call(source: Source, children: list[Child], payload: tuple[int, int], context: Context[ElementsBody]) -> RawCall:
    """Make the call of its children."""
    body = context.body
    call = RawCall(name=None, arguments={}, server=body.default_server, payload=payload)
    rest: dict[str, Child] = {}
    for child in children:
        text = source.slice(child.start, child.end)
        cut = not child.closed and source.closed and child.end >= source.length
        if child.name in body.name_keys and call.name is None:
            name = plain_text(text).strip()
            call.name = name if child.closed and "<" not in name else None  # other markup names nothing
            if call.name:
                context.live.name(call.name)
        elif child.name in body.server_keys:
            call.server = plain_text(text).strip() or body.default_server
        else:
            rest[child.name] = child
        if not child.closed:
            call.lack = "more" if cut else call.lack
            call.repairs += [missing_close(child.end, f"</{child.name}>")] if child.name else []
    tool = (context.tools or {}).get(call.name or "")
    holder = next((child for name, child in rest.items() if name in ("", *body.argument_keys)), None)
    if holder:
        _arguments(source, holder, call, tool)
        if not holder.name:
            call.arguments = _unwrapped(call, body, tool) if holder.closed else call.arguments
            call.repairs.append(_flattened(call, "took the object behind the name as the arguments"))
        context.live.arguments(holder.start, holder.end)
    elif rest:
        _flat(source, rest, call, tool)
    if call.name is None and call.lack == "nothing":
        call.reason = "no element names the tool"
    return call


def _arguments(source: Source, holder: Child, call: RawCall, tool: Tool | None) -> None:
    """Read the arguments' element: JSON, or elements, or text."""
    text = source.slice(holder.start, holder.end)
    in_section = text.lstrip().startswith(CDATA_OPEN)
    written = plain_text(text) if in_section else text
    if not written.strip():
        return
    if written.lstrip().startswith(("{", "&quot;", "&#")):
        reading = repair_json(written)
        if isinstance(reading.value, dict):
            call.arguments = reading.value
            found = placed(reading.repairs, text, 0) if in_section else reading.repairs
            call.repairs += [repair.moved(holder.start) for repair in found]
            call.partial += reading.partial
            return
    schema = tool.parameters if tool else None
    value, repairs, path = element_value(text, schema, schema, cut=call.lack == "more")
    shaped, more, _ = shape_arguments(value, tool, text_due=False)
    call.arguments = shaped if shaped is not None else {"input": value}
    call.partial += [pointer(*(path or ["input"]))] if path is not None else []
    call.repairs += [*(repair.moved(holder.start) for repair in repairs), *more]


def _flat(source: Source, rest: Mapping[str, Child], call: RawCall, tool: Tool | None) -> None:
    """The arguments stand beside the name, each in an element of its own."""
    for name, child in rest.items():
        schema = tool.properties.get(name) if tool else None
        text = source.slice(child.start, child.end)
        cut = call.lack == "more" and not child.closed
        call.arguments[name], repairs, path = element_value(text, schema, tool.parameters if tool else None, cut=cut)
        call.repairs += [repair.moved(child.start) for repair in repairs]
        call.partial += [pointer(name, *path)] if path is not None else []
    call.repairs.append(_flattened(call, "took the elements beside the name as the arguments"))


def _unwrapped(call: RawCall, body: ElementsBody, tool: Tool | None) -> dict[str, Any]:
    """Return the arguments of an object that is the same call once more; itself where it is another, or none."""
    own = tool.parameters.get("properties") or {} if tool else {}
    for key in body.argument_keys:
        inner = call.arguments.get(key)
        names = {call.arguments.get(name, call.name) for name in body.name_keys if name not in own}
        alone = call.arguments.keys() <= {key, *body.name_keys}
        if isinstance(inner, dict) and key not in own and alone and names == {call.name}:
            return inner
    return call.arguments


def _flattened(call: RawCall, message: str) -> Repair:
    return Repair(
        code="flat-arguments",
        layer="shape",
        confidence="likely",
        pointer="/arguments",
        before=None,
        after=call.arguments,
        message=message,
    )


def write(dialect: Dialect, body: ElementsBody, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write calls as elements, the arguments as JSON, in CDATA where they hold markup.

    A dialect that routes to servers has an element for each argument, texts in CDATA, wherever that reads back.
    """
    lines = []
    for call in calls:
        arguments = json_text(call["arguments"])
        children = _children(call["arguments"]) if body.server_keys else ""
        if children:
            arguments = children
        elif any(mark in arguments for mark in "<&"):
            arguments = CDATA_OPEN + arguments.replace(CDATA_CLOSE, "]]\\u003e") + CDATA_CLOSE
        server = call.get("server") or body.default_server
        parts = [
            (body.server_keys, html.escape(server or "", quote=False)),
            (body.name_keys, html.escape(call["name"], quote=False)),
            (body.argument_keys, arguments),
        ]
        inner = [f"<{keys[0]}>{text}</{keys[0]}>" for keys, text in parts if keys]
        lines.append("\n".join([first(dialect.call_open), *inner, first(dialect.call_close)]))
    return "\n".join(lines)


def _children(arguments: Mapping[str, Any]) -> str:
    """Write an element for each argument; `""` where that would not read as the same arguments."""
    parts = []
    for name, value in arguments.items():
        text = value if isinstance(value, str) else json_text(value)
        if isinstance(value, str) or any(mark in text for mark in "<&"):
            text = CDATA_OPEN + text.replace(CDATA_CLOSE, _CDATA_AGAIN) + CDATA_CLOSE
        parts.append(f"<{name}>{text}</{name}>")
    written = "".join(parts)
    value, repairs, _ = element_value(written, None, None)
    shaped, more, _ = shape_arguments(value, None, text_due=False)
    same = shaped is not None and json_text(shaped) == json_text(arguments)
    return written if same and not (repairs or more) else ""


GRAMMAR = Grammar(read=read, write=write)
