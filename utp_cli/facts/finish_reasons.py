"""Why an answer ended: the words of every wire, and what each means.

Sources: the types of openai 2.54, anthropic 2.11, google-genai 2.34, ollama 0.6.3, mistralai 3.7, cohere 7.3 and
botocore 1.44, pi-ai 0.73; OpenTelemetry's conventions for generative models; vLLM 0.33,
text-generation-inference and LM Studio's SDK (2026-11). A word that several wires have means the same in all of them.
"""

from __future__ import annotations

from typing import Final, Literal

Meaning = Literal["stop", "tool", "length", "filter", "malformed", "none"]
"""`stop`: the model had said all. `tool`: it calls a tool. `length`: a limit of tokens cut it off. `filter`: somebody
held it back. `malformed`: the provider could not read its own model's call. `none`: nothing of these is known."""

_WORDS: Final[dict[Meaning, dict[str, str]]] = {
    "stop": {
        "openai-chat": "stop",
        "openai-responses": "completed",
        "anthropic": "end_turn stop_sequence",
        "gemini": "stop",
        "ollama": "stop",
        "bedrock": "end_turn stop_sequence",
        "cohere": "complete stop_sequence",
        "mistral": "stop",
        "text-generation-inference": "eos_token stop_sequence",
        "lmstudio": "eosfound stopstringfound",
        "others": "eos",
    },
    "tool": {
        "openai-chat": "tool_calls",
        "openai-legacy": "function_call",
        "anthropic": "tool_use",
        "bedrock": "tool_use",
        "cohere": "tool_call",
        "otel": "tool_call",
        "lmstudio": "toolcalls",
        "pi": "tooluse",
        "others": "tool",
    },
    "length": {
        "openai-chat": "length",
        "openai-responses": "incomplete max_output_tokens",
        "anthropic": "max_tokens model_context_window_exceeded",
        "gemini": "max_tokens",
        "ollama": "length",
        "bedrock": "max_tokens model_context_window_exceeded",
        "cohere": "max_tokens",
        "mistral": "length model_length",
        "lmstudio": "maxpredictedtokensreached contextlengthreached",
        "others": "max_completion_tokens",
    },
    "filter": {
        "openai-chat": "content_filter",
        "anthropic": "refusal",
        "gemini": "safety recitation prohibited_content blocklist spii image_safety image_prohibited_content",
        "bedrock": "guardrail_intervened content_filtered",
    },
    "malformed": {
        "gemini": "malformed_function_call unexpected_tool_call too_many_tool_calls",
        "bedrock": "malformed_tool_use malformed_model_output",
    },
}
"""What a word means → the wire → its words, in lower case."""
MEANINGS: Final[dict[str, Meaning]] = {
    word: meaning for meaning, wires in _WORDS.items() for words in wires.values() for word in words.split()
}
_MALFORMED: Final = tuple(word for word, meaning in MEANINGS.items() if meaning == "malformed")


def meaning_of(reason: str | None) -> Meaning:
    """Return what a finish reason means, in any case. Gateways put words around `malformed_function_call`."""
    if not reason:
        return "none"
    word = reason.lower()
    return MEANINGS.get(word) or ("malformed" if any(known in word for known in _MALFORMED) else "none")
