"""All diagnoses: the theme modules in order, and their rules in order of writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis import (
    arguments,
    causes_of_histories,
    causes_of_servers,
    causes_of_templates,
    causes_of_tools,
    choice,
    client,
    conversation,
    definitions,
    loops,
    reasoning,
    server,
    streaming,
    template,
    truncation,
)
from utp_cli.protocol.catalogue import Catalogue
from utp_cli.protocol.rules import Rule, rules_in

if TYPE_CHECKING:
    from types import ModuleType

THEMES = (
    server,
    template,
    arguments,
    truncation,
    reasoning,
    streaming,
    conversation,
    definitions,
    choice,
    client,
    loops,
    causes_of_servers,
    causes_of_templates,
    causes_of_histories,
    causes_of_tools,
)


def rules_of(theme: ModuleType) -> list[Rule[Any]]:
    """Return the rules of a theme: those that look for something, and the causes that only a text proves."""
    return [*rules_in(theme), *getattr(theme, "CAUSES", ())]


DIAGNOSES: Catalogue[Rule[Any]] = Catalogue(
    "diagnosis", (rule for theme in THEMES for rule in rules_of(theme)), lambda rule: (rule.code,)
)
