"""UTP1xx, the schemas: types, enums, defaults, bounds, keywords."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from utp_cli.auditing.subject import ToolObservation, audit_rule, shown
from utp_cli.auditing.words import any_word, word_set, words
from utp_cli.facts.schema_keywords import GEMINI_KEYS, KEYWORDS, MISREAD_KEYS, OPENAPI_KEYS
from utp_cli.facts.schema_types import TYPES, type_meant
from utp_cli.protocol.errors import nearest
from utp_cli.schemas.shapes import SHAPES, is_number, is_of_type, same_key
from utp_cli.validation.definitions import pattern_compiles, value_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.nodes import Node


def _is_gemini(node: Node) -> bool:
    return node.tool.definition.tool.form == "gemini"


def _json_types(node: Node) -> tuple[str, ...]:
    return tuple(kind for kind in node.types if kind in TYPES)


@audit_rule("UTP106", "error", "invalid-json-schema", on="node", refused_by=("openai", "anthropic"))
def invalid_json_schema(node: Node) -> Iterator[ToolObservation]:
    """A keyword has a value that JSON Schema does not allow, or a pattern does not compile.

    What it does: checks every keyword's value as the 2020-12 metaschema does; type names are UTP107's business.
    Why it is bad: providers and validators refuse the whole schema.
    Example: `properties: [{name: a}]`, `{type: string, minLength: "3"}`.
    Use instead: `properties: {a: {…}}`, `{type: string, minLength: 3}`.
    Fix safety: no fix.
    """
    yield from schema_faults(node)


def schema_faults(node: Node) -> Iterator[ToolObservation]:
    """Yield what the metaschema would refuse in one schema; type names and `required` have rules of their own."""
    for key, value in node.schema.items():
        shape = SHAPES[KEYWORDS[key].shape] if key in KEYWORDS and key != "required" else None
        if shape and not shape.fits(value) and not _allowed_elsewhere(node, key, value):
            yield ToolObservation(pointer=node.at(key), message=f"`{key}` is {shown(value)}, not {shape.what}")
    patterns = [(node.schema.get("pattern"), node.at("pattern"))]
    named = node.schema.get("patternProperties")
    if isinstance(named, dict):
        patterns += [(name, node.at("patternProperties", name)) for name in named]
    for pattern, at in patterns:
        if isinstance(pattern, str) and not pattern_compiles(pattern):
            yield ToolObservation(pointer=at, message=f"the pattern {shown(pattern)} does not compile")


def _allowed_elsewhere(node: Node, key: str, value: Any) -> bool:
    """Say whether another draft or form allows the value: Gemini's counts are text, draft 7 has tuple items."""
    if key == "items" and isinstance(value, list):
        return "draft-0" in str(node.tool.schema.get("$schema"))
    return _is_gemini(node) and isinstance(value, str) and value.isdecimal() and key.startswith(("min", "max"))


@audit_rule("UTP107", "error", "unknown-type-name", on="node", refused_by=("openai", "anthropic", "gemini"), fix="safe")
def unknown_type_name(node: Node) -> Iterator[ToolObservation]:
    """`type` is none of the seven names of JSON Schema.

    What it does: wants string, number, integer, boolean, object, array or null; Gemini's form may use capitals.
    Why it is bad: providers refuse the schema, or take the argument for one without a type.
    Example: `{type: float}`.
    Use instead: `{type: number}`.
    Fix safety: safe for names with one meaning (float, dict, str, bool, list, …; `any` is dropped).
    """
    declared = node.schema.get("type")
    for index, kind in enumerate(declared if isinstance(declared, list) else [declared]):
        if not isinstance(kind, str) or kind in TYPES or (_is_gemini(node) and kind.lower() in TYPES):
            continue
        meant = type_meant(kind) or nearest(kind, TYPES)
        yield ToolObservation(
            pointer=node.at("type", index) if isinstance(declared, list) else node.at("type"),
            message=f"{node.label} has type {shown(kind)}, which is no JSON Schema type",
            hint=f"write {meant}" if meant else "write one of " + ", ".join(sorted(TYPES)),
        )


@audit_rule("UTP108", "error", "enum-mismatch", on="node", refused_by=("openai-strict", "gemini"), fix="safe")
def enum_mismatch(node: Node) -> Iterator[ToolObservation]:
    """An enum is empty, repeats a value, or has a value that the type does not allow.

    What it does: compares each value with the others and with the declared type.
    Why it is bad: such a value can never be given, and several providers refuse the schema.
    Example: `{type: integer, enum: ["1", "2"]}`.
    Use instead: `{type: integer, enum: [1, 2]}`.
    Fix safety: safe for repeats; otherwise no fix.
    """
    values, types = node.schema.get("enum"), _json_types(node)
    if not isinstance(values, list):
        return
    if not values:
        yield ToolObservation(
            pointer=node.at("enum"), message=f"{node.label} has an empty enum, so no value is allowed"
        )
    nullable = node.schema.get("nullable") is True
    seen: set[str] = set()
    for index, value in enumerate(values):
        key = same_key(value)
        if key in seen:
            yield ToolObservation(
                pointer=node.at("enum", index),
                message=f"the enum has {shown(value)} twice",
                hint="drop one",
                severity="warning",
            )
        elif types and not is_of_type(value, types) and not (value is None and nullable):
            yield ToolObservation(
                pointer=node.at("enum", index),
                message=f"the enum value {shown(value)} is not of type {' or '.join(types)}",
                hint="write the values in the declared type",
            )
        seen.add(key)


@audit_rule("UTP109", "warning", "default-invalid", on="node", fix="safe")
def default_invalid(node: Node) -> Iterator[ToolObservation]:
    """A default or an example does not fit its own schema.

    What it does: validates `default`, each of `examples` and the tool's `input_examples`. A null default of an optional
    property, as generators write it, is told only when this rule is asked for by its code.
    Why it is bad: a model copies what it sees, and then its call fails.
    Example: `{enum: [asc, desc], default: up}`.
    Use instead: `{enum: [asc, desc], default: asc}`.
    Fix safety: safe for the null default of an optional property (dropped); otherwise no fix.
    """
    schema, root = node.schema, node.tool.schema
    if "default" in schema:
        fault = value_fault(schema["default"], schema, root)
        needed = node.parent is not None and node.name in node.parent.required
        generated = schema["default"] is None and node.name is not None and not needed
        if fault and not (schema["default"] is None and schema.get("nullable") is True):
            yield ToolObservation(
                pointer=node.at("default"),
                message=f"the default of {node.label} does not fit: {fault}",
                hint="drop the default" if generated else "give a default that the schema allows",
                severity="info" if generated else None,
                opt_in=generated,
                cause="null default" if generated else "",
            )
    samples = [("examples", node.at("examples"), schema.get("examples"))]
    if node.parent is None:
        body = node.tool.definition.body
        samples.append(("input_examples", node.tool.at("input_examples"), body.get("input_examples")))
    for key, at, values in samples:
        for index, value in enumerate(values if isinstance(values, list) else ()):
            fault = value_fault(value, schema, root)
            if fault:
                yield ToolObservation(pointer=f"{at}/{index}", message=f"one of the {key} does not fit: {fault}")


_COUNTS = (("minLength", "maxLength"), ("minItems", "maxItems"), ("minProperties", "maxProperties"))


@audit_rule("UTP110", "warning", "contradictory-bounds", on="node")
def contradictory_bounds(node: Node) -> Iterator[ToolObservation]:
    """A lower bound is above the upper one, so that no value fits.

    What it does: compares minimum with maximum (exclusive ones too), and the bounds of lengths and counts.
    Why it is bad: every call fails.
    Example: `{minimum: 10, maximum: 1}`.
    Use instead: `{minimum: 1, maximum: 10}`.
    Fix safety: no fix.
    """
    schema = node.schema
    for low, high in _COUNTS:
        if is_number(schema.get(low)) and is_number(schema.get(high)) and schema[low] > schema[high]:
            yield ToolObservation(pointer=node.at(low), message=f"{low} {schema[low]} is above {high} {schema[high]}")
    lows = [(schema[k], k) for k in ("minimum", "exclusiveMinimum") if is_number(schema.get(k))]
    highs = [(schema[k], k) for k in ("maximum", "exclusiveMaximum") if is_number(schema.get(k))]
    for low, low_key in lows:
        for high, high_key in highs:
            if _leaves_nothing(low, low_key, high, high_key, whole=node.types == ("integer",)):
                yield ToolObservation(
                    pointer=node.at(low_key), message=f"{low_key} {low} and {high_key} {high} leave no value"
                )


def _leaves_nothing(low: float, low_key: str, high: float, high_key: str, *, whole: bool) -> bool:
    open_low, open_high = low_key.startswith("ex"), high_key.startswith("ex")
    if whole:
        least = math.floor(low) + 1 if open_low else math.ceil(low)
        most = math.ceil(high) - 1 if open_high else math.floor(high)
        return least > most
    return low > high or (low == high and (open_low or open_high))


@audit_rule("UTP111", "warning", "array-without-items", on="node")
def array_without_items(node: Node) -> Iterator[ToolObservation]:
    """An array does not say what is in it.

    What it does: wants `items` or `prefixItems` beside `type: array`; an error for OpenAI and Gemini. A list of four
    types or more means any JSON, and is fine.
    Why it is bad: these two refuse the schema, and elsewhere the model guesses what to put in.
    Example: `{type: array}`.
    Use instead: `{type: array, items: {type: string}}`.
    Fix safety: no fix.
    """
    if "array" in _json_types(node) and "items" not in node.schema and "prefixItems" not in node.schema:
        refused = any(target.provider.items_due for target in node.tool.targets)
        yield ToolObservation(
            pointer=node.at("type"),
            message=f"{node.label} is an array of nobody knows what",
            hint="add `items` with the type of one element",
            severity="error" if refused else None,
            opt_in=len(node.types) >= ANY_JSON and not refused,
        )


NO_PROPERTY = KEYWORDS.keys() | OPENAPI_KEYS | {"errorMessage"}
"""Keys that hold mappings and are no properties gone astray."""
ANY_JSON = 4
"""Types in a list from which on any value is meant."""
_TYPED_BY = frozenset({"type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"})


@audit_rule("UTP112", "warning", "untyped-property", on="seen")
def untyped_property(node: Node) -> Iterator[ToolObservation]:
    """A property has no type.

    What it does: wants one of type, enum, const, $ref, anyOf, oneOf and allOf in each property. One that is called
    value, data, payload and the like, or said to take anything, or lies deep, is told only when this rule is asked for
    by its code.
    Why it is bad: the model must guess whether to write text, a number or an object.
    Example: `{description: Page number}`.
    Use instead: `{type: integer, description: "Page number, from 1"}`.
    Fix safety: no fix.
    """
    takes_nothing = node.schema.get("not") in ({}, True)
    if takes_nothing or node.name is None or misplaced_properties(node.schema):
        return
    if _TYPED_BY.isdisjoint(node.schema):
        yield ToolObservation(
            pointer=node.pointer,
            message=f"{node.label} has no type",
            hint="add `type`",
            opt_in=_takes_anything(node) or not _is_near_the_top(node),
        )


def _is_near_the_top(node: Node) -> bool:
    """Say whether it is a parameter, or a required property of one."""
    return node.depth == 1 or (node.depth <= 3 and node.parent is not None and node.name in node.parent.required)


_ANYTHING = word_set("value values data payload json body content default params arguments args variables result node")
_SAID_ANY = any_word("any | arbitrary | whatever | free-form | value | json | object")


def _takes_anything(node: Node) -> bool:
    """Say whether a property without a type is meant to take any value."""
    return not _ANYTHING.isdisjoint(words(node.name or "")[-1:]) or bool(_SAID_ANY.search(node.description))


@audit_rule("UTP113", "warning", "ineffective-keyword", on="node", fix="unsafe")
def ineffective_keyword(node: Node) -> Iterator[ToolObservation]:
    """A key is no keyword of JSON Schema, or does nothing for the declared type.

    What it does: knows the keywords of all drafts and `x-…`; compares each with the type it works on. Words of OpenAPI
    (`example`, `nullable`, `xml`) are told only when this rule is asked for by its code.
    Why it is bad: it is silently ignored, so what it was meant to say is never said.
    Example: `{type: string, desciption: Name of a city}`, `{type: integer, minLength: 1}`.
    Use instead: `{type: string, description: Name of a city}`, `{type: integer, minimum: 1}`.
    Fix safety: unsafe; a slip becomes the nearest keyword.
    """
    types, astray = frozenset(_json_types(node)), misplaced_properties(node.schema)
    known_types = bool(types) and len(types) == len(node.types)
    for key in node.schema:
        if key in KEYWORDS or (key in GEMINI_KEYS and node.tool.is_gemini):
            works_on = KEYWORDS[key].of if key in KEYWORDS else ()
            if works_on and known_types and types.isdisjoint(works_on) and node.schema[key] is not False:
                yield ToolObservation(
                    pointer=node.at(key),
                    message=f"`{key}` does nothing for type {' or '.join(sorted(types))}",
                    hint="drop it, or correct the type",
                )
        elif not str(key).startswith(("x-", "x_", "$")) and key not in astray:
            meant = MISREAD_KEYS.get(key) or close_keyword(str(key))
            yield ToolObservation(
                pointer=node.at(key),
                message=f"{shown(key)} is no keyword of JSON Schema",
                hint=f"did you mean '{meant}'?" if meant else "drop it, or say it in the description",
                opt_in=key in OPENAPI_KEYS,
            )


def misplaced_properties(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the properties that stand beside the keywords of a schema instead of under `properties`.

    They are mappings under keys that are no keywords, each with a type or a description of its own.
    """
    if "properties" in schema:
        return {}
    others = {
        key: value for key, value in schema.items() if key not in NO_PROPERTY and not str(key).startswith(("x-", "$"))
    }
    return others if others and all(map(_is_property, others.values())) else {}


def _is_property(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    kind = value.get("type")
    return (
        isinstance(kind, (str, list)) or isinstance(value.get("description"), str) or "$ref" in value or "enum" in value
    )


@audit_rule("UTP115", "error", "properties-not-wrapped", on="node", refused_by=("gemini",), fix="unsafe")
def properties_not_wrapped(node: Node) -> Iterator[ToolObservation]:
    """Properties stand directly in a schema instead of under `properties`.

    What it does: looks for keys that are no keywords and hold schemas, in a schema without `properties`.
    Why it is bad: they are ignored, so the tool has no arguments at all; Gemini refuses them as unknown fields.
    Example: `parameters: {customer: {type: string}}`.
    Use instead: `parameters: {type: object, properties: {customer: {type: string}}}`.
    Fix safety: unsafe; they are moved under `properties`.
    """
    astray = misplaced_properties(node.schema)
    if astray:
        names = ", ".join(shown(name)[1:-1] for name in list(astray)[:5])
        yield ToolObservation(
            pointer=node.at(next(iter(astray))),
            message=f"{names} stand directly in {node.label}, where they are no properties",
            hint="put them under `properties`",
            severity=None if node.parent is None else "warning",
        )


@lru_cache(maxsize=4096)
def close_keyword(key: str) -> str | None:
    """Return the keyword within two edits of `key`, the nearest first."""
    if len(key) > 40:
        return None
    distance, best = min((edit_distance(key.lower(), known.lower()), known) for known in sorted(KEYWORDS))
    return best if distance <= 2 and len(key) > 3 else None


def edit_distance(a: str, b: str) -> int:
    """Count the insertions, deletions and replacements between two short words."""
    if abs(len(a) - len(b)) > 2:
        return 3
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (left != right))
    return row[-1]
