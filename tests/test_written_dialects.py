"""What each dialect writes, as the models do; what is told while it is read, and what is left of it where it is cut."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.cases import load
from utp_cli import Parser, parse
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.engine.grammars import write_calls
from utp_cli.engine.machine import Engine
from utp_cli.engine.plan import Plan

if TYPE_CHECKING:
    from utp_cli.dialects.spec import Dialect

CASES = {case["id"]: case for case in load("dialects/cases_*.jsonl")}

# -- as the models write --------------------------------------------------------------------------------------------

AS_GIVEN = [
    "srv-hermes-01",
    "srv-hermes-03",
    "srv-trinity-01",
    "srv-trinity-03",
    "srv-longcat-01",
    "srv-longcat-03",
    "srv-ernie45-01",
    "srv-ernie45-03",
    "srv-granite-01",
    "srv-granite-03",
    "srv-jamba-01",
    "srv-jamba-03",
    "srv-hunyuan_a13b-01",
    "srv-hunyuan_a13b-03",
    "tpl-apriel-01",
    "tpl-minimax_m1-01",
    "srv-apertus-01",
    "srv-apertus-03",
    "srv-phi4_mini_json-01",
    "srv-phi4_mini_json-03",
    "tpl-firefunction-01",
    "tpl-nemotron_nano_v2-01",
    "more-pangu-01",
    "more-hyperclovax_seed_think_14b-01",
    "srv-xlam-01",
    "srv-xlam-03",
    "tpl-generic-01",
    "srv-qwen3_coder-01",
    "own-union-01",
    "own-union-02",
    "own-value-object-02",
    "srv-step3p5-01",
    "srv-mimo-01",
    "srv-seed_oss-01",
    "srv-minimax_m2-01",
    "srv-minimax_m2-03",
    "srv-dots-01",
    "srv-dots-03",
    "srv-deepseek_v32-01",
    "srv-deepseek_v32-03",
    "srv-deepseek_v4-01",
    "srv-deepseek_v4-03",
    "srv-deepseek_v41-01",
    "srv-deepseek_v41-03",
    "srv-gigachat35-01",
    "srv-gigachat35-03",
    "tpl-functionary_v3_1-01",
    "srv-glm45-01",
    "srv-glm45-03",
    "srv-ling3-01",
    "srv-ling3-03",
    "srv-poolside_v1-01",
    "srv-poolside_v1-03",
    "srv-hy_v3-01",
    "srv-hy_v3-03",
    "srv-k2_horizon-01",
    "srv-k2_horizon-03",
    "more-telechat4-02",
    "more-solar_open2-01",
    "more-solar_open2-03",
    "more-solar_open2-04",
    "srv-deepseek_v3-01",
    "srv-deepseek_v31-01",
    "srv-deepseek_v31-03",
    "srv-kimi_k2-01",
    "srv-kimi_k2-03",
    "srv-plamo3-01",
    "srv-plamo3-03",
    "srv-mistral-01",
    "srv-mistral-03",
    "tpl-functionary_v3_2-03",
    "more-step_audio_2-01",
    "more-step_audio_2-03",
    "srv-pythonic-01",
    "srv-pythonic-03",
    "srv-pythonic-04",
    "srv-llama4_pythonic-01",
    "srv-llama4_pythonic-03",
    "srv-olmo3-01",
    "srv-olmo3-03",
    "srv-lfm2-01",
    "srv-lfm2-03",
    "more-granite_pythonic-01",
    "srv-openai-01",
    "srv-openai-03",
    "srv-gemma4-01",
    "srv-gemma4-03",
    "srv-gemma4-04",
    "srv-functiongemma-01",
    "srv-functiongemma-03",
    "own-nested-01",
    "own-m3-text-01",
    "own-m3-text-02",
    "own-m3-text-03",
    "own-m3-text-04",
    "own-m3-text-05",
    "srv-minimax_m3-01",
    "srv-minimax_m3-03",
]
BUT_FOR_SPACE = [
    "srv-internlm-01",
    "srv-gigachat3-01",
    "srv-kimi_k3-01",
    "srv-spark25-01",
    "srv-iquest_q1-01",
    "srv-hy_v4-01",
    "srv-beam-01",
    "srv-llama3_json-01",
]
"""Cases in which other line breaks stand between the tags, where the dialect takes any."""


@pytest.mark.parametrize("name", [*AS_GIVEN, *BUT_FOR_SPACE])
def test_calls_are_written_as_the_model_does(name: str) -> None:
    case = CASES[name]
    wanted, written = case["input"], write_calls(DIALECTS[case["dialect"]], case["expect"]["calls"])
    if name in BUT_FOR_SPACE:
        wanted, written = (re.sub(r"(?<=[>\]])\s+|\s+(?=[<\]])", "", text) for text in (wanted, written))
    assert written.strip() == wanted.strip()


WRITTEN: dict[str, tuple[dict[str, Any], str]] = {
    "tool_call_xml": (
        {"path": "a<b>.txt", "n": 2},
        '<tool_call>\n<name>note</name>\n<arguments><![CDATA[{"path": "a<b>.txt", "n": 2}]]></arguments>\n</tool_call>',
    ),
    "tool_use_xml": (
        {"path": "a.txt"},
        '<tool_use>\n<name>note</name>\n<arguments>{"path": "a.txt"}</arguments>\n</tool_use>',
    ),
    "function_call_xml": (
        {"path": "]]> & <"},
        (
            "<function_call>\n<name>note</name>\n"
            '<arguments><![CDATA[{"path": "]]\\u003e & <"}]]></arguments>\n</function_call>'
        ),
    ),
    "llama3_builtin": ({"query": "a b"}, '<|python_tag|>note.call(query="a b")'),
    "tool_code": (
        {"city": "Oslo", "n": [1, None, True, {"a": "x"}]},
        '```tool_code\nprint(note(city="Oslo", n=[1, None, True, {"a": "x"}]))\n```',
    ),
}
"""Forms that no case holds: the XML of prompts with CDATA where there is markup; Python's."""


@pytest.mark.parametrize("name", WRITTEN)
def test_calls_are_written_as_the_grammar_says(name: str) -> None:
    arguments, text = WRITTEN[name]
    assert write_calls(DIALECTS[name], [{"name": "note", "arguments": arguments}]) == text


def test_an_element_for_each_argument_in_cdata_where_it_is_text() -> None:
    """A dialect that routes to servers; `]]>` in a text is parted, as XML has it."""
    arguments = {"path": "a.txt", "text": "x ]]> y", "n": 2}
    text = write_calls(DIALECTS["mcp_xml"], [{"name": "note", "arguments": arguments, "server": "files"}])
    assert "<path><![CDATA[a.txt]]></path>" in text
    assert "<text><![CDATA[x ]]]]><![CDATA[> y]]></text>" in text
    assert "<n>2</n>" in text
    (call,) = parse(text, parser="mcp_xml").calls
    assert (call.arguments, call.server) == (arguments, "files")


def test_a_type_beside_a_value_is_that_of_the_value() -> None:
    arguments = {"a": None, "b": 1, "c": "x", "d": [], "e": {}, "f": True}
    text = write_calls(DIALECTS["kimi_k3"], [{"name": "note", "arguments": arguments}])
    kinds = ["null", "number", "string", "array", "object", "boolean"]
    assert re.findall(r'key="(\w)" type="(\w+)"', text) == list(zip("abcdef", kinds, strict=True))


@pytest.mark.parametrize("words", ["Look: ", "word " * 50])
def test_a_call_without_markers_begins_a_line(words: str) -> None:
    assert parse(f"{words}[f(x=1)]", parser="pythonic").calls == []
    assert [call.name for call in parse(f"{words}\n[f(x=1)]", parser="pythonic").calls] == ["f"]


def test_an_argument_given_twice_has_a_place() -> None:
    pair = "<arg_key>a</arg_key><arg_value>{}</arg_value>"
    read = parse(f"<tool_call>f{pair.format(1)}{pair.format(2)}</tool_call>")
    told = [(repair.code, repair.pointer, repair.before, repair.after) for repair in read.repairs]
    assert told == [("repeated-argument", "/arguments/a", 1, 2)]


# -- while it is read, and where it is cut ---------------------------------------------------------------------------

PROPERTIES = {
    "first": {"type": "string"},
    "where": {"type": "object", "properties": {"b": {"type": "string"}}},
    "second": {"type": "string"},
}
TOOLS = [{"name": "note_down", "parameters": {"type": "object", "properties": PROPERTIES}}]
LONG = "on and on " * 15
"""Longer than what is told at once."""
ARGUMENTS = {"first": "alpha word", "where": {"b": "beta gamma"}, "second": f"{LONG}delta epsilon"}
CODE = {"python_code", "functionary_python"}
"""What stands in them is code, not arguments."""
READ = [dialect for dialect in DIALECTS if dialect.name not in CODE]


def text_of(dialect: Dialect) -> str:
    return write_calls(dialect, [{"name": "note_down", "arguments": ARGUMENTS}])


@pytest.mark.parametrize("dialect", READ, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize(
    ("word", "place", "left"),
    [
        ("word", "/first", {"first": "alpha wo"}),
        ("gamma", "/where/b", {"first": "alpha word", "where": {"b": "beta ga"}}),
        ("epsilon", "/second", ARGUMENTS | {"second": f"{LONG}delta ep"}),
    ],
)
def test_a_call_that_is_cut_keeps_what_came_and_says_what_was_cut(
    dialect: Dialect, word: str, place: str, left: dict[str, Any]
) -> None:
    text = text_of(dialect)
    text = text[: text.index(word) + 2]
    result = parse(text, parser=dialect.name, tools=TOOLS, finish_reason="length")
    (call,) = result.rejected
    assert (call.name, call.reason, result.calls, result.content) == ("note_down", "truncated", [], "")
    key = place.split("/")[1]
    if dialect.name == "beam":  # in the order of the names
        left = {name: ARGUMENTS[name] for name in sorted(ARGUMENTS) if name < key} | {key: left[key]}
    if dialect.name == "kimi_k3" and key == "where":  # the markup says what type it is, and half of that is a text
        left = left | {"where": '{"b": "beta ga'}
    assert call.arguments == left
    in_tags = dialect.body.argument is not None or dialect.name in ("beam", "muse", "mcp_xml", "tool_elements")
    assert call.partial == (f"/{key}" if in_tags else place,)


@pytest.mark.parametrize("dialect", READ, ids=lambda dialect: dialect.name)
def test_a_value_that_goes_on_and_on_is_not_kept_in_the_window(dialect: Dialect) -> None:
    text = text_of(dialect)
    engine = Engine(Plan([dialect], [dialect.name]))
    engine.feed(text[: text.index("alpha word") + 2])
    for _ in range(40):
        engine.feed("on and on " * 50)
        assert len(engine.source.window) < 4_000
    engine.close()


M3 = "]<]minimax[>["
LISTS = [
    {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "array"}, "b": {"type": "integer"}}}}
]


@pytest.mark.parametrize(
    ("parser", "text", "left", "cut"),
    [
        ("pythonic", "[f(", {}, ()),
        ("pythonic", "[f(a=", {}, ()),
        ("pythonic", "[f(a=[1], b", {"a": [1]}, ()),  # half a name
        ("pythonic", "[f(a=[1], b=", {"a": [1]}, ()),
        ("pythonic", "[f(a=[1], b=2", {"a": [1], "b": 2}, ("/b",)),  # it may go on
        ("pythonic", "[f(a=[1], b=2 ", {"a": [1], "b": 2}, ()),
        ("pythonic", "[f(a=[1], b=2,", {"a": [1], "b": 2}, ()),
        ("pythonic", "[f(a=[1, 'x", {"a": [1, "x"]}, ("/a/1",)),
        ("pythonic", "[f(a=[1, 'x'", {"a": [1, "x"]}, ()),
        ("pythonic", "[f(a=[1, {'x/y': [3, 'z", {"a": [1, {"x/y": [3, "z"]}]}, ("/a/1/x~1y/1",)),
        ("pythonic", "[f(a=[1, {'x", {"a": [1, {}]}, ()),
        ("pythonic", "[f(a=[1, {'x'", {"a": [1, {}]}, ()),  # the key is whole, its sign is not there
        ("pythonic", "[f(a=[{'x': 2, 'y'", {"a": [{"x": 2}]}, ()),
        ("pythonic", "[f(a=[{'x', 'y'", {"a": [["x", "y"]]}, ()),  # no key has a comma behind it
        ("pythonic", "[f(a=(1, 2", {"a": [1, 2]}, ("/a/1",)),
        ("pythonic", "[f(b=1), f(a=['x', 'y", {"a": ["x", "y"]}, ("/a/1",)),
        ("pythonic", "[f([1, 'x", {"a": [1, "x"]}, ("/a/1",)),  # the first argument of the tool
        ("pythonic", "[f([1], 22", {"a": [1], "b": 22}, ("/b",)),
        ("gemma4", "<|tool_call>call:f{", {}, ()),
        ("gemma4", "<|tool_call>call:f{a:[1],b", {"a": [1]}, ()),
        ("gemma4", "<|tool_call>call:f{a:[1],b:", {"a": [1]}, ()),
        ("gemma4", "<|tool_call>call:f{a:[1],b:2", {"a": [1], "b": 2}, ("/b",)),
        ("gemma4", '<|tool_call>call:f{a:[<|"|>x', {"a": ["x"]}, ("/a/0",)),
        ("gemma4", "<|tool_call>call:f{a:[1,<|", {"a": [1]}, ()),  # half of what opens a string
        ("gemma4", "<|tool_call>call:f{a:[{b:[1,2", {"a": [{"b": [1, 2]}]}, ("/a/0/b/1",)),
        ("gemma4", "<|tool_call>call:f{a:[1,{b", {"a": [1, {}]}, ()),
        ("mcp_xml", "<tool><name>f</name><arguments><b>2</b><a>x", {"b": 2, "a": ["x"]}, ("/a/0",)),
        ("mcp_xml", "<tool><name>f</name><arguments><b>2</b><a>x</", {"b": 2, "a": ["x"]}, ("/a/0",)),
        ("mcp_xml", "<tool><name>f</name><arguments><b>2</b><", {"b": 2}, ()),
        ("mcp_xml", "<tool><name>f</name><arguments><b>2</b>", {"b": 2}, ()),
        ("mcp_xml", "<tool><name>f</name><arguments><b>2", {"b": 2}, ("/b",)),
        ("mcp_xml", "<tool><name>f</name><arguments><a><c>1</c><c>2", {"a": [1, 2]}, ("/a/1",)),
        ("mcp_xml", "<tool><name>f</name><arguments><a><c>1</c><c>2</c>", {"a": [1, 2]}, ()),
        ("mcp_xml", "<tool><name>f</name><arguments><o><c>1</c><d>2", {"o": {"c": 1, "d": 2}}, ("/o/d",)),
        ("mcp_xml", "<tool><name>f</name><arguments><o>x</o><o><![CDATA[<y", {"o": ["x", "<y"]}, ("/o/1",)),
        ("mcp_xml", "<tool><name>f</name><b>2</b><o>x", {"b": 2, "o": "x"}, ("/o",)),
        ("mcp_xml", "<tool><name>f</name><b>2</b><o>x</o", {"b": 2, "o": "x"}, ("/o",)),
        ("mcp_xml", "<tool><name>f</name><b>2</b><o><c>x", {"b": 2, "o": {"c": "x"}}, ("/o/c",)),
        ("minimax_m3", f'<invoke name="f">{M3}<a>{M3}<item>x{M3}</item>{M3}<item>y', {"a": ["x", "y"]}, ("/a/1",)),
        ("minimax_m3", f'<invoke name="f">{M3}<o>x{M3}</o>{M3}<o>y', {"o": ["x", "y"]}, ("/o/1",)),
    ],
)
def test_the_value_that_is_cut_is_named(parser: str, text: str, left: dict[str, Any], cut: tuple[str, ...]) -> None:
    text = f"{M3}<tool_call>{M3}{text}" if parser == "minimax_m3" else text
    call = parse(text, parser=parser, tools=LISTS).rejected[-1]
    assert (call.name, call.reason, call.arguments, call.partial) == ("f", "truncated", left, cut)


@pytest.mark.parametrize("dialect", READ, ids=lambda dialect: dialect.name)
def test_what_is_told_of_a_call_while_it_is_read(dialect: Dialect) -> None:
    """Its name once, and its arguments piece by piece, as they stand in the text."""
    text = text_of(dialect)
    for width in (1, len(text)):
        parser = Parser(parser=dialect.name, tools=TOOLS)
        told = [event for at in range(0, len(text), width) for event in parser.feed(text[at : at + width])]
        told = [event for event in told + parser.finish() if event.provisional]
        if not dialect.markers or dialect.name == "apertus":  # until it is whole, it may be text, or thinking
            continue
        assert [event.name for event in told if event.type == "tool_start"] == ["note_down"]
        pieces = "".join(event.text for event in told if event.type == "tool_args")
        assert pieces in text
        assert "on and on" in pieces
        assert {event.type for event in told} <= {"tool_start", "tool_args", "tool_end"}
        assert parser.close().calls[0].arguments == ARGUMENTS
