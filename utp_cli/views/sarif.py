"""Findings as SARIF 2.1.0 (OASIS, 2020)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from utp_cli.auditing.baseline import fingerprint
from utp_cli.facts.project import page_of
from utp_cli.views.findings import findings_of
from utp_cli.views.json import document

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from utp_cli.protocol.findings import Finding
    from utp_cli.protocol.rules import Rule
    from utp_cli.views.findings import Audited

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def as_sarif(audited: Sequence[Audited], rules: Iterable[Rule[Any]], version: str) -> str:
    """Write one run, with the pages of the rules that fired."""
    findings = list(findings_of(audited))
    fired = {finding.code for finding in findings}
    described = [_described(rule) for rule in rules if rule.code in fired]
    index = {rule["id"]: at for at, rule in enumerate(described)}
    driver = {"name": "utp audit", "version": version, "semanticVersion": version, "rules": described}
    results = [_result(finding, index) for finding in findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return document({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _described(rule: Rule[Any]) -> dict[str, Any]:
    page = page_of("rules", rule.code)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.headline},
        "fullDescription": {"text": rule.page},
        "help": {"text": f"utp explain {rule.code}"},
        **({"helpUri": page} if page else {}),
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: Finding, index: dict[str, int]) -> dict[str, Any]:
    place = finding.place
    region = {"startLine": place.line or 1, "startColumn": place.column or 1}
    uri = quote((place.file or "tools").replace("\\", "/"))
    physical = {"artifactLocation": {"uri": uri}, "region": region}
    logical = [{"name": finding.tool, "fullyQualifiedName": f"{finding.tool}{place.pointer}"}] if finding.tool else []
    ruled = {"ruleIndex": index[finding.code]} if finding.code in index else {}
    return {
        "ruleId": finding.code,
        **ruled,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message}. {finding.hint}".strip()},
        "locations": [{"physicalLocation": physical, "logicalLocations": logical}],
        "partialFingerprints": {"utpFinding/v1": fingerprint(finding)},
    }
