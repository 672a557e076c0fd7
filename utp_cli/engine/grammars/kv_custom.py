"""Gemma's own grammar: `call:NAME{key:value,…}`, strings between two tokens of the model's vocabulary.

    call = open NAME "{" [ KEY ":" value *( "," KEY ":" value ) ] "}" space close

Keys are bare words (some checkpoints delimit them like strings); lists and objects nest; numbers and literals are
bare. What stands in the braces is read by `literals`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.engine.grammars.literals import WORD, Fault, Literals, broken
from utp_cli.engine.grammars.progress import ArgumentsProgress
from utp_cli.engine.grammars.tagged_json import close
from utp_cli.engine.grammars.writing import first, json_text
from utp_cli.engine.reading import HEADER_LIMIT, Context, Declined, Grammar, MarkerRead, RawCall, Waiting, skip_space
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import pointer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.bodies import DelimitedBody
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source

_AGAIN = "call:"
"""What the next call between the same markers begins with."""
_NAME = regex(r"\s*([\w.:/-]{1,200})\s*\{")


def read(source: Source, opened: Hit, context: Context[DelimitedBody]) -> Waiting[MarkerRead | Declined]:
    """Read one call, or several between one pair of markers. Declines where no name with a brace behind it follows."""
    calls: list[RawCall] = []
    end = opened.end
    while True:
        read_one = yield from _call(source, end, context, live=not calls)
        if isinstance(read_one, Declined):
            if not calls:
                return read_one
            source.rewind(end)  # it may have been read past
            return (yield from close(source, opened.end, end, calls, context))
        calls.append(read_one)
        end = read_one.payload[1]
        ahead = yield from skip_space(source, end)
        while not source.closed and _AGAIN.startswith(source.slice(ahead, source.length)):
            yield
        if read_one.lack != "nothing" or not source.startswith(_AGAIN, ahead):
            return (yield from close(source, opened.end, end, calls, context))
        end = ahead + len(_AGAIN)


def _call(source: Source, begin: int, context: Context[DelimitedBody], *, live: bool) -> Waiting[RawCall | Declined]:
    """Read a name and its arguments. `live`: somebody hears of it."""
    while True:
        name = _NAME.match(source.window, begin - source.base)
        if name or source.closed or source.length - begin > HEADER_LIMIT:
            break
        yield
    if name is None:
        return Declined("no name and brace behind the marker")
    if live:
        context.live.name(name[1])
    start = source.base + name.end()
    progress = ArgumentsProgress(context.live, start - 1) if live else None
    literals = Literals(source, context.body.quote, progress)
    try:
        frame, end, whole = yield from literals.arguments(start, "}")
    except Fault as fault:
        if live and literals.reached - begin <= HEADER_LIMIT:
            return Declined(str(fault))
        return broken(name[1], begin, literals.reached, fault)
    if progress:
        progress.up_to(end)
    text, quote = source.slice(start, end).rstrip(), context.body.quote
    quoted = text.endswith(quote) and text.count(quote) % 2 == 0  # the last one closes a string
    return RawCall(
        name=name[1], arguments=frame.pairs, repairs=literals.repairs, payload=(begin, end),
        partial=[pointer(*literals.cut)] if literals.cut else [],
        lack="nothing" if whole else "closers" if quoted else "more",
        reason="a value without a key" if whole and frame.items else "",
    )  # fmt: skip


def write(dialect: Dialect, body: DelimitedBody, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write calls with delimited strings and, where they are words, bare keys."""
    opening, closing = first(dialect.call_open), first(dialect.call_close)
    return "".join(f"{opening}{call['name']}{_literal(call['arguments'], body.quote)}{closing}" for call in calls)


def _literal(value: Any, quote: str) -> str:
    if isinstance(value, str):
        return f"{quote}{value}{quote}"
    if isinstance(value, list):
        return f"[{','.join(_literal(item, quote) for item in value)}]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{_key(key, quote)}:{_literal(item, quote)}" for key, item in value.items()) + "}"
    return json_text(value)


def _key(key: str, quote: str) -> str:
    return key if WORD.fullmatch(key) else f"{quote}{key}{quote}"


GRAMMAR = Grammar(read=read, write=write, cannot=("own-tags",))
