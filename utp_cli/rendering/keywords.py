"""JSON Schema, keyword by keyword: what each narrow target makes of it, and how it is said in words.

Targets: OpenAI's strict mode, Anthropic's strict mode, Gemini's Schema type, Ollama's tool type. Sources: the
providers' pages and error texts to November 2026, google-genai 2.34, Ollama's `api/types.go` of August 2026.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Shape = Literal["any", "count", "number", "text", "flag", "list", "object", "schema", "schemas", "named schemas"]
"""What a keyword's value must be; another value is dropped."""
Action = Literal["keep", "words", "drop", "silent"] | Callable[[Any, str], bool]
"""`keep` as it stands; say it in `words`; `drop` and report; `silent`: it says nothing to a model. A function of value
and type: keep where true, else words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyword:
    """One row of the table."""

    words: str = ""
    """How it is said, `{}` for the value; empty: the keyword itself."""
    shape: Shape = "any"
    of: str = ""
    """The type it is about; `""` for all."""
    openai: Action = "drop"
    anthropic: Action = "drop"
    gemini: Action = "drop"
    ollama: Action = "drop"

    def action(self, column: str) -> Action:
        """Return what the target with this column makes of it."""
        found: Action = getattr(self, column)
        return found


_LOOK_AROUND = re.compile(r"\(\?<?[=!]")
_NOT_REGULAR = re.compile(r"\(\?<?[=!]|\\[1-9]|\\k<|\\[bB]")
_OPENAI_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_GEMINI_FORMATS = {"string": {"date-time"}, "number": {"float", "double"}, "integer": {"int32", "int64"}}


def _openai_pattern(value: Any, _: str) -> bool:
    return not _LOOK_AROUND.search(value)


def _anthropic_pattern(value: Any, _: str) -> bool:
    return not _NOT_REGULAR.search(value)


def _openai_format(value: Any, _: str) -> bool:
    return value in _OPENAI_FORMATS


def _anthropic_format(value: Any, _: str) -> bool:
    return value in _OPENAI_FORMATS or value == "uri"


def _gemini_format(value: Any, kind: str) -> bool:
    return value in _GEMINI_FORMATS.get(kind, ())


def _none_or_one(value: Any, _: str) -> bool:
    return value in (0, 1)


def _simple_values(value: Any, _: str) -> bool:
    return not any(isinstance(member, dict | list) for member in value)


def _texts(value: Any, kind: str) -> bool:
    return kind == "string" and all(isinstance(member, str) and member for member in value)


def _everywhere(action: Action, **row: Any) -> Keyword:
    return Keyword(openai=action, anthropic=action, gemini=action, ollama=action, **row)


KEYWORDS: dict[str, Keyword] = {
    "title": Keyword(shape="text", openai="keep", anthropic="keep", gemini="keep"),
    "default": Keyword(words="default {}", openai="words", anthropic="keep", gemini="keep", ollama="words"),
    "examples": _everywhere("words", words="for example {}", shape="list"),
    "example": Keyword(words="for example {}", openai="words", anthropic="words", gemini="keep", ollama="words"),
    "deprecated": _everywhere("words", words="deprecated", shape="flag"),
    "readOnly": _everywhere("words", words="read only", shape="flag"),
    "writeOnly": _everywhere("words", words="write only", shape="flag"),
    "enum": Keyword(
        words="one of {}", shape="list", openai="keep", anthropic=_simple_values, gemini=_texts, ollama="keep"
    ),
    # strings
    "minLength": Keyword(
        words="length at least {}", shape="count", of="string",
        openai="keep", anthropic="words", gemini="keep", ollama="words",
    ),
    "maxLength": Keyword(
        words="length at most {}", shape="count", of="string",
        openai="keep", anthropic="words", gemini="keep", ollama="words",
    ),
    "pattern": Keyword(
        words="matches {}", shape="text", of="string",
        openai=_openai_pattern, anthropic=_anthropic_pattern, gemini="keep", ollama="words",
    ),
    "format": Keyword(
        words="format {}", shape="text",
        openai=_openai_format, anthropic=_anthropic_format, gemini=_gemini_format, ollama="words",
    ),
    "contentEncoding": _everywhere("words", words="encoded as {}", shape="text", of="string"),
    "contentMediaType": _everywhere("words", words="{}", shape="text", of="string"),
    # numbers
    "minimum": Keyword(
        words="at least {}", shape="number", of="number",
        openai="keep", anthropic="words", gemini="keep", ollama="words",
    ),
    "maximum": Keyword(
        words="at most {}", shape="number", of="number",
        openai="keep", anthropic="words", gemini="keep", ollama="words",
    ),
    "exclusiveMinimum": Keyword(
        words="more than {}", shape="number", of="number",
        openai="keep", anthropic="words", gemini="words", ollama="words",
    ),
    "exclusiveMaximum": Keyword(
        words="less than {}", shape="number", of="number",
        openai="keep", anthropic="words", gemini="words", ollama="words",
    ),
    "multipleOf": Keyword(
        words="a multiple of {}", shape="number", of="number",
        openai="keep", anthropic="words", gemini="words", ollama="words",
    ),
    # arrays
    "minItems": Keyword(
        words="number of items at least {}", shape="count", of="array",
        openai="keep", anthropic=_none_or_one, gemini="keep", ollama="words",
    ),
    "maxItems": Keyword(
        words="number of items at most {}", shape="count", of="array",
        openai="keep", anthropic="words", gemini="keep", ollama="words",
    ),
    "uniqueItems": _everywhere("words", words="no item twice", shape="flag", of="array"),
    "prefixItems": _everywhere("words", words="the items in order: {}", shape="schemas", of="array"),
    "contains": _everywhere("words", words="holds an item like {}", shape="schema", of="array"),
    "minContains": _everywhere("words", words="at least {} of those", shape="count", of="array"),
    "maxContains": _everywhere("words", words="at most {} of those", shape="count", of="array"),
    "additionalItems": _everywhere("words", words="further items: {}", shape="schema", of="array"),
    "unevaluatedItems": _everywhere("words", words="further items: {}", shape="schema", of="array"),
    # objects
    "minProperties": Keyword(
        words="number of keys at least {}", shape="count", of="object",
        openai="words", anthropic="words", gemini="keep", ollama="words",
    ),
    "maxProperties": Keyword(
        words="number of keys at most {}", shape="count", of="object",
        openai="words", anthropic="words", gemini="keep", ollama="words",
    ),
    "additionalProperties": _everywhere("words", words="further keys: {}", shape="schema", of="object"),
    "unevaluatedProperties": _everywhere("words", words="further keys: {}", shape="schema", of="object"),
    "patternProperties": _everywhere("words", words="keys by pattern: {}", shape="named schemas", of="object"),
    "propertyNames": _everywhere("words", words="keys like {}", shape="schema", of="object"),
    "dependentRequired": _everywhere("words", words="keys that ask for others: {}", shape="object", of="object"),
    "dependentSchemas": _everywhere("words", words="keys that ask for more: {}", shape="named schemas", of="object"),
    "dependencies": _everywhere("words", words="keys that ask for others: {}", shape="object", of="object"),
    "propertyOrdering": _everywhere("silent", of="object"),
    # combinations
    "oneOf": _everywhere("words", words="exactly one of {}", shape="schemas"),
    "not": _everywhere("words", words="not {}", shape="schema"),
    "if": _everywhere("words", words="if {}", shape="schema"),
    "then": _everywhere("words", words="then {}", shape="schema"),
    "else": _everywhere("words", words="else {}", shape="schema"),
    # the schema about itself
    "$schema": _everywhere("silent"),
    "$id": _everywhere("silent"),
    "$anchor": _everywhere("silent"),
    "$comment": _everywhere("silent"),
    "$defs": _everywhere("silent"),
    "definitions": _everywhere("silent"),
}  # fmt: skip
UNKNOWN = Keyword()
"""What is no keyword of JSON Schema, or a rare one: dropped."""

_SHAPES: dict[str, Callable[[Any], bool]] = {
    "any": lambda _: True,
    "count": lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "text": lambda value: isinstance(value, str),
    "flag": lambda value: isinstance(value, bool),
    "list": lambda value: isinstance(value, list) and bool(value),
    "object": lambda value: isinstance(value, dict),
    "schema": lambda value: isinstance(value, dict | bool),
    "schemas": lambda value: isinstance(value, list) and bool(value),
    "named schemas": lambda value: isinstance(value, dict),
}


def well_formed(keyword: Keyword, value: Any) -> bool:
    """Whether the value is what the keyword asks for."""
    return _SHAPES[keyword.shape](value)
