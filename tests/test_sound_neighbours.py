"""Sound inputs beside those of which something is told: they are left alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli import diagnose, parse
from utp_cli.captures.receiver import receiver_named
from utp_cli.diagnosis.histories.sessions import diagnose_conversation
from utp_cli.facts.error_texts.finder import find_error_texts

SCHEMA = {"type": "object", "properties": {"city": {"type": "string", "description": "Name of a city"}}}
TOOL = {
    "type": "function",
    "function": {"name": "get_weather", "description": "The weather now.", "parameters": SCHEMA},
}
ASKED = {"role": "user", "content": "How is it in Rome?"}


def _body(text: str | None, reason: str = "stop", **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": text} | message}
    return {"object": "chat.completion", "model": "m", "choices": [choice]}


@pytest.mark.parametrize(
    "words",
    [
        "Claude wrote this:",
        "Co-authored-by: Claude <noreply@example.org>",
        "Generated with Claude",
        "Anthropic via OpenRouter:",
        "We proxy Anthropic through LiteLLM",
        "OpenAI format, not Anthropic:",
        "Replaces the old Anthropic backend, which failed:",
        "I switched away from Anthropic after all those errors",
        "I love how Gemini handles these tools:",
        "These tools run perfectly on Gemini",
        "Without any error on Gemini, these pass",
        "each vertex of the graph has an id, which is invalid",
    ],
)
def test_who_is_named_and_not_blamed_gets_nothing(words: str) -> None:
    assert receiver_named(words) == ("", "")


@pytest.mark.parametrize(
    "text",
    [
        "Paste the code here and I'll check it.",
        "Which city? Once I know, I'll check the weather.",
        "Reply YES and I'll delete it.",
        "If anything changes, I'll send a note.",
        "From now on, I'll speak French.",
        "I'll call you Sam.",
        "Translation: I will buy bread.",
        "The song's chorus goes: I will survive.",
    ],
)
def test_who_waits_or_only_speaks_announces_no_call(text: str) -> None:
    assert parse(_body(text), tools=[TOOL]).diagnoses == []


def test_a_story_is_no_plan() -> None:
    text = "I will go to the market tomorrow. Then I will cook dinner for the family."
    assert parse(_body(text)).diagnoses == []


def _response(output: list[Any], **more: Any) -> dict[str, Any]:
    return {"id": "resp_1", "object": "response", "status": "completed", "model": "m", "output": output} | more


FUNCTION = {"type": "function", "name": "get_weather", "parameters": SCHEMA | {"required": ["city"]}}
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "c1",
    "name": "crm_get",
    "arguments": "{}",
    "status": "completed",
}


@pytest.mark.parametrize(
    "body",
    [
        _response([{"type": "message", "role": "assistant", "id": "m1", "status": "completed",
                    "content": [{"type": "output_text", "text": '{"city":"Rome"}', "annotations": []}]}],
                  tools=[FUNCTION], text={"format": {"type": "json_schema", "name": "place", "schema": SCHEMA}}),
        _response([CALL], tools=[FUNCTION, {"type": "namespace", "name": "crm", "tools": [{"name": "crm_get"}]}]),
        _response([CALL], tools=[FUNCTION, {"type": "tool_search"}]),
    ],
)  # fmt: skip
def test_a_response_that_repeats_its_tools_is_sound(body: dict[str, Any]) -> None:
    assert parse(body).diagnoses == []


@pytest.mark.parametrize(
    "item",
    [
        {"type": "function_call", "name": ["p"], "arguments": "{}", "call_id": "c"},
        {"type": "function_call", "name": {}, "arguments": "{}", "call_id": "c"},
        {"type": "function_call", "arguments": "{}", "call_id": "c"},
    ],
)
def test_names_that_are_none_are_no_custom_tools(item: dict[str, Any]) -> None:
    found = parse(_response([item], tools=[{"type": "custom", "name": "p"}, {"type": "custom"}])).diagnoses
    assert "call-shape-invalid" not in [one.code for one in found]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("where", '{"id": 5}'), ("pipeline", '[{"$match": {}}]'), ("variables", '{"first": 5}'),
        ("jsonBody", '{"a": 1}'), ("postData", '{"a": 1}'), ("payload_str", '{"a": 1}'), ("PolicyDocument", '{"a": 1}'),
    ],
)  # fmt: skip
def test_json_that_belongs_in_a_text(name: str, value: str) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "send", "arguments": json.dumps({name: value})}}
    assert parse(_body(None, "tool_calls", tool_calls=[call])).diagnoses == []


@pytest.mark.parametrize(
    "told",
    [
        "Pings.\n\nArgs:\n    none", "Pings.\n\nArgs:\n\nReturns:\n    list", "Pings. Args: (none)", "Pings. Args: {}",
        "Pings. Parameters: void", "Pings. Parameters: this tool takes no parameters", "Pings. caution: Cannot be undone",
        "Pings. format: ISO", "Pings. scope: Admin only", "Returns the profile with these fields.\nname: The name",
    ],
)  # fmt: skip
def test_a_tool_without_arguments_may_say_so(told: str) -> None:
    tool = {"name": "ping", "description": told, "input_schema": {"type": "object", "properties": {}}}
    assert diagnose([tool], kind="tools") == []


@pytest.mark.parametrize(
    ("body", "asked"),
    [
        (_body('\ufeff{"a":1}'), {"response_format": {"type": "json_object"}}),
        (_body("[section]\nkey = 1\n" + "\n" * 45, "length"), {}),
        (_body("[1, 2]\nint main() {\n" + " " * 44, "length"), {}),
        (_body("", reasoning_content="[1]"), {}),
        (_body("", "content_filter", reasoning_content='{"a": 1}'), {}),
        (
            _body("The tests failed with: TypeError: f() got an unexpected keyword argument 'x'. I fixed it.", "error"),
            {},
        ),
    ],
)
def test_ends_and_formats_that_are_no_fault(body: dict[str, Any], asked: dict[str, Any]) -> None:
    assert parse(body, request={"model": "m", "messages": [ASKED], **asked}).diagnoses == []


@pytest.mark.parametrize(
    "more",
    [{"response_formatter": 1}, {"response_fmt": 1}, {"xtools": 1}, {"json_schemas": 1}, {"response_formats": []}],
)
def test_fields_of_somebodys_own(more: dict[str, Any]) -> None:
    assert parse({"model": "m", "messages": [ASKED], **more}).diagnoses == []


@pytest.mark.parametrize("model", ["codex-mini-latest", "computer-use-preview", "azure/my-deployment"])
def test_models_of_openai_take_messages_between(model: str) -> None:
    items = [
        {"type": "message", "role": "user", "content": "Open it."},
        {"type": "function_call", "call_id": "c1", "name": "open_gate", "arguments": "{}"},
        {"type": "message", "role": "developer", "content": "step 2"},
        {"type": "function_call_output", "call_id": "c1", "output": "opened"},
    ]
    found = diagnose_conversation({"model": model, "input": items}, "openai-responses")
    assert "turn-order" not in [one.code for one in found]


DEFINED = (
    '{{ if .System }}{{ .System }}{{ if .Tools }}{{ template "t" . }}{{ end }}{{ end }}{{ if not .System }}'
    '{{ template "t" . }}{{ end }}{{ define "t" }}{{ .Tools }}{{ end }}{{ range .Messages }}{{ .Content }}'
    "{{ if .ToolCalls }}{{ json . }}{{ end }}{{ end }}"
)
OWN_SYSTEM = (
    'FROM qwen3\nSYSTEM """You answer."""\nTEMPLATE """{{ if .System }}{{ .System }}{{ if .Tools }}{{ .Tools }}{{ end }}'
    '{{ end }}{{ range .Messages }}{{ .Content }}{{ if .ToolCalls }}{{ json . }}{{ end }}{{ end }}"""\n'
)


@pytest.mark.parametrize("template", [DEFINED, OWN_SYSTEM])
def test_tools_that_a_template_writes_in_any_case(template: str) -> None:
    assert diagnose(template, kind="template", server={"engine": "ollama"}) == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("messages.1.content: Input should be a valid list. Model: x, tools: 3", "tool-shape-invalid"),
        ("tool_choice is 'required' but tools is not supported for streaming", "tool-options-without-tools"),
        ("SendMessage.__init__() got an unexpected keyword argument 'recipient'", "call-shape-invalid"),
        ("Failed to decode tool call: 'arguments' is not valid JSON", "call-shape-invalid"),
        ("kubectl: error parsing message_file: unexpected end of JSON input", "sse-framing-broken"),
        ("could not read the response file: missing field 'type' in Cargo.toml", "call-shape-invalid"),
        ("upstream stream closed, config is missing field 'id'", "gateway-error-opaque"),
        ("object has no method named foo at x.pl", "template-engine-limit"),
        ("INFO unknown method tools/foo was registered as extension", "mcp-method-missing"),
        ("error: cannot format foo.py: invalid syntax (<unknown>, line 12)", "streaming-parser-loss"),
        ("mypy: error: unexpected indent (<unknown>, line 4)", "streaming-parser-loss"),
        ("ERROR parser.cc: Unexpected token: ) of type 12 at line 3 in query.sql", "template-engine-limit"),
        ("Haiku does not support effort level settings, Opus does.", "reasoning-effort-refused"),
        ('The PHP function does not contain "arguments" so call it bare.', "call-shape-invalid"),
        ("test_bad PASSED 'Tool call is not a valid JSON object'", "calls-lost"),
        ("Redoc: Could not find $ref definition for Pet in openapi.yaml", "schema-ref-unsupported"),
        ("JSON output is not supported by this model of printer", "constraint-unavailable"),
        ("Unknown name \"response\" at 'contents[2].parts[0].function_response': Cannot find field.", "content-shape"),
    ],
)
def test_words_that_mean_something_else(words: str, code: str) -> None:
    assert code not in [one.entry.code for one in find_error_texts(words)]


def test_the_innermost_frame_tells_whose_json_it_was() -> None:
    frames = (
        '  File "/app/main.py", line 9, in handle\n    return await agent.run(await request.json())\n'
        '  File "/app/agent.py", line 30, in run\n    args = json.loads(tool_call.function.arguments)\n'
    )
    raised = "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"
    found = parse(f"Traceback (most recent call last):\n{frames}{raised}").diagnoses
    assert [one.code for one in found][:1] == ["arguments-invalid-json"]


def test_lines_that_begin_as_the_second_of_an_error_are_read_once() -> None:
    assert parse("JSON parsing failed: Text: " + "Error message: x y\n" * 4_000).diagnoses
