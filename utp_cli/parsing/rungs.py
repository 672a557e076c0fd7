"""Rungs 2 to 4: what the texts hold. Rungs 3 and 4 look at the whole text that no higher rung claimed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from utp_cli.engine.reading import missing_close
from utp_cli.parsing.candidates import Candidate, Ending, breaks_off
from utp_cli.protocol.calls import Attempt
from utp_cli.repair.reader import JsonReader
from utp_cli.repair.shape import Form, ShapedCall, shape_calls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from utp_cli.engine.machine import Declining, Found
    from utp_cli.parsing.lanes import Lane, Lanes
    from utp_cli.protocol.tools import Tool

JSON_PARSER = "json-content"
INTENT_PARSER = "intent"
_FREE_FORM = Form(strict=True)
_OPENING = re.compile(r"[{\[]")
_BLOCK = 4096
"""Characters handed to the reader of JSON at a time."""


def markup_candidate(lane: Lane, found: Found, end: Ending) -> Candidate:
    """Turn a call that an engine found into a candidate: cut off, merely unclosed, thought, or whole."""
    call, skip = found.call, lane.engine.skip
    candidate = Candidate(
        rung="markup", parser=found.dialect.name, name=call.name, arguments=call.arguments, id=call.id,
        server=call.server, pointer=lane.pointer, span=(max(found.start - skip, 0), found.end - skip),
        raw=lane.engine.text[max(call.payload[0] - skip, 0) : call.payload[1] - skip],
        repairs=[repair.moved(-skip) for repair in call.repairs], opening=found.marker,
        partial=list(call.partial),
    )  # fmt: skip
    if breaks_off(call.lack, closed=found.closed, at_end=found.at_end, end=end):
        candidate.reason = "truncated"
    elif call.reason or call.name is None:
        candidate.reason = "malformed"
    elif not found.closed:
        marker = (found.dialect.call_close or ((found.dialect.call.close,) if found.dialect.call else ("",)))[0]
        candidate.repairs.append(missing_close(found.end - skip, marker))
    if found.thought:
        candidate.reason = "in-reasoning"
    return candidate


def json_candidates(lanes: Lanes, tools: Mapping[str, Tool] | None, end: Ending) -> list[Candidate]:
    """Rung 3: JSON in the visible text that has the shape of a call and, where tools are known, names one."""
    return [c for lane in lanes if lane.kind == "text" for c in _json_in(lane, tools, end)]


def _json_in(lane: Lane, tools: Mapping[str, Tool] | None, end: Ending) -> Iterator[Candidate]:
    text = lane.engine.text
    at = 0
    for segment in lane.segments:
        if segment.kind != "text":
            continue
        start, stop = segment.span
        at = max(at, start)
        while (opening := _OPENING.search(text, at, stop)) is not None:
            reader = _read_json(text, opening.start(), stop)
            at = max(reader.end, opening.end())
            if reader.declined or not (tools or _stands_alone(text, opening.start(), at)):
                continue
            for shaped in shape_calls(reader.value, _FREE_FORM, tools):
                if isinstance(shaped, ShapedCall):
                    yield _json_candidate(lane, shaped, reader, (opening.start(), at), end)


def _read_json(text: str, start: int, stop: int) -> JsonReader:
    """Read one value, taking no more of the text than it needs."""
    reader = JsonReader(start=start)
    for at in range(start, stop, _BLOCK):
        if reader.feed(text[at : min(at + _BLOCK, stop)]) or reader.declined:
            return reader
    reader.close()
    return reader


def _json_candidate(
    lane: Lane, shaped: ShapedCall, reader: JsonReader, span: tuple[int, int], end: Ending
) -> Candidate:
    lack = "nothing" if reader.complete else "closers" if reader.only_closers else "more"
    prefix = shaped.arguments_pointer
    return Candidate(
        rung="json", parser=JSON_PARSER, name=shaped.name, arguments=shaped.arguments, id=shaped.id,
        server=shaped.server, pointer=lane.pointer, span=span, raw=lane.engine.text[span[0] : span[1]],
        repairs=[*reader.repairs, *shaped.repairs],
        partial=[p[len(prefix) :] for p in reader.partial if p.startswith(prefix)],
        reason="truncated" if breaks_off(lack, closed=False, at_end=False, end=end) else None,
    )  # fmt: skip


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a value stands on lines of its own, so that it is no example inside a sentence."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    line_end = text.find("\n", end)
    after = text[end : line_end if line_end >= 0 else len(text)]
    return not before.strip(" \t`") and not after.strip(" \t\n\r`;,")


_ANNOUNCING = re.compile(
    r"\b(?:I['’]ll|I will|I['’]m going to|I am going to|let me|I need to|I should|going to)\b[^.!?\n]{0,200}",
    re.IGNORECASE,
)
_LAST = 600
"""Characters at the end of a text in which an announcement counts: what is said earlier has had its turn."""


def intent_candidates(lanes: Lanes, tools: Mapping[str, Tool] | None) -> list[Candidate]:
    """Rung 4: prose that says it will call a known tool. Only ever rejected."""
    candidates = []
    for lane in lanes if tools else ():
        if lane.kind != "text":
            continue
        text = lane.engine.text
        begin = max(0, len(text) - _LAST)
        for announcing in _ANNOUNCING.finditer(text, begin):
            name = next((n for n in tools or () if re.search(rf"\b{re.escape(n)}\b", announcing[0])), None)
            if name:
                candidates.append(
                    Candidate(
                        rung="heuristic", parser=INTENT_PARSER, name=name, arguments={}, pointer=lane.pointer,
                        span=announcing.span(), raw=announcing[0], reason="intent",
                    )
                )  # fmt: skip
                break
    return candidates


def markup_attempts(
    candidates: Sequence[Candidate], declined: Sequence[Declining], asked: Sequence[str]
) -> list[Attempt]:
    """Tell which dialects fired and where, which were there and could not be read, which were asked for in vain."""
    attempts = []
    fired = dict.fromkeys(candidate.parser for candidate in candidates)
    for name in fired:
        mine = [c for c in candidates if c.parser == name]
        span = mine[0].span or (0, 0)
        attempts.append(
            Attempt(
                rung="markup", parser=name, outcome="fired", calls=sum(not c.reason for c in mine),
                reason=f"{mine[0].opening} at {span[0]}",
            )
        )  # fmt: skip
    told = set(fired)
    for declining in declined:
        if declining.dialect not in told:
            told.add(declining.dialect)
            reason = f"{declining.marker.strip()} at {declining.position}: {declining.reason}"
            attempts.append(Attempt(rung="markup", parser=declining.dialect, outcome="declined", reason=reason))
    for name in asked:
        if name not in told:
            attempts.append(
                Attempt(rung="markup", parser=name, outcome="declined", reason="no opening marker in the text")
            )
    return attempts or [Attempt(rung="markup", parser="auto", outcome="declined", reason="no opening marker in the text")]
