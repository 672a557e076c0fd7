"""Which server or provider the words around a request, or around tools, say that they were sent to.

Where several are named, it is the one of which the words complain: "Claude takes them, llama-server answers 400".
"""

from __future__ import annotations

from typing import Final

from utp_cli.protocol.patterns import regex

_LONGEST: Final = 4_000
"""Characters of words that are looked at."""
_NOT: Final = r"(?![- ](?:code|desktop|cli|sdk|client|compatible|style|like|format|proxy|wrapper)\b)"
"""Behind a name: what has it in its own, or speaks its API, is somebody else."""
_NAMES: Final = {
    "vllm": r"vllm",
    "sglang": r"sglang",
    "llama.cpp": r"llama[.-]?cpp|llama[-_]server|llama-cpp",
    "ollama": r"ollama",
    "lmstudio": r"lm[ -]?studio",
    "tgi": r"tgi|text-generation-inference",
    "mlx": r"mlx[-_]lm|mlx",
    "gemini": r"gemini(?:-[\w.-]{1,40})?",
    "vertex": r"vertex(?: ai)?",
    "anthropic": r"anthropic|claude(?:-[\w.-]{1,40})?",
    "openai": r"openai|(?:chatgpt|gpt-[345o][\w.-]{0,30})",
    "azure": r"azure(?: openai)?",
    "bedrock": r"bedrock",
    "mistral": r"la plateforme|mistral(?:'s)? api|api\.mistral\.ai",
    "groq": r"groq",
    "cerebras": r"cerebras",
    "deepseek": r"deepseek(?:'s)? api|api\.deepseek\.com",
    "moonshot": r"moonshot|kimi(?:'s)? api",
    "zai": r"z\.ai|bigmodel",
    "dashscope": r"dashscope",
    "xai": r"xai|grok(?:-[\w.-]{1,40})?",
    "cohere": r"cohere",
}
"""Names of `facts.turns.TURN_RULES`, and how people write them. Who only makes models is left out."""
_ORDER: Final = [*_NAMES]
_ANY: Final = "|".join(f"(?P<n{at}>{names})" for at, names in enumerate(_NAMES.values()))
_NAMED: Final = regex(rf"(?i)(?<![\w./-])(?:{_ANY})\b{_NOT}")
_ENGINES: Final = frozenset({"vllm", "sglang", "llama.cpp", "ollama", "lmstudio", "tgi", "mlx"})
"""Servers of others' models: beside one, the name of a provider is that of a model."""
_CLAUSE: Final = regex(r"[,;:!?()\n]|[.](?=\s)|\b(?:but|while|whereas|and with|though|although|however)\b")
_GOOD: Final = regex(
    r"(?i)\b(?:works?|worked|working|fine|happy|accepts?|accepted|takes? (?:it|them)|ok|no problem|succeeds?"
    r"|all other|every other)\b"
)
_DENIED: Final = regex(r"(?i)\b(?:not?|never|n['’]t|stopped|stops)\b|n['’]t\b")
"""What makes the words of `_GOOD` a complaint."""


def receiver_named(words: str) -> tuple[str, str]:
    """Return the provider, or else the engine, that gets what stands among these words: names of `TURN_RULES`.

    Empty texts where none or several are named.
    """
    blamed: set[str] = set()
    for clause in _CLAUSE.split(words[:_LONGEST]):
        if _DENIED.search(clause) or not _GOOD.search(clause):
            blamed |= {_ORDER[int(str(one.lastgroup)[1:])] for one in _NAMED.finditer(clause)}
    engines = blamed & _ENGINES
    if len(engines or blamed) != 1:
        return "", ""
    return ("", engines.pop()) if engines else (blamed.pop(), "")
