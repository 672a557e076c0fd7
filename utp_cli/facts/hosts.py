"""Whose server a host is. Source: the providers' own pages on their APIs, November 2026."""

from __future__ import annotations

from typing import Final

PROVIDER_HOSTS: Final[dict[str, str]] = {
    "api.openai.com": "openai",
    "openai.azure.com": "azure",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "gemini",
    "aiplatform.googleapis.com": "vertex",
    "api.mistral.ai": "mistral",
    "api.groq.com": "groq",
    "api.x.ai": "xai",
    "api.deepseek.com": "deepseek",
    "api.moonshot.ai": "moonshot",
    "api.moonshot.cn": "moonshot",
    "api.z.ai": "zai",
    "open.bigmodel.cn": "zai",
    "api.minimax.io": "minimax",
    "api.minimaxi.com": "minimax",
    "dashscope.aliyuncs.com": "dashscope",
    "dashscope-intl.aliyuncs.com": "dashscope",
    "api.cerebras.ai": "cerebras",
    "ollama.com": "ollama",
}
"""A host, or what it ends with, → a name of `facts.turns.TURN_RULES`."""


def provider_at(host: str) -> str:
    """Return whose server a host is; `""` where that is not known."""
    host = host.lower().rstrip(".")
    # "-": us-central1-aiplatform.googleapis.com
    ends = ((name, (f".{known}", f"-{known}"), known) for known, name in PROVIDER_HOSTS.items())
    return next((name for name, end, known in ends if host == known or host.endswith(end)), "")
