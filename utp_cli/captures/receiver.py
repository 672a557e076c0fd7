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
    "vertex": r"vertex ?ai",
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
    r"(?i)\b(?:works?|worked|working|fine|happy|accepts?|accepted|takes? (?:it|them)|ok|no problem|succeeds?|passes"
    r"|great|perfect(?:ly)?|loves?|handles|without (?:any )?(?:errors?|problems?)|all other|every other)\b"
)
_DENIED: Final = regex(r"(?i)\b(?:not?|never|n['’]t|stopped|stops)\b|n['’]t\b")
"""What makes the words of `_GOOD` a complaint."""
_ELSEWHERE: Final = regex(
    r"(?i)\A\W*not\b|\b(?:instead of|rather than|away from|ported from|was on|were on"
    r"|replac\w{1,5}|co-authored|generated (?:by|with)|written by|wrote|via|through|proxy|proxies|router|unlike|like)\b"
)
"""Words of a clause that name somebody who does not get it, or passes it on."""
_COMPLAINS: Final = regex(
    r"(?i)\b(?:[45]\d\d|(?<!without )(?<!without any )(?<!no )errors?|fail\w{0,3}|refus\w{1,3}|reject\w{0,3}|throws?"
    r"|break\w{0,3}|broken|crash\w{0,3}|invalid|complain\w{0,3}|die[sd]?|drops|ignores|wrong|never|nothing|gone|lost"
    r"|(?:do|does|did|is|are|can|could|will|would)(?: ?not|n['’]t)|cannot|takes? no|no request)\b"
)
"""What somebody writes whose request was refused, or did not do what it should."""
_SENT_TO: Final = regex(
    r"(?i)\b(?:backend|endpoint|server|provider|upstream) (?:is|=)|\b(?:sent|goes|send|sends|POST) to\b"
)


def receiver_named(words: str) -> tuple[str, str]:
    """Return the provider, or else the engine, that gets what stands among these words: names of `TURN_RULES`.

    Empty texts where none or several are named, or nobody complains and none says where it goes.
    """
    words = words[:_LONGEST]
    if not (_COMPLAINS.search(words) or _SENT_TO.search(words)):
        return "", ""
    blamed: set[str] = set()
    for clause in _CLAUSE.split(words):
        good = _GOOD.search(clause) and not _DENIED.search(clause)
        if not (good or _ELSEWHERE.search(clause)):
            blamed |= {_ORDER[int(str(one.lastgroup)[1:])] for one in _NAMED.finditer(clause)}
    engines = blamed & _ENGINES
    if len(engines or blamed) != 1:
        return "", ""
    return ("", engines.pop()) if engines else (blamed.pop(), "")
