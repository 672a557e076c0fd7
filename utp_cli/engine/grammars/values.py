"""The text of one argument: where it ends, and what type it takes.

A value may hold any text, its own closing tag included. A closing tag ends the value if what follows is due there
(another argument, the end of the call, the end of the text); else it is text. A value that is never closed ends where
the next argument of the tool, or the end of the call, begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from utp_cli.engine.grammars.json_value import lack_of, read_value
from utp_cli.engine.grammars.telling import Telling
from utp_cli.engine.reading import HEADER_LIMIT, Context, Waiting, hit_at, missing_close, next_hit, role_of, skip_space
from utp_cli.protocol.spans import pointer
from utp_cli.repair.arguments import shape_arguments
from utp_cli.repair.around import repair_json
from utp_cli.repair.typed import typed_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source
    from utp_cli.protocol.calls import Repair


@dataclass(slots=True, kw_only=True)
class Key:
    """The opening of an argument that was read."""

    name: str
    type: str = ""
    """What the markup itself says of the value's type (`true`, `string`, `number` …)."""
    end: int
    """Where the value begins."""
    empty: bool = False
    """The tag closes itself: there is no value."""


KeyReader = Callable[["Source", "Hit", Context], Waiting[Key | None]]
"""Reads an argument's opening from its marker on; None where it is no such thing."""


@dataclass(slots=True, kw_only=True)
class Value:
    """The text of one argument: `[start, end)`; reading goes on at `next`."""

    start: int
    end: int
    next: int
    closed: bool
    cut: bool = False
    """The text ended inside it."""


@dataclass(slots=True, kw_only=True)
class Body:
    """What has been read of a call's arguments; grows argument by argument."""

    tool: str
    position: int
    arguments: dict[str, Any] = field(default_factory=dict)
    repairs: list[Repair] = field(default_factory=list)
    partial: list[str] = field(default_factory=list)
    lack: str = "nothing"


def read_argument(source: Source, key: Key, body: Body, context: Context, read_key: KeyReader) -> Waiting[None]:
    """Read the value behind `key` and add it to the body."""
    known = _properties(body.tool, context)
    if key.empty:
        value = Value(start=key.end, end=key.end, next=key.end, closed=True)
    else:
        told = Telling(context.live, body.position)
        value = yield from _read_value(source, key.end, known, body, context, read_key, told)
        told.up_to(value.next)
    text = source.slice(value.start, value.end)
    if not (value.closed or value.cut):
        text = text.rstrip()  # what stands before the next tag is layout
    text, before = _trimmed(text, context.dialect.trim)
    schema = known.get(key.name) if known is not None else None
    root = context.tools[body.tool].parameters if known is not None and context.tools else None
    typed, repairs = _typed(text, key.type, schema, root)
    body.arguments[key.name] = typed
    body.repairs += [repair.moved(value.start + before) for repair in repairs]
    if value.cut:
        body.partial.append(pointer(key.name))
        body.lack = "more"
    elif not value.closed:
        body.repairs.append(
            missing_close(value.end, context.dialect.argument.close if context.dialect.argument else "")
        )
    body.position = value.next


def shape_body(body: Body, context: Context) -> None:
    """Lift arguments out of the one argument that wraps them all (`arguments`, `input`, `properties`)."""
    tool = (context.tools or {}).get(body.tool)
    shaped, repairs, _ = shape_arguments(body.arguments, tool, text_due=False)
    if shaped is not None:
        body.arguments = shaped
        body.repairs += repairs


def read_object(source: Source, start: int, body: Body, context: Context) -> Waiting[None]:
    """Read a JSON object that stands in place of the arguments' tags."""
    reader = yield from read_value(source, start, context.until)
    body.position = reader.end
    if isinstance(reader.value, dict):
        body.arguments.update(reader.value)
        context.live.arguments(start, reader.end)
    body.repairs += reader.repairs
    body.partial += reader.partial
    body.lack = lack_of(reader)


def _read_value(
    source: Source,
    start: int,
    known: Mapping[str, Any] | None,
    body: Body,
    context: Context,
    read_key: KeyReader,
    told: Telling,
) -> Waiting[Value]:
    """Find the end of a value. `weak` is where it ends should no proper end come."""
    weak: Value | None = None
    position, closed = start, False
    while True:
        hit = yield from next_hit(source, context.local, position, passed=None if weak else told.passed)
        role = role_of(hit)
        if hit is None:
            value = weak or Value(start=start, end=source.length, next=source.length, closed=False, cut=True)
            source.rewind(value.next)
            return value
        position = hit.end
        if role == "argument-close":
            behind = yield from past_tag(source, hit)
            if (yield from _due_behind(source, behind, context)):
                return Value(start=start, end=hit.start, next=behind, closed=True)
            weak = weak or Value(start=start, end=hit.start, next=behind, closed=True)
        elif role == "argument":
            if (yield from _is_next_argument(source, hit, known, body, context, read_key)):
                return Value(start=start, end=hit.start, next=hit.start, closed=False)
        elif role == "open" and weak is not None and closed:
            source.rewind(weak.next)
            return weak
        else:
            weak = weak or Value(start=start, end=hit.start, next=hit.start, closed=False)
        closed = closed or role in ("argument-close", "close")


_SUFFIX = re.compile(r"[\w:.-]{0,64}(>?)")
"""What a checkpoint adds to a tag (`</arg_value:opensource>`), and the tag's end."""


def past_tag(source: Source, hit: Hit) -> Waiting[int]:
    """Return the position behind a tag whose marker leaves its end open; the marker's end where no tag follows."""
    if hit.marker[-1] in ">]":
        return hit.end
    while True:
        suffix = _SUFFIX.match(source.window, hit.end - source.base)
        if suffix and suffix[1]:
            return source.at(suffix) + len(suffix[0])
        if source.closed or suffix is None or source.base + suffix.end() < source.length:
            return hit.end
        yield


def skip_tag(source: Source, hit: Hit, body: Body) -> Waiting[bool]:
    """Pass over an argument's tag that has no key; False where the text, or what a tag may take, ends inside it."""
    while True:
        index = hit.end - source.base
        end = source.window.find(">", index, index + HEADER_LIMIT)
        if end >= 0:
            body.position = end + source.base + 1
            return True
        if source.closed or source.length - hit.end >= HEADER_LIMIT:
            break
        yield
    if source.closed and source.length - hit.end < HEADER_LIMIT:
        body.position = source.length
    body.lack = "more"
    return False


def _due_behind(source: Source, position: int, context: Context) -> Waiting[bool]:
    """Whether what follows a closing tag is due there."""
    ahead = yield from skip_breaks(source, position)
    if ahead >= source.length:
        return True
    hit = yield from hit_at(source, context.local, ahead)
    return role_of(hit) in ("argument", "close", "open")


def skip_breaks(source: Source, position: int) -> Waiting[int]:
    """Skip whitespace, and line breaks that are written as the two characters backslash and n."""
    while True:
        position = yield from skip_space(source, position)
        while source.char(position) == "\\" and position + 1 >= source.length and not source.closed:
            yield
        if not source.startswith("\\n", position):
            return position
        position += 2


def _is_next_argument(
    source: Source,
    hit: Hit,
    known: Mapping[str, Any] | None,
    body: Body,
    context: Context,
    read_key: KeyReader,
) -> Waiting[bool]:
    """Whether an opening tag inside a value is the next argument, so that the value was never closed."""
    key = yield from read_key(source, hit, context)
    if key is None or key.name in body.arguments:
        return False
    if known:
        return key.name in known
    before = source.slice(max(0, hit.start - 1), hit.start)
    return before in ("", "\n")


def _properties(tool_name: str, context: Context) -> Mapping[str, Any] | None:
    """The properties of the tool's schema, None where the tool is not known."""
    tool = (context.tools or {}).get(tool_name)
    return tool.properties if tool else None


_CDATA = ("<![CDATA[", "]]>")


def _trimmed(text: str, trim: str) -> tuple[str, int]:
    """Return the value without what belongs to the markup, and how many characters that was in front."""
    whole = len(text)
    if trim == "line":
        text = text.removeprefix("\n")
        return text.removesuffix("\n"), whole - len(text)
    if trim in ("space", "cdata"):
        text = text.lstrip()
    if trim == "cdata" and text.startswith(_CDATA[0]):
        text = text.removeprefix(_CDATA[0])
        return text.rstrip().removesuffix(_CDATA[1]), whole - len(text)
    return (text.rstrip() if trim else text), whole - len(text)


def guarded(text: str, trim: str) -> str:
    """Write a value so that `_trimmed` gives it back."""
    if trim == "line":
        return f"\n{text}\n"
    if trim == "cdata" and (text != text.strip() or text.startswith(_CDATA[0]) or "<" in text):
        return text.join(_CDATA)
    return text


def _typed(text: str, told: str, schema: Any, root: Any) -> tuple[Any, list[Repair]]:
    """Give the text its type. What the markup tells comes first: `true` and `string` mean text as it stands."""
    if told in ("true", "string"):
        return text, []
    return typed_text(text, schema if told in ("", "false") else None, root, decode=_decode)


def _decode(text: str) -> tuple[Any, list[Repair]] | None:
    """Read broken JSON in a value where the schema asks for an object or an array."""
    reading = repair_json(text)
    return (reading.value, list(reading.repairs)) if isinstance(reading.value, dict | list) else None
