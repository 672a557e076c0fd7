"""Arguments against schemas: what is told, what is mended, and what must be left alone; then what speaks against a call."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.cases import load
from utp_cli import parse
from utp_cli.protocol.calls import Problem, Rejected, ToolCall
from utp_cli.protocol.tools import Tier, Tool
from utp_cli.validation.arguments import check_arguments
from utp_cli.validation.definitions import read_definitions
from utp_cli.validation.failures import FIXES, STRATEGIES, failure_of
from utp_cli.validation.plan import effect_of, parallel_plan
from utp_cli.validation.preflight import escapes, preflight_check
from utp_cli.validation.retry import retry_message

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


@pytest.mark.parametrize("row", BFCL, ids=[row["id"] for row in BFCL])
def test_each_way_to_spoil_a_sound_call_is_told(row: dict[str, Any]) -> None:
    tools = {tool.name: tool for tool in read_definitions(row["tools"])}
    for call in row["calls"]:
        tool = tools[call["name"]]
        for name in tool.required:
            without = {key: value for key, value in call["arguments"].items() if key != name}
            assert told(tool, without) == [("missing-argument", f"/{name}")]
            renamed = check_arguments(tool.name, without | {f"{name}_zq": call["arguments"][name]}, tools).problems
            assert (renamed[0].code, renamed[0].hint) == ("missing-argument", f"did you mean {name} by {name}_zq?")
            assert told(tool, without | {name: None}) == [("wrong-type", f"/{name}")]
        for name in call["arguments"]:
            asked = tool.properties.get(name, {})
            if asked.get("type") == "string" and "enum" in asked:
                spoilt = call["arguments"] | {name: "no member"}
                assert told(tool, spoilt) == [("not-in-enum", f"/{name}")]


def told(tool: Tool, arguments: dict[str, Any]) -> list[tuple[str, str]]:
    checked = check_arguments(tool.name, arguments, {tool.name: tool})
    assert not checked.valid
    return [(problem.code, problem.pointer) for problem in checked.problems]


def tool_of(closed: bool = False, **properties: Any) -> Tool:
    return Tool(name="f", parameters={"type": "object", "properties": properties, "additionalProperties": not closed})


LIMITS = [
    ({"type": "integer", "minimum": 1}, 0, "out-of-range", 1),
    ({"type": "integer", "exclusiveMaximum": 9}, 9, "out-of-range", 9),
    ({"type": "number", "multipleOf": 0.5}, 0.3, "out-of-range", 0.5),
    ({"type": "string", "maxLength": 2}, "abc", "too-long", 2),
    ({"type": "string", "minLength": 2}, "a", "too-short", 2),
    ({"type": "string", "pattern": "^a"}, "b", "pattern-mismatch", "^a"),
    ({"type": "array", "maxItems": 1}, [1, 2], "too-many-items", 1),
    ({"type": "array", "minItems": 1}, [], "too-few-items", 1),
    ({"type": "array", "uniqueItems": True}, [1, 1], "repeated-item", True),
    ({"const": "a"}, "b", "not-in-enum", "a"),
    ({"not": {"type": "string"}}, "a", "schema-mismatch", None),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "x", "wrong-type", ["integer", "null"]),
    ({"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}]}, "c", "not-in-enum", ["a", "b"]),
    ({"anyOf": [{"type": "integer", "minimum": 5}, {"type": "null"}]}, 1, "out-of-range", 5),
]


@pytest.mark.parametrize(("schema", "value", "code", "expected"), LIMITS, ids=[f"{s}-{v}" for s, v, _, _ in LIMITS])
def test_limits_are_told_with_what_is_expected(schema: Any, value: Any, code: str, expected: Any) -> None:
    (problem,) = check_arguments("f", {"a": value}, {"f": tool_of(a=schema)}).problems
    assert (problem.code, problem.pointer, problem.expected) == (code, "/a", expected)
    assert problem.message
    assert problem.hint


def test_a_fault_behind_a_union_is_told_where_it_stands() -> None:
    nested = {"anyOf": [{"$ref": "#/$defs/G"}, {"type": "null"}]}
    tool = Tool(
        name="f",
        parameters={
            "type": "object",
            "properties": {"g": nested},
            "$defs": {"G": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}},
        },
    )
    assert told(tool, {"g": {"n": "many"}}) == [("wrong-type", "/g/n")]
    assert told(tool, {"g": {}}) == [("missing-argument", "/g/n")]
    assert check_arguments("f", {"g": {"n": "5"}}, {"f": tool}).arguments == {"g": {"n": 5}}


def test_every_unexpected_argument_is_told_with_the_one_it_may_mean() -> None:
    tool = tool_of(closed=True, limit={"type": "integer"}, query={"type": "string"})
    problems = check_arguments("f", {"limt": 1, "zzz": 2}, {"f": tool}).problems
    assert [(p.code, p.pointer, p.hint) for p in problems] == [
        ("unexpected-argument", "/limt", "did you mean limit?"),
        ("unexpected-argument", "/zzz", 'leave "zzz" out'),
    ]


def test_an_open_schema_takes_what_it_does_not_know() -> None:
    checked = check_arguments("f", {"other": 1}, {"f": tool_of(a={"type": "string"})})
    assert (checked.valid, checked.arguments, checked.repairs) == (True, {"other": 1}, [])


LEFT = [
    ({"type": "string"}, "5"),
    ({"type": "string"}, "true"),
    ({"type": ["string", "integer"]}, "5"),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "5"),
    ({"type": "number"}, 3),
    ({"type": "number"}, 3.0),
    ({"type": ["integer", "number"]}, 3.0),
    ({"type": "integer"}, 1e300),
    ({"enum": ["a", "A"]}, "a"),
    ({"type": ["string", "null"]}, None),
    ({}, None),
    ({"type": "object"}, {"maxResults": 1.0}),
]


@pytest.mark.parametrize(("schema", "value"), LEFT, ids=[f"{schema}-{value}" for schema, value in LEFT])
def test_what_passes_is_left_alone(schema: Any, value: Any) -> None:
    arguments = {"a": value}
    checked = check_arguments("f", arguments, {"f": tool_of(a=schema)})
    assert checked.valid
    assert checked.arguments is arguments
    assert checked.repairs == []


UNSURE = [
    ({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "string"}}]}, "5"),
    ({"enum": ["Ab", "aB"]}, "AB"),
    ({"type": "boolean"}, "maybe"),
    ({"type": "integer"}, "1e999"),
]


@pytest.mark.parametrize(("schema", "value"), UNSURE, ids=[f"{schema}-{value}" for schema, value in UNSURE])
def test_where_not_exactly_one_reading_fits_nothing_is_mended(schema: Any, value: Any) -> None:
    checked = check_arguments("f", {"a": value}, {"f": tool_of(a=schema)})
    assert (checked.valid, checked.arguments, checked.repairs) == (False, {"a": value}, [])


def test_what_was_decoded_is_mended_within() -> None:
    items = {
        "type": "array",
        "items": {"type": "object", "properties": {"n": {"type": "integer"}, "on": {"type": "boolean"}}},
    }
    checked = check_arguments("f", {"a": '[{"n": "5", "on": "true"}]'}, {"f": tool_of(a=items)})
    assert checked.arguments == {"a": [{"n": 5, "on": True}]}
    assert [(repair.code, repair.pointer) for repair in checked.repairs] == [
        ("stringified-json", "/arguments/a"),
        ("stringified-number", "/arguments/a/0/n"),
        ("stringified-bool", "/arguments/a/0/on"),
    ]
    hopeless = {"a": '[{"n": "many"}]'}
    assert check_arguments("f", hopeless, {"f": tool_of(a=items)}).arguments is hopeless


def test_a_number_asked_as_text_keeps_its_spelling() -> None:
    checked = check_arguments("f", {"zip": 501}, {"f": tool_of(zip={"type": "string"})}, source='{"zip": 00501}')
    assert checked.arguments == {"zip": "00501"}


def test_renamed_arguments_keep_their_place() -> None:
    tool = tool_of(first_name={"type": "string"}, age={"type": "integer"})
    checked = check_arguments("f", {"firstName": "Ada", "age": "36"}, {"f": tool})
    assert list(checked.arguments.items()) == [("first_name", "Ada"), ("age", 36)]
    assert [(repair.code, repair.pointer) for repair in checked.repairs] == [
        ("property-style", "/arguments/first_name"),
        ("stringified-number", "/arguments/age"),
    ]


RESPELT = [
    ({"type": "STRING"}, "x", True),
    ({"type": "STRING"}, 5.5, True),
    ({"type": "INTEGER"}, "x", False),
    ({"type": "STRING", "nullable": True}, None, True),
    ({"type": "string", "enum": ["a"], "nullable": True}, None, True),
    ({"type": "dict", "properties": {"n": {"type": "float"}}}, {"n": "x"}, False),
    ({"type": "any"}, "x", True),
    ({"type": "number", "minimum": 1, "exclusiveMinimum": True}, 1, False),
    ({"type": "string", "required": True}, "x", True),
    ({"type": "ARRAY", "items": {"type": "INTEGER"}}, ["x"], False),
]


@pytest.mark.parametrize(("schema", "value", "valid"), RESPELT, ids=[f"{s}-{v}" for s, v, _ in RESPELT])
def test_schemas_in_other_spellings(schema: Any, value: Any, valid: bool) -> None:
    assert check_arguments("f", {"a": value}, {"f": tool_of(a=schema)}).valid is valid


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(["5", "true", "null", "[1]", "Fast", "{}"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["year", "Year", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*TOOL.properties, "maxResults", "other"]), JSON))
def test_mending_ends_and_says_all_it_did(arguments: dict[str, Any]) -> None:
    before = copy.deepcopy(arguments)
    checked = check_arguments("search_docs", arguments, TOOLS)
    assert arguments == before
    assert checked.valid == (not checked.problems)
    if not checked.repairs:
        assert checked.arguments is arguments
    again = check_arguments("search_docs", checked.arguments, TOOLS)
    assert (again.repairs, again.valid) == ([], checked.valid)


HUGE = 10**5000
HOSTILE = [
    HUGE,
    [HUGE],
    {"a": HUGE},
    float("inf"),
    float("nan"),
    "\ud800",
    {"\ud800": 1},
    "[" * 5000,
    "1" * 5000,
    "a" * 50000,
]
SCHEMAS = [
    {"type": "integer"}, {"type": "string"}, {"enum": [1, "a"]}, {"type": "array", "items": {"type": "integer"}},
    {"type": "string", "pattern": "^(a+)+$"}, {"$ref": "#/properties/a"}, {"anyOf": [{"type": "integer"}, {"type": "null"}]},
]  # fmt: skip


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
@pytest.mark.parametrize("value", HOSTILE, ids=[f"{type(value).__name__}-{at}" for at, value in enumerate(HOSTILE)])
def test_no_value_raises(schema: Any, value: Any) -> None:
    tool = tool_of(closed=True, a=schema)
    for arguments in ({"a": value}, {"b": value}):
        checked = check_arguments("f", arguments, {"f": tool})
        call = ToolCall(name="f", arguments=checked.arguments, id="1")
        assert isinstance(retry_message(call, checked.problems, {"f": tool}), str)


def test_depth_raises_nothing() -> None:
    deep: dict[str, Any] = {}
    inner = deep
    for _ in range(5000):
        inner["a"] = inner = {}
    check_arguments("f", deep, {"f": tool_of(a={"type": "string"})})


def call_of(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments, id="1")


FILES = {
    "read_file": Tool(
        name="read_file",
        tier=Tier.WALK,
        parameters={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    ),
    "delete_all": Tool(name="delete_all", tier=Tier.RUN, requires_confirmation=True),
}
PREFLIGHTS = [
    (call_of("read_file", path="notes/a.txt"), {}, []),
    (call_of("read_file", path="notes/a.txt"), {"tier": Tier.WALK}, []),
    (call_of("read_file", path="a"), {"tier": Tier.CRAWL}, [("tier", "")]),
    (call_of("read_file", path="../../etc/passwd"), {}, [("path-escape", "/path")]),
    (call_of("read_file"), {}, [("missing-argument", "/path")]),
    (call_of("delete_all"), {"tier": Tier.WALK}, [("tier", ""), ("confirmation", "")]),
    (call_of("red_file"), {"tier": Tier.RUN}, [("unknown-tool", "")]),
    (
        call_of("read_file", path="a", moves=[{"from_path": "../b", "note": "../c"}]),
        {},
        [("path-escape", "/moves/0/from_path")],
    ),
]


@pytest.mark.parametrize(("call", "options", "problems"), PREFLIGHTS)
def test_preflight(call: ToolCall, options: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    assert [(problem.code, problem.pointer) for problem in preflight_check(call, FILES, **options)] == problems


PATHS = [
    ("a/b.txt", None, False), ("a/../b", None, False), ("./a", None, False), ("...", None, False), ("", None, False),
    ("../a", None, True), ("a/../../b", None, True), ("..", None, True), ("..\\..\\boot.ini", None, True),
    ("%2e%2e%2fetc", None, True), ("%252e%252e/etc", None, True), ("~/.ssh/id_rsa", None, True), ("~", None, True),
    ("~backup.txt", None, False), ("a\0b", None, True), ("/etc/passwd", None, False), ("https://x.org/../a", None, False),
    ("/etc/passwd", "/srv/app", True), ("/srv/app", "/srv/app", False), ("/srv/app/a", "/srv/app/", False),
    ("/srv/application", "/srv/app", True), ("/srv/app/../b", "/srv/app", True), ("file:///etc/passwd", "/srv/app", True),
    ("file:///srv/app/a", "/srv/app", False), ("C:\\Windows", "/srv/app", True), ("D:\\proj\\a", "d:/proj", False),
    ("\\\\host\\share", "/srv", True), ("/anything", "/", False),
]  # fmt: skip


@pytest.mark.parametrize(("path", "root", "out"), PATHS)
def test_paths_that_leave(path: str, root: str | None, out: bool) -> None:
    assert escapes(path, root) is out


@given(st.text(), st.none() | st.text())
def test_no_path_raises(path: str, root: str | None) -> None:
    assert escapes(path, root) in (True, False)


EFFECTS = [
    ("get_commit", {}, "", "read"),
    ("list_runs", {}, "", "read"),
    ("listIssues", {}, "", "read"),
    ("github.list_issues", {}, "", "read"),
    ("mcp__fs__write_file", {}, "", "write"),
    ("delete_list", {}, "", "write"),
    ("issue_update", {}, "", "write"),
    ("weather", {}, "Gets the weather of a city. May update a cache.", "read"),
    ("mailer", {}, "Sends a mail.", "write"),
    ("frobnicate", {}, "Does it.", "write"),
    ("get_dataset", {}, "", "read"),
    ("delete_page", {"readOnlyHint": True}, "", "read"),
    ("get_page", {"readOnlyHint": False}, "", "write"),
    ("get_page", {"destructiveHint": True}, "", "write"),
]


@pytest.mark.parametrize(("name", "annotations", "description", "effect"), EFFECTS)
def test_what_reads_and_what_writes(name: str, annotations: dict[str, Any], description: str, effect: str) -> None:
    assert effect_of(name, Tool(name=name, annotations=annotations, description=description)) == effect


PLANS = [
    ([], []),
    (["get_a", "get_b"], [[0, 1]]),
    (["get_a", "set_b", "get_c", "get_d"], [[0], [1], [2, 3]]),
    (["set_a", "set_b"], [[0], [1]]),
    (["unknown", "get_a", "list_b", "drop_c"], [[0], [1, 2], [3]]),
]


@pytest.mark.parametrize(("names", "plan"), PLANS)
def test_reads_run_together_and_writes_alone(names: list[str], plan: list[list[int]]) -> None:
    assert parallel_plan([call_of(name) for name in names], {}) == plan


def test_the_retry_message_says_what_is_wrong_and_how_to_mend_it() -> None:
    call = call_of("search_docs", max_results="many")
    message = retry_message(call, check_arguments(call.name, call.arguments, TOOLS).problems, TOOLS)
    assert message == (
        "The call of search_docs was not run.\n\n"
        "ArgValidationError: max_results\n  Wrong type\n  expected: integer\n  received: string\n"
        '  fix: write a whole number without quotes in place of "many"\n\n'
        "ArgValidationError: query\n  Field required\n  expected: string\n  fix: give a value for query\n\n"
        "search_docs takes: query (required, string), max_results (integer), tags (array), mode (string), exact (boolean),"
        " filters (object)\nCall search_docs again with all of them right."
    )


def test_the_retry_message_for_a_tool_nobody_knows_lists_those_there_are() -> None:
    call = call_of("serch_docs")
    message = retry_message(call, check_arguments(call.name, {}, TOOLS).problems, TOOLS)
    assert message.splitlines()[2:] == [
        "ToolNotFoundError: serch_docs", "  there is no tool called serch_docs", "  fix: did you mean search_docs?", "",
        "Available tools: search_docs",
    ]  # fmt: skip


def test_the_retry_message_for_a_call_that_was_rejected_says_why() -> None:
    call = Rejected(name=None, arguments={}, id="1", reason="malformed")
    assert retry_message(call, (), TOOLS).startswith("The call of a tool was not run: the call could not be read;")


def test_there_is_nothing_to_say_of_a_sound_call() -> None:
    assert retry_message(call_of("search_docs", query="x"), (), TOOLS) == ""


def test_the_retry_message_stays_short() -> None:
    problems = [
        Problem(code="wrong-type", pointer=f"/a/{i}", message="x" * 9999, received="y" * 9999) for i in range(99)
    ]
    message = retry_message(call_of("search_docs"), problems, TOOLS)
    assert "(89 more problems)" in message
    assert len(message) < 10_000


class RateLimitError(Exception):
    pass


class APIStatusError(Exception):
    status_code = 503


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError


FAILURES = [
    (TimeoutError(), "timeout"), (PermissionError("x"), "permission"), (FileNotFoundError("x"), "not_found"),
    (ConnectionResetError(), "network"), (BrokenPipeError(), "network"), (ValueError("x"), "validation"),
    (KeyError("x"), "validation"), (IndexError("x"), "validation"), (ModuleNotFoundError("x"), "execution"),
    (ZeroDivisionError("x"), "execution"), (Exception("the rate limit is reached"), "rate_limit"),
    (RateLimitError(), "rate_limit"), (APIStatusError(), "network"), (Unprintable(), "execution"),
    (400, "validation"), (401, "permission"), (404, "not_found"), (408, "timeout"), (418, "validation"),
    (429, "rate_limit"), (500, "network"), (503, "network"), (504, "timeout"), (529, "rate_limit"), (200, "execution"),
    ("HTTP 403 Forbidden", "permission"), ("Error: 429", "rate_limit"), ("status code: 404", "not_found"),
    ("cat: a.txt: No such file or directory", "not_found"), ("EACCES: permission denied", "permission"),
    ("fetch failed: ECONNREFUSED", "network"), ("query: Field required", "validation"),
    ("I'm sorry, I can't help with that.", "model_refusal"), ("The request timed out", "timeout"),
    ("division by zero", "execution"), ("", "execution"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "code"), FAILURES, ids=[repr(type(s)) + str(at) for at, (s, _) in enumerate(FAILURES)]
)
def test_failures_are_told_apart(source: Any, code: str) -> None:
    assert failure_of(source).code == code


def test_strategies_escalate_and_end() -> None:
    tried = [failure_of("rate limit", attempt) for attempt in range(1, 7)]
    assert [failure.strategy for failure in tried] == ["same", "same", "same", "escalate", "abort", "abort"]
    assert [failure.recoverable for failure in tried] == [True, True, True, True, False, False]
    assert all(plan[-1] == "escalate" for code, plan in STRATEGIES.items() if code != "permission")
    assert FIXES.keys() == STRATEGIES.keys()
    denied = failure_of(PermissionError("Cannot write to /etc/passwd"))
    assert (denied.code, denied.strategy, denied.recoverable) == ("permission", "abort", False)
    assert denied.suggested_fix == FIXES["permission"]


MODES = {
    "auto": (["key-alias", "number-to-string"], "5", True),
    "structured": (["number-to-string"], "5", True),
    "validated": (["number-to-string"], "5", True),
    "parsed": ([], 5, None),
}
"""What the mode makes of `{"tool": …}` with a number where text is asked: repairs, the value, whether it is valid."""


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_says_what_is_plain_and_what_is_checked(mode: str) -> None:
    codes, city, valid = MODES[mode]
    tools = [{"name": "w", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]
    result = parse('{"scratchpad": "hm", "tool": "w", "arguments": {"city": 5}}', tools=tools, mode=mode)
    assert [repair.code for repair in result.repairs] == codes
    assert [(call.arguments, call.valid) for call in result.calls] == [({"city": city}, valid)]


def test_tiers_and_folders_are_checked_while_parsing() -> None:
    text = '<tool_call>{"name": "w", "arguments": {"path": "../secret"}}</tool_call>'
    tool = {"name": "w", "tier": "RUN", "parameters": {"properties": {"path": {"type": "string"}}}}
    (call,) = parse(text, tools=[tool], tier=Tier.CRAWL, root="/srv/data").calls
    assert {problem.code for problem in call.problems} == {"tier", "path-escape"}
    assert call.valid is False
