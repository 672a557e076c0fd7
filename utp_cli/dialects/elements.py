"""Dialects that write a call as XML elements, or as a block between tags."""

from __future__ import annotations

from utp_cli.dialects.bodies import AttributesBody, BlockBody, ElementsBody, NamedElementsBody, NestedBody, Tag
from utp_cli.dialects.spec import Dialect
from utp_cli.dialects.tagged_json import CHATML, THINK

_NAMES = ("name", "tool_name", "function_name", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "params")


def _elements(name: str, tag: str, source: str) -> Dialect:
    return Dialect(
        name=name,
        source=source,
        call_open=(f"<{tag}>",),
        call_close=(f"</{tag}>",),
        reasoning=THINK,
        body=ElementsBody(name_keys=_NAMES, argument_keys=_ARGUMENTS),
    )


TOOL_USE_XML = _elements("tool_use_xml", "tool_use", "prompts that teach Anthropic's block as elements")
TOOL_CALL_XML = _elements("tool_call_xml", "tool_call", "prompts that teach a call as elements")
FUNCTION_CALL_XML = _elements("function_call_xml", "function_call", "prompts that teach a call as elements")
TOOLS_XML = _elements("tools_xml", "tools", "prompts that teach a call as elements")

TOOL_ELEMENTS = Dialect(
    name="tool_elements",
    aliases=("cline", "roo", "kilo"),
    source="system prompts and message parsers of Cline, Roo Code and Kilo Code (2025)",
    call_open=("<{tool}>",),
    call_close=("</{tool}>",),
    reasoning=(("<thinking>", "</thinking>"), *THINK),
    read_by_clients=True,
    body=NamedElementsBody(),
    cannot=("own-tags", "odd-keys"),
    quirks="The tags are the names of the tools: nothing is read where these are not known.",
)

MCP_XML = Dialect(
    name="mcp_xml",
    source="prompts that route calls to several MCP servers, the arguments in CDATA",
    call_open=("<tool>",),
    call_close=("</tool>",),
    reasoning=THINK,
    body=ElementsBody(
        name_keys=("tool_name", "name"),
        argument_keys=("arguments",),
        server_keys=("server_name",),
        default_server="local",
    ),
)

_PREFIX = "]<]minimax[>["

MINIMAX_M3 = Dialect(
    name="minimax_m3",
    aliases=("minimax-m3",),
    models=("minimax-m3",),
    source="chat template of MiniMax-M3; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "minimax_m3", "sglang": "minimax-m3"},
    section_open=(_PREFIX + "<tool_call>",),
    section_close=(_PREFIX + "</tool_call>",),
    call_open=(_PREFIX + "<invoke ", _PREFIX + "\n<invoke "),
    reasoning=(("<mm:think>", "</mm:think>"),),
    body=NestedBody(call=Tag(open=_PREFIX + "<invoke", slot="name", close=_PREFIX + "</invoke>"), tag_prefix=_PREFIX),
    quirks="An empty element is an empty list or object by the schema; null is written the same way.",
)

MINIMAX_M3_PLAIN = Dialect(
    name="minimax_m3_plain",
    source="parser `minimax_m3` of Xinference (2026)",
    section_open=("<minimax:tool_call>",),
    section_close=("</minimax:tool_call>",),
    call_open=("<invoke ",),
    reasoning=(("<mm:think>", "</mm:think>"),),
    body=NestedBody(call=Tag(open="<invoke", slot="name", close="</invoke>"), tag_prefix="", entities=True),
    quirks="The elements of MiniMax-M3 between the markers of M2, as a server leaves them that drops the prefix.",
)

CWM = Dialect(
    name="cwm",
    models=("cwm",),
    source="a branch of vLLM (2026)",
    servers={"vllm": "cwm"},
    call_open=("<tool: function>", "<tool:function>", "<Tool: function>"),
    call_close=("</tool>",),
    reasoning=THINK,
    body=BlockBody(argument_keys=("command",)),
    quirks="What is no JSON behind the name is the argument `command`. Prompts of other agents put the name in the tag.",
)

CALLING_TOOL_ATTRIBUTES = Dialect(
    name="calling_tool_attributes",
    source="models that copy calls which a prompt flattened; fallback of MiniMax and Hunyuan in Rapid-MLX (2026-08)",
    call_open=("[Calling tool=",),
    call_close=("]",),
    reasoning=THINK,
    body=AttributesBody(plain_words=True),
    quirks='Words of a prompt, no token: `[Calling tool="f" city="Oslo"]`.',
)

TOOL_CALL_ATTRIBUTES = Dialect(
    name="tool_call_attributes",
    source="parser `glm47` of mlx-lm (2026-08): small models between the markers of hermes",
    call_open=("<tool_call>",),
    call_close=("</tool_call>",),
    reasoning=THINK,
    dropped=CHATML,
    body=AttributesBody(),
)
