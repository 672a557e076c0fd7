"""What each server calls its parsers: the name in somebody's command line or log → the dialect that it reads.

Read in vLLM 0.33.0 and SGLang 0.5.23 (wheels), Ollama, LMDeploy and mlx-lm (August 2026; mlx-lm's is no option, but
`tool_parser_type` in tokenizer_config.json), llama.cpp as shipped with llama-cpp-python 0.3.36, and stored files of
Dynamo and TensorRT-LLM (2026). The dialect `""` stands for a parser that has no markup of its own: it reads thinking
alone, or the chat template decides.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

Names = dict[str, tuple[str, ...]]
"""Dialect → the names that one server has for it."""


def _names(same: str, others: Names) -> Names:
    """Join the names that are the dialect's own (`same`, with blanks between) with the others."""
    names = {dialect: (dialect,) for dialect in same.split()}
    return {dialect: (*names.get(dialect, ()), *others.get(dialect, ())) for dialect in {**names, **others}}


TOOL_PARSERS: Final[dict[str, Names]] = {
    "vllm": _names(
        "apertus beam cohere_command3 cohere_command4 deepseek_v3 deepseek_v31 deepseek_v32 deepseek_v4 "
        "deepseek_v41 dots ernie45 functiongemma gemma4 gigachat3 glm45 glm47 granite hermes hunyuan_a13b hy_v3 "
        "hy_v4 inkling internlm jamba k2_horizon kimi_k2 kimi_k3 lfm2 ling3 llama3_json llama4_pythonic longcat "
        "mimo minicpm5 minimax_m2 minimax_m3 mistral muse olmo3 openai phi4_mini_json plamo3 poolside_v1 pythonic "
        "qwen3_coder seed_oss step3 step3p5 xlam",
        {
            "": ("hf",),
            "granite_20b_fc": ("granite-20b-fc",),
            "hermes": ("granite4", "qwen3_json"),
            "llama3_json": ("llama4_json",),
            "muse": ("muse_glimmer", "musespark1x"),
            "qwen3_coder": ("qwen3_xml", "step5"),
        },
    ),
    "sglang": _names(
        "beam cohere_command4 dots gemma4 gigachat3 gigachat35 glm45 glm47 hermes inkling iquest_q1 k2_horizon "
        "kimi_k2 kimi_k3 lfm2 ling3 mimo minicpm5 mistral muse poolside_v1 pythonic qwen3_coder spark25 step3 "
        "step3p5 trinity",
        {
            "": ("response_template",),
            "apertus": ("apertus2509",),
            "deepseek_v3": ("deepseekv3",),
            "deepseek_v31": ("deepseekv31",),
            "deepseek_v32": ("deepseekv32",),
            "deepseek_v4": ("deepseekv4",),
            "deepseek_v41": ("deepseekv41",),
            "glm45": ("glm",),
            "hermes": ("qwen", "qwen25"),
            "hy_v3": ("hunyuan",),
            "internlm": ("interns1",),
            "llama3_json": ("llama3",),
            "minimax_m2": ("minimax-m2",),
            "minimax_m3": ("minimax-m3",),
            "openai": ("gpt-oss",),
            "qwen3_coder": ("nanbeige",),
        },
    ),
    "ollama": _names(
        "functiongemma gemma4 lfm2 olmo3",
        {
            "": ("olmo3-think", "passthrough"),
            "cohere_command4": ("cohere",),
            "deepseek_v3": ("cogito",),
            "deepseek_v31": ("deepseek3",),
            "gemma4": ("gemma4-no-thinking",),
            "glm45": ("glm-ocr",),
            "glm47": ("glm-4.7",),
            "hermes": ("qwen3", "qwen3-thinking", "qwen3-vl-instruct", "qwen3-vl-thinking"),
            "lfm2": ("lfm2-thinking",),
            "mistral": ("ministral",),
            "muse": ("glimmer",),
            "openai": ("harmony",),
            "poolside_v1": ("laguna", "poolside-v1"),
            "qwen3_coder": ("nemotron-3-nano", "nemotron-3.5-nano", "ornith", "qwen3-coder", "qwen3.5"),
        },
    ),
    "dynamo": _names(
        "deepseek_v3 deepseek_v4 gemma4 glm47 hermes jamba kimi_k2 llama3_json minimax_m2 mistral pythonic qwen3_coder",
        {
            "deepseek_v31": ("deepseek_v3_1",),
            "deepseek_v32": ("deepseek_v3_2",),
            "deepseek_v4": ("deepseek-v4", "deepseekv4"),
            "gemma4": ("gemma-4",),
            "hermes": ("qwen25",),
            "nemotron_nano_v2": ("default", "nemotron_deci"),
            "openai": ("harmony",),
            "phi4_mini_json": ("phi4",),
            "qwen3_coder": ("nemotron_nano",),
        },
    ),
    "tensorrt-llm": _names(
        "deepseek_v32 kimi_k2 qwen3_coder",
        {
            "deepseek_v3": ("deepseekv3",),
            "deepseek_v31": ("deepseekv3.1",),
            "hermes": ("qwen3",),
        },
    ),
    "mlx": _names(
        "gemma4 glm47 kimi_k2 longcat minimax_m2 mistral pythonic qwen3_coder",
        {
            "functiongemma": ("function_gemma",),
            "hermes": ("json_tools",),
        },
    ),
    "lmdeploy": _names(
        "glm47 internlm",
        {
            "deepseek_v32": ("deepseek-v3.2", "deepseek-v32"),
            "deepseek_v4": ("deepseek-v4",),
            "hermes": ("qwen", "qwen2d5", "qwen3"),
            "internlm": ("intern-s1",),
            "llama3_json": ("llama3",),
            "openai": ("gpt-oss",),
            "qwen3_coder": ("interns2-preview", "qwen3coder"),
        },
    ),
    "llama.cpp": _names(
        "",
        {
            "": ("Content-only", "peg-simple", "peg-native"),
            "apertus": ("Apertus",),
            "apriel": ("Apriel 1.5",),
            "cohere_command3": ("Command R7B", "Command R7B (extract reasoning)"),
            "cohere_command4": ("Cohere2 MoE",),
            "deepseek_v3": ("DeepSeek R1", "DeepSeek R1 (extract reasoning)"),
            "deepseek_v31": ("DeepSeek V3.1",),
            "deepseek_v32": ("DeepSeek V3.2/V4",),
            "firefunction": ("FireFunction v2",),
            "functionary_v3_1": ("Functionary v3.1 Llama 3.1",),
            "functionary_v3_2": ("Functionary v3.2",),
            "gemma4": ("peg-gemma4",),
            "generic": ("Generic",),
            "gigachat3": ("GigaChatV3",),
            "glm45": ("GLM 4.5",),
            "granite": ("Granite",),
            "hermes": ("Hermes 2 Pro", "Hermes 2 Pro (extract reasoning)", "Xiaomi MiMo"),
            "kimi_k2": ("Kimi K2 Thinking", "Kimi K2"),
            "kimi_k3": ("Kimi K3",),
            "lfm2": ("LFM2.5",),
            "lfm2_json": ("LFM2", "LFM2 with JSON tools"),
            "ling3": ("Ling 3.0 (Bailing V3)",),
            "llama3_builtin": ("Llama 3.x with builtin tools",),
            "llama3_json": ("Llama 3.x",),
            "minicpm5": ("MiniCPM5",),
            "minimax_m2": ("MiniMax-M2",),
            "minimax_m3": ("peg-minimax-m3", "MiniMax-M3"),
            "mistral": ("Ministral/Magistral Large 3", "Magistral"),
            "mistral_list": ("Mistral Nemo",),
            "muse": ("Muse Glimmer",),
            "nemotron_nano_v2": ("Nemotron V2",),
            "openai": ("GPT-OSS",),
            "qwen3_coder": ("Qwen3-Coder", "Qwen3 Coder"),
            "seed_oss": ("Seed-OSS",),
        },
    ),
}
"""Server → what its releases register: `--tool-call-parser`, `PARSER` of a Modelfile, the format in a log."""

UNRELEASED: Final[dict[str, Names]] = {
    "vllm": _names(
        "cwm gigachat35 granite_pythonic hyperclovax_seed_think_14b iquest_coder_v2 nemotron_nano_v2 openpangu_v2 "
        "pangu rwkv solar_open2 step_audio_2 telechat4",
        {
            "glm45": ("hyperclovax_seed_think",),
            "glm47": ("spark3",),
            "hermes": ("kolibri1",),
            "internlm": ("intern_s1",),
            "minimax_m1": ("minimax",),
            "nemotron_nano_v2": ("llama_nemotron_json", "nemotron_json"),
            "qwen3_coder": ("berrylm", "iquest_coder", "minicpmv"),
            "telechat4": ("xing4_0", "xingchen4"),
            "tools": ("qwen25_coder", "qwen2_5_coder"),
        },
    ),
    "sglang": _names(
        "glm53_flash longcat solar_open2",
        {
            "": ("multi_format",),
            "minicpm5": ("minicpm4_xml",),
            "qwen3_coder": ("berrylm",),
        },
    ),
    "tensorrt-llm": _names(
        "",
        {
            "deepseek_v3": ("deepseekv3_parser",),
            "deepseek_v31": ("deepseekv31_parser",),
            "deepseek_v32": ("deepseekv32_parser",),
            "deepseek_v4": ("deepseekv4_parser",),
            "deepseek_v41": ("deepseekv41_parser",),
            "gemma4": ("gemma4_parser",),
            "glm45": ("glm4_parser",),
            "glm47": ("glm47_parser",),
            "hermes": ("qwen3_tool_parser",),
            "inkling": ("inkling_tool_parser",),
            "kimi_k2": ("kimi_k2_tool_parser",),
            "kimi_k3": ("kimi_k3_tool_parser",),
            "minimax_m2": ("minimax_m2_parser",),
            "minimax_m3": ("minimax_m3_parser",),
            "poolside_v1": ("poolside_v1_parser",),
            "qwen3_coder": ("qwen3_coder_parser",),
            "telechat4": ("telechat4_parser", "xing4_0_parser", "xingchen4_parser"),
        },
    ),
}
"""Server → names in forks, branches, plug-ins and older releases; people run them all the same."""

OF_OTHERS: Final[dict[str, Names]] = {
    "ovms": _names(
        "gemma4 lfm2 minicpm5 mistral",
        {
            "": ("none", "onyx"),
            "hermes": ("hermes3",),
            "llama3_json": ("llama3",),
            "mistral": ("devstral",),
            "openai": ("gptoss",),
            "phi4_mini_json": ("phi4",),
            "qwen3_coder": ("qwen3coder",),
        },
    ),
    "vllm-mlx": _names(
        "deepseek_v3 gemma4 glm47 granite hermes kimi_k2 minimax_m2 mistral poolside_v1 qwen3_coder step3p5 xlam",
        {
            "": ("auto", "generic", "functionary", "meetkai", "nemotron", "nemotron3"),
            "deepseek_v3": ("deepseek", "deepseek_r1"),
            "glm47": ("glm4",),
            "granite": ("granite3",),
            "hermes": ("nous", "qwen", "qwen3"),
            "kimi_k2": ("kimi", "moonshot"),
            "llama3_json": ("llama3", "llama", "llama4"),
            "minimax_m2": ("minimax",),
            "openai": ("gpt-oss", "harmony"),
            "qwen3_coder": ("qwen3_xml", "qwen3.5"),
            "step3p5": ("step",),
        },
    ),
    "tabbyapi": _names(
        "deepseek_v4 gemma4 hy_v3 minimax_m2 mistral poolside_v1 qwen3_coder",
        {
            "deepseek_v4": ("dsv4",),
            "glm45": ("glm4_5", "glm4_6"),
            "glm47": ("glm4_7",),
            "hy_v3": ("hy3",),
            "minimax_m2": ("minimax_m2_1", "minimax_m2_5"),
            "mistral_list": ("mistral_old",),
            "muse": ("muse_glimmer", "glimmer"),
            "openai": ("harmony",),
            "poolside_v1": ("laguna",),
            "qwen3_coder": ("qwen3_5", "step3_5", "step3_7"),
        },
    ),
}
"""The same of servers that only `utp detect --command` reads: OpenVINO Model Server of 21 August 2026
(`docs/llm/reference.md`), vllm-mlx of 22 August 2026 (`tool_parsers/`), TabbyAPI of August 2026
(`OAI/utils/tools.py`); read on 29 November 2026."""

REASONING_PARSERS: Final[dict[str, Names]] = {
    "vllm": _names(
        "apertus beam cohere_command3 cohere_command4 deepseek_v4 deepseek_v41 ernie45 gemma4 glm45 glm47 granite "
        "hunyuan_a13b hy_v3 hy_v4 hyperclovax_seed_think_14b inkling iquest_coder_v2 k2_horizon kimi_k2 kimi_k3 "
        "ling3 mimo minimax_m2 minimax_m3 mistral muse olmo3 openpangu_v2 pangu plamo3 poolside_v1 rwkv seed_oss "
        "solar_open2 step3 step3p5 telechat4",
        {
            "": ("hf",),
            "deepseek_v3": ("deepseek_r1",),
            "deepseek_v31": ("deepseek_v3",),
            "glm45": ("hyperclovax_seed_think",),
            "hermes": ("holo2", "qwen3", "kolibri1"),
            "internlm": ("intern_s1",),
            "minimax_m2": ("minimax_m2_append_think",),
            "muse": ("muse_glimmer", "musespark1x"),
            "openai": ("openai_gptoss",),
            "qwen3_coder": ("granite_thinking_parser", "minicpmv", "nemotron_v3", "step5", "berrylm"),
            "telechat4": ("telechat", "xing4_0", "xingchen4"),
        },
    ),
    "sglang": _names(
        "beam cohere_command4 dots gemma4 gigachat35 glm45 inkling iquest_q1 k2_horizon kimi_k2 kimi_k3 ling3 mimo "
        "mistral muse poolside_v1 step3 step3p5",
        {
            "": ("kimi", "response_template"),
            "apertus": ("apertus2509",),
            "deepseek_v3": ("deepseek-r1",),
            "deepseek_v31": ("deepseek-v3",),
            "deepseek_v4": ("deepseek-v4",),
            "deepseek_v41": ("deepseek-v41",),
            "hermes": ("qwen3", "qwen3-thinking"),
            "hy_v3": ("hunyuan",),
            "internlm": ("interns1",),
            "minimax_m2": ("minimax", "minimax-append-think"),
            "minimax_m3": ("minimax-m3",),
            "openai": ("gpt-oss",),
            "qwen3_coder": ("granite_thinking_parser", "nanbeige", "nemotron_3"),
        },
    ),
    "ollama": _names(
        "",
        {
            "olmo3": ("olmo3-think",),
        },
    ),
    "dynamo": _names(
        "deepseek_v4 gemma4 glm45 granite inkling kimi_k3 minimax_m2 minimax_m3 mistral step3",
        {
            "": ("kimi",),
            "deepseek_v3": ("deepseek_r1",),
            "deepseek_v31": ("deepseek_v3", "deepseek_v3_1"),
            "deepseek_v32": ("deepseek_v3_2",),
            "deepseek_v4": ("deepseek-v4", "deepseekv4"),
            "gemma4": ("gemma-4",),
            "hermes": ("basic", "qwen3"),
            "kimi_k2": ("kimi_k25",),
            "kimi_k3": ("kimi-k3",),
            "minimax_m2": ("minimax_append_think",),
            "minimax_m3": ("minimax-m3",),
            "nemotron_nano_v2": ("nemotron_deci",),
            "openai": ("gpt_oss",),
            "qwen3_coder": ("nemotron3", "nemotron_nano", "nemotron_v3"),
        },
    ),
    "tensorrt-llm": _names(
        "deepseek_v4 gemma4 kimi_k2 kimi_k3 minimax_m2 minimax_m3 poolside_v1",
        {
            "deepseek_v3": ("deepseek-r1",),
            "hermes": ("qwen3",),
            "kimi_k2": ("kimi_k25",),
            "minimax_m2": ("minimax_m2_append_think",),
            "poolside_v1": ("laguna",),
            "qwen3_coder": ("nano-v3", "nemotron-v3", "qwen3_5"),
        },
    ),
    "lmdeploy": _names(
        "",
        {
            "deepseek_v3": ("deepseek-r1",),
            "deepseek_v31": ("deepseek-v3",),
            "deepseek_v32": ("deepseek-v3.2", "deepseek-v32"),
            "deepseek_v4": ("deepseek-v4",),
            "hermes": ("default", "qwen-qwq"),
            "internlm": ("intern-s1",),
        },
    ),
}
"""Server → `--reasoning-parser`: the dialect whose thinking markers fit."""


_FILES: Final = {
    "vllm": {
        "deepseekv3": "deepseek_v3", "deepseekv31": "deepseek_v31", "deepseekv32": "deepseek_v32",
        "glm4_moe": "glm45", "glm47_moe": "glm47", "gptoss": "openai", "granite_20b_fc": "granite-20b-fc",
        "internlm2": "internlm", "llama": "llama3_json", "phi4mini": "phi4_mini_json", "qwen3coder": "qwen3_coder",
    },
    "sglang": {
        "glm4_moe": "glm45", "glm47_moe": "glm47", "gpt_oss": "gpt-oss", "kimik2": "kimi_k2", "llama32": "llama3",
    },
}  # fmt: skip
"""The file of a parser, its ending left out, and the parser where that has another name. vLLM 0.10 to 0.33:
`…_tool_parser.py`; SGLang 0.5: `…_detector.py`."""
_FILE: Final = re.compile(r"\b(\w{3,30}?)(?:_engine)?_(?:tool_parser|detector)\.py(?:\"?, line |:)\d")
"""Such a file with a line: it spoke, or failed. A path alone may be of a talk on sources."""


def parsers_of_files(log: str, engine: str) -> set[str]:
    """Return the tool parsers in whose files, as the log of a server says, something happened."""
    files = _FILES.get(engine, {})
    named = {files.get(file, file) for file in _FILE.findall(log)} if files else set()
    return {name for name in named if dialect_called(name, engine)}


def dialect_called(name: str, engine: str | None = None) -> str | None:
    """Return the dialect that a server's parser of this name reads, `""` where it has no markup of its own.

    Names differ from server to server: that of `engine` counts first. None where no server has the name. Tool parsers
    count before reasoning parsers, released ones before others.
    """
    for tables in (TOOL_PARSERS, UNRELEASED, REASONING_PARSERS):
        engines = (engine, *tables) if engine in tables else tuple(tables)
        for server in engines:
            for dialect, names in tables[str(server)].items():
                if name in names:
                    return dialect
    return None


def names_of(dialect: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each server with its names for the tool parser of a dialect, unreleased ones last."""
    for server, names in TOOL_PARSERS.items():
        if known := (*names.get(dialect, ()), *UNRELEASED.get(server, {}).get(dialect, ())):
            yield server, known
