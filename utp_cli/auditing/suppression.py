"""Findings that are waved through: by a comment in the file, or by a baseline of what is known already."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.auditing.run import AuditedFinding, AuditReport

_COMMENT = re.compile(r"#\s*utp:\s*ignore(?:\[([^\]\n]*)\])?", re.IGNORECASE)


def codes_of(comment: str) -> frozenset[str] | None:
    """Return the codes in `# utp: ignore[UTP205, UTP3]`, `ALL` without a list; None for other comments."""
    found = _COMMENT.match(comment)
    if found is None:
        return None
    named = re.split(r"[\s,]+", (found[1] or "ALL").upper())
    return frozenset(name for name in named if name)


def without_commented(report: AuditReport, comments: dict[int, str]) -> AuditReport:
    """Move findings to `suppressed` where a comment on their line, or alone on the line above, says so.

    `comments` are by line, from 1; a comment that stands alone is given with the line below it.
    """
    ignored = {line: codes for line, text in comments.items() if (codes := codes_of(text)) is not None}

    def is_ignored(entry: AuditedFinding) -> bool:
        codes = ignored.get(entry.finding.place.line or 0, frozenset())
        return "ALL" in codes or any(entry.finding.code.startswith(code) for code in codes)

    return _without(report, {index for index, entry in enumerate(report.entries) if is_ignored(entry)})


def fingerprint(entry: AuditedFinding) -> str:
    """Return what stays the same of a finding when lines move: code, tool, pointer."""
    found = entry.finding
    text = "\0".join((found.code, found.tool or "", found.place.pointer))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def without_known(report: AuditReport, known: Iterable[str]) -> AuditReport:
    """Move findings to `suppressed` whose fingerprints a baseline knows."""
    baseline = frozenset(known)
    return _without(report, {i for i, entry in enumerate(report.entries) if fingerprint(entry) in baseline})


def _without(report: AuditReport, gone: set[int]) -> AuditReport:
    kept = [entry for index, entry in enumerate(report.entries) if index not in gone]
    moved = [entry for index, entry in enumerate(report.entries) if index in gone]
    return replace(report, entries=kept, suppressed=report.suppressed + moved)
