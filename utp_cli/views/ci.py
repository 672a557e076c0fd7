"""Findings for code hosts and CI: GitHub's workflow commands, GitLab's code quality report, JUnit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.auditing.baseline import fingerprint
from utp_cli.views.findings import findings_of, place_of, title_of
from utp_cli.views.json import document
from utp_cli.views.junit import Case, junit
from utp_cli.views.workflow import linked, workflow_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.views.findings import Audited

_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}
_GITLAB = {"error": "major", "warning": "minor", "info": "info"}


def as_github(audited: Sequence[Audited]) -> str:
    """Write workflow commands, which GitHub shows beside the lines: one for each cause."""
    return "".join(
        workflow_command(
            _GITHUB[finding.severity], linked(finding.message, "rules", finding.code),
            file=finding.place.file or "", line=finding.place.line or 1, col=finding.place.column or 1,
            title=title_of(finding),
        )
        for one in audited
        for finding in (cause.finding for cause in one.report.causes())
    )  # fmt: skip


def as_gitlab(audited: Sequence[Audited]) -> str:
    """Write a code quality report (docs.gitlab.com, code quality report format)."""
    seen: dict[str, int] = {}
    entries = []
    for finding in findings_of(audited):
        place, mark = finding.place, fingerprint(finding)
        seen[mark] = seen.get(mark, 0) + 1
        entries.append(
            {
                "description": f"{finding.code}: {finding.message}",
                "check_name": finding.code,
                "fingerprint": mark if seen[mark] == 1 else f"{mark}-{seen[mark]}",
                "severity": _GITLAB[finding.severity],
                "location": {"path": (place.file or "tools").replace("\\", "/"), "lines": {"begin": place.line or 1}},
            }
        )
    return document(entries)


def as_junit(audited: Sequence[Audited]) -> str:
    """Write a test case for each tool and each finding on it."""
    cases = []
    for one in audited:
        bad = {finding.tool for finding in one.report.findings}
        cases += [Case(suite=one.name, name=tool) for tool in one.report.scores if tool not in bad]
        cases += [
            Case(
                suite=one.name, name=f"{finding.tool or one.name}: {finding.code}", failure=finding.message,
                details=f"{place_of(finding)}\n{finding.hint}",
            )
            for finding in one.report.findings
        ]  # fmt: skip
    return junit("utp audit", cases)
