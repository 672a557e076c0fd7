"""OpenAI: chat completions (and who copies them), Responses, the old functions; Azure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from utp_cli.facts.providers import PROVIDERS
from utp_cli.rendering.spec import NAME, Format
from utp_cli.rendering.targets import OPENAI, OPENAI_STRICT
from utp_cli.rendering.values import compact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.rendering.spec import AssistantTurn, Sent, SentCall, ToolOutcome


def function(tool: Sent) -> dict[str, Any]:
    """Return name, description, parameters; `strict` where something is to be said about it."""
    strict = {} if tool.strict is None else {"strict": tool.strict}
    description = {"description": tool.description} if tool.description else {}
    return {"name": tool.name, **description, "parameters": tool.schema, **strict}


def wrap(tools: list[Sent]) -> dict[str, Any]:
    """Return the tools as chat completions have them."""
    return {"tools": [{"type": "function", "function": function(tool)} for tool in tools]}


def results(outcomes: Sequence[ToolOutcome]) -> list[dict[str, Any]]:
    """Return a message for each result."""
    return [{"role": "tool", "tool_call_id": outcome.id, "content": outcome.text_with_failure} for outcome in outcomes]


def calls(answer: AssistantTurn) -> list[dict[str, Any]]:
    """Return the calls as chat completions have them."""
    return [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": compact(call.arguments)},
        }
        for call in answer.calls
    ]


def message(answer: AssistantTurn) -> dict[str, Any]:
    """Return the answer as chat completions have it."""
    if not answer.calls:
        return {"role": "assistant", "content": answer.content}
    return {"role": "assistant", "content": answer.content or None, "tool_calls": calls(answer)}


def _wrap_responses(tools: list[Sent]) -> dict[str, Any]:
    return {"tools": [{"type": "function", **function(tool)} for tool in tools]}


def _results_responses(outcomes: Sequence[ToolOutcome]) -> list[dict[str, Any]]:
    return [
        {"type": "function_call_output", "call_id": outcome.id, "output": outcome.text_with_failure}
        for outcome in outcomes
    ]


def _item(call: SentCall) -> dict[str, Any]:
    arguments = compact(call.arguments)
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}


def _message_responses(answer: AssistantTurn) -> dict[str, Any]:
    """Return the items of the answer under `output`; they go into `input` one by one."""
    said = [{"type": "message", "role": "assistant", "content": answer.content}]
    return {"output": [*answer.signed, *(said if answer.content else []), *(_item(call) for call in answer.calls)]}


def _is_signed(item: dict[str, Any]) -> bool:
    return item.get("type") == "reasoning" and bool(item.get("encrypted_content"))


def _wrap_legacy(tools: list[Sent]) -> dict[str, Any]:
    return {"functions": [function(tool) for tool in tools]}


def _results_legacy(outcomes: Sequence[ToolOutcome]) -> list[dict[str, Any]]:
    return [{"role": "function", "name": outcome.name, "content": outcome.text_with_failure} for outcome in outcomes]


def _message_legacy(answer: AssistantTurn) -> dict[str, Any]:
    """Return the message with its first call: there is room for no more."""
    out: dict[str, Any] = {"role": "assistant", "content": answer.content or None}
    for call in answer.calls[:1]:
        out["function_call"] = {"name": call.name, "arguments": compact(call.arguments)}
    return out if answer.calls else {**out, "content": answer.content}


CHAT = Format(
    name="openai-chat",
    aliases=("openai",),
    wrap=wrap,
    schema=OPENAI,
    strict=OPENAI_STRICT,
    provider=PROVIDERS["openai"],
    choices={
        "auto": {"tool_choice": "auto"},
        "none": {"tool_choice": "none"},
        "required": {"tool_choice": "required"},
        "named": {"tool_choice": {"type": "function", "function": {"name": NAME}}},
    },
    parallel={False: {"parallel_tool_calls": False}, True: {"parallel_tool_calls": True}},
    results=results,
    message=message,
)
AZURE = replace(CHAT, name="azure", aliases=(), provider=PROVIDERS["azure"])
RESPONSES = replace(
    CHAT,
    name="openai-responses",
    aliases=("responses",),
    wrap=_wrap_responses,
    strict_said=True,
    provider=PROVIDERS["openai-responses"],
    choices={**CHAT.choices, "named": {"tool_choice": {"type": "function", "name": NAME}}},
    results=_results_responses,
    message=_message_responses,
    blocks=("output",),
    is_signed=_is_signed,
)
LEGACY = replace(
    CHAT,
    name="openai-legacy",
    aliases=(),
    wrap=_wrap_legacy,
    strict=None,
    choices={
        "auto": {"function_call": "auto"},
        "none": {"function_call": "none"},
        "named": {"function_call": {"name": NAME}},
    },
    parallel={False: {}},
    has_ids=False,
    results=_results_legacy,
    message=_message_legacy,
)
