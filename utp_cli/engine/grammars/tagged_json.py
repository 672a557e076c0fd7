"""JSON between markers: one object, a list, or several objects one after the other.

    payload = value *( separator value )        separator = nothing, whitespace, "," or ";"

The reader of JSON decides where a value ends, so markers in its strings are data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.engine.grammars.json_value import begins_more, guessed, is_whole, lack_of, read_value, repairs_of
from utp_cli.engine.grammars.progress import WORTH_REPORTING
from utp_cli.engine.grammars.writing import first, in_fence, in_section, json_text
from utp_cli.engine.layout import TextRun
from utp_cli.engine.reading import (
    Context,
    Declined,
    Grammar,
    MarkerRead,
    RawCall,
    Waiting,
    hit_at,
    next_hit,
    role_of,
    skip_space,
)
from utp_cli.protocol.calls import Repair
from utp_cli.repair.shape import BrokenCall, Form, Payload, ShapedCall, shape_calls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.bodies import JsonBody
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.grammars.json_value import JsonRead
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source

SEPARATORS = ",;"
FENCE = "```"


def form_of(body: JsonBody) -> Form:
    """Say which shapes of a call the dialect declares."""
    return Form(
        name=body.name_keys,
        arguments=body.argument_keys,
        id=body.id_keys,
        server=body.server_keys,
        wrappers=body.wrappers,
        single_key=body.single_key,
        many=body.listed,
    )


def read(source: Source, opened: Hit, context: Context[JsonBody]) -> Waiting[MarkerRead | Declined]:
    """Read values until the closing marker. Declines where no JSON container follows the marker."""
    calls: list[RawCall] = []
    watch = _Watch(context)
    # The bracket of `functools[` belongs to the payload as well.
    begin = opened.end - (opened.marker[-1] in "[{")
    position = begin
    while True:
        reader = yield from read_value(source, position, context.until, watch.look)
        if reader.declined:
            break
        calls += calls_of(reader, position, context)
        position = reader.end
        if not reader.complete:
            break
        ahead = yield from skip_space(source, position)
        if source.char(ahead) in SEPARATORS and source.char(ahead):
            ahead = yield from skip_space(source, ahead + 1)
        hit = yield from hit_at(source, context.local, ahead)
        if source.char(ahead) not in ("{", "[") or not source.char(ahead) or role_of(hit) == "close":
            break
        while source.length - ahead < len("[/") and not source.closed:
            yield
        if _begins_closer(source, ahead, context):
            break
        position = ahead
    if position == begin:
        return Declined("no JSON behind the marker", position)
    unmarked = opened.marker in context.body.bare or context.body.plain_words
    if unmarked and any(call.reason for call in calls):
        return Declined("the JSON has not the shape of a call", position)
    if opened.marker.startswith(FENCE):
        return (yield from close_fence(source, opened.end, position, calls))
    return (yield from close(source, opened.end, position, calls, context))


def _begins_closer(source: Source, position: int, context: Context[JsonBody]) -> bool:
    """Whether a bracket begins a closing marker, also one that lacks its end: its next character tells."""
    begun = source.slice(position, position + len("[/"))
    return any(marker.startswith(begun) for marker in context.dialect.call_close)


def close(source: Source, begin: int, end: int, calls: list[RawCall], context: Context[Any]) -> Waiting[MarkerRead]:
    """Find the closing marker behind the payload `[begin, end)`; text before it is dropped, but only before it."""
    ahead = yield from skip_space(source, end)
    hit = yield from hit_at(source, context.local, ahead)
    whole = not calls or calls[-1].lack == "nothing"
    if hit is None and context.dialect.call_close and whole and ahead < source.length:
        hit = yield from next_hit(source, context.local, ahead)
        if role_of(hit) == "close" and hit and calls:
            calls[-1].repairs.append(
                Repair(
                    code="trailing-garbage",
                    layer="syntax",
                    confidence="safe",
                    span=(end, hit.start),
                    before=source.slice(end, hit.start),
                    message=f"dropped text between the value and {hit.marker}",
                )
            )
    source.rewind(end)
    runs = [TextRun("call", begin, end)] if end > begin else []
    if role_of(hit) != "close" or hit is None or hit.marker not in context.dialect.call_close:
        optional = context.dialect.close_optional or not context.dialect.call_close
        return MarkerRead(calls=calls, end=end, runs=runs, closed=optional and whole)
    source.rewind(hit.end)
    return MarkerRead(calls=calls, end=hit.end, runs=[*runs, TextRun("markup", end, hit.end)], closed=True)


def close_fence(source: Source, begin: int, end: int, calls: list[RawCall]) -> Waiting[MarkerRead]:
    """Find the closing fence behind a payload that stands in a code fence."""
    ahead = yield from skip_space(source, end)
    while source.length - ahead < len(FENCE) and not source.closed:
        yield
    runs = [TextRun("call", begin, end)]
    if source.startswith(FENCE, ahead):
        end, ahead = ahead + len(FENCE), end
        runs.append(TextRun("markup", ahead, end))
    source.rewind(end)
    return MarkerRead(calls=calls, end=end, runs=runs, closed=calls[-1].lack == "nothing")


def calls_of(reader: JsonRead, start: int, context: Context[JsonBody]) -> list[RawCall]:
    """Turn the value that was read into calls. One that has no shape of a call is malformed."""
    lack = lack_of(reader)
    payload = (start, reader.end)
    shaped = [c for c in shape_calls(reader.value, form_of(context.body), context.tools) if not isinstance(c, Payload)]
    if not shaped:
        name = reader.value.get("name") if isinstance(reader.value, dict) else None
        return [
            RawCall(
                name=name if isinstance(name, str) else None,
                arguments={},
                repairs=repairs_of(reader, context.body),
                partial=[""] if lack == "more" else [],
                payload=payload,
                lack=lack,
                reason="the JSON has not the shape of a call",
            )
        ]
    calls, made = [], repairs_of(reader, context.body)
    codes = {repair.code for repair in made}
    unquoted = {repair.before for repair in made if repair.code == "unquoted-string"}
    cut = is_whole(shaped[-1], reader) and (lack == "more" or begins_more(reader))
    for call in shaped:
        if call.name in context.body.no_call:
            continue
        last = call is shaped[-1] and not cut
        arguments, prefix = ({}, "") if isinstance(call, BrokenCall) else (call.arguments, call.arguments_pointer)
        calls.append(
            RawCall(
                name=call.name,
                arguments=arguments,
                id=call.id,
                server=call.server or context.body.default_server,
                repairs=[*(made if last else ()), *call.repairs],
                partial=[p[len(prefix) :] for p in reader.partial if p.startswith(prefix)] if last else [],
                payload=payload,
                lack=lack if last else "nothing",
                reason=call.why if isinstance(call, BrokenCall) else _guessed(call, codes, unquoted, context),
            )
        )
    if cut:  # the list goes on with a call of which nothing can be said
        calls.append(RawCall(name=None, arguments={}, repairs=made, partial=[""], payload=payload, lack="more"))
    return calls


def _guessed(call: ShapedCall, codes: set[str], unquoted: set[object], context: Context[JsonBody]) -> str:
    """Say why a call is none: nothing but a name without quotes, which no tool is known by; or guessed arguments."""
    if call.name in unquoted and not call.arguments and call.name not in (context.tools or ()):
        return "a bare word, and no arguments"
    return guessed(codes | {repair.code for repair in call.repairs}) if codes or call.repairs else ""


class _Watch:
    """Tells the live listener what a reader has found out: the name first, then the arguments as they grow."""

    def __init__(self, context: Context[JsonBody]) -> None:
        self._body = context.body
        self._live = context.live
        self._heard = context.live.hears
        self._named = False
        self._told = -1

    def look(self, reader: JsonRead) -> None:
        if not self._heard:
            return
        if not self._named:
            self._find_name(reader)
            if not self._named:
                return
        for member in reader.members:
            if member.key in self._body.argument_keys:
                end = reader.settled if member.end is None else member.end
                start = max(member.start, self._told)
                if end > start and (member.end is not None or end - start >= WORTH_REPORTING):
                    self._live.arguments(start, end)
                    self._told = end

    def _find_name(self, reader: JsonRead) -> None:
        value = reader.value
        item = value[0] if isinstance(value, list) and value else value
        if not isinstance(item, dict):
            return
        for member in reader.members:
            name = item.get(member.key)
            if member.key in self._body.name_keys and member.end is not None and isinstance(name, str):
                self._named = True
                self._live.name(name)


def write(dialect: Dialect, body: JsonBody, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write calls as JSON."""
    items = [_item(body, call) for call in calls]
    opening, closing = first(dialect.call_open), first(dialect.call_close)
    if body.listed:
        return opening.removesuffix("[") + in_fence(json_text(items), fenced=body.fenced) + closing
    if body.wrappers:
        one, several = body.wrappers[0], body.wrappers[-1]
        return json_text({one: items[0]} if len(items) == 1 else {several: items})
    if body.by_line:
        return "\n".join([opening, *map(json_text, items), closing])
    names = [call["name"] if body.named_before else "" for call in calls]
    texts = [f"{name}{opening}\n{json_text(item)}\n{closing}" for name, item in zip(names, items, strict=True)]
    return in_section(dialect, [text.strip() for text in texts])


def _item(body: JsonBody, call: Mapping[str, Any]) -> dict[str, Any]:
    if body.single_key:
        return {call["name"]: call["arguments"]}
    item: dict[str, Any] = {}
    for keys, key in ((body.server_keys, "server"), (body.id_keys, "id")):
        if keys and call.get(key) is not None:
            item[keys[0]] = call[key]
    return item | {body.name_keys[0]: call["name"], body.argument_keys[0]: call["arguments"]}


GRAMMAR = Grammar(read=read, write=write)
