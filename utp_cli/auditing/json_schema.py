"""JSON Schema as data: its types, its keywords, what value each keyword takes and on which type it works.

Source: the 2020-12 metaschema, with the keywords of drafts 4 to 7 that generators still write.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

JSON_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})

TYPE_SLIPS: dict[str, str] = {
    **dict.fromkeys(("dict", "map", "struct", "object"), "object"),
    **dict.fromkeys(("float", "double", "decimal", "number"), "number"),
    **dict.fromkeys(("int", "long", "integer"), "integer"),
    **dict.fromkeys(("str", "text", "string"), "string"),
    **dict.fromkeys(("bool", "boolean"), "boolean"),
    **dict.fromkeys(("list", "tuple", "set", "array"), "array"),
    "null": "null",
}
"""What other languages call the types, lower-cased."""


def is_number(value: Any) -> bool:
    """Say whether a JSON value is a number; true and false are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return is_number(value) and (isinstance(value, int) or value.is_integer())


_OF_TYPE: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": is_number,
    "integer": _is_whole,
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "null": lambda value: value is None,
}


def is_of_type(value: Any, types: tuple[str, ...]) -> bool:
    """Say whether a JSON value has one of these types."""
    return any(_OF_TYPE[kind](value) for kind in types)


def same_key(value: Any) -> str:
    """Return a text that is equal for JSON values that are equal: 1 and 1.0 are, 1 and true are not."""
    number = is_number(value) and _is_whole(value)
    return repr(int(value)) if number else f"{type(value).__name__}:{value!r}"


@dataclass(frozen=True, slots=True)
class Shape:
    """What value a keyword takes."""

    what: str
    fits: Callable[[Any], bool]


def _is_schema(value: Any) -> bool:
    return isinstance(value, (dict, bool))


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_SCHEMA = Shape("a schema", _is_schema)
_SCHEMAS = Shape(
    "a list of schemas", lambda value: isinstance(value, list) and bool(value) and all(map(_is_schema, value))
)
_NAMED_SCHEMAS = Shape(
    "a mapping of names to schemas",
    lambda value: isinstance(value, dict) and all(map(_is_schema, value.values())),
)
_COUNT = Shape("a whole number from 0", lambda value: _is_whole(value) and value >= 0)
_NUMBER = Shape("a number", is_number)
_TEXT = Shape("text", lambda value: isinstance(value, str))
_BOOLEAN = Shape("true or false", lambda value: isinstance(value, bool))
_LIST = Shape("a list", lambda value: isinstance(value, list))

SHAPES: dict[str, Shape] = {
    **dict.fromkeys(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"), _NAMED_SCHEMAS),
    **dict.fromkeys(("anyOf", "oneOf", "allOf", "prefixItems"), _SCHEMAS),
    **dict.fromkeys(("items", "contains", "additionalProperties", "propertyNames", "not", "if", "then"), _SCHEMA),
    **dict.fromkeys(("else", "unevaluatedItems", "unevaluatedProperties", "contentSchema"), _SCHEMA),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _COUNT),
    **dict.fromkeys(("minContains", "maxContains"), _COUNT),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _NUMBER),
    "multipleOf": Shape("a number above 0", lambda value: is_number(value) and value > 0),
    **dict.fromkeys(("title", "description", "format", "pattern", "$ref", "$id", "$schema", "$anchor"), _TEXT),
    **dict.fromkeys(("$comment", "$dynamicRef", "$dynamicAnchor", "contentEncoding", "contentMediaType"), _TEXT),
    **dict.fromkeys(("uniqueItems", "readOnly", "writeOnly", "deprecated"), _BOOLEAN),
    **dict.fromkeys(("enum", "examples"), _LIST),
    "dependentRequired": Shape(
        "a mapping of names to lists of names",
        lambda value: isinstance(value, dict) and all(map(_strings, value.values())),
    ),
    "type": Shape(
        "a type name or a list of different ones",
        lambda value: isinstance(value, str) or (_strings(value) and 0 < len(value) == len(set(value))),
    ),
}
"""`required` is missing here: UTP104 looks at it."""

KEYWORDS_OF_TYPES: dict[str, frozenset[str]] = {
    **dict.fromkeys(("minLength", "maxLength", "pattern"), frozenset({"string"})),
    **dict.fromkeys(("contentEncoding", "contentMediaType"), frozenset({"string"})),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), frozenset({"number", "integer"})),
    "multipleOf": frozenset({"number", "integer"}),
    **dict.fromkeys(("items", "prefixItems", "minItems", "maxItems", "uniqueItems"), frozenset({"array"})),
    **dict.fromkeys(("contains", "minContains", "maxContains", "unevaluatedItems"), frozenset({"array"})),
    **dict.fromkeys(("properties", "patternProperties", "additionalProperties"), frozenset({"object"})),
    **dict.fromkeys(("minProperties", "maxProperties", "propertyNames"), frozenset({"object"})),
    **dict.fromkeys(("dependentRequired", "dependentSchemas", "unevaluatedProperties"), frozenset({"object"})),
}
"""The types that a keyword works on; a keyword that is not here works on all."""

KEYWORDS = frozenset(
    {*SHAPES, *KEYWORDS_OF_TYPES, "required", "default", "const"}
    | {"$vocabulary", "additionalItems", "dependencies", "id", "discriminator"}
)
GEMINI_KEYS = frozenset({"nullable", "propertyOrdering", "property_ordering", "example", "any_of", "min_items"})
"""Keys of Gemini's own Schema type beside JSON Schema's."""
OPENAPI_KEYS = frozenset({"example", "nullable", "xml", "externalDocs", "collectionFormat", "allowEmptyValue", "style"})
"""Keys of OpenAPI, which JSON Schema ignores."""
MISREAD_KEYS = {
    "optional": "required",
    "values": "enum",
    "choices": "enum",
    "options": "enum",
    "desc": "description",
}
"""Keys of other notations, and the keyword that says the same."""
