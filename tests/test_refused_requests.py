"""Requests, parts of answers and refusals that say nothing: what each is checked against, and what it is read as."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli import parse

TOOL = {"type": "function", "function": {"name": "get_time", "parameters": {"type": "object", "properties": {}}}}
ASKED = [{"role": "user", "content": "What time is it?"}]
CALL = {"id": "call_0123456789", "type": "function", "function": {"name": "get_time", "arguments": "{}"}}
TURN = [
    *ASKED,
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_0123456789", "content": "12"},
]
NAMED = {"type": "function", "function": {"name": "get_time"}}
FLAT = {"name": "get_time", "description": "The time.", "input_schema": {"type": "object", "properties": {}}}
OPEN = {
    "type": "function",
    "name": "get_time",
    "strict": True,
    "parameters": {"type": "object", "properties": {}, "additionalProperties": True},
}
WRONG_NAME = {"functionDeclarations": [{"name": "a b", "parameters": {"type": "object", "properties": {}}}]}
SHAPE = {"json": {"type": "object", "properties": {"ok": {"type": "boolean"}}}}


def codes_of(source: Any, **known: Any) -> list[str]:
    return [found.code for found in parse(source, **known).diagnoses if found.severity in ("error", "warning")]


@pytest.mark.parametrize(
    ("engine", "request_", "codes"),
    [
        ("vllm", {"messages": ASKED, "tool_choice": "required"}, ["tool-options-without-tools"]),
        ("vllm", {"messages": ASKED, "tools": [TOOL], "structured_outputs": SHAPE}, []),
        ("vllm", {"messages": ASKED, "tools": [TOOL], "tool_choice": "required", "structured_outputs": SHAPE}, []),
        ("llama.cpp", {"messages": ASKED, "tools": [TOOL], "tool_choice": "none", "grammar": "root ::= x"}, []),
        ("llama.cpp", {"messages": ASKED, "parallel_tool_calls": True}, []),
        ("vllm", {"model": "Qwen/Qwen3-32B", "messages": [*ASKED, {"role": "system", "content": "b"}, *ASKED]}, []),
        ("sglang", {"model": "openai/gpt-oss-20b", "messages": [{"role": "developer", "content": "b"}, *ASKED]}, []),
        (
            "openrouter",
            {"model": "anthropic/claude-sonnet-4.5", "messages": ASKED, "tools": [{"type": "web_search"}]},
            [],
        ),
        ("", {"model": "openai-community/gpt2", "messages": ASKED, "tools": []}, []),
        (
            "vllm",
            {"messages": ASKED, "tools": [TOOL], "tool_choice": NAMED, "structured_outputs": SHAPE},
            ["tools-with-structured-output"],
        ),
        ("sglang", {"messages": ASKED, "tools": [TOOL], "tool_choice": NAMED, "structured_outputs": SHAPE}, []),
        ("llama.cpp", {"messages": ASKED, "tools": [TOOL], "grammar": 'root ::= "yes"'}, ["constraint-conflict"]),
        ("llama.cpp", {"messages": ASKED, "grammar": 'root ::= "yes"'}, []),
        ("llama.cpp", {"messages": ASKED, "tools": [TOOL], "grammar": ""}, []),
        ("lmstudio", {"messages": ASKED, "tools": [TOOL], "tool_choice": NAMED}, ["tool-choice-malformed"]),
        ("lmstudio", {"messages": ASKED, "tools": [TOOL], "tool_choice": "required"}, []),
        ("vllm", {"messages": ASKED, "tools": [TOOL], "tool_choice": NAMED}, []),
        ("ollama", {"messages": TURN, "tools": [TOOL]}, []),  # its path of OpenAI's form takes arguments as text
        ("litellm", {"messages": TURN, "tools": [TOOL]}, []),
        ("", {"model": "gpt-4.1", "messages": ASKED, "tools": [FLAT]}, ["tool-shape-invalid"]),
        ("", {"model": "gpt-4.1", "max_tokens": 9, "messages": ASKED, "tools": [FLAT]}, []),  # through a gateway
        ("", {"model": "claude-sonnet-4-5", "messages": ASKED, "tools": [FLAT]}, []),
        ("", {"model": "gpt-oss-20b", "messages": ASKED, "tool_choice": "auto"}, []),
        ("", {"model": "gpt-4.1", "messages": TURN, "tools": [TOOL]}, []),
        ("", {"model": "gpt-5", "input": ASKED, "tools": [OPEN]}, ["schema-strict-incomplete"]),
        ("vllm", {"model": "gpt-5", "input": ASKED, "tools": [OPEN]}, []),
        ("", {"contents": [{"role": "user", "parts": [{"text": "a"}]}], "tools": [WRONG_NAME]}, ["tool-name-invalid"]),
        ("", {"model": "mistralai/Mistral-Nemo-Instruct-2407", "messages": TURN}, ["mistral-id-format"]),
    ],
)
def test_a_request_is_held_against_the_rules_of_who_gets_it(
    engine: str, request_: dict[str, Any], codes: list[str]
) -> None:
    server = {"engine": engine} if engine else None
    assert codes_of(request_, server=server) == codes
    assert codes_of(json.dumps(request_, indent=1), server=server) == codes


def test_the_form_that_a_tool_should_have_is_written_out() -> None:
    (found,) = parse({"model": "gpt-4.1", "messages": ASKED, "tools": [FLAT]}).diagnoses
    assert '{"type": "function", "function": {"name", "description", "parameters"}}' in found.fix


def test_a_request_behind_a_status_that_says_nothing_tells_why() -> None:
    call = {"function": {"name": "get_time", "arguments": "{}"}}
    answered = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_name": "get_time", "content": "12"},
    ]
    body = {"model": "qwen3:8b", "messages": [*ASKED, *answered]}
    pasted = f"curl http://localhost:11434/api/chat -d '{json.dumps(body)}'\n\nHTTP/1.1 400 Bad Request"
    assert "arguments-wrong-kind" in codes_of(pasted)


@pytest.mark.parametrize(
    ("request_", "more"),
    [
        ({"messages": ASKED, "tools": [TOOL], "tool_choice": "required"}, []),
        ({"messages": ASKED, "tool_choice": "required"}, ["tool-options-without-tools"]),
        ({}, []),
    ],
)
def test_a_refusal_that_says_nothing_has_its_request_looked_at(request_: dict[str, Any], more: list[str]) -> None:
    body = {"error": {"message": "Bad Request", "code": 400}}
    assert codes_of(body, request=request_, server={"engine": "vllm"}) == ["gateway-error-opaque", *more]


@pytest.mark.parametrize(
    ("part", "shape", "calls"),
    [
        ({"tool_calls": [{"function": {"name": "get_time", "arguments": "{}"}}], "content": "so"}, "openai-chat", 1),
        ({"tool_calls": [{"name": "get_time", "args": {}, "id": "c1"}]}, "openai-chat", 1),
        ({"parts": [{"functionCall": {"name": "get_time", "args": {}}}]}, "gemini", 1),
        ({"content": [{"type": "text", "text": '<tool_call>{"name": "f", "arguments": {}}</tool_call>'}]}, "openai-chat", 1),
        ({"content": [{"type": "text", "text": 'Write <tool_call>{"name": "f", "arguments": {}}</tool_call>'}]},
         "unknown", 0),  # MCP's
        ({"tool_calls": [{"count": 5, "tool": "x"}], "total": 5}, "unknown", 0),
        ({"tool_calls": [{"name": "x", "duration": 5}]}, "unknown", 0),
        ({"parts": [{"sku": "1", "qty": 2}], "order": 7}, "unknown", 0),
        ({"content": []}, "unknown", 0),
        ({"tool_calls": 3}, "unknown", 0),
    ],
)  # fmt: skip
def test_a_part_of_an_answer_is_read_as_the_answer(part: dict[str, Any], shape: str, calls: int) -> None:
    result = parse(part)
    assert (result.shape, len(result.calls)) == (shape, calls)


@pytest.mark.parametrize(
    "written",
    [
        '{"candidates": [{"content": {"role": "model", "parts": [ // parts\n{"functionCall": {"name": "get_time", "args": {}}}\n]}, "finishReason": "STOP"}]}',
        '{"output": {"message": {"role": "assistant", "content": [\n...\n{"toolUse": {"toolUseId": "t", "name": "get_time", "input": {}}}\n]}}, "stopReason": "tool_use"}',
    ],
)  # fmt: skip
def test_what_people_leave_out_or_say_in_a_document_loses_no_call(written: str) -> None:
    assert [call.name for call in parse(written).calls] == ["get_time"]


@pytest.mark.parametrize("deep", [{"metadata": json.loads("[" * 600 + "]" * 600)}, {"functions": 5}])
def test_what_no_request_should_hold_is_borne(deep: dict[str, Any]) -> None:
    flat = {"type": "function", "name": "x", "description": "d", "parameters": {"type": "object"}}
    assert parse({"model": "gpt-4o", "messages": ASKED, "tools": [flat]} | deep).diagnoses


def test_tools_beside_an_opaque_refusal_are_no_history() -> None:
    body = {"error": {"message": "Provider returned error", "code": 400}}
    assert codes_of(body, tools=[TOOL], server={"engine": "vllm"}) == ["gateway-error-opaque"]
    assert codes_of(body, tools=[TOOL], server={"engine": "zai"}, model="glm-4.6") == ["gateway-error-opaque"]


def test_what_a_model_imitates_is_no_part_of_an_answer() -> None:
    written = json.dumps({"tool_calls": [{"type": "function", "function": {"name": "f", "arguments": "{}"}}]})
    assert parse(written).shape == "text"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('<tool_call>{"name": "f", "arguments": {"a": 1}</tool_call>', ["no JSON as it stands (missing-close-brace)"]),
        ('<tool_call>{"name": "f", "arguments": {"a": 1,}}</tool_call>', ["no JSON as it stands (trailing-comma)"]),
        (
            '<tool_call>{"name": "f", "arguments": {"a": "</tool_call>"}}</tool_call>',
            ["its arguments hold </tool_call>"],
        ),
        ('<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>', [""]),
        ('<tool_call>{"name": "f", "arguments": {"a": 1}}', [""]),
        ("<tool_call>{'name': 'f', 'arguments': {'a': 1}}</tool_call>", [""]),
        ('[TOOL_CALL]\n{tool => "f", args => {--a 1}}\n[/TOOL_CALL]', [""]),
        ('<tool_call>{"name": "f", "argu', []),  # half a call is told as that
        ("{'type': 'function', 'id': 'x', 'function': {'name': 'f', 'arguments': '{}'}}", []),  # a program printed it
    ],
)
def test_a_call_in_a_raw_text_is_hinted_at_and_why_strict_parsers_lose_it(text: str, why: list[str]) -> None:
    found = [one for one in parse(text).diagnoses if one.code == "call-left-in-content"]
    assert [one.severity for one in found] == ["info"] * len(why)
    assert all(said in one.message for said, one in zip(why, found, strict=True))
    assert all((": " in one.message) == bool(said) for said, one in zip(why, found, strict=True))


@pytest.mark.parametrize(
    ("name", "tools", "told"),
    [
        ("get_timeget_time", None, True),
        ("get_timeget_timeget_time", [TOOL], True),
        ("noonnoon", None, False),
        ("log_log_", None, False),
        ("____", None, False),
        ("get_time", [TOOL], False),
        ("get_timeget_time", [{"type": "function", "function": {"name": "get_timeget_time"}}], False),
        ("", None, False),
    ],
)
def test_one_name_again_and_again_is_a_stream_put_together(name: str, tools: Any, told: bool) -> None:
    message = {"role": "assistant", "tool_calls": [{**CALL, "function": {"name": name, "arguments": "{}"}}]}
    found = codes_of({"choices": [{"message": message, "finish_reason": "tool_calls"}]}, tools=tools)
    assert ("stream-name-repeated" in found) is told


@pytest.mark.parametrize(
    ("block", "severity"),
    [
        ({"type": "tool_use", "id": "t1", "name": "f", "input": {}}, ""),
        ({"type": "tool_use", "id": "t1", "name": "f"}, "info"),
        ({"type": "tool_use", "tool_use": {"id": "t1", "name": "f", "input": {}}}, "error"),
        ({"type": "text", "text": ""}, ""),
    ],
)
def test_a_block_that_begins_a_call_has_its_name_and_an_input(block: dict[str, Any], severity: str) -> None:
    event = {"type": "content_block_start", "index": 0, "content_block": block}
    found = [one.severity for one in parse(event).diagnoses if one.code == "call-shape-invalid"]
    assert found == ([severity] if severity else [])


def test_what_the_providers_own_stop_reason_says_counts_in_litellms_field_too() -> None:
    choice = {"message": {"role": "assistant", "content": None}, "finish_reason": "stop"}
    fields = {"provider_specific_fields": {"native_finish_reason": "MALFORMED_FUNCTION_CALL"}}
    assert codes_of({"choices": [choice | fields]}) == ["malformed-function-call"]
    assert "malformed-function-call" not in codes_of({"choices": [choice | {"provider_specific_fields": None}]})


def test_a_document_that_breaks_off_does_not_swallow_the_next() -> None:
    answer = {"choices": [{"message": {"role": "assistant", "content": ""}, "finish_reason": "length"}]}
    log = 'Failed to parse tool call (ValueError: Could not parse tool call from: f[ARGS]{"city": "Par)'
    pasted = f"{log} — tool text was likely truncated mid-generation.\n{json.dumps(answer)}"
    assert codes_of(pasted) == ["truncated-call"]
    listed = 'body: {"messages": [\n{"role": "user", "content": "a"},\n{"role": "user", "content": "b",}\n]}'
    assert [one.kind for one in parse(listed).captures] == ["session"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('arguments={"a": 1}{"b": 2}', "arguments-concatenated"),
        ("arguments='{\"n\": 1}{' are what I got", ""),
        ('"[\\"main.py\\"]"', "nested-json-string"),
        ('"{\\"path\\": \\"main.py\\"}"', "arguments-double-encoded"),
        ('"[x]"', ""),
        ('data: {"x": 1', "stream-cut-off"),
        ("data: the list of all cities", ""),
        ("invalid [tool=read<arg_key>path</arg_key><arg_value>/tmp</arg_value>]", "leaked-special-tokens"),
    ],
)
def test_pieces_of_calls_hint_at_what_broke_them(text: str, code: str) -> None:
    assert [one.code for one in parse(text).diagnoses if one.severity == "info"] == ([code] if code else [])


def test_a_go_struct_that_is_a_message_is_one() -> None:
    text = "msg={Role:assistant Content:<think>\nHm.\n</think>\n\nHello! Refusal: ToolCalls:[] ToolCallID:}"
    assert codes_of(text) == ["think-tags-in-content"]


def test_what_jsonschema_prints_below_its_message_is_nobodys() -> None:
    said = "Tool 0 function has invalid 'parameters' schema: True is not of type 'array'"
    below = "Failed validating 'type' in metaschema['allOf'][3]['required']:\n    {'type': 'array'}\n\nOn schema['a']:\n    True"
    assert codes_of(f"{said}\n\n{below}") == ["schema-invalid"]


@pytest.mark.parametrize(
    ("engine", "name", "said"),
    [
        ("tensorrt-llm", "--enable-auto-tool-choice", "leave --enable-auto-tool-choice out: --tool_parser alone"),
        ("llama.cpp", "--tool-call-parser", "leave --tool-call-parser out: it reads calls by the chat template"),
        ("vllm", "--jinja", "--jinja is an option of llama-server"),
        ("lmdeploy", "--tool_parser", "write --tool-call-parser in place of --tool_parser"),
        ("vllm", "--no-such-thing-here", ""),
    ],
)
def test_an_option_that_a_server_refused_is_named_as_whose_it_is(engine: str, name: str, said: str) -> None:
    (found,) = parse(f"Error: No such option: {name}", server={"engine": engine}).diagnoses
    assert found.code == "flag-unknown-to-server"
    assert said in found.fix
    assert said or name not in found.fix


def test_markup_of_gpt_oss_in_a_call_that_cannot_be_read_has_leaked_too() -> None:
    content = ' to=functions.move_file..commentary json<|message|>{"{"?"}'
    message = {"role": "assistant", "content": content}
    assert "harmony-leak" in codes_of({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert "harmony-leak" not in codes_of(content)
