"""What the audit found, for people: each finding with its source, a line that counts, statistics; and as JSON."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.findings import SEVERITIES
from utp_cli.protocol.spans import pointer_parts
from utp_cli.views.escape import shown
from utp_cli.views.json import document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.text import Text

    from utp_cli.auditing.report import AuditReport, FindingGroup
    from utp_cli.protocol.findings import Finding
    from utp_cli.views.lines import Screen

_STYLES = {"error": "red", "warning": "yellow", "info": "cyan"}
IN_FULL = 3
"""Causes of one rule that are drawn with their source."""
AT_MOST = 12
"""Causes that are drawn."""
PLACES = 3
"""Other places of a cause that are named."""
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|[\w.$/-]+|.')
"""What a caret underlines: a quoted text, a word, a sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One file's report and the text that its places count in."""

    report: AuditReport
    name: str
    text: str
    fixed: int = 0
    """Findings that fixes have ended, or enhancements that were made."""


def findings_of(audited: Sequence[Audited]) -> Iterator[Finding]:
    """Yield the findings of all files."""
    return (finding for one in audited for finding in one.report.findings)


def as_text(
    audited: Sequence[Audited], screen: Screen, *, statistics: bool = False, scores: bool = False
) -> list[Text]:
    """Draw the causes with the source they are about, the worst first; then tables that were asked for, and a count.

    The first few of a rule are drawn in full, the others in one line each, and no more than `AT_MOST`, unless the
    screen is `verbose`: then every finding is drawn where it is.
    """
    from rich.text import Text  # noqa: PLC0415 - the other forms have no need of it

    lines: list[Text] = []
    told: Counter[str] = Counter()
    drawn = _in_order(audited, each=screen.verbose)
    room = len(drawn) if screen.verbose else AT_MOST
    for one, cause in drawn[:room]:
        finding = cause.finding
        told[finding.code] += 1
        is_known = told[finding.code] > IN_FULL and not screen.verbose
        more = _places(cause, screen, Text)
        if is_known:
            lines += [*_short(finding, screen, Text), *more]
        else:
            lines += [*_gap(lines, Text), *_finding(finding, one.text.split("\n"), screen, Text), *more, Text("")]
    if len(drawn) > room:
        lines += [*_gap(lines, Text), Text(f"{len(drawn) - room} more: --verbose")]
    tables = [*(statistics_lines(audited) if statistics else ()), *(score_lines(audited) if scores else ())]
    lines += [*(_gap(lines, Text) if tables else ()), *(Text(row) for row in tables)]
    return [*lines, *_gap(lines, Text), Text(summary(audited, screen))]


def _in_order(audited: Sequence[Audited], *, each: bool) -> list[tuple[Audited, FindingGroup]]:
    """Return the causes of all files, the worst first; in order of writing where `each` finding is drawn."""
    found = [(one, cause) for one in audited for cause in one.report.causes(each=each)]
    return found if each else sorted(found, key=lambda pair: SEVERITIES.index(pair[1].finding.severity))


def _places(cause: FindingGroup, screen: Screen, text: type[Text]) -> list[Text]:
    """Say where else a cause is met: the first few tools or properties."""
    others = [_subject(entry.finding) for entry in cause.entries[1:]]
    if not others:
        return []
    named = list(dict.fromkeys(others))
    more = ", …" if len(named) > PLACES else ""
    return screen.labelled(text("   also: "), ", ".join(named[:PLACES]) + more, 9)


def _subject(finding: Finding) -> str:
    """Return the tool and, where it is about one, the property: `search.limit`."""
    parts = pointer_parts(finding.place.pointer)
    at = next((n for n in range(len(parts) - 1, 0, -1) if parts[n - 1] == "properties"), None)
    return ".".join(filter(None, (finding.tool, parts[at] if at else "")))


def _gap(lines: list[Text], text: type[Text]) -> list[Text]:
    return [text("")] if lines and lines[-1].plain else []


def _short(finding: Finding, screen: Screen, text: type[Text]) -> list[Text]:
    severity = text(f" [{finding.severity}] ", style=_STYLES[finding.severity])
    where = text(f"{place_of(finding)}: ", style="bold")
    return [text.assemble(where, finding.code, severity, screen.safe(finding.message))]


def _finding(finding: Finding, source: list[str], screen: Screen, text: type[Text]) -> list[Text]:
    severity = text(f"[{finding.severity}]", style=_STYLES[finding.severity])
    title = text(title_of(finding), style=screen.link("rules", finding.code))
    head = text.assemble(text(f"{place_of(finding)}: ", style="bold"), title, " ", severity)
    lines = [head, *screen.labelled(text("   "), finding.message, 3)]
    line = finding.place.line
    if line and line <= len(source):
        lines += _snippet(source[line - 1], line, finding.place.column or 1, screen, text)
    if finding.hint:
        lines += screen.labelled(text("   = "), finding.hint, 5)
    return lines


def _snippet(line: str, number: int, column: int, screen: Screen, text: type[Text]) -> list[Text]:
    """Quote a line, what is meant underlined; a long line is cut around it."""
    from rich.cells import cell_len  # noqa: PLC0415

    room = max(screen.width - 12, 20)
    line = line.rstrip("\r")
    begin = max(0, min(column - 1 - room // 3, len(line) - room))
    token = _TOKEN.match(line, column - 1)
    end = min(token.end() if token else column, begin + room)
    before, meant, after = (
        screen.safe(part.replace("\t", " "))
        for part in (line[begin : column - 1], line[column - 1 : end], line[end : begin + room])
    )
    carets = " " * cell_len(before) + "^" * max(cell_len(meant), 1)
    return [text(f"{number:>6} | {before}{meant}{after}"), text(f"       | {carets}", style="red")]


def title_of(about: Finding | RuleTally) -> str:
    """Write code and name; a code that is a word stands alone."""
    return " ".join(dict.fromkeys((about.code, about.name)))


def place_of(finding: Finding) -> str:
    """Write where a finding is: `file:line:column`, or the tool's name."""
    place = finding.place
    where = [place.file, place.line, place.column] if place.file else [finding.tool or "tools"]
    return ":".join(shown(str(part)) for part in where if part is not None)


def summary(audited: Sequence[Audited], screen: Screen, fixed: str = "fixed") -> str:
    """Count what was found, fixed and suppressed, in one line. `fixed` is the word for what fixes ended."""
    reports = [one.report for one in audited]
    each = screen.verbose
    counts = [(sum(report.count(severity, each=each) for report in reports), severity) for severity in SEVERITIES]
    told = ", ".join(_many(n, severity) for n, severity in counts if n) or "no findings"
    places = sum(len(report.entries) for report in reports)
    told += f" in {places} places" if places > sum(n for n, _ in counts) else ""
    fixable = sum(report.fixable for report in reports)
    told += f" ({fixable} fixable with --fix)" if fixable else ""
    tools = sum(len(report.scores) for report in reports)
    ended, suppressed = sum(one.fixed for one in audited), sum(len(report.suppressed) for report in reports)
    parts = [
        _many(tools, "tool"),
        told,
        f"{ended} {fixed}" if ended else "",
        f"{suppressed} suppressed" if suppressed else "",
    ]
    return screen.signs.dot.join(filter(None, parts))


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTally:
    """How often a rule fired."""

    code: str
    name: str
    count: int
    fixable: int


def tallies(audited: Sequence[Audited]) -> list[RuleTally]:
    """Count the findings of each rule, the most frequent first."""
    entries = [entry for one in audited for entry in one.report.entries]
    names = {entry.finding.code: entry.finding.name for entry in entries}
    safe = Counter(entry.finding.code for entry in entries if entry.fix and entry.fix.safety == "safe")
    counts = Counter(entry.finding.code for entry in entries)
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [RuleTally(code=code, name=names[code], count=many, fixable=safe[code]) for code, many in ordered]


def statistics_lines(audited: Sequence[Audited]) -> list[str]:
    """Write a line for each rule that fired: how often, and what it is called."""
    return [
        f"{tally.count:>6}  {title_of(tally)}" + (f"  ({tally.fixable} fixable)" if tally.fixable else "")
        for tally in tallies(audited)
    ]


_HINTS = {
    "has_example_usage": "show an example",
    "has_edge_cases": "tell of an edge case",
    "has_input_format": "tell the form of their input",
    "has_clear_boundaries": "tell when not to use them",
    "params_unambiguous": "have no parameter with an ambiguous name",
}
PUBLISHED = "published tool sets have 0.01 to 0.44"
"""The averages of the sets in fixtures/tools/servers, 2026-11."""


def score_lines(audited: Sequence[Audited]) -> list[str]:
    """Write the average score with its reading, and how many tools have each of the five hints."""
    scores = [score for one in audited for score in one.report.scores.values()]
    if not scores:
        return []
    average, better = (sum(each) / len(scores) for each in zip(*((s.score, s.score_v2) for s in scores), strict=True))
    many = len(scores)
    rows = [f"score {average:.2f}: {average * 5:.1f} of 5 hints present in a tool ({PUBLISHED}); score_v2 {better:.2f}"]
    return rows + [f"{sum(s.checks[check] for s in scores):>6} of {many} {told}" for check, told in _HINTS.items()]


def as_json(audited: Sequence[Audited], *, statistics: bool = False, each: bool = False) -> str:
    """Write `utp.audit/1`; a list of them for several files. Findings of one cause are one, unless `each`."""
    documents = [_document(one, statistics=statistics, each=each) for one in audited]
    return document(documents[0] if len(documents) == 1 else documents)


def _document(one: Audited, *, statistics: bool, each: bool) -> dict[str, Any]:
    told = one.report.to_dict(each=each)
    told["summary"] |= {"fixed": one.fixed}
    if statistics:
        told["statistics"] = [
            {"code": tally.code, "name": tally.name, "count": tally.count, "fixable": tally.fixable}
            for tally in tallies([one])
        ]
    return told
