"""Cohere's chat API, version 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.facts.providers import PROVIDERS
from utp_cli.rendering.formats import openai
from utp_cli.rendering.spec import Format
from utp_cli.rendering.targets import FULL

if TYPE_CHECKING:
    from utp_cli.rendering.spec import AssistantTurn, Sent


def _wrap(tools: list[Sent]) -> dict[str, Any]:
    """Strictness is a switch of the request, not of a tool."""
    functions = [{key: value for key, value in openai.function(tool).items() if key != "strict"} for tool in tools]
    strict = {"strict_tools": True} if any(tool.strict for tool in tools) else {}
    return {"tools": [{"type": "function", "function": function} for function in functions], **strict}


def _message(answer: AssistantTurn) -> dict[str, Any]:
    if not answer.calls:
        return {"role": "assistant", "content": answer.content}
    said = {"content": answer.content} if answer.content else {}
    plan = {"tool_plan": answer.reasoning} if answer.reasoning else {}
    return {"role": "assistant", **plan, **said, "tool_calls": openai.calls(answer)}


COHERE = Format(
    name="cohere",
    wrap=_wrap,
    schema=FULL,
    strict=FULL,
    provider=PROVIDERS["cohere"],
    choices={"auto": {}, "none": {"tool_choice": "NONE"}, "required": {"tool_choice": "REQUIRED"}},
    results=openai.results,
    message=_message,
)
