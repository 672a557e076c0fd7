"""What a server did with the calls that went by, counted: calls, lost ones, healed ones, causes with their settings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.protocol.findings import Finding
    from utp_cli.recording.capture import RecordedExchange
    from utp_cli.replaying.outcome import Outcome

MADE: Final = frozenset({"text-to-call", "error-to-answer"})
"""Heals that gave the client a call which the server had lost."""
UNCHANGED: Final = frozenset({"left", "passed"})
"""Heals that changed nothing."""


@dataclass(slots=True, kw_only=True)
class LossCause:
    """Why calls were lost, or had to be healed."""

    count: int = 0
    """Exchanges."""
    fixes: dict[str, None] = field(default_factory=dict)
    """What to set, each once, in order."""


@dataclass(slots=True, kw_only=True)
class ExchangeTally:
    """Sums over exchanges."""

    answers: int = 0
    calls: int = 0
    """That could be read, whoever delivered them."""
    lost: int = 0
    """That the server wrote and did not deliver as native calls."""
    healed: int = 0
    """Of those, how many the client got all the same."""
    mended: int = 0
    """Answers in which anything was changed."""
    retries: int = 0
    failed: int = 0
    """Exchanges without a sound answer."""
    causes: dict[str, LossCause] = field(default_factory=dict)

    @property
    def missing(self) -> int:
        """Calls that the client never got."""
        return max(self.lost - self.healed, 0)

    def add(self, capture: RecordedExchange, outcome: Outcome, findings: Iterable[Finding]) -> None:
        """Count an exchange."""
        if capture.dropped:
            self.retries += 1
            return
        codes = Counter(str(heal["code"]) for heal in capture.healed)
        made = sum(codes[code] for code in MADE)
        self.answers += 1
        self.calls += max(len(outcome.calls), made)
        self.lost += max(len(outcome.undelivered), made)
        self.healed += made
        self.mended += any(code not in UNCHANGED for code in codes)
        self.failed += outcome.status == "error" and not made
        told: dict[str, list[str]] = {}
        for finding in findings:
            if finding.severity != "info":
                told.setdefault(finding.code, []).extend([finding.fix] if finding.fix else [])
        for heal in capture.healed:
            if heal["cause"]:
                told.setdefault(heal["cause"], []).extend(heal["settings"])
        for code, fixes in told.items():
            cause = self.causes.setdefault(code, LossCause())
            cause.count += 1
            cause.fixes |= dict.fromkeys(fixes)
