"""An exchange parsed again, against what was recorded or expected."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from utp_cli.protocol.calls import ParseResult
    from utp_cli.replaying.session import Exchange

Status = Literal["match", "changed", "regressed", "improved", "new", "error"]
STATUSES: tuple[Status, ...] = ("match", "improved", "new", "changed", "regressed", "error")
"""In the order in which they are shown, the worst last."""
BAD: frozenset[Status] = frozenset({"regressed", "error", "changed"})
"""What a replay is run to find."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What became of one exchange."""

    exchange: Exchange
    result: ParseResult
    status: Status
    expected: list[dict[str, Any]]
    """`{name, arguments}` of what was expected, else of what the recorded answer carried natively."""
    lost: list[dict[str, Any]]
    """Expected calls that are not among those found."""
    found: list[dict[str, Any]]
    """Calls found that nobody expected."""

    def to_dict(self) -> dict[str, Any]:
        """Write it as an exchange of `utp.replay/1`."""
        first = next(iter(self.result.calls or self.result.rejected), None)
        return {
            "index": self.exchange.index,
            "status": self.status,
            "parser": first.parser if first else None,
            "rung": first.rung if first else None,
            "calls": [{"name": c.name, "arguments": c.arguments} for c in self.result.calls],
            "expected": self.expected,
            "lost": self.lost,
            "rejected": len(self.result.rejected),
            "repairs": len(self.result.repairs),
            "diagnoses": [finding.code for finding in self.result.diagnoses],
        }


def compare(exchange: Exchange, result: ParseResult) -> Compared:
    """Compare the calls found with those expected, as multisets of name and arguments."""
    calls = [{"name": c.name, "arguments": c.arguments} for c in result.calls]
    recorded = [c for c, call in zip(calls, result.calls, strict=True) if call.rung == "native" and not call.repairs]
    recorded += [{"name": c.name, "arguments": c.arguments} for c in result.rejected if c.rung == "native" and c.name]
    expected = exchange.expected if exchange.expected is not None else recorded
    wanted, got = Counter(map(_key, expected)), Counter(map(_key, calls))
    lost = _left(expected, wanted - got)
    found = _left(calls, got - wanted)
    return Compared(
        exchange=exchange, result=result, expected=expected, lost=lost, found=found,
        status=_status(exchange, result, expected, lost, found),
    )  # fmt: skip


def _status(exchange: Exchange, result: ParseResult, expected: list[Any], lost: list[Any], found: list[Any]) -> Status:
    if result.facts.error is not None and exchange.expected is None:
        return "error"
    if exchange.expected is None and not expected and not found:
        return "new"
    if lost:
        return "regressed"
    if found:
        return "improved" if exchange.expected is None or not expected else "changed"
    return "match"


def _key(call: dict[str, Any]) -> str:
    return json.dumps([call.get("name"), call.get("arguments")], sort_keys=True, default=repr)


def _left(calls: list[dict[str, Any]], counts: Counter[str]) -> list[dict[str, Any]]:
    """Pick the calls that the counts name, in order."""
    left, picked = Counter(counts), []
    for call in calls:
        key = _key(call)
        if left[key] > 0:
            left[key] -= 1
            picked.append(call)
    return picked
