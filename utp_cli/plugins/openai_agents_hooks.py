"""Healing in the OpenAI Agents SDK, whatever model it is: `Agent(model=heal_model(model), tools=[…])`.

Tested with openai-agents 0.24.0 (November 2026), which is imported when `heal_model` is called. Streams pass as they
are: for those `transport()` goes under the client.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

from utp_cli.healing import heal


def heal_model(model: Any) -> Any:
    """Return a model of the Agents SDK that heals the answers of `model`."""
    base: Any = import_module("agents.models.interface").Model

    class HealedModel(base):  # type: ignore[misc]
        async def get_response(self, *known: Any, **named: Any) -> Any:
            answer = await model.get_response(*known, **named)
            return _healed(answer, named["tools"] if "tools" in named else known[3])

        def stream_response(self, *known: Any, **named: Any) -> Any:
            return model.stream_response(*known, **named)

    return HealedModel()


def _healed(answer: Any, tools: Any) -> Any:
    output = [item if isinstance(item, dict) else item.model_dump() for item in answer.output]
    body = {"object": "response", "status": "completed", "output": output}
    functions = [tool for tool in tools if hasattr(tool, "params_json_schema")]
    defined = [{"name": tool.name, "parameters": tool.params_json_schema} for tool in functions]
    done = heal(body, defined, wire="openai-responses").response
    if done is body:
        return answer
    types: Any = import_module("openai.types.responses")
    kinds = {"message": types.ResponseOutputMessage, "function_call": types.ResponseFunctionToolCall}
    before = dict(zip(map(id, output), answer.output, strict=True))
    made = [
        kinds[item["type"]].model_validate(item) if item["type"] in kinds else before.get(id(item), item)
        for item in done["output"]
    ]
    return replace(answer, output=made)
