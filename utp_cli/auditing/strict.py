"""UTP3xx, what strict modes refuse, and schemas that refer to themselves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from utp_cli.auditing.nodes import ref_pointer
from utp_cli.auditing.subject import AuditedTool, Flaw, ToolSet, audit_rule, compact, shown
from utp_cli.auditing.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.nodes import Node

STRICT = ("openai-strict", "anthropic-strict")
_SAME_VALUE = frozenset({"allOf", "not", "if", "then", "else", "dependentSchemas"})


@audit_rule("UTP305", "error", "strict-additional-properties", on="node", providers=STRICT, fix="unsafe")
def strict_additional_properties(node: Node) -> Iterator[Flaw]:
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
        yield Flaw(
            pointer=node.pointer if said is None else node.at("additionalProperties"),
            message=f"{node.label} is open to other properties, which strict mode refuses",
            hint="add `additionalProperties: false`",
        )


@audit_rule("UTP306", "error", "strict-required", on="node", providers=("openai-strict",), fix="unsafe")
def strict_required(node: Node) -> Iterator[Flaw]:
    """A strict tool for OpenAI has an optional property.

    What it does: wants every property in its object's `required`.
    Why it is bad: OpenAI refuses the tool.
    Example: an optional `limit`.
    Use instead: `limit: {type: [integer, "null"]}`, and listed in `required`.
    Fix safety: unsafe; it is listed, and its type takes null too.
    """
    required = set(node.required)
    for name in node.properties:
        if name not in required:
            yield Flaw(
                pointer=node.at("properties", name),
                message=f"{name} is optional, which OpenAI's strict mode refuses",
                hint=f"list {name} in `required` and let its type be null too",
            )


REFUSED = {
    "openai": word_set(
        "allOf oneOf not if then else dependentRequired dependentSchemas patternProperties propertyNames"
        " unevaluatedItems unevaluatedProperties contains minContains maxContains minProperties"
        " maxProperties uniqueItems prefixItems"
    ),
    "anthropic": word_set(
        "oneOf not if then else minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength"
        " maxLength maxItems uniqueItems patternProperties"
    ),
}
"""Keywords that a strict mode refuses at any depth."""
OPENAI_FORMATS = word_set("date-time time date duration email hostname ipv4 ipv6 uuid")
_LOOK_AROUND = re.compile(r"\(\?<?[=!]")
_NOT_REGULAR = re.compile(r"\(\?<?[=!]|\\[1-9]|\\k<|\\b")


@audit_rule("UTP307", "error", "strict-unsupported-keyword", on="tool", providers=STRICT, fix="unsafe")
def strict_unsupported_keyword(tool: AuditedTool) -> Iterator[Flaw]:
    """A strict tool uses a keyword that the strict mode does not know.

    What it does: each strict mode has its list, at any depth; also look-around in patterns, unknown formats, `default`
    (a warning: Azure and old deployments refuse it), recursion.
    Why it is bad: the provider refuses the tool.
    Example: `{type: string, minLength: 3}` for Anthropic.
    Use instead: `{type: string, description: At least 3 characters}`.
    Fix safety: unsafe; the keyword is dropped and its meaning said in the description.
    """
    recursive = recursive_refs(tool) if "anthropic" in tool.strict_modes else {}
    for node in tool.nodes:
        for mode in sorted(tool.strict_modes):
            for key in refused_keys(node, mode, recursive=node.pointer in recursive):
                yield Flaw(
                    pointer=node.at(key),
                    message=f"the strict mode of {mode} refuses `{key}: {shown(node.schema[key])}`",
                    hint="say it in the description instead",
                )
        if "openai" in tool.strict_modes and "default" in node.schema:
            yield Flaw(
                pointer=node.at("default"),
                message="Azure and old deployments refuse `default` in strict mode; OpenAI no longer does",
                hint="say it in the description instead",
                severity="warning",
            )


def refused_keys(node: Node, mode: str, *, recursive: bool) -> list[str]:
    """Return the keys of a schema that a strict mode refuses, `default` aside."""
    more = _openai_refuses(node.schema) if mode == "openai" else _anthropic_refuses(node.schema, recursive=recursive)
    return [key for key in node.schema if key in REFUSED[mode] or key in more]


def _openai_refuses(schema: dict[str, Any]) -> set[str]:
    pattern, form = schema.get("pattern"), schema.get("format")
    checks = {
        "pattern": isinstance(pattern, str) and _LOOK_AROUND.search(pattern),
        "format": isinstance(form, str) and form not in OPENAI_FORMATS,
    }
    return {key for key, refused in checks.items() if refused}


def _anthropic_refuses(schema: dict[str, Any], *, recursive: bool) -> set[str]:
    pattern, ref, least = schema.get("pattern"), schema.get("$ref"), schema.get("minItems")
    branches, values = schema.get("allOf"), schema.get("enum")
    checks = {
        "pattern": isinstance(pattern, str) and _NOT_REGULAR.search(pattern),
        "$ref": recursive or (isinstance(ref, str) and not ref.startswith("#")),
        "minItems": isinstance(least, int) and least > 1,
        "allOf": isinstance(branches, list) and any(isinstance(b, dict) and "$ref" in b for b in branches),
        "enum": isinstance(values, list) and any(isinstance(v, (dict, list)) for v in values),
    }
    return {key for key, refused in checks.items() if refused}


def recursive_refs(tool: AuditedTool) -> dict[str, str]:
    """Return the `$ref`s that lie on a cycle: from the pointer of the schema that has it to the reference."""
    refs = [node for node in tool.nodes if isinstance(node.schema.get("$ref"), str)]
    root = tool.definition.schema_pointer
    targets = {ref_pointer(node.schema["$ref"], root) for node in refs}
    leads: dict[str, set[str]] = {target: set() for target in targets}
    inside: dict[str, set[str]] = {}
    for node in refs:
        target = ref_pointer(node.schema["$ref"], root)
        above: Node | None = node
        while above is not None:
            if above.pointer in leads:
                leads[above.pointer].add(target)
                inside.setdefault(node.pointer, set()).add(above.pointer)
            above = above.parent
    cyclic = _on_cycles(leads)
    return {node.pointer: node.schema["$ref"] for node in refs if inside.get(node.pointer, set()) & cyclic}


def _on_cycles(leads: dict[str, set[str]]) -> set[str]:
    """Return the names on a cycle, or between two: what is left without those that have no way out, or none in."""
    enters: dict[str, set[str]] = {name: set() for name in leads}
    for name, to in leads.items():
        for other in to:
            enters[other].add(name)
    return _endless(leads, enters) & _endless(enters, leads)


def _endless(forth: dict[str, set[str]], back: dict[str, set[str]]) -> set[str]:
    """Return the names from which one can go on for ever."""
    ways = {name: len(to) for name, to in forth.items()}
    ended = [name for name, count in ways.items() if count == 0]
    for name in ended:  # grows while it is read
        for other in back[name]:
            ways[other] -= 1
            if ways[other] == 0:
                ended.append(other)
    return {name for name, count in ways.items() if count > 0}


_LIMITS = (5000, 10)
_LEGACY_LIMITS = (100, 5)


@audit_rule("UTP308", "error", "schema-limits", on="set", providers=STRICT)
def schema_limits(tools: ToolSet) -> Iterator[Flaw]:
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
        if tool.strict_modes and tool.nodes:
            for message in _too_large(tool):
                yield Flaw(tool=tool, pointer=tool.definition.schema_pointer, message=message)
    strict = [tool for tool in tools.tools if "anthropic" in tool.strict_modes]
    optional = sum(len(n.properties.keys() - set(n.required)) for tool in strict for n in tool.nodes)
    unions = sum(_is_union(node) for tool in strict for node in tool.properties)
    counts = (
        (len(strict), 20, "strict tools"),
        (optional, 24, "optional parameters"),
        (unions, 16, "union types"),
    )
    for count, limit, what in counts:
        if count > limit:
            yield Flaw(
                tool=strict[-1],
                pointer="",
                message=f"{count} {what} in the strict tools of the set; anthropic takes {limit}",
                hint="make fewer tools strict",
            )


def _is_union(node: Node) -> bool:
    return "anyOf" in node.schema or isinstance(node.schema.get("type"), list)


def _too_large(tool: AuditedTool) -> Iterator[str]:
    most_properties, most_levels = _LEGACY_LIMITS if tool.options.openai_legacy_limits else _LIMITS
    enums = [node.schema["enum"] for node in tool.nodes if isinstance(node.schema.get("enum"), list)]
    names = [name for node in tool.nodes for key in ("properties", "$defs", "definitions") for name in _keys(node, key)]
    constants = [node.schema["const"] for node in tool.nodes if "const" in node.schema]
    characters = sum(map(len, names)) + sum(_length(v) for values in (*enums, constants) for v in values)
    counts = (
        (len(tool.properties), most_properties, "properties"),
        (_levels(tool), most_levels, "levels of nesting"),
        (sum(map(len, enums)), 1000, "enum values"),
        (characters, 120_000, "characters of names and values"),
    )
    yield from (f"{count:,} {what}; strict mode takes {limit:,}" for count, limit, what in counts if count > limit)
    for values in enums:
        length = sum(map(_length, values))
        if len(values) > 250 and length > 15_000:
            yield f"an enum of {len(values)} values with {length:,} characters; strict mode takes 15,000"


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
def recursive_schema(tool: AuditedTool) -> Iterator[Flaw]:
    """A schema refers to itself.

    What it does: follows the `$ref`s round; a warning for Bedrock, where it depends on the model.
    Why it is bad: the provider refuses the schema.
    Example: a tree, each node with its children.
    Use instead: a list whose items have a `parent_id`.
    Fix safety: no fix.
    """
    providers = {target.provider.name for target in tool.targets}
    only_bedrock = providers == {"bedrock"}
    for at, ref in recursive_refs(tool).items():
        yield Flaw(
            pointer=f"{at}/$ref",
            message=f"{shown(ref)} leads back to itself",
            hint="make it a list whose items name their parent",
            severity="warning" if only_bedrock else None,
        )
        break
