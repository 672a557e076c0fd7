"""The text of one argument: where it ends, and what type it takes.

A value may hold any text, its own closing tag included. A closing tag ends the value if what follows is due there
(another argument, the end of the call, the end of the text); else it is text. A value that is never closed ends where
the next argument of the tool, or the end of the call, begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.engine.grammars.element_values import CDATA_CLOSE, CDATA_OPEN
from utp_cli.engine.grammars.elements import behind_cdata
from utp_cli.engine.grammars.json_value import lack_of, read_value
from utp_cli.engine.grammars.progress import ArgumentsProgress
from utp_cli.engine.grammars.proof import Key, KeyReader, Sign, Wanted, signs_of
from utp_cli.engine.reading import HEADER_LIMIT, Context, Waiting, missing_close, next_hit, repeated, skip_space
from utp_cli.protocol.numbers import loads
from utp_cli.protocol.records import MutableRecord, field
from utp_cli.protocol.spans import pointer
from utp_cli.repair.arguments import shape_arguments, shape_repair
from utp_cli.repair.extract import json_or_nothing
from utp_cli.repair.typed import typed_text

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from utp_cli.dialects.bodies import ValuesBody
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source
    from utp_cli.protocol.calls import Repair


class Value(MutableRecord):
    """The text of one argument: `[start, end)`; reading goes on at `next`."""

    start: int
    end: int
    next: int
    closed: bool
    cut: bool = False
    """The text ended inside it."""


class GrowingArguments(MutableRecord):
    """What has been read of a call's arguments; grows argument by argument."""

    tool: str
    position: int
    arguments: dict[str, Any] = field(default_factory=dict)
    repairs: list[Repair] = field(default_factory=list)
    partial: list[str] = field(default_factory=list)
    lack: str = "nothing"
    reason: str = ""
    """Why the call cannot be read, where it cannot."""
    wanted: Wanted | None = None
    """Which arguments may follow."""


def read_argument(
    source: Source, key: Key, body: GrowingArguments, context: Context[ValuesBody], read_key: KeyReader
) -> Waiting[None]:
    """Read the value behind `key` and add it to the body."""
    known = _properties(body.tool, context)
    if key.missing:
        body.repairs.append(missing_close(key.end, key.missing))
    if key.empty:
        value = Value(start=key.end, end=key.end, next=key.end, closed=True)
    else:
        progress = ArgumentsProgress(context.live, body.position)
        value = yield from _read_value(source, key, known, body, context, read_key, progress)
        progress.up_to(value.next)
    text = source.slice(value.start, value.end)
    if not (value.closed or value.cut):
        text = text.rstrip()  # what stands before the next tag is layout
    text, before = _trimmed(text, context.body.trim)
    schema = known.get(key.name) if known is not None else None
    root = context.tools[body.tool].parameters if known is not None and context.tools else None
    typed, repairs = _typed(text, key.type, schema, root)
    if key.name in body.arguments:
        body.repairs.append(repeated(key.name, body.arguments[key.name], typed))
    body.arguments[key.name] = typed
    body.repairs += [repair.moved(value.start + before) for repair in repairs]
    if value.cut:
        body.partial.append(pointer(key.name))
        body.lack = "more"
    elif not value.closed:
        close = context.body.argument.close if context.body.argument else ""
        body.repairs.append(missing_close(value.end, close if close[-1:] in ("", ">", "]") else f"{close}>"))
    body.position = value.next


def shape_body(body: GrowingArguments, context: Context[Any]) -> None:
    """Lift arguments out of the one argument that wraps them all (`arguments`, `input`, `properties`)."""
    tool = (context.tools or {}).get(body.tool)
    shaped, repairs, _ = shape_arguments(body.arguments, tool, text_due=False)
    if shaped is not None:
        body.arguments = shaped
        body.repairs += repairs


def run_over(body: GrowingArguments, context: Context[Any]) -> str:
    """Say why a call without arguments is none where the next one begins before its end: it was begun and left. A tool
    that is known to need no argument may be called like that.
    """
    tool = (context.tools or {}).get(body.tool)
    needs = tool is None or tool.required
    return "the next call begins where an argument, or the end, is due" if needs else ""


def read_object(source: Source, start: int, body: GrowingArguments, context: Context[Any]) -> Waiting[None]:
    """Read a JSON object that stands in place of the arguments' tags."""
    reader = yield from read_value(source, start, context.until)
    body.position = reader.end
    if isinstance(reader.value, dict):
        body.arguments.update(_of_call(reader.value, body, context.tools or {}))
        context.live.arguments(start, reader.end)
    body.repairs += reader.repairs
    body.partial += reader.partial
    body.lack = lack_of(reader)


def _of_call(value: dict[str, Any], body: GrowingArguments, tools: Container[str]) -> dict[str, Any]:
    """Return the arguments in an object that is a whole call of a known tool, behind a word that names none."""
    name, inner = value.get("name"), value.get("arguments")
    if body.tool in tools or name not in tools or not isinstance(name, str) or not isinstance(inner, dict):
        return value
    message = f"{body.tool} is no tool; the object behind it is a call of {name}"
    body.repairs.append(shape_repair("nested-arguments", "/name", body.tool, message, after=name))
    body.tool = name
    return inner


def _read_value(
    source: Source,
    key: Key,
    known: Mapping[str, Any] | None,
    body: GrowingArguments,
    context: Context[Any],
    read_key: KeyReader,
    progress: ArgumentsProgress,
) -> Waiting[Value]:
    """Find the end of a value: the first marker in it, unless there is proof that the value goes on behind that."""
    start = key.end
    signs = signs_of(source, context, read_key)
    wanted = body.wanted = body.wanted or Wanted(known=frozenset(known) if known else None, given=body.arguments)
    wanted.reading = key.name
    begin = (yield from _behind_section(source, start)) if context.body.trim == "cdata" else start
    hit = yield from next_hit(source, context.local, begin, passed=progress.passed)
    if hit is None:
        source.rewind(source.length)
        return Value(start=start, end=source.length, next=source.length, closed=False, cut=True)
    first = yield from signs.sign_of(hit)
    closing = first.role == "argument-close"
    proof: Sign | None = first
    if first.role != "due" and not wanted.fits(first):
        ahead = hit.start if first.role == "open" else hit.end
        proof = yield from signs.proof(ahead, wanted, closed=closing or first.role == "close")
    if proof is None:
        source.rewind(first.behind)
        return Value(start=start, end=first.start, next=first.behind, closed=closing)
    source.rewind(proof.behind)
    return Value(start=start, end=proof.start, next=proof.behind, closed=proof.role == "due")


def _behind_section(source: Source, start: int) -> Waiting[int]:
    """Return where markup may stand again in a value: behind its CDATA, where it begins with that."""
    ahead = yield from skip_space(source, start)
    while source.length - ahead < len(CDATA_OPEN) and not source.closed:
        yield
    return (yield from behind_cdata(source, ahead)) if source.startswith(CDATA_OPEN, ahead) else start


def skip_tag(source: Source, hit: Hit, body: GrowingArguments) -> Waiting[bool]:
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


def _properties(tool_name: str, context: Context[Any]) -> Mapping[str, Any] | None:
    """The properties of the tool's schema, None where the tool is not known."""
    tool = (context.tools or {}).get(tool_name)
    return tool.properties if tool else None


_CDATA = (CDATA_OPEN, CDATA_CLOSE)


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
    value, repairs = typed_text(text, schema if told in ("", "false") else None, root, decode=json_or_nothing)
    return (_unquoted(value) if told == "false" and value == text else value), repairs


def _unquoted(text: str) -> str:
    """Return the text of a JSON string; other text as it is, where the schema asks for a string."""
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str) else text
