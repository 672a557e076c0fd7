"""The parts of JSON Schema that narrow targets take.

Sources: OpenAI's page on structured outputs (October 2026) and its Node SDK; Anthropic's page on strict tools
(September 2026); Gemini's Schema type (Vertex discovery document, 6 November 2026) and error texts (June and March
2026); Ollama's `api/types.go` (August 2026). What is in neither list of a target is not known to be taken: rendering
says it in words, the audit does not call it an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from utp_cli.facts.schema_keywords import KEYWORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

Verdict = Literal["taken", "refused", ""]
"""What a target makes of a keyword; `""`: it ignores it, or nobody knows."""


def _words(*texts: str) -> frozenset[str]:
    return frozenset(" ".join(texts).split())


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaSubset:
    """What one target takes, at any depth of a schema."""

    taken: frozenset[str]
    refused: frozenset[str]
    formats: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The values of `format` that are taken, by type; under `""` for all types. Others are refused."""
    pattern_refused: str = ""
    """A regular expression for what a `pattern` may not hold."""
    most_min_items: int | None = None
    """The largest `minItems` that is taken."""
    enum_of: Literal["any", "scalars", "texts"] = "any"
    """What may stand in an `enum`; `texts`: of `type: string` alone."""
    all_of_refs: bool = True
    """A branch of `allOf` may be a reference."""
    type_lists: bool = True
    """`type` may be a list."""
    recursion: bool = True
    empty_objects: bool = True
    """An object may be without properties."""
    closed: bool = False
    """Every object says `additionalProperties: false`."""
    all_required: bool = False
    """Every property is in `required`."""

    def verdict(self, keyword: str, value: Any, kind: str = "") -> Verdict:
        """Return what becomes of a keyword with this value, in a schema of this type."""
        if keyword in self.refused:
            return "refused"
        if keyword not in self.taken:
            return ""
        if keyword == "format" and isinstance(value, str) and self.formats:
            known = self.formats.get("", self.formats.get(kind))
            return "" if known is None else "taken" if value in known else "refused"
        if keyword == "pattern" and isinstance(value, str) and self.pattern_refused:
            return "refused" if re.search(self.pattern_refused, value) else "taken"
        if keyword == "minItems" and isinstance(value, int) and self.most_min_items is not None:
            return "taken" if value <= self.most_min_items else "refused"
        if keyword == "enum" and isinstance(value, list):
            return "taken" if self._takes_values(value, kind) else "refused"
        if keyword == "allOf" and isinstance(value, list) and not self.all_of_refs:
            return "refused" if any(isinstance(part, dict) and "$ref" in part for part in value) else "taken"
        return "taken"

    def _takes_values(self, values: list[Any], kind: str) -> bool:
        if self.enum_of == "texts":
            return kind in ("", "string") and all(isinstance(value, str) and value for value in values)
        return self.enum_of == "any" or not any(isinstance(value, dict | list) for value in values)


_BASICS: Final = _words("type description title properties required items enum anyOf")
_REFERENCES: Final = _words("$ref $defs definitions const")
_FORMATS: Final = _words("date-time time date duration email hostname ipv4 ipv6 uuid")
_CONDITIONS: Final = _words("oneOf not if then else patternProperties uniqueItems")
_BOUNDS: Final = _words("minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf maxItems")

OPENAI_STRICT: Final = SchemaSubset(
    taken=_BASICS | _REFERENCES | _BOUNDS | _words("minItems pattern format"),
    refused=_CONDITIONS
    | _words(
        "allOf dependentRequired dependentSchemas propertyNames unevaluatedItems unevaluatedProperties contains",
        "minContains maxContains minProperties maxProperties prefixItems",
    ),
    formats={"": _FORMATS},
    pattern_refused=r"\(\?<?[=!]",
    closed=True,
    all_required=True,
)
"""`default` is in neither list: Azure and old deployments refuse it, OpenAI itself no longer does (August 2026)."""
ANTHROPIC_STRICT: Final = SchemaSubset(
    taken=_BASICS | _REFERENCES | _words("allOf default minItems pattern format"),
    refused=_CONDITIONS | _BOUNDS,
    formats={"": _FORMATS | {"uri"}},
    pattern_refused=r"\(\?<?[=!]|\\[1-9]|\\k<|\\[bB]",
    most_min_items=1,
    enum_of="scalars",
    all_of_refs=False,
    recursion=False,
    closed=True,
)
_GEMINI_TAKEN: Final = _BASICS | _words(
    "default example minLength maxLength pattern format minimum maximum minItems maxItems minProperties maxProperties",
    "nullable propertyOrdering",
)
GEMINI_SCHEMA: Final = SchemaSubset(
    taken=_GEMINI_TAKEN,
    refused=frozenset(KEYWORDS) - _GEMINI_TAKEN,
    formats={
        "string": _words("enum date-time"),
        "number": _words("float double"),
        "integer": _words("int32 int64"),
    },
    enum_of="texts",
    type_lists=False,
    recursion=False,
    empty_objects=False,
)
"""Its fields are a closed list: any other key is an error (`Unknown name … Cannot find field`)."""
EVERYTHING: Final = SchemaSubset(taken=frozenset(KEYWORDS), refused=frozenset())
"""All of JSON Schema."""
INSTEAD: Final = {
    "oneOf": "`anyOf`",
    "allOf": "one schema with the members of all of them",
    "const": "an `enum` of that one value",
    "$ref": "the definition itself",
    "exclusiveMinimum": "`minimum`",
    "exclusiveMaximum": "`maximum`",
    "patternProperties": "a list of objects with a key and a value",
}
"""What says the same, or nearly, where a keyword is refused and this is taken."""


def in_place_of(keyword: str, subset: SchemaSubset) -> str:
    """Say what to write in place of a keyword that a target refuses."""
    words = INSTEAD.get(keyword, "")
    taken = words and all(name in subset.taken for name in KEYWORDS if f"`{name}`" in words)
    return f"write {words} instead" if taken else f"drop `{keyword}`, and say it in the description instead"


OLLAMA_TOOL: Final = SchemaSubset(taken=_BASICS - {"title"}, refused=frozenset())
"""Its server reads these keys of a property and ignores all others."""
