"""One type for everything that utp has to complain about: diagnoses of answers, findings of the audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from utp_cli.protocol.spans import Span

Severity = Literal["error", "warning", "info"]
Confidence = Literal["high", "medium", "low"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""Worst first."""


class Place(Record):
    """Where something is: in a document (`pointer`), in a text (`span`), in a file (`file`, `line`, `column`)."""

    pointer: str = ""
    """JSON Pointer into the document at hand: the answer, or the tool's definition."""
    span: Span | None = None
    """Characters of the text that `pointer` names."""
    file: str | None = None
    line: int | None = None
    """1-based."""
    column: int | None = None
    """1-based, characters."""


class Finding(Record):
    """One complaint: what, how bad, how sure, where, why we think so, what to do."""

    code: str
    """Stable for ever: `call-left-in-content`, `UTP201`."""
    name: str = ""
    """A word for a bare number: `missing-description` for UTP201; the code itself where that is a word."""
    severity: Severity
    confidence: Confidence = "high"
    place: Place = Place()
    message: str
    """One sentence: what happened here."""
    evidence: str = ""
    """What proves it: the value, the marker, the field."""
    hint: str = ""
    """What a person should do."""
    fix: str = ""
    """The concrete flag, setting or change, ready to copy; `""` where there is none."""
    tool: str | None = None
    """The tool it is about, where it is about one."""
    cause: str = ""
    """Findings of one code and one cause are told as one; `""` stands alone."""

    def to_dict(self) -> dict[str, Any]:
        """Write it as a diagnosis of `utp.parse/1`."""
        return {
            "code": self.code,
            "severity": self.severity,
            "confidence": self.confidence,
            "message": self.message,
            "evidence": self.evidence,
            "fix": self.fix,
            "pointer": self.place.pointer,
            "span": list(self.place.span) if self.place.span else None,
        }


def worst(findings: list[Finding]) -> Severity | None:
    """Return the highest severity among the findings, None where there are none."""
    return min((f.severity for f in findings), key=SEVERITIES.index, default=None)
