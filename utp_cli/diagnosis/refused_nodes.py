"""Places in the schema of a tool that one provider refuses, though they are sound JSON Schema.

Sources: the error texts of these causes; what `utp audit` knows as UTP104, UTP310 and UTP312 (November 2026).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.definitions import TAKES_ANY_SCHEMA, places_of
from utp_cli.diagnosis.observation import Observation, diagnosis
from utp_cli.diagnosis.subject import compact
from utp_cli.facts.providers import provider_called
from utp_cli.schemas.types import declared
from utp_cli.wire.access import dict_of, list_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.subject import ToolSet
    from utp_cli.schemas.walk import SchemaPlace

_GEMINI: Final = "gemini"
_HELD: Final = frozenset({"anyOf", "any_of", "oneOf", "$ref"})
"""Keywords that say what an object without properties is (google-genai writes `type` beside `any_of`)."""


_UNIONS: Final = ("oneOf", "anyOf", "allOf")


@diagnosis("schema-top-level-union", "error", kinds=("tools",))
def schema_top_level_union(tools: ToolSet) -> Iterator[Observation]:
    """The root of a schema is a union.

    What people see: HTTP 400 from Anthropic and OpenAI; some clients leave such a tool out and say nothing.

    What proves it: `oneOf`, `anyOf` or `allOf` at the root of a tool's schema (a hint where nobody says who gets it);
    for OpenAI and Azure `enum`, `const` and `not` as well.

    What to change: one flat object; say "exactly one of" in the description and check it in the handler.

    Error texts: `input_schema does not support oneOf, allOf, or anyOf at the top level`, `schema must
    have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level`.
    """
    for definition in tools.definitions:
        refused = provider_called(tools.provider, definition.tool.form).root_refused
        root = next(places_of(definition))
        for key in refused or (() if tools.provider else _UNIONS):
            if key in root.keywords:
                yield Observation(
                    severity=None if refused else "info",
                    confidence="high" if refused else "low",
                    message=f"{definition.tool.name}: {key} at the root",
                    evidence=f"{key}: {compact(root.keywords[key])}",
                    pointer=root.pointer,
                    tool=definition.tool.name,
                )


@diagnosis("gemini-schema-shape", "error", kinds=("tools",))
def gemini_schema_shape(tools: ToolSet) -> Iterator[Observation]:
    """Gemini does not take a node of a tool's schema.

    What people see: HTTP 400 that names the node.

    What proves it: an error text that names the node; or, in tools for Gemini, an object inside the schema without
    properties, or a name in `required` that is no property.

    What to change: send the schema in `parametersJsonSchema` (`responseJsonSchema` for an answer); or mend the node:
    objects need properties, enums are strings, `required` names existing properties, one type only; remove a keyword
    that the message names.
    """
    for definition in tools.definitions:
        if provider_called(tools.provider, definition.tool.form).name != _GEMINI:
            continue
        if definition.schema_pointer.rpartition("/")[2] in TAKES_ANY_SCHEMA:
            continue
        for node in places_of(definition):
            for message in refused_shapes(node, root_is_free=True):
                yield Observation(
                    message=f"{definition.tool.name}: {message}",
                    evidence=compact(node.schema),
                    pointer=node.pointer,
                    tool=definition.tool.name,
                )


def refused_shapes(node: SchemaPlace, *, root_is_free: bool = False) -> Iterator[str]:
    """Yield what Gemini refuses in a node. `root_is_free`: the root may be an object without properties."""
    schema: dict[str, Any] = node.keywords
    types = {name.lower() for name in declared(schema)}
    properties = dict_of(schema.get("properties"))
    if not (root_is_free and node.parent is None) and "object" in types and not properties and _HELD.isdisjoint(schema):
        yield "an object without properties"
    absent = [name for name in list_of(schema.get("required")) if isinstance(name, str) and name not in properties]
    if absent and "properties" in schema:
        yield f"required names {', '.join(absent)}, which is no property"


@diagnosis("property-name-invalid", "error", kinds=("tools",))
def property_name_invalid(tools: ToolSet) -> Iterator[Observation]:
    """The name of a property has characters that the provider refuses.

    What people see: HTTP 400 that names the tool.

    What proves it: an error text; or a property at the root of a tool's schema for Anthropic whose name does not fit,
    or any property for Gemini.

    What to change: rename the property (Anthropic: letters, digits, `_`, `.`, `-`, at most 64), and map it back.
    """
    for definition in tools.definitions:
        provider = provider_called(tools.provider, definition.tool.form)
        if definition.schema_pointer.rpartition("/")[2] in TAKES_ANY_SCHEMA:
            continue
        for node in places_of(definition):
            rule = provider.root_keys if node.depth == 1 and not provider.root_keys.is_free else provider.keys
            if node.name is not None and not rule.accepts(node.name):
                yield Observation(
                    message=f"{definition.tool.name}: {provider.name} refuses the name of a property",
                    evidence=f"{node.name}: at most {rule.limit} characters: {rule.words}",
                    pointer=node.pointer,
                    tool=definition.tool.name,
                )
