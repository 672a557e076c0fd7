"""Tools, choices, results and answers as providers take them; what they cannot say is a loss, and said."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings, strategies as st

import utp_cli
from tests.cases import FIXTURES
from tests.losses import SAMPLES, keyword_of
from tests.schema_rules import STRUCTURE, faults, refused
from tests.tool_sets import ALL, HARD
from utp_cli.protocol.errors import UnknownName
from utp_cli.protocol.tools import Tier, Tool
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.keywords import SILENT, WORDS as IN_WORDS
from utp_cli.rendering.samples import sample_arguments
from utp_cli.rendering.schema import translate
from utp_cli.rendering.targets import ANTHROPIC_STRICT, GEMINI, OLLAMA, OPENAI_STRICT, SchemaTarget
from utp_cli.rendering.tools import render_tools

NARROW = {"openai": OPENAI_STRICT, "anthropic": ANTHROPIC_STRICT, "gemini": GEMINI, "ollama": OLLAMA}
EVERY_TOOL = [pytest.param(tool, id=f"{name}-{tool.name}") for name, tools in ALL.items() for tool in tools]
NAMES = [spec.name for spec in FORMATS]


def tool_with(**properties: Any) -> Tool:
    return Tool(name="t", parameters={"type": "object", "properties": properties})


def sent(tool: Tool, target: SchemaTarget) -> dict[str, Any]:
    return translate(tool, target).schema


# -- schemas: what a target refuses is not there ---------------------------------------------------------------


@pytest.mark.parametrize("column", NARROW)
@pytest.mark.parametrize("tool", EVERY_TOOL)
def test_a_narrow_target_gets_nothing_it_refuses(tool, column):
    schema = sent(tool, NARROW[column])
    assert refused(schema, column) == []
    root = [] if schema.get("properties") else ["objects have properties"]
    assert [fault for fault in faults(schema, column) if fault.split(":")[0] not in root] == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)
WORDS = sorted({*IN_WORDS, *SILENT, "title", *STRUCTURE, "$ref", "allOf", "const", "nullable", "x-other"})
REFS = st.sampled_from(
    ["#", "#/$defs/a", "#/$defs/b", "#/properties/p", "#/nowhere", "https://example.com/s", "#/anyOf/0"]
)


def schema_value(keyword: str, inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """What a keyword may hold: mostly something sensible, sometimes anything."""
    named = st.dictionaries(st.sampled_from(["a", "b", "p", "q r", ""]), inner, max_size=3)
    sensible = {
        "$ref": REFS,
        "description": st.sampled_from(["text", "A name", "x" * 501]),
        "nullable": st.booleans(),
        "enum": st.lists(st.sampled_from(["a", "", 1, 2, 4, None, True, 1.5, {}]), max_size=4),
        "pattern": st.sampled_from(["^a", "(?=a)", r"\ba"]),
        "minItems": st.integers(0, 3),
        "format": st.sampled_from(["date", "uri", "int32", "date-time"]),
        "type": st.sampled_from(["string", "object", "array", "integer", "null", "float"])
        | st.lists(st.sampled_from(["string", "object", "array", "integer", "null"]), max_size=3),
        "required": st.lists(st.sampled_from(["a", "b", "p"]), max_size=3),
        **dict.fromkeys(("properties", "$defs", "patternProperties"), named),
        **dict.fromkeys(("anyOf", "oneOf", "allOf", "prefixItems"), st.lists(inner, max_size=3)),
        **dict.fromkeys(("items", "additionalProperties", "not", "contains"), inner),
    }.get(keyword)
    return (sensible | JSON) if sensible is not None else JSON


def some_schema(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    entry = st.sampled_from(WORDS).flatmap(lambda keyword: st.tuples(st.just(keyword), schema_value(keyword, inner)))
    return st.lists(entry, max_size=5).map(dict)


SCHEMAS = st.recursive(st.booleans() | REFS.map(lambda ref: {"$ref": ref}), some_schema, max_leaves=12)


@pytest.mark.parametrize("column", NARROW)
@settings(max_examples=150, deadline=None)
@given(parameters=some_schema(SCHEMAS))
def test_any_schema_is_translated_into_what_the_target_takes(column, parameters):
    before = copy.deepcopy(parameters)
    schema = sent(Tool(name="t", parameters=parameters), NARROW[column])
    assert repr(parameters) == repr(before)
    assert refused(schema, column) == []
    root = [] if schema.get("properties") else ["objects have properties"]
    assert [fault for fault in faults(schema, column) if fault.split(":")[0] not in root] == []
    assert json.dumps(schema) == json.dumps(sent(Tool(name="t", parameters=parameters), NARROW[column]))


ROOTS = {
    "openai-chat": {"anyOf", "oneOf", "allOf", "enum", "const", "not", "$ref"},
    "anthropic": {"anyOf", "oneOf", "allOf", "$ref"},
}
"""Keywords that may not stand at the root."""


@settings(max_examples=60, deadline=None)
@given(parameters=some_schema(SCHEMAS), name=st.text(max_size=80))
def test_any_tool_is_rendered_in_every_format(parameters, name):
    tool = Tool(name=name, description=name, parameters=parameters)
    for spec in FORMATS:
        rendered = render_tools([tool], spec.name)
        json.dumps(rendered.fragment)
        assert rendered.fragment or rendered.text
        for entry in rendered.fragment.get("tools", ()) if spec.name in ROOTS else ():
            schema = entry.get("input_schema") or entry["function"]["parameters"]
            assert schema["type"] == "object"
            assert isinstance(schema["properties"], dict)
            assert not schema.keys() & ROOTS[spec.name]


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def doubling(levels: int) -> dict[str, Any]:
    """Written out, the definitions are 2 ** levels schemas."""
    defs = {
        f"d{n}": {"type": "object", "properties": {side: {"$ref": f"#/$defs/d{n + 1}"} for side in "lr"}}
        for n in range(levels)
    }
    return {
        "type": "object",
        "properties": {"top": {"$ref": "#/$defs/d0"}},
        "$defs": {**defs, f"d{levels}": {"type": "string"}},
    }


HOSTILE = {
    "deep": nested(5000),
    "doubling": doubling(40),
    "ref to itself": {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}},
    "refs in a ring": {
        "$ref": "#/$defs/a",
        "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}},
    },
    "root in itself": {"properties": {"next": {"$ref": "#"}}, "required": ["next"]},
    "wide union": {"properties": {"a": {"anyOf": [{"const": n} for n in range(20_000)]}}},
    "no mapping": ["a"],
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("format_", NAMES)
def test_hostile_schemas_cost_little(name, format_):
    rendered = render_tools([Tool(name="t", parameters=HOSTILE[name])], format_, strict=True)
    assert rendered.fragment or rendered.text
    assert len(json.dumps(rendered.fragment)) < 2_000_000


# -- schemas: how things are said ------------------------------------------------------------------------------

SAID = [
    ("openai", {"type": "string"}, {"type": ["string", "null"]}),
    ("openai", {"enum": ["a", "b"]}, {"type": ["string", "null"], "enum": ["a", "b", None]}),
    ("openai", {"const": 3}, {"type": ["integer", "null"], "enum": [3, None]}),
    ("openai", {"type": "string", "pattern": "(?=a)b"}, {"type": ["string", "null"], "description": "Matches (?=a)b"}),
    ("openai", {"type": "string", "format": "uri"}, {"type": ["string", "null"], "description": "Format uri"}),
    (
        "openai",
        {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
    ),
    (
        "anthropic",
        {"type": "string", "minLength": 3, "description": "A name"},
        {"type": "string", "description": "A name (length at least 3)"},
    ),
    (
        "anthropic",
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 9},
        {"type": "array", "minItems": 1, "items": {"type": "string"}, "description": "Number of items at most 9"},
    ),
    ("gemini", {"type": ["string", "null"]}, {"type": "STRING", "nullable": True}),
    ("gemini", {"type": "string", "nullable": True}, {"type": "STRING", "nullable": True}),
    ("gemini", {"type": "integer", "enum": [1, 2, 3]}, {"type": "INTEGER", "minimum": 1, "maximum": 3}),
    ("gemini", {"type": "integer", "enum": [1, 7]}, {"type": "INTEGER", "description": "One of [1, 7]"}),
    ("gemini", {"type": "integer", "exclusiveMinimum": 0}, {"type": "INTEGER", "minimum": 1}),
    ("gemini", {"type": "number", "exclusiveMinimum": 0}, {"type": "NUMBER", "description": "More than 0"}),
    ("gemini", {"const": "a"}, {"type": "STRING", "enum": ["a"]}),
    ("gemini", {"type": ["string", "integer"]}, {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]}),
    ("gemini", {"allOf": [{"type": "string"}, {"pattern": "^a"}]}, {"type": "STRING", "pattern": "^a"}),
    (
        "gemini",
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "STRING", "description": 'A JSON object, written as text; further keys: {"type": "string"}'},
    ),
    ("gemini", {"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "STRING", "nullable": True}),
    ("gemini", {"items": {"type": "string"}}, {"type": "ARRAY", "items": {"type": "STRING"}}),
    (
        "gemini",
        {"type": "dict", "properties": {"a": {"type": "float"}}},
        {"type": "OBJECT", "properties": {"a": {"type": "NUMBER"}}},
    ),
    ("openai", {"nullable": True, "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
    (
        "anthropic",
        {"allOf": [{"type": ["integer", "string"], "enum": [1, 2, "a"]}, {"type": "number", "enum": [2, 3]}]},
        {"type": "integer", "enum": [2]},
    ),
    (
        "ollama",
        {"allOf": [{"minimum": 1, "maximum": 9}, {"minimum": 3, "type": "integer"}]},
        {"type": "integer", "description": "At least 3; at most 9"},
    ),
    (
        "gemini",
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
        {
            "type": "ARRAY",
            "items": {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]},
            "description": 'The items in order: [{"type": "string"}, {"type": "integer"}]',
        },
    ),
    (
        "anthropic",
        {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "anyOf": [{"required": ["a"]}, {"maxProperties": 0}],
        },
        {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"a": {"type": "string"}},
                    "required": ["a"],
                    "additionalProperties": False,
                },
                {
                    "type": "object",
                    "properties": {"a": {"type": "string"}},
                    "additionalProperties": False,
                    "description": "Number of keys at most 0",
                },
            ]
        },
    ),
    ("ollama", {"$ref": "#anchor", "type": "string"}, {"type": "string"}),
    (
        "gemini",
        {
            "description": "Either",
            "anyOf": [{"type": ["string", "integer"], "description": "short"}, {"type": "boolean"}],
        },
        {
            "anyOf": [
                {"type": "STRING", "description": "Either (short)"},
                {"type": "INTEGER", "description": "Either (short)"},
                {"type": "BOOLEAN", "description": "Either"},
            ]
        },
    ),
    (
        "anthropic",
        {
            "description": "Ours",
            "allOf": [{"type": "string", "pattern": "^a", "description": "Theirs"}, {"pattern": "b$"}],
        },
        {"type": "string", "pattern": "^a", "description": "Ours (Theirs) (matches b$)"},
    ),
    (
        "gemini",
        {"type": "object", "properties": [1]},
        {"type": "STRING", "description": "A JSON object, written as text"},
    ),
    ("ollama", {"type": "string", "format": "date"}, {"type": "string", "description": "Format date"}),
    ("ollama", {"$ref": "#/nowhere", "type": "string"}, {"type": "string"}),
]


@pytest.mark.parametrize(("column", "given_", "expected"), SAID, ids=[f"{c}-{json.dumps(g)[:60]}" for c, g, _ in SAID])
def test_a_property_is_said_so(column, given_, expected):
    assert sent(tool_with(p=given_), NARROW[column])["properties"]["p"] == expected


def sound(tool: Tool) -> bool:
    """Whether a call made up from the schema fits it."""
    return jsonschema_rs.validator_for(tool.parameters).is_valid(sample_arguments(tool.parameters))


PLAIN = [
    pytest.param(tool, id=f"{name}-{tool.name}")
    for name, tools in ALL.items()
    for tool in tools
    if not name.startswith("notion") and sound(tool)
]
"""Without the set whose alternatives are open objects: a made-up call fits one of those, and strict modes close them."""


@pytest.mark.parametrize("column", ["openai", "anthropic", "ollama"])
@pytest.mark.parametrize("tool", PLAIN)
def test_what_the_tool_takes_the_sent_schema_allows(tool, column):
    """With null for what is left out, if everything is required."""
    schema = sent(tool, NARROW[column])
    jsonschema_rs.meta.validate(schema)
    arguments = sample_arguments(tool.parameters)
    if column == "openai":
        arguments = with_nulls(arguments, schema, schema)
    jsonschema_rs.validator_for(schema).validate(arguments)


def with_nulls(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return with_nulls(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    if isinstance(value, list):
        return [with_nulls(item, schema.get("items", {}), root) for item in value]
    if not isinstance(value, dict):
        return value
    properties = schema.get("properties", {})
    return {name: with_nulls(value[name], properties[name], root) if name in value else None for name in properties}


def test_every_word_put_into_a_description_is_a_loss():
    translated = translate(HARD["set_thermostat"], OLLAMA)
    said = [loss.pointer for loss in translated.losses if loss.what == "moved-to-description"]
    assert "/parameters/properties/room/minLength" in said
    assert "/parameters/properties/minutes/exclusiveMinimum" in said


def test_recursion_is_written_out_some_rounds_and_the_end_is_said():
    translated = translate(HARD["make_folders"], GEMINI)
    assert any(loss.keyword == "$ref" and loss.what == "dropped" for loss in translated.losses)
    folder = translated.schema["properties"]["root"]
    depth = 0
    while "children" in folder["properties"]:
        folder, depth = folder["properties"]["children"]["items"], depth + 1
    assert depth == 2
    assert folder["description"] == "Children cannot be given here"


def test_recursion_stays_where_it_can_be_said():
    schema = sent(HARD["make_folders"], OPENAI_STRICT)
    assert schema["properties"]["root"] == {"$ref": "#/$defs/Folder"}
    assert schema["$defs"]["Folder"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Folder"}


def test_a_root_with_alternatives_becomes_one_object_and_the_description_tells_of_them():
    by_id = {"properties": {"id": {"type": "integer"}}, "required": ["id"]}
    by_name = {"properties": {"name": {"type": "string"}}, "required": ["name"]}
    tool = Tool(name="find", description="Find it.", parameters={"type": "object", "anyOf": [by_id, by_name]})
    for format_ in ("openai-chat", "anthropic"):
        (entry,) = render_tools([tool], format_).fragment["tools"]
        entry = entry.get("function", entry)
        schema = entry.get("parameters") or entry["input_schema"]
        assert "anyOf" not in schema
        assert set(schema["properties"]) == {"id", "name"}
        assert entry["description"] == "Find it. Give id or name."


def test_names_of_properties_are_mapped_and_said():
    translated = translate(tool_with(**{"filter[name]": {"type": "string"}}), GEMINI)
    assert list(translated.schema["properties"]) == ["filter_name_"]
    assert translated.losses[0].message == "filter[name] is sent as filter_name_"


# -- the request -----------------------------------------------------------------------------------------------


def test_an_unknown_format_offers_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'anthropic'"):
        render_tools([], "antropic")


def test_a_choice_must_be_a_tool():
    with pytest.raises(UnknownName, match="list_rooms"):
        render_tools(ALL["hard"], tool_choice="list_room")


CHOICES = {
    "openai-chat": ("auto", "none", "required", {"type": "function", "function": {"name": "list_rooms"}}),
    "azure": ("auto", "none", "required", {"type": "function", "function": {"name": "list_rooms"}}),
    "openai-responses": ("auto", "none", "required", {"type": "function", "name": "list_rooms"}),
    "anthropic": ({"type": "auto"}, {"type": "none"}, {"type": "any"}, {"type": "tool", "name": "list_rooms"}),
    "mistral": ("auto", "none", "required", {"type": "function", "function": {"name": "list_rooms"}}),
    "langchain": ("auto", "none", "any", "list_rooms"),
    "cohere": (None, "NONE", "REQUIRED", "REQUIRED"),
    "ollama": (None, None, None, None),
}


@pytest.mark.parametrize("format_", CHOICES)
def test_choices(format_):
    asked = ("auto", "none", "required", "list_rooms")
    got = tuple(render_tools(ALL["hard"], format_, tool_choice=choice).fragment.get("tool_choice") for choice in asked)
    assert got == CHOICES[format_]


def test_choices_of_gemini():
    def config(choice: str, **options: Any) -> dict[str, Any]:
        fragment = render_tools(ALL["hard"], "gemini", tool_choice=choice, **options).fragment
        return fragment["toolConfig"]["functionCallingConfig"]

    assert config("auto") == {"mode": "AUTO"}
    assert config("auto", strict=True) == {"mode": "VALIDATED"}
    assert config("none") == {"mode": "NONE"}
    assert config("required") == {"mode": "ANY"}
    assert config("list_rooms") == {"mode": "ANY", "allowedFunctionNames": ["list_rooms"]}


def test_choices_of_bedrock():
    def choice(wanted: str) -> Any:
        return render_tools(ALL["hard"], "bedrock", tool_choice=wanted).fragment.get("toolConfig", {}).get("toolChoice")

    assert [choice(wanted) for wanted in ("auto", "none", "required", "list_rooms")] == [
        {"auto": {}}, None, {"any": {}}, {"tool": {"name": "list_rooms"}},
    ]  # fmt: skip


def test_choices_of_the_old_functions():
    def choice(tools: list[Tool], wanted: str) -> Any:
        return render_tools(tools, "openai-legacy", tool_choice=wanted).fragment["function_call"]

    assert choice(ALL["hard"], "auto") == "auto"
    assert choice(ALL["hard"], "none") == "none"
    assert choice(ALL["hard"], "required") == "auto"
    assert choice(ALL["hard"][:1], "required") == {"name": "list_rooms"}
    assert choice(ALL["hard"], "list_rooms") == {"name": "list_rooms"}


@pytest.mark.parametrize(
    ("format_", "choice"),
    [
        ("ollama", "required"),
        ("ollama", "none"),
        ("bedrock", "none"),
        ("cohere", "list_rooms"),
        ("mcp", "required"),
        ("openai-legacy", "required"),
    ],
)
def test_a_choice_that_cannot_be_said_is_a_loss(format_, choice):
    assert "tool_choice" in {loss.keyword for loss in render_tools(ALL["hard"], format_, tool_choice=choice).losses}


@pytest.mark.parametrize(
    "model", ["claude-fable-5.1", "anthropic.claude-mythos-5-1-v1:0", "anthropic/claude-fable-5-1-20260901"]
)
@pytest.mark.parametrize("format_", ["anthropic", "bedrock", "openai-chat"])
def test_a_model_that_refuses_a_forced_choice_gets_auto_and_a_sentence(model, format_):
    rendered = render_tools(ALL["hard"], format_, tool_choice="list_rooms", model=model)
    auto = render_tools(ALL["hard"], format_, strict=True)
    assert rendered.fragment == auto.fragment
    assert rendered.text == "Call the tool list_rooms."
    assert [loss.keyword for loss in rendered.losses if not loss.tool] == ["tool_choice"]


def test_other_models_take_a_forced_choice():
    fragment = render_tools(ALL["hard"], "anthropic", tool_choice="list_rooms", model="claude-opus-5-10").fragment
    assert fragment["tool_choice"] == {"type": "tool", "name": "list_rooms"}


def test_parallel_calls_switched_off():
    tools = ALL["hard"]
    assert render_tools(tools, "openai-chat", parallel=False).fragment["parallel_tool_calls"] is False
    choice = render_tools(tools, "anthropic", tool_choice="list_rooms", parallel=False).fragment["tool_choice"]
    assert choice == {"type": "tool", "name": "list_rooms", "disable_parallel_tool_use": True}
    assert render_tools(tools, "anthropic", tool_choice="none", parallel=False).fragment["tool_choice"] == {
        "type": "none"
    }
    assert [loss.keyword for loss in render_tools(tools, "gemini", parallel=False).losses if not loss.tool] == [
        "parallel"
    ]


def test_names_that_are_refused_are_mapped_and_the_way_back_is_there():
    tools = [Tool(name="admin.users.list"), Tool(name="admin_users_list"), Tool(name="x" * 80)]
    rendered = render_tools(tools, "openai-chat", tool_choice="admin.users.list")
    names = [entry["function"]["name"] for entry in rendered.fragment["tools"]]
    assert len(set(names)) == 3
    assert all(len(name) <= 64 for name in names)
    assert names[1] == "admin_users_list"
    assert rendered.names == {names[0]: "admin.users.list", names[2]: "x" * 80}
    assert rendered.fragment["tool_choice"]["function"]["name"] == names[0]
    assert [entry["name"] for entry in render_tools(tools, "mcp").fragment["tools"]] == [tool.name for tool in tools]


def test_of_two_tools_with_one_name_the_first_is_sent():
    tools = [Tool(name="a", description="one"), Tool(name="a", description="two")]
    rendered = render_tools(tools, "openai-chat")
    assert [entry["function"]["description"] for entry in rendered.fragment["tools"]] == ["one"]
    assert [(loss.tool, loss.what) for loss in rendered.losses] == [("a", "refused")]


def test_prompts_are_fragments_too():
    rendered = render_tools(ALL["hard"], "prompt-json")
    assert rendered.fragment == {"messages": [{"role": "system", "content": rendered.text}]}
    rendered = render_tools(ALL["hard"], "anthropic-xml")
    assert rendered.fragment == {"system": rendered.text}


def test_tiers_above_the_one_asked_for_are_not_shown():
    tools = [Tool(name="read"), Tool(name="write", tier=Tier.WALK), Tool(name="wipe", tier=Tier.RUN)]
    shown = render_tools(tools, "anthropic", tier=Tier.WALK).fragment["tools"]
    assert [entry["name"] for entry in shown] == ["read", "write"]


def test_no_tools_make_an_empty_fragment():
    assert all(render_tools([], spec.name).fragment == {} for spec in FORMATS)


def test_strict_is_said_for_responses_even_where_it_is_off():
    assert all(entry["strict"] is False for entry in render_tools(ALL["hard"], "openai-responses").fragment["tools"])
    assert all(
        entry["strict"] is True
        for entry in render_tools(ALL["hard"], "openai-responses", strict=True).fragment["tools"]
    )


def test_strict_tools_beyond_what_a_request_takes_are_sent_without():
    rendered = render_tools(ALL["playwright-mcp"], "anthropic", strict=True)
    strict = [entry for entry in rendered.fragment["tools"] if entry.get("strict")]
    assert 0 < len(strict) <= 20
    assert len(rendered.fragment["tools"]) == len(ALL["playwright-mcp"])
    refused_ = [loss.tool for loss in rendered.losses if loss.what == "refused"]
    assert len(refused_) == len(rendered.fragment["tools"]) - len(strict)


def test_a_definition_decides_about_strict_where_the_caller_does_not():
    tools = [replace(HARD["list_rooms"], strict=True), replace(HARD["list_rooms"], name="other")]
    first, second = (entry["function"] for entry in render_tools(tools, "openai-chat").fragment["tools"])
    assert first["strict"] is True
    assert "strict" not in second


@pytest.mark.parametrize(("format_", "limit"), [("azure", 1024), ("ollama", 500)])
def test_a_long_description_is_cut_and_whole_in_the_prompt(format_, limit):
    rendered = render_tools(ALL["hard"], format_)
    (entry,) = (entry["function"] for entry in rendered.fragment["tools"] if entry["function"]["name"] == "query_sales")
    assert len(entry["description"]) <= limit
    assert HARD["query_sales"].description in rendered.text
    assert ("query_sales", "/description") in {(loss.tool, loss.pointer) for loss in rendered.losses}
    whole = render_tools(ALL["hard"], "openai-chat").fragment["tools"][-1]["function"]["description"]
    assert whole == HARD["query_sales"].description


@pytest.mark.parametrize("format_", NAMES)
@pytest.mark.parametrize("set_", ALL)
def test_rendering_is_repeatable_and_leaves_its_input_alone(set_, format_):
    before = copy.deepcopy(ALL[set_])
    first = render_tools(ALL[set_], format_, strict=True)
    assert first == render_tools(ALL[set_], format_, strict=True)
    assert ALL[set_] == before


def test_what_is_rendered_shares_nothing_with_the_definition():
    tool = tool_with(p={"type": "string", "enum": ["a"]})
    schema = render_tools([tool], "mistral").fragment["tools"][0]["function"]["parameters"]
    schema["properties"]["p"]["enum"].append("b")
    assert tool.properties["p"]["enum"] == ["a"]


# -- the public function ---------------------------------------------------------------------------------------


def test_the_public_function_returns_the_fragment_and_what_stands_beside_it():
    definition = {"name": "look", "description": "Look.", "parameters": {"type": "object", "properties": {}}}
    request = utp_cli.render_tools([definition], "ollama", tool_choice="required")
    assert request == render_tools([Tool(**definition)], "ollama").fragment
    assert json.loads(json.dumps(request)) == request
    assert request.text == "Call at least one tool."
    assert [loss["keyword"] for loss in request.losses] == ["tool_choice"]
    prompt = utp_cli.render_tools({"tools": [definition]}, "prompt-json")
    assert prompt["messages"][0]["content"] == prompt.text
    dotted = utp_cli.render_tools([Tool(name="a.b")], "anthropic")
    assert dotted.names == {"a_b": "a.b"}


def test_a_second_tool_of_one_name_is_lost_and_that_is_said():
    request = utp_cli.render_tools([{"name": "look", "description": "1"}, {"name": "look", "description": "2"}], "mcp")
    assert [tool["description"] for tool in request["tools"]] == ["1"]
    assert [(loss["tool"], loss["what"]) for loss in request.losses] == [("look", "refused")]


def test_the_public_function_reads_files_and_refuses_what_is_no_tool():
    assert len(utp_cli.render_tools(FIXTURES / "tools" / "wire_tools.yaml")["tools"]) == 6
    with pytest.raises(utp_cli.UtpError, match="tool 2: a tool without a name"):
        utp_cli.render_tools([{"name": "look"}, {"description": "x"}])


def test_the_table_of_losses_has_every_keyword():
    assert {*IN_WORDS, *SILENT, "title"} - {"$defs", "definitions"} <= {keyword_of(row) for row in SAMPLES}
