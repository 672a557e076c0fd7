"""The keywords of JSON Schema: what value each takes, and on values of which types it works.

Sources: the 2020-12 metaschema, with the keywords of drafts 4 to 7 that generators still write (2026-11); OpenAPI 3.0;
Gemini's Schema type (Vertex discovery document, 6 November 2026).
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

Shape = Literal[
    "any", "type", "schema", "schemas", "named schemas", "names", "named names", "mapping", "count", "number",
    "positive number", "text", "flag", "list",
]  # fmt: skip
"""What a keyword's value must be."""


class Keyword(NamedTuple):
    """One keyword."""

    shape: Shape
    of: tuple[str, ...] = ()
    """The types it works on; empty: all."""


_TEXTS: Final = ("string",)
_NUMBERS: Final = ("number", "integer")
_ARRAYS: Final = ("array",)
_OBJECTS: Final = ("object",)

KEYWORDS: Final[dict[str, Keyword]] = {
    "type": Keyword("type"),
    **dict.fromkeys(("title", "description", "format", "$ref", "$id", "$schema", "$anchor"), Keyword("text")),
    **dict.fromkeys(("$comment", "$dynamicRef", "$dynamicAnchor"), Keyword("text")),
    **dict.fromkeys(("$defs", "definitions"), Keyword("named schemas")),
    **dict.fromkeys(("default", "const", "$vocabulary", "id", "discriminator"), Keyword("any")),
    **dict.fromkeys(("enum", "examples"), Keyword("list")),
    **dict.fromkeys(("readOnly", "writeOnly", "deprecated"), Keyword("flag")),
    # strings
    **dict.fromkeys(("minLength", "maxLength"), Keyword("count", _TEXTS)),
    **dict.fromkeys(("pattern", "contentEncoding", "contentMediaType"), Keyword("text", _TEXTS)),
    "contentSchema": Keyword("schema"),
    # numbers
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), Keyword("number", _NUMBERS)),
    "multipleOf": Keyword("positive number", _NUMBERS),
    # arrays
    **dict.fromkeys(("items", "contains", "additionalItems", "unevaluatedItems"), Keyword("schema", _ARRAYS)),
    "prefixItems": Keyword("schemas", _ARRAYS),
    **dict.fromkeys(("minItems", "maxItems", "minContains", "maxContains"), Keyword("count", _ARRAYS)),
    "uniqueItems": Keyword("flag", _ARRAYS),
    # objects
    **dict.fromkeys(("properties", "patternProperties", "dependentSchemas"), Keyword("named schemas", _OBJECTS)),
    **dict.fromkeys(("additionalProperties", "unevaluatedProperties", "propertyNames"), Keyword("schema", _OBJECTS)),
    **dict.fromkeys(("minProperties", "maxProperties"), Keyword("count", _OBJECTS)),
    "required": Keyword("names"),
    "dependentRequired": Keyword("named names", _OBJECTS),
    "dependencies": Keyword("mapping", _OBJECTS),
    # combinations
    **dict.fromkeys(("anyOf", "oneOf", "allOf"), Keyword("schemas")),
    **dict.fromkeys(("not", "if", "then", "else"), Keyword("schema")),
}
GEMINI_KEYS: Final = frozenset(
    {"nullable", "propertyOrdering", "property_ordering", "example", "any_of", "min_items"},
)
"""Keys of Gemini's own Schema type beside JSON Schema's."""
OPENAPI_KEYS: Final = frozenset(
    {"example", "nullable", "xml", "externalDocs", "collectionFormat", "allowEmptyValue", "style"},
)
"""Keys of OpenAPI, which JSON Schema ignores."""
MISREAD_KEYS: Final = {
    "optional": "required",
    "values": "enum",
    "choices": "enum",
    "options": "enum",
    "desc": "description",
}
"""Keys of other notations, and the keyword that says the same."""
