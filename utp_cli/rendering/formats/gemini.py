"""Gemini, in the Gemini API and on Vertex: the Schema type, and JSON Schema in its place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from utp_cli.facts.providers import PROVIDERS
from utp_cli.rendering.spec import Format
from utp_cli.rendering.targets import FULL, GEMINI

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.rendering.spec import AssistantTurn, Sent, SentCall, ToolOutcome

ANY_SIGNATURE = "skip_thought_signature_validator"
"""Stands for the signature of a call that no Gemini model made (its page on thought signatures, 2026)."""


def _declared(tools: list[Sent], key: str) -> dict[str, Any]:
    """Write all declarations into one tool; an object without properties is left out."""
    declarations = [
        {"name": tool.name, "description": tool.description} | ({key: tool.schema} if tool.schema["properties"] else {})
        for tool in tools
    ]
    return {"tools": [{"functionDeclarations": declarations}]}


def _wrap(tools: list[Sent]) -> dict[str, Any]:
    return _declared(tools, "parameters")


def _wrap_json(tools: list[Sent]) -> dict[str, Any]:
    return _declared(tools, "parametersJsonSchema")


def _choice(mode: str, **more: Any) -> dict[str, Any]:
    return {"toolConfig": {"functionCallingConfig": {"mode": mode, **more}}}


def _results(outcomes: Sequence[ToolOutcome]) -> list[dict[str, Any]]:
    """Return one content. Calls and results are paired by name and order."""
    parts = [{"functionResponse": {"name": outcome.name, "response": _response(outcome)}} for outcome in outcomes]
    return [{"role": "user", "parts": parts}]


def _response(outcome: ToolOutcome) -> dict[str, Any]:
    if outcome.failed:
        return {"error": outcome.text}
    return outcome.value if isinstance(outcome.value, dict) else {"result": outcome.value}


def _message(answer: AssistantTurn) -> dict[str, Any]:
    thought = [{"text": answer.reasoning, "thought": True}] if answer.reasoning else []
    text = [{"text": answer.content}] if answer.content else []
    calls = [_call(call, first=index == 0 and answer.foreign) for index, call in enumerate(answer.calls)]
    return {"role": "model", "parts": [*thought, *text, *calls] or [{"text": ""}]}


def _call(call: SentCall, *, first: bool) -> dict[str, Any]:
    """Only the first call of a set carries a signature, unless the model signed others."""
    signature = call.signature or (ANY_SIGNATURE if first else None)
    signed = {"thoughtSignature": signature} if signature else {}
    return {"functionCall": {"name": call.name, "args": call.arguments}, **signed}


GEMINI_API = Format(
    name="gemini",
    aliases=("google", "vertex"),
    wrap=_wrap,
    schema=GEMINI,
    strict=GEMINI,
    provider=PROVIDERS["gemini"],
    choices={
        "auto": _choice("AUTO"),
        "auto strict": _choice("VALIDATED"),
        "none": _choice("NONE"),
        "required": _choice("ANY"),
        "named": _choice("ANY", allowedFunctionNames=["{name}"]),
    },
    results=_results,
    message=_message,
)
GEMINI_JSON = replace(
    GEMINI_API, name="gemini-json", aliases=("gemini-json-schema",), wrap=_wrap_json, schema=FULL, strict=FULL
)
