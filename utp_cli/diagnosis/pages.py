"""The documentation of the diagnoses, made from the rules' own pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis.catalogue import DIAGNOSES, THEMES
from utp_cli.diagnosis.sighting import SECTIONS
from utp_cli.protocol.rules import rules_in

if TYPE_CHECKING:
    from utp_cli.protocol.rules import Rule


def page_of(rule: Rule[Any]) -> str:
    """Write one diagnosis as Markdown: its code, severity, headline and paragraphs."""
    star = " ★" if rule.facts["star"] else ""
    body = rule.page
    for label in SECTIONS:
        body = body.replace(f"\n{label}: ", f"\n**{label}:** ")
    return f"### `{rule.code}`{star}\n\n*{rule.severity}* — {body}\n"


def page_of_all() -> str:
    """Write all diagnoses as one Markdown page, by theme; ★ marks those that people meet most.

    It holds the error texts as they appear, so that a search for one finds the diagnosis.
    """
    parts = [f"# Diagnoses\n\n{len(DIAGNOSES)} root causes, what proves each, and what to change.\n"]
    for theme in THEMES:
        title, _, rest = (theme.__doc__ or "").strip().partition(":")
        parts.append(f"## {title}\n" + (f"\n{rest.strip().capitalize()}\n" if rest else ""))
        parts += [page_of(rule) for rule in rules_in(theme)]
    return "\n".join(parts)
