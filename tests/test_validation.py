"""Arguments against schemas: what is told, what is mended, and what must be left alone."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.cases import load
from utp_cli.protocol.tools import Tool
from utp_cli.repair.arguments import shape_arguments
from utp_cli.repair.names import known_name
from utp_cli.repair.shape import Form, ShapedCall, shape_calls
from utp_cli.repair.typed import typed_text
from utp_cli.validation.arguments import check_arguments
from utp_cli.validation.definitions import read_definitions

NULLABLE = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
TYPED = [
    ("00042", {"type": "string"}, "00042"),
    (" padded ", {"type": "string"}, " padded "),
    ("null", {"type": "string"}, "null"),
    ('{"a": 1}', {"type": "string"}, '{"a": 1}'),
    ("42", {"type": "integer"}, 42),
    ("1.0", {"type": "integer"}, 1),
    ("9007199254740993", {"type": "integer"}, 9007199254740993),
    ("1.5", {"type": "integer"}, "1.5"),
    ("1.5", {"type": "number"}, 1.5),
    ("2", {"type": "number"}, 2),
    ("TRUE", {"type": "boolean"}, True),
    ("False", {"type": "boolean"}, False),
    ("yes", {"type": "boolean"}, "yes"),
    ("null", NULLABLE, None),
    ("7", NULLABLE, 7),
    ("seven", NULLABLE, "seven"),
    ("null", {"type": "integer"}, "null"),
    ("[1, 2]", {"type": "array"}, [1, 2]),
    ('{"a": [true]}', {"type": "object"}, {"a": [True]}),
    ("7", {"type": ["string", "integer"]}, 7),
    ("7", {"enum": ["7", "8"]}, "7"),
    ("8", {"enum": [7, 8]}, 8),
    ("5", {"$ref": "#/$defs/n"}, 5),
    ("5", {"allOf": [{"type": "integer"}, {"minimum": 1}]}, 5),
    ("5", None, 5),
    ("true", None, True),
    ("None", None, None),
    ("Oslo", None, "Oslo"),
    ("{not json", None, "{not json"),
    ("1" * 5000, {"type": "integer"}, "1" * 5000),
]


@pytest.mark.parametrize(("text", "schema", "value"), TYPED, ids=[f"{t[:12]}-{s}" for t, s, _ in TYPED])
def test_text_takes_the_type_asked(text: str, schema: Any, value: Any) -> None:
    typed, repairs = typed_text(text, schema, {"$defs": {"n": {"type": "integer"}}})
    assert typed == value
    assert type(typed) is type(value)
    assert not repairs


TOOL = Tool(
    name="search_docs",
    parameters={
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "max_results": {"type": "integer", "minimum": 1},
            "tags": {"type": "array", "items": {"type": "string"}},
            "mode": {"type": "string", "enum": ["fast", "deep_scan"]},
            "exact": {"type": "boolean"},
            "filters": {"type": "object", "properties": {"year": {"type": "integer"}}},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
)
TOOLS = {"search_docs": TOOL}
MENDED = [
    ({"max_results": "3"}, {"max_results": 3}, "stringified-number"),
    ({"max_results": "3.0"}, {"max_results": 3}, "stringified-number"),
    ({"max_results": 3.0}, {"max_results": 3}, "float-to-int"),
    ({"exact": "True"}, {"exact": True}, "stringified-bool"),
    ({"exact": "yes"}, {"exact": True}, "bool-word"),
    ({"tags": '["a", "b"]'}, {"tags": ["a", "b"]}, "stringified-json"),
    ({"tags": "['a']"}, {"tags": ["a"]}, "stringified-json"),
    ({"tags": "a"}, {"tags": ["a"]}, "scalar-to-array"),
    ({"mode": "Fast"}, {"mode": "fast"}, "enum-case"),
    ({"mode": "deep scan"}, {"mode": "deep_scan"}, "enum-case"),
    ({"maxResults": 5}, {"max_results": 5}, "property-style"),
    ({"exact": None}, {}, "null-for-optional"),
    ({"filters": '{"year": 2020}'}, {"filters": {"year": 2020}}, "stringified-json"),
    ({"filters": {"year": "2020"}}, {"filters": {"year": 2020}}, "stringified-number"),
    ({"query": 90210}, {"query": "90210"}, "number-to-string"),
    ({"query": {"a": 1}}, {"query": '{"a": 1}'}, "json-to-string"),
    ({"query": True}, {"query": "true"}, "bool-to-string"),
]


@pytest.mark.parametrize(("given", "mended", "code"), MENDED, ids=[f"{code}-{given}" for given, _, code in MENDED])
def test_one_fitting_reading_is_taken(given: dict[str, Any], mended: dict[str, Any], code: str) -> None:
    arguments = {"query": "x", **given}
    before = copy.deepcopy(arguments)
    checked = check_arguments("search_docs", arguments, TOOLS)
    assert checked.arguments == {"query": "x", **mended}
    assert [repair.code for repair in checked.repairs] == [code]
    assert checked.valid
    assert arguments == before, "what the caller handed over is not changed"


TOLD = [
    ({}, "missing-argument", "/query"),
    ({"query": "x", "max_results": "3 days"}, "wrong-type", "/max_results"),
    ({"query": "x", "max_results": 0}, "out-of-range", "/max_results"),
    ({"query": "x", "mode": "slow"}, "not-in-enum", "/mode"),
    ({"query": "x", "colour": "red"}, "unexpected-argument", "/colour"),
    ({"query": None}, "wrong-type", "/query"),
    ({"query": "x", "filters": {"year": "soon"}}, "wrong-type", "/filters/year"),
]


@pytest.mark.parametrize(("arguments", "code", "pointer"), TOLD, ids=[code + at for _, code, at in TOLD])
def test_what_does_not_fit_is_told(arguments: dict[str, Any], code: str, pointer: str) -> None:
    checked = check_arguments("search_docs", arguments, TOOLS)
    assert not checked.valid
    assert (code, pointer) in [(problem.code, problem.pointer) for problem in checked.problems]
    assert checked.arguments == arguments


def test_an_unknown_tool_is_told_with_the_nearest() -> None:
    checked = check_arguments("serch_docs", {}, TOOLS)
    assert checked.problems[0].code == "unknown-tool"
    assert "search_docs" in checked.problems[0].hint


@pytest.mark.parametrize("schema", [{"type": "strng"}, {"$ref": "http://127.0.0.1:9/x"}, {"properties": []}, {}])
def test_a_schema_that_is_none_raises_nothing_and_fetches_nothing(schema: dict[str, Any]) -> None:
    check_arguments("f", {"a": 1}, {"f": Tool(name="f", parameters=schema)})


BFCL = load("audit/bfcl_sample.jsonl")


@pytest.mark.parametrize("row", BFCL, ids=[row["id"] for row in BFCL])
def test_sound_calls_are_left_alone(row: dict[str, Any]) -> None:
    tools = {tool.name: tool for tool in read_definitions(row["tools"])}
    for call in row["calls"]:
        checked = check_arguments(call["name"], call["arguments"], tools)
        assert checked.valid, checked.problems
        assert checked.arguments == call["arguments"]
        assert not checked.repairs


NAMES = [
    ("functions.get_weather", "get_weather", "name-decoration"),
    ("get_weather()", "get_weather", "name-decoration"),
    ("get_weather:0", "get_weather", "name-decoration"),
    ("functions.get_weather:3", "get_weather", "name-decoration"),
    ("getWeather", "get_weather", "name-style"),
    ("Get Weather", "get_weather", "name-style"),
    ("get-weather", "get_weather", "name-style"),
    ("get_wether", "get_wether", None),
    ("weather", "weather", None),
]


@pytest.mark.parametrize(("name", "known", "code"), NAMES)
def test_names(name: str, known: str, code: str | None) -> None:
    found, repair = known_name(name, {"get_weather": Tool(name="get_weather"), "other": Tool(name="other")})
    assert (found, repair.code if repair else None) == (known, code)


CITY = Tool(
    name="weather",
    parameters={"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]},
)  # fmt: skip
CALLS = [
    ({"name": "weather", "arguments": {"city": "Oslo"}}, {"city": "Oslo"}, []),
    ({"tool": "weather", "args": {"city": "Oslo"}}, {"city": "Oslo"}, ["key-alias", "key-alias"]),
    ({"type": "function", "function": {"name": "weather", "arguments": {"city": "Oslo"}}}, {"city": "Oslo"}, ["function-wrapper"]),
    ({"function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}, {"city": "Oslo"}, ["function-wrapper", "double-encoded-json"]),
    ({"name": "weather", "city": "Oslo"}, {"city": "Oslo"}, ["flat-arguments"]),
    ({"weather": {"city": "Oslo"}}, {"city": "Oslo"}, ["name-as-key"]),
    ({"name": "weather", "arguments": {"arguments": {"city": "Oslo"}}}, {"city": "Oslo"}, ["nested-arguments"]),
    ({"name": "weather", "arguments": ["Oslo", 3]}, {"city": "Oslo", "days": 3}, ["positional-arguments"]),
    ({"name": "weather", "arguments": "Oslo"}, {"city": "Oslo"}, ["bare-argument"]),
    ({"name": "weather", "arguments": [{"name": "city", "value": "Oslo"}]}, {"city": "Oslo"}, ["name-value-list"]),
    ({"name": "weather", "arguments": {"type": "object", "properties": {"city": "Oslo"}}}, {"city": "Oslo"}, ["schema-echo"]),
    ({"name": "weather", "arguments": {"city": {"type": "string", "value": "Oslo"}}}, {"city": "Oslo"}, ["schema-echo"]),
    ({"name": "weather", "arguments": None}, {}, ["empty-arguments"]),
    ({"name": "weather", "input": {"city": "Oslo"}, "type": "tool_use", "id": "t1"}, {"city": "Oslo"}, ["key-alias"]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "arguments", "codes"), CALLS, ids=[str(value)[:70] for value, _, _ in CALLS])
def test_shapes_of_calls(value: Any, arguments: dict[str, Any], codes: list[str]) -> None:
    (call,) = shape_calls(value, Form(), {"weather": CITY})
    assert isinstance(call, ShapedCall)
    assert (call.name, call.arguments) == ("weather", arguments)
    assert [repair.code for repair in call.repairs] == codes


NO_CALLS = [
    {"name": "Ada", "age": 36},
    {"type": "object", "properties": {"city": {"type": "string"}}},
    {"name": "weather", "description": "Tells it", "parameters": {"type": "object", "properties": {}}},
    {"type": "function", "function": {"name": "weather", "description": "x", "parameters": {"type": "object", "properties": {}}}},
    [1, 2], {}, [], "text", None, 7, {"name": 3, "arguments": {}}, [[[[[[{"name": "weather", "arguments": {}}]]]]]],
]  # fmt: skip


@pytest.mark.parametrize("value", NO_CALLS, ids=[str(value)[:60] for value in NO_CALLS])
def test_what_is_no_call(value: Any) -> None:
    assert shape_calls(value, Form(strict=True), {"weather": CITY}) == []


def test_arguments_that_cannot_be_an_object() -> None:
    value, _, why = shape_arguments(7, None, text_due=False)
    assert value is None
    assert why == "the arguments are a number, not an object"
