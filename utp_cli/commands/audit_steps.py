"""What `utp audit` does, step by step: read, audit, mend, set against a baseline, judge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import unified_diff
from typing import TYPE_CHECKING

from utp_cli.auditing.baseline import without_known
from utp_cli.auditing.breaking import breaking_changes
from utp_cli.auditing.catalogue import CHANGES, RULES, extra_rules
from utp_cli.auditing.portability_report import VERDICTS, portability
from utp_cli.auditing.report import graded
from utp_cli.auditing.run import given_up
from utp_cli.auditing.subject import Options
from utp_cli.io import output as out
from utp_cli.io.audit_files import (
    enhanced_text,
    fixed_text,
    listed_files,
    name_for,
    read_baseline,
    tool_files,
    write_back,
    write_baseline,
)
from utp_cli.io.inputs import STDIN
from utp_cli.io.tool_files import ToolFile, read_tool_file
from utp_cli.protocol.errors import BadFile, BadOption
from utp_cli.protocol.findings import SEVERITIES
from utp_cli.views.escape import shown
from utp_cli.views.findings import Audited, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.auditing.portability_report import Portability
    from utp_cli.auditing.report import AuditReport
    from utp_cli.io.audit_settings import AuditSettings


TOLD = 10
"""Fixes that were given up and are told one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What shall be done to the files."""

    fix: bool
    unsafe: bool
    enhance: bool
    diff: bool
    """Only show it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where the tools come from."""

    files: Sequence[str]
    stdin_name: str | None
    mcp: Sequence[str]
    python: Sequence[str]

    @property
    def are_files(self) -> bool:
        """Whether all of them can be written to."""
        return not self.mcp and not self.python and STDIN not in (self.files or [STDIN])

    def read(self) -> list[ToolFile]:
        """Read them. Raises `UtpError` where one cannot be read, and where none is named."""
        asked = list(listed_files(self.mcp, self.python))
        if not self.files and not self.stdin_name and not asked:
            raise BadOption("name a file of tool definitions: utp audit tools.yaml")
        return [*tool_files(self.files or [STDIN] * (not asked), self.stdin_name), *asked]


def audited_files(
    files: Sequence[ToolFile], asked: AuditSettings, changes: Changes, deliver: Deliver | None
) -> list[Audited]:
    """Audit the files; where they are to be changed, hand each one's new text over and audit that.

    A difference that is only shown changes no report. What cannot be changed in place is said, and stays.
    """
    if changes.unsafe and not (changes.fix or changes.diff):
        raise BadOption("--unsafe-fixes needs --fix or --diff")
    steps = [_fixed] * (changes.fix or (changes.diff and not changes.enhance)) + [_enhanced] * changes.enhance
    audited = []
    for file in files:
        found = report = asked.audited(file)
        now, ended = file, 0
        for step in steps:
            text, done = _tried(step, now, report, changes)
            if text != now.text:
                now, ended = read_tool_file(file.path, text), ended + done
                report = asked.audited(now)
        if deliver:
            deliver(file, now.text)
        if changes.diff:
            report, now = found, file
        audited.append(Audited(report=report, name=file.path, text=now.text, fixed=ended))
    return audited


def _tried(step: Step, file: ToolFile, report: AuditReport, changes: Changes) -> tuple[str, int]:
    try:
        return step(file, report, changes)
    except BadFile as error:
        out.say(f"utp: {error}")
        return file.text, 0


def _fixed(file: ToolFile, report: AuditReport, changes: Changes) -> tuple[str, int]:
    text, ended = fixed_text(file, report, unsafe=changes.unsafe)
    for left in given_up(report, unsafe=changes.unsafe)[:TOLD]:
        found = left.finding
        out.say(f"utp: {place_of(found)}: {found.code} not fixed: {left.why}")
    return text, len(ended)


def _enhanced(file: ToolFile, report: AuditReport, _: Changes) -> tuple[str, int]:
    return enhanced_text(file, report)


def deliverer(changes: Changes, sources: Sources) -> Deliver | None:
    """Return what becomes of changed texts: a diff, the file; the text itself where that is none; None for nothing."""
    if changes.diff:
        return show_diff
    if not changes.fix and not changes.enhance:
        return None
    if not sources.are_files and len([*sources.files, *sources.mcp, *sources.python]) > 1:
        raise BadOption("what is no file is changed alone, for it goes to standard output")
    return to_file if sources.are_files else to_standard_output


def show_diff(file: ToolFile, text: str) -> None:
    """Write the difference to standard output."""
    before, after = (version.splitlines(keepends=True) for version in (file.text, text))
    difference = unified_diff(before, after, shown(file.path), f"{shown(file.path)} (changed)")
    out.Output().write("".join(shown(line.rstrip("\r\n")) + "\n" for line in difference))


def to_standard_output(_: ToolFile, text: str) -> None:
    """Write the new text to standard output."""
    out.Output().write(text)


def to_file(file: ToolFile, text: str) -> None:
    """Write the new text where the old one was read."""
    if text != file.text:
        write_back(file, text)


def compared(files: Sequence[ToolFile], asked: AuditSettings) -> list[Audited]:
    """Compare two versions of a set. Raises `BadOption` where there are not two."""
    if len(files) != 2:
        raise BadOption("--breaking takes two files: utp audit old.yaml new.yaml --breaking")
    old, new = files
    rules = extra_rules(CHANGES, asked.select, asked.ignored_in(new.path))
    report = breaking_changes(old.definitions, new.definitions, rules, new.locate, Options(**asked.thresholds()))
    return [Audited(report=graded(report, asked.severity), name=new.path, text=new.text)]


def portability_of(files: Sequence[ToolFile], asked: AuditSettings) -> list[Portability]:
    """See the tools of all files with the providers' eyes."""
    return portability([file.definitions for file in files], asked.provider)


def new_baseline(audited: Sequence[Audited], asked: AuditSettings) -> int:
    """Write what was found as the baseline, and say so. Raises `BadOption` where it has no name."""
    if not asked.baseline:
        raise BadOption("--write-baseline needs --baseline FILE")
    many = write_baseline(asked.baseline, ((one.name, one.report) for one in audited))
    out.say(f"utp: {asked.baseline} knows {many} finding{'s' if many != 1 else ''} now")
    return 0


def without_baseline(audited: Sequence[Audited], asked: AuditSettings) -> list[Audited]:
    """Take out what the baseline knows; say where it knows more than there is."""
    if not asked.baseline:
        return list(audited)
    known = read_baseline(asked.baseline)
    left = [
        replace(one, report=without_known(one.report, known, name_for(asked.baseline, one.name))) for one in audited
    ]
    names = {name_for(asked.baseline, one.name) for one in audited}
    gone = sum(many for (file, *_), many in known.items() if file in names)
    if gone:
        what = f"{gone} finding{'s' if gone != 1 else ''}"
        out.say(f"utp: {asked.baseline} knows {what} that {'are' if gone != 1 else 'is'} gone: --write-baseline again")
    return left


def fails(audited: Sequence[Audited], asked: AuditSettings) -> bool:
    """Judge: findings as bad as `fail_on`, or scores too low. Says which score."""
    found = any(one.report.count(severity) for one in audited for severity in _failing(asked))
    scores = {f"{one.name}: {tool}": s.score for one in audited for tool, s in one.report.scores.items()}
    low = [name for name, score in scores.items() if asked.min_score is not None and score < asked.min_score]
    for name in low[:10]:
        hints = round(scores[name] * 5)
        out.say(f"utp: {name} scores {scores[name]:.2f} ({hints} of 5 hints present), less than {asked.min_score}")
    average = sum(scores.values()) / len(scores) if scores else 1.0
    poor = asked.min_average is not None and average < asked.min_average
    if poor:
        out.say(f"utp: the average score is {average:.2f}, less than {asked.min_average}")
    return found or bool(low) or poor


def refuses(reports: Sequence[Portability], asked: AuditSettings) -> bool:
    """Judge a portability report: a tool refused is an error, one that is bent is worth knowing."""
    worst = {report.verdict(tool) for report in reports for tool in report.reasons}
    severities = {"refused": "error", "bent": "info"}
    return any(severities.get(verdict) in _failing(asked) for verdict in VERDICTS if verdict in worst)


def _failing(asked: AuditSettings) -> tuple[str, ...]:
    return () if asked.fail_on == "never" else SEVERITIES[: SEVERITIES.index(asked.fail_on) + 1]


def list_rules(output: str | None) -> int:
    """Write every rule: code, `+` where it runs by default, severity, name, headline."""
    rows = (
        f"{rule.code}  {'+' if rule.facts['default'] else ' '}  {rule.severity:<8} {rule.name:<30} {rule.headline}"
        for rule in RULES
    )
    out.Output(output).write("".join(f"{row}\n" for row in rows))
    return 0


if TYPE_CHECKING:
    Step = Callable[[ToolFile, AuditReport, Changes], tuple[str, int]]
    Deliver = Callable[[ToolFile, str], None]
