"""What narrow targets refuse, as checks over a translated schema."""

from __future__ import annotations

import json
import re
from typing import Any

from utp_cli.facts.schema_keywords import GEMINI_KEYS, KEYWORDS


def nodes(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Every schema in a translated schema."""
    found, waiting = [], [schema]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += [*node.get("properties", {}).values(), *node.get("$defs", {}).values(), *node.get("anyOf", ())]
        waiting += [node["items"]] if "items" in node else []
    return found


STRUCTURE = {"type", "description", "properties", "items", "required", "anyOf"}
REFUSED = {
    "openai": {
        "allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties",
        "propertyNames", "minProperties", "maxProperties", "unevaluatedItems", "unevaluatedProperties", "contains",
        "uniqueItems", "prefixItems", "default",
    },
    "anthropic": {
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
        "maxItems", "uniqueItems", "oneOf", "not", "if", "then", "else", "patternProperties", "allOf", "$ref",
    },
    "gemini": {
        "$ref", "$defs", "const", "oneOf", "allOf", "not", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
        "uniqueItems", "additionalProperties", "patternProperties", "propertyNames", "if", "then", "else", "contains",
        "$schema", "examples", "prefixItems", "dependentRequired", "dependentSchemas", "unevaluatedProperties",
    },
    "ollama": {"$ref", "$defs", "allOf", "oneOf", "const"},
}  # fmt: skip
"""Keywords that a provider's page or error texts name as refused, or that its server does not read."""


def refused(schema: dict[str, Any], column: str) -> list[str]:
    """Keywords in a translated schema that the target refuses, or that nobody knows."""
    known = STRUCTURE | KEYWORDS.keys() | GEMINI_KEYS
    return [key for node in nodes(schema) for key in node if key in REFUSED[column] or key not in known]


def faults(schema: dict[str, Any], column: str) -> list[str]:
    """Rules of a target beyond its keywords."""
    return [
        f"{rule}: {json.dumps(node)[:200]}"
        for node in nodes(schema)
        for rule in RULES[column]
        if not RULES[column][rule](node)
    ]


def closed(node: dict[str, Any]) -> bool:
    return "properties" not in node or node.get("additionalProperties") is False


def gemini_object(node: dict[str, Any]) -> bool:
    return bool(node.get("properties")) == (node.get("type") == "OBJECT") and (
        node.get("type") == "OBJECT" or "required" not in node
    )


OPENAI_FORMATS = {None, "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
RULES: dict[str, dict[str, Any]] = {
    "openai": {
        "closed": closed,
        "all required": lambda node: list(node.get("properties", ())) == node.get("required", []),
        "typed": lambda node: node.keys() & {"type", "anyOf", "$ref"},
        "lone ref": lambda node: "$ref" not in node or len(node) == 1,
        "pattern": lambda node: not re.search(r"\(\?<?[=!]", node.get("pattern", "")),
        "format": lambda node: node.get("format") in OPENAI_FORMATS,
        "typed items": lambda node: "array" not in node.get("type", ()) or "items" in node,
    },
    "anthropic": {
        "closed": closed,
        "pattern": lambda node: not re.search(r"\(\?<?[=!]|\\[1-9b]", node.get("pattern", "")),
        "few items": lambda node: node.get("minItems", 0) <= 1,
        "simple enum": lambda node: not any(isinstance(v, dict | list) for v in node.get("enum", ())),
    },
    "gemini": {
        "one type": lambda node: isinstance(node.get("type"), str) or "anyOf" in node,
        "capitals": lambda node: node.get("type", "X").isupper(),
        "anyOf alone": lambda node: "anyOf" not in node or len(node) == 1,
        "objects have properties": gemini_object,
        "text enum": lambda node: (
            "enum" not in node or (node["type"] == "STRING" and all(isinstance(v, str) and v for v in node["enum"]))
        ),
        "format": lambda node: node.get("format") in (None, "date-time", "float", "double", "int32", "int64"),
        "items": lambda node: node.get("type") != "ARRAY" or "items" in node,
        "required are properties": lambda node: set(node.get("required", ())) <= set(node.get("properties", ())),
    },
    "ollama": {"short": lambda node: len(node.get("description", "")) <= 500},
}
