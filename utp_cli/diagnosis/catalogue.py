"""All diagnoses: the theme modules in order, and their rules in order of writing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis.themes import THEMES, rules_of, theme
from utp_cli.protocol.catalogue import Catalogue

if TYPE_CHECKING:
    from utp_cli.protocol.rules import Rule

DIAGNOSES: Catalogue[Rule[Any]] = Catalogue(
    "diagnosis", (rule for name in THEMES for rule in rules_of(theme(name))), lambda rule: (rule.code,)
)
