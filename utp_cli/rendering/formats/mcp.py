"""The Model Context Protocol: what a server lists and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.facts.providers import PROVIDERS
from utp_cli.rendering.spec import Format
from utp_cli.rendering.targets import FULL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.rendering.spec import Sent, ToolOutcome


def _wrap(tools: list[Sent]) -> dict[str, Any]:
    return {"tools": [_tool(tool) for tool in tools]}


def _tool(tool: Sent) -> dict[str, Any]:
    description = {"description": tool.description} if tool.description else {}
    hints = {"annotations": dict(tool.tool.annotations)} if tool.tool.annotations else {}
    return {"name": tool.name, **description, "inputSchema": tool.schema, **hints}


def _results(outcomes: Sequence[ToolOutcome]) -> list[dict[str, Any]]:
    return [{"jsonrpc": "2.0", "id": outcome.id, "result": _result(outcome)} for outcome in outcomes]


def _result(outcome: ToolOutcome) -> dict[str, Any]:
    structured = isinstance(outcome.value, dict) and not outcome.failed
    return {
        "content": [{"type": "text", "text": outcome.text}],
        **({"structuredContent": outcome.value} if structured else {}),
        "isError": outcome.failed,
    }


MCP = Format(
    name="mcp",
    wrap=_wrap,
    schema=FULL,
    provider=PROVIDERS["mcp"],
    results=_results,
)
