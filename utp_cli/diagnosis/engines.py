"""What a server's own parser is known to make of an answer: its damage is judged, the measured table says the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.facts.engine_outcomes import DAMAGES, ENGINES, OUTCOMES, measured
from utp_cli.facts.parser_names import TOOL_PARSERS
from utp_cli.protocol.errors import BadOption, UnknownName
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


def engines_named(names: str) -> tuple[str, ...]:
    """Read the names of engines, with commas between. Raises `UnknownName`, `BadOption` for one not measured."""
    asked = tuple(dict.fromkeys(name.strip().lower() for name in names.split(",")))
    for name in asked:
        if name in TOOL_PARSERS and name not in ENGINES:
            raise BadOption(f"--as: the parser of {name} was not measured; those of {', '.join(ENGINES)} were")
        if name not in ENGINES:
            raise UnknownName("engine", name, ENGINES, f"there are: {', '.join(ENGINES)}")
    return asked


def damages_of(result: ParseResult) -> list[str]:
    """Return what is damaged or unusual about the markup of an answer: keys of `DAMAGES`, then codes of other repairs.

    Repairs by the schema are no damage: engines hand on such values as they are.
    """
    found = dict.fromkeys(_unusual(result))
    if "cut" not in found:  # what was put in at the end of a cut text is the cut
        found |= dict.fromkeys(repair.code for repair in result.repairs if repair.layer != "schema")
    return [*(damage for damage in DAMAGES if damage in found), *(damage for damage in found if damage not in DAMAGES)]


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

    One for each engine, dialect and outcome: where parsers of one engine differ, each is told by the first that does
    so. None where no call stands in the text. `parser`: the name that the engine was started with; where it reads the
    dialect, it alone counts.
    """
    calls = [call for call in (*result.calls, *result.rejected) if call.rung == "markup"]
    dialects = dict.fromkeys(call.parser for call in calls)
    damage = damages_of(result)
    table = measured() if dialects else []
    readings = []
    for engine in engines:
        of_engine = [row for row in table if row.engine == engine]
        for dialect in dialects:
            rows = [row for row in of_engine if row.dialect == dialect]
            rows = [row for row in rows if row.parser == parser] or rows
            each = {_outcome(row, damage): row for row in reversed(rows)}
            readings += [_reading(row, damage, *found) for found, row in reversed(each.items())]
            if not rows:
                readings.append(_unknown(of_engine[0], dialect, damage))
    return readings


def _outcome(row: Measured, damage: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the worst outcome and the damage that has it; None where it is not known, or nothing goes wrong."""
    known = {one: row.outcomes[one] for one in damage if one in row.outcomes}
    cause = min(known, key=lambda one: _WORST.index(known[one]), default=None)
    if cause and known[cause] != "reads":
        return known[cause], cause
    return (None if len(known) < len(damage) else "reads"), None


def _reading(row: Measured, damage: Sequence[str], outcome: str | None, cause: str | None) -> EngineReading:
    why = f" ({DAMAGES[cause]})" if cause else ""
    unknown = ", and ".join(DAMAGES.get(one, f"`{one}` is due") for one in damage if one not in row.outcomes)
    does = f"{OUTCOMES[outcome]}{why}" if outcome else f"was not measured where {unknown}"
    return EngineReading(
        engine=row.engine, version=row.version, measured=row.date, dialect=row.dialect, parser=row.parser,
        damage=tuple(damage), cause=cause, outcome=outcome,
        message=f"{ENGINES[row.engine]}'s `{row.parser}` {does}",
    )  # fmt: skip


def _unknown(other: Measured, dialect: str, damage: Sequence[str]) -> EngineReading:
    return EngineReading(
        engine=other.engine, version=other.version, measured=other.date, dialect=dialect, parser=None,
        damage=tuple(damage), message=f"{ENGINES[other.engine]}: no parser of it was measured on `{dialect}`",
    )  # fmt: skip
