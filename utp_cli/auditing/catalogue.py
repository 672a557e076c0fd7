"""Every rule of the audit, in the order of their codes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from utp_cli.auditing import (
    annotations as mcp_annotations,
    breaking,
    descriptions,
    gemini,
    grammars,
    injection,
    naming,
    parameters,
    portability,
    schemas,
    score,
    secrets,
    security,
    sets,
    strict,
    structure,
    suppression,
    unconstrained,
    undescribed,
    unsaid,
)
from utp_cli.auditing.report import covers
from utp_cli.protocol.catalogue import Catalogue
from utp_cli.protocol.errors import UnknownName
from utp_cli.protocol.rules import rules_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from utp_cli.protocol.rules import Rule

RULES: Catalogue[Rule[Any]] = Catalogue(
    "audit rule",
    sorted(
        rules_in(
            *(structure, schemas),
            *(descriptions, undescribed, parameters, score),
            *(portability, strict, gemini, grammars),
            *(sets, naming),
            *(security, injection, secrets, unconstrained, unsaid),
            mcp_annotations,
        ),
        key=lambda rule: rule.code,
    ),
    lambda rule: (rule.code, rule.name),
)


BESIDE: Catalogue[Rule[Any]] = Catalogue("audit check", rules_in(suppression, breaking), lambda rule: (rule.code,))
"""What looks at something else than definitions: at suppressions, at two versions of a set."""
CHANGES = rules_in(breaking)


def selected(select: Sequence[str] | None = None, ignore: Sequence[str] | None = None) -> list[Rule[Any]]:
    """Return the rules to run: the default set, or those that `select` names, without those of `ignore`.

    A rule is named by its code, its name, the beginning of its code (`UTP2`), or `ALL`. Raises `UnknownName`.
    """
    return [*_selected(tuple(select or ()), tuple(ignore or ()))]


@lru_cache(maxsize=64)
def _selected(select: tuple[str, ...], ignore: tuple[str, ...]) -> list[Rule[Any]]:
    wanted = named(select) if select else {rule.code for rule in RULES if rule.facts["default"]}
    wanted -= named(ignore)
    return [rule for rule in RULES if rule.code in wanted]


def extra_rules(
    checks: Iterable[Rule[Any]], select: Sequence[str] | None, ignore: Sequence[str] | None
) -> list[Rule[Any]]:
    """Return those of the checks that run: those that `select` names, all where it names none, without `ignore`."""
    own = list(checks)
    codes = {rule.code for rule in own}
    wanted = (named(select) & codes if select else codes) or codes
    return [rule for rule in own if rule.code in wanted - (named(ignore) if ignore else set())]


def named(names: Iterable[str]) -> set[str]:
    """Return the codes that these codes, beginnings of codes and names mean. Raises `UnknownName`."""
    found: set[str] = set()
    for name in names:
        upper = name.upper()
        codes = {rule.code for rule in (*RULES, *BESIDE) if upper and covers(upper, rule)}
        if not codes:
            raise UnknownName("audit rule", name, [*RULES.names, *BESIDE.names])
        found |= codes
    return found
