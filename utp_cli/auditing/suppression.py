"""Findings that are suppressed: by a comment in the file, by a key in a definition.

A comment, `# utp: ignore[UTP205, UTP3]`, stands at the end of the finding's line or alone on the line above. The key,
`x-utp-ignore: [UTP205]`, stands in a tool or in a schema and covers everything in it. Without codes, or with `true`,
everything is meant. What waves nothing through is itself a finding.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from utp_cli.auditing.report import AuditedFinding, covers
from utp_cli.protocol.findings import Finding
from utp_cli.protocol.rules import rule
from utp_cli.protocol.spans import pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from utp_cli.auditing.report import AuditReport
    from utp_cli.auditing.subject import AuditedTool
    from utp_cli.protocol.findings import Place
    from utp_cli.protocol.rules import Rule

KEY = "x-utp-ignore"
EVERYTHING = frozenset({"ALL"})
_COMMENT = re.compile(r"#\s*utp:\s*ignore\b\s*(?:\[([^\]\n]*)\]|((?:[\s,]*UTP\d+\b)+))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """A wish to hear no more of something."""

    codes: frozenset[str]
    """Codes, beginnings of codes, names; upper case. `ALL` is everything."""
    place: Place
    """Where it is written."""
    tool: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unused:
    """A wish, or a part of one, that no finding met."""

    suppression: Suppression
    codes: tuple[str, ...]
    """Those of its codes that covered nothing though their rules ran."""


def codes_of(comment: str) -> frozenset[str] | None:
    """Return the codes in `# utp: ignore[UTP205, UTP3]`, `ALL` without a list; None for other comments."""
    found = _COMMENT.match(comment)
    return _codes(found[1] or found[2] or "") if found else None


def _codes(listed: str) -> frozenset[str]:
    return frozenset(re.split(r"[\s,]+", listed.strip().upper())) - {""} or EVERYTHING


def _codes_of_value(value: Any) -> frozenset[str]:
    """Return the codes of the key: a list, one text, or `true`."""
    if isinstance(value, list):
        return frozenset(code.upper() for code in value if isinstance(code, str))
    return _codes(value) if isinstance(value, str) else EVERYTHING if value is True else frozenset()


def without_suppressed(report: AuditReport, by_line: dict[int, list[Suppression]]) -> AuditReport:
    """Move what comments (`by_line`) and keys wave through to `suppressed`.

    Those that were not needed become findings themselves.
    """
    by_pointer = [dict(_keys_in(tool)) for tool in report.subjects.tools]
    wishes = [wish for found in by_line.values() for wish in found]
    wishes += [wish for found in by_pointer for wish in found.values()]
    if not wishes:
        return report
    used: defaultdict[int, set[str]] = defaultdict(set)
    gone: set[int] = set()
    for index, entry in enumerate(report.entries):
        for wish in _over(entry, by_line, by_pointer):
            if met := {code for code in wish.codes if covers(code, entry.finding)}:
                used[id(wish)] |= met
                gone.add(index)
    ran = [ruling for rules in report.rules.values() for ruling in rules]
    unused = [Unused(suppression=wish, codes=codes) for wish in wishes if (codes := _unmet(wish, used[id(wish)], ran))]
    noted = [found for ruling in report.rules.get("suppression", ()) for one in unused for found in ruling.check(one)]
    kept = without(report, gone)
    more = [AuditedFinding(finding=finding, tool=None, fix=None) for finding in noted]
    return replace(kept, entries=[*kept.entries, *more])


def without(report: AuditReport, gone: set[int]) -> AuditReport:
    """Move these entries, by their index, to `suppressed`."""
    kept = [entry for index, entry in enumerate(report.entries) if index not in gone]
    moved = [entry for index, entry in enumerate(report.entries) if index in gone]
    return replace(report, entries=kept, suppressed=report.suppressed + moved)


def _keys_in(tool: AuditedTool) -> Iterator[tuple[str, Suppression]]:
    """Yield the wishes in a definition, by the pointer of what they cover."""
    holders = [("", tool.definition.raw), (tool.definition.body_pointer, tool.definition.body)]
    holders += [(node.pointer, node.schema) for node in (*tool.nodes, *tool.output_nodes)]
    for at, holder in holders:
        if isinstance(holder, dict) and KEY in holder:
            place = tool.locate(at + pointer(KEY))
            yield at, Suppression(codes=_codes_of_value(holder[KEY]), place=place, tool=tool.name)


def _over(
    entry: AuditedFinding, by_line: dict[int, list[Suppression]], by_pointer: list[dict[str, Suppression]]
) -> Iterator[Suppression]:
    """Yield the wishes within reach of a finding."""
    place = entry.finding.place
    yield from by_line.get(place.line or 0, ())
    keys = by_pointer[entry.tool] if entry.tool is not None else {}
    at = place.pointer
    while keys:
        if at in keys:
            yield keys[at]
        if not at:
            return
        at = at.rpartition("/")[0]


def _unmet(wish: Suppression, used: set[str], ran: list[Rule[Any]]) -> tuple[str, ...]:
    """Return the codes that no finding met, without those of rules that did not run."""
    from utp_cli.auditing.catalogue import RULES  # noqa: PLC0415 - the catalogue lists this module

    idle = sorted(wish.codes - used)
    return tuple(code for code in idle if _are_any(code, ran) or not _are_any(code, RULES))


def _are_any(code: str, rules: Iterable[Rule[Any]]) -> bool:
    return any(covers(code, ruling) for ruling in rules)


@rule("unused-suppression", "warning", default=True, fix="none", providers=(), on="suppression")
def unused_suppression(unused: Unused) -> Iterator[Finding]:
    """A comment or key that waves findings through has nothing to wave through.

    What it does: looks at each `# utp: ignore` and `x-utp-ignore` whose rules ran, and at their codes one by one.
    Why it is bad: it will hide the next finding of that kind, which nobody has looked at.
    Example: `name: get_order  # utp: ignore[UTP102]`
    Use instead: `name: get_order`
    Fix safety: no fix; take the code out.
    """
    wish = unused.suppression
    yield Finding(
        code="unused-suppression",
        name="unused-suppression",
        severity="warning",
        place=wish.place,
        message=f"nothing to ignore here for {', '.join(unused.codes)}",
        hint="take it out, before it hides something new",
        tool=wish.tool,
    )
