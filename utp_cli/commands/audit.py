"""`utp audit`: lint tool definitions, in CI and before they are sent."""

from __future__ import annotations

import sys
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from utp_cli.commands import options
from utp_cli.commands.formats import Showing, checked, sink_for
from utp_cli.commands.pages import command_app, page
from utp_cli.io import output as out
from utp_cli.io.audit_files import audit_file, fixed_text
from utp_cli.io.inputs import STDIN
from utp_cli.io.settings import load_settings
from utp_cli.io.tool_files import read_tool_file
from utp_cli.protocol.errors import BadOption, nearest
from utp_cli.views.findings import Audited, as_github, as_json, as_junit, as_sarif, as_text, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.auditing.run import AuditReport
    from utp_cli.io.tool_files import ToolFile

FAIL_ON = {"never": (), "error": ("error",), "warning": ("error", "warning"), "info": ("error", "warning", "info")}
"""Which severities make the run fail."""

app = command_app()


@app.command(**page("utp audit tools.yaml", "utp audit tools.yaml --provider openai-strict -f sarif -o audit.sarif"))
def audit(
    files: Annotated[list[str] | None, Argument(metavar="TOOLS", help="Tool files, YAML or JSON; - is stdin.")] = None,
    *,
    provider: Annotated[
        list[str] | None, options.known(metavar="NAME", help="Where the tools are sent; may be repeated.")
    ] = None,
    context_window: Annotated[int | None, options.known(metavar="TOKENS", help="The model's window.")] = None,
    select: Annotated[list[str] | None, Option(metavar="CODE", help="Rules to run: UTP2, UTP306, ALL.")] = None,
    ignore: Annotated[list[str] | None, Option(metavar="CODE", help="Rules not to run.")] = None,
    min_score: Annotated[float | None, Option(metavar="N", help="Fail where a tool scores less (0 to 1).")] = None,
    min_average: Annotated[float | None, Option(metavar="N", help="Fail where the average is less.")] = None,
    fail_on: Annotated[str, Option(metavar="SEVERITY", help="Exit 1 on: never, error, warning, info.")] = "warning",
    fix: Annotated[bool, Option("--fix", help="Write safe fixes back.")] = False,
    unsafe_fixes: Annotated[bool, Option("--unsafe-fixes", help="With --fix: also what changes meaning.")] = False,
    diff: Annotated[bool, Option("--diff", help="Show the fixes, write nothing.")] = False,
    list_rules: Annotated[bool, Option("--list-rules", help="List the rules.")] = False,
    format_name: Annotated[
        str | None, options.result("--format", "-f", metavar="NAME", help="text, json, github, sarif, junit.")
    ] = None,
    as_json_: Annotated[bool, options.result("--json", help="The same as -f json.")] = False,
    output: options.Output = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    no_color: options.NoColor = False,
) -> int:
    """Lint tool definitions: what providers refuse, models misuse, readers distrust.

    Exit: 0 clean, 1 findings, 2 could not be run. `utp explain UTP201` shows the page of a rule.
    """
    if list_rules:
        return _list_rules(output)
    if fail_on not in FAIL_ON:
        near = nearest(fail_on, FAIL_ON)
        raise BadOption(f"--fail-on takes {', '.join(FAIL_ON)}" + (f" (did you mean '{near}'?)" if near else ""))
    if not files:
        raise BadOption("name a file of tool definitions: utp audit tools.yaml")
    settings = load_settings(None, format="json" if as_json_ else format_name)
    name = checked(settings.get("format") or "text", FORMATS)
    tool_files = [_read(file) for file in files]
    rules = {"select": select or None, "ignore": ignore or None}
    reports = [audit_file(file, provider or None, **rules, context_window=context_window) for file in tool_files]
    if fix or diff:
        _fix(tool_files, reports, unsafe=unsafe_fixes, write=fix and not diff)
    if fix and not diff:
        tool_files = [_read(file) for file in files]
        reports = [audit_file(file, provider or None, **rules, context_window=context_window) for file in tool_files]
    audited = [
        Audited(report=report, name=file.path, text=file.text) for report, file in zip(reports, tool_files, strict=True)
    ]
    if not diff:
        showing = Showing(file=output, verbose=verbose, quiet=quiet, no_color=no_color)
        sink_for(name, showing).write(FORMATS[name](audited, showing))
    return int(_fails(reports, FAIL_ON[fail_on], min_score, min_average))


def _read(file: str) -> ToolFile:
    if file == STDIN:
        return read_tool_file("standard input", sys.stdin.read())
    return read_tool_file(file)


def _fails(
    reports: Sequence[AuditReport], severities: Sequence[str], min_score: float | None, min_average: float | None
) -> bool:
    found = any(report.count(severity) for report in reports for severity in severities)
    scores = [score.score for report in reports for score in report.scores.values()]
    low = min_score is not None and min(scores, default=1.0) < min_score
    average = min_average is not None and scores and sum(scores) / len(scores) < min_average
    if low:
        out.say(f"utp: a tool scores {min(scores):.2f}, less than --min-score {min_score}")
    return found or low or bool(average)


def _fix(files: Sequence[ToolFile], reports: Sequence[AuditReport], *, unsafe: bool, write: bool) -> None:
    """Write the fixes back, or show them as a diff."""
    for file, report in zip(files, reports, strict=True):
        text, ended = fixed_text(file, report, unsafe=unsafe)
        if write and text != file.text:
            Path(file.path).write_text(text, encoding="utf-8")
            out.say(f"{file.path}: fixed {len(ended)} finding{'s' if len(ended) != 1 else ''}")
        elif not write:
            changed = unified_diff(
                file.text.splitlines(keepends=True), text.splitlines(keepends=True), file.path, f"{file.path} (fixed)"
            )
            out.Output().write("".join(changed))


def _list_rules(output: str | None) -> int:
    from utp_cli.auditing.catalogue import RULES  # noqa: PLC0415 - loads every page

    rows = (
        f"{rule.code}  {'+' if rule.facts['default'] else ' '}  {rule.severity:<8} {rule.name:<30} {rule.headline}"
        for rule in RULES
    )
    out.Output(output).write("".join(f"{row}\n" for row in rows))
    return 0


def _text(audited: Sequence[Audited], showing: Showing) -> str:
    from utp_cli.views.lines import painted  # noqa: PLC0415 - the other forms have no need of rich

    if showing.quiet:
        return summary(audited) + "\n"
    return painted(as_text(audited, showing.screen), colour=showing.colour)


def _sarif(audited: Sequence[Audited], _: Showing) -> str:
    from utp_cli import __version__  # noqa: PLC0415
    from utp_cli.auditing.catalogue import RULES  # noqa: PLC0415

    return as_sarif(audited, list(RULES), __version__)


FORMATS: dict[str, Callable[[Sequence[Audited], Showing], Any]] = {
    "text": _text,
    "json": lambda audited, _: as_json(audited),
    "github": lambda audited, _: as_github(audited),
    "sarif": _sarif,
    "junit": lambda audited, _: as_junit(audited),
}
