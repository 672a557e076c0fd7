"""Answers held to a schema: a call, a final answer or a thought as JSON, for models and servers that can be held to it.

    {"response": {"scratchpad": …, "tool": NAME, "arguments": {…}}}        a call
    {"response": {"scratchpad": …, "answer": TEXT}}                        the final answer
    {"response": {"scratchpad": TEXT}}                                     a thought, and another turn

The three forms stand under one property since OpenAI refuses alternatives at the root.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.rendering.schema import translate
from utp_cli.rendering.targets import OPENAI_STRICT
from utp_cli.schemas.walk import walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.protocol.tools import Tool
    from utp_cli.rendering.losses import Loss

Schema = dict[str, Any]

RESPONSE = "response"
"""The property that the three forms stand under."""
_TEXT: Schema = {"type": "string"}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}


def answer_schema(tools: Sequence[Tool], tool_choice: str = "auto") -> tuple[Schema, list[Loss]]:
    """Return the schema of one turn, strict by OpenAI's rules, and what the tools lost in it.

    `tool_choice`: `none` leaves the final answer and the thought, `required` only calls, a name only calls of it.
    The scratchpad comes first in every form, so that a model thinks before it decides.
    """
    losses: list[Loss] = []
    definitions: Schema = {}
    forms: list[Schema] = []
    for tool in tools if tool_choice != "none" else ():
        if tool_choice in ("auto", "required", tool.name):
            translated = translate(tool, OPENAI_STRICT)
            losses += translated.losses
            arguments = _under_one_roof(translated.schema, f"tool{len(forms)}_", definitions)
            named = {"type": "string", "enum": [tool.name]}
            forms.append(_closed(scratchpad=_TEXT_OR_NULL, tool=named, arguments=arguments))
    if tool_choice in ("auto", "none"):
        forms += [_closed(scratchpad=_TEXT_OR_NULL, answer=_TEXT), _closed(scratchpad=_TEXT)]
    schema = _closed(**{RESPONSE: {"anyOf": forms}})
    return ({**schema, "$defs": definitions} if definitions else schema), losses


def decision_schema(tools: Sequence[Tool]) -> Schema:
    """Return the schema of the first of two stages: answer at once, or name the tool whose schema is to be shown."""
    names = [tool.name for tool in tools]
    chosen = {"type": ["string", "null"], "enum": [*names, None]}
    return _closed(reasoning=_TEXT, answer=_TEXT_OR_NULL, use_tool=chosen)


def _closed(**properties: Schema) -> Schema:
    sent = {name: dict(schema) for name, schema in properties.items()}
    return {"type": "object", "properties": sent, "required": list(properties), "additionalProperties": False}


def _under_one_roof(schema: Schema, prefix: str, definitions: Schema) -> Schema:
    """Move a tool's definitions to where references in the whole schema count from."""
    for node in [place.keywords for place in walk(schema)]:
        if "$ref" in node:
            node["$ref"] = node["$ref"].replace("#/$defs/", f"#/$defs/{prefix}", 1)
    definitions |= {prefix + name: part for name, part in schema.pop("$defs", {}).items()}
    return schema
