"""Messages with a role, a recipient and a channel in their header; the recipient says what the body is.

    message = [ "<|start|>" ROLE ] [ " to=" RECIPIENT ] [ "<|channel|>" CHANNEL ] [ " to=" RECIPIENT ]
              [ "<|channel|>" CHANNEL ] [ "<|constrain|>" TYPE ] "<|message|>" body end

A message without `<|message|>` is one where its channel, words and an end token follow one another.

A recipient that is a tool makes the body its arguments (JSON, or one tag an argument); a channel or recipient that is
declared as thinking makes it thinking; anything else is text, in which the engine goes on looking for markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from utp_cli.engine.grammars.json_value import guessed, lack_of, read_value, repairs_of
from utp_cli.engine.grammars.progress import ArgumentsProgress
from utp_cli.engine.grammars.tagged_arguments import read_body, tagged, write as write_tagged, write_arguments
from utp_cli.engine.grammars.tagged_json import close
from utp_cli.engine.grammars.values import GrowingArguments
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
    next_hit,
    role_of,
    skip_space,
)
from utp_cli.protocol.patterns import regex
from utp_cli.repair.arguments import shape_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.bodies import HarmonyBody
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source

MESSAGE = "<|message|>"
_HEADER = regex(
    r"(?:<\|start\|>\s*(?P<role>\w+)?)?"
    r"(?:\s*to=(?P<to>[^\s<]+))?"
    r"(?:\s*<\|channel\|>\s*(?P<channel>\w+))?"
    r"(?:\s*to=(?P<to2>[^\s<]+))?"
    r"(?:\s*<\|channel\|>\s*(?P<channel2>\w+))?"
    r"(?:\s*<\|constrain\|>)?\s*(?P<type>\w+)?\s*"
)
_CHANNELS = ("analysis", "commentary", "final")
_HALF = regex(r"(?:<\|start\|>\s*\w+)?\s*<\|channel\|>(?P<channel>\w+)\s*(?:<[|\w]{0,10})?")
_NO_MESSAGE = regex(
    r"(?:<\|start\|>\s*\w+)?\s*<\|channel\|>(?P<channel>analysis|commentary|final)\s+(?!to=)[^\s<][^<]{0,400}"
    r"<\|(?:end|return)\|>"
)
"""A message whose header goes over into its words; openai-harmony reads it so where it is not strict (2026)."""


def read(source: Source, opened: Hit, context: Context[HarmonyBody]) -> Waiting[MarkerRead | Declined]:
    """Read a header, and the body where it is a call. Declines where no header leads to `<|message|>`."""
    end = yield from _header_end(source, opened.start)
    header = _HEADER.fullmatch(source.slice(opened.start, end)) if end is not None else None
    if end is None or header is None:
        read = _without_message(source, opened, context) or _half(source, opened, context)
        return read or Declined("no message header")
    body = end + len(MESSAGE)
    declared = context.body
    recipient = header["to2"] or header["to"]
    markup = [TextRun("markup", opened.end, body)] if body > opened.end else []
    if recipient is None or recipient in declared.text_recipients + declared.thinking_recipients:
        channel = header["channel2"] or header["channel"]
        thinking = recipient in declared.thinking_recipients or channel in declared.thinking_channels
        to_user = declared.body_markup and recipient is not None
        mode: Literal["text", "answer", "thinking"] = "thinking" if thinking else "answer" if to_user else "text"
        return MarkerRead(calls=[], end=body, runs=markup, closed=True, mode=mode)
    ahead = yield from skip_space(source, body)
    if declared.body_markup and source.char(ahead) != "{":
        if role_of((yield from hit_at(source, context.local, ahead))) != "open":
            return Declined("no markup in the body")
        return MarkerRead(calls=[], end=body, runs=markup, closed=True, mode="text")
    name = recipient.removeprefix("functions.")
    reading = _tagged if declared.argument and not declared.body_markup else _json
    result = yield from reading(source, name, body, context)
    if isinstance(result, Declined):
        return result
    result.runs[:0] = markup
    result.mode = "text"
    return result


def _header_end(source: Source, start: int) -> Waiting[int | None]:
    """Return where `<|message|>` stands, None where it does not come within `HEADER_LIMIT` characters."""
    while True:
        index = start - source.base
        found = source.window.find(MESSAGE, index, index + HEADER_LIMIT)
        if found >= 0:
            return found + source.base
        if source.closed or source.length - start > HEADER_LIMIT:
            return None
        yield


def _half(source: Source, opened: Hit, context: Context[HarmonyBody]) -> MarkerRead | None:
    """Read half a header, in which the text ends, where a message may begin."""
    begin, end = opened.start, source.length
    first = begin == 0 or source.slice(max(0, begin - 2), begin) == "|>"
    if not (first and source.closed and context.body.thinking_channels and end - begin <= HEADER_LIMIT):
        return None
    found = _HALF.fullmatch(source.slice(begin, end))
    if found is None or not any(channel.startswith(found["channel"]) for channel in _CHANNELS):
        return None
    return MarkerRead(calls=[], end=end, runs=[TextRun("markup", opened.end, end)], closed=True, mode="text")


def _without_message(source: Source, opened: Hit, context: Context[HarmonyBody]) -> MarkerRead | None:
    """Read a header that no `<|message|>` ends, if its words and an end token follow."""
    ahead = source.slice(opened.start, min(source.length, opened.start + HEADER_LIMIT))
    found = _NO_MESSAGE.match(ahead) if context.body.thinking_channels else None
    if found is None:
        return None
    end = opened.start + found.end("channel") + 1
    mode: Literal["text", "thinking"] = "thinking" if found["channel"] in context.body.thinking_channels else "text"
    return MarkerRead(calls=[], end=end, runs=[TextRun("markup", opened.end, end)], closed=True, mode=mode)


def _json(source: Source, name: str, begin: int, context: Context[HarmonyBody]) -> Waiting[MarkerRead | Declined]:
    """The body is one JSON value."""
    context.live.name(name)
    ahead = yield from skip_space(source, begin)
    progress = ArgumentsProgress(context.live, ahead)
    reader = yield from read_value(source, ahead, context.until, progress.look)
    call = RawCall(name=name, arguments={}, payload=(begin, reader.end))
    if reader.declined:
        hit = yield from next_hit(source, context.local, begin)
        call.payload = (begin, hit.start if hit else source.length)
        call.reason = "the body is no JSON"
        return (yield from close(source, *call.payload, [call], context))
    progress.up_to(reader.end)
    tool = (context.tools or {}).get(name)
    arguments, repairs, why = shape_arguments(reader.value, tool, text_due=False)
    call.arguments, call.reason = arguments or {}, "" if arguments is not None else why or ""
    call.repairs = [*repairs_of(reader), *repairs]
    call.reason = call.reason or guessed({repair.code for repair in call.repairs})
    call.partial = list(reader.partial)
    call.lack = lack_of(reader)
    return (yield from close(source, begin, reader.end, [call], context))


def _tagged(source: Source, name: str, begin: int, context: Context[HarmonyBody]) -> Waiting[MarkerRead | Declined]:
    """The body is one tag an argument."""
    ahead = yield from skip_space(source, begin)
    hit = yield from hit_at(source, context.local, ahead)
    if hit is None and ahead < source.length:
        return Declined("no argument's tag in the body")
    context.live.name(name)
    body = GrowingArguments(tool=name, position=begin)
    closed = yield from read_body(source, body, context)
    return tagged(body, begin, begin, context, closed=closed)


def write(dialect: Dialect, body: HarmonyBody, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write each call as a message of its own; where a header begins one, it goes on with the prompt."""
    opening = "" if body.header[-1].startswith(body.leading) else first(dialect.call_open)
    messages = []
    for call in calls:
        header = body.header[-1].replace("{name}", call["name"])
        messages.append(f"{opening}{header}{_content(dialect, body, call)}{first(dialect.call_close)}")
    return "<|start|>assistant".join(messages)


def _content(dialect: Dialect, body: HarmonyBody, call: Mapping[str, Any]) -> str:
    if body.body_markup:
        return write_tagged(dialect, body, [call])
    if body.argument is None:
        return json_text(call["arguments"])
    return write_arguments(body.argument, dict(sorted(call["arguments"].items())), body.trim)


GRAMMAR = Grammar(read=read, write=write)
