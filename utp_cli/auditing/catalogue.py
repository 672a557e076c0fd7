"""Every rule of the audit, in the order of their codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.auditing import (
    annotations as mcp_annotations,
    descriptions,
    gemini,
    injection,
    naming,
    parameters,
    portability,
    schemas,
    score,
    security,
    sets,
    strict,
    structure,
)
from utp_cli.protocol.catalogue import Catalogue
from utp_cli.protocol.errors import UnknownName
from utp_cli.protocol.rules import rules_in

if TYPE_CHECKING:
    from utp_cli.protocol.rules import Rule

RULES: Catalogue[Rule[Any]] = Catalogue(
    "audit rule",
    sorted(
        rules_in(
            *(structure, schemas),
            *(descriptions, parameters, score),
            *(portability, strict, gemini),
            *(sets, naming),
            *(security, injection),
            mcp_annotations,
        ),
        key=lambda rule: rule.code,
    ),
    lambda rule: (rule.code, rule.name),
)


def selected(select: list[str] | None = None, ignore: list[str] | None = None) -> list[Rule[Any]]:
    """Return the rules to run: the default set, or those that `select` names, without those of `ignore`.

    A rule is named by its code, its name, the beginning of its code (`UTP2`), or `ALL`. Raises `UnknownName`.
    """
    wanted = _named(select) if select else {rule.code for rule in RULES if rule.facts["default"]}
    unwanted = _named(ignore) if ignore else set()
    return [rule for rule in RULES if rule.code in wanted - unwanted]


def _named(names: list[str]) -> set[str]:
    found: set[str] = set()
    for name in names:
        upper = name.upper()
        codes = {r.code for r in RULES if upper == "ALL" or r.name == name.lower() or r.code.startswith(upper)}
        if not codes or not name:
            raise UnknownName("audit rule", name, RULES.names)
        found |= codes
    return found
