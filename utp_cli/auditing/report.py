"""What the audit answers: findings with their fixes, and the scores of the tools."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from utp_cli.auditing.score import Score, score_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.auditing.edits import Fix
    from utp_cli.auditing.subject import AuditedToolSet
    from utp_cli.protocol.findings import Finding, Severity
    from utp_cli.protocol.rules import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedFinding:
    """A finding, the tool it is about, and the edits that would end it."""

    finding: Finding
    tool: int | None
    """The tool's place in the set, from 0; None where it is about none."""
    fix: Fix | None

    def to_dict(self) -> dict[str, Any]:
        """Write it as a finding of `utp.audit/1`."""
        found = self.finding
        return {
            "code": found.code,
            "name": found.name,
            "severity": found.severity,
            "tool": found.tool,
            "pointer": found.place.pointer,
            "file": found.place.file,
            "line": found.place.line,
            "column": found.place.column,
            "message": found.message,
            "hint": found.hint,
            "fix": self.fix.to_dict() if self.fix else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingGroup:
    """Findings that one change of mind would end: told as one."""

    entries: list[AuditedFinding]
    """In order of writing; the first one speaks for all."""

    @property
    def finding(self) -> Finding:
        """What is told of all: the first one, with how many more there are."""
        first, more = self.entries[0].finding, len(self.entries) - 1
        return replace(first, message=f"{first.message} (and {more} more)") if more else first

    def to_dict(self) -> dict[str, Any]:
        """Write it as a finding of `utp.audit/1`; `also` are the places of the others."""
        told = replace(self.entries[0], finding=self.finding).to_dict()
        keys = ("tool", "pointer", "file", "line", "column", "message", "fix")
        others = [entry.to_dict() for entry in self.entries[1:]]
        return told | {"also": [{key: other[key] for key in keys} for other in others]}


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What the audit has to say of a set of tools."""

    entries: list[AuditedFinding]
    """In the order of the tools, and within a tool in order of writing."""
    subjects: AuditedToolSet
    """What was audited."""
    rules: dict[str, list[Rule[Any]]]
    """The rules that were run, by what they look at."""
    suppressed: list[AuditedFinding] = field(default_factory=list)
    """Found, but suppressed by a comment or a baseline."""
    _scores: dict[str, Score] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Empty until somebody asks for them: scoring takes as long as many rules."""

    @property
    def scores(self) -> dict[str, Score]:
        """By the tool's name; a second tool of one name is `name#2`."""
        for tool in () if self._scores else self.subjects.tools:
            name, number = tool.name, 1
            while name in self._scores:
                number += 1
                name = f"{tool.name}#{number}"
            self._scores[name] = score_of(tool, self.subjects)
        return self._scores

    @property
    def findings(self) -> list[Finding]:
        """The findings, in order: one for each place."""
        return [entry.finding for entry in self.entries]

    def causes(self, *, each: bool = False) -> list[FindingGroup]:
        """Return the findings with those of one cause as one, in order of their first places; alone where `each`."""
        together: dict[tuple[str, ...], list[AuditedFinding]] = {}
        for number, entry in enumerate(self.entries):
            found = entry.finding
            alone = each or not found.cause
            key = (str(number),) if alone else (found.code, found.severity, found.cause)
            together.setdefault(key, []).append(entry)
        return [FindingGroup(entries=entries) for entries in together.values()]

    @property
    def average(self) -> float:
        """The mean of the tools' scores, from 0.0 to 1.0; 0.0 where there is no tool."""
        return round(sum(s.score for s in self.scores.values()) / len(self.scores), 2) if self.scores else 0.0

    def count(self, severity: str, *, each: bool = False) -> int:
        """Count the findings of one severity; those of one cause are one, unless `each`."""
        return sum(cause.finding.severity == severity for cause in self.causes(each=each))

    @property
    def fixable(self) -> int:
        """How many findings have a safe fix."""
        return sum(1 for entry in self.entries if entry.fix and entry.fix.safety == "safe")

    def to_dict(self, *, each: bool = False) -> dict[str, Any]:
        """Write it as `utp.audit/1`; findings of one cause are one, with the others under `also`, unless `each`."""
        return {
            "schema": "utp.audit/1",
            "findings": [cause.to_dict() for cause in self.causes(each=each)],
            "scores": {name: score.score for name, score in self.scores.items()},
            "tools": {name: score.to_dict() for name, score in self.scores.items()},
            "summary": {
                "tools": len(self.scores),
                "errors": self.count("error", each=each),
                "warnings": self.count("warning", each=each),
                "infos": self.count("info", each=each),
                "places": len(self.entries),
                "fixable": self.fixable,
                "suppressed": len(self.suppressed),
                "score": self.average,
            },
        }


def covers(code: str, finding: Finding | Rule[Any]) -> bool:
    """Say whether a code, the beginning of one, a rule's name or `ALL` (upper case) means this finding."""
    return code == "ALL" or finding.code.upper().startswith(code) or finding.name.upper() == code


def graded(report: AuditReport, severities: Mapping[str, Severity]) -> AuditReport:
    """Give findings the severities that the caller wants, by code, beginning of a code or name; the longest counts."""
    if not severities:
        return report
    wanted = {code.upper(): severity for code, severity in severities.items()}

    def grade(entry: AuditedFinding) -> AuditedFinding:
        meant = max((code for code in wanted if covers(code, entry.finding)), key=len, default=None)
        return replace(entry, finding=replace(entry.finding, severity=wanted[meant])) if meant else entry

    return replace(report, entries=[grade(entry) for entry in report.entries])
