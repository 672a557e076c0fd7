"""Dialects that write a call as XML elements, or as a block between tags."""

from __future__ import annotations

from utp_cli.dialects.spec import Dialect, Tag
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

_PREFIX = "]<]minimax[>["

MINIMAX_M3 = Dialect(
    name="minimax_m3",
    family="xml_nested",
    aliases=("minimax-m3",),
    models=("minimax-m3",),
    source="chat template of MiniMax-M3; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "minimax_m3", "sglang": "minimax-m3"},
    section_open=(_PREFIX + "<tool_call>",),
    section_close=(_PREFIX + "</tool_call>",),
    call_open=(_PREFIX + "<invoke ", _PREFIX + "\n<invoke "),
    call=Tag(open=_PREFIX + "<invoke", slot="name", close=_PREFIX + "</invoke>"),
    tag_prefix=_PREFIX,
    reasoning=(("<mm:think>", "</mm:think>"),),
    quirks="An empty element is an empty list or object by the schema; null is written the same way.",
)

CWM = Dialect(
    name="cwm",
    family="tool_block",
    models=("cwm",),
    source="a branch of vLLM (2026)",
    servers={"vllm": "cwm"},
    call_open=("<tool: function>", "<tool:function>", "<Tool: function>"),
    call_close=("</tool>",),
    argument_keys=("command",),
    reasoning=THINK,
    quirks="What is no JSON behind the name is the argument `command`. Prompts of other agents put the name in the tag.",
)

DIALECTS = (TOOL_USE_XML, TOOL_CALL_XML, FUNCTION_CALL_XML, TOOLS_XML, MCP_XML, MINIMAX_M3, CWM)
