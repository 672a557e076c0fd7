"""Whether the words of an error say nothing of its cause: that something failed, a status, who sent it, and no more."""

from __future__ import annotations

from typing import Final

from utp_cli.protocol.patterns import regex

_LONGEST: Final = 400
"""Characters of a message that may say nothing."""
_NOISE: Final = regex(
    r"\b(?:request|trace|correlation|call)[ _-]?id\W{0,4}[\w./-]{1,80}|https?://\S{1,300}|\b(?:\d+|[0-9a-f-]{8,80})\b"
    r"|\b(?:api|apistatus|badrequest|invalidrequest|internalserver|http|server|provider|client|openai|anthropic|litellm)"
    r"_?(?:error|exception)\b|\b(?:model|provider|url|endpoint)[:=] ?\S{1,80}",
)
"""What stands beside words: numbers, addresses, ids, classes of errors that tell no more, names of models."""
_TELLING: Final = regex(r"\b(?:40[123489]|413|429|529)\b")
"""Statuses that tell enough by themselves: key, plan, place, time, size, rate and load."""
_FEWEST: Final = 3
"""Words of a sentence."""
_WORD: Final = regex(r"[^\W\d]{2,}")
_SENT_BY: Final = """
    api backend gateway http llm provider request requests response server status upstream
"""
_FILLING: Final = """
    again an and anthropic at azure bad be bedrock been by call calling can cannot chat check client code codes
    cohere complete completed completion completions contact contains copilot correct could couldn deepseek denied
    detail details endpoint err error errors external fail failed failing failure fireworks for from gemini generate
    generated generating generation get github gone google got groq handle handled has have help in internal invalid
    is it later litellm malformed mistral no not occurred of ollama on openai openrouter or our please post process
    processed processing qwen reason received refused rejected responded retry returned sent service something sorry
    specified support temporarily that the this to together try trying unavailable unexpected unknown unprocessable
    values vertex was we went when while with wrong xai you your
"""
_SENT: Final = frozenset(_SENT_BY.split())
"""Of these one has to be said: an error that a program raised by itself is not meant."""
_EMPTY: Final = _SENT | frozenset(_FILLING.split())
"""Words that tell nothing."""
_DOWN: Final = frozenset({"bad", "error", "gateway", "internal", "server", "service", "temporarily", "unavailable"})
"""Phrases of HTTP made of these alone say that a server is down, whatever was asked."""


def says_nothing(message: str) -> bool:
    """Whether a message tells that something failed, and nothing of why."""
    if len(message) > _LONGEST or _TELLING.search(message):
        return False
    words = set(_WORD.findall(_NOISE.sub(" ", message.casefold())))
    return len(words) >= _FEWEST and bool(words & _SENT) and words <= _EMPTY and not words <= _DOWN
