"""Dialects that put JSON between markers: one object a call, or one list of calls."""

from __future__ import annotations

from utp_cli.dialects.bodies import JsonBody, JsonListBody
from utp_cli.dialects.spec import Dialect

THINK = (("<think>", "</think>"),)
CHATML = ("<|im_end|>", "<|endoftext|>")

HERMES = Dialect(
    name="hermes",
    aliases=("qwen", "qwen25", "qwen3_json", "granite4"),
    models=("hermes-2-pro", "hermes-3", "hermes-4", "qwen2.5", "qwen3", "qwq", "granite-4", "smollm3"),
    source="chat templates of Hermes 2 Pro, Qwen 2.5, Qwen 3 and Granite 4; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "hermes", "sglang": "hermes", "llama.cpp": "--jinja"},
    call_open=("<tool_call>",),
    call_close=("</tool_call>",),
    reasoning=THINK,
    dropped=CHATML,
    body=JsonBody(),
    quirks="Qwen writes a line break inside both markers, Hermes need not. Python dicts, arguments as a JSON string "
    "and a code fence inside the tag all occur.",
)

TRINITY = Dialect(
    name="trinity",
    models=("trinity",),
    source="SGLang 0.5 (2026)",
    servers={"sglang": "trinity"},
    call_open=("<tool_call>",),
    call_close=("</tool_call>",),
    reasoning=THINK,
    calls_in_reasoning=True,
    dropped=CHATML,
    body=JsonBody(),
    quirks="Differs from hermes only in that calls may stand inside the thinking.",
)

LONGCAT = Dialect(
    name="longcat",
    models=("longcat-flash",),
    source="vLLM 0.33 (2026)",
    servers={"vllm": "longcat"},
    call_open=("<longcat_tool_call>",),
    call_close=("</longcat_tool_call>",),
    reasoning=(("<longcat_think>", "</longcat_think>"),),
    body=JsonBody(),
)

ERNIE45 = Dialect(
    name="ernie45",
    models=("ernie-4.5", "ernie4.5"),
    source="vLLM 0.33 (2026)",
    servers={"vllm": "ernie45"},
    call_open=("<tool_call>",),
    call_close=("</tool_call>",),
    reasoning=THINK,
    dropped=("<response>", "</response>"),
    body=JsonBody(),
    quirks="The thinking usually has no opening tag; visible text stands in <response> tags.",
)

INTERNLM = Dialect(
    name="internlm",
    aliases=("interns1", "internlm2"),
    models=("internlm2", "internlm2_5", "intern-s1", "internlm3"),
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "internlm", "sglang": "interns1"},
    call_open=("<|action_start|><|plugin|>", "<|action_start|> <|plugin|>"),
    call_close=("<|action_end|>",),
    reasoning=THINK,
    dropped=CHATML,
    body=JsonBody(argument_keys=("parameters", "arguments")),
    quirks="vLLM looks for no blank between the two opening tokens and takes one call; SGLang wants the blank.",
)

FUNCTION_CALL = Dialect(
    name="granite_20b_fc",
    aliases=("granite-20b-fc", "function_call"),
    models=("granite-20b-functioncalling",),
    source="vLLM 0.33 (2026)",
    servers={"vllm": "granite-20b-fc"},
    call_open=("<function_call>",),
    call_close=("</function_call>",),
    close_optional=True,
    body=JsonBody(),
    quirks="Granite writes no closing marker; other models do.",
)

NEMOTRON_MINI = Dialect(
    name="nemotron_mini",
    models=("nemotron-mini", "nemotron-4-mini"),
    source="Ollama's template of nemotron-mini; ollama/ollama#6870 (2024)",
    call_open=("<toolcall>",),
    call_close=("</toolcall>",),
    dropped=("<extra_id_1>",),
    body=JsonBody(),
    quirks="Ollama 0.3 left the calls in the content.",
)

GIGACHAT3 = Dialect(
    name="gigachat3",
    models=("gigachat3", "gigachat-3", "gigachat-20b"),
    source="chat templates of GigaChat3 and 3.1; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "gigachat3", "sglang": "gigachat3"},
    call_open=("<|function_call|>", "<|message_sep|>\n\nfunction call<|role_sep|>\n"),
    call_close=("</s>", "<|message_sep|>"),
    close_optional=True,
    body=JsonBody(),
    quirks="One call an answer; raw control characters in strings are tolerated by the servers.",
)

LMSTUDIO = Dialect(
    name="lmstudio",
    aliases=("lm_studio", "lm-studio"),
    source="default tool use of LM Studio: lmstudio.ai/docs/developer/openai-compat/tools (2026-11)",
    call_open=("[TOOL_REQUEST]",),
    call_close=("[END_TOOL_REQUEST]",),
    reasoning=THINK,
    body=JsonBody(),
    quirks="LM Studio teaches it to every model whose own form it does not read; one block a call.",
)

TOOL_USE = Dialect(
    name="tool_use",
    source="prompts that teach the form of Anthropic's API as a tag",
    call_open=("<tool_use>",),
    call_close=("</tool_use>",),
    reasoning=THINK,
    body=JsonBody(argument_keys=("arguments", "input")),
)

TOOLS = Dialect(
    name="tools",
    aliases=("qwen2_5_coder", "qwen25_coder"),
    source="Qwen models that write the tag of the tool list around a call",
    call_open=("<tools>",),
    call_close=("</tools>",),
    reasoning=THINK,
    dropped=CHATML,
    body=JsonBody(),
)

MCP_JSON = Dialect(
    name="mcp_json",
    source="prompts that route calls to several MCP servers",
    call_open=("<tool>",),
    call_close=("</tool>",),
    reasoning=THINK,
    body=JsonBody(name_keys=("tool_name", "name"), server_keys=("server_name",), default_server="local"),
    quirks="Calls name an MCP server; without one they go to `local`.",
)

GRANITE = Dialect(
    name="granite",
    models=("granite-3.0", "granite-3.1", "granite-3.2", "granite-3.3"),
    source="chat template of Granite 3.3; vLLM 0.33 (2026)",
    servers={"vllm": "granite"},
    call_open=("<|tool_call|>", "<tool_call>"),
    reasoning=(
        ("Here is my thought process:", "Here is my response:"),
        ("Here's my thought process:", "Here's my response:"),
        *THINK,
    ),
    dropped=("<|end_of_text|>",),
    body=JsonListBody(),
    quirks="Granite 3.1 writes <tool_call>; the closing bracket ends the calls.",
)

JAMBA = Dialect(
    name="jamba",
    models=("jamba",),
    source="vLLM 0.33 (2026)",
    servers={"vllm": "jamba"},
    call_open=("<tool_calls>",),
    call_close=("</tool_calls>",),
    body=JsonListBody(),
)

HUNYUAN_A13B = Dialect(
    name="hunyuan_a13b",
    models=("hunyuan-a13b",),
    source="vLLM 0.33 (2026)",
    servers={"vllm": "hunyuan_a13b"},
    call_open=("<tool_calls>",),
    call_close=("</tool_calls>",),
    reasoning=THINK,
    dropped=("助手：", "<answer>", "</answer>"),
    body=JsonListBody(),
    quirks="The answer stands in <answer>; the label 助手： may leak before it.",
)

APRIEL = Dialect(
    name="apriel",
    models=("apriel",),
    source="chat templates of Apriel 1.5 and 1.6 (2026)",
    call_open=("<tool_calls>",),
    call_close=("</tool_calls>",),
    reasoning=(("<thinking>", "</thinking>"), ("Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]")),
    dropped=("[END FINAL RESPONSE]",),
    body=JsonListBody(id_keys=("id",)),
)

MINIMAX_M1 = Dialect(
    name="minimax_m1",
    models=("minimax-m1",),
    source="chat template of MiniMax-M1 (2026)",
    call_open=("<tool_calls>",),
    call_close=("</tool_calls>",),
    reasoning=THINK,
    body=JsonBody(by_line=True),
    quirks="One object a line, all between one pair of markers.",
)

MINIMAX_ARROW = Dialect(
    name="minimax_arrow",
    source="what MiniMax-M2 to M2.7 write where no tools are in the prompt; ten clients read it (November 2026)",
    call_open=("[TOOL_CALL]",),
    call_close=("[/TOOL_CALL]",),
    reasoning=THINK,
    body=JsonBody(name_keys=("tool", "name"), argument_keys=("args", "arguments")),
    quirks='Arrows for colons, and arguments as options: {tool => "f", args => {--city "Oslo"}}.',
)

COHERE_DROPPED = (
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|START_TEXT|>",
    "<|END_TEXT|>",
    "<|END_OF_TURN_TOKEN|>",
    "<|CHATBOT_TOKEN|>",
)

COHERE3 = Dialect(
    name="cohere_command3",
    models=("command-a-", "command-r7b", "c4ai-command", "command-a"),
    source="chat template of Command R7B; vLLM 0.33 (2026)",
    servers={"vllm": "cohere_command3"},
    call_open=("<|START_ACTION|>",),
    call_close=("<|END_ACTION|>",),
    reasoning=(("<|START_THINKING|>", "<|END_THINKING|>"),),
    dropped=COHERE_DROPPED,
    body=JsonListBody(name_keys=("tool_name",), argument_keys=("parameters",), id_keys=("tool_call_id",)),
    quirks="Visible text stands in <|START_RESPONSE|>; plans go into the thinking.",
)

COHERE4 = Dialect(
    name="cohere_command4",
    models=("command-a-plus", "command-4"),
    source="chat template of Cohere2MoE; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "cohere_command4", "sglang": "cohere_command4"},
    call_open=("<|START_ACTION|>",),
    call_close=("<|END_ACTION|>",),
    reasoning=(("<|START_THINKING|>", "<|END_THINKING|>"),),
    dropped=COHERE_DROPPED,
    body=JsonListBody(name_keys=("tool_name",), argument_keys=("parameters",), id_keys=("tool_call_id",)),
    quirks="Visible text stands in <|START_TEXT|>.",
)

APERTUS = Dialect(
    name="apertus",
    aliases=("apertus2509",),
    models=("apertus",),
    source="chat template of Apertus-8B; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "apertus", "sglang": "apertus2509"},
    call_open=("<|tools_prefix|>",),
    call_close=("<|tools_suffix|>",),
    reasoning=(("<|inner_prefix|>", "<|inner_suffix|>"),),
    calls_in_reasoning=True,
    dropped=("<|assistant_end|>",),
    body=JsonListBody(single_key=True),
)

PHI4_MINI = Dialect(
    name="phi4_mini_json",
    models=("phi-4-mini",),
    source="vLLM 0.33 (2026)",
    servers={"vllm": "phi4_mini_json"},
    call_open=("functools[", "functools{"),
    dropped=("<|end|>",),
    body=JsonListBody(argument_keys=("arguments", "parameters")),
    quirks="vLLM ends the list at the first ], so that any list argument breaks it.",
)

FIREFUNCTION = Dialect(
    name="firefunction",
    models=("firefunction",),
    source="chat template of firefunction-v2 (2026)",
    call_open=("functools[",),
    dropped=("<|eot_id|>",),
    body=JsonListBody(),
)

NEMOTRON_NANO_V2 = Dialect(
    name="nemotron_nano_v2",
    models=("nemotron-nano-9b-v2", "nemotron-nano-12b-v2", "nemotron-nano-v2"),
    source="chat template of Nemotron-Nano-v2 (2026)",
    call_open=("<TOOLCALL>",),
    call_close=("</TOOLCALL>",),
    reasoning=THINK,
    body=JsonListBody(),
    quirks="Arguments may be a JSON string.",
)

MISTRAL_LIST = Dialect(
    name="mistral_list",
    source="chat template of Mistral Nemo (2024)",
    servers={"vllm": "mistral", "sglang": "mistral"},
    call_open=("[TOOL_CALLS]",),
    dropped=("</s>",),
    body=JsonListBody(id_keys=("id",)),
    quirks="The older of Mistral's forms; ids have nine characters.",
)

DOTS_JSON = Dialect(
    name="dots_json",
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "dots", "sglang": "dots"},
    call_open=("<dots_function_call>",),
    call_close=("</dots_function_call>",),
    reasoning=THINK,
    body=JsonBody(),
    quirks="The JSON form that dots accepts beside its tags.",
)

K2_HORIZON_JSON = Dialect(
    name="k2_horizon_json",
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "k2_horizon", "sglang": "k2_horizon"},
    call_open=("<ifm|tool_call>",),
    call_close=("</ifm|tool_call>",),
    section_open=("<ifm|tool_calls>",),
    section_close=("</ifm|tool_calls>",),
    body=JsonBody(),
    quirks="The JSON form that k2_horizon accepts beside its pairs.",
)

LFM2_JSON = Dialect(
    name="lfm2_json",
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "lfm2", "sglang": "lfm2"},
    call_open=("<|tool_call_start|>",),
    call_close=("<|tool_call_end|>",),
    body=JsonListBody(),
    quirks="The JSON list that LFM2 may write in place of Python calls.",
)

SARASHINA = Dialect(
    name="sarashina",
    models=("sarashina",),
    source="parser `sarashina` of the gateway smg (2026-08)",
    call_open=("<|tool_calls|>",),
    close_optional=True,
    body=JsonListBody(python=True),
    quirks="A list as Python writes it; the marker is a special token, and a server may drop it.",
)

OPENPANGU_V2 = Dialect(
    name="openpangu_v2",
    models=("openpangu-v2", "openpangu-2"),
    source="a branch of vLLM (2026)",
    servers={"vllm": "openpangu_v2"},
    call_open=("<|tool_call_start|>",),
    call_close=("<|tool_call_end|>",),
    reasoning=THINK,
    body=JsonListBody(argument_keys=("arguments", "parameters")),
    quirks="The markers of LFM2 with a JSON list in them; the server's stream knows the key `arguments` only.",
)

PANGU = Dialect(
    name="pangu",
    models=("openpangu-embedded", "openpangu-r", "pangu"),
    source="a branch of vLLM (2026)",
    servers={"vllm": "pangu"},
    call_open=("[unused11]",),
    call_close=("[unused12]",),
    reasoning=(("[unused16]", "[unused17]"),),
    dropped=("[unused10]",),
    body=JsonListBody(),
    quirks="The markers are reserved tokens: a server that skips special tokens leaves a bare list.",
)

HYPERCLOVAX_14B = Dialect(
    name="hyperclovax_seed_think_14b",
    models=("hyperclovax-seed-think-14b",),
    source="a branch of vLLM (2026)",
    servers={"vllm": "hyperclovax_seed_think_14b"},
    call_open=(" -> tool/function_call\n",),
    call_close=("<|im_end|>",),
    close_optional=True,
    reasoning=(("/think\n", "<|im_end|>\n<|im_start|>assistant"),),
    dropped=CHATML,
    body=JsonListBody(argument_keys=("arguments", "parameters")),
    quirks="The header of the turn goes on in the answer; a reasoning parser may eat it and leave a bare list.",
)
