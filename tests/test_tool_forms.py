"""Tools in the form of another API, and what the audit says of the tools of a request; sound tools of each API."""

from __future__ import annotations

import time
from typing import Any

import pytest

from utp_cli import diagnose, parse
from utp_cli.diagnosis.tool_forms import wrong_form
from utp_cli.facts.schema_subsets import ANTHROPIC_STRICT, GEMINI_SCHEMA, in_place_of
from utp_cli.wire.access import camel

SCHEMA = {"type": "object", "properties": {"harbour": {"type": "string", "description": "Its name"}}}
SAID = {"name": "boats", "description": "Counts the boats in a harbour."}
BARE = {**SAID, "parameters": SCHEMA}
CHAT = {"type": "function", "function": BARE}
RESPONSES = {"type": "function", **BARE}
ANTHROPIC = {**SAID, "input_schema": SCHEMA}
BEDROCK = {"toolSpec": {**SAID, "inputSchema": {"json": SCHEMA}}}
GEMINI = {"functionDeclarations": [BARE]}
GEMINI_SNAKE = {"function_declarations": [BARE]}
MCP = {**SAID, "inputSchema": SCHEMA}

OWN = {
    "openai": [CHAT, {"type": "custom", "name": "run"}, {"type": "custom", "custom": {"name": "run"}}],
    "openai-responses": [RESPONSES, {"type": "web_search"}, {"type": "mcp", "server_label": "x", "server_url": "u"}],
    "anthropic": [ANTHROPIC, {"type": "bash_20250124", "name": "bash"}, {"type": "custom", **ANTHROPIC}],
    "bedrock": [BEDROCK, {"cachePoint": {"type": "default"}}, {"systemTool": {"name": "nova_grounding"}}],
    "gemini": [GEMINI, GEMINI_SNAKE, {"googleSearch": {}}, {"codeExecution": {}}, {"urlContext": {}}],
    "mistral": [CHAT],
    "cohere": [CHAT],
    "ollama": [CHAT],
    "groq": [CHAT],
    "vllm": [CHAT],
    "mcp": [MCP, {**MCP, "annotations": {"readOnlyHint": True}, "outputSchema": SCHEMA}],
}


@pytest.mark.parametrize(("provider", "tool"), [(name, tool) for name, tools in OWN.items() for tool in tools])
def test_a_tool_in_its_own_form_is_left_alone(provider: str, tool: dict[str, Any]) -> None:
    found = diagnose({"tools": [tool], "provider": provider}, kind="tools")
    assert "tool-shape-invalid" not in {one.code for one in found}


@pytest.mark.parametrize(
    ("provider", "tool", "mend"),
    [
        ("anthropic", CHAT, 'write it as {"name", "description", "input_schema"}'),
        ("anthropic", BARE, "without `parameters`"),
        ("anthropic", MCP, "without `inputSchema`"),
        ("anthropic", GEMINI, "without `functionDeclarations`"),
        ("openai-responses", CHAT, 'write it as {"type": "function", "name"'),
        ("openai-responses", ANTHROPIC, "without `input_schema`"),
        ("openai", ANTHROPIC, 'wrap it as {"type": "function", "function"'),
        ("openai", BEDROCK, "without `toolSpec`"),
        ("mistral", RESPONSES, 'wrap it as {"type": "function", "function"'),
        ("bedrock", CHAT, 'wrap it as {"toolSpec"'),
        ("bedrock", ANTHROPIC, 'wrap it as {"toolSpec"'),
        ("bedrock", {"toolSpec": {**SAID, "inputSchema": SCHEMA}}, "put the schema under `json`"),
        ("gemini", BARE, 'wrap it as {"functionDeclarations"'),
        ("gemini", CHAT, 'write it as {"functionDeclarations"'),
        ("mcp", ANTHROPIC, "without `input_schema`"),
        ("mcp", CHAT, 'write it as {"name", "description", "inputSchema"}'),
    ],
)
def test_a_tool_in_another_form(provider: str, tool: dict[str, Any], mend: str) -> None:
    found = diagnose({"tools": [tool], "provider": provider}, kind="tools")
    [shape] = [one for one in found if one.code == "tool-shape-invalid"]
    assert (shape.severity, shape.place.pointer) == ("info", "/0")
    assert mend in shape.fix


@pytest.mark.parametrize("provider", ["openai", "azure", "vllm", "cohere", "ollama"])
def test_what_clients_of_chat_completions_wrap_themselves_is_left_alone(provider: str) -> None:
    assert diagnose({"tools": [BARE], "provider": provider}, kind="tools") == []


@pytest.mark.parametrize(
    ("provider", "tool", "says"),
    [
        ("openai", RESPONSES, "Responses API"),
        ("azure", RESPONSES, "Responses API"),
        ("vllm", RESPONSES, "Responses API"),
        ("deepseek", RESPONSES, "than DeepSeek takes"),
        ("openai", {"type": "function", **ANTHROPIC}, "than OpenAI takes"),
    ],
)
def test_who_has_both_apis_may_get_a_tool_of_the_responses_api(provider: str, tool: dict[str, Any], says: str) -> None:
    found = diagnose({"tools": [tool], "provider": provider}, kind="tools")
    assert [one.severity for one in found] == ["info"]
    assert says in found[0].message


@pytest.mark.parametrize(
    ("tool", "form"),
    [
        ({**CHAT, "input_schema": SCHEMA}, "openai-chat"),
        ({**MCP, "parameters": SCHEMA}, "mcp"),
        (CHAT, "soap"),
        (CHAT, ""),
        ({}, "openai-chat"),
        ({"name": "cache"}, "gemini"),
        ({"name": "cache"}, "bedrock"),
        ({"toolSpec": {}}, "bedrock"),
    ],
)
def test_what_is_passed_over(tool: dict[str, Any], form: str) -> None:
    assert wrong_form(tool, form) == ""


def test_an_error_is_told_and_no_form_beside_it() -> None:
    listed = {"type": "object", "properties": {"harbour": {"type": ["string", "null"], "description": "Its name"}}}
    tool = {"type": "function", "function": {**SAID, "parameters": listed}}
    found = diagnose({"tools": [tool], "provider": "gemini"}, kind="tools")
    assert [(one.code, one.severity) for one in found] == [("schema-keyword-unsupported", "error")]


UNTYPED = {"type": "object", "properties": {"harbour": {"description": "Its name"}}}
ASKED = {"role": "user", "content": "How many?"}
CHAT_OTHER = {"type": "function", "function": {**BARE, "name": "piers", "description": "Counts piers."}}


@pytest.mark.parametrize(
    ("schema", "codes"),
    [
        (SCHEMA, []),
        (UNTYPED, []),  # few providers stop a request because of it
        ({"type": "object", "properties": {"harbour": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}, []),
        ({"type": "object", "properties": {}}, []),
        ({"type": "object", "properties": {"all": {"type": "array", "items": {"type": "string"}}}}, []),
        ({"type": "object", "properties": {"all": {"type": "string", "minLength": "3"}}}, ["schema-invalid"]),
    ],
)
def test_the_audit_says_of_a_request_what_nothing_else_does(schema: Any, codes: list[str]) -> None:
    tool = {"type": "function", "function": {**SAID, "parameters": schema}}
    found = parse({"model": "some-model", "messages": [ASKED], "tools": [CHAT_OTHER, tool]}).diagnoses
    assert [(one.code, one.severity) for one in found] == [(code, "info") for code in codes]
    assert all(one.place.pointer.startswith("/tools/1/function/parameters/properties/") for one in found)


def test_where_something_is_sure_the_audit_is_silent() -> None:
    tool = {"type": "function", "function": {**SAID, "parameters": UNTYPED}}
    sent = {"model": "gpt-4o", "messages": [ASKED], "tools": [tool, tool]}
    found = parse(sent, provider="openai").diagnoses
    assert [one.code for one in found if one.severity == "error"] == ["tool-name-duplicate"]
    assert "schema-property-untyped" not in {one.code for one in found}


@pytest.mark.parametrize(
    ("keyword", "mend"),
    [
        ("oneOf", "write `anyOf` instead"),
        ("exclusiveMinimum", "write `minimum` instead"),
        ("$ref", "write the definition itself instead"),
        ("not", "drop `not`, and say it in the description instead"),
    ],
)
def test_what_to_write_in_place_of_a_keyword(keyword: str, mend: str) -> None:
    assert in_place_of(keyword, GEMINI_SCHEMA) == mend


def test_what_is_refused_too_is_no_way_out() -> None:
    assert in_place_of("exclusiveMinimum", ANTHROPIC_STRICT).startswith("drop ")


def test_names_of_parameters_stay_when_keys_of_gemini_are_read() -> None:
    schema = {"type": "object", "properties": {"pier_no": {"any_of": [{"min_items": 1}]}}, "required": ["pier_no"]}
    read = camel({"function_declarations": [{"parameters": schema}], "tool_config": None})
    assert read == {
        "functionDeclarations": [
            {
                "parameters": {
                    "type": "object",
                    "properties": {"pier_no": {"anyOf": [{"minItems": 1}]}},
                    "required": ["pier_no"],
                }
            }
        ]
    }
    assert camel({"function_call": {"args": {"pier_no": None}}}) == {"functionCall": {"args": {"pier_no": None}}}


def test_a_request_of_geminis_python_sdk_is_sound() -> None:
    schema = {"type": "object", "properties": {"pier_no": {"type": "integer", "description": "n"}}}
    tool = {"function_declarations": [{**SAID, "parameters": {**schema, "required": ["pier_no"]}}]}
    said = {"contents": [{"role": "user", "parts": [{"text": "How many?"}]}], "generation_config": {"temperature": 0}}
    assert parse({**said, "tools": [tool]}, provider="gemini").diagnoses == []


def _deep(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = {"a_b": [value]}
    return value


ODD = [None, True, 5, "", "x", [], {}, [[]], {"": None}, {"name": {}}, _deep(3000)]


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_any_value_may_stand_anywhere(odd: Any) -> None:
    camel(odd)
    for form in ("openai-chat", "openai-responses", "anthropic", "bedrock", "gemini", "mcp"):
        tools = [{key: odd} for key in ("name", "function", "toolSpec", "type", "parameters")]
        for tool in [*tools, {"toolSpec": {"inputSchema": odd}}]:
            assert isinstance(wrong_form(tool, form), str)


def test_many_tools_take_linear_time() -> None:
    begun = time.process_time()
    tools = [{**BARE, "name": f"boats_{at}"} for at in range(1000)]
    diagnose({"tools": tools, "provider": "anthropic"}, kind="tools")
    assert time.process_time() - begun < 5
