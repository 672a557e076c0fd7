"""A block whose first word is the tool's name; the rest is a JSON object, or the text of one argument.

call = open space NAME ( space object | text ) close
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.engine.grammars.json_value import lack_of, read_value
from utp_cli.engine.grammars.progress import ArgumentsProgress
from utp_cli.engine.grammars.tagged_json import close
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
    next_hit,
    role_of,
    skip_space,
)
from utp_cli.protocol.patterns import regex
from utp_cli.repair.arguments import shape_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.bodies import BlockBody
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source

_NAME_END = regex(r"[\s<]")
_NAME = regex(r"[\w.:/-]{1,200}")


def read(source: Source, opened: Hit, context: Context[BlockBody]) -> Waiting[MarkerRead | Declined]:
    """Read one block. Declines where it does not begin with a name."""
    begin = yield from skip_space(source, opened.end)
    end = yield from _name_end(source, begin)
    name = source.slice(begin, end)
    if not _NAME.fullmatch(name):
        return Declined("no name behind the marker")
    context.live.name(name)
    body = yield from skip_space(source, end)
    if source.char(body) == "{":
        progress = ArgumentsProgress(context.live, body)
        reader = yield from read_value(source, body, context.until, progress.look)
        if not reader.declined:
            progress.up_to(reader.end)
            tool = (context.tools or {}).get(name)
            arguments, repairs, why = shape_arguments(reader.value, tool, text_due=False)
            call = RawCall(
                name=name, arguments=arguments or {}, repairs=[*reader.repairs, *repairs],
                partial=list(reader.partial), payload=(begin, reader.end), lack=lack_of(reader),
                reason="" if arguments is not None else why or "",
            )  # fmt: skip
            return (yield from close(source, opened.end, reader.end, [call], context))
    return (yield from _text(source, name, begin, body, opened, context))


def _name_end(source: Source, begin: int) -> Waiting[int]:
    while True:
        found = source.search(_NAME_END, begin, HEADER_LIMIT)
        if found:
            return source.at(found)
        if source.closed or source.length - begin > HEADER_LIMIT:
            return min(source.length, begin + HEADER_LIMIT)
        yield


def _text(
    source: Source, name: str, begin: int, body: int, opened: Hit, context: Context[BlockBody]
) -> Waiting[MarkerRead]:
    """Read text up to the closing marker; whitespace at its end is layout."""
    progress = ArgumentsProgress(context.live, body)
    position = body
    while True:
        hit = yield from next_hit(source, context.local, position, passed=progress.passed)
        if hit is None or role_of(hit) == "close":
            break
        position = hit.end
    end = hit.start if hit else source.length
    text = source.slice(body, end).rstrip()
    progress.up_to(end)
    key = context.body.argument_keys[0]
    call = RawCall(
        name=name, arguments={key: text} if text else {}, payload=(begin, end),
        lack="nothing" if hit else "more", partial=[] if hit else [f"/{key}"],
    )  # fmt: skip
    runs = [TextRun("call", opened.end, end)] if end > opened.end else []
    source.rewind(hit.end if hit else end)
    if hit is None:
        return MarkerRead(calls=[call], end=end, runs=runs, closed=False)
    return MarkerRead(calls=[call], end=hit.end, runs=[*runs, TextRun("markup", end, hit.end)], closed=True)


def write(dialect: Dialect, _: BlockBody, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write a block a call, the arguments as JSON."""
    opening, closing = first(dialect.call_open), first(dialect.call_close)
    return "\n".join(f"{opening}\n{call['name']} {json_text(call['arguments'])}\n{closing}" for call in calls)


GRAMMAR = Grammar(read=read, write=write)
