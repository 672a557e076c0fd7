"""Which module holds the rules for what; a module is loaded when something of that kind is looked at."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.rules import Rule, rules_in

if TYPE_CHECKING:
    from types import ModuleType

THEMES: dict[str, tuple[str, ...]] = {
    "server": ("answer",),
    "markers": ("answer",),
    "template": ("template", "answer", "session"),
    "arguments": ("answer",),
    "unfit": ("answer",),
    "truncation": ("answer",),
    "reasoning": ("answer", "session"),
    "streaming": ("answer",),
    "conversation": ("answer", "session"),
    "definitions": ("tools",),
    "schema_roots": ("tools",),
    "refused_nodes": ("tools",),
    "choice": ("answer",),
    "client": ("answer", "session"),
    "tool_names": ("answer", "session"),
    "loops": ("answer", "session", "capture"),
    "announcements": ("answer",),
    "causes_of_servers": (),
    "causes_of_templates": (),
    "causes_of_histories": (),
    "causes_of_tools": (),
}
"""Module → the kinds of subject that its rules look at, in the order in which the rules are asked. A text proves the
causes: no rule looks for them."""


def theme(name: str) -> ModuleType:
    """Load a module of rules."""
    return import_module(f"utp_cli.diagnosis.{name}")


def rules_of(module: ModuleType) -> list[Rule[Any]]:
    """Return the rules of a theme: those that look for something, and the causes that only a text proves."""
    return [*rules_in(module), *getattr(module, "CAUSES", ())]


@cache
def rules_for(kind: str) -> list[Rule[Any]]:
    """Return the rules that look at a kind of subject."""
    modules = [theme(name) for name, kinds in THEMES.items() if kind in kinds]
    return [rule for module in modules for rule in rules_of(module) if kind in rule.facts["kinds"]]


@cache
def views_for(kind: str) -> tuple[str, ...]:
    """Return the views of a kind of subject in which rules look for something."""
    return tuple(dict.fromkeys(view for rule in rules_for(kind) for view in rule.facts["views"]))


@cache
def rules_beside(kind: str, empty: frozenset[str]) -> list[Rule[Any]]:
    """Return the rules that may find something in a subject of a kind, of which these views are empty."""
    return [rule for rule in rules_for(kind) if not rule.facts["views"] or not empty.issuperset(rule.facts["views"])]
