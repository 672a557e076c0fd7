"""All diagnoses: the theme modules in order, and their rules in order of writing."""

from __future__ import annotations

from typing import Any

from utp_cli.diagnosis import (
    arguments,
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
)

DIAGNOSES: Catalogue[Rule[Any]] = Catalogue("diagnosis", rules_in(*THEMES), lambda rule: (rule.code,))
