"""The public names are those that are documented, and each can be had."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import utp_cli
from utp_cli import UtpError, plan_calls, preflight, retry_message, rewrite

DOCUMENTED = {
    "Parser", "UtpError", "audit", "detect", "diagnose", "failure_of", "heal", "load_tools", "parse", "parse_table", "read_capture", "recognise", "render_result",
    "render_tools", "repair_json", "replay", "plan_calls", "preflight", "retry_message", "rewrite", "rewrite_history",
}  # fmt: skip


def test_public_names() -> None:
    assert set(utp_cli.__all__) == DOCUMENTED
    for name in DOCUMENTED:
        assert getattr(utp_cli, name).__name__ == name
    assert set(dir(utp_cli)) == DOCUMENTED | {"__version__"}


def test_a_path_is_not_what_its_file_holds() -> None:
    with pytest.raises(utp_cli.UtpError, match=r"parse\(Path\('answer.json'\).read_bytes\(\)\)"):
        utp_cli.parse(Path("answer.json"))


@pytest.mark.parametrize("call", ["look", None, 5, {}, {"nme": "look"}, {"name": 5}])
def test_what_is_no_call_is_said(call: Any) -> None:
    for ask in (preflight, retry_message):
        with pytest.raises(UtpError, match="a call is what `parse` found"):
            ask(call, [])
    with pytest.raises(UtpError, match="the calls to plan"):
        plan_calls([call])
    with pytest.raises(UtpError, match="what is rewritten"):
        rewrite(call)


TOOL = {"name": "look", "parameters": {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}}


@pytest.mark.parametrize(
    "call",
    [
        {"name": "look", "arguments": {"near": 1}},
        {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"near": 1}'}},
        {"function": {"name": "look", "arguments": {"near": 1}}},
        {"type": "tool_use", "id": "t", "name": "look", "input": {"near": 1}},
        {"functionCall": {"name": "look", "args": {"near": 1}}},
        {"toolUse": {"toolUseId": "t", "name": "look", "input": {"near": 1}}},
        {"name": "look", "args": {"near": 1}, "id": "l", "type": "tool_call"},
    ],
)
def test_a_call_in_any_providers_form(call: dict[str, Any]) -> None:
    assert [problem.pointer for problem in preflight(call, [TOOL])] == ["/at"]
    assert "Field required" in retry_message(call, [TOOL])


def look(at: str) -> str:
    """Look at a place."""
    return at


@pytest.mark.parametrize(
    "tools", [look, [look], {"look": look}, {"look": {"description": "x", "parameters": TOOL["parameters"]}}, TOOL]
)
def test_tools_by_name_and_alone(tools: Any) -> None:
    (call,) = utp_cli.parse('<tool_call>{"name": "look", "arguments": {"at": "x"}}</tool_call>', tools=tools).calls
    assert call.valid


@pytest.mark.parametrize("tools", [[{"x": 1}], {}, "", {"look": 3}, 3, [None], b"x"])
def test_what_is_no_tool_is_said(tools: Any) -> None:
    with pytest.raises(UtpError, match="tools are a file's path, definitions, functions, pydantic models, or a list"):
        utp_cli.parse("x", tools=tools)


def test_no_tools_are_tools() -> None:
    assert utp_cli.parse("x", tools=[]).calls == []


@pytest.mark.parametrize(
    ("raised", "code", "strategy"),
    [
        (PermissionError("no"), "permission", "abort"),
        (FileNotFoundError("x.txt"), "not_found", "rephrase"),
        (TimeoutError(), "timeout", "same"),
        (utp_cli.failure_of(429), "rate_limit", "same"),
    ],
)
def test_what_a_tool_raised_is_told(raised: Any, code: str, strategy: str) -> None:
    call = {"id": "t1", "name": "look", "input": {}}
    ((message,),) = [utp_cli.render_result(call, raised, "anthropic")]
    (block,) = message["content"]
    assert (block["tool_use_id"], block["is_error"]) == ("t1", True)
    told = json.loads(block["content"])
    assert (told["code"], told["strategy"]) == (code, strategy)
    assert told["suggested_fix"].endswith(".")


@pytest.mark.parametrize("text", ["answer.json", " logs/today.jsonl\n", "C:\\x\\a.sse"])
def test_a_files_name_is_no_answer(text: str) -> None:
    result = utp_cli.parse(text)
    assert [note.code for note in result.notes] == ["file-name"]
    assert result.content == text


@pytest.mark.parametrize("text", ["README.md", "see answer.json", "answer.json holds it", '"answer.json"', "1.5"])
def test_text_that_is_no_files_name(text: str) -> None:
    assert utp_cli.parse(text).notes == []
