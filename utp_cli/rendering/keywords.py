"""How keywords of JSON Schema are said in words where a target does not take them.

What a target takes stands in `facts.schema_subsets`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from utp_cli.facts.schema_keywords import KEYWORDS, Keyword
from utp_cli.schemas.shapes import SHAPES

if TYPE_CHECKING:
    from utp_cli.facts.schema_subsets import SchemaSubset

Action = Literal["keep", "words", "drop", "silent"]
"""`keep` as it stands; say it in `words`; `drop` and report; `silent`: it says nothing to a model."""

WORDS: Final[dict[str, str]] = {
    "default": "default {}",
    "examples": "for example {}",
    "example": "for example {}",
    "deprecated": "deprecated",
    "readOnly": "read only",
    "writeOnly": "write only",
    "enum": "one of {}",
    # strings
    "minLength": "length at least {}",
    "maxLength": "length at most {}",
    "pattern": "matches {}",
    "format": "format {}",
    "contentEncoding": "encoded as {}",
    "contentMediaType": "{}",
    # numbers
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    # arrays
    "minItems": "number of items at least {}",
    "maxItems": "number of items at most {}",
    "uniqueItems": "no item twice",
    "prefixItems": "the items in order: {}",
    "contains": "holds an item like {}",
    "minContains": "at least {} of those",
    "maxContains": "at most {} of those",
    "additionalItems": "further items: {}",
    "unevaluatedItems": "further items: {}",
    # objects
    "minProperties": "number of keys at least {}",
    "maxProperties": "number of keys at most {}",
    "additionalProperties": "further keys: {}",
    "unevaluatedProperties": "further keys: {}",
    "patternProperties": "keys by pattern: {}",
    "propertyNames": "keys like {}",
    "dependentRequired": "keys that ask for others: {}",
    "dependentSchemas": "keys that ask for more: {}",
    "dependencies": "keys that ask for others: {}",
    # combinations
    "oneOf": "exactly one of {}",
    "not": "not {}",
    "if": "if {}",
    "then": "then {}",
    "else": "else {}",
}
"""Keyword → how it is said, `{}` for the value."""
SILENT: Final = frozenset(
    {"propertyOrdering", "$schema", "$id", "$anchor", "$comment", "$defs", "definitions"},
)
"""What a schema says about itself: nothing to a model."""
FLAGS: Final = frozenset(name for name, keyword in KEYWORDS.items() if keyword.shape == "flag")
"""Keywords that say nothing when they are false."""
_UNKNOWN: Final = Keyword("any")


def action(keyword: str, value: Any, kind: str, subset: SchemaSubset) -> Action:
    """Return what becomes of a keyword with this value, in a schema of this type."""
    if keyword in SILENT:
        return "silent"
    if not well_formed(keyword, value):
        return "drop"
    if subset.verdict(keyword, value, kind) == "taken":
        return "keep"
    return "words" if keyword in WORDS else "drop"


def types_of_keyword(keyword: str) -> tuple[str, ...]:
    """Return the types that a keyword works on; `()`: all."""
    return (KEYWORDS.get(keyword) or _UNKNOWN).of


def well_formed(keyword: str, value: Any) -> bool:
    """Whether the value is what the keyword asks for, and says something."""
    return value != [] and SHAPES[(KEYWORDS.get(keyword) or _UNKNOWN).shape].fits(value)
