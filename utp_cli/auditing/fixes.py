"""Fixing: one edit at a time, each kept only where it ends its finding and starts no other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.auditing.edits import Fix, FixTarget, applied, value_at
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
    return fixer(FixTarget(tool=tool, pointer=at, value=value_at(tool.definition.raw, at)))


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenUp:
    """A fix that was not made."""

    finding: Finding
    why: str
    """Goes after "not fixed: "."""


def fixed_definition(
    definition: Any,
    findings_of: Callable[[Any], list[tuple[Finding, Fix | None]]],
    codes_of: Callable[[Any], set[str]],
    spared: set[tuple[str, str]],
    *,
    unsafe: bool,
) -> tuple[Any, list[Finding], list[GivenUp]]:
    """Return the definition with its fixes made, the findings that this ended, and the fixes that were given up.

    `findings_of` audits one definition as the caller wants it, `codes_of` gives the codes of all default rules that
    find something in it. A fix that would bring a finding of another code is given up. That of a finding whose code
    and pointer are `spared` is not tried.
    """
    ended: list[Finding] = []
    given_up: dict[tuple[str, str], GivenUp] = {}
    found, known = findings_of(definition), codes_of(definition)
    for _ in range(MAX_FIXES):
        due = _due(found, {*spared, *given_up}, unsafe=unsafe)
        if due is None:
            break
        finding, fix = due
        changed = applied(definition, fix)
        after = findings_of(changed)
        worse = {f.code for f, _ in after} - {f.code for f, _ in found}
        codes = known if worse else codes_of(changed)
        worse |= codes - known
        if worse or len(after) >= len(found):
            why = f"that would bring {', '.join(sorted(worse))}" if worse else "that would not end it"
            given_up[finding.code, finding.place.pointer] = GivenUp(finding=finding, why=why)
        else:
            definition, found, known = changed, after, codes
            ended.append(finding)
            given_up = {}
    return definition, ended, list(given_up.values())


def _due(
    found: list[tuple[Finding, Fix | None]], refused: set[tuple[str, str]], *, unsafe: bool
) -> tuple[Finding, Fix] | None:
    """Return the first finding whose fix is wanted and was not refused."""
    for finding, fix in found:
        tried = (finding.code, finding.place.pointer) in refused
        if fix is not None and not tried and (unsafe or fix.safety == "safe"):
            return finding, fix
    return None
