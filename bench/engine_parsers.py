"""Run the tool parsers of engines on a text, as their servers do for an answer that is not streamed.

vLLM and SGLang are imported from their wheels (`engine_stubs`). Those that are no Python are asked through a program
of one's own, linked with the engine's parsers, which an environment variable names (`PROGRAMS`). It gets a line of
JSON `{parser, text, tools}` and answers a line `{calls: [{name, arguments}], content, error}`; thinking is off.
"""

from __future__ import annotations

import json
import logging
import os
import shlex
import subprocess
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import engine_stubs
from utp_cli.facts.parser_names import TOOL_PARSERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Tools = Sequence[Mapping[str, Any]]

PLACE = Path(os.environ.get("UTP_ENGINES", "engines"))
"""The folder with the unpacked wheels: `vllm/vllm/…`, `sglang/sglang/…`."""
VERSIONS = {"vllm": "0.33.0", "sglang": "0.5.23", "ollama": "0.33.0-rc2", "llama.cpp": "b11434"}
PROGRAMS = {"ollama": "UTP_OLLAMA", "llama.cpp": "UTP_LLAMACPP"}
TEMPLATES = {
    "apertus": "Apertus-8B-Instruct",
    "apriel": "Apriel-1.6-15b-Thinker-fixed",
    "cohere_command3": "CohereForAI-c4ai-command-r7b-12-2024-tool_use",
    "cohere_command4": "Cohere2MoE",
    "command_r_plus": "CohereForAI-c4ai-command-r-plus-tool_use",
    "deepseek_v3": "llama-cpp-deepseek-r1",
    "deepseek_v31": "deepseek-ai-DeepSeek-V3.1",
    "deepseek_v32": "deepseek-ai-DeepSeek-V3.2",
    "deepseek_v4": "deepseek-ai-DeepSeek-V4",
    "firefunction": "fireworks-ai-llama-3-firefunction-v2",
    "functionary_v3_1": "meetkai-functionary-medium-v3.1",
    "functionary_v3_2": "meetkai-functionary-medium-v3.2",
    "gemma4": "google-gemma-4-31B-it",
    "gigachat3": "GigaChat3-10B-A1.8B",
    "glm45": "GLM-4.6",
    "glm47": "GLM-4.7-Flash",
    "granite": "ibm-granite-granite-3.3-2B-Instruct",
    "hermes": "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use",
    "kimi_k2": "moonshotai-Kimi-K2",
    "kimi_k3": "Kimi-K3",
    "lfm2": "LFM2-8B-A1B",
    "ling3": "inclusionai-ling-3.0-flash",
    "llama3_json": "meta-llama-Llama-3.1-8B-Instruct",
    "minicpm5": "openbmb-MiniCPM5-1B",
    "minimax_m2": "MiniMax-M2",
    "minimax_m3": "MiniMax-M3",
    "mistral": "mistralai-Ministral-3-14B-Reasoning-2512",
    "mistral_list": "mistralai-Mistral-Nemo-Instruct-2407",
    "muse": "muse-glimmer",
    "nemotron_nano_v2": "NVIDIA-Nemotron-Nano-v2",
    "openai": "openai-gpt-oss-120b",
    "qwen3_coder": "Qwen3-Coder",
    "seed_oss": "ByteDance-Seed-OSS",
    "step3p5": "StepFun3.5-Flash",
}
"""Dialect → a chat template of llama.cpp's repository that writes it: its parser follows from the template."""


def parsers_of(engine: str, dialect: str) -> tuple[str, ...]:
    """Return the parsers of an engine that are for a dialect; of llama.cpp, the template."""
    if engine == "llama.cpp":
        return (f"{TEMPLATES[dialect]}.jinja",) if dialect in TEMPLATES else ()
    return TOOL_PARSERS[engine].get(dialect, ())


@dataclass(frozen=True, slots=True)
class Returned:
    """What a parser gave back."""

    calls: list[dict[str, Any]]
    """`{name, arguments}`; arguments as text where they are no JSON."""
    content: str
    raised: str = ""
    """The name of what it raised."""


class _Vocabulary(dict[str, int]):
    """Every text is one token, by the order in which they are asked for."""

    def __missing__(self, token: str) -> int:
        self[token] = len(self) + 1000
        return self[token]

    def get(self, token: str, _: Any = None) -> int:
        return self[token]

    def __contains__(self, token: object) -> bool:
        return True


class Tokenizer:
    """Stands for any: each character is a token, and so is each marker that a parser asks for."""

    def __init__(self) -> None:
        self.vocab = _Vocabulary()
        self.all_special_ids: list[int] = []
        self.all_special_tokens: list[str] = []
        self.bos_token = self.eos_token = ""
        self.bos_token_id = self.eos_token_id = 0
        self.is_fast = True

    def get_vocab(self) -> dict[str, int]:
        return self.vocab

    def get_added_vocab(self) -> dict[str, int]:
        return self.vocab

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        return self.vocab[tokens] if isinstance(tokens, str) else [self.vocab[token] for token in tokens]

    def encode(self, text: str, **_: Any) -> list[int]:
        return [self.vocab[text]] if text in self.vocab.keys() else [self.vocab[sign] for sign in text]  # noqa: SIM118

    def decode(self, ids: Any, **_: Any) -> str:
        names = {number: token for token, number in self.vocab.items()}
        return "".join(names[number] for number in ([ids] if isinstance(ids, int) else ids))


def _openai(tools: Tools) -> list[dict[str, Any]]:
    return [{"type": "function", "function": tool.get("function", tool)} for tool in tools]


def _vllm(parser: str, text: str, tools: Tools) -> Returned:
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest  # noqa: PLC0415 - played engine
    from vllm.tool_parsers import ToolParserManager  # noqa: PLC0415

    offered = {"tools": _openai(tools), "tool_choice": "auto"} if tools else {}  # refuses a choice of nothing
    request = ChatCompletionRequest(messages=[{"role": "user", "content": "?"}], model="m", **offered)
    reader = ToolParserManager.get_tool_parser(parser)(Tokenizer(), request.tools)
    found = reader.extract_tool_calls(text, request)
    calls = [(call.function.name, call.function.arguments) for call in found.tool_calls]
    return Returned([_call(*call) for call in calls], found.content or "")


def _sglang(parser: str, text: str, tools: Tools) -> Returned:
    from sglang.srt.entrypoints.openai.protocol import Tool  # noqa: PLC0415
    from sglang.srt.function_call.function_call_parser import FunctionCallParser  # noqa: PLC0415

    reader = FunctionCallParser([Tool(**tool) for tool in _openai(tools)], parser)
    content, calls = text, []
    if reader.has_tool_call(text):  # so does `serving_chat.py`
        content, calls = reader.parse_non_stream(text)
    return Returned([_call(call.name, call.parameters) for call in calls], content or "")


def offered(tools: Tools | None, calls: Sequence[Mapping[str, Any]]) -> Tools:
    """Return the tools of a text; where none are known, tools for these calls: no engine reads calls without."""
    made = {
        call["name"]: {key: {"type": _KINDS[type(value)]} for key, value in call["arguments"].items()}
        for call in calls if isinstance(call["arguments"], dict)
    }  # fmt: skip
    return tools or [
        {"name": name, "description": "", "parameters": {"type": "object", "properties": properties}}
        for name, properties in made.items()
    ]


_KINDS = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    dict: "object",
    list: "array",
    type(None): "null",
}


def _call(name: str | None, arguments: str | None) -> dict[str, Any]:
    try:
        read = json.loads(arguments or "{}")
    except ValueError:
        read = arguments
    return {"name": name, "arguments": read}


_ENGINES = {"vllm": _vllm, "sglang": _sglang}


@cache
def _program(engine: str) -> subprocess.Popen[str]:
    words = shlex.split(os.environ.get(PROGRAMS[engine], ""))
    if not words:
        raise FileNotFoundError(f"{PROGRAMS[engine]} names no program: see bench/engine_parsers.py")
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")


def _asked(engine: str, parser: str, text: str, tools: Tools) -> Returned:
    program = _program(engine)
    assert program.stdin
    assert program.stdout
    program.stdin.write(json.dumps({"parser": parser, "text": text, "tools": _openai(tools)}) + "\n")
    program.stdin.flush()
    told = json.loads(program.stdout.readline())
    calls = [_call(call["name"], _text(call["arguments"])) for call in told.get("calls", ())]
    return Returned(calls, told.get("content") or "", told.get("error") or "")


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def run(engine: str, parser: str, text: str, tools: Tools) -> Returned:
    """Read a text with an engine's parser; `tools` in OpenAI's form or bare. What it raises is told, not raised."""
    if engine in PROGRAMS:
        return _asked(engine, parser, text, tools)
    try:
        return _ENGINES[engine](parser, text, tools)
    except Exception as error:  # noqa: BLE001 - whatever another project's code raises is what is measured
        return Returned([], "", type(error).__name__)


def installed() -> list[str]:
    """Return the engines that can be run here, in the order of `VERSIONS`."""
    return [
        engine for engine in VERSIONS
        if (os.environ.get(PROGRAMS[engine]) if engine in PROGRAMS else (PLACE / engine / engine).is_dir())
    ]  # fmt: skip


def prepare() -> None:
    """Make the engines importable and quiet. Raises `FileNotFoundError` where there are none."""
    if not installed():
        raise FileNotFoundError(f"no unpacked wheels in {PLACE}: see bench/engine_stubs.py, or set UTP_ENGINES")
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "CRITICAL")
    warnings.filterwarnings("ignore", module="pydantic")
    engine_stubs.install(*(str(PLACE / engine) for engine in installed() if engine not in PROGRAMS))
    logging.disable(logging.CRITICAL)
