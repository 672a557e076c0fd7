"""Raw code up to the end of the answer: the one argument of the one tool that it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.engine.grammars.writing import first
from utp_cli.engine.layout import TextRun
from utp_cli.engine.reading import Context, Declined, Grammar, MarkerRead, RawCall, Waiting, next_hit
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.bodies import CodeBody
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source

_CALL = regex(
    r"""\s*\[?\s*\{\s*["']name["']\s*:\s*(?:"[^"\n]{1,200}"|'[^'\n]{1,200}')\s*,\s*["'](?:parameters|arguments)["']\s*:"""
)
"""How a call in JSON begins. Broken or not, it is no code."""


def read(source: Source, opened: Hit, context: Context[CodeBody]) -> Waiting[MarkerRead | Declined]:
    """Read everything up to an end-of-turn token. Declines where the tool is not among those known."""
    name = context.body.fixed_name
    if context.tools is not None and name not in context.tools:
        return Declined(f"no tool called {name}")
    context.live.name(name)
    hit = yield from next_hit(source, context.local, opened.end)
    end = hit.start if hit else source.length
    code = source.slice(opened.end, end)
    if not code.strip():
        return Declined("no code behind the marker")
    if _CALL.match(code):
        return Declined("a call in JSON, which another dialect reads")
    context.live.arguments(opened.end, end)
    call = RawCall(name=name, arguments={context.body.argument_keys[0]: code}, payload=(opened.end, end))
    source.rewind(end)
    return MarkerRead(calls=[call], end=end, runs=[TextRun("call", opened.end, end)], closed=hit is not None)


def write(dialect: Dialect, body: CodeBody, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write the code of the first call; there is room for no other."""
    return first(dialect.call_open) + str(calls[0]["arguments"].get(body.argument_keys[0], ""))


GRAMMAR = Grammar(read=read, write=write, cannot=("own-tags", "one-argument", "several-calls", "text-around"))
