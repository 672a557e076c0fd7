"""What the exchanges of a replay add up to."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.replaying.outcome import Outcome


@dataclass(slots=True)
class Share:
    """A part of a whole, both counted."""

    part: int = 0
    whole: int = 0

    def add(self, part: int, whole: int = 1) -> None:
        self.part += part
        self.whole += whole

    @property
    def value(self) -> float | None:
        """From 0 to 1; None where there is nothing to share."""
        return round(self.part / self.whole, 4) if self.whole else None


@dataclass(slots=True)
class GroupTally:
    """Counts for one group of exchanges: all of them, or one model's."""

    exchanges: int = 0
    calls: int = 0
    parsed: Share = field(default_factory=Share)
    """Calls read, of those that were written."""
    delivered: Share = field(default_factory=Share)
    """Calls that came as native ones, of those read that should have."""
    repaired: Share = field(default_factory=Share)
    valid: Share = field(default_factory=Share)
    """Calls that fit their tool, of those that could be checked."""
    selection: Share = field(default_factory=Share)
    """Accepted calls for which a call of that tool was found."""
    parameters: Share = field(default_factory=Share)
    """Arguments of those calls that have the accepted value, of all on either side."""
    first_try: Share = field(default_factory=Share)
    """Answers with calls, all fit to run, of those that were asked for the first time."""
    retries: int = 0
    repair_attempts: int = 0
    """Times that a live model was told what was wrong."""
    healed: Share = field(default_factory=Share)
    """Answers that were fit to run after that, of those that needed it."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    steps: Share = field(default_factory=Share)
    """Steps that are needed with calls side by side, of those one after the other, where there were several."""
    by_status: Counter[str] = field(default_factory=Counter)
    by_rung: Counter[str] = field(default_factory=Counter)
    by_parser: Counter[str] = field(default_factory=Counter)
    by_repair: Counter[str] = field(default_factory=Counter)
    by_diagnosis: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: Outcome) -> None:
        """Count an exchange."""
        calls = len(outcome.calls)
        self.exchanges += 1
        self.calls += calls
        self.parsed.add(calls, calls + outcome.lossy)
        self.delivered.add(len(outcome.delivered), len(outcome.delivered) + len(outcome.undelivered))
        self.repaired.add(outcome.mended, calls)
        self.valid.add(outcome.valid.count(True), calls - outcome.valid.count(None))
        if outcome.accepted:
            self._judge(outcome)
        self.retries += outcome.retried
        if (outcome.calls or outcome.lossy) and not outcome.retried:
            self.first_try.add(outcome.sound)
        if outcome.repair_attempts:
            self.repair_attempts += outcome.repair_attempts
            self.healed.add(outcome.sound)
        if outcome.tokens:
            self.prompt_tokens += outcome.tokens[0]
            self.completion_tokens += outcome.tokens[1]
        self.seconds += outcome.seconds or 0.0
        self.steps.add(len(outcome.plan or ()), calls if outcome.plan else 0)
        self.by_status[outcome.status] += 1
        for rung, parser in zip(outcome.rungs, outcome.parsers, strict=True):
            self.by_rung[rung] += 1
            self.by_parser[parser] += 1
        for repair in outcome.repairs:
            self.by_repair[repair] += 1
        for code, _ in outcome.diagnoses:
            self.by_diagnosis[code] += 1

    def _judge(self, outcome: Outcome) -> None:
        """Count how well the calls fit those that somebody accepted."""
        same = len(outcome.expected) - len(outcome.lost)
        values = sum(map(_values, outcome.expected)) - sum(map(_values, outcome.lost))
        self.selection.add(same, same)
        self.parameters.add(values, values)
        others: dict[str, deque[Any]] = {}
        for call in outcome.found:
            others.setdefault(str(call["name"]), deque()).append(call["arguments"])
        for wanted in outcome.lost:
            found = others.get(str(wanted.get("name")))
            self.selection.add(bool(found))
            if found:
                self.parameters.add(*_agreeing(found.popleft(), wanted.get("arguments")))

    def merge(self, other: GroupTally) -> None:
        """Count what another one has counted."""
        for each in fields(self):
            mine, more = getattr(self, each.name), getattr(other, each.name)
            if isinstance(mine, Share):
                mine.add(more.part, more.whole)
            elif isinstance(mine, Counter):
                mine.update(more)
            else:
                setattr(self, each.name, mine + more)

    def counts(self) -> dict[str, Any]:
        """Write all counts as JSON, shares as `[part, whole]`: for `GroupTally.of`."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: [value.part, value.whole] if isinstance(value, Share) else value for name, value in values.items()
        }

    @classmethod
    def of(cls, counts: Mapping[str, Any]) -> GroupTally:
        """Read what `counts` has written."""
        shares = {name: Share(*value) for name, value in counts.items() if isinstance(value, list)}
        counters = {name: Counter(value) for name, value in counts.items() if isinstance(value, dict)}
        return cls(**{**counts, **shares, **counters})

    def to_dict(self) -> dict[str, Any]:
        """Write the counts of `utp.replay/1`; a share of nothing is null."""
        counters = ("by_status", "by_rung", "by_parser", "by_repair", "by_diagnosis")
        return {
            "exchanges": self.exchanges,
            "calls": self.calls,
            "parse_success": 1.0 if self.parsed.value is None else self.parsed.value,
            "delivered": self.delivered.part,
            "undelivered": self.delivered.whole - self.delivered.part,
            "repaired": self.repaired.value or 0.0,
            "valid": self.valid.value,
            "selection_accuracy": self.selection.value,
            "parameter_accuracy": self.parameters.value,
            "first_attempt_success": self.first_try.value,
            "retries": self.retries,
            "repair_attempts": self.repair_attempts,
            "healed": self.healed.part,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "seconds": round(self.seconds, 3),
            "parallel_gain": self.gain,
            **{name: dict(getattr(self, name)) for name in counters},
        }

    @property
    def gain(self) -> float | None:
        """How many times faster calls of equal length are side by side; None where there were never several."""
        return round(self.steps.whole / self.steps.part, 2) if self.steps.part else None


def _values(call: dict[str, Any]) -> int:
    """Count the arguments of a call as `_agreeing` does."""
    arguments = call.get("arguments")
    return (len(arguments) or 1) if isinstance(arguments, dict) else 1


def _agreeing(found: Any, wanted: Any) -> tuple[int, int]:
    """Count the arguments that agree, and all of both sides."""
    if not isinstance(found, dict) or not isinstance(wanted, dict):
        return int(found == wanted), 1
    names = [*dict.fromkeys([*wanted, *found])]
    agreeing = sum(name in found and name in wanted and found[name] == wanted[name] for name in names)
    return (agreeing, len(names)) if names else (1, 1)


@dataclass(slots=True)
class Metrics:
    """Counts over a replay, for each model, and for each parser that read the first call of an answer of it."""

    total: GroupTally = field(default_factory=GroupTally)
    by_model: dict[str, GroupTally] = field(default_factory=dict)
    by_parser: dict[str, dict[str, GroupTally]] = field(default_factory=dict)
    """Model → parser → counts; answers without a call are in none of them."""

    def add(self, outcome: Outcome) -> None:
        """Count an exchange."""
        self.total.add(outcome)
        model = outcome.model or "unknown"
        if model not in self.by_model:
            self.by_model[model], self.by_parser[model] = GroupTally(), {}
        self.by_model[model].add(outcome)
        parsers = self.by_parser[model]
        if outcome.parser:
            if outcome.parser not in parsers:
                parsers[outcome.parser] = GroupTally()
            parsers[outcome.parser].add(outcome)

    def merge(self, other: Metrics) -> None:
        """Count what another one has counted: the pieces of a replay add up to the whole, in any order."""
        self.total.merge(other.total)
        for model, tally in other.by_model.items():
            self.by_model.setdefault(model, GroupTally()).merge(tally)
        for model, cells in other.by_parser.items():
            mine = self.by_parser.setdefault(model, {})
            for parser, cell in cells.items():
                mine.setdefault(parser, GroupTally()).merge(cell)

    def counts(self) -> dict[str, Any]:
        """Write all counts as JSON: for `Metrics.of`."""
        return {
            "total": self.total.counts(),
            "by_model": {model: tally.counts() for model, tally in self.by_model.items()},
            "by_parser": {
                model: {parser: cell.counts() for parser, cell in cells.items()}
                for model, cells in self.by_parser.items()
            },
        }

    @classmethod
    def of(cls, counts: Mapping[str, Any]) -> Metrics:
        """Read what `counts` has written."""
        return cls(
            total=GroupTally.of(counts["total"]),
            by_model={model: GroupTally.of(tally) for model, tally in counts["by_model"].items()},
            by_parser={
                model: {parser: GroupTally.of(cell) for parser, cell in cells.items()}
                for model, cells in counts["by_parser"].items()
            },
        )

    def to_dict(self) -> dict[str, Any]:
        """Write the metrics of `utp.replay/1`."""
        by_model = {}
        for model, tally in self.by_model.items():
            parsers = {name: cell.to_dict() for name, cell in self.by_parser[model].items()}
            by_model[model] = {**tally.to_dict(), "parsers": parsers}
        return {**self.total.to_dict(), "by_model": by_model}
