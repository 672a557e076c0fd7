"""What is left of a call whose markers the detokeniser dropped (`skip_special_tokens`), in dialects that have a header.

    openai        analysis…assistantcommentary to=functions.NAME json{…}
    kimi_k2       functions.NAME:0{…}
    deepseek_v3   functionNAME, then a code fence with the JSON
    mistral       NAME{…} at the beginning of a line or behind another call; so does deepseek_v31

Part of rung 3: nothing but the header shows the dialect, so that the confidence is low. A header that plain text may
hold as well counts only for a known tool.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from utp_cli.engine.layout import TextRun
from utp_cli.parsing.candidates import Candidate, breaks_off
from utp_cli.parsing.json_rung import read_block
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from utp_cli.parsing.candidates import Ending
    from utp_cli.parsing.text_fields import TextField, TextFields
    from utp_cli.protocol.tools import Tool
    from utp_cli.repair.reader import JsonReader


class _BareHeader(Record):
    """What stands before the JSON of a call once the tokens of its dialect are gone."""

    dialect: str
    sign: str
    """What every such header holds: where a text is without it, the pattern is not tried."""
    pattern: re.Pattern[str]
    plain: bool = False
    """Plain text may hold it."""
    id: str = ""
    behind: re.Pattern[str] | None = None
    """What belongs to the call behind its JSON."""


_NAME = r"(?P<name>[A-Za-z_][\w.-]{0,127})"
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
        pattern=regex(rf"^function{_NAME}\s{{0,4}}```(?:json)?\s{{0,4}}(?=\{{)", re.MULTILINE),
        behind=regex(r"\s*```"),
    ),
    _BareHeader(
        dialect="mistral",
        sign="TOOL_CALLS",
        pattern=regex(rf"(?<![^.!?:\n])TOOL_CALLS(?=[a-z]){_NAME}(?:ARGS)?(?=\{{)"),
    ),
    _BareHeader(
        dialect="mistral",
        sign="{",
        pattern=regex(rf"(?:^|(?<=}})){_NAME}(?:\[ARGS\])?[ \t]{{0,4}}(?=\{{)", re.MULTILINE),
        plain=True,
    ),
)
_CHANNELS = regex(r"\A\s*analysis(?P<thought>.*?)assistant(?:final|(?=commentary|analysis|\s?to=))", re.DOTALL)


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
    headers = [header for header in _HEADERS if header.sign in text and (tools or not header.plain)]
    for segment in text_field.segments:
        if segment.kind != "text":
            continue
        at, stop = max(at, segment.span[0]), segment.span[1]
        ahead = [(header, header.pattern.search(text, at, stop)) for header in headers]
        while True:
            ahead = [(h, m if m.start() >= at else h.pattern.search(text, at, stop)) for h, m in ahead if m]
            begun = [(match.start(), header, match) for header, match in ahead if match]
            if not begun:
                break
            start, header, match = min(begun, key=lambda item: item[0])
            at = match.end()
            name = _known(match["name"], tools)
            if name is None:
                continue
            reader, _ = read_block(text, at, stop)
            if reader.declined or not isinstance(reader.value, dict):
                continue
            behind = header.behind.match(text, reader.end, stop) if header.behind else None
            over = behind.end() if behind else reader.end
            found.append(_candidate(text_field, header, match, name, reader, over, end))
            pieces = (("markup", start, at), ("call", at, reader.end), ("markup", reader.end, over))
            yield from (TextRun(kind, left, right) for kind, left, right in pieces if right > left)  # type: ignore[arg-type]
            at = over


def _known(name: str, tools: Mapping[str, Tool] | None) -> str | None:
    """Return the name of a known tool; a channel's name may have run into it."""
    if not tools:
        return name
    names = (name, name.removesuffix("commentary"), name.removesuffix("analysis"))
    return next((each for each in names if each in tools), None)


def _candidate(
    text_field: TextField,
    header: _BareHeader,
    match: re.Match[str],
    name: str,
    reader: JsonReader,
    over: int,
    end: Ending,
) -> Candidate:
    lack = "nothing" if reader.complete else "closers" if reader.only_closers else "more"
    return Candidate(
        rung="json", parser=header.dialect, name=name, arguments=reader.value,
        id=f"{header.id}{name}:{match['index']}" if header.id else None, pointer=text_field.pointer,
        span=(match.start(), over), raw=text_field.engine.text[match.end() : reader.end], repairs=list(reader.repairs),
        partial=list(reader.partial),
        reason="truncated" if breaks_off(lack, closed=False, at_end=False, end=end) else None,
    )  # fmt: skip
