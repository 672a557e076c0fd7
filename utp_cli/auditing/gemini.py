"""UTP3xx, what Gemini's own Schema type (under `parameters`) cannot say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.auditing.subject import ToolObservation, audit_rule, shown
from utp_cli.auditing.subset import kind_of, refused_by
from utp_cli.facts.schema_subsets import GEMINI_SCHEMA, in_place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.nodes import Node

DROPPED_SAFELY = ("$schema", "$id", "$comment", "examples")
"""Keys that say nothing to the model or the API."""


def takes_subset(node: Node) -> bool:
    """Say whether the schema is of Gemini's Schema type; `parametersJsonSchema` takes JSON Schema."""
    return not node.tool.definition.schema_pointer.lower().replace("_", "").endswith("parametersjsonschema")


@audit_rule("UTP310", "error", "gemini-unsupported-schema", on="node", providers=("gemini",), fix="unsafe")
def gemini_unsupported_schema(node: Node) -> Iterator[ToolObservation]:
    """A schema for Gemini says what its Schema type cannot.

    What it does: knows the keywords, type lists and formats that Gemini refuses under `parameters`; an object needs a
    property.
    Why it is bad: the provider refuses the request, or drops the keyword.
    Example: `{type: [string, "null"]}`.
    Use instead: `{type: string, nullable: true}`, or the schema as it is under another key: `parametersJsonSchema:
    {type: object, properties: {day: {type: [string, "null"]}}}`.
    Fix safety: safe for `$schema`, `$id`, `$comment`, `examples`, a type with null, an empty root; else unsafe.
    """
    if not takes_subset(node):
        return
    for key in refused_by(GEMINI_SCHEMA, node):
        if key not in ("format", "enum"):
            yield ToolObservation(
                pointer=node.at(key), message=f"gemini refuses `{key}`", hint=in_place_of(key, GEMINI_SCHEMA)
            )
    if isinstance(node.schema.get("type"), list):
        yield ToolObservation(
            pointer=node.at("type"),
            message="gemini refuses a list of types",
            hint="write one type, and `nullable: true` for null",
        )
    form = node.schema.get("format")
    for kind in node.types:
        if isinstance(form, str) and GEMINI_SCHEMA.verdict("format", form, kind) == "refused":
            yield ToolObservation(
                pointer=node.at("format"),
                message=f"gemini refuses the format {shown(form)} for a {kind}",
                hint="it takes " + " and ".join(sorted(GEMINI_SCHEMA.formats[kind])),
            )
    if "object" in node.types and not node.properties:
        yield ToolObservation(
            pointer=node.pointer,
            message=f"gemini refuses {node.label}: an object without properties",
            hint="list its properties" if node.parent else "leave `parameters` out",
        )


@audit_rule("UTP311", "error", "gemini-enum-not-string", on="node", providers=("gemini",), fix="unsafe")
def gemini_enum_not_string(node: Node) -> Iterator[ToolObservation]:
    """An enum for Gemini has values that are no text.

    What it does: wants `type: string` and texts that are not empty.
    Why it is bad: the provider refuses the request.
    Example: `{type: integer, enum: [1, 2]}`.
    Use instead: `{type: string, enum: ["1", "2"]}`.
    Fix safety: unsafe; the type becomes string and the values text.
    """
    values = node.schema.get("enum")
    if not isinstance(values, list) or not takes_subset(node):
        return
    if GEMINI_SCHEMA.verdict("enum", values, kind_of(node)) == "refused":
        yield ToolObservation(
            pointer=node.at("enum"),
            message=f"gemini takes an enum of texts only, not {shown(values)}",
            hint="write `type: string` and the values as text, and drop empty ones",
        )
