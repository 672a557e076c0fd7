"""One tag that names the tool, one tag an argument, free text as value.

    call     = header *( space argument ) space close
    header   = "<function=" NAME ">"            or  '<invoke name="' NAME '">'
    argument = "<parameter=" KEY ">" VALUE "</parameter>"

A JSON object may stand in place of the arguments. Where a value ends is told in `values`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from utp_cli.engine.grammars.proof import Key
from utp_cli.engine.grammars.values import (
    GrowingArguments,
    guarded,
    read_argument,
    read_object,
    run_over,
    shape_body,
    skip_tag,
)
from utp_cli.engine.grammars.writing import in_section, json_text, plain_text
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
from utp_cli.protocol.calls import Repair
from utp_cli.protocol.numbers import Number
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import MutableRecord

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.bodies import InvokeBody, Tag, TagsBody
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source

_ATTRIBUTE = regex(r"""(?<![^\s=<>"'])([^\s=<>"']++)\s*+=\s*+(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))""")
_BPE_BLANKS = "ĠĊ"
"""How byte-level BPE writes a blank and a line break; a server that does not decode them leaves them in tags."""
_NO_END = regex(r"""(\s*=\s*["']?[^\s<>"']+["']?)[ \t]*(?:<|\n\s*\S)""")
_NO_END_QUOTED = regex(r"""([^"'<]*=\s*(?:"[^"]*"|'[^']*')\s*)<""")
"""An opening tag, up to where something else begins in it."""
_OBJECT_IN_TAG = regex(r"""(\s*=\s*["']?[^\s<>"'{}(\[,=]+["']?)[ \t]*[(\[,=]?\s*(?=\{)""")
"""An opening tag in which the arguments begin, as Llama models on Groq write it: `<function=NAME{...}</function>`."""
_SLOT = regex(r"""\s*=\s*["']?(.*?)["']?\s*\Z""", re.DOTALL)


class _Header(MutableRecord):
    """An opening tag that was read."""

    value: str
    type: str
    end: int
    empty: bool
    """`<invoke name="x"/>`: there is no body."""
    missing: str
    """The end of the tag, where it is not there."""


def read(source: Source, opened: Hit, context: Context[InvokeBody]) -> Waiting[MarkerRead | Declined]:
    """Read one call from its opening tag on. Declines where that is no tag with a name."""
    header = yield from read_header(source, opened.start, context.body.call)
    if header is None or not header.value:
        return Declined("no name in the opening tag")
    context.live.name(header.value.strip())
    name = _undoubled(header.value.strip()) if context.body.doubled_name else header.value.strip()
    body = GrowingArguments(tool=name, position=header.end)
    body.repairs += [missing_close(header.end, header.missing)] * bool(header.missing)
    closed = header.empty or (yield from read_body(source, body, context))
    if not (closed or body.arguments or body.lack == "more"):
        ends = yield from _end_of_empty(source, body, context)
        if not ends:
            return Declined("neither an argument nor the end behind the name")
        body.reason = run_over(body, context) if ends == "open" else ""
    return tagged(body, opened.end, header.end, context, closed=closed, empty=header.empty)


def _end_of_empty(source: Source, body: GrowingArguments, context: Context[TagsBody]) -> Waiting[str]:
    """Say what ends a call without arguments here: the text or the section (`close`), the next call (`open`), or
    nothing.
    """
    ahead = yield from skip_space(source, body.position)
    if ahead >= source.length:
        return "close"
    role = role_of((yield from hit_at(source, context.local, ahead)))
    return role if role in ("close", "open") else ""


def tagged(
    body: GrowingArguments,
    begin: int,
    header_end: int,
    context: Context[TagsBody],
    *,
    closed: bool,
    empty: bool = False,
) -> MarkerRead:
    """Make the reading of a body: header `[begin, header_end)`, arguments, closing tag."""
    shape_body(body, context)
    end = body.position
    payload_end = end - len(context.body.call.close) if closed and not empty and context.body.call else end
    call = RawCall(
        name=body.tool, arguments=body.arguments, repairs=body.repairs, partial=body.partial,
        payload=(header_end, payload_end), lack=body.lack, reason=body.reason,  # type: ignore[arg-type]
    )  # fmt: skip
    pieces = (("markup", begin, header_end), ("call", header_end, payload_end), ("markup", payload_end, end))
    runs = [TextRun(kind, left, right) for kind, left, right in pieces if right > left]  # type: ignore[arg-type]
    return MarkerRead(calls=[call], end=end, runs=runs, closed=closed)


def _undoubled(name: str) -> str:
    half = len(name) // 2
    return name[:half] if len(name) % 2 and name[:half] + "." + name[:half] == name else name


def read_header(source: Source, start: int, tag: Tag) -> Waiting[_Header | None]:
    """Read an opening tag. None where it does not end within `HEADER_LIMIT` characters."""
    begin = start + len(tag.open)
    while True:
        index = begin - source.base
        end = source.window.find(tag.end, index, index + HEADER_LIMIT)
        if end >= 0 or source.closed or source.length - begin >= HEADER_LIMIT:
            break
        yield
    inside = source.window[index : end if end >= 0 else index + HEADER_LIMIT]
    held = _OBJECT_IN_TAG.match(inside) if tag.slot == "=" else None
    if held:
        return _Header(
            value=held[1].strip("= \t\r\n\"'"), type="", end=begin + held.end(), empty=False, missing=tag.end
        )
    if end < 0:
        return None
    twice = False
    while (rest := inside.lstrip("= \t\r\n")).startswith(tag.open):  # the tag was begun, and begun again
        inside, twice = rest.removeprefix(tag.open), True
    begin = source.base + end - len(inside)
    empty = inside.endswith("/")
    inside = inside.removesuffix("/")
    stop = end + source.base + len(tag.end)
    broken = (_NO_END if tag.slot == "=" else _NO_END_QUOTED).match(inside)
    if broken:  # the next tag, or the value, begins: the end of this one is missing
        inside, stop, empty = broken[1], begin + len(broken[1]), False
    missing = tag.end if broken or twice else ""
    if tag.slot == "=":
        slot = _SLOT.match(inside)
        return _Header(value=slot[1].strip(), type="", end=stop, empty=empty, missing=missing) if slot else None
    attributes = {key.lstrip(_BPE_BLANKS): a or b or c for key, a, b, c in _ATTRIBUTE.findall(inside)}
    if tag.slot not in attributes:
        return None
    value = attributes[tag.slot].replace("&quot;", '"').replace("&amp;", "&")
    return _Header(value=value, type=attributes.get(tag.type, ""), end=stop, empty=empty, missing=missing)


def _read_key(source: Source, hit: Hit, context: Context[TagsBody]) -> Waiting[Key | None]:
    tag = context.body.argument
    header = (yield from read_header(source, hit.start, tag)) if tag else None
    if header is None:
        return None
    return Key(name=header.value, type=header.type, end=header.end, empty=header.empty, missing=header.missing)


def read_body(source: Source, body: GrowingArguments, context: Context[TagsBody]) -> Waiting[bool]:
    """Read arguments until the call is closed; return whether it was."""
    call, argument = context.body.call, context.body.argument
    own = (call.close if call else "", argument.open if argument else "")
    fresh = True
    while True:
        ahead = yield from skip_space(source, body.position)
        hit = yield from hit_at(source, context.local, ahead)
        if hit is None and fresh and source.char(ahead) == "{":
            fresh = False
            yield from read_object(source, ahead, body, context)
            continue
        if hit is None and ahead < source.length:
            # Text between the arguments is dropped, if the call goes on behind it; text in their place is not.
            hit = yield from next_hit(source, context.local, ahead)
            between = (
                source.slice(ahead, hit.start) if hit and hit.marker in (own if body.arguments else own[1:]) else ""
            )
            hit = hit if between and not any(close in between for _, close in context.dialect.reasoning) else None
            body.repairs += [_dropped(ahead, between.rstrip())] * (hit is not None)
        fresh = False
        if role_of(hit) == "argument" and hit:
            key = yield from _read_key(source, hit, context)
            if key is None and not (yield from skip_tag(source, hit, body)):
                return False
            if key is None:
                continue
            yield from read_argument(source, key, body, context, _read_key)
        elif hit and hit.marker == own[0]:
            body.position = hit.end
            source.rewind(hit.end)
            return True
        elif role_of(hit) == "argument-close" and hit:  # closed twice
            body.position = hit.end
        else:
            source.rewind(body.position)
            return False


def _dropped(start: int, text: str) -> Repair:
    return Repair(
        code="trailing-garbage", layer="syntax", confidence="likely", span=(start, start + len(text)), before=text,
        message="dropped text between the arguments",
    )  # fmt: skip


def write(dialect: Dialect, body: TagsBody, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write calls in the dialect's first spelling: strings as they are, all else as JSON."""
    tag, lines = body.call, []
    if tag is None:
        return ""
    for index, call in enumerate(calls, 1):
        counted = {tag.counter: str(index)} if tag.counter else {}
        header = _opening(tag, call["name"], counted)
        if body.argument is None:
            lines.append(f"{header}{json_text(call['arguments'])}{tag.close}")
        else:
            inside = write_arguments(body.argument, call["arguments"], body.trim)
            lines.append("\n".join(part for part in (header, inside, tag.close) if part))
    return in_section(dialect, lines)


def write_arguments(tag: Tag, arguments: Mapping[str, Any], trim: str) -> str:
    """Write one tag an argument, a line each."""
    lines = []
    for key, value in arguments.items():
        told = {tag.type: _told(tag, value)} if tag.type else {}
        lines.append(f"{_opening(tag, key, told)}{guarded(plain_text(value), trim)}{tag.close}")
    return "\n".join(lines)


_TYPES = {
    str: "string", bool: "boolean", int: "number", float: "number", Number: "number", list: "array", dict: "object"
}  # fmt: skip


def _told(tag: Tag, value: Any) -> str:
    """Say the type of a value as the dialect does: `string="true"`, or `type="number"`."""
    if tag.type == "string":
        return "true" if isinstance(value, str) else "false"
    return _TYPES.get(type(value), "null")


def _opening(tag: Tag, value: str, more: Mapping[str, str]) -> str:
    if tag.slot == "=":
        return f"{tag.open}={value}{tag.end}"
    value = value.replace("&", "&amp;").replace('"', "&quot;")
    attributes = {tag.slot: value, **more}
    return tag.open + "".join(f' {name}="{text}"' for name, text in attributes.items()) + tag.end


GRAMMAR = Grammar(read=read, write=write, cannot=("own-tags", "odd-keys"))
