"""A live answer that cannot be used: what to send back, so that the model mends it. Nothing is executed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.calls import ToolResult
from utp_cli.rendering.results import render_result
from utp_cli.validation.retry import retry_message
from utp_cli.wire.access import dict_of, dicts_of, list_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from utp_cli.protocol.calls import ParseResult, Rejected, ToolCall
    from utp_cli.protocol.tools import Tool

_UNSAFE: Final = ("truncated", "malformed", "doubtful")
_NOT_RUN: Final = "Not run: another call of this answer was wrong. Send it again together with the mended one."


def needs_repair(result: ParseResult) -> bool:
    """Whether a call was written that cannot be run."""
    return bool(_broken(result))


def next_request(
    request: Mapping[str, Any], result: ParseResult, tools: Mapping[str, Tool] | None
) -> dict[str, Any] | None:
    """Return the request that tells the model what is wrong with its answer.

    A native call is answered by a tool result, one in the text by the user. None where the format has no messages
    that this could be said in.
    """
    said = _SAID.get(result.shape)
    messages = request.get("messages")
    answer = dict_of(said(dict_of(result.facts.document))) if said else {}
    if not answer or not isinstance(messages, list):
        return None
    broken = _broken(result)
    if any(call.rung == "native" for call in broken):
        asked = [call for call in (*result.calls, *result.rejected) if call.rung == "native" and call.name]
        texts = [_told(call, tools) if call in broken else _NOT_RUN for call in asked]
        results = [
            ToolResult(call_id=call.id, tool_name=call.name, error=text)
            for call, text in zip(asked, texts, strict=True)
        ]
        back = render_result(list(asked), results, result.shape)
    else:
        back = [{"role": "user", "content": "\n\n".join(_told(call, tools) for call in broken)}]
    return {**request, "messages": [*messages, answer, *back]}


def _broken(result: ParseResult) -> list[ToolCall | Rejected]:
    unsafe = [call for call in result.rejected if call.reason in _UNSAFE]
    return [*(call for call in result.calls if call.valid is False), *unsafe]


def _told(call: ToolCall, tools: Mapping[str, Tool] | None) -> str:
    return retry_message(call, call.problems, tools or {})


def _of_choices(document: dict[str, Any]) -> Any:
    return next((choice.get("message") for _, choice in dicts_of(document.get("choices"))), None)


def _of_content(document: dict[str, Any]) -> Any:
    return {"role": "assistant", "content": list_of(document.get("content"))}


_SAID: Final[dict[str, Callable[[dict[str, Any]], Any]]] = {
    "openai-chat": _of_choices,
    "anthropic": _of_content,
    "ollama": lambda document: document.get("message"),
}
"""Format → the message of the assistant in an answer."""
