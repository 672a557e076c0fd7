"""What is left of a call whose markers the detokeniser dropped (`skip_special_tokens`), in dialects that have a header.

    openai        analysis…assistantcommentary to=functions.NAME json{…}
    kimi_k2       functions.NAME:0{…}
    deepseek_v3   functionNAME, then a code fence with the JSON
    mistral       NAME{…} at the beginning of a line, behind a sentence or behind another call; so does deepseek_v31
    glm45         NAME, then the tags of its arguments; so do all dialects with pairs of tags

Part of rung 3: nothing but the header shows the dialect, so that the confidence is low. A header that plain text may
hold as well counts for a known tool, or where it is all that was said.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from utp_cli.dialects.bodies import PairsBody
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.engine.layout import TextRun
from utp_cli.engine.machine import Engine
from utp_cli.engine.plan import Plan
from utp_cli.parsing.candidates import Candidate, breaks_off
from utp_cli.parsing.json_rung import read_block
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from utp_cli.dialects.spec import Dialect
    from utp_cli.parsing.candidates import Ending
    from utp_cli.parsing.text_fields import TextField, TextFields
    from utp_cli.protocol.spans import Span
    from utp_cli.protocol.tools import Tool


class _BareHeader(Record):
    """What stands before the JSON of a call once the tokens of its dialect are gone."""

    dialect: str
    sign: str
    """What every such header holds: where a text is without it, the pattern is not tried."""
    pattern: re.Pattern[str]
    plain: bool = False
    """Plain text may hold it."""
    alone: bool = False
    """It counts only where nothing stands behind the call."""
    id: str = ""
    behind: re.Pattern[str] | None = None
    """What belongs to the call behind its JSON."""
    tags: bool = False
    """Its arguments stand in tags, not in JSON."""
    last: bool = False
    """Of unknown tools it counts only where nothing but further calls stands behind it."""
    like_tools: bool = False
    """Of unknown tools it counts only for a name that no word of prose is."""


_NAME = r"(?P<name>[A-Za-z_][\w.-]{0,127})"
_WORD = r"(?P<name>[A-Za-z_][\w-]{0,127})"
"""A name behind a sentence has no full stop: the sentence may have run into it."""
_TOOL_LIKE = regex(r"[a-z][a-z0-9]*(?:_|[A-Z])")
"""How the names of tools begin, and words of prose do not."""
_OF_A_LOG = frozenset({"level", "severity", "msg", "ts", "timestamp"})
"""Keys of a line of a log."""
_FAR = 200
"""Characters behind a call that tell whether another one stands there."""
_TRIES = 20
"""Headers in one text behind which no whole call stood: what looks for more is no answer of a model."""
_HEADERS = (
    _BareHeader(
        dialect="openai",
        sign="to=",
        pattern=regex(
            rf"(?:assistant)?(?:analysis|commentary)?\s?\bto=(?:functions\.)?{_NAME}"
            r"\s{0,4}(?:analysis|commentary)?\s{0,4}(?:json|code)?\s{0,4}(?=\{)"
        ),
    ),
    _BareHeader(
        dialect="kimi_k2",
        sign="functions.",
        pattern=regex(rf"\bfunctions\.{_NAME}:(?P<index>\d{{1,6}})\s{{0,4}}(?=\{{)"),
        id="functions.",
    ),
    _BareHeader(
        dialect="deepseek_v3",
        sign="function",
        pattern=regex(
            rf"(?:^|(?<=[.!?:>…`])|(?<=[.!?:] ))function{_NAME}\s{{0,4}}```(?:json)?\s{{0,4}}(?=\{{)", re.MULTILINE
        ),
        behind=regex(r"\s*```"),
        like_tools=True,
    ),
    _BareHeader(
        dialect="mistral",
        sign="TOOL_CALLS",
        pattern=regex(rf"(?<![^.!?:\n])TOOL_CALLS(?=[a-z]){_NAME}(?:ARGS)?(?=\{{)"),
    ),
    _BareHeader(
        dialect="mistral",
        sign="[ARGS]",
        pattern=regex(rf"(?:^|(?<=[\].!?:>…}}])){_WORD}\[ARGS\](?=\{{)", re.MULTILINE),
        last=True,
    ),
    _BareHeader(
        dialect="mistral",
        sign="{",
        pattern=regex(rf"(?:^|(?<=[.!?:…}}])){_NAME}[ \t]{{0,4}}(?=\{{)", re.MULTILINE),
        plain=True,
    ),
    _BareHeader(
        dialect="mistral",
        sign='{"',
        pattern=regex(r"\A\s*(?P<name>[a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}?){1,6})(?:json)?(?=\{\")"),
        alone=True,
    ),
)
_CHANNELS = regex(r"\A\s*analysis(?P<thought>.*?)assistant(?:final|(?=commentary|analysis|\s?to=))", re.DOTALL)


@cache
def _headers() -> tuple[_BareHeader, ...]:
    """Return all of them: those above, and one for each way to tag a key behind the tool's name."""
    by_sign: dict[str, Dialect] = {}
    for dialect in DIALECTS:
        if isinstance(dialect.body, PairsBody) and dialect.call_open:
            by_sign.setdefault(dialect.body.argument.open, dialect)
    return _HEADERS + tuple(
        _BareHeader(
            dialect=dialect.name,
            sign=sign,
            pattern=regex(rf"(?:^|(?<=[\s.!?:>…])){_WORD}(?:[ \t]?\n)?(?={re.escape(sign)}[>=\s])", re.MULTILINE),
            tags=True,
        )
        for sign, dialect in by_sign.items()
    )


def read_stripped(text_fields: TextFields, tools: Mapping[str, Tool] | None, end: Ending) -> list[Candidate]:
    """Find calls that lost their markers; what they and the channels of thinking hold is no text any more."""
    found: list[Candidate] = []
    for text_field in text_fields:
        if text_field.kind == "text" and text_field.segments:
            thinking = _thinking(text_field)
            said_from = thinking[-1].end if thinking else 0
            pieces = [*thinking, *_read_text_field(text_field, said_from, tools, end, found)]
            if pieces:
                text_field.claim(pieces)
    return found


def _thinking(text_field: TextField) -> list[TextRun]:
    """A message on the channel `analysis` before another message."""
    channels = _CHANNELS.match(text_field.engine.text)
    first = text_field.segments[0]
    if channels is None or first.kind != "text" or first.span[1] < channels.end():
        return []
    begin, stop = channels.span("thought")
    pieces = (("markup", 0, begin), ("reasoning", begin, stop), ("markup", stop, channels.end()))
    return [TextRun(kind, left, right) for kind, left, right in pieces if right > left]  # type: ignore[arg-type]


def _read_text_field(
    text_field: TextField, at: int, tools: Mapping[str, Tool] | None, end: Ending, found: list[Candidate]
) -> Iterator[TextRun]:
    """Read the text from `at` on."""
    text = text_field.engine.text
    headers = [header for header in _headers() if header.sign in text and (tools or not header.plain)]
    tries = _TRIES
    for segment in text_field.segments:
        if segment.kind != "text":
            continue
        at, stop = max(at, segment.span[0]), segment.span[1]
        ahead = [(header, header.pattern.search(text, at, stop)) for header in headers]
        while tries:
            ahead = [(h, m if m.start() >= at else h.pattern.search(text, at, stop)) for h, m in ahead if m]
            begun = [(match.start(), header, match) for header, match in ahead if match]
            if not begun:
                break
            _, header, match = min(begun, key=lambda item: item[0])
            at = match.end()
            name = _known(match["name"], tools)
            if name is None:
                continue
            read = _tagged if header.tags else _bare
            call = read(text_field, header, match, name, (at, stop), tools, end)
            sound = call and (tools or _is_no_prose(header, call[0], text))
            tries -= not sound or bool(call and (call[0].reason or call[0].repairs))
            if call is None or not sound:
                continue
            candidate, inner_end = call
            found.append(candidate)
            start, over = candidate.span or (at, at)
            pieces = (("markup", start, at), ("call", at, inner_end), ("markup", inner_end, over))
            yield from (TextRun(kind, left, right) for kind, left, right in pieces if right > left)  # type: ignore[arg-type]
            at = over


def _is_no_prose(header: _BareHeader, call: Candidate, text: str) -> bool:
    """Whether a call of an unknown tool is one: texts that explain a format have the same."""
    over = call.span[1] if call.span else 0
    if header.like_tools and not _TOOL_LIKE.match(call.name or ""):
        return False
    if header.alone:
        return _OF_A_LOG.isdisjoint(call.arguments)
    if header.last:
        behind = text[over : over + _FAR].lstrip()
        return not behind or header.pattern.match(behind) is not None
    if header.tags:
        fenced = text.count("```", 0, call.span[0] if call.span else 0) % 2 == 1
        return not (call.reason or fenced) and bool(call.arguments)
    return True


def _known(name: str, tools: Mapping[str, Tool] | None) -> str | None:
    """Return the name of a known tool; a channel's name may have run into it."""
    if not tools:
        return name
    names = (name, name.removesuffix("commentary"), name.removesuffix("analysis"))
    return next((each for each in names if each in tools), None)


def _bare(
    text_field: TextField,
    header: _BareHeader,
    match: re.Match[str],
    name: str,
    span: Span,
    _tools: Mapping[str, Tool] | None,
    end: Ending,
) -> tuple[Candidate, int] | None:
    """Read the JSON behind a header; return the call, and where the JSON ends."""
    text, (at, stop) = text_field.engine.text, span
    reader, _ = read_block(text, at, stop)
    if reader.declined or not isinstance(reader.value, dict):
        return None
    if header.alone and (text[reader.end :].strip() or not reader.complete):
        return None
    behind = header.behind.match(text, reader.end, stop) if header.behind else None
    over = behind.end() if behind else reader.end
    lack = "nothing" if reader.complete else "closers" if reader.only_closers else "more"
    candidate = Candidate(
        rung="json", parser=header.dialect, name=name, arguments=reader.value,
        id=f"{header.id}{name}:{match['index']}" if header.id else None, pointer=text_field.pointer,
        span=(match.start(), over), raw=text[at : reader.end], repairs=list(reader.repairs),
        partial=list(reader.partial),
        reason="truncated" if breaks_off(lack, closed=False, at_end=False, end=end) else None,
    )  # fmt: skip
    return candidate, reader.end


def _tagged(
    text_field: TextField,
    header: _BareHeader,
    match: re.Match[str],
    name: str,
    span: Span,
    tools: Mapping[str, Tool] | None,
    end: Ending,
) -> tuple[Candidate, int] | None:
    """Read a name and the tags behind it as if the opening marker stood in front; the dialect closes it."""
    dialect, begin = DIALECTS[header.dialect], match.start("name")
    text = text_field.engine.text
    behind = (one for one in header.pattern.finditer(text, *span) if _known(one["name"], tools))
    stop = next((one.start() for one in behind), span[1])  # the next call
    engine = Engine(Plan([dialect], [dialect.name]), tools=tools, tells=False, prompt=dialect.call_open[0])
    engine.feed(text[begin:stop])
    engine.close()
    if not engine.found or engine.found[0].call.name != name:
        return None
    first = engine.found[0]
    moved = begin - engine.skip
    inner_end, over = first.call.payload[1] + moved, first.end + moved
    lack = "nothing" if first.call.lack == "closers" else first.call.lack
    candidate = Candidate(
        rung="json", parser=dialect.name, name=name, arguments=first.call.arguments, pointer=text_field.pointer,
        span=(match.start(), over), raw=text[begin:inner_end],
        repairs=[repair.moved(moved) for repair in first.call.repairs], partial=list(first.call.partial),
        reason="truncated" if breaks_off(lack, closed=first.closed, at_end=first.at_end, end=end) else None,
    )  # fmt: skip
    return candidate, inner_end
