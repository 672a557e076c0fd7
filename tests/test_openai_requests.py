"""What OpenAI's chat completions refuse in a request: rules of `--for openai`, and hints for whole requests."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from utp_cli import parse
from utp_cli.diagnosis.histories.requests import check_request

SCHEMA = {"type": "object", "properties": {"meadow": {"type": "string", "description": "Name of a meadow"}}}
TOOL = {"type": "function", "function": {"name": "count_lambs", "description": "Counts lambs.", "parameters": SCHEMA}}
REQUEST = {
    "model": "gpt-5",
    "messages": [
        {"role": "user", "content": "How many?"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "count_lambs", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "12"},
        {"role": "assistant", "content": "Twelve."},
        {"role": "user", "content": "And ewes?"},
    ],
    "tools": [TOOL],
}  # fmt: skip


def _with(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    asked: Any = copy.deepcopy(REQUEST)
    inner = asked
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return asked


PARAMETERS = ("tools", 0, "function", "parameters")
OUTPUT = {"name": "count", "strict": True, "schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
CLOSED = {**OUTPUT["schema"], "additionalProperties": False, "required": ["n"]}  # type: ignore[dict-item]
BROKEN = [
    (("messages", 2, "content"), None, "content-null-refused", "/messages/2/content"),
    (("messages", 2, "content"), ["12"], "content-shape", "/messages/2/content"),
    (("messages", 3, "content"), None, "content-null-refused", "/messages/3/content"),
    (("messages", 3, "tool_calls"), [], "tool-calls-empty-array", "/messages/3/tool_calls"),
    (("messages", 4, "content"), {"text": "And ewes?"}, "content-shape", "/messages/4/content"),
    (("messages", 4, "role"), "human", "role-unknown", "/messages/4"),
    (("tools", 0), TOOL["function"], "tool-shape-invalid", "/tools/0"),
    (("tools", 0), {"name": "count_lambs", "inputSchema": SCHEMA}, "tool-shape-invalid", "/tools/0"),
    (("tools",), TOOL, "tool-shape-invalid", "/tools"),
    (("tools",), json.dumps([TOOL]), "tool-shape-invalid", "/tools"),
    ((*PARAMETERS, "properties", "meadow", "type"), "str", "schema-invalid",
     "/0/function/parameters/properties/meadow"),
    (("response_format",), {"type": "json_schema", "schema": {}}, "schema-invalid", "/response_format"),
    (("response_format",), {"type": "json_schema", "json_schema": OUTPUT}, "schema-strict-incomplete",
     "/response_format/json_schema/schema"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "code", "place"), BROKEN)
def test_a_rule_is_named_with_its_place(path: tuple[Any, ...], value: Any, code: str, place: str) -> None:
    found = check_request(_with(path, value), "openai").broken
    assert [(one.code, one.place.pointer.removeprefix("/tools") if place[:2] == "/0" else one.place.pointer)
            for one in found if one.code == code] == [(code, place)]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "code", "place"), BROKEN)
def test_a_whole_request_for_their_model_is_told_at_least_as_a_hint(
    path: tuple[Any, ...], value: Any, code: str, place: str
) -> None:
    assert code in [one.code for one in parse(_with(path, value)).diagnoses]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("model",), "gpt-5"),
        (("messages", 2, "content"), [{"type": "text", "text": "12"}]),
        (("messages", 3, "tool_calls"), None),
        ((*PARAMETERS, "properties", "meadow", "type"), ["string", "null"]),
        (("response_format",), {"type": "json_schema", "json_schema": OUTPUT | {"strict": False}}),
        (("response_format",), {"type": "json_schema", "json_schema": OUTPUT | {"schema": CLOSED}}),
    ],
)
def test_a_sound_request_breaks_no_rule(path: tuple[Any, ...], value: Any) -> None:
    asked = _with(path, value)
    assert check_request(asked, "openai").broken == []
    assert [one.code for one in parse(asked).diagnoses] == []


def test_without_a_model_a_client_may_rewrite_the_history() -> None:
    asked = {key: value for key, value in _with(("messages", 3, "content"), None).items() if key != "model"}
    assert [one.code for one in parse(asked).diagnoses] == []
