"""What the model was told since its last answer: the new messages of a request, in any provider's form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.views.page.quoting import written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LISTS = ("messages", "contents", "input")
"""Where requests keep their messages."""
_MODEL = {"assistant", "model"}
_TEXTS = ("text", "content", "output", "thinking")
"""Where a part keeps its text."""
_DEEPEST = 6
"""Lists and parts within each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedMessage:
    """Who said what."""

    role: str
    text: str


def asked(request: Mapping[str, Any] | None) -> list[AskedMessage]:
    """Return the messages behind the last one of the model, in order."""
    messages = next((found for key in _LISTS if isinstance(found := (request or {}).get(key), list)), [])
    new: list[AskedMessage] = []
    for message in reversed(messages):
        if _role(message) in _MODEL:
            break
        new.append(AskedMessage(role=_role(message), text="\n".join(_said(message, 0))))
    return new[::-1]


def _role(message: Any) -> str:
    role = message.get("role") or message.get("type") if isinstance(message, dict) else None
    return role if isinstance(role, str) else "message"


def _said(value: Any, depth: int) -> Iterator[str]:
    """Yield the texts of a message; what has none is written as JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < _DEEPEST:
        for part in value:
            yield from _said(part, depth + 1)
    elif isinstance(value, dict) and depth < _DEEPEST:
        text = next((value[key] for key in (*_TEXTS, "parts") if value.get(key) is not None), None)
        yield from [written(value)] if text is None else _said(text, depth + 1)
    elif value is not None:
        yield written(value)
