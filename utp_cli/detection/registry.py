"""What series of models can do. Every row that fits counts; a later one wins over an earlier, field by field.

A row states only what is known of the whole series; what follows from the rest is not repeated here
(`capability.consequences`). Windows are in tokens.
"""

from __future__ import annotations

from typing import Any

from utp_cli.detection.series import Series, Serving
from utp_cli.detection.words import words
from utp_cli.protocol.records import Record

CARDS = "model cards and provider documentation, 2026-11"
TEMPLATES = "chat templates as published, 2026-11"
LISTING = "public capability listings of the providers, 2026-11"
O1 = "OpenAI's pages on o1, 2024-09, recalled in 2026-11"
RECALLED = "the makers' pages, recalled in 2026-11"
CALLERS = "Alibaba Cloud Model Studio, pages on function calling and on models, 2026-10"
ZAI = "Z.AI, pages of its models and specification of its chat API, 2026-11"


class CapabilityRow(Record):
    """Facts about one series: fields of `Capability`."""

    series: Series
    facts: dict[str, Any]
    source: str = CARDS
    sure: bool = False
    """It holds against what catalogues say: many of them have it wrong."""


def _row(
    family: str = "", versions: str = "", *, any_of: str = "", none_of: str = "", providers: str = "",
    serving: Serving = "any", max_size: int | None = None, source: str = CARDS, sure: bool = False, **facts: Any,
) -> CapabilityRow:  # fmt: skip
    series = Series(
        family=family,
        versions=versions,
        any_of=words(any_of),
        none_of=words(none_of),
        providers=words(providers),
        serving=serving,
        max_size=max_size,
    )
    return CapabilityRow(series=series, facts=facts, source=source, sure=sure)


def _tokens(window: int, answer: int) -> dict[str, Any]:
    return {"context_window": window, "max_output_tokens": answer}


TOOLS: dict[str, Any] = {"native_tools": True}
NO_TOOLS: dict[str, Any] = {"native_tools": False}
THINKS: dict[str, Any] = {"reasoning": True}

PLAIN_CALLERS = words("""
    afm apertus apriel bielik cogito deepseek devstral doubao ernie exaone firefunction functionary
    functiongemma gigachat glm gpt gpt-oss grok hammer hunyuan inkling jamba kimi laguna lfm ling
    longcat magistral mai mercury mimo minicpm minimax ministral mistral mixtral moonshot muse nanbeige
    nemotron nova pixtral plamo qwen qwq ring seed seed-oss spark step toolace trinity voxtral
    watt-tool xlam o gemini claude codestral
""")
"""Families trained to call tools, early generations aside."""

WITHOUT_TOOLS = words("""
    athene aya baichuan codegemma codellama command dbrx dolphin falcon gemma gorilla gpt-j gpt-neox
    gpt4all granite hermes internlm llama marco-o1 mpt olmo olmoe openchat openthinker palmyra phi phind
    qvq qwerky smollm solar sonar stablelm starcoder starling tinyllama titan tulu vicuna wizardcoder wizardlm
    yi zephyr
""")
"""Families that were not, or only from some generation on, which a row below then names."""

QWEN_OF_2024 = "0112 0125 0201 0206 0403 0428 0624 0723 0806 0809 0919 1125 1127 1220"
"""Dates of snapshots from before Alibaba wrote years."""

# fmt: off
CAPABILITY_ROWS: tuple[CapabilityRow, ...] = (
    *(_row(family, **TOOLS, **_tokens(131_072, 8192)) for family in PLAIN_CALLERS),
    *(_row(family, **NO_TOOLS, **_tokens(8192, 4096)) for family in WITHOUT_TOOLS),
    # Anthropic
    _row("claude", **TOOLS, emulation_style="xml", **_tokens(200_000, 8192)),
    _row("claude", ">=1,<2.1", **NO_TOOLS, **_tokens(100_000, 4096), sure=True, source=RECALLED),
    _row("claude", ">=1,<3", **NO_TOOLS),
    _row("claude", ">=2.1,<3", **_tokens(200_000, 4096), sure=True, source=CARDS),
    _row("claude", any_of="instant", **NO_TOOLS, **_tokens(100_000, 4096), sure=True, source=RECALLED),
    _row("claude", ">=3,<3.5", **_tokens(200_000, 4096)),
    _row("claude", ">=3.7", **THINKS, **_tokens(200_000, 64_000)),
    _row("claude", ">=4,<4.5", any_of="opus", **_tokens(200_000, 32_000)),
    _row("claude", ">=5", **_tokens(1_000_000, 128_000)),
    _row("claude", any_of="mythos fable", **THINKS, **_tokens(1_000_000, 128_000)),
    # OpenAI
    _row("gpt", needs_strict_schema=True, **_tokens(128_000, 16_384)),
    _row("gpt", ">=1,<3.5", **NO_TOOLS, **_tokens(2048, 2048)),
    _row("gpt", ">=3.5,<4", structured_outputs=False, **_tokens(16_385, 4096)),
    _row("gpt", ">=3.5,<4", any_of="instruct 0301", **NO_TOOLS, **_tokens(4096, 4096), sure=True),
    _row("gpt", ">=3.5,<4", any_of="0613", none_of="16k", **_tokens(4096, 4096), sure=True, source=RECALLED),
    _row("gpt", ">=4,<4.1", none_of="o", structured_outputs=False, **_tokens(8192, 4096)),
    _row("gpt", ">=4,<4.1", any_of="turbo vision 1106 0125", **_tokens(128_000, 4096)),
    _row("gpt", ">=4,<4.1", any_of="0314 vision", **NO_TOOLS, sure=True, source=RECALLED),
    *(_row(family, none_of="002 003", **_tokens(2049, 2049), sure=True, source=RECALLED)
      for family in ("ada", "babbage", "curie", "davinci")),
    _row("gpt", ">=4,<4.1", any_of="latest", **NO_TOOLS, sure=True, source=RECALLED),
    _row("gpt", any_of="audio", **TOOLS, structured_outputs=False, **_tokens(128_000, 16_384)),
    _row("gpt", ">=4.1,<4.5", **_tokens(1_047_576, 32_768)),
    _row("gpt", ">=5", **THINKS, **_tokens(400_000, 128_000)),
    _row("gpt", ">=5.4", **_tokens(1_050_000, 128_000)),
    _row("o", **THINKS, parallel_tools=False, needs_strict_schema=True, **_tokens(200_000, 100_000)),
    _row("o", ">=1,<2", any_of="mini preview", **NO_TOOLS, **_tokens(128_000, 65_536), sure=True, source=O1),
    _row("o", ">=1,<2", any_of="preview", none_of="mini", max_output_tokens=32_768, sure=True, source=O1),
    _row("gpt-oss", **THINKS, **_tokens(131_072, 32_768)),
    # Google
    _row("gemini", **_tokens(1_048_576, 8192)),
    _row("gemini", ">=1,<1.5", **_tokens(32_760, 8192)),
    _row("gemini", "<1", any_of="pro", none_of="latest", reasoning=False, **_tokens(32_760, 8192), sure=True,
         source=RECALLED),
    _row("gemini", "<1", any_of="1114 1121", **_tokens(32_767, 8192), sure=True, source=RECALLED),
    _row("gemini", "<1.5", any_of="vision", **NO_TOOLS, **_tokens(16_384, 4096), sure=True, source=RECALLED),
    _row("gemini", ">=1.5,<2", any_of="pro", context_window=2_097_152, sure=True, source=RECALLED),
    _row("gemini", ">=2,<2.5", any_of="thinking", **NO_TOOLS, **THINKS),
    _row("gemini", ">=2,<2.5", any_of="thinking", none_of="1219", **_tokens(1_048_576, 65_536), sure=True,
         source=RECALLED),
    _row("gemini", ">=2.5", **THINKS, **_tokens(1_048_576, 65_536)),
    _row("gemini", providers="perplexity", parallel_tools=False, reasoning=False, source=LISTING),
    _row("gemma", ">=3", **_tokens(131_072, 8192)),
    _row("gemma", ">=3", serving="hosted", **TOOLS, source=LISTING),
    _row("gemma", providers="gemini", **TOOLS, source=LISTING),
    _row("gemma", ">=4", **TOOLS, **THINKS, **_tokens(262_144, 32_768)),
    _row("functiongemma", **_tokens(32_768, 4096)),
    # Meta
    _row("llama", ">=2,<3", **_tokens(4096, 2048)),
    _row("llama", ">=3,<3.1", any_of="tool", **TOOLS, source="Llama 3 Groq Tool Use model card, 2024-07"),
    _row("llama", ">=3,<3.1", providers="groq", **TOOLS, source=LISTING),
    _row("llama", ">=3.1,<4", **TOOLS, **_tokens(131_072, 4096)),
    _row("llama", ">=3.1,<4", serving="own", parallel_tools=False, source=TEMPLATES),
    _row("llama", ">=3.1,<4", providers="fireworks", max_size=100_000_000_000, **NO_TOOLS, source=LISTING),
    _row("llama", ">=4", **TOOLS, **_tokens(1_048_576, 8192)),
    _row("llama", ">=4", any_of="scout", **_tokens(10_485_760, 8192)),
    _row("llama", ">=3.3", providers="meta_llama", **_tokens(128_000, 4096), sure=True, source=LISTING),
    _row("llama", any_of="guard", **NO_TOOLS),
    _row("muse", **THINKS, **_tokens(1_048_576, 131_072)),
    # Qwen
    _row("qwen", **_tokens(131_072, 16_384)),
    _row("qwen", any_of="turbo plus flash", none_of="vl omni math coder", **THINKS),
    _row("qwen", ">=1,<2.5", **NO_TOOLS, **_tokens(32_768, 6144), source=TEMPLATES),
    _row("qwen", ">=2,<2.5", serving="hosted", **TOOLS, source=LISTING),
    _row("qwen", "<3", any_of="math", **NO_TOOLS, **_tokens(4096, 3072)),
    _row("qwen", "<3", any_of="vl omni", providers="dashscope", **NO_TOOLS, sure=True, source=CALLERS),
    _row("qwen", "<3", any_of="vl omni", serving="own", **NO_TOOLS, sure=True, source=CALLERS),
    _row("qwen", "<3", any_of="omni", **_tokens(32_768, 2048), source=CALLERS),
    _row("qwen", "<3", any_of="turbo", none_of="vl omni math mt coder", **_tokens(1_000_000, 16_384), sure=True,
         source=CALLERS),
    _row("qwen", "<1", any_of=QWEN_OF_2024, none_of="vl math mt coder long", **_tokens(131_072, 8192), sure=True,
         source=RECALLED),
    _row("qwen", "<1", any_of=QWEN_OF_2024, none_of="plus turbo", **_tokens(32_768, 2000), sure=True, source=RECALLED),
    _row("qwen", "<1", any_of="coder", **_tokens(131_072, 8192), source=RECALLED),
    _row("qwen", ">=2,<3", providers="fireworks", none_of="vl", **NO_TOOLS, source=LISTING),
    _row("qwen", ">=2.5,<3", **_tokens(131_072, 8192)),
    _row("qwen", ">=3", **TOOLS, **THINKS, **_tokens(131_072, 8192)),
    _row("qwen", ">=3,<3.5", any_of="2507 next vl coder", **_tokens(262_144, 32_768)),
    _row("qwen", ">=3,<3.5", any_of="instruct", none_of="thinking", reasoning=False, source=TEMPLATES),
    _row("qwen", ">=3,<3.5", any_of="coder", reasoning=False, source=TEMPLATES),
    _row("qwen", ">=3,<3.5", any_of="omni", **_tokens(65_536, 16_384)),
    _row("qwen", ">=3,<3.5", any_of="2507 next vl", none_of="plus flash max coder omni", providers="dashscope",
         **_tokens(131_072, 32_768), source=CALLERS),
    _row("qwen", ">=3,<3.5", any_of="plus flash", none_of="coder omni", **THINKS, sure=True, source=CALLERS),
    _row("qwen", ">=3,<3.5", any_of="2026 thinking preview", none_of="coder vl", **THINKS, sure=True,
         source=CALLERS),
    _row("qwen", ">=3.5", **_tokens(262_144, 65_536)),
    _row("qwq", **THINKS, **_tokens(131_072, 16_384)),
    _row("qvq", **THINKS, **_tokens(131_072, 8192)),
    *(_row(family, any_of="preview", **_tokens(32_768, 16_384), sure=True, source=RECALLED)
      for family in ("qvq", "qwq")),
    # Mistral
    _row("mistral", **_tokens(131_072, 8192)),
    _row("mistral", any_of="2402 2407 2409 2501", none_of="large nemo", context_window=32_768, sure=True,
         source=RECALLED),
    _row("mistral", any_of="2505 2508", context_window=131_072, sure=True, source=RECALLED),
    _row("mistral", max_size=8_000_000_000, **_tokens(32_768, 4096)),
    _row("mistral", ">=0.1,<0.3", serving="own", **NO_TOOLS, source=TEMPLATES),
    _row("mistral", none_of="instruct nemo", providers="fireworks", max_size=8_000_000_000, **NO_TOOLS,
         source=LISTING),
    _row("mistral", ">=3.5", any_of="medium", **THINKS),
    _row("mistral", ">=4", **THINKS),
    _row("mixtral", **_tokens(32_768, 4096)),
    _row("mixtral", serving="own", max_size=60_000_000_000, **NO_TOOLS, source=TEMPLATES),
    _row("mixtral", none_of="instruct", providers="fireworks", **NO_TOOLS, source=LISTING),
    _row("mathstral", **NO_TOOLS, **_tokens(32_768, 4096)),
    _row("codestral", any_of="mamba", **NO_TOOLS),
    _row("codestral", max_size=22_000_000_000, **NO_TOOLS, source=TEMPLATES),
    _row("mistral", none_of="nemo", providers="mistral", max_size=8_000_000_000, context_window=32_768, sure=True,
         source=RECALLED),
    _row("magistral", **THINKS, **_tokens(40_960, 40_960)),
    _row("magistral", any_of="2506 2507", **THINKS, **_tokens(40_960, 40_960), sure=True, source=RECALLED),
    _row("devstral", **_tokens(262_144, 32_768)),
    _row("ministral", ">=3", **_tokens(262_144, 32_768)),
    _row("ministral", any_of="reasoning", **THINKS),
    _row("voxtral", **_tokens(32_768, 4096)),
    # DeepSeek
    _row("deepseek", **_tokens(131_072, 8192)),
    _row("deepseek", any_of="math", **NO_TOOLS),
    _row("deepseek", any_of="coder", providers="fireworks", **NO_TOOLS, source=LISTING),
    _row("deepseek", any_of="reasoner", **THINKS, **_tokens(131_072, 65_536)),
    _row("deepseek", any_of="r1", **THINKS, **_tokens(131_072, 32_768)),
    _row("deepseek", any_of="r1", none_of="0528", serving="own", **NO_TOOLS, source=TEMPLATES),
    _row("deepseek", any_of="r1", providers="bedrock fireworks", **NO_TOOLS, source=LISTING),
    _row("deepseek", ">=3.1", **THINKS, **_tokens(163_840, 65_536)),
    _row("deepseek", ">=4", **_tokens(1_000_000, 393_216)),
    *(_row(base, any_of="r1", **NO_TOOLS, **THINKS, **_tokens(131_072, 32_768), source=TEMPLATES)
      for base in ("llama", "qwen")),
    *(_row(base, any_of="r1", serving="hosted", **TOOLS, source=LISTING) for base in ("llama", "qwen")),
    # Moonshot, Zhipu, MiniMax
    _row("kimi", **_tokens(262_144, 32_768)),
    _row("kimi", "<1", any_of="vl", **NO_TOOLS),
    _row("kimi", any_of="thinking", **THINKS),
    _row("kimi", ">=2.5", **THINKS),
    _row("kimi", ">=3", **_tokens(1_048_576, 131_072)),
    _row("glm", ">=1,<3", **NO_TOOLS, **_tokens(32_768, 4096)),
    _row("glm", ">=4,<4.1", any_of="v", **_tokens(8192, 1024)),
    _row("glm", ">=1,<2", **THINKS, **_tokens(131_072, 32_768), sure=True, source=RECALLED),
    _row("glm", ">=1,<2", any_of="airx", context_window=32_768, sure=True, source=RECALLED),
    _row("glm", any_of="zero", **THINKS, sure=True, source=RECALLED),
    _row("glm", ">=4,<4.5", any_of="thinking", **THINKS),
    _row("glm", ">=4.5", **THINKS, **_tokens(131_072, 32_768)),
    _row("glm", ">=4.5,<4.6", none_of="v", **THINKS, max_output_tokens=98_304, sure=True, source=RECALLED),
    _row("glm", ">=4.6", **_tokens(202_752, 131_072)),
    _row("glm", ">=4.6,<4.7", any_of="v", max_output_tokens=32_768, sure=True, source=RECALLED),
    _row("glm", any_of="phone", max_output_tokens=4096, sure=True, source=ZAI),
    _row("glm", ">=4,<4.5", any_of="0414", none_of="z1", max_output_tokens=16_384, sure=True, source=ZAI),
    _row("minimax", ">=1", **THINKS, **_tokens(204_800, 131_072)),
    _row("minimax", ">=2,<3", none_of="her", context_window=204_800, sure=True, source=RECALLED),
    _row("minimax", any_of="text", reasoning=False, max_output_tokens=40_000, sure=True, source=RECALLED),
    _row("minimax", ">=3", **_tokens(1_000_000, 131_072)),
    # Amazon, Cohere, IBM, Microsoft, NVIDIA, xAI
    _row("nova", **_tokens(300_000, 10_000)),
    _row("nova", any_of="premier", **_tokens(1_000_000, 10_000)),
    _row("nova", any_of="micro", **_tokens(128_000, 10_000)),
    _row("nova", ">=2", **THINKS, **_tokens(1_000_000, 64_000)),
    _row("command", any_of="a r", **TOOLS, **_tokens(128_000, 4000)),
    _row("command", "<1", none_of="a r b plus nightly reasoning vision translate code", **_tokens(4096, 4096),
         sure=True, source=RECALLED),
    _row("command", any_of="a", **_tokens(256_000, 8000)),
    _row("command", any_of="reasoning", **THINKS),
    _row("command", any_of="vision", **NO_TOOLS),
    _row("command", any_of="plus", none_of="r", **THINKS, **_tokens(128_000, 64_000)),
    _row("granite", ">=3", **TOOLS, parallel_tools=False, **_tokens(131_072, 8192)),
    _row("granite", ">=4", parallel_tools=True),
    _row("granite", any_of="functioncalling", **TOOLS),
    _row("granite", any_of="vision guard code ttm", **NO_TOOLS),
    _row("phi", ">=3", **_tokens(131_072, 4096)),
    _row("phi", ">=4", **_tokens(16_384, 4096)),
    _row("phi", ">=4", any_of="mini multimodal", **TOOLS, **_tokens(131_072, 4096)),
    _row("phi", ">=4", any_of="reasoning", **THINKS, **_tokens(32_768, 4096)),
    _row("mai", **THINKS, **_tokens(262_144, 65_536)),
    _row("nemotron", ">=1", **THINKS),
    _row("nemotron", ">=3", **_tokens(262_144, 32_768)),
    _row("nemotron", any_of="ultra super nano", **THINKS),
    _row("grok", ">=1,<2", none_of="code", **NO_TOOLS),
    _row("grok", any_of="code", **THINKS, **_tokens(262_144, 10_000)),
    _row("grok", ">=2,<3", any_of="vision", **_tokens(32_768, 8192), sure=True),
    _row("grok", ">=3", any_of="mini", **THINKS),
    _row("grok", ">=3,<4", providers="azure", structured_outputs=False, reasoning=False, source=LISTING),
    _row("grok", ">=4", **THINKS, **_tokens(262_144, 32_768)),
    _row("grok", any_of="non", reasoning=False),
    _row("grok", any_of="multi", **NO_TOOLS, sure=True, source="xAI documentation, 2026-11"),
    # lines on other families' weights
    _row("hermes", ">=2", any_of="pro", **TOOLS),
    _row("hermes", ">=3", **TOOLS, **_tokens(131_072, 8192)),
    _row("hermes", ">=4", **THINKS),
    _row("athene", ">=2", **TOOLS),
    _row("openthinker", **THINKS),
    _row("marco-o1", **THINKS),
    # the others
    _row("abab", ">=5.5", **TOOLS, **_tokens(245_760, 8192), source=RECALLED),
    _row("abab", ">=5.5,<6", **_tokens(16_384, 6144), source=RECALLED),
    _row("abab", ">=6,<6.5", **_tokens(32_768, 8192), source=RECALLED),
    _row("apertus", **_tokens(65_536, 8192)),
    _row("apriel", **THINKS),
    _row("doubao", any_of="seed thinking", **THINKS, **_tokens(262_144, 65_536)),
    _row("ernie", any_of="vl thinking", **THINKS),
    _row("ernie", ">=2,<4.5", max_output_tokens=2048, source=RECALLED),
    _row("ernie", ">=2,<4.5", any_of="128k", max_output_tokens=4096, source=RECALLED),
    _row("ernie", "<1", any_of="speed lite tiny character", max_output_tokens=2048, source=RECALLED),
    _row("ernie", "<1", any_of="128k", max_output_tokens=4096, source=RECALLED),
    _row("ernie", ">=1,<2", **THINKS, sure=True, source=RECALLED),
    _row("ernie", any_of="vl", serving="own", **NO_TOOLS, source="vLLM documentation, 2026-11"),
    _row("exaone", "<4", **NO_TOOLS, **_tokens(32_768, 4096)),
    _row("exaone", any_of="deep", **THINKS),
    _row("exaone", ">=4", **THINKS),
    _row("falcon", ">=3", **TOOLS, **_tokens(32_768, 8192)),
    _row("firefunction", **_tokens(8192, 4096)),
    _row("fugu", **TOOLS, **THINKS, structured_outputs=True, **_tokens(1_000_000, 128_000)),
    _row("hunyuan", **_tokens(32_768, 8192)),
    _row("hunyuan", none_of="lite standard large turbo turbos vision code role functioncall", **THINKS,
         **_tokens(262_144, 32_768)),
    _row("hunyuan", "<1", any_of="pro", reasoning=False, **_tokens(32_768, 4096), source=RECALLED),
    _row("hunyuan", "<1", any_of="lite", **_tokens(262_144, 6144), source=RECALLED),
    _row("hunyuan", "<1", any_of="longcontext", **_tokens(134_000, 6144), source=RECALLED),
    _row("hunyuan", "<1", any_of="vision", **_tokens(8192, 2048), source=RECALLED),
    _row("hunyuan", "<1", any_of="turbos", none_of="vision", **_tokens(32_768, 16_384), sure=True, source=RECALLED),
    _row("hunyuan", ">=1,<2.1", **_tokens(131_072, 16_384)),
    _row("hunyuan", ">=2,<2.1", any_of="instruct", reasoning=False),
    _row("inkling", **THINKS, **_tokens(524_288, 65_536)),
    _row("internlm", ">=2.5", **TOOLS, **_tokens(32_768, 8192)),
    _row("jamba", **_tokens(262_144, 4096)),
    _row("jamba", providers="ai21", context_window=256_000, source=RECALLED),
    _row("lfm", any_of="thinking", **THINKS),
    _row("longcat", any_of="thinking", **THINKS),
    _row("longcat", ">=2", **THINKS, **_tokens(1_000_000, 131_072)),
    _row("mercury", any_of="edit", **NO_TOOLS),
    _row("intern-s1", **TOOLS, **THINKS, **_tokens(32_768, 8192)),  # vLLM's recipes, August 2026
    _row("mellum", any_of="thinking", **THINKS),  # the same
    _row("mimo", **THINKS, **_tokens(262_144, 65_536)),
    _row("minicpm", "<3", **NO_TOOLS),
    _row("olmo", ">=3", **TOOLS, **_tokens(65_536, 32_768)),
    _row("olmo", any_of="think", **THINKS),
    _row("palmyra", any_of="x", **TOOLS, **_tokens(131_072, 8192)),
    _row("palmyra", ">=5", **_tokens(1_000_000, 8192)),
    *(_row(family, **THINKS, **_tokens(262_144, 65_536)) for family in ("ring", "seed", "seed-oss", "step")),
    _row("sarvam", **TOOLS, **THINKS, **_tokens(131_072, 8192)),
    _row("step", "<3", reasoning=False),
    _row("smollm", ">=3", **TOOLS, **THINKS, **_tokens(131_072, 8192)),
    _row("solar", any_of="mini", **TOOLS, **_tokens(32_768, 8192)),
    _row("solar", any_of="pro", **TOOLS, **_tokens(65_536, 8192)),
    _row("solar", ">=2", any_of="pro", **THINKS),
    _row("sonar", structured_outputs=False, **_tokens(128_000, 8192), source=LISTING),
    _row("sonar", any_of="reasoning research", **THINKS),
    # whatever the model: what a base model lacks, what a host or server adds or cannot do
    _row(any_of="base", **NO_TOOLS),
    _row(any_of="research", **NO_TOOLS, sure=True, source="provider documentation, 2026-11: they search, no tools"),
    *(_row(f"deep-research-{kind}", **THINKS) for kind in ("pro", "max", "preview")),
    _row("gpt", any_of="search", **NO_TOOLS, reasoning=False, sure=True,
         source="catalogues of offers, 2026-11: they search, no tools"),
    _row(providers="fireworks", structured_outputs=True, source=LISTING),
    _row(providers="gemini vllm", structured_outputs=True, source=CARDS),
    _row(providers="ollama", structured_outputs=False,
         source="Ollama API, 2026-11: `format` shapes the whole answer, calls included"),
)
# fmt: on
