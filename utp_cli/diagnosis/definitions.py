"""Tool definitions that providers refuse, or that models do not understand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis.observation import Observation, clipped, diagnosis
from utp_cli.diagnosis.subject import compact
from utp_cli.diagnosis.untold_objects import untold_arguments, untold_object
from utp_cli.facts.providers import NARROWEST_NAME, PORTABLE, UNKNOWN, USUAL_TOOLS, provider_called
from utp_cli.facts.schema_subsets import in_place_of
from utp_cli.protocol.records import replace
from utp_cli.protocol.spans import pointer
from utp_cli.schemas.resolve import recursive, resolve
from utp_cli.schemas.types import declared, is_type
from utp_cli.schemas.walk import walk
from utp_cli.wire.access import dict_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from utp_cli.diagnosis.subject import ToolSet
    from utp_cli.facts.providers import Provider
    from utp_cli.facts.schema_subsets import SchemaSubset
    from utp_cli.schemas.walk import SchemaPlace
    from utp_cli.validation.definitions import Definition


TAKES_ANY_SCHEMA = ("parametersJsonSchema", "parameters_json_schema")
"""Fields of Gemini's definitions where every keyword is known."""


def _provider(tools: ToolSet, definition: Definition) -> Provider:
    """Return whom a definition goes to: the one that is named, else the one whose form it has."""
    return provider_called(tools.provider, definition.tool.form)


def _at(definition: Definition, node: SchemaPlace, message: str, evidence: str, fix: str = "") -> Observation:
    return Observation(
        message=f"{definition.tool.name}: {message}",
        evidence=evidence,
        fix=fix,
        pointer=node.pointer,
        tool=definition.tool.name,
    )


def _nodes(tools: ToolSet) -> Iterator[tuple[Definition, SchemaPlace]]:
    for definition in tools.definitions:
        for node in places_of(definition):
            yield definition, node


def places_of(definition: Definition) -> Iterator[SchemaPlace]:
    """Yield every place in a tool's schema where a schema should stand, the root first."""
    return walk(definition.schema, definition.pointer + definition.schema_pointer)


def _about_name(definition: Definition, message: str, evidence: str) -> Observation:
    place = definition.pointer + definition.body_pointer + pointer("name")
    return Observation(message=message, evidence=evidence, pointer=place, tool=definition.tool.name)


def _runs_itself(definition: Definition) -> bool:
    """Whether the tool has a type of the provider's own, such as Moonshot's `builtin_function`: it has its own name."""
    kind = definition.raw.get("type") if isinstance(definition.raw, dict) else None
    return isinstance(kind, str) and kind not in ("function", "custom", "object")


@diagnosis("tool-name-invalid", "error", star=True, kinds=("tools",))
def tool_name_invalid(tools: ToolSet) -> Iterator[Observation]:
    r"""A tool's name has characters that the provider refuses.

    What people see: HTTP 400, and all tools are gone.

    What proves it: a name with anything but letters, digits, `_` and `-`. Gemini takes `.` and `:` too, MCP
    `.`; Cohere takes no `-`. Where the provider is not known, a name that hardly any provider takes.

    What to change: replace the character by `_` and keep a map back to the MCP name.

    Error texts: `Invalid 'tools[0].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'`,
    `tools.0.custom.name: String should match pattern`, `Invalid function name. Must start with a letter
    or an underscore`.
    """
    for definition in tools.definitions:
        name, provider = definition.tool.name, _provider(tools, definition)
        if _runs_itself(definition):
            continue
        rule = PORTABLE if provider is UNKNOWN else provider.names
        if not definition.is_schema and (not name or not rule.spelt(name)):
            yield _about_name(definition, f"the name {name!r} has characters that are refused", name or "no name")


@diagnosis("tool-name-too-long", "error", kinds=("tools",))
def tool_name_too_long(tools: ToolSet) -> Iterator[Observation]:
    """A tool's name is too long.

    What people see: HTTP 400, most often after an MCP client put `mcp__server__` before the name.

    What proves it: a name of more than 64 characters (OpenAI, Azure, Bedrock, Mistral); 128 for Anthropic, Gemini and
    MCP, and where the provider is not known; there more than 64 are a hint.

    What to change: shorten the server's key or the tool's name; set `operation_id` for generated tools.

    Error texts: `Invalid 'tools[0].function.name': string too long. Expected a string with maximum
    length 64`, `tools.0.custom.name: String should have at most 128 characters`.
    """
    for definition in tools.definitions:
        name, provider = definition.tool.name, _provider(tools, definition)
        limit = (PORTABLE if provider is UNKNOWN else provider.names).limit
        if limit and len(name) > limit:
            yield _about_name(definition, f"the name has {len(name)} characters; {limit} are allowed", name)
        elif not tools.provider and len(name) > NARROWEST_NAME:
            said = f"the name has {len(name)} characters; OpenAI, Bedrock and Mistral take {NARROWEST_NAME}"
            yield replace(_about_name(definition, said, name), severity="info", confidence="low")


@diagnosis("schema-array-without-items", "error", star=True, kinds=("tools",))
def schema_array_without_items(tools: ToolSet) -> Iterator[Observation]:
    """An array does not say what is in it.

    What people see: HTTP 400 from OpenAI and Gemini.

    What proves it: a schema of type array with neither `items` nor `prefixItems`; an error for OpenAI, Azure and
    Gemini, elsewhere a warning.

    What to change: add `items`: at least `{}`, better `{"type": "string"}`.

    Error texts: `Invalid schema for function …: array schema missing items`,
    `function_declarations[0].parameters.properties[tags].items: missing field`.
    """
    for definition, node in _nodes(tools):
        if "array" in declared(node.keywords) and not {"items", "prefixItems"} & node.keywords.keys():
            due = _provider(tools, definition).items_due
            found = _at(definition, node, "an array schema without items", compact(node.schema))
            yield found if due else replace(found, severity="warning")


_WANT_PROPERTIES = ("openai", "azure")
"""Providers that refuse an object without them: "object schema missing properties" (public threads, November 2026)."""
_INSTEAD = frozenset({"properties", "$ref", "anyOf", "oneOf", "allOf"})
_OF_SCHEMA = ("required", "properties")
"""Keywords that are of a schema alone: no provider has them in the definition around it."""
_KINDS: dict[str, Callable[[Any], bool]] = {
    "required": lambda value: isinstance(value, bool) or _is_names(value),
    "properties": lambda value: isinstance(value, dict),
    "enum": lambda value: isinstance(value, list),
    "type": is_type,
}
"""Keywords, and whether a value of theirs is of a kind that somebody takes. A boolean `required` is of draft 3."""


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


@diagnosis("schema-invalid", "error", kinds=("tools",))
def schema_invalid(tools: ToolSet) -> Iterator[Observation]:
    """The schema of a tool is no valid JSON Schema.

    What people see: one such tool, and every request fails.

    What proves it: `required` is no list of names, `properties` no object, `enum` no list, or `type` none of the
    seven types. Or `required` or `properties` stand beside the schema, where nobody reads them and Mistral refuses
    the tool. Else an error text that says so.

    What to change: `required` is a list of names in its object, or left out; `properties` an object (`{}` where it
    is empty, no list), and each property a schema; `enum` a list of values; `type` one of string, number, integer,
    boolean, object, array, null, or a list of them; bounds are numbers; `utp audit` shows the keyword and its place in
    the tools.
    """
    for definition in tools.definitions:
        yield from _beside_schema(definition)
    for definition, node in _nodes(tools):
        for key, fits in _KINDS.items():
            if key in node.keywords and not fits(node.keywords[key]):
                yield _at(
                    definition, node, f"{key} has a value that it cannot have", f"{key}: {compact(node.keywords[key])}"
                )


def _beside_schema(definition: Definition) -> Iterator[Observation]:
    body, schema = definition.body, definition.schema
    for key in _OF_SCHEMA if isinstance(schema, dict) and schema is not body else ():
        if body.get(key) and not schema.get(key):
            yield Observation(
                message=f"{definition.tool.name}: {key} stands beside the schema, and belongs into it",
                evidence=f"{key}: {compact(body[key])}",
                pointer=definition.pointer + definition.body_pointer + pointer(key),
                fix=f"move {key} into {definition.schema_pointer.rpartition('/')[2]}",
                tool=definition.tool.name,
            )


@diagnosis("schema-strict-incomplete", "error", kinds=("tools",))
def schema_strict_incomplete(tools: ToolSet) -> Iterator[Observation]:
    """Strict mode is on, and the schema leaves something open.

    What people see: HTTP 400 as soon as `strict: true` is sent.

    What proves it: `strict: true` for a provider with a strict mode (OpenAI, Azure, Anthropic, Bedrock), and an
    object without `additionalProperties: false` or, on OpenAI and Azure, with a property that is not in `required`,
    or a list whose items are `{}`.

    What to change: close every object (`additionalProperties: false`), list every property as required (optional ones
    as `["string", "null"]`), give the `items` of every list a type, or send `strict: false`.

    Error texts: `'additionalProperties' is required to be supplied and to be false`, `'required' is
    required to be supplied and to be an array including every key in properties`.
    """
    for definition, node in _nodes(tools):
        schema = node.keywords
        mode = _provider(tools, definition).strict if definition.tool.strict is True else None
        if mode and mode.schema.all_required and schema.get("items") == {}:
            yield _at(definition, node, "strict, and the items of a list have no type", compact(node.schema))
        if mode is None or ("object" not in declared(schema) and "properties" not in schema):
            continue
        required = schema.get("required")
        properties = schema.get("properties")
        listed = required if isinstance(required, list) else []
        optional = [name for name in properties if name not in listed] if isinstance(properties, dict) else []
        if schema.get("additionalProperties") is not False:
            yield _at(definition, node, "strict, and an object is not closed", "additionalProperties is not false")
        elif optional and mode.schema.all_required:
            yield _at(
                definition,
                node,
                "strict, and not every property is required",
                f"optional: {', '.join(optional)}",
            )


@diagnosis("schema-keyword-unsupported", "error", star=True, kinds=("tools",))
def schema_keyword_unsupported(tools: ToolSet) -> Iterator[Observation]:
    """The API does not know a keyword of the schema.

    What people see: HTTP 400 from Gemini.

    What proves it: the provider is Gemini, and a schema in `parameters` has a keyword that is no field of its
    Schema type (`$schema`, `additionalProperties`, `$ref`, `$defs`, `const`, `exclusiveMinimum`, `oneOf`,
    `allOf`, `not`, …), a list as `type`, a format or an enum that it does not take.

    What to change: send the schema in `parametersJsonSchema` instead of `parameters` (`responseJsonSchema` instead of
    `responseSchema`), or remove these keywords, such as `additionalProperties`, `$schema`, `const`, `default`,
    `exclusiveMinimum`, `propertyNames` (`utp render-tools --provider gemini` does).

    Error texts: `Invalid JSON payload received. Unknown name "additionalProperties" at
    'tools[0].function_declarations[0].parameters': Cannot find field`, `Unknown name "$schema"`.

    Symptoms: `Proto field is not repeating, cannot start list`.
    """
    for definition in tools.definitions:
        subset = _provider(tools, definition).schema
        if subset is None or definition.schema_pointer.endswith(TAKES_ANY_SCHEMA):
            continue
        places = [(node, refused) for node in places_of(definition) if (refused := _refused(subset, node.keywords))]
        if places:
            names = ", ".join(dict.fromkeys(name for _, refused in places for name in refused))
            where = f" ({len(places)} places)" if len(places) > 1 else ""
            evidence = clipped(compact(places[0][0].schema), 120)
            fix = f"{in_place_of(places[0][1][0], subset)}; or send the schema in `parametersJsonSchema`"
            yield _at(definition, places[0][0], f"Gemini refuses {names}{where}", evidence, fix=fix)


def _refused(subset: SchemaSubset, schema: dict[str, Any]) -> list[str]:
    kind = str(schema.get("type")).lower()
    named = [key for key, value in schema.items() if subset.verdict(key, value, kind) == "refused"]
    listed = isinstance(schema.get("type"), list) and not subset.type_lists
    return sorted(named) + ["type as a list"] * listed


@diagnosis("schema-ref-unsupported", "error", kinds=("tools",))
def schema_ref_unsupported(tools: ToolSet) -> Iterator[Observation]:
    """A `$ref` leads out of the schema, or back to itself.

    What people see: HTTP 400 from providers that compile the schema.

    What proves it: a `$ref` that does not resolve inside the schema, or that leads back to a schema it
    stands in. Recursion is only told where the provider takes it (OpenAI; Anthropic without `strict`; Gemini's
    `parametersJsonSchema`).

    What to change: inline the definition; cut recursion to a fixed depth, or to a plain object.

    Error texts: `Recursive JSON schemas are not currently supported`, `references must start with
    #/$defs/`, `can't resolve reference`.
    """
    for definition in tools.definitions:
        places = list(places_of(definition))
        returning = {place.pointer for place in recursive(places, definition.schema, places[0].pointer)}
        for place in places:
            reference = place.keywords.get("$ref")
            if "$ref" not in place.keywords:
                continue
            if resolve(reference, definition.schema) is None:
                yield _at(definition, place, "a $ref that leads nowhere in this schema", f"$ref: {reference}")
            elif place.pointer in returning:
                told = _at(definition, place, "a $ref that leads back to itself", f"$ref: {reference}")
                yield replace(told, severity="info") if _takes_recursion(tools, definition) else told


def _takes_recursion(tools: ToolSet, definition: Definition) -> bool:
    """Whether a provider takes a schema that refers to itself: OpenAI documents it even for `strict`, Anthropic
    refuses it there only, Gemini takes it as JSON Schema (November 2026).
    """
    if tools.provider == "anthropic":
        return definition.tool.strict is not True
    own = definition.schema_pointer.rpartition("/")[2] in TAKES_ANY_SCHEMA
    return own or tools.provider in ("openai", "openai-responses", "azure")


@diagnosis("object-without-properties", "error", kinds=("tools",))
def object_without_properties(tools: ToolSet) -> Iterator[Observation]:
    """An object schema has no `properties`, or the tool has no parameters at all.

    What people see: HTTP 400 that names the tool.

    What proves it: the schema of a tool for OpenAI or Azure is of type object, and has neither `properties` nor a
    reference or a union in their place. Where no provider is known it is a hint; so are, for any, a property of type
    object of which nothing tells what it holds, and a description that tells arguments of which the schema has none.
    Else an error text that says so.

    What to change: write `"properties": {}`; for Gemini leave `parameters` out instead.
    """
    for definition in tools.definitions:
        schema, wanted = dict_of(definition.schema), tools.provider in _WANT_PROPERTIES
        if schema.get("type") == "object" and (wanted or not tools.provider) and not schema.keys() & _INSTEAD:
            root = next(iter(places_of(definition)))
            found = _at(definition, root, "the object schema has no properties", compact(schema))
            yield found if wanted else replace(found, severity="info", confidence="low")
        yield from untold_arguments(definition, next(places_of(definition)))
        yield from untold_object(definition, places_of(definition))


@diagnosis("too-many-tools", "warning", star=True, kinds=("tools",))
def too_many_tools(tools: ToolSet) -> Iterator[Observation]:
    """There are more tools than the provider takes, or than a model can choose from.

    What people see: HTTP 400, or the model picks the wrong tool.

    What proves it: more tools than the provider takes (OpenAI and Azure 128, Gemini 512), an error; more than 40, a
    warning.

    What to change: offer fewer tools: disable MCP servers that are not needed; offer tools by task; one search tool
    instead of all.

    Error texts: `Invalid 'tools': array too long. Expected an array with maximum length 128`, `too
    many tools`.
    """
    count = len(tools.definitions)
    limit = _provider(tools, tools.definitions[0]).tools if count else None
    over = limit is not None and count > limit
    if count > USUAL_TOOLS:
        yield Observation(
            message=f"{count} tools" + (f"; {limit} are allowed" if over else " are many to choose from"),
            evidence=f"{count} definitions",
            severity="error" if over else "warning",
        )


@diagnosis("tool-description-missing", "warning", kinds=("tools",))
def tool_description_missing(tools: ToolSet) -> Iterator[Observation]:
    """A tool does not say what it is for.

    What people see: the model answers from memory and never picks the tool.

    What proves it: the description is empty, shorter than 10 characters, or the name again.

    What to change: say when to use the tool, and when not, in one or two sentences.

    Symptoms: `description: Field required`, `model never calls the tool`.
    """
    for definition in tools.definitions:
        text, name = definition.tool.description.strip(), definition.tool.name
        if definition.is_schema:
            continue
        if len(text) < 10 or re.sub(r"[\W_]", "", text).casefold() == re.sub(r"[\W_]", "", name).casefold():
            yield Observation(
                message=f"{name}: the description says nothing",
                evidence=f"description: {text!r}",
                pointer=definition.pointer + definition.body_pointer + pointer("description"),
                tool=name,
            )
