"""What the audit found, in the forms that people and machines read: text, GitHub, SARIF, JUnit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.views.escape import shown
from utp_cli.views.json import document
from utp_cli.views.junit import Case, junit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from utp_cli.auditing.run import AuditReport
    from utp_cli.protocol.findings import Finding
    from utp_cli.protocol.rules import Rule
    from utp_cli.views.lines import Screen

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}
_STYLES = {"error": "red", "warning": "yellow", "info": "cyan"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One file's report and the text that its places count in."""

    report: AuditReport
    name: str
    text: str


def as_text(audited: Sequence[Audited], screen: Screen) -> list[Text]:
    """Draw every finding with its place and the source it is about, then a line that counts."""
    from rich.text import Text  # noqa: PLC0415 - the other forms have no need of it

    lines: list[Text] = []
    for one in audited:
        source = one.text.splitlines()
        for finding in one.report.findings:
            lines += _finding(finding, source, screen, Text)
    return [*lines, Text(summary(audited))]


def _finding(finding: Finding, source: list[str], screen: Screen, text: type[Text]) -> list[Text]:
    severity = text(f"[{finding.severity}]", style=_STYLES[finding.severity])
    head = text.assemble(text(f"{_place(finding)}: ", style="bold"), f"{finding.code} {finding.name} ", severity)
    lines = [head, *screen.labelled(text("   "), finding.message, 3)]
    line = finding.place.line
    if line and line <= len(source):
        lines += _snippet(source[line - 1], line, finding.place.column or 1, screen, text)
    if finding.hint:
        lines += screen.labelled(text("   = "), finding.hint, 5)
    return [*lines, text("")]


def _snippet(line: str, number: int, column: int, screen: Screen, text: type[Text]) -> list[Text]:
    """Quote a line with a caret under the place; a long line is cut around it."""
    room = max(screen.width - 12, 20)
    begin = max(0, min(column - 1 - room // 3, len(line) - room))
    part = screen.safe(line[begin : begin + room].replace("\t", " "))
    caret = " " * (column - 1 - begin) + "^"
    return [text(f"{number:>6} | {part}"), text(f"       | {caret}", style="red")]


def _place(finding: Finding) -> str:
    place = finding.place
    where = [place.file, place.line, place.column] if place.file else [finding.tool or "tools"]
    return ":".join(shown(str(part)) for part in where if part is not None)


def summary(audited: Sequence[Audited]) -> str:
    """Count what was found, in one line."""
    reports = [one.report for one in audited]
    tools = sum(len(report.scores) for report in reports)
    counts = [
        (sum(report.count(severity) for report in reports), severity) for severity in ("error", "warning", "info")
    ]
    told = ", ".join(f"{n} {severity}{'s' if n != 1 else ''}" for n, severity in counts if n) or "no findings"
    fixable = sum(1 for report in reports for entry in report.entries if entry.fix and entry.fix.safety == "safe")
    told += f" ({fixable} fixable with --fix)" if fixable else ""
    scores = [score.score for report in reports for score in report.scores.values()]
    average = f" · score {sum(scores) / len(scores):.2f}" if scores else ""
    suppressed = sum(len(report.suppressed) for report in reports)
    return f"{tools} tool{'s' if tools != 1 else ''} · {told}{average}" + (
        f" · {suppressed} suppressed" if suppressed else ""
    )


def as_json(audited: Sequence[Audited]) -> str:
    """Write `utp.audit/1`; a list of them for several files."""
    documents = [one.report.to_dict() for one in audited]
    return document(documents[0] if len(documents) == 1 else documents)


def as_github(audited: Sequence[Audited]) -> str:
    """Write workflow commands, which GitHub shows beside the lines (docs.github.com, workflow commands)."""
    lines = []
    for finding in (finding for one in audited for finding in one.report.findings):
        place = finding.place
        where = f"file={_property(place.file or '')},line={place.line or 1},col={place.column or 1}"
        title = _property(f"{finding.code} {finding.name}")
        lines.append(f"::{_GITHUB[finding.severity]} {where},title={title}::{_data(finding.message)}")
    return "".join(f"{line}\n" for line in lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def as_sarif(audited: Sequence[Audited], rules: Sequence[Rule[Any]], version: str) -> str:
    """Write SARIF 2.1.0 (OASIS, 2020), with the pages of the rules that fired."""
    findings = [finding for one in audited for finding in one.report.findings]
    fired = {finding.code for finding in findings}
    described = [
        {
            "id": rule.code,
            "name": rule.name,
            "shortDescription": {"text": rule.headline},
            "fullDescription": {"text": rule.page},
            "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        }
        for rule in rules
        if rule.code in fired
    ]
    driver = {"name": "utp audit", "version": version, "rules": described}
    return document(
        {
            "$schema": _SARIF,
            "version": "2.1.0",
            "runs": [{"tool": {"driver": driver}, "results": [_result(finding) for finding in findings]}],
        }
    )


def _result(finding: Finding) -> dict[str, Any]:
    place = finding.place
    region = {"startLine": place.line or 1, "startColumn": place.column or 1}
    physical = {"artifactLocation": {"uri": (place.file or "tools").replace("\\", "/")}, "region": region}
    logical = [{"name": finding.tool, "fullyQualifiedName": f"{finding.tool}{place.pointer}"}] if finding.tool else []
    return {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message} {finding.hint}".strip()},
        "locations": [{"physicalLocation": physical, "logicalLocations": logical}],
    }


def as_junit(audited: Sequence[Audited]) -> str:
    """Write a test case for each tool and each finding on it."""
    cases = []
    for one in audited:
        bad = {finding.tool for finding in one.report.findings}
        cases += [Case(suite=one.name, name=tool) for tool in one.report.scores if tool not in bad]
        cases += [
            Case(
                suite=one.name, name=f"{finding.tool}: {finding.code}", failure=finding.message,
                details=f"{_place(finding)}\n{finding.hint}",
            )
            for finding in one.report.findings
        ]  # fmt: skip
    return junit("utp audit", cases)
