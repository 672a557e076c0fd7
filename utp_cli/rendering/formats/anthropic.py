"""Anthropic's Messages API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.facts.providers import PROVIDERS
from utp_cli.rendering.spec import NAME, Format
from utp_cli.rendering.targets import ANTHROPIC, ANTHROPIC_STRICT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.rendering.spec import AssistantTurn, Sent, ToolOutcome


def _wrap(tools: list[Sent]) -> dict[str, Any]:
    return {"tools": [_tool(tool) for tool in tools]}


def _tool(tool: Sent) -> dict[str, Any]:
    description = {"description": tool.description} if tool.description else {}
    strict = {} if tool.strict is None else {"strict": tool.strict}
    return {"name": tool.name, **description, "input_schema": tool.schema, **strict}


def _results(outcomes: Sequence[ToolOutcome]) -> list[dict[str, Any]]:
    """Return one message: the API refuses results that are spread over several."""
    blocks = [
        {"type": "tool_result", "tool_use_id": outcome.id, "content": outcome.text}
        | ({"is_error": True} if outcome.failed else {})
        for outcome in outcomes
    ]
    return [{"role": "user", "content": blocks}]


def _message(answer: AssistantTurn) -> dict[str, Any]:
    """Thinking stays out unless it is signed: the API refuses it otherwise, and an empty text as well."""
    text = [{"type": "text", "text": answer.content}] if answer.content.strip() else []
    calls = [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in answer.calls]
    return {"role": "assistant", "content": [*answer.signed, *text, *calls]}


def _is_signed(block: dict[str, Any]) -> bool:
    return bool(block.get("signature")) or block.get("type") == "redacted_thinking"


ANTHROPIC_MESSAGES = Format(
    name="anthropic",
    aliases=("claude",),
    wrap=_wrap,
    schema=ANTHROPIC,
    strict=ANTHROPIC_STRICT,
    provider=PROVIDERS["anthropic"],
    choices={
        "auto": {"tool_choice": {"type": "auto"}},
        "none": {"tool_choice": {"type": "none"}},
        "required": {"tool_choice": {"type": "any"}},
        "named": {"tool_choice": {"type": "tool", "name": NAME}},
    },
    parallel={
        False: {"tool_choice": {"disable_parallel_tool_use": True}},
        True: {"tool_choice": {"disable_parallel_tool_use": False}},
    },
    results=_results,
    message=_message,
    blocks=("content",),
    is_signed=_is_signed,
)
