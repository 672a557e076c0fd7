"""A chat template that somebody pastes, with words around it or without."""

from __future__ import annotations

from utp_cli.captures.voice import voice_of
from utp_cli.diagnosis.special_tokens import template_in


def quoted_template(text: str) -> str:
    """Return the chat template in a text; `""` where none is, and where a model shows one to its reader."""
    template = template_in(text)
    shown = template and voice_of(text.replace(template, "", 1)) == "explains"
    return "" if shown else template


def pasted_template(text: str) -> str:
    """Return the chat template that is most of a text; `""` for other texts."""
    template = quoted_template(text)
    return template if len(template) >= len(text) / 2 else ""
