"""All rules on one page, from their docstrings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from utp_cli.auditing.catalogue import BESIDE, RULES

if TYPE_CHECKING:
    from utp_cli.protocol.rules import Rule

GROUPS = {
    "UTP1": ("Structure and validity", "What no provider, or no validator, can read."),
    "UTP2": ("Descriptions", "What a model needs to read, and what it cannot do without."),
    "UTP3": ("Providers", "What one provider refuses. A rule runs where the tools go to a provider that it names."),
    "UTP4": ("The set of tools", "Its size, and tools that look alike."),
    "UTP5": ("Security", "What attacks a model, hides from a reader, or should not be there."),
    "UTP6": ("MCP annotations and output", "For MCP's form, and with `--provider mcp`."),
}
"""By the beginning of the code."""
_SECTIONS = (
    "What it does",
    "Why it is bad",
    "Example",
    "Use instead",
    "Fix safety",
    "Status",
    "Refused by",
    "Measured",
)


def page_of_all() -> str:
    """Return the page of every rule as Markdown: what it does, why it is bad, an example, how it is fixed."""
    written = ["# Rules of `utp audit`", f"{len(RULES)} rules. `utp explain CODE` shows one. ★ runs by default."]
    for group, (title, about) in GROUPS.items():
        rules = [rule for rule in RULES if rule.code.startswith(group)]
        written += [f"## {title}", about, _table(rules), *map(page_of, rules)]
    written += ["## Beside the rules", "What suppressions and `--breaking` report.", *map(page_of, BESIDE)]
    return "\n\n".join(written) + "\n"


def _table(rules: list[Rule[Any]]) -> str:
    rows = [
        f"| [{rule.code}](#{rule.code.lower()}-{rule.name}) | {rule.name} | {rule.severity} |"
        f" {'★' if rule.facts['default'] else ''} | {rule.facts['fix']} |"
        for rule in rules
    ]
    return "\n".join(["| code | name | severity | ★ | fix |", "| --- | --- | --- | --- | --- |", *rows])


def page_of(rule: Rule[Any]) -> str:
    """Write one rule as Markdown: its code and name, what it does, and its sections."""
    title = " ".join(dict.fromkeys((rule.code, rule.name)))
    body = rule.page.split("\n", 1)[1].strip()
    for section in _SECTIONS:
        body = re.sub(rf"^{section}:", f"\n**{section}:**", body, flags=re.MULTILINE)
    return f"### {title}\n\n{rule.headline}\n\n{body.strip()}"
