"""Healing in pydantic-ai, whatever model it is: `Agent(heal_model("ollama:qwen3"), tools=[…])`.

Tested with pydantic-ai 2.68.0 (November 2026), which is imported when `heal_model` is called. Streams pass as they are:
for those `transport()` goes under the provider's client.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

from utp_cli.healing import heal
from utp_cli.protocol.numbers import dumps, loads


def heal_model(model: Any) -> Any:
    """Return a model of pydantic-ai that heals the answers of `model` (a model, or its name)."""
    base: Any = import_module("pydantic_ai.models.wrapper").WrapperModel

    class HealedModel(base):  # type: ignore[misc]
        async def request(self, messages: Any, model_settings: Any, model_request_parameters: Any) -> Any:
            response = await super().request(messages, model_settings, model_request_parameters)
            return _healed(response, model_request_parameters.function_tools)

    return HealedModel(model)


def _healed(response: Any, tools: Any) -> Any:
    texts = [part.content for part in response.parts if part.part_kind == "text"]
    calls = [
        {
            "id": part.tool_call_id,
            "type": "function",
            "function": {"name": part.tool_name, "arguments": _text(part.args)},
        }
        for part in response.parts
        if part.part_kind == "tool-call"
    ]
    said = {"role": "assistant", "content": "".join(texts), "tool_calls": calls}
    body = {"choices": [{"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": said}]}
    defined = [{"name": one.name, "parameters": one.parameters_json_schema} for one in tools]
    done = heal(body, defined, wire="openai-chat").response
    if done is body:
        return response
    kinds: Any = import_module("pydantic_ai.messages")
    message = done["choices"][0]["message"]
    kept = [part for part in response.parts if part.part_kind not in ("text", "tool-call")]
    text = [kinds.TextPart(message["content"])] if message["content"] else []
    made = [
        kinds.ToolCallPart(call["function"]["name"], loads(call["function"]["arguments"]), tool_call_id=call["id"])
        for call in message["tool_calls"]
    ]
    return replace(response, parts=[*kept, *text, *made])


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else dumps(arguments or {})
