"""What each series of models writes in raw text, and the server settings that turn it into tool calls.

The first row that fits a model counts. Parser names: the registries of vLLM 0.33 and SGLang 0.5.23.
Templates of llama.cpp: its `models/templates`. Checked November 2026.
"""

from __future__ import annotations

from utp_cli.detection.server_flags_more import MORE_ROWS
from utp_cli.detection.serving import ServerRow, row as _row

# fmt: off
SERVER_ROWS: tuple[ServerRow, ...] = (
    # Qwen
    _row(
        "qwen", any_of="r1", dialects="deepseek_v3", vllm_reasoning="deepseek_r1",
        sglang_reasoning="deepseek-r1", llamacpp_template="llama-cpp-deepseek-r1.jinja",
        note="R1 distillation, whichever Qwen it was made from: the template is DeepSeek's; parsed "
        "strategy",
    ),
    _row(
        "qwen", ">=3.5", dialects="qwen3_coder", vllm="qwen3_coder", vllm_reasoning="qwen3",
        sglang="qwen3_coder", sglang_reasoning="qwen3", llamacpp="built in", ollama="PARSER qwen3.5",
        basis="inferred",
    ),
    _row(
        "qwen", ">=3,<3.5", any_of="coder", dialects="qwen3_coder hermes", vllm="qwen3_xml",
        sglang="qwen3_coder", llamacpp="built in", ollama="PARSER qwen3-coder",
        note="qwen3_xml and qwen3_coder are one parser in current vLLM; the JSON parser 'hermes' finds "
        "nothing in this output",
    ),
    _row(
        "qwen", ">=3,<3.5", any_of="vl", dialects="hermes", vllm="hermes", vllm_reasoning="qwen3",
        sglang="qwen", sglang_reasoning="qwen3", llamacpp="built in",
        ollama="PARSER qwen3-vl-instruct or qwen3-vl-thinking",
    ),
    _row(
        "qwen", ">=3,<3.5", dialects="hermes", vllm="hermes", vllm_reasoning="qwen3", sglang="qwen",
        sglang_reasoning="qwen3", llamacpp="built in", ollama="PARSER qwen3 or qwen3-thinking",
        note="thinking is on by default, chat_template_kwargs {enable_thinking: false} turns it off; the "
        "-Instruct-2507 checkpoints do not think, drop the reasoning parser; qwen3_json is an alias of "
        "hermes",
    ),
    _row(
        "qwen", ">=2.5,<3", dialects="hermes", vllm="hermes", sglang="qwen25", llamacpp="built in",
        ollama="template lists .Tools",
        note="the Coder checkpoints up to 14B often answer with a fenced JSON object instead of "
        "<tool_call>",
    ),
    _row(
        "qwen", ">=1,<2.5", llamacpp="generic format",
        note="Qwen2 and earlier: template without tools; emulate in the prompt",
    ),
    _row(
        "qwq", dialects="hermes", vllm="hermes", vllm_reasoning="deepseek_r1", sglang="qwen",
        sglang_reasoning="deepseek-r1", llamacpp="built in", ollama="template lists .Tools",
    ),
    # Llama
    _row(
        "llama", any_of="r1", dialects="deepseek_v3", vllm_reasoning="deepseek_r1",
        sglang_reasoning="deepseek-r1", llamacpp_template="llama-cpp-deepseek-r1.jinja",
        note="Llama weights, DeepSeek template: neither llama3_json nor a Llama template fits; parsed "
        "strategy",
    ),
    _row(
        "llama", ">=4", dialects="llama4_pythonic llama3_json", vllm="llama4_pythonic", also="llama4_json pythonic",
        vllm_template="tool_chat_template_llama4_pythonic.jinja", sglang="pythonic", llamacpp="built in",
        ollama="template lists .Tools",
        note="llama4_json exists, the pythonic form is the recommended one; parallel calls work. Older "
        "SGLang documentation names a parser 'llama4' that is no longer registered",
    ),
    _row(
        "llama", ">=3.2,<3.3", dialects="llama3_json pythonic", vllm="llama3_json", also="pythonic",
        vllm_template="tool_chat_template_llama3.2_json.jinja", sglang="llama3", llamacpp="built in",
        ollama="template lists .Tools",
        note="1B and 3B also know the pythonic form (vLLM pythonic + "
        "tool_chat_template_llama3.2_pythonic.jinja, SGLang pythonic) and miss the format often either "
        "way; no parallel calls in the JSON form",
    ),
    _row(
        "llama", ">=3.1,<4", dialects="llama3_json", vllm="llama3_json",
        vllm_template="tool_chat_template_llama3.1_json.jinja", sglang="llama3", llamacpp="built in",
        ollama="template lists .Tools", note="no parallel calls; arrays may come back as strings",
    ),
    _row(
        "llama", "<3.1", llamacpp="generic format",
        note="Llama 2 and 3.0 templates know no tools; emulate in the prompt",
    ),
    _row("codellama", llamacpp="generic format", note="no tools in the template", basis="inferred"),
    # lines of their own on another family's weights
    _row(
        "hermes", ">=2", dialects="hermes", vllm="hermes", sglang="hermes",
        llamacpp_template="NousResearch-Hermes-3-Llama-3.1-8B-tool_use.jinja",
        ollama="template lists .Tools (hermes3)",
        note="from Hermes 2 Pro on; plain Hermes 2, OpenHermes and the Mixtral DPO have no tool template",
    ),
    _row(
        "nemotron", ">=3,<4", dialects="qwen3_coder", vllm="qwen3_xml", vllm_reasoning="nemotron_v3",
        sglang="qwen3_coder", sglang_reasoning="nemotron_3", llamacpp="built in",
        ollama="PARSER nemotron-3-nano",
    ),
    _row(
        "nemotron", any_of="mini", dialects="nemotron_mini",
        note="writes <toolcall> {...} </toolcall>, for which no server has a parser of its own",
    ),
    _row(
        "nemotron", dialects="nemotron_nano_v2", llamacpp="built in",
        note="Llama-Nemotron and Nemotron-Nano-v2 write <TOOLCALL>[...]</TOOLCALL>; vLLM needs the plugin "
        "from the model's repository (--tool-parser-plugin)",
    ),
    _row(
        "functionary", ">=3.2", dialects="functionary_v3_2",
        llamacpp_template="meetkai-functionary-medium-v3.2.jinja", note="writes >>>NAME and a JSON body",
    ),
    _row(
        "functionary", ">=3.1,<3.2", dialects="functionary_v3_1",
        llamacpp_template="meetkai-functionary-medium-v3.1.jinja",
        note="writes <function=NAME>{...}</function>",
    ),
    _row(
        "firefunction", ">=2", dialects="firefunction",
        llamacpp_template="fireworks-ai-llama-3-firefunction-v2.jinja", note="functools[...] JSON list",
    ),
    _row(
        "xlam", dialects="xlam", vllm="xlam", vllm_template="tool_chat_template_xlam_llama.jinja",
        note="for the Qwen based sizes (1B, 3B, 32B) use tool_chat_template_xlam_qwen.jinja",
    ),
    _row(
        "toolace", dialects="pythonic", vllm="pythonic", vllm_template="tool_chat_template_toolace.jinja",
        sglang="pythonic",
    ),
    # Mistral
    _row(
        "mistral", dialects="mistral", vllm="mistral", vllm_reasoning="mistral", sglang="mistral",
        llamacpp="Mistral Nemo format for templates with [TOOL_CALLS]; Mistral-7B v0.1 and v0.2, Small "
        "2501 and Large 2411 conversions fall back to the generic format",
        ollama="template lists .Tools from 7B v0.3 on",
        note="default tokenizer_mode mistral; with the Hugging Face tokenizer call ids must be exactly 9 "
        "characters, use tool_chat_template_mistral_parallel.jinja. Reasoning parser only for checkpoints "
        "that emit [THINK]. 7B v0.1 and v0.2 have no tool tokens",
    ),
    _row(
        "mixtral", dialects="mistral", vllm="mistral", sglang="mistral",
        llamacpp="generic format for 8x7B v0.1", note="only 8x22B-Instruct was trained on tool calls",
        basis="inferred",
    ),
    _row(
        "ministral", ">=3", dialects="mistral", vllm="mistral", vllm_reasoning="mistral", sglang="mistral",
        sglang_reasoning="mistral", llamacpp="built in", ollama="PARSER ministral",
        note="newer layout: [TOOL_CALLS]name[ARGS]{json} per call instead of one JSON list; reasoning "
        "parser for the -Reasoning checkpoints only",
    ),
    _row(
        "magistral", dialects="mistral", vllm="mistral", vllm_reasoning="mistral", sglang="mistral",
        sglang_reasoning="mistral", llamacpp="built in", basis="inferred",
    ),
    _row(
        "devstral", dialects="mistral", vllm="mistral", sglang="mistral",
        llamacpp_template="unsloth-mistral-Devstral-Small-2507.jinja", ollama="template lists .Tools",
        basis="inferred",
    ),
    _row("pixtral", dialects="mistral", vllm="mistral", sglang="mistral", basis="inferred"),
    _row(
        "codestral", llamacpp="generic format (22B v0.1)",
        note="22B v0.1 and the Mamba model have no tools; the hosted releases from 2501 on do",
    ),
    # DeepSeek
    _row(
        "deepseek", ">=4.1", dialects="deepseek_v41", vllm="deepseek_v41", vllm_reasoning="deepseek_v41",
        sglang="deepseekv41", sglang_reasoning="deepseek-v41", llamacpp="built in", basis="registry",
    ),
    _row(
        "deepseek", ">=4,<4.1", dialects="deepseek_v4", vllm="deepseek_v4", vllm_reasoning="deepseek_v4",
        sglang="deepseekv4", sglang_reasoning="deepseek-v4", llamacpp="built in", on_request=True, basis="registry",
    ),
    _row(
        "deepseek", ">=3.2,<3.3", any_of="exp", dialects="deepseek_v31", vllm="deepseek_v31",
        vllm_reasoning="deepseek_v3", sglang="deepseekv31", sglang_reasoning="deepseek-v3", on_request=True,
        note="the experimental checkpoint still writes the V3.1 format",
    ),
    _row(
        "deepseek", ">=3.2,<4", dialects="deepseek_v32", vllm="deepseek_v32", vllm_reasoning="deepseek_v3",
        sglang="deepseekv32", sglang_reasoning="deepseek-v3", llamacpp="built in", on_request=True,
    ),
    _row(
        "deepseek", ">=3.1,<3.2", dialects="deepseek_v31", vllm="deepseek_v31", vllm_reasoning="deepseek_v3",
        vllm_template="tool_chat_template_deepseekv31.jinja", sglang="deepseekv31",
        sglang_reasoning="deepseek-v3", llamacpp="built in", ollama="PARSER deepseek3", on_request=True,
        note="thinking is off by default (chat_template_kwargs {thinking: true}); tools only when it is "
        "off",
    ),
    _row(
        "deepseek", any_of="r1", dialects="deepseek_v3", vllm="deepseek_v3", vllm_reasoning="deepseek_r1",
        vllm_template="tool_chat_template_deepseekr1.jinja", sglang="deepseekv3",
        sglang_reasoning="deepseek-r1", llamacpp_template="llama-cpp-deepseek-r1.jinja",
        note="tools from the 0528 release on; the January 2025 release has none",
    ),
    _row(
        "deepseek", ">=3,<3.1", dialects="deepseek_v3", vllm="deepseek_v3",
        vllm_template="tool_chat_template_deepseekv3.jinja", sglang="deepseekv3", llamacpp="built in",
    ),
    # OpenAI's open weights
    _row(
        "gpt-oss", dialects="openai", vllm="openai", vllm_reasoning="openai_gptoss", sglang="gpt-oss",
        sglang_reasoning="gpt-oss", llamacpp="built in", ollama="harmony handler, chosen automatically",
        note="text in the analysis channel is dropped by the tool parser: content can be empty until the "
        "tool result goes back with role tool. <|call|> must not be trimmed",
    ),
    # Moonshot, Zhipu, MiniMax
    _row(
        "kimi", ">=3", dialects="kimi_k3", vllm="kimi_k3", vllm_reasoning="kimi_k3", sglang="kimi_k3",
        sglang_reasoning="kimi_k3", llamacpp="built in", basis="registry",
    ),
    _row(
        "kimi", ">=2,<3", dialects="kimi_k2", vllm="kimi_k2", vllm_reasoning="kimi_k2", sglang="kimi_k2",
        sglang_reasoning="kimi_k2", llamacpp="built in",
        note="reasoning parser for the Thinking checkpoint and 2.5 on; call ids must keep the form "
        "functions.NAME:N",
    ),
    _row(
        "glm", ">=4.7", dialects="glm47", vllm="glm47", vllm_reasoning="glm47", sglang="glm47",
        sglang_reasoning="glm45", llamacpp="built in", ollama="PARSER glm-4.7",
    ),
    _row(
        "glm", ">=4.5,<4.7", dialects="glm45", vllm="glm45", vllm_reasoning="glm45", sglang="glm45",
        sglang_reasoning="glm45", llamacpp="built in",
    ),
    _row(
        "minimax", ">=3", dialects="minimax_m3", vllm="minimax_m3", vllm_reasoning="minimax_m3",
        sglang="minimax-m3", sglang_reasoning="minimax-m3", llamacpp="built in", basis="registry",
    ),
    _row(
        "minimax", ">=2,<3", dialects="minimax_m2", vllm="minimax_m2",
        vllm_reasoning="minimax_m2_append_think", sglang="minimax-m2",
        sglang_reasoning="minimax-append-think", llamacpp="built in",
    ),
    _row(
        "minimax", ">=1,<2", dialects="minimax_m1", note="neither vLLM nor SGLang has a parser for it",
        basis="inferred",
    ),
    # Google
    _row(
        "functiongemma", dialects="functiongemma", vllm="functiongemma",
        vllm_template="tool_chat_template_functiongemma.jinja", ollama="PARSER functiongemma",
    ),
    _row(
        "gemma", ">=4", dialects="gemma4", vllm="gemma4", vllm_reasoning="gemma4", sglang="gemma4",
        sglang_reasoning="gemma4", llamacpp="built in", ollama="PARSER gemma4 or gemma4-no-thinking",
        on_request=True, note="thinking is off unless asked for",
    ),
    _row(
        "gemma", llamacpp="generic format",
        note="Gemma 1 to 3 and 3n: no tools in the template; validated strategy, JSON or pythonic in the "
        "prompt",
    ),
    # makers with one line of models or two
    *MORE_ROWS,
)
# fmt: on
