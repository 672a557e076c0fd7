"""The conversation that templates are tried with: words that no template holds."""

from __future__ import annotations

from typing import Any

BOS, EOS = "<|bos|>", "<|eos|>"
TOKENS = {"bos_token": BOS, "eos_token": EOS}
"""What templates call the tokens that begin and end a text."""
SURROUNDINGS = {**TOKENS, "datetime": "2026-01-01"}
"""What servers hand over beside the conversation."""

NAMES = ("probe_heron", "probe_otter")
IDS = ("call00000", "call00001")
"""Nine characters, as some templates demand."""
LONG_ID = "call_0a1b2c3d4e5f6a7b8c9d0e1f"
"""An id as OpenAI and vLLM write them."""
KEYS = ("bankside", "depthmark")
"""Names of arguments, in alphabetical order, for templates that sort them."""
SYSTEM: dict[str, Any] = {"role": "system", "content": "rules of the probe"}
LATE_SYSTEM: dict[str, Any] = {"role": "system", "content": "later rules of the probe"}
QUESTION: dict[str, Any] = {"role": "user", "content": "question of the probe"}
ANSWER = "answer of the probe"
THOUGHT = "thought of the probe"

CALLS: list[dict[str, Any]] = [
    {"name": NAMES[0], "arguments": {KEYS[0]: "quiet water", KEYS[1]: 41}},
    {"name": NAMES[1], "arguments": {KEYS[0]: "loud water", KEYS[1]: 43}},
]
BARE_CALL: dict[str, Any] = {"name": NAMES[0], "arguments": {}}
RICH_CALL: dict[str, Any] = {
    "name": NAMES[0],
    "arguments": {
        KEYS[0]: 'first "line"\nsecond, é',
        "flooded": True,
        "gauge": 2.5,
        "reeds": ["tall", 7],
        "map": {"a": "b"},
    },
}

RESULT: dict[str, Any] = {
    "role": "tool",
    "name": NAMES[0],
    "tool_call_id": IDS[0],
    "content": "result of the probe",
}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        KEYS[0]: {"type": "string", "description": "where"},
        KEYS[1]: {"type": "integer", "description": "how deep"},
    },
    "required": [KEYS[0]],
}
"""Plain: there are templates that recurse without end on objects without members."""
RICH_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        **SCHEMA["properties"],
        "flooded": {"type": "boolean"},
        "gauge": {"type": "number"},
        "reeds": {"type": "array"},
        "map": {"type": "object"},
    },
}
"""What the calls are read by."""

TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": name, "description": "look", "parameters": SCHEMA}} for name in NAMES
]
FLAT_TOOLS: list[dict[str, Any]] = [{"type": "function", **tool["function"]} for tool in TOOLS]
"""Without the wrapper `function`, as the Responses API has them."""


def tools_without(field: str) -> list[dict[str, Any]]:
    """Return the tools without a field, wherever it stands: in the function, in its schema, in an argument's schema."""

    def left(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {key: left(inner) for key, inner in value.items() if key != field}

    return [{**left(tool), "type": "function"} for tool in TOOLS]
