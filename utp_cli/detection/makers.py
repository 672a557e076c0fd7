"""Who serves the models that they make: their own offer is the first word about a model.

Source: the providers' documentation, 2026-11.
"""

from __future__ import annotations

from utp_cli.detection.words import words

_MAKERS = {
    "ai21": "jamba jurassic",
    "amazon_nova bedrock": "nova titan",
    "anthropic": "claude",
    "arcee": "trinity",
    "azure": "phi mai",
    "bailing": "ling ring ming",
    "cohere": "command aya north",
    "dashscope": "qwen qwq qvq",
    "deepseek": "deepseek",
    "gemini": "learnlm imagen veo lyria deep-research-pro deep-research-max deep-research-preview",
    "gemini openai": "computer-use",
    "gemini vertex": "gemini",
    "gigachat": "gigachat",
    "inception": "mercury",
    "longcat": "longcat",
    "meta_llama": "llama muse",
    "minimax": "minimax abab",
    "mistral": "mistral mixtral codestral devstral magistral ministral pixtral voxtral leanstral mathstral",
    "moonshot": "kimi moonshot",
    "morph": "morph",
    "nvidia_nim": "nemotron",
    "openai": "gpt o codex babbage davinci",
    "perplexity": "sonar pplx",
    "poolside": "laguna",
    "qianfan": "ernie",
    "sakana": "fugu namazu",
    "sarvam": "sarvam",
    "stepfun": "step",
    "tencent_tokenhub": "hunyuan",
    "thinkingmachines": "inkling",
    "upstage": "solar",
    "v0": "v0",
    "volcengine": "doubao dreamina seed seedream seedance",
    "watsonx": "granite",
    "xai": "grok",
    "xiaomi": "mimo",
    "zai": "glm",
}

MAKERS: dict[str, tuple[str, ...]] = {
    family: words(providers) for providers, families in _MAKERS.items() for family in words(families)
}
"""Family → the providers whose offer is the maker's own, the first known counts."""
