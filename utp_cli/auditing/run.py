"""The audit: definitions in, findings and scores out."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from utp_cli.auditing.catalogue import extra_rules, selected
from utp_cli.auditing.edits import applied
from utp_cli.auditing.enhance import ADDITIONS, enhancement
from utp_cli.auditing.fixes import GivenUp, fix_for, fixed_definition
from utp_cli.auditing.providers import targets
from utp_cli.auditing.report import AuditedFinding, AuditReport
from utp_cli.auditing.score import score_of
from utp_cli.auditing.subject import AuditedTool, AuditedToolSet, Options, look_at
from utp_cli.auditing.suppression import unused_suppression, without_suppressed
from utp_cli.protocol.errors import BadOption
from utp_cli.protocol.findings import Place
from utp_cli.protocol.spans import pointer_parts
from utp_cli.validation.definitions import Definition, find_definitions, reread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from utp_cli.auditing.edits import Fix
    from utp_cli.auditing.suppression import Suppression
    from utp_cli.protocol.findings import Finding
    from utp_cli.protocol.rules import Rule

    Locate = Callable[[int, str], Place]


def audit(
    tools: Any,
    provider: str | Sequence[str] | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    context_window: int | None = None,
    *,
    locate: Locate | None = None,
    comments: dict[int, list[Suppression]] | None = None,
    **options: Any,
) -> AuditReport:
    """Audit tool definitions: a list of them, one of them, or any mapping around them, in any provider's form.

    `provider` names where they are to be sent; without it the form tells. `select` and `ignore` name rules (`UTP204`,
    `UTP2`, `ALL`). `context_window` is in tokens. `options` are the fields of `Options`. `locate` gives the place in a
    file for a tool (its number) and a pointer into it; `comments` are the suppressions of a file, by line. Faults of
    the definitions are findings; raises `UnknownName` and `BadOption` for the caller's mistakes.
    """
    unknown = options.keys() - Options.__dataclass_fields__.keys()
    if unknown:
        raise BadOption(f"audit has no option {', '.join(sorted(unknown))}")
    chosen = [*selected(select, ignore), *extra_rules([unused_suppression], select, ignore)]
    said = Options(context_window=context_window, named=frozenset(select or ()), **options)
    named = (provider,) if isinstance(provider, str) else tuple(provider or ())
    definitions = find_definitions(tools)
    locate = locate or (lambda _, pointer: Place(pointer=pointer))
    return without_suppressed(audit_definitions(definitions, chosen, said, named, locate), comments or {})


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
    tools = AuditedToolSet(tools=looked, options=options, names=frozenset(tool.name for tool in looked))
    by_scope = _by_scope(rules)
    found = [(tool.index, finding) for tool in looked for finding in _of_tool(tool, by_scope)]
    last = {tool.name: tool.index for tool in looked}
    for rule in by_scope.get("set", ()):
        found.extend((last[finding.tool or ""], finding) for finding in rule.check(tools))
    entries = [
        AuditedFinding(finding=finding, tool=index, fix=fix_for(looked[index], finding))
        for index, finding in sorted(_each_once(found), key=_Order(looked))
    ]
    return AuditReport(entries=entries, subjects=tools, rules=by_scope)


def _by_scope(rules: Iterable[Rule[Any]]) -> dict[str, list[Rule[Any]]]:
    """Return the rules by what they look at."""
    found: dict[str, list[Rule[Any]]] = {}
    for rule in rules:
        found.setdefault(rule.facts["on"], []).append(rule)
    return found


def _each_once(found: list[tuple[int, Finding]]) -> list[tuple[int, Finding]]:
    """Make one finding of those with the same code at the same place: the first, with what the others say."""
    known: dict[tuple[int, str, str], Finding] = {}
    for index, finding in found:
        key = index, finding.code, finding.place.pointer
        first = known.setdefault(key, finding)
        if finding.message not in first.message:
            known[key] = replace(first, message=f"{first.message}; {finding.message}")
    return [(index, finding) for (index, _, _), finding in known.items()]


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
    return any(not target.names.isdisjoint(wanted) for target in tool.targets)


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


def fixed(report: AuditReport, *, unsafe: bool = False) -> tuple[list[Any], list[Finding]]:
    """Return the definitions with their fixes made, in order, and the findings that this ended.

    Only safe fixes are made unless `unsafe`. What was suppressed stays. No fix brings a finding of another code,
    whatever rules were selected, or one name to two tools.
    """
    definitions, ended, _ = _mended(report, unsafe=unsafe)
    return definitions, ended


def given_up(report: AuditReport, *, unsafe: bool = False) -> list[GivenUp]:
    """Return the fixes that `fixed` does not make though they were wanted, each with the reason."""
    return _mended(report, unsafe=unsafe)[2]


def _mended(report: AuditReport, *, unsafe: bool) -> tuple[list[Any], list[Finding], list[GivenUp]]:
    tools = report.subjects.tools
    definitions = [tool.definition.raw for tool in tools]
    fixable = {entry.tool for entry in report.entries if entry.fix} - {None}
    spared: dict[int | None, set[tuple[str, str]]] = {}
    for entry in report.suppressed:
        spared.setdefault(entry.tool, set()).add((entry.finding.code, entry.finding.place.pointer))
    taken = {tool.name for tool in tools}
    results = [*definitions]
    ended: dict[int, list[Finding]] = {}
    left: list[GivenUp] = []
    for tool in (tool for tool in tools if tool.index in fixable):
        again = partial(_again, report, tool)
        raw = definitions[tool.index]
        kept_from = spared.get(tool.index, set())
        changed, done, refused = fixed_definition(raw, again, partial(_codes, tool), kept_from, unsafe=unsafe)
        left += refused
        name = reread(changed, tool.definition).tool.name
        if name == tool.name or name not in taken:
            taken.add(name)
            results[tool.index] = changed
            ended[tool.index] = done
        else:
            left += [GivenUp(finding=finding, why=f"another tool is called {name}") for finding in done]
    before = _set_codes(report, definitions)
    worse: set[str] = set()
    for kept in (set(ended), {index for index in ended if _says_the_same(tools[index], results[index])}):
        chosen = [results[index] if index in kept else raw for index, raw in enumerate(definitions)]
        more = _set_codes(report, chosen) - before
        if not more:
            done = [finding for index in ended if index in kept for finding in ended[index]]
            lost = [finding for index in ended if index not in kept for finding in ended[index]]
            why = f"that would bring {', '.join(sorted(worse))}"
            return chosen, done, left + [GivenUp(finding=finding, why=why) for finding in lost]
        worse |= more
    return definitions, [], left


def _codes(tool: AuditedTool, raw: Any) -> set[str]:
    """Return the codes of what all default rules find in one tool, warnings and worse, whatever was selected."""
    by_scope = _by_scope(selected())
    return {finding.code for finding in _of_tool(_looked(tool, raw), by_scope) if finding.severity != "info"}


def _says_the_same(tool: AuditedTool, raw: Any) -> bool:
    """Whether a change left name and description, which other tools are compared with."""
    changed = reread(raw, tool.definition).tool
    return (changed.name, changed.description) == (tool.name, tool.description)


def enhanced(report: AuditReport) -> list[Any]:
    """Return the definitions, in order, with the format hints and boundary notes that their schemas know.

    A tool that scores 0.8 is left alone, and none is brought above that. No sentence brings a finding of another code.
    """
    tools = report.subjects.tools
    results = [_enhanced(report, tool) for tool in tools]
    before = [tool.definition.raw for tool in tools]
    return before if _set_codes(report, results) - _set_codes(report, before) else results


def _set_codes(report: AuditReport, definitions: list[Any]) -> set[str]:
    """Return the codes of what the rules about whole sets find in these definitions."""
    looked = [_looked(tool, raw) for tool, raw in zip(report.subjects.tools, definitions, strict=True)]
    tools = AuditedToolSet(tools=looked, options=report.subjects.options, names=frozenset(t.name for t in looked))
    rules = {rule.code: rule for rule in (*report.rules.get("set", ()), *_by_scope(selected())["set"])}
    return {finding.code for rule in rules.values() for finding in rule.check(tools)}


def _enhanced(report: AuditReport, tool: AuditedTool) -> Any:
    """Return the definition with the sentences that its description lacks, those left out that bring a finding."""
    raw = tool.definition.raw
    others = report.subjects.names - {tool.name}
    for addition in ADDITIONS:
        again = _looked(tool, raw)
        fix = enhancement(again, score_of(again, report.subjects), addition, others)
        if fix is None:
            continue
        before, after = (_again(report, tool, value) for value in (raw, applied(raw, fix)))
        raw = raw if {f.code for f, _ in after} - {f.code for f, _ in before} else applied(raw, fix)
    return raw


def _again(report: AuditReport, tool: AuditedTool, raw: Any) -> list[tuple[Finding, Fix | None]]:
    """Audit one tool by itself, after a change."""
    changed = _looked(tool, raw)
    return [(finding, fix_for(changed, finding)) for finding in _of_tool(changed, report.rules)]


def _looked(tool: AuditedTool, raw: Any) -> AuditedTool:
    """Look at a tool again after a change."""
    return look_at(reread(raw, tool.definition), tool.index, tool.targets, tool.options, tool.locate)
