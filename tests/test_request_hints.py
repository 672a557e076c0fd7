"""What is lost of a request though nobody refuses it, and tools and commands that do not fit: told, and sound neighbours."""

from __future__ import annotations

from typing import Any

import pytest

import utp_cli
from utp_cli.detection.command_checks import check_command
from utp_cli.detection.command_line import read_command
from utp_cli.detection.detect import detect

ASKED = {"role": "user", "content": "Which locks are open?"}
CALL = {"id": "call_7f", "type": "function", "function": {"name": "lock_state", "arguments": '{"lock": 4}'}}
CALLED = {"role": "assistant", "content": "", "tool_calls": [CALL]}
GIVEN = {"role": "tool", "tool_call_id": "call_7f", "content": "open"}
OWN = {"role": "assistant", "content": "", "toolCalls": [{"name": "lock_state", "arguments": {"lock": 4}}]}
BY_NAME = {"role": "tool", "tool_name": "lock_state", "content": "open"}
NO_ID = {"role": "tool", "name": "lock_state", "content": "open"}
PARAMETERS = {"type": "object", "properties": {"lock": {"type": "integer", "description": "Its number."}}}
TOOL = {
    "type": "function",
    "function": {"name": "lock_state", "description": "State of a lock.", "parameters": PARAMETERS},
}
ANTHROPICS = {"name": "lock_state", "description": "State of a lock.", "input_schema": PARAMETERS}
SCHEMA = {"type": "object", "properties": {"lock": {"type": "integer"}}, "required": ["lock"]}
FORMAT = {"type": "json_schema", "json_schema": {"name": "lock", "schema": SCHEMA}}
NODE = {"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}}}
LOOP = {"type": "object", "properties": {"first": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": NODE}}
PLAIN = {"type": "object", "properties": {"a": {"$ref": "#/$defs/B"}}, "$defs": {"B": {"type": "string"}}}


def request(*messages: Any, model: str = "qwen3:8b", **rest: Any) -> dict[str, Any]:
    return {"model": model, "messages": list(messages or (ASKED,)), **rest}


def severity_of(code: str, asked: dict[str, Any], **known: Any) -> str:
    return next((one.severity for one in utp_cli.parse(asked, **known).diagnoses if one.code == code), "")


OLLAMA, VLLM, SGLANG = ({"engine": name} for name in ("ollama", "vllm", "sglang"))


@pytest.mark.parametrize(
    ("asked", "known", "expected"),
    [
        (request(ASKED, OWN, NO_ID, tools=[TOOL]), {"server": OLLAMA}, "error"),
        (request(ASKED, OWN, NO_ID, tools=[TOOL]), {"server": VLLM}, "error"),
        (request(ASKED, OWN, BY_NAME, tools=[TOOL]), {}, "info"),  # only Ollama's API says tool_name
        (request(ASKED, OWN, NO_ID, tools=[TOOL]), {}, ""),  # a client converts it, perhaps
        (request(ASKED, CALLED, GIVEN, tools=[TOOL]), {"server": VLLM}, ""),
        (request(ASKED, {**CALLED, **OWN}, GIVEN, tools=[TOOL]), {"server": VLLM}, ""),
        (request(ASKED, {**OWN, "toolCalls": []}, ASKED), {"server": OLLAMA}, ""),
    ],
)
def test_calls_under_a_key_of_a_client(asked: dict[str, Any], known: dict[str, Any], expected: str) -> None:
    assert severity_of("call-shape-invalid", asked, **known) == expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"model": "qwen3-8b", "input": "Which?", "response_format": FORMAT}, "warning"),
        ({"model": "qwen3-8b", "input": [ASKED], "response_format": {"type": "json_object"}}, "warning"),
        (request(text={"format": {"type": "json_schema", "name": "lock", "schema": SCHEMA}}), "warning"),
        ({"model": "qwen3-8b", "input": "Which?", "text": {"format": {"type": "json_schema", "schema": SCHEMA}}}, ""),
        ({"model": "qwen3-8b", "input": "Which?", "response_format": {"type": "text"}}, ""),
        (request(response_format=FORMAT), ""),
        (request(text={"verbosity": "low"}), ""),
        (request(format=SCHEMA), ""),
    ],
)
def test_the_format_of_the_other_api(asked: dict[str, Any], expected: str) -> None:
    assert severity_of("constraint-field-ignored", asked) == expected


USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "lock_state", "input": {"lock": 4}}]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "open"}]}


@pytest.mark.parametrize(
    ("asked", "known", "expected"),
    [
        (request(ASKED, CALLED, GIVEN), {}, "info"),
        (request(ASKED, CALLED, GIVEN, tools=[]), {}, "info"),
        (request(ASKED, USE, RESULT, model="claude-opus-4-5", max_tokens=90), {}, "error"),
        (request(ASKED, CALLED, GIVEN, tools=[TOOL]), {}, ""),
        (request(ASKED, CALLED, GIVEN), {"tools": [TOOL]}, ""),
        (request(ASKED, CALLED, GIVEN, functions=[TOOL["function"]]), {}, ""),
        (request(ASKED, CALLED, GIVEN, {"role": "assistant", "content": "Open."}, ASKED), {}, ""),  # a summary, perhaps
        ({"messages": [ASKED, CALLED, GIVEN]}, {}, ""),  # of messages alone nobody knows what went with them
        (request(ASKED), {}, ""),
    ],
)
def test_tools_that_are_left_out_behind_a_result(asked: dict[str, Any], known: dict[str, Any], expected: str) -> None:
    assert severity_of("tools-missing-with-history", asked, **known) == expected


BARE = {key: value for key, value in CALLED.items() if key != "content"}


@pytest.mark.parametrize(
    ("message", "server", "expected"),
    [
        (BARE, SGLANG, "info"),
        (BARE, {"engine": "sglang", "version": "0.4.6"}, "info"),
        (BARE, {"engine": "llama.cpp"}, "info"),
        (BARE, {"engine": "sglang", "version": "0.5.3"}, ""),
        (BARE, VLLM, ""),  # puts an empty text there itself
        (BARE, None, ""),
        (CALLED, SGLANG, ""),
    ],
)
def test_calls_without_content(message: dict[str, Any], server: dict[str, Any] | None, expected: str) -> None:
    asked = request(ASKED, message, GIVEN, tools=[TOOL], model="Qwen/Qwen3-14B")
    assert severity_of("content-null-refused", asked, server=server) == expected


@pytest.mark.parametrize(
    ("schema", "server", "expected"),
    [
        (LOOP, SGLANG, "info"),
        (LOOP, VLLM, "info"),
        (LOOP, OLLAMA, ""),
        (LOOP, None, ""),
        (PLAIN, SGLANG, ""),
        (SCHEMA, VLLM, ""),
    ],
)
def test_a_schema_that_refers_to_itself(schema: dict[str, Any], server: dict[str, Any] | None, expected: str) -> None:
    form = {"type": "json_schema", "json_schema": {"name": "locks", "schema": schema}}
    asked = request(response_format=form, model="Qwen/Qwen3-14B")
    assert severity_of("schema-ref-unsupported", asked, server=server) == expected


WEB = {"type": "web_search_20250305", "name": "web_search"}


@pytest.mark.parametrize(
    ("asked", "known", "expected"),
    [
        (request(tools=[WEB], model="claude-sonnet-4-5"), {}, "info"),
        (request({"role": "system", "content": "Brief."}, ASKED, tools=[WEB], max_tokens=9), {}, "info"),
        (request(tools=[TOOL, WEB], model="claude-sonnet-4-5", max_completion_tokens=90), {}, "info"),
        (request(tools=[WEB], model="claude-sonnet-4-5", max_tokens=90), {}, ""),
        (request(tools=[WEB], model="claude-sonnet-4-5"), {"provider": "anthropic"}, ""),
        (request(tools=[ANTHROPICS, WEB], model="claude-sonnet-4-5", max_tokens=90, system="Brief."), {}, ""),
        (request(tools=[TOOL], model="claude-sonnet-4-5"), {}, ""),
    ],
)
def test_tools_of_anthropic_in_chat_completions(asked: dict[str, Any], known: dict[str, Any], expected: str) -> None:
    assert severity_of("tool-type-unsupported", asked, **known) == expected


@pytest.mark.parametrize(
    ("tools", "provider", "expected"),
    [
        ([{"type": "web_search"}, ANTHROPICS], "anthropic", "error"),
        ([TOOL, {"type": "image_generation"}], "anthropic", "warning"),
        ([WEB, ANTHROPICS], "anthropic", ""),
        ([{"type": "custom", **ANTHROPICS}], "anthropic", ""),
        ([{"type": "mcp_toolset", "mcp_server_name": "locks"}], "anthropic", ""),
        ([TOOL, {"type": "web_search"}], "openai", ""),
        ([TOOL, {"type": "web_search"}], None, ""),
    ],
)
def test_tools_of_openai_for_anthropic(tools: list[Any], provider: str | None, expected: str) -> None:
    found = utp_cli.diagnose(tools, kind="tools", provider=provider)
    assert next((one.severity for one in found if one.code == "tool-type-unsupported"), "") == expected


FLAT = {"name": "lock_state", "description": "State of a lock.", "parameters": PARAMETERS}


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"type": "session.update", "session": {"voice": "ash", "tools": [FLAT]}}, True),
        ({"session": {"type": "realtime", "tools": [{"type": "function", **FLAT}, FLAT]}}, True),
        ({"type": "session.update", "session": {"voice": "ash", "tools": [{"type": "function", **FLAT}]}}, False),
        ({"type": "session.update", "session": {"voice": "ash", "tools": []}}, False),
        ({"type": "session.update", "session": {"voice": "ash"}}, False),
        ({"type": "session.created", "session": {"tools": [FLAT]}}, False),
        ({"type": "session.update", "session": "s1"}, False),
    ],
)
def test_tools_of_a_realtime_session(document: dict[str, Any], told: bool) -> None:
    codes = {one.code for one in utp_cli.parse(document).diagnoses}
    assert ("tool-shape-invalid" in codes) is told


def blocks(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(parts)}


SAID = {"type": "text", "text": "I look."}
BEDROCKS = {"toolUse": {"toolUseId": "t1", "name": "lock_state", "input": {"lock": 4}}}
BEDROCK_RESULT = {"role": "user", "content": [{"toolResult": {"toolUseId": "t1", "content": [{"text": "open"}]}}]}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([ASKED, blocks(USE["content"][0], SAID), RESULT], "info"),
        ([ASKED, blocks({"text": "I look"}, BEDROCKS, {"text": " now."}), BEDROCK_RESULT], "info"),
        ([ASKED, blocks(SAID, USE["content"][0]), RESULT], ""),
        ([ASKED, blocks({"text": "I look."}, BEDROCKS), BEDROCK_RESULT], ""),
        ([ASKED, blocks(USE["content"][0], {"type": "text", "text": "\n"}), RESULT], ""),
        ([ASKED, blocks(USE["content"][0], SAID)], ""),  # the answer that just came
    ],
)
def test_text_behind_a_call(messages: list[Any], expected: str) -> None:
    found = utp_cli.diagnose(messages, kind="session")
    assert next((one.severity for one in found if one.code == "turn-order"), "") == expected


NAMED = {"type": "tool", "name": "lock_state"}
FUNCTION = {"type": "function", "function": {"name": "lock_state"}}


@pytest.mark.parametrize(
    ("asked", "known", "expected"),
    [
        (request(model="deepseek-v4-flash", tools=[TOOL], tool_choice="required"), {"provider": "deepseek"}, "error"),
        (request(model="deepseek-v4-flash", tools=[TOOL], tool_choice=FUNCTION), {}, "info"),
        (request(model="deepseek-v4-pro", tools=[ANTHROPICS], tool_choice=NAMED, max_tokens=9), {}, "info"),
        (request(model="deepseek-v4-pro", tools=[TOOL], tool_choice="auto"), {"provider": "deepseek"}, ""),
        (
            request(model="deepseek-v4-pro", tools=[TOOL], tool_choice="required", thinking={"type": "disabled"}),
            {"provider": "deepseek"},
            "",
        ),
        (request(model="deepseek-chat", tools=[TOOL], tool_choice="required"), {"provider": "deepseek"}, ""),
        (request(model="deepseek-ai/DeepSeek-V4", tools=[TOOL], tool_choice="required"), {"server": VLLM}, ""),
        (request(model="deepseek/deepseek-v4-pro", tools=[TOOL], tool_choice="required"), {}, ""),
        (request(model="qwen-max", tools=[TOOL], tool_choice="required"), {}, ""),
    ],
)
def test_forced_calls_of_deepseek(asked: dict[str, Any], known: dict[str, Any], expected: str) -> None:
    assert severity_of("tool-choice-refused", asked, **known) == expected


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"type": "object", "description": "The shipment"}, True),
        ({"type": ["object", "null"]}, True),
        ({"type": "object", "additionalProperties": True}, False),
        ({"type": "object", "additionalProperties": {"type": "string"}}, False),
        ({"type": "object", "properties": {}}, False),
        ({"type": "object", "properties": {"weight": {"type": "number"}}}, False),
        ({"type": "object", "description": "Any key and value that the caller likes"}, False),
        ({"type": "object", "description": 'for example {"weight": 3}'}, False),
        ({"type": "object", "default": {}}, False),
        ({"type": "string"}, False),
    ],
)
def test_inner_objects_of_which_nothing_is_said(schema: dict[str, Any], told: bool) -> None:
    parameters = {"type": "object", "properties": {"shipment": schema}, "required": ["shipment"]}
    function = {"name": "send_off", "description": "Sends a shipment off.", "parameters": parameters}
    found = utp_cli.diagnose([{"type": "function", "function": function}], kind="tools")
    assert [one.severity for one in found if one.code == "object-without-properties"] == ["info"] * told


def test_bags_may_hold_anything() -> None:
    for name in ("metadata", "extra_params", "filters", "payload", "config"):
        parameters = {"type": "object", "properties": {name: {"type": "object"}}}
        function = {"name": "send_off", "description": "Sends a shipment off.", "parameters": parameters}
        found = utp_cli.diagnose([{"type": "function", "function": function}], kind="tools")
        assert "object-without-properties" not in {one.code for one in found}


ANSWERED = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "model": "qwen3-8b",
    "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [CALL]}}],
}


@pytest.mark.parametrize(
    ("asked", "known", "expected"),
    [
        (request(), {}, True),
        (request(tools=[TOOL]), {}, False),
        (request(), {"tools": [TOOL]}, False),
        (request(functions=[TOOL["function"]]), {}, False),
        ({"messages": [ASKED]}, {}, False),
        ({"model": "qwen3-8b"}, {}, False),
        (request(previous_response_id="resp_1"), {}, False),
        (request(mcp_servers=[{"url": "https://example.org"}]), {}, False),
        (request(tools=[], tool_choice="none"), {}, False),  # tool-choice-none-ignored says it
    ],
)
def test_calls_of_tools_that_nobody_declared(asked: dict[str, Any], known: dict[str, Any], expected: bool) -> None:
    codes = {one.code for one in utp_cli.parse(ANSWERED, request=asked, **known).diagnoses}
    assert ("unknown-tool" in codes) is expected


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("vllm serve Qwen/Qwen2.5-Coder-7B-Instruct --enable-auto-tool-choice --tool-call-parser hermes", True),
        ("python -m sglang.launch_server --model-path Qwen/Qwen2.5-Coder-7B-Instruct --tool-call-parser qwen25", True),
        ("vllm serve Qwen/Qwen2.5-7B-Instruct --enable-auto-tool-choice --tool-call-parser hermes", False),
        ("vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser hermes", False),
        ("vllm serve Qwen/Qwen2.5-Coder-7B-Instruct --tool-parser-plugin /p.py --tool-call-parser own", False),
    ],
)
def test_models_that_keep_to_no_format(command: str, told: bool) -> None:
    started = read_command(command)
    assert started is not None
    found = check_command(started, detect(started.model or ""))
    assert ("parser-mismatch" in {one.code for one in found.findings}) is told
