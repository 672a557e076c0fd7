"""An element named as the tool, with one for each argument: `<read_file><path>a.py</path></read_file>`.

    call  = "<" TOOL ">" *( space "<" KEY ">" value "</" KEY ">" ) space "</" TOOL ">"

A value is text as it stands, without one line break at either end: no entity is decoded, and markup in it is text.
Only where the schema asks for an object or a list is it elements, or JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.engine.grammars.element_values import element_value
from utp_cli.engine.grammars.elements import read_child, tag_at
from utp_cli.engine.grammars.writing import json_text
from utp_cli.engine.layout import TextRun
from utp_cli.engine.reading import (
    Context,
    Declined,
    Grammar,
    MarkerRead,
    RawCall,
    Waiting,
    hit_at,
    missing_close,
    repeated,
    skip_space,
)
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import pointer
from utp_cli.repair.extract import json_or_nothing
from utp_cli.repair.typed import typed_text
from utp_cli.schemas.types import asked_types

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.bodies import NamedElementsBody
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.grammars.elements import Child
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source
    from utp_cli.protocol.tools import Tool


_EDGE = regex(r"\r?\n")


def read(source: Source, opened: Hit, context: Context[NamedElementsBody]) -> Waiting[MarkerRead | Declined]:
    """Read one call. Declines where neither an argument nor the end follows: names of HTML are names of tools, too."""
    name = opened.marker.strip("<>")
    call = RawCall(name=name, arguments={}, payload=(opened.end, opened.end))
    tool = (context.tools or {}).get(name)
    position, end = opened.end, -1
    while end < 0:
        ahead = yield from skip_space(source, position)
        hit = yield from hit_at(source, context.local, ahead)
        if hit and hit.marker == f"</{name}>":
            position, end = hit.start, hit.end
            break
        begun = (yield from tag_at(source, ahead)) if source.char(ahead) == "<" else None
        may_be_html = not call.arguments and "_" not in name
        if (
            begun is None
            or begun[1]
            or not _is_argument(begun[2], tool, may_be_html=may_be_html, marked=hit is not None)
        ):
            break
        if position == opened.end:
            context.live.name(name)
        child = yield from read_child(source, ahead, context)
        assert child is not None  # noqa: S101 - its tag was read
        _take(source, child, call, tool)
        context.live.arguments(position, child.next)
        position = child.next
    if end < 0 and not call.arguments:
        return Declined("no element behind the tag of the tool", position)
    if end < 0:
        source.rewind(position)
    call.payload = (opened.end, position)
    runs = [TextRun("call", *call.payload)] if position > opened.end else []
    if end < 0:
        return MarkerRead(calls=[call], end=position, runs=runs, closed=False)
    return MarkerRead(calls=[call], end=end, runs=[*runs, TextRun("markup", position, end)], closed=True)


def _is_argument(name: str, tool: Tool | None, *, may_be_html: bool, marked: bool) -> bool:
    """Whether an element holds an argument: one that is named as a tool must be one of this tool's, and so must the
    first of a tool whose name an element of HTML may have.
    """
    known = tool.properties if tool else {}
    return name in known or not (marked or (may_be_html and known))


def _take(source: Source, child: Child, call: RawCall, tool: Tool | None) -> None:
    """Put in the argument that an element holds."""
    text, start = source.slice(child.start, child.end), child.start
    closing = f"</{child.name}>"
    closed = child.closed or text.rstrip().endswith(closing)  # an opening tag was spoken of inside
    text = text if child.closed or not closed else text.rstrip().removesuffix(closing)
    if edge := _EDGE.match(text):
        text, start = text[edge.end() :], start + edge.end()
    if closed or child.end < source.length:
        text = text.removesuffix("\n").removesuffix("\r")
    else:
        call.lack = "more"
        call.partial.append(pointer(child.name))
    if not closed:
        call.repairs.append(missing_close(child.end, closing))
    schema = tool.properties.get(child.name) if tool else None
    value, repairs = _value(text, schema, tool.parameters if tool else None)
    if child.name in call.arguments:
        call.repairs.append(repeated(child.name, call.arguments[child.name], value))
    call.arguments[child.name] = value
    call.repairs += [repair.moved(start) for repair in repairs]


def _value(text: str, schema: Any, root: Any) -> tuple[Any, list[Any]]:
    nested = {"object", "array"} & {*asked_types(schema, root)[0]}
    if nested and text.lstrip().startswith("<"):
        return element_value(text, schema, root)[:2]
    return typed_text(text, schema, root, decode=json_or_nothing)


def write(_dialect: Dialect, _body: NamedElementsBody, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write calls as elements; a text of several lines stands on lines of its own."""
    written = []
    for call in calls:
        lines = [f"<{call['name']}>"]
        for key, value in call["arguments"].items():
            text = value if isinstance(value, str) else json_text(value)
            edge = "\n" * ("\n" in text)
            lines.append(f"<{key}>{edge}{text}{edge}</{key}>")
        written.append("\n".join([*lines, f"</{call['name']}>"]))
    return "\n".join(written)


GRAMMAR = Grammar(read=read, write=write)
