"""Requests and tools in a paste whose words name who refused them, and tools that are all there is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli import diagnose, parse
from utp_cli.captures.receiver import receiver_named


@pytest.mark.parametrize(
    ("words", "provider", "engine"),
    [
        ("The declaration that gemini-3.8-flash does not take (all other models do):", "gemini", ""),
        ("the request fails on llama-server (400), Claude takes it:", "", "llama.cpp"),
        ("GPT and Claude are happy with it, with Gemini nothing comes:", "gemini", ""),
        ("works on OpenAI but fails on Anthropic", "anthropic", ""),
        ("Mistral on vLLM answers 500", "", "vllm"),
        ("Claude Desktop shows 0 tools", "", ""),
        ("an OpenAI-compatible endpoint refuses this", "", ""),
        ("an OpenAI compatible endpoint refuses this", "", ""),
        ("Ollama and vLLM refuse this", "", ""),
        ("raised in openai_client.py, with the OpenAI SDK", "", ""),
        ("It does not work with Bedrock", "bedrock", ""),
        ("It works with Bedrock", "", ""),
        ("one of my tools is refused", "", ""),
    ],
)
def test_words_name_who_got_it(words: str, provider: str, engine: str) -> None:
    assert receiver_named(words) == (provider, engine)


def _tool(name: str = "stamp_letter", **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties}
    function = {"name": name, "description": "Stamps a letter of the archive.", "parameters": schema}
    return {"type": "function", "function": function}


PATTERN = {"type": "string", "description": "Why", "pattern": "\\S"}
LISTED = {"type": ["string", "null"], "description": "Why"}
WHY = {"type": "string", "description": "Why"}


@pytest.mark.parametrize(
    ("words", "tools", "codes"),
    [
        ("llama-server answers 400, cloud models take it", [_tool(reason=PATTERN)], ["schema-not-compilable"]),
        ("all cloud models take it", [_tool(reason=PATTERN)], []),
        ("Gemini does not take this one", [_tool(reason=LISTED)], ["schema-keyword-unsupported"]),
        ("OpenAI takes this one", [_tool(reason=LISTED)], []),
        ("always the wrong one is called", [_tool(reason=WHY), _tool(reason=WHY)], ["tool-name-duplicate"]),
        ("always the wrong one is called", [_tool(reason=WHY), _tool("seal", reason=WHY)], []),
        ("it sends text", [_tool(reason={"default": None, "description": "Why"})], ["schema-property-untyped"]),
        ("it is refused", [_tool(reason={**WHY, "required": False})], ["schema-invalid"]),
        ("it is refused", [_tool(copies={"type": "integer", "description": "How many copies",
                                         "exclusiveMinimum": True, "minimum": 0})], ["schema-invalid"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("indent", [None, 2])
def test_tools_in_a_paste_are_looked_at(words: str, tools: Any, codes: list[str], indent: int | None) -> None:
    result = parse(f"{words}:\n\n```json\n{json.dumps(tools, indent=indent)}\n```\n")
    assert [one.kind for one in result.captures] == ["tools"]
    assert [(one.code, one.severity) for one in result.diagnoses] == [(code, "info") for code in codes]


def test_a_list_that_an_mcp_server_gave_is_tools() -> None:
    listed = {"tools": [{"name": "seals", "description": "Lists the seals.", "inputSchema": {"$ref": "#/x"}}]}
    for document in (listed, {"jsonrpc": "2.0", "id": 2, "result": listed}):
        result = parse("strict clients drop every tool:\n\n" + json.dumps(document))
        assert [one.kind for one in result.captures] == ["tools"]
        assert [one.code for one in result.diagnoses] == ["schema-ref-unsupported", "schema-not-object"]


@pytest.mark.parametrize("schema", [{"anyOf": [{"type": "integer"}, {"const": "open"}]}, {"$ref": "#/$defs/gate"}])
def test_a_definition_whose_property_has_no_type_is_no_call(schema: dict[str, Any]) -> None:
    assert parse(json.dumps([_tool(gate=schema)], indent=1)).calls == []


def test_a_description_that_tells_arguments_which_the_schema_lacks() -> None:
    """The client handed on the words of the tool's server, and not its schema."""
    codes = []
    for told in (
        "Indexes a folder. path: Absolute path",
        "Indexes.\n\nArgs:\n    path: where",
        "Restarts. Note: slow.",
    ):
        tool = {"name": "index", "description": told, "input_schema": {"type": "object", "properties": {}}}
        codes.append([one.code for one in diagnose([tool], kind="tools")])
    assert codes == [["object-without-properties"], ["object-without-properties"], []]


HISTORY = [
    {"role": "user", "content": "Weigh parcel 77"},
    {"role": "assistant",
     "tool_calls": [{"id": "call_h1", "type": "function", "function": {"name": "weigh", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "call_h1", "content": "1.2 kg"},
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "codes"),
    [("sglang gives 500 for this", ["content-null-refused"]), ("my gateway gives 500 for this", [])],
)
def test_a_request_is_held_against_the_rules_of_the_server_that_is_named(words: str, codes: list[str]) -> None:
    asked = {"model": "Qwen/Qwen3-32B", "messages": HISTORY, "tools": [_tool("weigh", parcel=WHY)]}
    assert [one.code for one in parse(f"{words}\n\n{json.dumps(asked)}").diagnoses] == codes


def test_brackets_in_the_words_swallow_no_document() -> None:
    strict = [_tool(reason=WHY)]
    strict[0]["function"]["strict"] = True
    words = "Sent by Prism (withProviderOptions(['strict' => true])), and refused:\n\n"
    result = parse(words + json.dumps(strict, indent=2))
    assert [one.kind for one in result.captures] == ["tools"]
    assert [one.code for one in result.diagnoses] == ["schema-strict-incomplete"]


def test_a_conversation_in_a_paste_has_the_form_of_its_messages() -> None:
    used = {"toolUse": {"toolUseId": "t1", "name": "quay_state", "input": {"quay": 5}}}
    gave = {"toolResult": {"toolUseId": "t1", "status": "success", "content": [{"text": "taken"}]}}
    said = [("user", {"text": "Is quay 5 free?"}), ("assistant", used), ("user", gave)]
    cut = [("assistant", {"text": "Quay 4 is free."}), *said]
    for turns, codes in ((said, []), (cut, ["turn-order"])):
        messages = [{"role": role, "content": [block]} for role, block in turns]
        paste = f"the conversation manager gave these:\n\n{json.dumps(messages, indent=1)}"
        assert [one.code for one in parse(paste).diagnoses] == codes


def test_tools_beside_an_error_that_tells_nothing_are_looked_at() -> None:
    tool = {"name": "seals", "description": "Lists the seals.", "inputSchema": {"type": "object", "required": None}}
    listed = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool]}})
    found = parse(f'{listed}\n\n400 Bad Request: {{"error": "bad request"}}\n').diagnoses
    assert "schema-invalid" in [one.code for one in found]
