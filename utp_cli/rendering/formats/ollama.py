"""Ollama's own API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.facts.providers import PROVIDERS
from utp_cli.rendering.formats import openai
from utp_cli.rendering.spec import Format
from utp_cli.rendering.targets import OLLAMA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.rendering.spec import AssistantTurn, ToolOutcome


def _results(outcomes: Sequence[ToolOutcome]) -> list[dict[str, Any]]:
    return [{"role": "tool", "tool_name": outcome.name, "content": outcome.text_with_failure} for outcome in outcomes]


def _message(answer: AssistantTurn) -> dict[str, Any]:
    calls = [{"function": {"name": call.name, "arguments": call.arguments}} for call in answer.calls]
    thinking = {"thinking": answer.reasoning} if answer.reasoning else {}
    return {"role": "assistant", "content": answer.content, **thinking} | ({"tool_calls": calls} if calls else {})


OLLAMA_CHAT = Format(
    name="ollama",
    wrap=openai.wrap,
    schema=OLLAMA,
    provider=PROVIDERS["ollama"],
    results=_results,
    message=_message,
)
