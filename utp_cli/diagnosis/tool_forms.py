"""The form in which each API takes a tool, and what a tool in another form lacks.

Sources: the references of the APIs, and botocore's model of Converse (November 2026).
"""

from __future__ import annotations

from typing import Any, Final

from utp_cli.wire.access import dict_of, text_of

_FORMS: Final = {
    "openai-chat": '{"type": "function", "function": {"name", "description", "parameters"}}',
    "openai-responses": '{"type": "function", "name", "description", "parameters"}',
    "anthropic": '{"name", "description", "input_schema"}',
    "bedrock": '{"toolSpec": {"name", "description", "inputSchema": {"json": {…}}}}',
    "gemini": '{"functionDeclarations": [{"name", "description", "parameters"}]}',
    "mcp": '{"name", "description", "inputSchema"}',
}
_LIKE: Final = {"cohere": "openai-chat", "ollama": "openai-chat"}
"""Forms of APIs whose tools are written as another one's."""
_OTHERS: Final = ("functionDeclarations", "function_declarations", "toolSpec")
_FOREIGN: Final = {
    "openai-chat": ("input_schema", "inputSchema", "parameter_definitions", *_OTHERS),
    "openai-responses": ("input_schema", "inputSchema", *_OTHERS),
    "anthropic": ("parameters", "inputSchema", *_OTHERS),
    "gemini": ("input_schema", "inputSchema", "parameters", "toolSpec"),
    "mcp": ("input_schema", "parameters", *_OTHERS),
}
"""Keys of a tool that only other APIs have, by the form of the one that gets it."""
_NO_FUNCTION: Final = frozenset({"anthropic", "openai-responses", "gemini", "bedrock", "mcp"})
"""Forms of tools without `function` around the name."""


def wrong_form(tool: dict[str, Any], form: str) -> str:
    """Say how an API of a form takes a tool, where this one is in another API's form; `""` where it is not."""
    form = _LIKE.get(form, form)
    if form not in _FORMS:
        return ""
    if form == "bedrock":
        return _wrong_for_converse(tool)
    kind = text_of(tool.get("type"))
    flat = form == "openai-chat" and kind in ("", "function") and "name" in tool and "function" not in tool
    nested = form in _NO_FUNCTION and isinstance(tool.get("function"), dict)
    foreign = next((key for key in _FOREIGN.get(form, ()) if key in tool), "")
    if not (flat or nested or foreign):
        return ""
    return f"wrap it as {_FORMS[form]}" if flat or nested else f"write it as {_FORMS[form]}, without `{foreign}`"


def _wrong_for_converse(tool: dict[str, Any]) -> str:
    held = dict_of(tool.get("toolSpec"))
    if not held:
        named = "name" in tool or isinstance(tool.get("function"), dict)
        return f"wrap it as {_FORMS['bedrock']}" if named else ""
    schema = held.get("inputSchema")
    bare = isinstance(schema, dict) and "json" not in schema
    return 'put the schema under `json`: "inputSchema": {"json": {…}}' if bare else ""
