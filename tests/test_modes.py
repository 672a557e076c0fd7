"""Answers of the modes that ask for calls as text: what is rendered is what is read, and nothing is wrong with it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli import UtpError, parse, render_tools
from utp_cli.protocol.calls import ParseResult

TOOLS = [
    {"name": "get_weather", "description": "Return the weather of a city.",
     "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}},
    {"name": "search", "description": "Search.",
     "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}},
]  # fmt: skip
IN_TEXT = ("structured", "validated", "parsed", "two-stage")
CALL = {"scratchpad": "They ask for Oslo.", "tool": "get_weather", "arguments": {"city": "Oslo"}}


def answered(said: Any, mode: str, **options: Any) -> ParseResult:
    message = {"role": "assistant", "content": json.dumps(said)}
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    request = None if mode == "auto" else render_tools(TOOLS, mode=mode)
    return parse(body, tools=TOOLS, mode=mode, request=request, **options)


@pytest.mark.parametrize("mode", IN_TEXT)
@pytest.mark.parametrize("said", [CALL, {"response": CALL}], ids=("alone", "under response"))
def test_a_call(mode: str, said: Any) -> None:
    result = answered(said, mode)
    assert [(call.name, call.arguments, call.repairs) for call in result.calls] == [
        ("get_weather", {"city": "Oslo"}, ())
    ]
    assert result.calls[0].valid is (None if mode == "parsed" else True)
    assert (result.content, result.reasoning) == ("", "They ask for Oslo.")
    assert (result.rejected, result.diagnoses) == ([], [])


@pytest.mark.parametrize("mode", IN_TEXT)
def test_an_answer_and_a_thought(mode: str) -> None:
    result = answered({"response": {"scratchpad": "Easy.", "answer": "4"}}, mode)
    assert (result.content, result.reasoning, result.calls, result.diagnoses) == ("4", "Easy.", [], [])
    result = answered({"scratchpad": "Hm."}, mode)
    assert (result.content, result.reasoning, result.calls) == ("", "Hm.", [])


def test_where_native_calls_were_asked_for_the_text_is_the_wrong_place() -> None:
    assert "call-left-in-content" in [finding.code for finding in answered(CALL, "auto").diagnoses]
    assert answered(CALL, "auto").reasoning == "They ask for Oslo."


def test_tools_sent_beside_a_lesson_are_still_one_too_many() -> None:
    request = {**render_tools(TOOLS, mode="validated"), **render_tools(TOOLS)}
    message = {"role": "assistant", "content": json.dumps(CALL)}
    result = parse({"choices": [{"message": message}]}, tools=TOOLS, mode="validated", request=request)
    assert [finding.code for finding in result.diagnoses] == ["double-prompted-tools"]


def test_an_argument_named_like_the_scratchpad_is_an_argument() -> None:
    tool = {"name": "note", "parameters": {"type": "object", "properties": {"reasoning": {"type": "string"}}}}
    result = parse('{"name": "note", "reasoning": "x"}', tools=[tool])
    assert (result.calls[0].arguments, result.reasoning) == ({"reasoning": "x"}, "")


def test_two_stages_go_all_the_way() -> None:
    first = render_tools(TOOLS, mode="two-stage")
    assert "Return the weather of a city" in first["messages"][0]["content"]
    assert '"city"' not in json.dumps(first)
    decided = answered({"reasoning": "Oslo.", "answer": None, "use_tool": "get_weather"}, "two-stage")
    assert [(call.name, call.reason, call.rung) for call in decided.rejected] == [
        ("get_weather", "intent", "heuristic")
    ]
    assert (decided.content, decided.reasoning, decided.calls, decided.diagnoses) == ("", "Oslo.", [], [])
    assert [note.code for note in decided.notes] == ["tool-chosen"]
    assert "--stage 2 --chosen get_weather" in decided.notes[0].message
    second = render_tools(TOOLS, mode="two-stage", chosen=decided.rejected[0].name)
    assert '"city"' in json.dumps(second)
    assert '"search"' not in json.dumps(second)
    assert answered({"response": CALL}, "two-stage").calls[0].valid is True


def test_the_first_stage_may_answer() -> None:
    result = answered({"reasoning": "Sums need no tool.", "answer": "4", "use_tool": None}, "two-stage")
    assert (result.content, result.reasoning, result.rejected) == ("4", "Sums need no tool.", [])


@pytest.mark.parametrize("options", [{"mode": "structured", "chosen": "search"}, {"mode": "two-stage", "chosen": "x"}])
def test_a_second_stage_needs_a_tool_that_is_there(options: dict[str, str]) -> None:
    with pytest.raises(UtpError):
        render_tools(TOOLS, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "rejected"),
    [
        ('{"name": "search", unclosed', [("search", '{"name": "search", unclosed')]),
        ('Well.\n```json\n{"name": "search", unclosed\n```', [("search", '{"name": "search", unclosed')]),
        ('For example:\n{"name": "search", unclosed', []),
        ('```ts\n{"name": "search", run: async () => {x()},', []),
        ('{"name": "Ada", likes cats', []),
    ],
)
def test_what_begins_as_a_call_and_cannot_be_read(text: str, rejected: list[tuple[str, str]]) -> None:
    result = parse(text, tools=TOOLS)
    assert result.calls == []
    assert [(call.name, call.raw) for call in result.rejected] == rejected
    assert {call.reason for call in result.rejected} <= {"malformed"}


def test_json_that_cannot_be_read_is_noted() -> None:
    assert [note.code for note in parse('{"name": "test", unclosed').notes] == ["unread-json"]
    assert parse('{"name": "Ada", "age": 3}').notes == []


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ('{"a": [1,2', True),
        ('```json\n{"a": {"b": "c', True),
        ('[{"id": 1}, {"id"', True),
        ('{"a": [1,2]}', False),
        ('["a", "b"]', False),
        ("[Verse 1\nA song begins", False),
        ("{x | x > 0", False),
        ('An object begins so: {"a": [1,2', False),
    ],
)
def test_an_answer_that_is_half_a_document_is_noted(text: str, noted: bool) -> None:
    for tools in (None, TOOLS):
        result = parse(text, tools=tools)
        assert (result.calls, result.rejected) == ([], [])
        assert [note.code for note in result.notes] == ["unread-json"] * noted


def test_a_name_that_is_nearly_a_tools() -> None:
    call = parse('{"tool": "serch", "arguments": {"q": "x"}}', tools=TOOLS).calls[0]
    assert (call.name, call.valid, [problem.code for problem in call.problems]) == ("serch", False, ["unknown-tool"])
    other = parse('{"name": "Ada", "arguments": {"q": "x"}}', tools=TOOLS)
    assert (other.calls, other.rejected) == ([], [])
    assert "Ada is no known tool" in [attempt.reason for attempt in other.attempts]
    shown = parse('It sends {"tool": "serch", "arguments": {"q": "x"}} then.', tools=TOOLS)
    assert shown.calls == []


@pytest.mark.parametrize(("name", "said"), [("get_wether", "did you mean get_weather?"), ("zzz", "the tools are")])
def test_a_choice_of_no_tool_has_no_second_stage(name: str, said: str) -> None:
    result = answered({"reasoning": "Oslo.", "answer": None, "use_tool": name}, "two-stage")
    assert [(call.name, call.reason) for call in result.rejected] == [(name, "malformed")]
    assert [note.code for note in result.notes] == ["unknown-choice"]
    assert said in result.notes[0].message


@pytest.mark.parametrize("parser", ["mcp_xml", "tool_use_xml", "tool_call_xml"])
def test_who_names_a_dialect_of_elements_takes_no_json_for_a_call(parser: str) -> None:
    text = '{"name": "search", "arguments": {"q": "x"}}'
    result = parse(text, tools=TOOLS, parser=parser)
    assert (result.calls, [call.reason for call in result.rejected]) == ([], ["shown"])
    assert len(parse(text, tools=TOOLS).calls) == 1
    assert len(parse(text, tools=TOOLS, parser=parser, mode="structured").calls) == 1


def test_parsed_holds_nothing_against_the_tools() -> None:
    tool = {
        "name": "pay",
        "parameters": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]},
    }
    result = parse('{"tool": "pay", "arguments": {"sum": "lots"}}', mode="parsed", tools=[tool])
    assert [(call.name, call.valid) for call in result.calls] == [("pay", None)]
    assert result.diagnoses == []
