"""Every dialect is whole as data, reads what it writes, and reads hostile text in linear time."""

from __future__ import annotations

import re
from functools import cache
from json import dumps
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings, strategies as st

from tests import hostile
from tests.cases import load, same
from tests.counted import calls_in
from utp_cli import Parser, load_tools, parse
from utp_cli.dialects.bodies import CodeBody, DelimitedBody, NestedBody
from utp_cli.dialects.catalogue import DIALECTS, GROUPS
from utp_cli.dialects.spec import LIMITS
from utp_cli.engine.grammars import GRAMMARS, write_calls
from utp_cli.repair.typed import typed_text

if TYPE_CHECKING:
    from utp_cli.dialects.spec import Dialect
    from utp_cli.protocol.calls import ParseResult

ALL = pytest.mark.parametrize("dialect", list(DIALECTS), ids=lambda dialect: dialect.name)
SAMPLE = [{**row, "tools": load_tools(row["tools"])} for row in load("audit/bfcl_sample.jsonl")]
"""Calls of real tools, which are read once: every dialect writes them."""
SAID = "I will look."


def limits(dialect: Dialect) -> set[str]:
    return {*dialect.cannot, *GRAMMARS[dialect.family].cannot}


# -- the catalogue ------------------------------------------------------------------------------------------------------


def test_names_are_unique() -> None:
    names = [name.lower() for dialect in DIALECTS for name in (dialect.name, *dialect.aliases)] + list(GROUPS)
    shared = {name for name in names if names.count(name) > 1}
    assert not shared


def test_groups_name_dialects() -> None:
    for members in GROUPS.values():
        assert all(DIALECTS[name] for name in members)


@ALL
def test_dialect_is_whole(dialect: Dialect) -> None:
    assert re.fullmatch(r"[a-z0-9_]+", dialect.name)
    assert dialect.family in GRAMMARS
    assert dialect.source
    assert dialect.markers or dialect.body.bare
    assert limits(dialect) <= set(LIMITS)
    assert all(dialect.markers)
    assert all(dialect.call_close)
    assert all(dialect.section_close)


# -- the round trip -----------------------------------------------------------------------------------------------------


def schema_of(value: Any) -> dict[str, Any]:
    """Return a schema that allows the value and no other type."""
    match value:
        case dict():
            return {"type": "object", "properties": {key: schema_of(item) for key, item in value.items()}}
        case list():
            schemas = [schema_of(item) for item in value]
            alike = all(schema == schemas[0] for schema in schemas)
            return {"type": "array", **({"items": schemas[0]} if schemas and alike else {})}
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string"}
    return {"type": kinds.get(type(value), "null")}


def tools_for(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Define each tool by what its calls hold; calls of one tool that differ in a type make it a union."""
    properties: dict[str, dict[str, list[Any]]] = {}
    for call in calls:
        known = properties.setdefault(call["name"], {})
        for key, value in call["arguments"].items():
            schema = schema_of(value)
            known[key] = [*known.get(key, []), *([schema] if schema not in known.get(key, []) else [])]
    return [
        {
            "name": name,
            "parameters": {
                "type": "object",
                "properties": {k: s[0] if len(s) == 1 else {"anyOf": s} for k, s in known.items()},
            },
        }
        for name, known in properties.items()
    ]


def fed(text: str, random: Any, options: dict[str, Any]) -> ParseResult:
    parser, at = Parser(**options), 0
    while at < len(text):
        step = random.choice((1, 2, 3, 5, 8, 40))
        parser.feed(text[at : at + step])
        at += step
    return parser.close()


def check(dialect: Dialect, calls: list[dict[str, Any]], result: ParseResult, content: str) -> None:
    document = result.to_dict()
    assert same([{"name": c["name"], "arguments": c["arguments"]} for c in document["calls"]], calls)
    assert [repair["code"] for repair in document["repairs"]] == []
    assert {call["parser"] for call in document["calls"]} <= {dialect.name, "muse_atem"}
    assert document["content"] == content


def bits(dialect: Dialect) -> list[str]:
    """List the pieces that strings are made of: the dialect's own markup above all."""
    tags = [tag for pair in dialect.body.tags for tag in (pair.open, pair.close)]
    own = [*dialect.markers, *dialect.call_close, *dialect.section_close, *dialect.dropped, *tags]
    own += [marker for pair in dialect.reasoning for marker in pair]
    common = [
        "</tool_call>", "</parameter>", "<think>", "</think>", "<tool_call>", "]]>", "<![CDATA[", "&lt;", "```", "'", '"', '")',
        "\n", "\r\n", "\t", " ", "\\", "\\n", "\\u0041", "{}", "{", "]", ",", ":", "null", "true", "5", "1.0", "é", "漢", "😀", "text",
    ]  # fmt: skip
    return sorted({*own, *common} - {""})


def reads_as_tags(dialect: Dialect, text: str) -> bool:
    """Whether the text holds an end of a value, the opening of another argument, or an end and an opening of calls."""
    match dialect.body:
        case DelimitedBody(quote=own) | NestedBody(tag_prefix=own):
            tags: tuple[str, ...] = (own,)
        case CodeBody():  # the next call begins without an end of this one
            tags = (*dialect.dropped, *dialect.markers)
        case body:
            tags = (body.argument.open, body.argument.close) if body.argument else dialect.dropped
    ends = (*dialect.call_close, *dialect.section_close, *dialect.dropped)
    next_call = any(end in text for end in ends) and any(tag in text for tag in dialect.markers)
    return next_call or any(tag in text for tag in tags if tag)


EMPTY = ("", None, [], {})


@cache
def strings(dialect: Dialect) -> st.SearchStrategy[str]:
    texts = st.lists(
        st.sampled_from(bits(dialect)) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6), max_size=6
    )
    made = texts.map("".join)
    if "own-tags" in limits(dialect):
        made = made.map(lambda text: "tag" if reads_as_tags(dialect, text) else text)
    if "nested-names" in limits(dialect):
        made = made.filter(lambda text: typed_text(text, None, None)[0] == text)
    if "edge-space" in limits(dialect):
        made = made.map(str.strip)
    if "empty-values" in limits(dialect):
        made = made.map(lambda text: text if text.strip() else "x")
    return made


@cache
def keys(dialect: Dialect) -> st.SearchStrategy[str]:
    words = st.sampled_from(["a", "b", "city", "n_1", "x-y", "tags"])
    return (
        words
        if "odd-keys" in limits(dialect)
        else words | st.sampled_from(["two words", "a:b", "é", "<x>", '"q"', "a=b"])
    )


@cache
def values(dialect: Dialect) -> st.SearchStrategy[Any]:
    numbers = st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
    leaves = (
        st.booleans() | numbers | strings(dialect) | (st.nothing() if "empty-values" in limits(dialect) else st.none())
    )
    least = int("empty-values" in limits(dialect))
    flat = "nested-names" in limits(dialect)
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner.filter(lambda item: not (flat and isinstance(item, list))), min_size=least, max_size=3)
            | st.dictionaries(keys(dialect), inner, min_size=least, max_size=3)
        ),
        max_leaves=5,
    )


@cache
def calls_of(dialect: Dialect) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Make calls that a dialect can write. The strategy is built once: that takes longer than an example does."""
    if isinstance(dialect.body, CodeBody):
        arguments: Any = st.fixed_dictionaries({dialect.body.argument_keys[0]: strings(dialect).filter(str.strip)})
        names = st.just(dialect.body.fixed_name)
    else:
        arguments = st.dictionaries(keys(dialect), values(dialect), max_size=3)
        names = st.sampled_from(["get_weather", "f", "a.b", "read-file", "x2"])
    if "own-tags" in limits(dialect):
        arguments = arguments.filter(lambda made: not any(reads_as_tags(dialect, dumps(v)) for v in made.values()))
    call = st.fixed_dictionaries({"name": names, "arguments": arguments})
    return st.lists(call, min_size=1, max_size=1 if "several-calls" in limits(dialect) else 3)


@ALL
@settings(max_examples=settings().max_examples // 10)  # there are many dialects
@given(data=st.data(), random=st.randoms(use_true_random=False))
def test_reads_what_it_writes(dialect: Dialect, data: st.DataObject, random: Any) -> None:
    calls = data.draw(calls_of(dialect))
    said = "" if "text-around" in limits(dialect) else data.draw(st.sampled_from(["", SAID]))
    text = (said and said + "\n\n") + write_calls(dialect, calls)
    options = {"parser": dialect.name, "tools": tools_for(calls)}
    check(dialect, calls, parse(text, **options), said)
    check(dialect, calls, fed(text, random, options), said)


@ALL
def test_writes_and_reads_calls_of_real_tools(dialect: Dialect) -> None:
    for row in SAMPLE:
        calls = [{"name": call["name"], "arguments": call["arguments"]} for call in row["calls"]]
        if not carries(dialect, calls):
            continue
        text = write_calls(dialect, calls)
        check(dialect, calls, parse(text, parser=dialect.name, tools=row["tools"]), "")


def carries(dialect: Dialect, calls: list[dict[str, Any]]) -> bool:
    return bool(calls) and "one-argument" not in limits(dialect)


@pytest.mark.parametrize(
    ("name", "call", "inside"),
    [
        ("tool_use_xml", {"arguments": {"a": "b"}}, '<name>f</name>\n<arguments>{"a": "b"}</arguments>'),
        (
            "tool_use_xml",
            {"arguments": {"a": "<b>"}},
            '<name>f</name>\n<arguments><![CDATA[{"a": "<b>"}]]></arguments>',
        ),
        ("mcp_xml", {"arguments": {}, "server": "a&b"}, "<server_name>a&amp;b</server_name>\n<tool_name>f</tool_name>"),
        ("mcp_xml", {"arguments": {}}, "<server_name>local</server_name>\n<tool_name>f</tool_name>"),
    ],
)
def test_elements_are_written_plainly(name: str, call: dict[str, Any], inside: str) -> None:
    text = write_calls(DIALECTS[name], [{"name": "f", **call}])
    assert inside in text
    (read,) = parse(text, parser=name).calls
    assert (read.name, read.arguments) == ("f", call["arguments"])
    assert read.server == (call.get("server") or DIALECTS[name].body.default_server)


# -- cut off ------------------------------------------------------------------------------------------------------------

CUT_STEP = 7
"""Characters between the places where a text is cut. `test_engine_laws` cuts another one within each marker and around
each sign; here the first character is the call's, and no words stand before it."""
TWO = [
    {"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}, "id": "functions.get_weather:0"},
    {"name": "get_weather", "arguments": {"city": "Bergen", "days": 2}, "id": "functions.get_weather:1"},
]


@ALL
def test_what_is_cut_off_makes_no_other_call(dialect: Dialect) -> None:
    """Wherever a limit cuts an answer: what counts as a call is one that was written, whole; the rest is truncated."""
    if isinstance(dialect.body, CodeBody):
        return  # its text is a call wherever it ends
    text = write_calls(dialect, TWO)
    written = [{"name": call["name"], "arguments": call["arguments"]} for call in TWO]
    second = text.index("Bergen")
    for end in range(1, len(text), CUT_STEP):
        result = parse(text[:end], parser=dialect.name, tools=hostile.TOOLS, finish_reason="length").to_dict()
        made = [{"name": call["name"], "arguments": call["arguments"]} for call in result["calls"]]
        assert same(made, written[: len(made)]), text[:end]
        if end >= second:
            assert made, text[:end]
            assert len(made) == 2 or {call["reason"] for call in result["rejected"]} <= {"truncated"}


# -- while it streams ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["hermes", "qwen3_coder", "minimax_m2", "glm45", "kimi_k2", "mistral", "openai", "gemma4"]
)
def test_arguments_are_told_while_they_are_written(name: str) -> None:
    """Of a long text, most has been told before it ends; what was told is what the model wrote."""
    dialect = DIALECTS[name]
    call = {"name": "write", "arguments": {"text": "so many words " * 50}, "id": "functions.write:0"}
    written = write_calls(dialect, [call])
    parser, told = Parser(parser=name), ""
    for at in range(0, len(written), 4):
        for event in parser.feed(written[at : at + 4]):
            told += event.text if event.type == "tool_args" else ""
        if at > len(written) // 2:
            assert len(told) > len(written) // 3
    (read,) = parser.close().calls
    assert read.arguments == call["arguments"]
    assert told.strip() in read.raw


LATE = {"xlam", *(dialect.name for dialect in DIALECTS if dialect.family == "xml_elements")}
"""What stands behind may still change the name: a list of bare JSON, children in any order."""
AT_THE_END = {"apertus", "generic"}
"""The name is a key, or the call is in a wrapper: only the whole tells."""


def test_actions_are_calls_where_the_dialect_is_asked_for() -> None:
    text = "Thought: The clock is on the left.\nAction: click(point='<point>12 40</point>')\nAction: wait()"
    result = parse(text, parser="ui_tars")
    assert [(call.name, call.arguments) for call in result.calls] == [
        ("click", {"point": "<point>12 40</point>"}), ("wait", {}),
    ]  # fmt: skip
    assert (result.content, result.repairs) == ("Thought: The clock is on the left.", [])
    assert parse(text).calls == []


@pytest.mark.parametrize("opening", ["Here is", "Here's"])
def test_words_open_thinking_where_the_dialect_is_asked_for(opening: str) -> None:
    text = f"{opening} my thought process: the port is known. {opening} my response: At noon."
    result = parse(text, parser="granite")
    assert (result.reasoning, result.content) == ("the port is known.", "At noon.")
    assert parse(text).reasoning == ""


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if d.name not in AT_THE_END], ids=lambda d: d.name)
def test_a_call_is_told_once_by_name_before_its_arguments_end(dialect: Dialect) -> None:
    name, key = "find_harbour", "place"
    if isinstance(dialect.body, CodeBody):
        name, key = dialect.body.fixed_name, dialect.body.argument_keys[0]
    call = {"name": name, "arguments": {key: "x = 1234567890"}, "id": f"functions.{name}:0"}
    text = write_calls(dialect, [call])
    inside = text.index("1234567890")
    parser = Parser(parser=dialect.name, tools=tools_for([call]))
    early = [event for character in text[:inside] for event in parser.feed(character)]
    late = [event for character in text[inside:] for event in parser.feed(character)] + parser.finish()
    told = [event for event in early + late if event.provisional]
    assert [event.name for event in early if event.type == "tool_start"] == [name] * (dialect.name not in LATE)
    assert [event.name for event in told if event.type == "tool_start"] == [name]
    (end,) = (event for event in told if event.type == "tool_end")
    assert (end.name, end.arguments, told[-1]) == (name, call["arguments"], end)
    assert "1234567890" in "".join(event.text for event in told if event.type == "tool_args")


# -- cost --------------------------------------------------------------------------------------------------------------


def calls_made(dialect: Dialect, text: str, piece: int) -> int:
    """Count the calls that reading takes; seconds are measured in `bench/linear.py`."""

    def reading() -> None:
        parser = Parser(parser=dialect.name, tools=hostile.TOOLS)
        for at in range(0, len(text), piece):
            parser.feed(text[at : at + piece])
        parser.close().to_dict()

    return calls_in(reading)


FIRST = {dialect.family: dialect for dialect in reversed(list(DIALECTS))}
"""The first dialect of each family: the others differ in data only."""


@pytest.mark.parametrize("dialect", FIRST.values(), ids=FIRST)
def test_hostile_text_costs_linear_time(dialect: Dialect) -> None:
    texts = [*hostile.inputs(dialect)]
    calls_made(dialect, texts[0][1](800), 4)  # what is made once: patterns, plans
    for name, make in texts:
        one, two = (calls_made(dialect, make(size), 4) for size in (800, 1_600))
        assert two <= 2.5 * one, name
