"""The lines of models: how their names are spelt, which name wins, which words make a variant.

Source: model cards and provider catalogues, as of November 2026.
"""

from __future__ import annotations

from utp_cli.detection.words import words

_SPELT_AS_NAMED = """
    afm apertus apriel athene aya baichuan bielik claude codegemma codellama codestral cogito command
    dbrx deepseek devstral dolphin doubao ernie exaone falcon firefunction functionary functiongemma
    gemini gemma gigachat glm gorilla gpt gpt-j gpt-neox gpt-oss gpt4all granite grok hammer hermes
    hunyuan inkling internlm jamba kimi laguna lfm ling llama longcat magistral mai marco-o1 mercury
    mimo minicpm minimax ministral mistral mixtral moonshot mpt muse nanbeige nemotron nova olmo olmoe
    openchat openthinker palmyra phi phind pixtral plamo qvq qwen qwerky qwq ring seed-oss smollm solar
    sonar stablelm starcoder starling tinyllama titan toolace trinity tulu vicuna voxtral watt-tool
    wizardcoder wizardlm xlam yi zephyr
"""

SPELLINGS: dict[str, str] = {
    **{name: name for name in words(_SPELT_AS_NAMED)},
    "c4ai-command": "command",
    "chatglm": "glm",
    "chatgpt": "gpt",
    "code-llama": "codellama",
    "codeqwen": "qwen",
    "deephermes": "hermes",
    "gpt-neo": "gpt-neox",
    "meta-llama": "llama",
    "nous-hermes": "hermes",
    "open-mistral": "mistral",
    "open-mixtral": "mixtral",
    "openhermes": "hermes",
    "starcoderbase": "starcoder",
}
"""Name as written (a hyphen may also be `_` or nothing) → family. The longest spelling wins."""

AT_START: dict[str, str] = {"o": "o", "hy": "hunyuan", "seed": "seed", "spark": "spark", "step": "step"}
"""Names that are also letters or plain words: a family only at the start of a name, before a number."""

VARIANTS = frozenset(
    words("""
        air airx arabic astra audio chat code coder codex computer deep distill expanse express
        fable fast fc flash functioncalling guard haiku instant instruct large light linear lite
        mamba math maverick max medium micro mini moe multimodal mythos nano nemo next non omni opus
        plus premier pro r1 reasoner reasoning research rl saba safeguard scout search seed small
        sol sonnet super terminus terra text think thinking tiny tool turbo ultra use versatile
        vision vl
    """)
)
"""Words that tell apart the models of one family and version."""

VARIANT_SPELLINGS: dict[str, str] = {"it": "instruct"}

VARIANT_LETTERS: dict[str, str] = {
    "gpt": "o",
    "command": "ar",
    "gemma": "n",
    "glm": "v",
    "granite": "h",
    "palmyra": "x",
}
"""Single letters that are a variant, by family: `4o`, `r-plus`, `3n`, `4.5v`, `h-small`, `x5`."""

OWN_FORMAT = frozenset(
    words("""
        hermes nemotron tulu dolphin cogito functionary firefunction xlam toolace hammer watt-tool
        gorilla phind wizardlm wizardcoder vicuna zephyr starling openchat openthinker athene
    """)
)
"""Lines built on other families' weights, with names, versions and a chat format of their own: they win."""

VENDOR_NAMES = frozenset(words("qwen mistral moonshot minimax"))
"""Families that are called like their maker: any other family in the id is more exact."""

TEACHERS = frozenset(words("claude deepseek gemini gpt grok o"))
"""Families that are poured into others, or whose name is an interface too: another family in the id wins."""


def precedence(family: str) -> int:
    """Rank a family among several in one id; the lowest wins, the first among equals."""
    if family in OWN_FORMAT:
        return 0
    return 3 if family in TEACHERS else 2 if family in VENDOR_NAMES else 1


REVISION_ONLY = frozenset({"nova", "titan"})
"""Families whose `-v1` counts revisions of a release, not generations."""

WHOLE_NUMBERS = frozenset({"aya"})
"""Families where two digits are one number: Aya 23 is named for its languages. Elsewhere 25 is 2.5."""

ACTIVE_SIZES: dict[tuple[str, int], int] = {("llama", 4): 17_000_000_000}
"""Family and generation whose names give active instead of total parameters, and that number."""

FINE_TUNE_WORDS = frozenset(
    words("""
        ft finetune finetuned fine-tune fine-tuned lora qlora sft merged abliterated uncensored
    """)
)
"""Whole tokens that say the weights were changed; a version after one of them is the fine-tune's own."""
