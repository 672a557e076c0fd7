"""Roots of the schemas of a tool: what it takes, and what it gives back, are objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.diagnosis.definitions import places_of
from utp_cli.diagnosis.observation import Observation, diagnosis
from utp_cli.diagnosis.subject import compact
from utp_cli.facts.providers import provider_called
from utp_cli.protocol.spans import pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.subject import ToolSet
    from utp_cli.facts.providers import Provider
    from utp_cli.schemas.walk import SchemaPlace
    from utp_cli.validation.definitions import Definition


@diagnosis("schema-not-object", "error", kinds=("tools",))
def schema_not_object(tools: ToolSet) -> Iterator[Observation]:
    """The arguments' schema is no object schema.

    What people see: one such tool, and every request fails.

    What proves it: the schema is missing `type: object` or has another type, or the schema of a property is
    no object (`true`, a string). A missing schema counts for providers that ask for one. Or the `outputSchema` of an
    MCP tool is of another type: clients take an object there.

    What to change: `{"type": "object", "properties": {…}}` at the root, and a schema object for each
    property.

    Error texts: `schema must be a JSON Schema of 'type: "object"', got 'type: "None"'`, `input_schema.type:
    Field required`, `True is not of type 'object', 'boolean'`.
    """
    for definition in tools.definitions:
        provider = provider_called(tools.provider, definition.tool.form)
        yield from _output_schema(definition)
        for index, node in enumerate(places_of(definition)):
            if index == 0 and node.schema is None and not provider.schema_due:
                continue
            if index == 0 and str(node.keywords.get("type")).lower() != "object" and not _is_union(node, provider):
                yield _at(definition, node, "the schema is not of type object")
            elif node.name is not None and not isinstance(node.schema, dict):
                yield _at(definition, node, "the schema of a property is no object")


def _output_schema(definition: Definition) -> Iterator[Observation]:
    """An MCP tool may say what it gives back (its specification of 2025-06-18: `type: "object"` at the root)."""
    schema = definition.body.get("outputSchema")
    if isinstance(schema, dict) and schema.get("type") not in (None, "object"):
        yield Observation(
            message=f"{definition.tool.name}: its outputSchema is of type {str(schema['type'])[:40]}, not of an object",
            evidence=compact(schema),
            pointer=definition.pointer + definition.body_pointer + pointer("outputSchema"),
            fix='wrap the result: an outputSchema of type object with one property, {"result": …}; or leave it out',
            tool=definition.tool.name,
        )


def _at(definition: Definition, node: SchemaPlace, message: str) -> Observation:
    return Observation(
        message=f"{definition.tool.name}: {message}",
        evidence=compact(node.schema),
        pointer=node.pointer,
        tool=definition.tool.name,
    )


def _is_union(node: SchemaPlace, provider: Provider) -> bool:
    """A root that the provider refuses for its union has a diagnosis of its own."""
    return any(key in node.keywords for key in provider.root_refused) and "type" not in node.keywords
