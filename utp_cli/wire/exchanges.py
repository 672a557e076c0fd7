"""Records that keep an answer beside the request that it answers: logs, recordings, exports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.wire.access import dict_of, dig
from utp_cli.wire.shape import decoded

if TYPE_CHECKING:
    from collections.abc import Mapping

_ASKED: Final = ("request", "input", "prompt", "kwargs")
"""Keys that a request stands under."""
_BODIES: Final = ("body", "json", "data")
"""Keys that the body of an HTTP request stands under, as JSON or as its text."""
_CONVERSATION: Final = ("messages", "contents", "input", "prompt")
SAID_OF_REQUESTS: Final = ("model", "tools", "functions", "system", "tool_choice", "temperature", "max_tokens")
"""Keys of a request that may stand beside the messages of a conversation."""


def request_beside(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the request of an answer that a record keeps: a body under some key, or messages beside the answer."""
    for key in _ASKED:
        if isinstance(record.get(key), dict):
            return _body(record[key])
        if isinstance(record.get(key), list):
            return {"messages": record[key]}
    beside = {key: record[key] for key in ("messages", *SAID_OF_REQUESTS) if record.get(key) is not None}
    return beside if "messages" in beside else None


def definitions_in(request: Mapping[str, Any]) -> list[Any] | None:
    """Return the tool definitions of a request, as they stand; None where there are none, or some are left out."""
    listed = request.get("tools") or request.get("functions") or dig(request, "toolConfig", "tools")
    whole = isinstance(listed, list) and all(isinstance(one, dict) and one for one in listed)
    return listed if whole and listed else None


def _body(request: dict[str, Any]) -> dict[str, Any]:
    """Take the body out of a request that was kept with its URL and headers."""
    if any(key in request for key in _CONVERSATION):
        return request
    bodies = (dict_of(decoded(request.get(key))) for key in _BODIES)
    return next(filter(None, bodies), request)
