"""Dialects that write calls as Python does."""

from __future__ import annotations

from utp_cli.dialects.bodies import CodeBody, PythonicBody
from utp_cli.dialects.spec import Dialect
from utp_cli.dialects.tagged_json import CHATML, THINK

PYTHONIC = Dialect(
    name="pythonic",
    models=("toolace",),
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "pythonic", "sglang": "pythonic", "llama.cpp": "--jinja"},
    close_optional=True,
    dropped=("<|eot_id|>",),
    body=PythonicBody(bare=("[",), bare_form=r"\s*\[\s*[A-Za-z_][\w.]*\("),
    quirks="vLLM wants the list at the very start; SGLang drops a call with a negative number in a list.",
)

LLAMA4_PYTHONIC = Dialect(
    name="llama4_pythonic",
    models=("llama-4-scout", "llama-4-maverick"),
    source="vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "llama4_pythonic", "sglang": "pythonic", "llama.cpp": "--jinja"},
    call_open=("<|python_start|>",),
    call_close=("<|python_end|>",),
    close_optional=True,
    dropped=("<|eot|>", "<|eot_id|>", "<|eom|>"),
    body=PythonicBody(bare=("[",)),
)

OLMO3 = Dialect(
    name="olmo3",
    models=("olmo-3",),
    source="vLLM 0.33 (2026)",
    servers={"vllm": "olmo3"},
    call_open=("<function_calls>",),
    call_close=("</function_calls>",),
    reasoning=THINK,
    dropped=CHATML,
    body=PythonicBody(by_line=True),
    quirks="One call a line; JSON literals occur.",
)

TOOL_CALL_PYTHONIC = Dialect(
    name="tool_call_pythonic",
    source="a branch of SGLang (multi_format, python); models that mix two forms (2026)",
    call_open=("<tool_call>",),
    call_close=("</tool_call>",),
    reasoning=THINK,
    dropped=CHATML,
    body=PythonicBody(by_line=True),
    quirks="Python between the markers of hermes.",
)

LFM2 = Dialect(
    name="lfm2",
    models=("lfm2",),
    source="chat templates of LFM2 and LFM2.5; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "lfm2", "sglang": "lfm2"},
    call_open=("<|tool_call_start|>",),
    call_close=("<|tool_call_end|>",),
    reasoning=THINK,
    dropped=CHATML,
    body=PythonicBody(bare=("[",)),
    quirks="Strings in single quotes without escaping; a JSON list is read by lfm2_json.",
)

UI_TARS = Dialect(
    name="ui_tars",
    aliases=("ui-tars",),
    models=("ui-tars",),
    source="prompts of UI-TARS; parser `ui_tars` of Rapid-MLX (2026-08)",
    close_optional=True,
    body=PythonicBody(bare=("Action: ", "Action:"), by_line=True),
    quirks="Actions on a screen, a line each, thoughts before them as text; a point is the text of an argument.",
)

LLAMA3_BUILTIN = Dialect(
    name="llama3_builtin",
    source="chat templates of Llama 3.1 to 3.3, built-in tools (2026)",
    call_open=("<|python_tag|>",),
    close_optional=True,
    dropped=("<|eom_id|>", "<|eot_id|>"),
    body=PythonicBody(name_suffix=".call"),
    quirks='The built-in tools of Llama 3: <|python_tag|>brave_search.call(query="...").',
)

PYTHON_CODE = Dialect(
    name="python_code",
    source="chat template of functionary-medium-v3.1 (2026)",
    call_open=("<|python_tag|>",),
    close_optional=True,
    dropped=("<|eom_id|>", "<|eot_id|>"),
    body=CodeBody(fixed_name="python", argument_keys=("code",)),
    quirks="Raw code up to the end of the answer is a call of the tool `python`.",
)

FUNCTIONARY_PYTHON = Dialect(
    name="functionary_python",
    source="chat template of functionary-medium-v3.2 (2026)",
    call_open=(">>>python\n",),
    prompt_tail=">>>",
    close_optional=True,
    dropped=("<|eot_id|>",),
    body=CodeBody(fixed_name="python", argument_keys=("code",)),
    quirks="The tool `python` of functionary_v3_2 takes raw code.",
)

GRANITE_PYTHONIC = Dialect(
    name="granite_pythonic",
    source="a branch of vLLM (2026)",
    servers={"vllm": "granite_pythonic"},
    close_optional=True,
    body=PythonicBody(bare=("{tool}(",), by_line=True),
    quirks="One call a line, without a marker: the server takes any word with ( behind it, utp only known tools.",
)

CALLING_TOOL_PYTHONIC = Dialect(
    name="calling_tool_pythonic",
    source="models that copy calls which vllm-mlx and Rapid-MLX flatten into the prompt (2026)",
    call_open=("[Calling tool: ", "[Calling tool:"),
    call_close=("]",),
    reasoning=THINK,
    body=PythonicBody(by_line=True, plain_words=True),
    quirks="calling_tool with the arguments as Python writes them, or with none.",
)

TOOL_CODE = Dialect(
    name="tool_code",
    source="answers of Gemini 2.0 and 2.5, Gemma 3 (2025)",
    call_open=("```tool_code\n",),
    close_optional=True,
    body=PythonicBody(
        fenced=True,
        bare=("tool_code\n",),
        bare_form=r"\s*tool_code\n\s*(?:print\()?[A-Za-z_][\w.]*\(",
        namespace="default_api.",
    ),
    quirks="A code fence with print(default_api.NAME(...)) in it, one a line; Gemini's own server reads these. The fence "
    "may be lost.",
)
