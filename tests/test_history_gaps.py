"""Conversations in which something stands where it cannot, or is lost: what is told of them, and sound neighbours."""

from __future__ import annotations

import json
from typing import Any

import pytest

import utp_cli

SYSTEM = {"role": "system", "content": "You keep the lighthouse."}
ASKED = {"role": "user", "content": "How far does the light reach?"}
CALL = {"id": "call_a1", "type": "function", "function": {"name": "light_range", "arguments": '{"lamp": 2}'}}
OTHER = {"id": "call_b2", "type": "function", "function": {"name": "fog_state", "arguments": "{}"}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [CALL]}
BOTH = {"role": "assistant", "content": None, "tool_calls": [CALL, OTHER]}
GIVEN = {"role": "tool", "tool_call_id": "call_a1", "content": "21 miles"}
FOG = {"role": "tool", "tool_call_id": "call_b2", "content": "none"}
BY_NAME = {"role": "tool", "tool_name": "light_range", "content": "21 miles"}
NAMED = {"role": "tool", "name": "light_range", "content": "21 miles"}
OLLAMAS = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "light_range", "arguments": {}}}]}
SAID = {"role": "assistant", "content": "21 miles."}


def told(messages: list[Any], **known: Any) -> set[tuple[str, str]]:
    return {(found.code, found.severity) for found in utp_cli.diagnose(messages, kind="session", **known)}


def severity_of(code: str, messages: list[Any], **known: Any) -> str:
    return next((severity for found, severity in sorted(told(messages, **known)) if found == code), "")


def bare(function: dict[str, Any]) -> dict[str, Any]:
    return {**CALLED, "tool_calls": [{"id": "call_a1", "type": "function", "function": function}]}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([ASKED, BY_NAME], "warning"),
        ([ASKED, NAMED, SAID, ASKED], "warning"),
        ([SYSTEM, ASKED, {"role": "assistant", "content": ""}, BY_NAME], "warning"),
        ([ASKED, {"role": "assistant", "content": "I will look that up."}, BY_NAME, SAID], "warning"),
        ([ASKED, GIVEN], "error"),  # by its id, as before
        ([BY_NAME, SAID, ASKED], ""),  # the front was cut off
        ([SYSTEM, BY_NAME, SAID], ""),
        ([ASKED, OLLAMAS, BY_NAME], ""),
        ([ASKED, OLLAMAS, BY_NAME, SAID, ASKED, BY_NAME], ""),
        ([ASKED, {"role": "assistant", "content": '<tool_call>{"name": "light_range"}</tool_call>'}, NAMED], ""),
        ([ASKED, {"role": "assistant", "content": "Action: light_range(2)"}, NAMED], ""),
        ([ASKED, {"role": "assistant", "content": "", "toolCalls": [{"name": "light_range"}]}, BY_NAME], ""),
        ([ASKED, {"role": "assistant", "content": [{"type": "tool-call", "toolName": "light_range"}]}, NAMED], ""),
        ([ASKED, SAID], ""),
    ],
)
def test_a_result_by_name_needs_a_call_before_it(messages: list[Any], expected: str) -> None:
    assert severity_of("orphan-tool-result", messages) == expected


@pytest.mark.parametrize(
    ("messages", "model", "expected"),
    [
        ([ASKED, CALLED, SYSTEM, GIVEN, SAID], "gpt-4.1", "error"),
        ([ASKED, CALLED, SYSTEM, GIVEN, SAID], None, "info"),
        ([ASKED, CALLED, {"role": "developer", "content": "Be brief."}, GIVEN], "o3", "error"),
        ([ASKED, BOTH, GIVEN, SYSTEM, FOG], "gpt-5", "error"),
        ([SYSTEM, ASKED, CALLED, GIVEN, SYSTEM, ASKED], "gpt-4.1", ""),  # behind the results
        ([ASKED, SYSTEM, CALLED, GIVEN], "gpt-4.1", ""),
        ([ASKED, CALLED, SYSTEM], "gpt-4.1", ""),  # nothing answers: another diagnosis, if any
        ([SYSTEM, ASKED, BOTH, GIVEN, FOG, SAID], "gpt-4.1", ""),
        ([ASKED, OLLAMAS, SYSTEM, BY_NAME], None, ""),
    ],
)
def test_nothing_stands_between_a_call_and_its_result(messages: list[Any], model: str | None, expected: str) -> None:
    assert severity_of("turn-order", messages, model=model) == expected


def test_blocks_of_anthropic_and_items_are_not_ordered_so() -> None:
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "light_range", "input": {}}]}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "21"}]}
    assert not severity_of("turn-order", [ASKED, use, SYSTEM, result], model="gpt-4.1")
    call = {"type": "function_call", "call_id": "c1", "name": "light_range", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c1", "output": "21"}
    items = [ASKED, call, {"role": "developer", "content": "Be brief."}, output]
    found = utp_cli.parse({"model": "gpt-4.1", "input": items}).diagnoses
    assert "turn-order" not in {one.code for one in found}


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ({"name": "fog_state"}, "warning"),
        ({"name": "fog_state", "arguments": None}, "warning"),
        ({"name": "fog_state", "arguments": "{}"}, ""),
        ({"name": "fog_state", "arguments": ""}, ""),  # history-arguments-invalid says it
    ],
)
def test_a_call_of_a_history_has_arguments(function: dict[str, Any], expected: str) -> None:
    assert severity_of("call-shape-invalid", [ASKED, bare(function), GIVEN]) == expected


def test_calls_of_other_forms_may_go_without() -> None:
    for call in (
        {"function": {"name": "fog_state"}},  # Ollama's
        {"id": "call_a1", "type": "custom", "custom": {"name": "note", "input": "x"}},
        {"id": "call_a1", "name": "fog_state", "args": {}},  # LangChain's
    ):
        assert "call-shape-invalid" not in {code for code, _ in told([ASKED, {**CALLED, "tool_calls": [call]}, GIVEN])}


REFUSED = (
    'Validation failed for tool "light_range":\n  - lamp: must have required properties lamp\n\nReceived arguments:\n{}'
)


def pair(name: Any, arguments: str, result: str, number: int) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": arguments}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call_{number}", "content": result},
    ]


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (
            pair("light_range", "{}", REFUSED, 1) + pair("", "{}", "Tool  not found", 2),
            {"missing-argument", "call-name-empty"},
        ),
        (pair("light_range", "{}", REFUSED, 1) + pair("light_range", "{}", REFUSED, 2), {"missing-argument"}),
        (pair("light_range", "{}", REFUSED, 1) + pair("light_range", '{"lamp": 2}', "21 miles", 2), set()),
        ([*pair("light_range", "{}", REFUSED, 1), SAID], set()),
        (pair("light_range", "{}", "21 miles", 1) + pair("fog_state", "{}", "none", 2), set()),
        (pair(None, "{}", "no such tool", 1), {"call-name-empty"}),
    ],
)
def test_what_results_say_of_empty_calls(messages: list[Any], expected: set[str]) -> None:
    codes = {code for code, _ in told([ASKED, *messages])}
    assert codes & {"missing-argument", "call-name-empty"} == expected, json.dumps(messages)
