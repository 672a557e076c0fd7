"""What the public functions give back are values, and they take what people have at hand: files, functions, objects."""

from __future__ import annotations

import copy
import inspect
import pickle
import sys
from pathlib import Path
from typing import Any

import mypy.api
import pytest
from pydantic import BaseModel

from tests.cases import load
from utp_cli import (
    Parser,
    UtpError,
    audit,
    diagnose,
    load_tools,
    parse,
    plan_calls,
    preflight,
    render_tools,
    repair_json,
    replay,
    retry_message,
    rewrite,
)

FILES = {
    "captures/*.jsonl": 4, "diagnose/*.jsonl": 4, "dialects/*.jsonl": 2, "literals/*.jsonl": 1, "real/*.jsonl": 1,
    "wire/cases.jsonl": 1, "wire/more.jsonl": 1,
}  # fmt: skip
"""One in so many cases of these files is looked at. Whether a result is a value hangs on what it is made of, not on its
text, and the thousands of pastes are made of the same parts; what is read in each is judged by the tests of captures.
"""
INPUTS = ("input", "paste", "text", "output", "raw")
KNOWN = ("tools", "model", "finish_reason", "generation_prompt")
CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo",}}</tool_call>'


def get_weather(city: str, days: int = 3) -> None:
    """Return the weather of a city.

    Args:
        city: its name
    """


class Search(BaseModel):
    """Search the code."""

    query: str


WEATHER = {
    "name": "get_weather",
    "description": "Return the weather of a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


class Dumped:
    """An object as SDKs have them: nulls that nobody set are no part of it."""

    def __init__(self, **said: Any) -> None:
        self.said = said

    def model_dump(self, *, mode: str, by_alias: bool, exclude_unset: bool = False) -> dict[str, Any]:
        assert mode == "json"
        assert by_alias
        return self.said if exclude_unset else {"unset": None, **self.said}


class Old:
    """An object of an older SDK."""

    def __init__(self, said: dict[str, Any]) -> None:
        self.said = said

    def to_dict(self) -> dict[str, Any]:
        return self.said


# -- equal, picklable, copyable -------------------------------------------------------------------------------------


@pytest.mark.parametrize("files", FILES)
def test_results_of_all_cases_are_values(files: str) -> None:
    seen = 0
    for case in load(files)[:: FILES[files]]:
        source = next((case[key] for key in INPUTS if case.get(key) is not None), None)
        if source is None:
            continue
        options = {key: case[key] for key in KNOWN if case.get(key)}
        result, again = parse(source, **options), parse(source, **options)
        seen += 1
        assert result == again, case["id"]
        document = result.to_dict()
        for made in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):  # noqa: S301
            assert made == result, case["id"]
            assert made.to_dict() == document, case["id"]
        assert pickle.loads(pickle.dumps(result)) == again, case["id"]  # noqa: S301 - with diagnoses that were asked for
    assert seen > 10


@pytest.mark.parametrize("case", load("repair/cases.jsonl")[::5], ids=lambda case: str(case["id"]))
def test_readings_are_values(case: dict[str, Any]) -> None:
    reading = repair_json(case["input"])
    made = pickle.loads(pickle.dumps(reading))  # noqa: S301
    assert made == reading == repair_json(case["input"])
    assert (made.repairs, made.notes, made.edits) == (reading.repairs, reading.notes, reading.edits)


def test_what_differs_is_not_equal() -> None:
    result = parse(CALL)
    assert result != parse(CALL.replace("Oslo", "Turku"))
    assert result != parse(CALL, tools=[WEATHER])
    assert parse("x", server={"engine": "vllm"}) != parse("x", server={"engine": "sglang"})


def test_a_result_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        parse(CALL).content = ""  # type: ignore[misc]


# -- tools in any form ----------------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "tools.yaml"
    file.write_text(
        "- name: get_weather\n  description: Weather.\n  parameters:\n    type: object\n"
        "    properties: {city: {type: string}}\n    required: [city]\n",
        encoding="utf-8",
    )
    return file


def forms(path: Path) -> dict[str, Any]:
    return {
        "a path": path,
        "a path as text": str(path),
        "a definition": WEATHER,
        "a mapping around definitions": {"tools": [WEATHER]},
        "a list": [WEATHER],
        "an iterator": iter([WEATHER]),
        "a function": get_weather,
        "functions and more": [get_weather, Search, {"name": "z", "parameters": {}}],
        "tools": load_tools([WEATHER]),
        "tools by name": {tool.name: tool for tool in load_tools([WEATHER])},
        "an object": Dumped(**WEATHER),
        "objects": [Dumped(**WEATHER)],
        "paths": [str(path)],
    }


@pytest.mark.parametrize("form", forms(Path()))
def test_tools_in_any_form(form: str, path: Path) -> None:
    def given() -> Any:
        return forms(path)[form]

    assert [call.valid for call in parse(CALL, tools=given()).calls] == [True]
    wrong = CALL.replace("city", "town")
    assert [call.valid for call in parse(wrong, tools=given()).calls] == [False]
    parser = Parser(tools=given())
    parser.feed(wrong)
    assert parser.close() == parse(wrong, tools=given())
    assert "missing-argument" in {found.code for found in diagnose(wrong, "text", tools=given())}
    assert "missing-argument" in {problem.code for problem in preflight(parse(wrong).calls[0], given())}
    assert "Field required" in retry_message(parse(wrong).calls[0], given())
    assert render_tools(given(), "anthropic")["tools"][0]["name"] == "get_weather"
    assert "get_weather" in audit(given()).to_dict()["scores"]
    assert replay([{"role": "assistant", "content": wrong}], tools=given()).to_dict()["sessions"]
    diagnose([{"role": "user", "content": "x"}], "session", tools=given())
    diagnose(given(), "tools")


@pytest.mark.parametrize(
    "wrong", [5, b"tools.yaml", [5], [None], "no-such-file.yaml", object()], ids=lambda value: type(value).__name__
)
@pytest.mark.parametrize(
    "use",
    [
        lambda tools: parse("x", tools=tools),
        lambda tools: Parser(tools=tools),
        lambda tools: diagnose("x", tools=tools),
        lambda tools: diagnose(tools, "tools"),
        lambda tools: diagnose([], "session", tools=tools),
        audit,
        load_tools,
        render_tools,
        lambda tools: replay([], tools=tools),
        lambda tools: preflight({"name": "f"}, tools),
        lambda tools: retry_message({"name": "f"}, tools),
        lambda tools: plan_calls([], tools),
    ],
    ids=("parse", "Parser", "diagnose", "diagnose tools", "diagnose session", "audit", "load_tools", "render_tools",
         "replay", "preflight", "retry_message", "plan_calls"),
)  # fmt: skip
def test_what_is_no_tool_is_said(use: Any, wrong: Any) -> None:
    with pytest.raises(UtpError):
        use(wrong)


def test_a_tool_of_langchain() -> None:
    class Tool:
        name, description, args_schema = "search", "Search the code.", Search

        def __call__(self) -> None:
            """Not what the model calls."""

    assert load_tools(Tool())[0].required == ["query"]


# -- sources in any form --------------------------------------------------------------------------------------------

MESSAGE = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
BODY = {
    "object": "chat.completion",
    "model": "m",
    "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "stop"}],
}
CHUNKS: list[dict[str, Any]] = [
    {
        "object": "chat.completion.chunk",
        "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
    }
    for delta, reason in (
        ({"role": "assistant", "content": "Hm. "}, None),
        ({"tool_calls": [{"index": 0, **MESSAGE["tool_calls"][0]}]}, None),  # type: ignore[index]
        ({}, "tool_calls"),
    )
]


def test_objects_of_sdks() -> None:
    assert parse(Dumped(**BODY)) == parse(Old(BODY)) == parse(BODY)
    assert diagnose(Dumped(**BODY)) == diagnose(BODY)
    history = [{"role": "user", "content": "x"}, Dumped(**MESSAGE), {"role": "user", "content": "y"}]
    assert [found.code for found in diagnose(history, "session")] == ["missing-tool-result"]
    assert [each["calls"][0]["name"] for each in replay(history).to_dict()["sessions"][0]["exchanges"]] == ["f"]


def test_chunks_of_a_stream() -> None:
    whole = parse(CHUNKS)
    assert whole.stream
    assert [(call.name, call.id) for call in whole.calls] == [("f", "call_1")]
    assert parse([Dumped(**chunk) for chunk in CHUNKS]) == whole
    parser = Parser()
    told = [event for chunk in CHUNKS for event in parser.feed(Dumped(**chunk))]
    assert parser.close() == whole
    assert [event.type for event in told] == ["text", "tool_start", "tool_args"]


def test_an_object_that_cannot_be_written_is_unknown() -> None:
    class Broken:
        def model_dump(self, **_: Any) -> None:
            raise RuntimeError

    assert parse(Broken()).shape == "unknown"


# -- the other functions --------------------------------------------------------------------------------------------


def test_calls_of_results_and_calls_by_hand() -> None:
    call = {"name": "get_weather", "arguments": {"town": "Oslo"}}
    assert {problem.code for problem in preflight(call, get_weather)} >= {"missing-argument"}
    assert preflight({"name": "get_weather", "arguments": {"city": "Oslo"}}, get_weather) == []
    assert "Field required" in retry_message(call, get_weather)
    assert retry_message({"name": "get_weather", "arguments": {"city": "Oslo"}}, get_weather) == ""
    assert "broke off" in retry_message(parse(CALL[:-25], finish_reason="length").rejected[0], get_weather)
    assert [problem.code for problem in preflight({"name": "gone"}, get_weather)] == ["unknown-tool"]


def test_tiers_go_by_name() -> None:
    tool = {**WEATHER, "tier": "run"}
    call = {"name": "get_weather", "arguments": {"city": "Oslo"}}
    assert [problem.code for problem in preflight(call, tool, tier="walk")] == ["tier"]
    assert render_tools(tool, tier="walk").get("tools", []) == []
    assert [problem.code for problem in parse(CALL, tools=tool, tier="walk").calls[0].problems] == ["tier"]
    with pytest.raises(UtpError, match="did you mean 'walk'"):
        parse(CALL, tools=tool, tier="wlak")


def test_plans_are_batches_of_calls() -> None:
    names = ("read_a", "read_b", "write_c", "read_d")
    calls = parse("".join(f'<tool_call>{{"name": "{name}", "arguments": {{}}}}</tool_call>' for name in names)).calls
    assert [[call.name for call in batch] for batch in plan_calls(calls)] == [
        ["read_a", "read_b"],
        ["write_c"],
        ["read_d"],
    ]


def test_an_answer_is_rewritten() -> None:
    message = rewrite(parse(CALL), "anthropic")
    assert message["content"][-1]["input"] == {"city": "Oslo"}
    assert [repair.code for repair in message.repairs] == ["missing-id"]
    with pytest.raises(UtpError):
        rewrite(parse(CALL), "mcp")


# -- what is typed --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [parse, Parser, diagnose, audit, load_tools, render_tools, replay, preflight, retry_message, rewrite, plan_calls],
)
def test_an_unknown_keyword_is_a_type_error(function: Any) -> None:
    with pytest.raises(TypeError):
        function("x", parsre="auto")
    told = inspect.signature(function.__init__ if isinstance(function, type) else function).parameters
    assert all(one.kind is not one.VAR_KEYWORD for one in told.values())
    assert all(one.annotation is not one.empty for one in told.values() if one.name != "self")
    assert len(inspect.getdoc(function) or "") > 100


def test_misuse_is_refused_by_a_type_checker() -> None:
    before = sys.getrecursionlimit()
    try:
        told, errors, status = mypy.api.run(["--strict", str(Path(__file__).with_name("misuse.py"))])
    finally:
        sys.setrecursionlimit(before)  # mypy raises it for good: tests of deep values would take minutes
    assert status == 0, told + errors


def test_parser_and_parse_take_the_same() -> None:
    of_parser, of_parse = (dict(inspect.signature(each).parameters) for each in (Parser, parse))
    of_parse.pop("source")
    assert of_parser == of_parse
