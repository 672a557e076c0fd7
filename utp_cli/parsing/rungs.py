"""Rungs 2 and 4: markup that the engines found, and prose that announces a call."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from utp_cli.engine.reading import missing_close
from utp_cli.parsing.candidates import Candidate, Ending, breaks_off
from utp_cli.protocol.calls import Attempt, Note
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.engine.found import Declining, FoundCall
    from utp_cli.parsing.text_fields import TextField, TextFields
    from utp_cli.protocol.calls import Rung
    from utp_cli.protocol.tools import Tool

INTENT_PARSER = "intent"


def markup_candidate(
    text_field: TextField, found: FoundCall, end: Ending, before: Candidate | None = None
) -> Candidate:
    """Turn a call that an engine found into a candidate: cut off, merely unclosed, thought, or whole.

    `before`: the candidate before it. Calls of one payload share its text.
    """
    call, skip = found.call, text_field.engine.skip
    begin, stop = max(call.payload[0] - skip, 0), call.payload[1] - skip
    shared = before is not None and before.payload == (begin, stop) and before.pointer == text_field.pointer
    candidate = Candidate(
        rung="markup", parser=found.dialect.name, name=call.name, arguments=call.arguments, id=call.id,
        server=call.server, pointer=text_field.pointer, span=(max(found.start - skip, 0), found.end - skip),
        raw=before.raw if before and shared else text_field.engine.text[begin:stop], payload=(begin, stop),
        repairs=[repair.moved(-skip) for repair in call.repairs], opening=found.marker,
        partial=list(call.partial),
    )  # fmt: skip
    if breaks_off(call.lack, closed=found.closed, at_end=found.at_end, end=end):
        candidate.reason = "truncated"
    elif call.reason or call.name is None:
        candidate.reason = "malformed"
    elif not (found.closed or found.dialect.close_optional):
        candidate.repairs.append(missing_close(found.end - skip, found.dialect.closer_of(found.marker)))
    if found.thought:
        candidate.reason = "in-reasoning"
    elif found.standing == "shown" and candidate.reason is None:
        candidate.reason = "shown"
    candidate.standing = found.standing
    return candidate


_ANNOUNCING = regex(
    r"\b(?:I['’]ll|I will|I['’]m going to|I am going to|let me|I need to|I should|going to)\b[^.!?\n]{0,200}",
    re.IGNORECASE,
)
_WRITTEN = regex(r"^[ \t>]{0,8}\[?(?P<name>[A-Za-z_][\w.-]{0,127})\([^\n]*\)\]?[ \t]*$", re.MULTILINE)
"""A call as Python writes it, on a line of its own: beside prose it is an announcement as well."""
_LAST = 600
"""Characters at the end of a text in which an announcement counts: what is said earlier has had its turn."""


_FILE_NAME = regex(r"\s*[\w./\\:~-]{1,200}\.(?:jsonl?|ndjson|sse|har)\s*\Z", re.IGNORECASE)


def file_name_notes(text_fields: TextFields) -> list[Note]:
    """Raw text that is nothing but the name of a file that holds answers. No file is looked up."""
    for text_field in text_fields:
        if not text_field.pointer and _FILE_NAME.match(text_field.engine.text):
            name = text_field.engine.text.strip()
            message = f"{name} looks like a file's name: utp parse {name}; in Python parse(Path({name!r}).read_bytes())"
            return [Note(code="file-name", message=message, span=(0, len(text_field.engine.text)))]
    return []


def intent_candidates(text_fields: TextFields, tools: Mapping[str, Tool] | None) -> list[Candidate]:
    """Rung 4: prose that says it will call a known tool. Only ever rejected."""
    candidates = []
    for text_field in text_fields if tools else ():
        if text_field.kind != "text":
            continue
        name, announcing = _announced(text_field.engine.text, tools or {})
        if announcing:
            candidates.append(
                Candidate(
                    rung="heuristic", parser=INTENT_PARSER, name=name, arguments={}, pointer=text_field.pointer,
                    span=announcing.span(), raw=announcing[0], reason="intent",
                )
            )  # fmt: skip
    return candidates


def _announced(text: str, tools: Mapping[str, Tool]) -> tuple[str | None, re.Match[str] | None]:
    """Return the tool that the text says it will call, and where; a call written out in prose comes first."""
    for written in _WRITTEN.finditer(text):
        if written["name"] in tools:
            return written["name"], written
    for announcing in _ANNOUNCING.finditer(text, max(0, len(text) - _LAST)):
        for name in tools:
            if re.search(rf"\b{re.escape(name)}\b", announcing[0]):
                return name, announcing
    return None, None


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
    alike: set[tuple[str, str]] = set()
    for declining in declined:
        # Siblings share markers and grammar: one of them speaks for all.
        same = (declining.marker, declining.reason)
        if declining.dialect not in told and (same not in alike or declining.dialect in asked):
            told.add(declining.dialect)
            alike.add(same)
            reason = f"{declining.marker.strip()} at {declining.position}: {declining.reason}"
            attempts.append(Attempt(rung="markup", parser=declining.dialect, outcome="declined", reason=reason))
    absent = [name for name in asked if name not in told] or ([] if attempts else ["auto"])
    reason = "no opening marker in the text"
    return attempts + [vain_attempt("markup", name, "declined", reason) for name in absent]


@lru_cache(maxsize=64)
def vain_attempt(rung: Rung, parser: str, outcome: Literal["declined", "skipped"], reason: str) -> Attempt:
    """Return an attempt that brought nothing. Kept: every answer has two or three, and they are much alike."""
    return Attempt(rung=rung, parser=parser, outcome=outcome, reason=reason)
