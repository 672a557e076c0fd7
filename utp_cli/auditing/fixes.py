"""Fixing: one edit at a time, each kept only where it ends its finding and starts no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.auditing.edits import Fault, Fix, applied, value_at
from utp_cli.auditing.fixes_of_schemas import FIXES_OF_SCHEMAS
from utp_cli.auditing.fixes_of_text import FIXES_OF_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.auditing.subject import AuditedTool
    from utp_cli.protocol.findings import Finding

FIXES = FIXES_OF_SCHEMAS | FIXES_OF_TEXT
"""By the code of the rule."""
MAX_FIXES = 300
"""Edits of one tool."""


def fix_for(tool: AuditedTool, finding: Finding) -> Fix | None:
    """Return the fix of a finding, None where there is none."""
    fixer = FIXES.get(finding.code)
    if fixer is None:
        return None
    at = finding.place.pointer
    return fixer(Fault(tool=tool, pointer=at, value=value_at(tool.definition.raw, at)))


def fixed_definition(
    definition: Any,
    findings_of: Callable[[Any], list[tuple[Finding, Fix | None]]],
    spared: set[tuple[str, str]],
    *,
    unsafe: bool,
) -> tuple[Any, list[Finding]]:
    """Return the definition with its fixes made, and the findings that this ended.

    `findings_of` audits one definition. A fix that would bring a finding of another code is left out; so is that of a
    finding whose code and pointer are `spared`.
    """
    ended: list[Finding] = []
    refused = {*spared}
    found = findings_of(definition)
    for _ in range(MAX_FIXES):
        due = _due(found, refused, unsafe=unsafe)
        if due is None:
            break
        finding, fix = due
        changed = applied(definition, fix)
        after = findings_of(changed)
        worse = {f.code for f, _ in after} - {f.code for f, _ in found}
        if worse or len(after) >= len(found):
            refused.add((finding.code, finding.place.pointer))
        else:
            definition, found = changed, after
            ended.append(finding)
            refused = {*spared}
    return definition, ended


def _due(
    found: list[tuple[Finding, Fix | None]], refused: set[tuple[str, str]], *, unsafe: bool
) -> tuple[Finding, Fix] | None:
    """Return the first finding whose fix is wanted and was not refused."""
    for finding, fix in found:
        tried = (finding.code, finding.place.pointer) in refused
        if fix is not None and not tried and (unsafe or fix.safety == "safe"):
            return finding, fix
    return None
