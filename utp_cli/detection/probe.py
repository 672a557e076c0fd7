"""The conversation that templates are tried with: words that no template holds."""

from __future__ import annotations

from typing import Any

NAMES = ("probe_heron", "probe_otter")
USER: dict[str, Any] = {"role": "user", "content": "question of the probe"}
ANSWER = "answer of the probe"
THOUGHT = "thought of the probe"

CALLS: list[dict[str, Any]] = [
    {"name": NAMES[0], "arguments": {"reedbed": "quiet water", "depth": 41}},
    {"name": NAMES[1], "arguments": {"reedbed": "loud water", "depth": 43}},
]

RESULT: dict[str, Any] = {
    "role": "tool",
    "name": NAMES[0],
    "tool_call_id": "call00000",
    "content": "result of the probe",
}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reedbed": {"type": "string", "description": "where"},
        "depth": {"type": "integer", "description": "how deep"},
    },
    "required": ["reedbed"],
}

TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": name, "description": "look", "parameters": SCHEMA}} for name in NAMES
]
