"""The audit of files: findings with line and column, fixes written back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.auditing import run
from utp_cli.auditing.suppression import without_commented
from utp_cli.io.positions import comments
from utp_cli.io.rewriting import rewritten
from utp_cli.io.tool_files import ToolFile, read_tool_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.auditing.run import AuditReport
    from utp_cli.protocol.findings import Finding


def audit(
    tools: Any,
    provider: str | Sequence[str] | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    context_window: int | None = None,
    **options: Any,
) -> AuditReport:
    """Audit a file of tool definitions, or definitions at hand: dicts in any provider's form.

    As `utp_cli.auditing.run.audit`; for a path the findings have file, line and column, and comments such
    as `# utp: ignore[CODE]` count. Raises `BadFile` too.
    """
    if isinstance(tools, (str, Path)):
        file = read_tool_file(tools)
        return audit_file(file, provider, select, ignore, context_window, **options)
    return run.audit(tools, provider, select, ignore, context_window, **options)


def audit_file(
    file: ToolFile,
    provider: str | Sequence[str] | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    context_window: int | None = None,
    **options: Any,
) -> AuditReport:
    """Audit a file that has been read."""
    definitions = file.definitions
    report = run.audit(definitions, provider, select, ignore, context_window, locate=file.locate, **options)
    return without_commented(report, comments(file.text, file.document)) if "#" in file.text else report


def fixed_text(file: ToolFile, report: AuditReport, *, unsafe: bool = False) -> tuple[str, list[Finding]]:
    """Return the file's text with the fixes made, and the findings that this ended. Raises `BadFile`."""
    definitions, ended = run.fixed(report, unsafe=unsafe)
    return rewritten(file, definitions), ended
