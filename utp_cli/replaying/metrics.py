"""What the exchanges of a replay add up to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from utp_cli.replaying.compare import Compared


@dataclass(slots=True)
class Tally:
    """Counts for one group of exchanges (all of them, or one model's)."""

    exchanges: int = 0
    calls: int = 0
    rejected: int = 0
    repaired: int = 0
    valid: int = 0
    checked: int = 0

    def add(self, compared: Compared) -> None:
        result = compared.result
        self.exchanges += 1
        self.calls += len(result.calls)
        self.rejected += sum(c.reason in ("truncated", "malformed", "doubtful") for c in result.rejected)
        self.repaired += sum(bool(c.repairs) for c in result.calls)
        self.valid += sum(c.valid is True for c in result.calls)
        self.checked += sum(c.valid is not None for c in result.calls)

    @property
    def parse_success(self) -> float:
        """Share of the calls written that could be read; 1.0 where none was written."""
        return share(self.calls, self.calls + self.rejected)

    def to_dict(self) -> dict[str, Any]:
        return {
            "exchanges": self.exchanges,
            "calls": self.calls,
            "parse_success": self.parse_success,
            "repaired": share(self.repaired, self.calls, 0.0),
            "valid": share(self.valid, self.checked) if self.checked else None,
        }


def share(part: int, whole: int, empty: float = 1.0) -> float:
    """Return a share, from 0 to 1; `empty` where there is nothing to share."""
    return round(part / whole, 4) if whole else empty


@dataclass(slots=True)
class Metrics:
    """Counts over a replay, by rung, parser, repair, diagnosis, model and status."""

    total: Tally = field(default_factory=Tally)
    by_rung: Counter[str] = field(default_factory=Counter)
    by_parser: Counter[str] = field(default_factory=Counter)
    by_repair: Counter[str] = field(default_factory=Counter)
    by_diagnosis: Counter[str] = field(default_factory=Counter)
    by_status: Counter[str] = field(default_factory=Counter)
    by_model: dict[str, Tally] = field(default_factory=dict)

    def add(self, compared: Compared, model: str | None) -> None:
        result = compared.result
        self.total.add(compared)
        self.by_model.setdefault(model or "unknown", Tally()).add(compared)
        self.by_status[compared.status] += 1
        self.by_rung.update(call.rung for call in result.calls)
        self.by_parser.update(call.parser for call in result.calls)
        self.by_repair.update(repair.code for repair in result.repairs)
        self.by_diagnosis.update(finding.code for finding in result.diagnoses)

    def to_dict(self) -> dict[str, Any]:
        """Write the metrics of `utp.replay/1`."""
        return {
            **self.total.to_dict(),
            "by_status": dict(self.by_status),
            "by_rung": dict(self.by_rung),
            "by_parser": dict(self.by_parser),
            "by_repair": dict(self.by_repair),
            "by_diagnosis": dict(self.by_diagnosis),
            "by_model": {model: tally.to_dict() for model, tally in self.by_model.items()},
        }
