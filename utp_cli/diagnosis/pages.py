"""The documentation of the diagnoses, made from the rules' own pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis.catalogue import DIAGNOSES
from utp_cli.diagnosis.fixes import label_of
from utp_cli.diagnosis.observation import SECTIONS
from utp_cli.diagnosis.themes import THEMES, rules_of, theme
from utp_cli.facts.error_texts.entries import error_texts
from utp_cli.facts.request_rules import request_rules

if TYPE_CHECKING:
    from utp_cli.facts.error_texts.entries import ErrorText
    from utp_cli.protocol.rules import Rule


def texts_of(code: str) -> list[ErrorText]:
    """Return the error texts that prove a diagnosis, those that were read at their source first."""
    return sorted((entry for entry in error_texts() if entry.code == code), key=lambda entry: entry.unconfirmed)


def error_lines(code: str) -> str:
    """Write the error texts of a diagnosis, a line each: who says it, since when, what helps, where it was read."""
    return "".join(f"- {_line(entry)}\n" for entry in texts_of(code))


def request_lines(code: str) -> str:
    """Write what is told of a request before it is sent, a line each: what is wrong, what to do, where it was read."""
    words = {"value": "…", "model": "the model"}
    return "".join(
        f"- {rule.says.format_map(words)}: {rule.mend.format_map(words)} ({rule.source})\n"
        for rule in request_rules()
        if rule.code == code
    )


def _line(entry: ErrorText) -> str:
    told = [label_of(entry.by), entry.versions, entry.source]
    mark = " *unconfirmed*" if entry.unconfirmed else ""
    return f"`{' '.join(entry.says.split())}` — {entry.cause}: {entry.fix} ({'; '.join(filter(None, told))}){mark}"


def page_of(rule: Rule[Any], *, texts: bool = True) -> str:
    """Write one diagnosis as Markdown: its code, severity, headline and paragraphs, and its error texts."""
    star = " ★" if rule.facts["star"] else ""
    body = rule.page
    for label in SECTIONS:
        body = body.replace(f"\n{label}: ", f"\n**{label}:** ")
    lines, sent = (error_lines(rule.code), request_lines(rule.code)) if texts else ("", "")
    seen = f"\n**Seen in:**\n\n{lines}" if lines else ""
    seen += f"\n**In requests:**\n\n{sent}" if sent else ""
    return f"### `{rule.code}`{star}\n\n*{rule.severity}* — {body}\n{seen}"


def page_of_all() -> str:
    """Write all diagnoses as one Markdown page, by theme; ★ marks those that people meet most.

    It holds the error texts as they appear, so that a search for one finds the diagnosis.
    """
    parts = [f"# Diagnoses\n\n{len(DIAGNOSES)} root causes, what proves each, and what to change.\n"]
    for module in map(theme, THEMES):
        title, _, rest = (module.__doc__ or "").strip().partition(":")
        parts.append(f"## {title}\n" + (f"\n{rest.strip().capitalize()}\n" if rest else ""))
        parts += [page_of(rule) for rule in rules_of(module)]
    return "\n".join(parts)
