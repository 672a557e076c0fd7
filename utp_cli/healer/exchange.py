"""What is known of an exchange before its answer comes: the wire, the tools, how the answer is written."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.models import MISTRAL, belongs
from utp_cli.wire.access import dict_of, dig, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PATHS: Final = (
    (re.compile(r"/chat/completions/?$"), "openai-chat"),
    (re.compile(r"/responses/?$"), "openai-responses"),
    (re.compile(r"/messages/?$"), "anthropic"),
    (re.compile(r"/api/chat/?$"), "ollama"),
    (re.compile(r":(?:streamG|g)enerateContent$"), "gemini"),
)
"""The end of a request's path → its wire."""
_MODEL_IN_PATH: Final = re.compile(r"/models/([^/:?]+):")


def wire_of(path: str) -> str | None:
    """Return the wire that a request's path names; None where it names none that is healed."""
    plain = path.partition("?")[0]
    return next((wire for pattern, wire in _PATHS if pattern.search(plain)), None)


def tools_of(request: Mapping[str, Any] | None) -> list[Any] | None:
    """Return the definitions in a request; None where the model is to call nothing."""
    asked = dict_of(request)
    choice = asked.get("tool_choice")
    never = choice == "none" or dict_of(choice).get("type") == "none"
    never = never or dig(asked, "toolConfig", "functionCallingConfig", "mode") == "NONE"
    tools = asked.get("tools")
    return tools if isinstance(tools, list) and tools and not never else None


def wants_json(request: Mapping[str, Any] | None) -> bool:
    """Whether a request asks for an answer in JSON: JSON in such an answer is the answer."""
    asked = dict_of(request)
    forms = (
        dict_of(asked.get("response_format")).get("type"), dig(asked, "text", "format", "type"),
        dig(asked, "generationConfig", "responseMimeType"), asked.get("format"),
    )  # fmt: skip
    return any(isinstance(form, dict) or "json" in text_of(form) for form in forms)


def model_of(request: Mapping[str, Any] | None, path: str) -> str | None:
    """Return the model that a request names."""
    in_path = _MODEL_IN_PATH.search(path)
    return text_of(dict_of(request).get("model")) or (in_path[1] if in_path else None)


@lru_cache(maxsize=256)
def wants_nine_letters(model: str | None) -> bool:
    """Whether a model takes ids of exactly nine letters and digits."""
    return belongs(model, MISTRAL) is not None


def kind_of(headers: Iterable[tuple[str, str]]) -> tuple[str, bool]:
    """Return how an answer is written (`sse`, `lines`, `json`, empty where nothing says), and whether it is encoded."""
    given = {name.lower(): value.lower() for name, value in headers}
    content = given.get("content-type", "")
    encoded = given.get("content-encoding", "identity").strip() not in ("", "identity")
    if "event-stream" in content:
        return "sse", encoded
    if "ndjson" in content or "jsonl" in content or "json-seq" in content:
        return "lines", encoded
    return ("json" if "json" in content else ""), encoded
