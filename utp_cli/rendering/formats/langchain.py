"""LangChain: the arguments of `bind_tools`, and messages as they are dumped."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from utp_cli.rendering.formats import openai
from utp_cli.rendering.spec import NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.rendering.spec import AssistantTurn, ToolOutcome


def _results(outcomes: Sequence[ToolOutcome]) -> list[dict[str, Any]]:
    return [
        {
            "type": "tool",
            "content": outcome.text,
            "tool_call_id": outcome.id,
            "name": outcome.name,
            "status": "error" if outcome.failed else "success",
        }
        for outcome in outcomes
    ]


def _message(answer: AssistantTurn) -> dict[str, Any]:
    calls = [{"name": call.name, "args": call.arguments, "id": call.id, "type": "tool_call"} for call in answer.calls]
    invalid = [
        {
            "name": unsafe.name,
            "args": unsafe.raw,
            "id": unsafe.id,
            "error": unsafe.error,
            "type": "invalid_tool_call",
        }
        for unsafe in answer.unsafe
    ]
    thinking = {"additional_kwargs": {"reasoning_content": answer.reasoning}} if answer.reasoning else {}
    message = {"type": "ai", "content": answer.content, **thinking}
    return {**message, "tool_calls": calls, "invalid_tool_calls": invalid}


LANGCHAIN = replace(
    openai.CHAT,
    name="langchain",
    aliases=(),
    choices={
        "auto": {"tool_choice": "auto"},
        "none": {"tool_choice": "none"},
        "required": {"tool_choice": "any"},
        "named": {"tool_choice": NAME},
    },
    results=_results,
    message=_message,
)
