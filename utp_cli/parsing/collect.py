"""Candidates of all rungs → the calls of the answer: merged, named, checked, numbered."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from utp_cli.parsing.repeats import LONG, told_repeats
from utp_cli.protocol.calls import NOT_MEANT, SURENESS, Note, Rejected, Repair, ToolCall
from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.records import MutableRecord, field, replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.parsing.candidates import Candidate
    from utp_cli.protocol.calls import Problem, RepairConfidence, Standing
    from utp_cli.protocol.tools import Tool

UNSURE = "unsure-call"
"""The note on a call that may be only shown."""


class Collected(MutableRecord):
    """What the candidates of an answer became."""

    calls: list[ToolCall] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def merged(native: Sequence[Candidate], markup: Sequence[Candidate]) -> list[Candidate]:
    """Native calls, then markup calls that no native call equals; each native call outranks one."""
    if not (native and markup):
        return [*native, *markup]
    left = Counter(_key(c) for c in native if not c.reason)
    out = list(native)
    for candidate in markup:
        key = _key(candidate)
        if candidate.reason is None and left[key]:
            left[key] -= 1
        else:
            out.append(candidate)
    return out


def _key(candidate: Candidate) -> str:
    try:
        return f"{candidate.name}\0{json_dumps(candidate.arguments, sort_keys=True)}"
    except (TypeError, ValueError, RecursionError):  # too deep or too long to be written: as it was written
        return f"{candidate.name}\0{candidate.raw}"


def collect(
    candidates: Sequence[Candidate], tools: Mapping[str, Tool] | None, least: RepairConfidence, *, checked: bool = True
) -> Collected:
    """Make the candidates calls and rejected calls, with their repairs.

    Unless `checked`, nothing is held against the tools: names and arguments stay as they were written.
    """
    result = Collected()
    ids = _Ids({c.id for c in candidates if c.id is not None})
    for candidate in candidates:
        long = len(candidate.raw) > LONG  # then its colons are not counted
        if long or candidate.raw.count(":") > len(candidate.arguments) > 0:  # else no key can stand there twice
            candidate.repairs += told_repeats(candidate.raw, candidate.arguments, candidate.repairs)
        valid, problems = _checked(candidate, tools if checked else None)
        repairs = candidate.repairs
        if repairs and candidate.reason is None and any(_below(repair, least) for repair in repairs):
            candidate.reason = "doubtful"
        reason = candidate.reason
        if tools and valid is None and checked and reason not in ("intent", "malformed") and candidate.name in tools:
            result.notes.append(_unchecked(candidate))
        if reason is None and candidate.standing == "unsure":
            result.notes.append(_unsure(candidate))
        if repairs:
            number = None if reason else len(result.calls)
            result.repairs += [replace(repair, call=number) for repair in repairs]
        common: dict[str, Any] = {
            "name": candidate.name,
            "arguments": candidate.arguments,
            "id": ids.of(candidate),
            "server": candidate.server,
            "rung": candidate.rung,
            "parser": candidate.parser,
            "pointer": candidate.pointer,
            "span": candidate.span,
            "standing": _standing(candidate) if reason else candidate.standing,
            "valid": valid,
            "problems": problems,
            "repairs": tuple(range(len(result.repairs) - len(repairs), len(result.repairs))) if repairs else (),
            "raw": candidate.raw,
            "signature": candidate.signature,
            "text_due": candidate.text_due,
        }
        if reason or candidate.name is None:
            partial = tuple(candidate.partial)
            result.rejected.append(Rejected(reason=reason or "malformed", partial=partial, **common))
        else:
            result.calls.append(ToolCall(**common))
    return result


def _below(repair: Repair, least: RepairConfidence) -> bool:
    return SURENESS.index(repair.confidence) < SURENESS.index(least)


def _standing(candidate: Candidate) -> Standing:
    if candidate.reason == "shown":
        return "shown"
    return "unsure" if candidate.reason in NOT_MEANT else candidate.standing


def _unsure(candidate: Candidate) -> Note:
    why = f": {candidate.doubt}" if candidate.doubt else ""
    message = f"{candidate.name}: nothing tells whether the call was made or only shown{why}"
    return Note(code=UNSURE, message=message, pointer=candidate.pointer, span=candidate.span)


def _unchecked(candidate: Candidate) -> Note:
    message = f"{candidate.name}: its schema has too many ways through it, so the arguments were not checked"
    return Note(code="schema-too-large", message=message, pointer=candidate.pointer)


def _checked(candidate: Candidate, tools: Mapping[str, Tool] | None) -> tuple[bool | None, tuple[Problem, ...]]:
    """Check a candidate against the tools; mend its name and types where only one reading fits."""
    unread = candidate.reason == "malformed" and not candidate.arguments
    if tools is None or candidate.hosted or candidate.name is None or candidate.reason == "intent" or unread:
        return None, ()
    # Validation is the one part of the road with a compiled library behind it: loaded for who knows tools.
    from utp_cli.repair.names import known_name  # noqa: PLC0415
    from utp_cli.validation.arguments import check_arguments  # noqa: PLC0415

    if candidate.name not in tools:
        candidate.name, repair = known_name(candidate.name, tools)
        candidate.repairs += [repair] if repair else []
    checked = check_arguments(candidate.name, candidate.arguments, tools, source=candidate.raw)
    if candidate.reason is None:
        candidate.arguments = checked.arguments
        candidate.repairs += checked.repairs
    return checked.valid, checked.problems


class _Ids:
    """Gives every call an id: the wire's, else `call_N`, never one that the wire gave to another."""

    def __init__(self, taken: set[Any]) -> None:
        self._taken = taken
        self._next = 0

    def of(self, candidate: Candidate) -> str | int:
        if candidate.id is not None:
            return candidate.id
        while True:
            made = f"call_{self._next}"
            self._next += 1
            if made not in self._taken:
                return made
