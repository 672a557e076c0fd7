"""The audit: definitions in, findings and scores out."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from utp_cli.auditing.catalogue import selected
from utp_cli.auditing.edits import applied
from utp_cli.auditing.enhance import enhancement
from utp_cli.auditing.fixes import fix_for, fixed_definition
from utp_cli.auditing.providers import targets
from utp_cli.auditing.score import Score, score_of
from utp_cli.auditing.subject import AuditedTool, Options, ToolSet, look_at
from utp_cli.protocol.errors import BadOption
from utp_cli.protocol.findings import Finding, Place
from utp_cli.protocol.spans import pointer_parts
from utp_cli.validation.definitions import Definition, find_definitions, reread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from utp_cli.auditing.edits import Fix
    from utp_cli.protocol.rules import Rule

    Locate = Callable[[int, str], Place]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedFinding:
    """A finding, the tool it is about, and the edits that would end it."""

    finding: Finding
    tool: int
    """The tool's place in the set, from 0."""
    fix: Fix | None

    def to_dict(self) -> dict[str, Any]:
        """Write it as a finding of `utp.audit/1`."""
        found = self.finding
        return {
            "code": found.code,
            "name": found.name,
            "severity": found.severity,
            "tool": found.tool,
            "pointer": found.place.pointer,
            "file": found.place.file,
            "line": found.place.line,
            "column": found.place.column,
            "message": found.message,
            "hint": found.hint,
            "fix": self.fix.to_dict() if self.fix else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What the audit has to say of a set of tools."""

    entries: list[AuditedFinding]
    """In the order of the tools, and within a tool in order of writing."""
    scores: dict[str, Score]
    """By the tool's name; a second tool of one name is `name#2`."""
    subjects: ToolSet
    """What was audited."""
    rules: dict[str, list[Rule[Any]]]
    """The rules that were run, by what they look at."""
    suppressed: list[AuditedFinding] = field(default_factory=list)
    """Found, but waved through by a comment or a baseline."""

    @property
    def findings(self) -> list[Finding]:
        """The findings, in order."""
        return [entry.finding for entry in self.entries]

    @property
    def average(self) -> float:
        """The mean of the tools' scores, from 0.0 to 1.0; 0.0 where there is no tool."""
        return round(sum(s.score for s in self.scores.values()) / len(self.scores), 2) if self.scores else 0.0

    def count(self, severity: str) -> int:
        """Count the findings of one severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Write it as `utp.audit/1`."""
        return {
            "schema": "utp.audit/1",
            "findings": [entry.to_dict() for entry in self.entries],
            "scores": {name: score.score for name, score in self.scores.items()},
            "tools": {name: score.to_dict() for name, score in self.scores.items()},
            "summary": {
                "tools": len(self.scores),
                "errors": self.count("error"),
                "warnings": self.count("warning"),
                "infos": self.count("info"),
                "fixable": sum(1 for entry in self.entries if entry.fix and entry.fix.safety == "safe"),
                "suppressed": len(self.suppressed),
                "score": self.average,
            },
        }


def audit(
    tools: Any,
    provider: str | Sequence[str] | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    context_window: int | None = None,
    *,
    locate: Locate | None = None,
    **options: Any,
) -> AuditReport:
    """Audit tool definitions: a list of them, one of them, or any mapping around them, in any provider's
    form.

    `provider` names where they are to be sent; without it the form tells. `select` and `ignore` name rules
    (`UTP204`, `UTP2`, `ALL`). `context_window` is in tokens. `options` are the fields of `Options`. `locate`
    gives
    the place in a file for a tool (its number) and a pointer into it. Faults of the definitions are findings;
    raises `UnknownName` and `BadOption` for the caller's mistakes.
    """
    unknown = options.keys() - Options.__dataclass_fields__.keys()
    if unknown:
        raise BadOption(f"audit has no option {', '.join(sorted(unknown))}")
    chosen = selected([*select] if select else None, [*ignore] if ignore else None)
    said = Options(context_window=context_window, named=frozenset(select or ()), **options)
    named = (provider,) if isinstance(provider, str) else tuple(provider or ())
    definitions = find_definitions(tools)
    locate = locate or (lambda _, pointer: Place(pointer=pointer))
    return audit_definitions(definitions, chosen, said, named, locate)


def audit_definitions(
    definitions: list[Definition],
    rules: list[Rule[Any]],
    options: Options,
    providers: tuple[str, ...],
    locate: Locate,
) -> AuditReport:
    """Run these rules over these definitions."""

    def place_in(index: int) -> Callable[[str], Place]:
        return lambda pointer: locate(index, pointer)

    looked = [
        look_at(
            definition,
            index,
            targets(providers, definition.tool.form, strict=definition.tool.strict is True),
            options,
            place_in(index),
        )
        for index, definition in enumerate(definitions)
    ]
    tools = ToolSet(tools=looked, options=options, names=frozenset(tool.name for tool in looked))
    by_scope: dict[str, list[Rule[Any]]] = {}
    for rule in rules:
        by_scope.setdefault(rule.facts["on"], []).append(rule)
    found = [(tool.index, finding) for tool in looked for finding in _of_tool(tool, by_scope)]
    last = {tool.name: tool.index for tool in looked}
    for rule in by_scope.get("set", ()):
        found.extend((last[finding.tool or ""], finding) for finding in rule.check(tools))
    entries = [
        AuditedFinding(finding=finding, tool=index, fix=fix_for(looked[index], finding))
        for index, finding in sorted(found, key=_Order(looked))
    ]
    return AuditReport(entries=entries, scores=_scores(tools), subjects=tools, rules=by_scope)


def _of_tool(tool: AuditedTool, rules: dict[str, list[Rule[Any]]]) -> Iterable[Finding]:
    """Run the rules that look at one tool, its schemas, its texts."""
    for scope, subjects in (
        ("tool", (tool,)),
        ("node", tool.nodes),
        ("seen", tool.seen),
        ("text", tool.texts),
    ):
        due = [rule.check for rule in rules.get(scope, ()) if _concerns(rule, tool)]
        for subject in subjects:
            for check in due:
                yield from check(subject)


def _concerns(rule: Rule[Any], tool: AuditedTool) -> bool:
    """Say whether the tool goes to a provider that the rule is about."""
    wanted = rule.facts["providers"]
    if not wanted or (tool.is_mcp and "mcp" in wanted):
        return True
    going = {target.provider.name for target in tool.targets} | {f"{mode}-strict" for mode in tool.strict_modes}
    return not going.isdisjoint(wanted)


class _Order:
    """The sort key of findings: by tool, by where the pointer's keys stand in the definition, by code."""

    def __init__(self, tools: list[AuditedTool]) -> None:
        self.tools = tools
        self.ranks: dict[int, dict[str, int]] = {}

    def __call__(self, pair: tuple[int, Finding]) -> tuple[int, tuple[int, ...], str]:
        index, finding = pair
        steps: list[int] = []
        value = self.tools[index].definition.raw
        for part in pointer_parts(finding.place.pointer):
            ranks = self._ranks_in(value)
            if part not in ranks:
                break
            steps.append(ranks[part])
            value = value.get(part) if isinstance(value, dict) else value[ranks[part]]
        return index, tuple(steps), finding.code

    def _ranks_in(self, value: Any) -> dict[str, int]:
        if not isinstance(value, (dict, list)):
            return {}
        known = self.ranks.get(id(value))
        if known is None:
            keys = value if isinstance(value, dict) else range(len(value))
            known = self.ranks[id(value)] = {str(key): rank for rank, key in enumerate(keys)}
        return known


def _scores(tools: ToolSet) -> dict[str, Score]:
    scores: dict[str, Score] = {}
    for tool in tools.tools:
        name, number = tool.name, 1
        while name in scores:
            number += 1
            name = f"{tool.name}#{number}"
        scores[name] = score_of(tool, tools)
    return scores


def fixed(report: AuditReport, *, unsafe: bool = False) -> tuple[list[Any], list[Finding]]:
    """Return the definitions with their fixes made, in order, and the findings that this ended.

    Only safe fixes are made unless `unsafe`; then descriptions also get the format hints and boundary
    notes that the schema knows, where the score is below 0.8. No fix brings a finding of another code, or one
    name to two tools.
    """
    results, ended = _mended(report, [tool.definition.raw for tool in report.subjects.tools], unsafe=unsafe)
    if unsafe:
        pairs = zip(report.subjects.tools, results, strict=True)
        enhanced = [_enhanced(report, tool, raw) for tool, raw in pairs]
        if not _set_codes(report, enhanced) - _set_codes(report, results):
            results, more = _mended(report, enhanced, unsafe=unsafe)  # what was explained can now be fixed
            ended += more
    return results, ended


def _mended(report: AuditReport, definitions: list[Any], *, unsafe: bool) -> tuple[list[Any], list[Finding]]:
    """Fix each definition by itself; leave all as they are where the set would have a new finding."""
    tools = report.subjects.tools
    fixable = {entry.tool for entry in report.entries if entry.fix}
    taken = {reread(raw, tool.definition).tool.name for tool, raw in zip(tools, definitions, strict=True)}
    results = [*definitions]
    ended: list[Finding] = []
    for index in sorted(fixable):
        tool, raw = tools[index], definitions[index]
        changed, done = fixed_definition(raw, partial(_again, report, tool), unsafe=unsafe)
        before, name = (reread(value, tool.definition).tool.name for value in (raw, changed))
        if name == before or name not in taken:
            taken.add(name)
            results[index] = changed
            ended.extend(done)
    worse = ended and _set_codes(report, results) - _set_codes(report, definitions)
    return (definitions, []) if worse else (results, ended)


def _set_codes(report: AuditReport, definitions: list[Any]) -> set[str]:
    """Return the codes of what the rules about whole sets find in these definitions."""
    looked = [_looked(tool, raw) for tool, raw in zip(report.subjects.tools, definitions, strict=True)]
    tools = ToolSet(tools=looked, options=report.subjects.options, names=frozenset(t.name for t in looked))
    return {finding.code for rule in report.rules.get("set", ()) for finding in rule.check(tools)}


def _enhanced(report: AuditReport, tool: AuditedTool, raw: Any) -> Any:
    """Return the definition with the sentences that its description lacks, unless they bring a finding."""
    again = _looked(tool, raw)
    names = report.subjects.names
    addition = enhancement(again, score_of(again, report.subjects), names - {tool.name, again.name})
    if addition is None:
        return raw
    before, after = (_again(report, tool, value) for value in (raw, applied(raw, addition)))
    return raw if {f.code for f, _ in after} - {f.code for f, _ in before} else applied(raw, addition)


def _again(report: AuditReport, tool: AuditedTool, raw: Any) -> list[tuple[Finding, Fix | None]]:
    """Audit one tool by itself, after a change."""
    changed = _looked(tool, raw)
    return [(finding, fix_for(changed, finding)) for finding in _of_tool(changed, report.rules)]


def _looked(tool: AuditedTool, raw: Any) -> AuditedTool:
    """Look at a tool again after a change."""
    return look_at(reread(raw, tool.definition), tool.index, tool.targets, tool.options, tool.locate)
