"""Healing in LangChain: of a message, as a step behind a model, and as middleware of an agent.

Tested with langchain-core 1.7.2 and langchain 1.4.7 (November 2026). LangChain is imported when one of these is called.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from utp_cli.healing import heal
from utp_cli.protocol.numbers import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Iterable


def heal_message(message: Any, tools: Iterable[Any]) -> Any:
    """Return an AIMessage with the calls that its text or its `invalid_tool_calls` hold; the same where there is none.

    `tools`: LangChain's own, or definitions in any provider's form. `model | RunnableLambda(partial(heal_message,
    tools=tools))` heals behind a model.
    """
    if getattr(message, "type", "") != "ai" or not isinstance(message.content, str):
        return message
    calls = [
        {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": _text(call["args"])}}
        for call in (*message.tool_calls, *message.invalid_tool_calls)
    ]
    said = {"role": "assistant", "content": message.content, "tool_calls": calls}
    body = {"choices": [{"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": said}]}
    done = heal(body, [_definition(tool) for tool in tools], wire="openai-chat").response
    if done is body:
        return message
    healed = done["choices"][0]["message"]
    valid: list[Any] = []
    invalid: list[Any] = []
    for call in healed["tool_calls"]:
        given = {"id": call["id"], "name": call["function"]["name"]}
        try:
            valid.append({**given, "args": loads(call["function"]["arguments"]), "type": "tool_call"})
        except ValueError:
            found = (old for old in message.invalid_tool_calls if old["id"] == call["id"])
            invalid += found
    update = {"content": healed["content"] or "", "tool_calls": valid, "invalid_tool_calls": invalid}
    return message.model_copy(update=update)


def heal_middleware() -> Any:
    """Return middleware for `create_agent(…, middleware=[heal_middleware()])`: the answers of its model are healed."""
    base: Any = import_module("langchain.agents.middleware").AgentMiddleware

    def healed(response: Any, tools: Any) -> Any:
        response.result = [heal_message(message, tools) for message in response.result]
        return response

    class HealMiddleware(base):  # type: ignore[misc]
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return healed(handler(request), request.tools)

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            return healed(await handler(request), request.tools)

    return HealMiddleware()


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else dumps(arguments or {})


def _definition(tool: Any) -> Any:
    converted: Any = import_module("langchain_core.utils.function_calling").convert_to_openai_tool
    return tool if isinstance(tool, dict) else converted(tool)
