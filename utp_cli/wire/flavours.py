"""Which server an answer gives away, beside its format."""

from __future__ import annotations

from itertools import chain
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Final

from utp_cli.wire.access import dict_of, dicts_of, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.wire.shape_answers import Document

_CHAT_KEYS: Final = (
    ("azure", "prompt_filter_results", "content_filter_results"),
    ("openrouter", "provider", "native_finish_reason"),
    ("llamacpp", "timings", None),
    ("sglang", None, "matched_stop"),
)
"""Server, and which key of the document, or of one of its choices, gives it away."""
_CHAT_SIGNS: Final = frozenset({key for _, *keys in _CHAT_KEYS for key in keys if key})


def _chat_flavour(doc: Document) -> str | None:
    choices = [choice for _, choice in dicts_of(doc.get("choices"))]
    if not _CHAT_SIGNS.isdisjoint(chain(doc, *choices)):
        within = frozenset[str]().union(*choices)
        for server, key, key_of_choice in _CHAT_KEYS:
            if key in doc or key_of_choice in within:
                return server
    if doc.get("system_fingerprint") == "fp_ollama":
        return "ollama"
    said = [dict_of(choice.get(key)) for choice in choices for key in ("message", "delta") if key in choice]
    ids = [text_of(call.get("id")) for message in said for _, call in dicts_of(message.get("tool_calls"))]
    if any(map(_names_vllm, ids)):
        return "vllm"
    if 9 in map(len, ids) and any(map(_nine, ids)) and not text_of(doc.get("id")).startswith("chatcmpl"):
        return "mistral"
    return None


_names_vllm: Final = methodcaller("startswith", "chatcmpl-tool-")


def _nine(call_id: str) -> bool:
    return len(call_id) == 9 and call_id.isascii() and call_id.isalnum()


def _partial(doc: Document) -> bool:
    return any(
        "partialArgs" in dict_of(part.get("functionCall"))
        for _, candidate in dicts_of(doc.get("candidates"))
        for _, part in dicts_of(dict_of(candidate.get("content")).get("parts"))
    )


def _gemini_flavour(doc: Document) -> str | None:
    return "vertex" if "createTime" in doc or _partial(doc) else None


FLAVOURS: Final[dict[str, Callable[[Document], str | None]]] = {
    "openai-chat": _chat_flavour,
    "openai-legacy": _chat_flavour,
    "gemini": _gemini_flavour,
    "ollama": lambda _: "ollama",
    "ollama-generate": lambda _: "ollama",
}
"""By format: which server one document gives away."""


def flavour_of(format: str, document: Any) -> str | None:  # noqa: A002 - the word of this floor
    """Return the server that a document of a format gives away."""
    told = FLAVOURS.get(format)
    return told(dict_of(document)) if told else None
