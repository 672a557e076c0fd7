"""What a server's own parser is known to make of an answer: its damage is judged, the measured table says the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.facts.engine_outcomes import DAMAGES, ENGINES, OUTCOMES, measured
from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from utp_cli.facts.engine_outcomes import Measured
    from utp_cli.protocol.calls import ParseResult

_WORST = [*OUTCOMES]


class EngineReading(Record):
    """What one engine's parser returns for calls of one dialect."""

    engine: str
    version: str
    measured: str
    """Year and month."""
    dialect: str
    parser: str | None
    """The name in the engine's command line; None where no measured parser reads this dialect."""
    damage: tuple[str, ...] = ()
    """What this text has, of `DAMAGES`."""
    cause: str | None = None
    """The damage with the worst outcome."""
    outcome: str | None = None
    """One of `OUTCOMES`; None where it is not known."""
    message: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "engine": self.engine,
            "version": self.version,
            "measured": self.measured,
            "dialect": self.dialect,
            "parser": self.parser,
            "damage": list(self.damage),
            "cause": self.cause,
            "outcome": self.outcome,
            "message": self.message,
        }


def damages_of(result: ParseResult) -> list[str]:
    """Return what is damaged or unusual about the markup of an answer: keys of `DAMAGES`, in their order."""
    found = set(_unusual(result))
    if "cut" not in found:  # what was put in at the end of a cut text is the cut
        found |= {repair.code for repair in result.repairs}
    return [damage for damage in DAMAGES if damage in found]


def _unusual(result: ParseResult) -> Iterator[str]:
    read = [call for call in (*result.calls, *result.rejected) if call.rung == "markup"]
    if any(call.reason == "truncated" for call in result.rejected):
        yield "cut"
    if len(read) > 1:
        yield "two-calls"
    if any(problem.code == "unknown-tool" for call in read for problem in call.problems):
        yield "unknown-tool"
    if any(not call.arguments and not call.repairs for call in result.calls):
        yield "no-arguments"
    spans = [call.span for call in read if call.span]
    for segment in result.segments:
        text = result.texts.get(segment.pointer, "")[slice(*segment.span)]
        if segment.kind == "text" and text.strip() and spans:
            yield "text-before" if segment.span[0] < min(spans)[0] else "text-after"


def engine_readings(result: ParseResult, engines: Sequence[str], parser: str | None = None) -> list[EngineReading]:
    """Return what each engine is known to return for the calls of an answer that stand in its text.

    One for each engine and dialect; none where no call stands in the text. `parser`: the name that the engine was
    started with, which counts where it reads the dialect; else the engine's first.
    """
    calls = [call for call in (*result.calls, *result.rejected) if call.rung == "markup"]
    dialects = dict.fromkeys(call.parser for call in calls)
    damage = tuple(damages_of(result))
    table = measured() if dialects else []
    return [_reading(table, engine, dialect, damage, parser) for engine in engines for dialect in dialects]


def _reading(
    table: list[Measured], engine: str, dialect: str, damage: tuple[str, ...], parser: str | None
) -> EngineReading:
    rows = [row for row in table if row.engine == engine and row.dialect == dialect]
    row = next((row for row in rows if row.parser == parser), rows[0] if rows else None)
    of_engine = next(row for row in table if row.engine == engine)
    known = {one: row.outcomes[one] for one in damage if one in row.outcomes} if row else {}
    cause = min(known, key=lambda one: _WORST.index(known[one]), default=None)
    unknown = [DAMAGES[one] for one in damage if one not in known]
    outcome = known[cause] if cause else None if damage or not row else "reads"
    if not row:
        message = f"{ENGINES[engine]}: no parser of it was measured on `{dialect}`"
    elif outcome is None or (outcome == "reads" and unknown):
        outcome = None
        message = f"{ENGINES[engine]}'s `{row.parser}`: not measured where {', and '.join(unknown)}"
    else:
        why = f" ({DAMAGES[cause]})" if cause and outcome != "reads" else ""
        message = f"{ENGINES[engine]}'s `{row.parser}` {OUTCOMES[outcome]}{why}"
    return EngineReading(
        engine=engine,
        version=of_engine.version,
        measured=of_engine.date,
        dialect=dialect,
        parser=row.parser if row else None,
        damage=damage,
        cause=cause if outcome not in (None, "reads") else None,
        outcome=outcome,
        message=message,
    )
