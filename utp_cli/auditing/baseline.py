"""What was found before and is not to be told again: a baseline. It knows findings by file, tool, code and pointer."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from utp_cli.auditing.suppression import without

if TYPE_CHECKING:
    from collections import Counter

    from utp_cli.auditing.report import AuditReport
    from utp_cli.protocol.findings import Finding

Known = tuple[str, str, str, str]
"""File, tool, code, pointer: what stays the same of a finding when lines move."""


def identity(finding: Finding, file: str) -> Known:
    """Return what a baseline knows a finding by."""
    return file, finding.tool or "", finding.code, finding.place.pointer


def fingerprint(finding: Finding) -> str:
    """Return the same as 32 hexadecimal digits, for services that track findings."""
    text = "\0".join(identity(finding, (finding.place.file or "").replace("\\", "/")))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def without_known(report: AuditReport, known: Counter[Known], file: str) -> AuditReport:
    """Move findings of a file to `suppressed` that the baseline knows, as often as it knows them.

    What is met is taken out of `known`: what is left over at the end is needed no longer.
    """
    gone: set[int] = set()
    for index, finding in enumerate(report.findings):
        key = identity(finding, file)
        if known[key] > 0:
            known[key] -= 1
            gone.add(index)
    return without(report, gone)
