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
    "gemini": ("input_schema", "inputSchema", "toolSpec"),
    "mcp": ("input_schema", "parameters", *_OTHERS),
}
"""Keys of a tool that only other APIs have, by the form of the one that gets it."""
_OWN: Final = {"openai-chat": "function", "mcp": "inputSchema"}
"""The key with which a tool is in a form; who takes that form passes over keys of others beside it."""
_DEFINES: Final = frozenset({"description", "parameters", "input_schema", "inputSchema", "parametersJsonSchema"})
"""Keys of which a tool has one, beside its name. `{"cachePoint": …}` and hosted tools have none."""


def wrong_form(tool: dict[str, Any], form: str) -> str:
    """Say how an API of a form takes a tool, where this one is in another API's form; `""` where it is not."""
    form = _LIKE.get(form, form)
    if form not in _FORMS:
        return ""
    if form == "bedrock":
        return _wrong_for_converse(tool)
    kind = text_of(tool.get("type"))
    if _OWN.get(form) in tool:
        return ""
    flat = form == "openai-chat" and kind in ("", "function") and "name" in tool
    flat = flat or (form == "gemini" and "name" in tool and not _DEFINES.isdisjoint(tool))
    nested = isinstance(tool.get("function"), dict)
    if flat or nested:
        return f"{'wrap' if flat else 'write'} it as {_FORMS[form]}"
    foreign = next((key for key in _FOREIGN[form] if key in tool), "")
    return f"write it as {_FORMS[form]}, without `{foreign}`" if foreign else ""


def _wrong_for_converse(tool: dict[str, Any]) -> str:
    held = dict_of(tool.get("toolSpec"))
    if not held:
        named = "name" in tool and not _DEFINES.isdisjoint(tool)
        return f"wrap it as {_FORMS['bedrock']}" if named or isinstance(tool.get("function"), dict) else ""
    schema = held.get("inputSchema")
    bare = isinstance(schema, dict) and "json" not in schema
    return 'put the schema under `json`: "inputSchema": {"json": {…}}' if bare else ""
