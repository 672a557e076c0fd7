"""What each provider makes of each keyword of JSON Schema, found out by rendering a tool that uses it."""

from __future__ import annotations

import re
from typing import Any

from utp_cli.protocol.tools import Tool
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.keywords import SILENT
from utp_cli.rendering.tools import render_tools

TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "number"}
LIST: dict[str, Any] = {"type": "array", "items": TEXT}
OBJECT: dict[str, Any] = {"type": "object", "properties": {"a": TEXT}, "required": ["a"], "additionalProperties": False}
COND = {"properties": {"a": {"const": "x"}}}

SAMPLES: dict[str, dict[str, Any]] = {
    "type: [string, null]": {"type": ["string", "null"]},
    "type: [string, integer]": {"type": ["string", "integer"]},
    "nullable": {"type": "string", "nullable": True},
    "title": {**TEXT, "title": "T"},
    "default": {**TEXT, "default": "a"},
    "examples": {**TEXT, "examples": ["a"]},
    "example": {**TEXT, "example": "a"},
    "deprecated": {**TEXT, "deprecated": True},
    "readOnly": {**TEXT, "readOnly": True},
    "writeOnly": {**TEXT, "writeOnly": True},
    "enum of strings": {**TEXT, "enum": ["a", "b"]},
    "enum of integers": {"type": "integer", "enum": [1, 5]},
    "enum of objects": {"enum": [{"a": 1}]},
    "const": {"const": "a"},
    "minLength": {**TEXT, "minLength": 2},
    "maxLength": {**TEXT, "maxLength": 9},
    "pattern": {**TEXT, "pattern": "^[a-z]+$"},
    "pattern with look-ahead": {**TEXT, "pattern": "^(?=a)"},
    "format: date-time": {**TEXT, "format": "date-time"},
    "format: uri": {**TEXT, "format": "uri"},
    "format: regex": {**TEXT, "format": "regex"},
    "contentEncoding": {**TEXT, "contentEncoding": "base64"},
    "contentMediaType": {**TEXT, "contentMediaType": "text/html"},
    "minimum": {**NUMBER, "minimum": 1},
    "maximum": {**NUMBER, "maximum": 9},
    "exclusiveMinimum": {**NUMBER, "exclusiveMinimum": 1},
    "exclusiveMaximum": {**NUMBER, "exclusiveMaximum": 9},
    "exclusiveMinimum of an integer": {"type": "integer", "exclusiveMinimum": 1},
    "multipleOf": {**NUMBER, "multipleOf": 2},
    "items": LIST,
    "prefixItems": {"type": "array", "prefixItems": [TEXT, NUMBER], "items": False},
    "minItems": {**LIST, "minItems": 2},
    "maxItems": {**LIST, "maxItems": 3},
    "uniqueItems": {**LIST, "uniqueItems": True},
    "contains": {**LIST, "contains": {"const": "a"}},
    "minContains": {**LIST, "contains": {"const": "a"}, "minContains": 2},
    "maxContains": {**LIST, "contains": {"const": "a"}, "maxContains": 2},
    "additionalItems": {**LIST, "additionalItems": NUMBER},
    "unevaluatedItems": {**LIST, "unevaluatedItems": False},
    "properties": OBJECT,
    "required": OBJECT,
    "an optional property": {**OBJECT, "required": []},
    "additionalProperties: false": OBJECT,
    "additionalProperties": {**OBJECT, "additionalProperties": NUMBER},
    "unevaluatedProperties": {**OBJECT, "unevaluatedProperties": NUMBER},
    "patternProperties": {**OBJECT, "patternProperties": {"^x": NUMBER}},
    "propertyNames": {**OBJECT, "propertyNames": {"pattern": "^a"}},
    "minProperties": {**OBJECT, "minProperties": 1},
    "maxProperties": {**OBJECT, "maxProperties": 3},
    "dependentRequired": {**OBJECT, "dependentRequired": {"a": ["b"]}},
    "dependentSchemas": {**OBJECT, "dependentSchemas": {"a": {"required": ["b"]}}},
    "dependencies": {**OBJECT, "dependencies": {"a": ["b"]}},
    "propertyOrdering": {**OBJECT, "propertyOrdering": ["a"]},
    "anyOf": {"anyOf": [TEXT, NUMBER]},
    "oneOf": {"oneOf": [TEXT, NUMBER]},
    "allOf": {"allOf": [TEXT, {"enum": ["a", "b"]}]},
    "not": {**TEXT, "not": {"const": "a"}},
    "if": {**OBJECT, "if": COND, "then": {"required": ["b"]}},
    "then": {**OBJECT, "if": COND, "then": {"required": ["b"]}},
    "else": {**OBJECT, "if": COND, "else": {"required": ["b"]}},
    "$ref": {"$ref": "#/$defs/name"},
    "$ref to itself": {"$ref": "#/$defs/tree"},
    "$anchor": {**TEXT, "$anchor": "x"},
    "$comment": {**TEXT, "$comment": "x"},
    "$id": {**TEXT, "$id": "x"},
    "$schema": {**TEXT, "$schema": "https://json-schema.org/draft/2020-12/schema"},
    "any other keyword": {**TEXT, "x-unit": "m"},
}
"""A property for each keyword, and for the values of some that fare differently."""
BRANCHES = [{"required": ["p"]}, {"properties": {"p": {"enum": ["x"]}}}]
ROOTS = {f"{keyword} at the root": {keyword: BRANCHES} for keyword in ("anyOf", "oneOf", "allOf")}
BARE = {"an optional property": OBJECT}
"""What a sample is compared with, where that is another than itself without its keyword."""
DEFS = {
    "name": TEXT,
    "tree": {**OBJECT, "properties": {"a": TEXT, "kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}},
}
WORST = ("refused", "dropped", "moved-to-description", "bent")
SHOWN = {"moved-to-description": "in words", "refused": "not strict"}


def keyword_of(row: str) -> str:
    """The keyword that a row is about."""
    if row == "any other keyword":
        return "x-unit"
    return "required" if row == "an optional property" else re.split("[: ]", row, maxsplit=1)[0]


def tool_for(row: str, sample: dict[str, Any]) -> Tool:
    parameters: dict[str, Any] = {"type": "object", "properties": {"p": sample}, "required": ["p"]}
    if row in ROOTS:
        parameters = {**parameters, **sample}
        parameters["properties"] = {"p": TEXT}
    if "$ref" in sample:
        parameters["$defs"] = DEFS
    return Tool(name="t", description="d", parameters=parameters)


def fate(row: str, format_: str, strict: bool | None) -> str:
    """What becomes of a keyword: kept, said otherwise without loss, or the loss that is reported.

    Losses that are there without the keyword too are not its own.
    """
    sample, keyword = {**SAMPLES, **ROOTS}[row], keyword_of(row)
    without = {key: value for key, value in sample.items() if key != keyword}
    tool, plain = tool_for(row, sample), tool_for(row, BARE.get(row, without))
    rendered, bare = (render_tools([each], format_, strict=strict) for each in (tool, plain))
    found = {loss.what for loss in set(rendered.losses) - set(bare.losses)}
    worst = next((what for what in WORST if what in found), None)
    if worst:
        return SHOWN.get(worst, worst)
    sent = _parameters(rendered.fragment)
    before = (tool.parameters if row in ROOTS else tool.properties["p"]).get(keyword)
    after = (sent if row in ROOTS else sent["properties"]["p"]).get(keyword)
    if after is None and keyword in SILENT:
        return "left out"
    return "kept" if after == before else "rewritten"


def _parameters(fragment: Any) -> dict[str, Any]:
    """The schema in a fragment: the one mapping that has the property."""
    waiting = [fragment]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict) and "p" in (node.get("properties") or ()):
            return node
        waiting += node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    raise AssertionError(fragment)


def columns() -> dict[str, list[str]]:
    """The fates of all rows by the formats that share them."""
    ways = [(spec.name, None) for spec in FORMATS if spec.wrap]
    ways += [(spec.name, True) for spec in FORMATS if spec.wrap and spec.strict]
    together: dict[tuple[str, ...], list[str]] = {}
    for format_, strict in ways:
        fates = tuple(fate(row, format_, strict) for row in (*SAMPLES, *ROOTS))
        together.setdefault(fates, []).append(format_ + (" strict" if strict else ""))
    return {", ".join(names): list(fates) for fates, names in together.items()}


def page_of_losses() -> str:
    found = columns()
    titles = [f"({number}) {names}" for number, names in enumerate(found, 1)]
    rows = zip((*SAMPLES, *ROOTS), *found.values(), strict=True)
    head = ["keyword", *(f"({number})" for number in range(1, len(found) + 1))]
    table = [head, ["---"] * len(head), *([f"`{row}`", *fates] for row, *fates in rows)]
    lines = ["| " + " | ".join(cells) + " |" for cells in table]
    return _ABOUT + "\n".join(f"- {title}" for title in titles) + "\n\n" + "\n".join(lines) + "\n"


_ABOUT = """# What is lost in translation

Providers take parts of JSON Schema. `utp render-tools` says on stderr, and with `--json` under `losses`, what a tool
loses on its way. This table is made by rendering a tool with each keyword for each format.

- **kept**: it stands in the request as it was written.
- **rewritten**: said otherwise, with the same meaning (`const` as `enum`, `$ref` written out, types in capitals).
- **bent**: said by other keywords that mean less, or more.
- **in words**: moved into the description of the property.
- **dropped**: gone.
- **left out**: gone without a word, since it says nothing to a model.
- **not strict**: the tool is sent without `strict`.

The columns, formats that take the same together; prompts take everything:

"""
