"""From JSON values to calls: every shape a model gives them, and what only looks like one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.cases import ids, load
from tests.test_parsing import check
from utp_cli import parse
from utp_cli.protocol.tools import Tool
from utp_cli.repair.arguments import shape_arguments
from utp_cli.repair.names import known_name
from utp_cli.repair.shape import BrokenCall, Form, Payload, ShapedCall, shape_calls
from utp_cli.repair.spelling import spelling_of

CASES = load("repair/more_shape.jsonl")


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_shape_case(case: dict[str, Any]) -> None:
    check(case, parse(case["input"], tools=case["tools"]))


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
    ("functions.get_weather<|channel|>commentary", "get_weather", "name-decoration"),
    ("<function=get_weather>", "get_weather", "name-decoration"),
    ("mcp__places__get_weather", "get_weather", "name-decoration"),
    ("get.weather", "get_weather", "name-style"),
    ("functions.", "functions.", None),
    ("", "", None),
]


@pytest.mark.parametrize(("name", "known", "code"), NAMES)
def test_names(name: str, known: str, code: str | None) -> None:
    found, repair = known_name(name, {"get_weather": Tool(name="get_weather"), "other": Tool(name="other")})
    assert (found, repair.code if repair else None) == (known, code)


TYPOS = [
    ("get_wether", "get_weather"),
    ("get_waethre", "get_waethre"),
    ("othr", "other"),
    ("oter_", "other"),
    ("o", "o"),
]


@pytest.mark.parametrize(("name", "known"), TYPOS)
def test_typos_count_only_when_asked_for(name: str, known: str) -> None:
    tools = {"get_weather": Tool(name="get_weather"), "other": Tool(name="other")}
    found, repair = known_name(name, tools, allow_typo=True)
    assert found == known
    assert (repair.code if repair else None) == ("name-typo" if name != known else None)
    assert known_name(name, tools) == (name, None)


def test_two_names_that_fit_are_none() -> None:
    tools = {name: Tool(name=name) for name in ("get_user", "getUser")}
    assert known_name("GetUser", tools) == ("GetUser", None)


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


FORMS = [
    ({"parameters": {"a": 1}, "name": "f"}, Form(arguments=("parameters", "arguments")), {"a": 1}),
    ({"arguments": {"a": 1}, "name": "f"}, Form(arguments=("parameters", "arguments")), {"a": 1}),
    ({"f": {"a": 1}}, Form(single_key=True), {"a": 1}),
    ([{"name": "f", "arguments": {"a": 1}}], Form(), {"a": 1}),
    ({"tool_name": "f", "parameters": {"a": 1}}, Form(name=("tool_name",), arguments=("parameters",)), {"a": 1}),
    ({"tools": [{"name": "f", "arguments": {"a": 1}}]}, Form(wrappers=("tools",)), {"a": 1}),
]


@pytest.mark.parametrize(("value", "form", "arguments"), FORMS, ids=[str(value) for value, _, _ in FORMS])
def test_what_a_form_declares_is_no_repair(value: Any, form: Form, arguments: dict[str, Any]) -> None:
    (call,) = shape_calls(value, form, None)
    assert isinstance(call, ShapedCall)
    assert (call.name, call.arguments, call.repairs) == ("f", arguments, ())


def test_ids_servers_and_places() -> None:
    form = Form(id=("tool_call_id",), server=("server_name",))
    value = [
        {"name": "f", "arguments": {}},
        {"server_name": "s", "tool_call_id": "7", "name": "g", "arguments": {"a": 1}},
    ]
    first, second = shape_calls(value, form, None)
    assert isinstance(first, ShapedCall)
    assert isinstance(second, ShapedCall)
    assert (first.id, first.server, first.pointer, first.arguments_pointer) == (None, None, "/0", "/0/arguments")
    assert (second.id, second.server, second.pointer, second.arguments_pointer) == ("7", "s", "/1", "/1/arguments")


def test_beside_a_known_tool_an_unknown_one_is_not_lost() -> None:
    value = [{"name": "weather", "arguments": {"city": "a"}}, {"name": "wether", "arguments": {"city": "b"}}]
    found = shape_calls(value, Form(strict=True), {"weather": CITY})
    assert [call.name for call in found if isinstance(call, ShapedCall)] == ["weather", "wether"]
    assert shape_calls(value[1:], Form(strict=True), {"weather": CITY}) == []


def test_beside_a_sound_call_a_broken_one_is_not_lost() -> None:
    value = [{"name": "weather", "arguments": {"city": "a"}}, {"name": "weather", "id": "2", "arguments": [1, 2, 3]}]
    for strict in (True, False):
        sound, broken = shape_calls(value, Form(strict=strict), {"weather": CITY})
        assert isinstance(sound, ShapedCall)
        assert broken == BrokenCall(name="weather", id="2", why="the arguments are a list, not an object")


def test_a_broken_call_of_a_known_tool_is_rejected() -> None:
    result = parse('{"name": "weather", "arguments": [1, 2, 3]}', tools=[CITY])
    assert (result.calls, [(call.name, call.reason) for call in result.rejected]) == ([], [("weather", "malformed")])
    assert parse('{"name": "wether", "arguments": [1, 2, 3]}', tools=[CITY]).rejected == []


def test_a_call_held_to_a_schema_stands_under_one_key() -> None:
    value = {"response": {"scratchpad": "hm", "tool": "weather", "arguments": {"city": "Oslo"}}}
    (call,) = parse(json.dumps(value), tools=[CITY]).calls
    assert (call.name, call.arguments, call.valid) == ("weather", {"city": "Oslo"}, True)


PAYLOADS = [
    ({"answer": "42", "scratchpad": "hm"}, [("thought", "hm"), ("answer", "42")]),
    ({"scratchpad": "hm"}, [("thought", "hm")]),
    ({"response": "hi"}, [("answer", "hi")]),
    ({"response": {"answer": "42"}}, [("answer", "42")]),
]


@pytest.mark.parametrize(("value", "payloads"), PAYLOADS, ids=[str(value) for value, _ in PAYLOADS])
def test_answers_and_thoughts(value: Any, payloads: list[tuple[str, str]]) -> None:
    found = shape_calls(value, Form(strict=True), {"weather": CITY})
    assert [(each.kind, each.text) for each in found if isinstance(each, Payload)] == payloads
    assert len(found) == len(payloads)


def test_a_scratchpad_beside_a_call_is_no_argument() -> None:
    (call,) = shape_calls(
        {"tool": "weather", "arguments": {"city": "Oslo"}, "scratchpad": "hm"}, Form(), {"weather": CITY}
    )
    assert isinstance(call, ShapedCall)
    assert call.arguments == {"city": "Oslo"}


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


ABSENT = object()
NATIVE = [
    (None, True, {}, []),
    (ABSENT, True, {}, []),
    (ABSENT, False, {}, ["empty-arguments"]),
    (None, False, {}, ["empty-arguments"]),
    ("", False, {}, ["empty-arguments"]),
    ("null", False, {}, ["empty-arguments"]),
    ({"city": "Oslo"}, False, {"city": "Oslo"}, []),
    ('{"city": "Oslo"}', False, {"city": "Oslo"}, ["double-encoded-json"]),
    ({"arguments": {"city": "Oslo"}}, False, {"city": "Oslo"}, ["nested-arguments"]),
]


@pytest.mark.parametrize(
    ("given", "absent_is_empty", "arguments", "codes"), NATIVE, ids=[f"native-{n}" for n in range(len(NATIVE))]
)
def test_arguments_of_native_calls(given: Any, absent_is_empty: bool, arguments: Any, codes: list[str]) -> None:
    found, repairs, why = shape_arguments(given, CITY, text_due=False, absent_is_empty=absent_is_empty)
    assert (found, [repair.code for repair in repairs], why) == (arguments, codes, None)


def test_text_that_is_due_is_decoded_once_without_a_repair() -> None:
    once = json.dumps({"city": "Oslo"})
    assert shape_arguments(once, CITY, text_due=True) == ({"city": "Oslo"}, [], None)
    found, repairs, _ = shape_arguments(json.dumps(once), CITY, text_due=True)
    assert (found, [repair.code for repair in repairs]) == ({"city": "Oslo"}, ["double-encoded-json"])


KEYS = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | KEYS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(KEYS | st.sampled_from(["name", "arguments", "function", "weather"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON, st.booleans())
def test_no_value_raises(value: Any, strict: bool) -> None:
    for tools in (None, {"weather": CITY}):
        for found in shape_calls(value, Form(strict=strict), tools):
            assert not isinstance(found, ShapedCall) or isinstance(found.arguments, dict)


@given(st.dictionaries(KEYS, JSON, max_size=4))
def test_a_plain_call_is_left_alone(arguments: dict[str, Any]) -> None:
    tool = Tool(name="f", parameters={"properties": {key: {} for key in arguments}})
    (call,) = shape_calls({"name": "f", "arguments": arguments}, Form(), {"f": tool})
    assert isinstance(call, ShapedCall)
    assert call.arguments is arguments
    assert call.repairs == ()


SPELLINGS = [
    (501, "zip", '{"zip": 00501}', "00501"),
    (1.5, "v", '{"v": 1.50, "w": 2}', "1.50"),
    (255, "c", "{'c': 0xFF}", "0xFF"),
    (7, "a", r"{\"a\": 07}", "07"),
    (7, 1, "[1, 07]", "07"),
    (7, "a", '{"a": 7, "b": {"a": 07}}', ""),
    (7, "a", '{"b": 7}', ""),
]


@pytest.mark.parametrize(("value", "key", "source", "spelling"), SPELLINGS)
def test_a_number_keeps_its_spelling(value: float, key: str | int, source: str, spelling: str) -> None:
    assert spelling_of(value, key, source) == spelling


def test_native_arguments_encoded_twice_are_told() -> None:
    arguments = json.dumps(json.dumps({"city": "Oslo"}))
    call = {"id": "c", "type": "function", "function": {"name": "weather", "arguments": arguments}}
    body = {"choices": [{"finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [call]}}]}
    result = parse(body, tools=[CITY])
    assert [(each.name, each.arguments) for each in result.calls] == [("weather", {"city": "Oslo"})]
    assert [repair.code for repair in result.repairs] == ["double-encoded-json"]


def test_the_spelling_of_a_number_reaches_the_call() -> None:
    tool = {"name": "post", "parameters": {"type": "object", "properties": {"zip": {"type": "string"}}}}
    (call,) = parse('<tool_call>{"name": "post", "arguments": {"zip": 00501}}</tool_call>', tools=[tool]).calls
    assert call.arguments == {"zip": "00501"}


MESSAGES = [
    {"role": "model", "parts": [{"text": "Sure"}, {"functionCall": {"name": "weather", "args": {"city": "Oslo"}}}]},
    {"content": [{"type": "text", "text": "Sure"}, {"type": "tool_use", "name": "weather", "input": {"city": "Oslo"}}]},
    {
        "message": {
            "role": "assistant",
            "tool_calls": [{"function": {"name": "weather", "arguments": {"city": "Oslo"}}}],
        }
    },
]


@pytest.mark.parametrize("message", MESSAGES, ids=str)
def test_a_message_of_a_provider_written_as_text(message: Any) -> None:
    (call,) = shape_calls(message, Form(strict=True), {"weather": CITY})
    assert isinstance(call, ShapedCall)
    assert (call.name, call.arguments) == ("weather", {"city": "Oslo"})


@pytest.mark.parametrize("message", [{"content": "hi"}, {"message": {"name": "Ada"}}, {"content": [{"text": "hi"}]}])
def test_a_message_without_a_call_is_none(message: Any) -> None:
    assert shape_calls(message, Form(strict=True), {"weather": CITY}) == []


# -- keys ------------------------------------------------------------------------------------------------------------

LISTS = [
    "tool_calls",
    "tool_call",
    "toolCalls",
    "toolCall",
    "function_call",
    "functionCall",
    "function_calls",
    "toolUse",
    "tool_use",
    "tool_uses",
    "calls",
    "actions",
    "response",
    "message",
    "content",
    "parts",
]
NAME_KEYS = ["name", "tool", "tool_name", "function", "function_name", "action", "recipient_name"]
ARGUMENT_KEYS = [
    "arguments",
    "args",
    "parameters",
    "params",
    "input",
    "tool_input",
    "action_input",
    "kwargs",
    "arguments_json",
    "tool_args",
    "tool_arguments",
    "function_args",
    "function_arguments",
]
FORECAST = {
    "forecast": Tool(name="forecast", parameters={"type": "object", "properties": {"city": {"type": "string"}}})
}
PLAIN = {"name": "forecast", "arguments": {"city": "Oslo"}}


@pytest.mark.parametrize("key", LISTS)
@pytest.mark.parametrize("inner", [PLAIN, [PLAIN]], ids=["one", "list"])
def test_keys_that_hold_calls(key: str, inner: Any) -> None:
    (found,) = shape_calls({key: inner}, Form(), FORECAST)
    assert isinstance(found, ShapedCall)
    assert (found.name, found.arguments) == ("forecast", {"city": "Oslo"})
    assert found.pointer == f"/{key}" + ("/0" if isinstance(inner, list) else "")
    (repair,) = found.repairs
    assert (repair.code, repair.layer, repair.message) == ("function-wrapper", "shape", f"unwrapped {key}")


@pytest.mark.parametrize("key", NAME_KEYS)
def test_keys_that_hold_the_name(key: str) -> None:
    (found,) = shape_calls({key: "forecast", "arguments": {"city": "Oslo"}}, Form(), FORECAST)
    assert isinstance(found, ShapedCall)
    assert (found.name, found.arguments) == ("forecast", {"city": "Oslo"})
    wanted = [] if key == "name" else [("key-alias", "/name", key, "name")]
    assert [(each.code, each.pointer, each.before, each.after) for each in found.repairs] == wanted


@pytest.mark.parametrize("key", ARGUMENT_KEYS)
def test_keys_that_hold_the_arguments(key: str) -> None:
    (found,) = shape_calls({"name": "forecast", key: {"city": "Oslo"}}, Form(), FORECAST)
    assert isinstance(found, ShapedCall)
    assert (found.arguments, found.arguments_pointer) == ({"city": "Oslo"}, f"/{key}")
    wanted = [] if key == "arguments" else [("key-alias", "/arguments", key, "arguments")]
    assert [(each.code, each.pointer, each.before, each.after) for each in found.repairs] == wanted


@pytest.mark.parametrize("key", ["id", "call_id", "tool_call_id", "tool_use_id", "toolUseId"])
def test_keys_that_hold_the_id(key: str) -> None:
    for value, known in (("c1", "c1"), (7, 7), ("", None), (True, None)):
        (found,) = shape_calls({**PLAIN, key: value}, Form(), FORECAST)
        assert (found.id, found.arguments) == (known, {"city": "Oslo"})


@pytest.mark.parametrize("key", ["scratchpad", "reasoning", "thought"])
def test_keys_that_hold_what_the_model_thought(key: str) -> None:
    (found,) = shape_calls({**PLAIN, key: "Let me look."}, Form(), FORECAST)
    assert (found.thought, found.arguments) == ("Let me look.", {"city": "Oslo"})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"answer": "Hi"}, [("answer", "Hi")]),
        ({"scratchpad": "Hm", "answer": "Hi"}, [("thought", "Hm"), ("answer", "Hi")]),
        ({"thought": "Hm", "response": "Hi"}, [("thought", "Hm"), ("answer", "Hi")]),
        ({"response": {"answer": "Hi"}}, [("answer", "Hi")]),
        ({"use_tool": "forecast", "reasoning": "Hm"}, [("thought", "Hm"), ("choice", "forecast")]),
        ({"answer": "Hi", "more": 1}, []),
        ({"answer": 1}, []),
    ],
)
def test_answers_that_are_no_call(value: Any, said: list[tuple[str, str]]) -> None:
    found = [each for each in shape_calls(value, Form(), FORECAST) if isinstance(each, Payload)]
    assert [(each.kind, each.text) for each in found] == said


@pytest.mark.parametrize("key", ["description", "input_schema", "inputSchema", "outputSchema", "strict"])
def test_a_definition_of_a_tool_is_no_call(key: str) -> None:
    defined = {"name": "forecast", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
    assert shape_calls({**defined, key: "x"}, Form(strict=True), FORECAST) == []
    assert shape_calls({"name": "forecast", key: "x"}, Form(strict=True), FORECAST) == []


@pytest.mark.parametrize("depth", range(8))
def test_calls_in_text_in_text(depth: int) -> None:
    """Text is decoded, and lists are opened, four deep."""
    text, listed = PLAIN, PLAIN
    for _ in range(depth):
        text, listed = json.dumps(text), [listed]
    assert len(shape_calls(text, Form(), FORECAST)) == (depth <= 4)
    assert len(shape_calls(listed, Form(), FORECAST)) == (depth <= 4)


@pytest.mark.parametrize(
    ("key", "value", "calls"),
    [
        ("parameters", {"city": "Oslo"}, 1),
        ("arguments", {"city": "Oslo"}, 1),
        ("arguments", {}, 1),
        ("parameters", {}, 0),
        ("parameters", {"city": {"type": "string"}}, 0),
        ("arguments", {"city": {"type": "string"}}, 0),
    ],
)
def test_a_description_beside_a_name_makes_a_definition_of_what_is_empty_or_a_schema(
    key: str, value: Any, calls: int
) -> None:
    said = {"name": "forecast", "description": "Tells the weather.", key: value}
    assert len(shape_calls(said, Form(), FORECAST)) == calls
