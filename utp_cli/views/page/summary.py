"""What all answers of a page add up to: the verdict, what to change, and the numbers behind the charts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.findings import SEVERITIES
from utp_cli.replaying.compare import STATUSES
from utp_cli.replaying.digest import Delivery
from utp_cli.views.lines import counted
from utp_cli.views.page.exchange import OF_STATUS, SIGNS, words_of
from utp_cli.views.verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.protocol.findings import Finding, Severity
    from utp_cli.views.page.exchange import AnswerEntry

_LINKS = 24
"""Answers that are named with one cause."""
_CAUSES = 500
"""Causes that are told apart by what to do; behind them by their code alone."""
_LOSSY = {"truncated", "malformed", "doubtful"}
"""Reasons of rejection that lose a call."""

_METRICS = {
    "selection_accuracy": "right tool",
    "parameter_accuracy": "right arguments",
    "first_attempt_success": "first try",
}
"""Shares that a replay counts, and what they are called on the page."""


@dataclass(slots=True, kw_only=True)
class CauseRow:
    """Something to change, and the answers that it would heal."""

    code: str
    severity: Severity
    message: str
    """Of the first."""
    does: str = ""
    """What to do: steps, with semicolons between them."""
    count: int = 0
    links: list[tuple[str, str]] = field(default_factory=list)
    """Id and label of answers on the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartRow:
    """A row of a chart."""

    name: str
    parts: list[tuple[str, int]]
    """A sign, and how many."""
    most: int
    """What the full width stands for."""
    told: str

    @property
    def rects(self) -> list[tuple[str, float, float]]:
        """Return sign, start and width of each part, of a width of 100."""
        out, at = [], 0.0
        for sign, number in self.parts:
            width = 100 * number / self.most
            out.append((sign, round(at, 3), round(width, 3)))
            at += width
        return out


@dataclass(slots=True)
class Summary:
    """Counts, collected answer by answer."""

    signs: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    delivery: Delivery = field(default_factory=Delivery)
    checked: Counter[bool] = field(default_factory=Counter)
    """Calls by whether they fit their tool, where tools are known."""
    parsers: dict[str, Counter[str]] = field(default_factory=dict)
    """By parser: how many calls were read, read after repairs, lost."""
    repairs: dict[str, Counter[str]] = field(default_factory=dict)
    """By code: how many of each confidence."""
    causes: dict[tuple[str, str], CauseRow] = field(default_factory=dict)
    only: str = ""
    """The verdict of the one answer there is."""

    def add(self, entry: AnswerEntry, anchor: str) -> None:
        """Count an answer; `anchor` is its id, `""` where it is not on the page."""
        result, link = entry.result, (anchor, entry.name)
        self.only = f"{entry.status}: {words_of(entry)}" if entry.status in OF_STATUS else verdict(result).text
        self.signs[entry.sign] += 1
        self.statuses.update([entry.status] if entry.status else [])
        if entry.compared:
            self.delivery.add(entry.compared)
        self.checked.update(call.valid for call in result.calls if call.valid is not None)
        for call in result.calls:
            self._parser(call.parser)["repaired" if call.repairs else "good"] += 1
        for rejected in result.rejected:
            if rejected.reason in _LOSSY:
                self._parser(rejected.parser)["lost"] += 1
        for repair in result.repairs:
            self.repairs.setdefault(repair.code, Counter())[repair.confidence] += 1
        self.note(result.named, link)
        undelivered = entry.compared and entry.compared.delivery_lost
        explained = any(finding.severity != "info" for finding in result.named)
        if (entry.status in OF_STATUS or undelivered) and not explained:
            self._unexplained(entry, link)

    def note(self, findings: Iterable[Finding], link: tuple[str, str] = ("", "")) -> None:
        """Count what has to be changed."""
        for finding in findings:
            does = finding.fix or finding.hint
            key = (finding.code, does if len(self.causes) < _CAUSES else "")
            if link[0] or key not in self.causes:  # a conversation repeats what its answers say
                new = CauseRow(code=finding.code, severity=finding.severity, message=finding.message, does=does)
                _count(self.causes.setdefault(key, new), link)

    def _unexplained(self, entry: AnswerEntry, link: tuple[str, str]) -> None:
        """Count an answer that is not as it was, where no diagnosis says why."""
        code = entry.status if entry.status in OF_STATUS else "not delivered"
        severity: Severity = "error" if OF_STATUS.get(entry.status, "lost") == "lost" else "warning"
        words = words_of(entry)
        cause = CauseRow(code=code, severity=severity, message=words, does=entry.command)
        key = (code, words if len(self.causes) < _CAUSES else "")
        _count(self.causes.setdefault(key, cause), link)

    def _parser(self, name: str) -> Counter[str]:
        return self.parsers.setdefault(name or "?", Counter())

    # -- what is told --------------------------------------------------------------------------------------------

    @property
    def answers(self) -> int:
        return self.signs.total()

    @property
    def sign(self) -> str:
        return "look" if self._conversation_at_fault else next((sign for sign in SIGNS if self.signs[sign]), "good")

    @property
    def _conversation_at_fault(self) -> bool:
        """Whether there is more to change than the answers themselves call for."""
        return not any(self.signs[sign] for sign in SIGNS[:2]) and any(
            cause.severity != "info" for cause in self.causes.values()
        )

    @property
    def verdict(self) -> str:
        """Say in one sentence whether something is wrong."""
        if self._conversation_at_fault:
            return "Every answer was read, but the conversation has faults"
        if self.answers == 1:
            return self.only
        number = self.signs[self.sign]
        of = f"{number:,} of {counted(self.answers, 'answer')}"
        return {
            "lost": f"{of} went wrong",
            "look": f"{of} {'needs' if number == 1 else 'need'} a look",
            "repaired": f"Every answer was read, {number:,} after repairs",
            "good": f"{counted(self.answers, 'answer')}, all as they should be" if self.answers else "No answer in it",
        }[self.sign]

    @property
    def by_status(self) -> list[tuple[str, int]]:
        """Return how many answers compare in which way, the best first."""
        return [(status, self.statuses[status]) for status in STATUSES if self.statuses[status]]

    @property
    def worst_first(self) -> list[CauseRow]:
        """Return the causes: the gravest first, and the most frequent of those."""
        return sorted(self.causes.values(), key=lambda cause: (SEVERITIES.index(cause.severity), -cause.count))

    @property
    def figures(self) -> list[tuple[str, str]]:
        """Return the numbers in a row: name and value."""
        totals = sum(self.parsers.values(), Counter[str]())
        read, checked = totals["good"] + totals["repaired"], self.checked.total()
        return [
            ("answers", f"{self.answers:,}"),
            ("calls", f"{read:,}"),
            *_share("read", read, totals.total()),
            *_share("repaired", totals["repaired"], read),
            *_share("fit their tool", self.checked[True], checked),
        ]

    @property
    def by_parser(self) -> list[ChartRow]:
        most = max((counts.total() for counts in self.parsers.values()), default=1)
        return [
            ChartRow(
                name=name, most=most, parts=[(sign, counts[sign]) for sign in ("good", "repaired", "lost")],
                told=f"{(counts.total() - counts['lost']) / counts.total():.0%} of {counts.total():,}",
            )
            for name, counts in _most_first(self.parsers)
        ]  # fmt: skip

    @property
    def by_repair(self) -> list[ChartRow]:
        most = max((counts.total() for counts in self.repairs.values()), default=1)
        return [
            ChartRow(
                name=name, most=most, told=f"{counts.total():,}",
                parts=[(sure, counts[sure]) for sure in ("safe", "likely", "guess")],
            )
            for name, counts in _most_first(self.repairs)
        ]  # fmt: skip


def _count(cause: CauseRow, link: tuple[str, str]) -> None:
    cause.count += 1
    if link[0] and link not in cause.links and len(cause.links) < _LINKS:
        cause.links.append(link)


def _share(name: str, part: int, whole: int) -> list[tuple[str, str]]:
    return [(name, f"{part / whole:.1%}")] if whole else []


def _most_first(counts: dict[str, Counter[str]]) -> list[tuple[str, Counter[str]]]:
    return sorted(counts.items(), key=lambda item: -item[1].total())


def metric_rows(metrics: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what a replay counts beyond the answers themselves, where it is known."""
    told = [(words, metrics.get(key)) for key, words in _METRICS.items()]
    return [(words, f"{value:.1%}") for words, value in told if value is not None]
