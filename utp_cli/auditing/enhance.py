"""Sentences that a description lacks, and that schema, hints and neighbours know. Nothing is invented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.auditing.edits import Fix, set_to, unsafe
from utp_cli.auditing.subject import compact
from utp_cli.auditing.words import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from utp_cli.auditing.nodes import Node
    from utp_cli.auditing.score import Score
    from utp_cli.auditing.subject import AuditedTool

GOOD_ENOUGH = 0.8
"""A tool with this score is left alone."""
_FORMATS = {
    "date": "a date, YYYY-MM-DD",
    "date-time": "a date and time as in ISO 8601",
    "time": "a time as in ISO 8601",
    "email": "an e-mail address",
    "uri": "a URI",
    "uuid": "a UUID",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
}
_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def enhancement(tool: AuditedTool, score: Score, addition: Addition, names: Iterable[str]) -> Fix | None:
    """Return the fix that adds one kind of sentence; None where it is not needed, or nothing is known.

    `names` are those of the other tools in the set.
    """
    text = tool.description.rstrip()
    if score.score >= GOOD_ENOUGH or not text or score.checks[addition.check]:
        return None
    added = addition.sentence(tool, names)
    stop = "" if text.endswith((".", "!", "?", ":")) else "."
    return unsafe(set_to(tool.at("description"), f"{text}{stop} {added}")) if added else None


def _formats(tool: AuditedTool, _: Iterable[str]) -> str:
    """Say what the schema asks of the parameters."""
    said = [f"`{node.name}` must be {form}" for node in tool.properties if node.depth == 1 and (form := _asked(node))]
    return "; ".join(said) + "." if said else ""


def _asked(node: Node) -> str:
    """Say what form or type a value must have, and whether it must be there; `""` where the schema asks nothing."""
    form = _form(node) or " or ".join(_TYPES[kind] for kind in node.types if kind in _TYPES)
    required = node.parent is not None and node.name in node.parent.required
    return f"{form} (required)" if form and required else form


def _form(node: Node) -> str:
    """Say what form the schema asks of a value; `""` where it asks none."""
    schema = node.schema
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(schema.get("enum"), list) and 1 < len(schema["enum"]) <= 12:
        return "one of " + ", ".join(map(_shown, schema["enum"]))
    if schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]]
    if isinstance(schema.get("pattern"), str) and len(schema["pattern"]) < 60:
        return f"text that matches {schema['pattern']}"
    if low is not None and high is not None:
        return f"from {low} to {high}"
    return f"at least {low}" if low is not None else f"at most {high}" if high is not None else ""


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else compact(value)


def _boundaries(tool: AuditedTool, names: Iterable[str]) -> str:
    """Say what the hints rule out, or which neighbour does something else."""
    if tool.annotations.get("readOnlyHint") is True:
        return "It only reads: not for changing anything."
    own = words(tool.name)
    for name in sorted(names):
        other = words(name)
        if len(own) > 1 and len(other) == len(own) and other[1:] == own[1:] and other[0] != own[0]:
            return f"Do not use it to {' '.join(other)}: for that there is {name}."
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """A kind of sentence that may be added."""

    check: str
    """The check of the score that it is meant for."""
    sentence: Callable[[AuditedTool, Iterable[str]], str]
    """Writes it from the tool and the names of the others; `""` where nothing is known."""


ADDITIONS = (
    Addition(check="has_input_format", sentence=_formats),
    Addition(check="has_clear_boundaries", sentence=_boundaries),
)
