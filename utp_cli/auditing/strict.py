"""UTP3xx, what strict modes refuse, and schemas that refer to themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.auditing.subject import AuditedTool, AuditedToolSet, ToolObservation, audit_rule, compact, shown
from utp_cli.auditing.subset import refused_by
from utp_cli.facts.providers import ANTHROPIC_MODE, OPENAI_MODE, OPENAI_OLD_LIMITS
from utp_cli.facts.schema_subsets import in_place_of
from utp_cli.schemas.resolve import recursive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.nodes import Node
    from utp_cli.facts.providers import StrictMode

STRICT = ("openai-strict", "anthropic-strict")
_SAME_VALUE = frozenset({"allOf", "not", "if", "then", "else", "dependentSchemas"})


@audit_rule("UTP305", "error", "strict-additional-properties", on="node", providers=STRICT, fix="unsafe")
def strict_additional_properties(node: Node) -> Iterator[ToolObservation]:
    """A strict tool has an object that is open to other properties.

    What it does: wants `additionalProperties: false` in every object schema, also in items, branches, definitions.
    Why it is bad: OpenAI and Anthropic refuse a strict tool without it.
    Example: `{type: object, properties: {…}}`.
    Use instead: `{type: object, properties: {…}, additionalProperties: false}`.
    Fix safety: safe where the key is absent; unsafe where it is true or a schema.
    """
    if not node.is_object or node.keyword in _SAME_VALUE:
        return
    said = node.schema.get("additionalProperties")
    if said is not False:
        yield ToolObservation(
            pointer=node.pointer if said is None else node.at("additionalProperties"),
            message=f"{node.label} is open to other properties, which strict mode refuses",
            hint="add `additionalProperties: false`",
        )


@audit_rule("UTP306", "error", "strict-required", on="node", providers=("openai-strict",), fix="unsafe")
def strict_required(node: Node) -> Iterator[ToolObservation]:
    """A strict tool for OpenAI has an optional property.

    What it does: wants every property in its object's `required`.
    Why it is bad: OpenAI refuses the tool.
    Example: `{type: object, properties: {limit: {type: integer}}, required: []}`.
    Use instead: `{type: object, properties: {limit: {type: [integer, "null"]}}, required: [limit]}`.
    Fix safety: unsafe; it is listed, and its type takes null too.
    """
    required = set(node.required)
    for name in node.properties:
        if name not in required:
            yield ToolObservation(
                pointer=node.at("properties", name),
                message=f"{name} is optional, which OpenAI's strict mode refuses",
                hint=f"list {name} in `required` and let its type be null too",
            )


@audit_rule("UTP307", "error", "strict-unsupported-keyword", on="tool", providers=STRICT, fix="unsafe")
def strict_unsupported_keyword(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A strict tool uses a keyword that the strict mode does not know.

    What it does: each strict mode has its list, at any depth; also look-around in patterns, unknown formats, `default`
    (a warning: Azure and old deployments refuse it), recursion.
    Why it is bad: the provider refuses the tool.
    Example: `{type: string, minLength: 3}` for Anthropic.
    Use instead: `{type: string, description: At least 3 characters}` for Anthropic.
    Fix safety: unsafe; the keyword is dropped and its meaning said in the description.
    """
    modes = [tool.strict_modes[name] for name in sorted(tool.strict_modes)]
    recursive = {} if all(mode.schema.recursion for mode in modes) else recursive_refs(tool)
    for node in tool.nodes:
        for mode in modes:
            for key in refused_keys(node, mode, recursive=node.pointer in recursive):
                yield ToolObservation(
                    pointer=node.at(key),
                    message=f"the strict mode of {mode.name} refuses `{key}: {shown(node.schema[key])}`",
                    hint=in_place_of(key, mode.schema),
                )
        if "openai" in tool.strict_modes and "default" in node.schema:
            yield ToolObservation(
                pointer=node.at("default"),
                message="Azure and old deployments refuse `default` in strict mode; OpenAI no longer does",
                hint="say it in the description instead",
                severity="warning",
            )


def refused_keys(node: Node, mode: StrictMode, *, recursive: bool) -> list[str]:
    """Return the keys of a schema that a strict mode refuses, `default` aside."""
    refused = refused_by(mode.schema, node)
    outside = str(node.schema.get("$ref", "#")).startswith("#") is False
    if "$ref" in node.schema and not mode.schema.recursion and (recursive or outside):
        refused.append("$ref")
    return refused


def recursive_refs(tool: AuditedTool) -> dict[str, str]:
    """Return the `$ref`s that lead back to themselves: from the pointer of the schema that has it to the reference."""
    at = tool.definition.schema_pointer
    found = recursive((node.place for node in tool.nodes), tool.schema, at)
    return {place.pointer: str(place.keywords["$ref"]) for place in found}


@audit_rule("UTP308", "error", "schema-limits", on="set", providers=STRICT)
def schema_limits(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """A strict tool is larger than the strict mode allows.

    What it does: OpenAI takes 5,000 properties, 10 levels, 1,000 enum values, 15,000 characters in an enum of over 250
    values, 120,000 characters of names and values (100 and 5 with `--openai-legacy-limits`). Anthropic takes 20 strict
    tools, and over all of them 24 optional and 16 union-typed parameters.
    Why it is bad: the provider refuses the request.
    Example: an enum of 1,200 values.
    Use instead: a search tool that finds the value.
    Fix safety: no fix.
    """
    for tool in tools.tools:
        if "openai" in tool.strict_modes and tool.nodes:
            for message in _too_large(tool):
                yield ToolObservation(tool=tool, pointer=tool.definition.schema_pointer, message=message)
    strict = [tool for tool in tools.tools if "anthropic" in tool.strict_modes]
    optional = sum(len(n.properties.keys() - set(n.required)) for tool in strict for n in tool.nodes)
    unions = sum(_is_union(node) for tool in strict for node in tool.properties)
    limits = ANTHROPIC_MODE.limits
    counts = (
        (len(strict), limits.tools, "strict tools"),
        (optional, limits.optional, "optional parameters"),
        (unions, limits.unions, "union types"),
    )
    for count, limit, what in counts:
        if limit is not None and count > limit:
            yield ToolObservation(
                tool=strict[-1],
                pointer="",
                message=f"{count} {what} in the strict tools of the set; anthropic takes {limit}",
                hint="make fewer tools strict",
            )


def _is_union(node: Node) -> bool:
    return "anyOf" in node.schema or isinstance(node.schema.get("type"), list)


def _too_large(tool: AuditedTool) -> Iterator[str]:
    limits = OPENAI_OLD_LIMITS if tool.options.openai_legacy_limits else OPENAI_MODE.limits
    enums = [node.schema["enum"] for node in tool.nodes if isinstance(node.schema.get("enum"), list)]
    names = [name for node in tool.nodes for key in ("properties", "$defs", "definitions") for name in _keys(node, key)]
    constants = [node.schema["const"] for node in tool.nodes if "const" in node.schema]
    characters = sum(map(len, names)) + sum(_length(v) for values in (*enums, constants) for v in values)
    counts = (
        (len(tool.properties), limits.properties, "properties"),
        (_levels(tool), limits.levels, "levels of nesting"),
        (sum(map(len, enums)), limits.enum_values, "enum values"),
        (characters, limits.characters, "characters of names and values"),
    )
    for count, limit, what in counts:
        if limit is not None and count > limit:
            yield f"{count:,} {what}; strict mode takes {limit:,}"
    long, most = limits.long_enum or (0, 0)
    for values in enums if most else ():
        length = sum(map(_length, values))
        if len(values) > long and length > most:
            yield f"an enum of {len(values)} values with {length:,} characters; strict mode takes {most:,}"


def _keys(node: Node, key: str) -> list[str]:
    found = node.schema.get(key)
    return [str(name) for name in found] if isinstance(found, dict) else []


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str) else len(compact(value))


def _levels(tool: AuditedTool) -> int:
    """Count the objects and arrays on the deepest way down."""
    levels: dict[str, int] = {}
    for node in tool.nodes:
        above = levels[node.parent.pointer] if node.parent else 0
        nested = node.is_object or "array" in node.types
        levels[node.pointer] = above + nested if node.keyword not in ("$defs", "definitions") else int(nested)
    return max(levels.values(), default=0)


@audit_rule("UTP313", "error", "recursive-schema", on="tool", providers=("gemini", "anthropic-strict", "bedrock"))
def recursive_schema(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A schema refers to itself.

    What it does: follows the `$ref`s round; a warning for Bedrock, where it depends on the model.
    Why it is bad: the provider refuses the schema.
    Example: `{type: array, items: {$ref: "#"}}`: a tree, each node with its children.
    Use instead: `{type: array, items: {type: object, properties: {parent_id: {type: string}}}}`.
    Fix safety: no fix.
    """
    providers = {target.provider.name for target in tool.targets}
    only_bedrock = providers == {"bedrock"}
    for at, ref in recursive_refs(tool).items():
        yield ToolObservation(
            pointer=f"{at}/$ref",
            message=f"{shown(ref)} leads back to itself",
            hint="make it a list whose items name their parent",
            severity="warning" if only_bedrock else None,
        )
        break
