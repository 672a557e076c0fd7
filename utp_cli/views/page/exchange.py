"""One answer, worked out for its template: what is said of it, its calls, its texts, and ids that join them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from operator import is_
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.calls import Rejected
from utp_cli.protocol.spans import pointer_parts
from utp_cli.views.json import line
from utp_cli.views.lines import Screen, counted, place
from utp_cli.views.page.asked import asked
from utp_cli.views.page.changes import pairs, repaired
from utp_cli.views.page.marking import Box, Mark, stretches
from utp_cli.views.pretty import signature
from utp_cli.views.verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from utp_cli.protocol.calls import ParseResult, Repair, ToolCall
    from utp_cli.protocol.findings import Finding
    from utp_cli.protocol.spans import Segment
    from utp_cli.replaying.compare import Compared
    from utp_cli.views.page.asked import AskedMessage
    from utp_cli.views.page.changes import CallPair, TextChange
    from utp_cli.views.page.marking import Stretch

SIGNS = ("lost", "look", "repaired", "good")
"""How an answer can have gone, worst first; names of `views.lines.Signs`."""
OF_STATUS = {"regressed": "lost", "error": "lost", "changed": "look"}
"""The sign of a comparison that is not as it should be."""
MOST = 100
"""Entries of one list of one answer: calls, repairs, messages."""
MOST_TEXTS = 24
_SIGNATURES, _LINE = 3, 110
"""Calls that are named in the row of an answer, and the characters of each."""
WHY = {
    "truncated": "cut off; never run it",
    "malformed": "no repair makes a call of it",
    "doubtful": "it rests on a repair that was not to be trusted",
    "in-reasoning": "thought, not said",
    "shown": "quoted or explained, not made",
    "intent": "prose announces it",
}
"""What each reason of rejection means for who wanted the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEntry:
    """An answer that is to stand on the page."""

    result: ParseResult
    compared: Compared | None = None
    """Where it was replayed."""
    label: str
    """Its number."""
    name: str
    """What other parts of the page call it."""
    command: str = ""
    """What shows this answer in a terminal."""

    @property
    def sign(self) -> str:
        """Return the worse of how it was read and how it compares."""
        kept = "lost" if self.compared and self.compared.delivery_lost else "good"
        signs = [verdict(self.result).sign, OF_STATUS.get(self.status, "good"), kept]
        return min(signs, key=SIGNS.index)

    @property
    def status(self) -> str:
        return self.compared.status if self.compared else ""

    @property
    def facts(self) -> list[str]:
        """What it was: short words in a row."""
        result, elapsed = self.result, self.compared.exchange.elapsed if self.compared else None
        spent = result.facts.completion_tokens
        return [
            *([] if self.compared or self.name == self.label else [self.name]),
            f"{result.shape} stream" if result.stream else result.shape,
            *([result.model] if result.model else []),
            *([f"stop: {result.finish_reason}".removesuffix(": stop")] if result.finish_reason else []),
            *([f"{elapsed:,.2f} s"] if elapsed is not None else []),
            *([f"{spent:,} tokens"] if spent is not None else []),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An argument of a call."""

    name: str
    value: Any
    cut_off: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A call, accepted or rejected."""

    call: ToolCall
    anchor: str
    place: str
    """Where it stands, in words."""
    target: str
    """The id of that place; `""` where it is not shown."""
    arguments: list[Argument]
    more: int
    reason: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One place of a repair."""

    anchor: str
    target: str
    """The id of the place in the text; where that is not shown, of the call."""
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Repairs:
    """Repairs that are alike, with the first as the example."""

    repair: Repair
    change: TextChange
    sites: list[Site]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """A diagnosis with the id of the place it points at, `""` where that is not shown."""

    finding: Finding
    anchor: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnText:
    """A text as it was written."""

    title: str
    length: int
    stretches: list[Stretch]


@dataclass(kw_only=True)
class DrawnExchange:
    """An answer, drawn. Lists that are too long are cut; `more` says by how much."""

    anchor: str
    entry: AnswerEntry
    text: str
    signatures: list[str] = field(default_factory=list)
    """The first calls, a line each."""
    diagnoses: list[Diagnosis] = field(default_factory=list)
    pairs: list[CallPair] = field(default_factory=list)
    asked: list[AskedMessage] = field(default_factory=list)
    calls: list[Called] = field(default_factory=list)
    rejected: list[Called] = field(default_factory=list)
    repairs: list[Repairs] = field(default_factory=list)
    passages: list[DrawnText] = field(default_factory=list)
    ladder: list[tuple[Any, int]] = field(default_factory=list)
    """An attempt, and how many others say the same."""
    more: dict[str, int] = field(default_factory=dict)


def exchange(entry: AnswerEntry, anchor: str) -> DrawnExchange:
    """Work out an answer. Ids on the page begin with `anchor`."""
    result, compared = entry.result, entry.compared
    passages, shown = _passages(result, anchor)
    messages = asked(compared.exchange.request) if compared else []
    lists: dict[str, Sequence[Any]] = {
        "calls": result.calls, "rejected": result.rejected, "diagnoses": result.diagnoses,
        "repairs": result.repairs, "server calls": result.server_calls, "notes": result.notes,
        "messages": messages,
    }  # fmt: skip
    more = {name: len(entries) - MOST for name, entries in lists.items() if len(entries) > MOST}
    more |= {"texts": left_out} if (left_out := len(_texts(result, anchor)) - MOST_TEXTS) > 0 else {}
    return DrawnExchange(
        anchor=anchor,
        entry=entry,
        text=verdict(result).text,
        signatures=[_signature(call) for call in result.calls[:_SIGNATURES]],
        diagnoses=[
            Diagnosis(
                finding=finding,
                anchor=f"{anchor}d{at}",
                target=_if_shown(_box_of(finding, result, anchor) or f"{anchor}d{at}p", shown),
            )
            for at, finding in enumerate(result.diagnoses[:MOST])
        ],
        pairs=pairs(compared.lost[:MOST], compared.found[:MOST]) if compared else [],
        asked=messages[-MOST:],
        calls=[_called(call, f"{anchor}c{at}", shown) for at, call in enumerate(result.calls[:MOST])],
        rejected=[_called(call, f"{anchor}x{at}", shown) for at, call in enumerate(result.rejected[:MOST])],
        repairs=list(_repairs(result, anchor, shown)),
        passages=passages,
        ladder=_ladder(result),
        more=more,
    )


def _signature(call: ToolCall) -> str:
    return signature(call.name, dict(islice(call.arguments.items(), _LINE)), Screen(), _LINE)


def _if_shown(anchor: str, shown: set[str]) -> str:
    return anchor if anchor in shown else ""


def _called(call: ToolCall, anchor: str, shown: set[str]) -> Called:
    reason = call.reason if isinstance(call, Rejected) else ""
    broken = {parts[0] for parts in map(pointer_parts, call.partial) if parts} if isinstance(call, Rejected) else ()
    where = place(call.pointer).rsplit(".", 1)[-1] if call.span else place(call.pointer)
    return Called(
        call=call,
        anchor=anchor,
        place=f"{where} {call.span[0]:,}–{call.span[1]:,}" if call.span else where,
        target=_if_shown(f"{anchor}p", shown),
        arguments=[
            Argument(name=name, value=value, cut_off=name in broken)
            for name, value in islice(call.arguments.items(), MOST)
        ],
        more=max(len(call.arguments) - MOST, 0),
        reason=reason,
        why=WHY.get(reason, ""),
    )


def _repairs(result: ParseResult, anchor: str, shown: set[str]) -> Iterator[Repairs]:
    """Group repairs that changed the same in the same way."""
    owners = _owners(result)
    names = {id(call): name for name, call in _named_calls(result, anchor)}
    groups: dict[Any, list[tuple[int, Repair]]] = {}
    for at, repair in enumerate(result.repairs[:MOST]):
        key = (repair.code, line(repair.before), line(repair.after), repair.confidence)
        groups.setdefault(key, []).append((at, repair))
    for group in groups.values():
        at, first = group[0]
        owner = owners.get(at)
        yield Repairs(
            repair=first,
            change=repaired(first, _text_of(result, owner) if owner else ""),
            sites=[
                Site(
                    anchor=f"{anchor}r{at}",
                    target=_if_shown(f"{anchor}r{at}p", shown) or names.get(id(owners.get(at)), ""),
                    words=f"{repair.span[0]:,}" if repair.span else repair.pointer or "",
                )
                for at, repair in group
            ],
        )


def _named_calls(result: ParseResult, anchor: str) -> list[tuple[str, ToolCall]]:
    """Return the calls that are drawn, accepted and rejected, each with its id on the page."""
    kinds: tuple[tuple[str, Sequence[ToolCall]], ...] = (("c", result.calls), ("x", result.rejected))
    return [(f"{anchor}{kind}{at}", call) for kind, calls in kinds for at, call in enumerate(calls[:MOST])]


def _owners(result: ParseResult) -> dict[int, ToolCall]:
    """Say for each repair which call it belongs to."""
    return {at: call for call in (*result.rejected, *result.calls) for at in call.repairs}


def _text_of(result: ParseResult, call: ToolCall) -> str:
    """Return the text that the spans of a call's repairs count in."""
    return call.raw if call.rung == "native" else result.texts.get(call.pointer, "")


def _ladder(result: ParseResult) -> list[tuple[Any, int]]:
    groups: dict[Any, list[Any]] = {}
    for attempt in result.attempts:
        groups.setdefault((attempt.rung, attempt.outcome, attempt.reason), []).append(attempt)
    return [(group[0], len(group) - 1) for group in groups.values()][:MOST]


# -- texts -------------------------------------------------------------------------------------------------------


def _passages(result: ParseResult, anchor: str) -> tuple[list[DrawnText], set[str]]:
    """Draw every text that was read, then the arguments of native calls; return also the ids that are shown."""
    by_pointer: dict[str, list[Segment]] = {}
    for segment in result.segments:
        by_pointer.setdefault(segment.pointer, []).append(segment)
    passages: list[DrawnText] = []
    shown: set[str] = set()
    for pointer, text, native in _texts(result, anchor)[:MOST_TEXTS]:
        if native:
            segments, boxes = [], [_box(*native)]
            marks = [*_marks(result, anchor, partial(is_, native[1]))]
        else:
            here = [pair for pair in _named_calls(result, anchor) if pair[1].pointer == pointer and pair[1].span]
            segments, boxes = by_pointer.get(pointer, []), [_box(*pair) for pair in here]
            marks = [*_marks(result, anchor, _of(pointer)), *_sights(result, anchor, pointer)]
        drawn, ids = stretches(text, segments, boxes, marks)
        passages.append(DrawnText(title=place(pointer) if pointer else "raw text", length=len(text), stretches=drawn))
        shown |= ids
    return passages, shown


def _texts(result: ParseResult, anchor: str) -> list[tuple[str, str, tuple[str, ToolCall] | None]]:
    """Return what was written: pointer and text; with the arguments of a native call the call and its id."""
    calls = [pair for pair in _named_calls(result, anchor) if pair[1].rung == "native" and pair[1].raw]
    return [
        *((pointer, text, None) for pointer, text in result.texts.items() if text.strip()),
        *((pair[1].pointer, pair[1].raw, pair) for pair in calls),
    ]


def _of(pointer: str) -> Callable[[ToolCall], bool]:
    return lambda call: call.rung != "native" and call.pointer == pointer


def _box(anchor: str, call: ToolCall) -> Box:
    span = call.span or (0, len(call.raw))
    reason = call.reason if isinstance(call, Rejected) else ""
    title = " · ".join(part for part in (call.name or "?", call.parser, reason) if part)
    return Box(span=span, anchor=f"{anchor}p", target=anchor, title=title, kept=not reason)


def _marks(result: ParseResult, anchor: str, wanted: Callable[[ToolCall], bool]) -> Iterator[Mark]:
    for at, call in sorted(_owners(result).items()):
        if at < MOST and (span := result.repairs[at].span) and wanted(call):
            repair = result.repairs[at]
            yield Mark(
                span=span,
                anchor=f"{anchor}r{at}p",
                target=f"{anchor}r{at}",
                title=f"{repair.code}: {repair.message} ({repair.confidence})",
                sign="repaired",
            )


def _sights(result: ParseResult, anchor: str, pointer: str) -> Iterator[Mark]:
    """Yield the places that diagnoses point at, but for whole calls, which have their boxes."""
    for at, finding in enumerate(result.diagnoses[:MOST]):
        here = finding.place.span and finding.place.pointer == pointer
        if finding.place.span and here and not _box_of(finding, result, anchor):
            yield Mark(
                span=finding.place.span,
                anchor=f"{anchor}d{at}p",
                target=f"{anchor}d{at}",
                title=f"{finding.code}: {finding.message}",
                sign="lost" if finding.severity == "error" else "look",
            )


def _box_of(finding: Finding, result: ParseResult, anchor: str) -> str:
    """Return the id of the box of the first call that a diagnosis points at as a whole; `""` where there is none."""
    span = finding.place.span
    return next(
        (
            f"{name}p"
            for name, call in _named_calls(result, anchor)
            if span and call.span and call.pointer == finding.place.pointer
            and span[0] <= call.span[0] and call.span[1] <= span[1]
        ),
        "",
    )  # fmt: skip


def words_of(entry: AnswerEntry) -> str:
    """Say what is not as it was, in a few words."""
    if not entry.compared:
        return ""
    both = pairs(entry.compared.lost[:MOST], entry.compared.found[:MOST])
    told = [
        f"{_names([pair.name for pair in group])} {state}"
        for state in ("lost", "changed", "found")
        if (group := [pair for pair in both if pair.state == state])
    ]
    if entry.compared.undelivered and not entry.compared.lost:
        accepted = "" if entry.compared.delivery_lost else ", accepted"
        told.append(f"{_names([call['name'] for call in entry.compared.undelivered])} not delivered{accepted}")
    return "; ".join(told) or entry.result.facts.error or ""


def _names(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {counted(len(names) - 3, 'other')}" if len(names) > 3 else "")
