"""Dialects that write a call as XML elements."""

from __future__ import annotations

from utp_cli.dialects.spec import Dialect
from utp_cli.dialects.tagged_json import THINK

_NAMES = ("name", "tool_name", "function_name", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "params")


def _elements(name: str, tag: str, source: str) -> Dialect:
    return Dialect(
        name=name,
        family="xml_elements",
        source=source,
        call_open=(f"<{tag}>",),
        call_close=(f"</{tag}>",),
        name_keys=_NAMES,
        argument_keys=_ARGUMENTS,
        reasoning=THINK,
    )


TOOL_USE_XML = _elements("tool_use_xml", "tool_use", "prompts that teach Anthropic's block as elements")
TOOL_CALL_XML = _elements("tool_call_xml", "tool_call", "prompts that teach a call as elements")
FUNCTION_CALL_XML = _elements("function_call_xml", "function_call", "prompts that teach a call as elements")
TOOLS_XML = _elements("tools_xml", "tools", "prompts that teach a call as elements")

MCP_XML = Dialect(
    name="mcp_xml",
    family="xml_elements",
    source="prompts that route calls to several MCP servers, the arguments in CDATA",
    call_open=("<tool>",),
    call_close=("</tool>",),
    name_keys=("tool_name", "name"),
    argument_keys=("arguments",),
    server_keys=("server_name",),
    default_server="local",
    reasoning=THINK,
)

DIALECTS = (TOOL_USE_XML, TOOL_CALL_XML, FUNCTION_CALL_XML, TOOLS_XML, MCP_XML)
