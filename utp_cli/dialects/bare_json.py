"""Dialects whose JSON stands without a marker, or behind words that prose may hold."""

from __future__ import annotations

from utp_cli.dialects.bodies import JsonBody, JsonListBody
from utp_cli.dialects.spec import Dialect
from utp_cli.dialects.tagged_json import THINK

_FENCES = ("```json\n", "```\n")

LLAMA3_JSON = Dialect(
    name="llama3_json",
    aliases=("llama3", "llama4_json"),
    models=("llama-3.1", "llama-3.2", "llama-3.3", "llama-4"),
    source="chat templates of Llama 3.1 to 3.3; vLLM 0.33, SGLang 0.5 (2026)",
    servers={"vllm": "llama3_json", "sglang": "llama3", "llama.cpp": "--jinja"},
    call_open=("<|python_tag|>", "<|python_start|>"),
    close_optional=True,
    dropped=("<|eot_id|>", "<|eom_id|>", "<|python_end|>"),
    body=JsonBody(bare=("{", "[", *_FENCES), argument_keys=("parameters", "arguments")),
    quirks="The marker may be missing, or be that of Llama 4; several objects are parted by a semicolon; Python literals occur.",
)

XLAM = Dialect(
    name="xlam",
    models=("xlam",),
    source="vLLM 0.33 (2026)",
    servers={"vllm": "xlam"},
    close_optional=True,
    reasoning=THINK,
    dropped=("<|eot_id|>", "<|im_end|>"),
    body=JsonListBody(bare=("[", "{", *_FENCES)),
    quirks="A list without markers, also in a code fence.",
)

GENERIC = Dialect(
    name="generic",
    source="llama.cpp's fallback for models without a dialect (until 2025)",
    close_optional=True,
    body=JsonBody(bare=("{",), wrappers=("tool_call", "tool_calls"), id_keys=("id",)),
    quirks='A call in {"tool_call": …} or {"tool_calls": […]}, an answer in {"response": …}.',
)

COMMAND_R_PLUS = Dialect(
    name="command_r_plus",
    models=("command-r-plus", "command-r-08-2024"),
    source="chat template of c4ai-command-r-plus (2026)",
    call_open=("Action:\n",),
    close_optional=True,
    dropped=("<|END_OF_TURN_TOKEN|>",),
    body=JsonListBody(
        fenced=True,
        plain_words=True,
        name_keys=("tool_name",),
        argument_keys=("parameters",),
        no_call=("directly-answer", "directly_answer"),
    ),
    quirks="The pseudo tool `directly-answer` means that no tool is called.",
)

RWKV = Dialect(
    name="rwkv",
    models=("rwkv",),
    source="a branch of vLLM (2026)",
    servers={"vllm": "rwkv"},
    call_open=("**Tool Call:**\n",),
    close_optional=True,
    reasoning=THINK,
    body=JsonBody(fenced=True, plain_words=True),
    quirks="The server renames `filePath` to `path`, and rewrites the arguments of tools called read and edit.",
)
