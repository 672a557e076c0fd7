"""Python calls as data: `[f(a=1), g()]`, or one call a line. Nothing is evaluated.

    calls   = [ "[" ] call *( ( "," | ";" | line break ) call ) [ "]" ]
    call    = NAME "(" [ argument *( "," argument ) ] ")"
            | "print(" call ")"                             in dialects that stand in a code fence

What stands in the brackets is read by `literals`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.engine.grammars.literals import WORD, Fault, Literals, NestFrame, broken
from utp_cli.engine.grammars.tagged_json import close, close_fence
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
    role_of,
    skip_space,
)
from utp_cli.protocol.calls import Repair
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import pointer
from utp_cli.repair.arguments import shape_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.bodies import PythonicBody
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source

_WORD_END = regex(r"[^\w.\-]")


def read(source: Source, opened: Hit, context: Context[PythonicBody]) -> Waiting[MarkerRead | Declined]:
    """Read calls until none follows. Declines where the text behind the marker is no Python call."""
    named = opened.marker[-1] == "("  # the marker is the tool's own name
    begin = opened.start if named else opened.end - (opened.marker[-1] == "[")
    reader = _Calls(source, context)
    position = yield from skip_space(source, begin)
    listed = source.char(position) == "["
    position += listed
    while True:
        position = yield from skip_space(source, position)
        start = position
        try:
            position = yield from reader.call(position)
        except Fault as fault:
            far = reader.reached - start > HEADER_LIMIT and opened.marker not in context.body.bare
            if not reader.calls and not far:
                return Declined(str(fault), reader.reached)
            if far:  # read again from each marker in it, it would cost its length each time
                reader.calls.append(broken(reader.name, start, reader.reached, fault))
            position = reader.reached if far else start
            source.rewind(position)  # strings let go of what they have read
            break
        if reader.calls[-1].lack != "nothing":
            break
        ahead = yield from skip_space(source, position)
        if source.char(ahead) in (",", ";"):
            position = ahead + 1
            continue
        if listed and source.char(ahead) == "]":
            position, listed = ahead + 1, False
            break
        if listed or not (yield from reader.name_at(ahead)):
            break
        position = ahead
    if listed and reader.calls[-1].lack == "nothing":
        yield from _unlisted(source, position, reader.calls[-1], context)
    for call in reader.calls:
        call.payload = (begin, position)
    if context.body.fenced:
        return (yield from close_fence(source, opened.end, position, reader.calls))
    closed = yield from close(source, opened.end, position, reader.calls, context)
    if context.body.plain_words and _is_prose(closed, context, position - begin):
        return Declined("no call that the closing marker follows", position)
    closed.closed = closed.closed or (opened.marker in context.body.bare and reader.calls[-1].lack == "nothing")
    if named:
        closed.runs = [TextRun("call", opened.end, closed.end)] * (closed.end > opened.end)
    return closed


def _unlisted(source: Source, position: int, last: RawCall, context: Context[PythonicBody]) -> Waiting[None]:
    """The list is not closed: a slip where the closing marker follows, else the text may have been cut off."""
    ahead = yield from skip_space(source, position)
    if role_of((yield from hit_at(source, context.local, ahead))) != "close":
        last.lack = "closers"
        return
    message = "put in a closing bracket"
    last.repairs.append(
        Repair(
            code="missing-close-bracket", layer="syntax", confidence="likely", span=(position, position), after="]",
            message=message,
        )
    )  # fmt: skip


def _is_prose(read: MarkerRead, context: Context[PythonicBody], length: int) -> bool:
    """Whether words in front of a call are only words: anything but one whole call of a tool that may be known, or one
    of a known tool that the text ends in.
    """
    (call, *more) = read.calls
    known = context.tools is not None and call.name in context.tools
    whole = read.closed and not call.reason and not call.repairs and (known or not context.tools)
    cut = known and call.arguments and call.lack != "nothing"
    return length <= HEADER_LIMIT and (bool(more) or not (whole or cut))


class _Calls:
    """Reads calls one after the other."""

    def __init__(self, source: Source, context: Context[PythonicBody]) -> None:
        self.calls: list[RawCall] = []
        self._source = source
        self._context = context
        self.reached = 0
        """How far the text was read."""
        self.name = ""
        """Of the call that is read."""

    def name_at(self, position: int) -> Waiting[str | None]:
        """Return the name of a call that begins at `position`: a word with `(` behind it."""
        source = self._source
        while True:
            end = source.search(_WORD_END, position, HEADER_LIMIT)
            if end or source.closed or source.length - position > HEADER_LIMIT:
                break
            yield
        stop = source.at(end) if end else position
        word = source.slice(position, stop)
        return word if end and end[0] == "(" and WORD.fullmatch(word) else None

    def call(self, position: int) -> Waiting[int]:
        """Read one call; return the position behind it."""
        name = yield from self.name_at(position)
        if name is None:
            raise Fault("no Python call behind the marker")
        start = position + len(name) + 1
        printed = name == "print" and self._context.body.fenced
        if printed:
            position = yield from skip_space(self._source, start)
            name = (yield from self.name_at(position)) or ""
            start = position + len(name) + 1
            if not name:
                raise Fault("no Python call behind the marker")
        name = name.removesuffix(self._context.body.name_suffix)
        if name not in (self._context.tools or {}):
            name = name.removeprefix(self._context.body.namespace)
        self._context.live.name(name)
        self.name = name
        literals = Literals(self._source)
        try:
            frame, end, whole = yield from literals.arguments(start, ")")
        finally:
            self.reached = literals.reached
        self._context.live.arguments(start, end)
        call = RawCall(
            name=name, arguments=frame.pairs, repairs=literals.repairs, payload=(position, end),
            lack="nothing" if whole else "more",
        )  # fmt: skip
        if printed and whole:
            ahead = yield from skip_space(self._source, end)
            printed = self._source.char(ahead) == ")"
            end, call.lack = (ahead + 1, "nothing") if printed else (end, "closers")
        if frame.items:
            call.arguments, call.reason = self._positional(name, frame, call)
        elif call.lack == "nothing" and (tool := (self._context.tools or {}).get(name)):
            shaped, repairs, _ = shape_arguments(call.arguments, tool, text_due=False)
            call.arguments = call.arguments if shaped is None else shaped
            call.repairs += repairs
        if literals.cut and not call.reason:
            first, *rest = literals.cut
            call.partial.append(pointer(first if isinstance(first, str) else [*call.arguments][first], *rest))
        self.calls.append(call)
        return end

    def _positional(self, name: str, frame: NestFrame, call: RawCall) -> tuple[dict[str, Any], str]:
        """Give arguments without names the names of the tool's properties, in order."""
        tool = (self._context.tools or {}).get(name)
        names = [n for n in (tool.required + list(tool.properties) if tool else []) if n not in frame.pairs]
        names = list(dict.fromkeys(names))
        made = dict(zip(names, frame.items, strict=False))
        message = "gave arguments without names those of the schema, in order"
        only = frame.items[0] if len(frame.items) == 1 and not frame.pairs else None
        if isinstance(only, dict) and only and (tool is None or only.keys() <= tool.properties.keys()):
            made, message = only, "took the only argument, an object, for all of them"
        elif len(frame.items) > len(names):
            return frame.pairs, "arguments without names"
        call.repairs.append(
            Repair(
                code="positional-arguments", layer="shape", confidence="guess", pointer="/arguments",
                before=list(frame.items), after=made, message=message,
            )
        )  # fmt: skip
        return made | frame.pairs, ""


def write(dialect: Dialect, body: PythonicBody, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write calls as Python would, strings in double quotes."""
    opening, closing = first(dialect.call_open), first(dialect.call_close)
    texts = []
    for call in calls:
        arguments = ", ".join(f"{key}={_literal(value)}" for key, value in call["arguments"].items())
        texts.append(f"{call['name']}{body.name_suffix}({arguments})")
    if body.fenced:
        return opening + "".join(f"print({text})\n" for text in texts) + "```"
    if body.plain_words:
        return "\n".join(opening + text + closing for text in texts)
    if body.by_line and not dialect.call_open:
        return "\n".join(("" if dialect.by_name else first(body.bare)) + text for text in texts)
    if body.by_line:
        return "\n".join([opening, *texts, closing])
    if body.name_suffix:
        return opening + "; ".join(texts) + closing
    return f"{opening}[{', '.join(texts)}]{closing}"


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return json_text(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    return repr(value)


GRAMMAR = Grammar(read=read, write=write, cannot=("odd-keys",))
