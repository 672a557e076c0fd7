"""Amazon Bedrock's Converse API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.facts.providers import PROVIDERS
from utp_cli.rendering.spec import NAME, Format
from utp_cli.rendering.targets import BEDROCK_STRICT, FULL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.rendering.spec import AssistantTurn, Sent, ToolOutcome


def _wrap(tools: list[Sent]) -> dict[str, Any]:
    return {"toolConfig": {"tools": [{"toolSpec": _spec(tool)} for tool in tools]}}


def _spec(tool: Sent) -> dict[str, Any]:
    """A blank description is refused, so it is left out."""
    description = {"description": tool.description} if tool.description.strip() else {}
    strict = {} if tool.strict is None else {"strict": tool.strict}
    return {"name": tool.name, **description, "inputSchema": {"json": tool.schema}, **strict}


def _results(outcomes: Sequence[ToolOutcome]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [{"toolResult": _result(outcome)} for outcome in outcomes]}]


def _result(outcome: ToolOutcome) -> dict[str, Any]:
    structured = isinstance(outcome.value, dict) and not outcome.failed
    content = {"json": outcome.value} if structured else {"text": outcome.text}
    status = "error" if outcome.failed else "success"
    return {"toolUseId": outcome.id, "content": [content], "status": status}


def _message(answer: AssistantTurn) -> dict[str, Any]:
    text = [{"text": answer.content}] if answer.content.strip() else []
    calls = [{"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.arguments}} for call in answer.calls]
    return {"role": "assistant", "content": [*answer.signed, *text, *calls]}


def _is_signed(block: dict[str, Any]) -> bool:
    """Bytes that a dump holds as text cannot go back, so what was redacted stays out."""
    thinking = block.get("reasoningContent")
    text = thinking.get("reasoningText") if isinstance(thinking, dict) else None
    return isinstance(text, dict) and bool(text.get("signature"))


CONVERSE = Format(
    name="bedrock",
    aliases=("converse",),
    wrap=_wrap,
    schema=FULL,
    strict=BEDROCK_STRICT,
    provider=PROVIDERS["bedrock"],
    choices={
        "auto": {"toolConfig": {"toolChoice": {"auto": {}}}},
        "none": None,
        "required": {"toolConfig": {"toolChoice": {"any": {}}}},
        "named": {"toolConfig": {"toolChoice": {"tool": {"name": NAME}}}},
    },
    results=_results,
    message=_message,
    blocks=("output", "message", "content"),
    is_signed=_is_signed,
)
