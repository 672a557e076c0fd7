"""The audit: every rule fires where it should and is silent where it should be; scores, fixes, hostile input."""

from __future__ import annotations

import json
import re
import time
from dataclasses import fields, is_dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.cases import FIXTURES, ids, load
from utp_cli import auditing
from utp_cli.auditing.catalogue import RULES, selected
from utp_cli.auditing.edits import Fix, applied, remove, rename, safe, set_to
from utp_cli.auditing.pages import GROUPS
from utp_cli.auditing.portability_report import TARGETS
from utp_cli.auditing.prose import prose_parameters
from utp_cli.auditing.run import audit, enhanced, fixed
from utp_cli.auditing.words import content_words, first_sentence, stem, words
from utp_cli.facts.schema_keywords import KEYWORDS
from utp_cli.protocol.errors import BadOption, UnknownName
from utp_cli.schemas.shapes import SHAPES
from utp_cli.validation.definitions import find_definitions, read_definition, value_fault

CASES = load("audit/cases.jsonl", "audit/more.jsonl", "audit/expanding.jsonl")
EDGES = load("audit/rules.jsonl")
"""Both sides of the edge of every rule, one code at a time."""
SECTIONS = ("What it does:", "Why it is bad:", "Example:", "Use instead:", "Fix safety:")
CITY = {"type": "string", "description": 'Name of the city in English, e.g. "Lisbon".'}
SCHEMA = {"type": "object", "properties": {"city": CITY}, "required": ["city"]}
TEXT = "Return the forecast of one city, day by day. Fails when the city is not known."


def tool(**changes: Any) -> dict[str, Any]:
    return {"name": "forecast_weather", "description": TEXT, "parameters": SCHEMA} | changes


def codes(tools: Any, **options: Any) -> set[str]:
    return {finding.code for finding in audit(tools, **options).findings}


@pytest.mark.parametrize("case", [*CASES, *EDGES], ids=ids([*CASES, *EDGES]))
def test_case(case: dict[str, Any]) -> None:
    """`also`: what is told by default, is true, and is not the point of the case. Nothing else is told."""
    must, also, options = {*case["expect"]["must"]}, {*case["expect"].get("also", ())}, case.get("options", {})
    found = codes(case["tools"], provider=case["provider"], select=["ALL"], **options)
    assert must <= found
    assert found.isdisjoint(case["expect"]["must_not"])
    told = audit(case["tools"], provider=case["provider"], **options).findings
    assert {finding.code for finding in told} - must == also
    assert all(finding.message and finding.severity for finding in told)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_rule_is_complete(rule: Any) -> None:
    assert re.fullmatch(r"UTP[1-6]\d\d", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert rule.headline.endswith(".")
    at = [rule.page.find(section) for section in SECTIONS]
    assert -1 not in at
    assert at == sorted(at)
    expected = {code for case in CASES for code in case["expect"]["must"]}
    silent = {code for case in CASES for code in case["expect"]["must_not"]}
    assert rule.code in expected
    assert rule.code in silent


def test_rules_are_all_there() -> None:
    """Codes of a group follow one another: a rule that its catalogue does not know leaves a gap."""
    expected = [
        f"{group}{number:02}"
        for group in GROUPS
        for number in range(1, 1 + sum(rule.code.startswith(group) for rule in RULES))
    ]
    assert [rule.code for rule in RULES] == expected


def test_rules_that_are_off() -> None:
    off = {rule.code for rule in RULES if not rule.facts["default"]}
    silent = {"UTP203", "UTP204", "UTP210", "UTP211", "UTP218", "UTP405", "UTP410", "UTP507", "UTP508"}
    hints = {"UTP206", "UTP207", "UTP208", "UTP209", "UTP214", "UTP607"}
    assert off == silent | hints | {"UTP411"}
    assert {rule.code for rule in RULES if rule.facts["status"] == "preview"} == {"UTP411"}
    assert {rule.code for rule in RULES if rule.facts["status"] == "deprecated"} == {"UTP405"}


def test_a_text_is_told_once_of_its_mixed_words() -> None:
    mixed = "P\u0430y the inv\u043eice. Fails when it is not known."  # Cyrillic letters in two words
    (finding,) = (finding for finding in audit([tool(description=mixed)]).findings if finding.code == "UTP501")
    assert "P\u0430y" in finding.message


def test_selection() -> None:
    assert {rule.code for rule in selected(["UTP2"], ["UTP20"])} == {f"UTP2{n}" for n in range(10, 22)}
    assert len(selected(["ALL"])) == len(RULES)
    assert [rule.code for rule in selected(["missing-description"])] == ["UTP201"]
    with pytest.raises(UnknownName, match="UTP999"):
        selected(["UTP999"])


def test_wrong_options() -> None:
    with pytest.raises(UnknownName, match="did you mean 'openai'"):
        audit([tool()], provider="opnai")
    with pytest.raises(BadOption, match="max_tool"):
        audit([tool()], max_tool=3)


def test_document() -> None:
    report = audit([tool(description="")]).to_dict()
    assert report["schema"] == "utp.audit/1"
    (finding,) = report["findings"]
    assert finding == {
        "code": "UTP201",
        "name": "missing-description",
        "severity": "warning",
        "tool": "forecast_weather",
        "pointer": "/description",
        "file": None,
        "line": None,
        "column": None,
        "message": "forecast_weather has no description",
        "hint": "say what it does, when to call it and what it returns",
        "fix": None,
        "also": [],
    }
    assert report["scores"] == {"forecast_weather": 0.2}
    summary = report["summary"]
    assert (summary["tools"], summary["errors"], summary["warnings"], summary["score"]) == (1, 0, 1, 0.2)
    json.dumps(report)


@pytest.mark.parametrize(
    ("text", "properties", "checks"),
    [
        ("Does it. E.g. this. Note: that. Must be so. Not for tests.", {}, (True, True, True, True, True)),
        ("Do not use. Expects a counterexample.", {"path": {}}, (True, False, True, True, False)),
        ("Use X instead.", {"userName": {}}, (False, False, False, False, True)),
        ("LIKE: IMPORTANT: FORMAT: DO NOT USE", {"x": {}}, (True, True, True, True, True)),
    ],
)
def test_score_as_first_designed(text: str, properties: dict[str, Any], checks: tuple[bool, ...]) -> None:
    schema = {"type": "object", "properties": properties}
    (score,) = audit([tool(description=text, parameters=schema)]).scores.values()
    assert tuple(score.checks.values()) == checks
    assert score.score == round(sum(checks) * 0.2, 2)
    assert score.tokens_v1 == len("forecast_weather") + len(text) // 4 + len(str(schema)) // 4


def test_score_of_a_set_is_the_mean() -> None:
    report = audit([tool(), tool(name="other_tool", description="Note: e.g. format: not for you")])
    assert [score.score for score in report.scores.values()] == [0.2, 1.0]
    assert report.average == 0.6


def test_findings_are_in_order_of_writing() -> None:
    first = {
        "description": "",
        "name": "a b",
        "parameters": {"type": "object", "properties": {"x": {}, "a": {}}},
    }
    order = ["/description", "/name", "/parameters/properties/x", "/parameters/properties/a"]
    pointers = [f.place.pointer for f in audit([first, tool()]).findings]
    assert pointers == sorted(pointers, key=order.index)
    assert set(pointers) == set(order)


FORMS = {
    "openai-chat": {"type": "function", "function": {"name": "f", "description": "d", "parameters": SCHEMA}},
    "openai-responses": {"type": "function", "name": "f", "description": "d", "parameters": SCHEMA},
    "anthropic": {"name": "f", "description": "d", "input_schema": SCHEMA},
    "gemini": {"functionDeclarations": [{"name": "f", "description": "d", "parameters": SCHEMA}]},
    "bedrock": {"toolSpec": {"name": "f", "description": "d", "inputSchema": {"json": SCHEMA}}},
    "mcp": {"name": "f", "description": "d", "inputSchema": SCHEMA},
    "tools-canonical": {"name": "f", "description": "d", "parameters": SCHEMA},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda t: t,
        lambda t: [t],
        lambda t: {"tools": [t]},
        lambda t: {"jsonrpc": "2.0", "id": 1, "result": {"tools": [t]}},
        lambda t: {"model": "m", "messages": [], "tools": [t, {"type": "web_search_preview"}]},
    ],
    ids=["bare", "list", "tools", "rpc", "request"],
)
def test_forms(form: str, wrap: Any) -> None:
    (found,) = read_definition(wrap(FORMS[form]))
    assert (found.name, found.description, found.parameters, found.form) == ("f", "d", SCHEMA, form)


@pytest.mark.parametrize("form", FORMS)
def test_pointers_lead_into_the_definition_as_written(form: str) -> None:
    blank = json.loads(json.dumps(FORMS[form]).replace('"d"', '""'))
    (definition,) = find_definitions(blank)
    (pointer,) = [f.place.pointer for f in audit(blank).findings if f.code == "UTP201"]
    value = definition.raw
    for key in pointer.split("/")[1:]:
        value = value[key]
    assert value == ""


ODD = [
    None,
    7,
    "text",
    [],
    {},
    [None, 3, "x", [], {}],
    {"tools": [None]},
    {"tools": {}},
    {"name": 3, "description": [], "parameters": "x"},
    {"name": "a", "parameters": {"properties": [], "required": {}, "type": [3], "enum": 4}},
    {"name": "a", "parameters": {"properties": {"x": None, "y": 3}, "$ref": 4, "anyOf": {}, "items": [1]}},
    {"function": {"name": None, "parameters": {"$ref": "#"}}},
    {"toolSpec": None},
    {"functionDeclarations": [[], None, {}]},
    {
        "name": "\ud800",
        "description": "\udfff\u0000",
        "annotations": [],
        "strict": "yes",
        "inputSchema": {"enum": []},
    },
    {"name": "a", "parameters": {"properties": {"": {"pattern": "(" * 300}}, "required": ["", 3]}},
    {
        "name": "a",
        "parameters": {"minimum": float("nan"), "maximum": float("inf"), "enum": [float("nan")] * 2},
    },
]


@pytest.mark.parametrize("tools", ODD, ids=range(len(ODD)))
def test_odd_input_never_raises(tools: Any) -> None:
    for provider in (None, *TARGETS):
        report = audit(tools, provider=provider, select=["ALL"])
        report.to_dict()
        fixed(report, unsafe=True)


def test_a_schema_that_contains_itself() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    schema["properties"]["again"] = schema
    audit([tool(parameters=schema)], select=["ALL"], provider="openai-strict").to_dict()


def test_deep_and_long_input_is_read_in_time() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(2000):
        deep = {"type": "object", "properties": {"n": deep}}
    chain = {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(2000)}
    long_texts = [c * 20_000 for c in "a <`(\n:\u200b\u001b[/"]
    long_texts += [
        "must " * 10_000,
        "when using a_b " * 4000,
        "data:a/a;" * 5000,
        "e.g. " * 10_000,
        "x@" * 20_000,
    ]
    began = time.process_time()
    audit([tool(parameters=deep)], select=["ALL"])
    audit([tool(parameters={"type": "object", "$defs": chain})], provider="anthropic-strict", select=["ALL"])
    for text in long_texts:
        enum = {"type": "string", "enum": [text, "b1"], "description": text, "default": text}
        schema = {"type": "object", "properties": {"timeout": enum}}
        audit([tool(description=text, parameters=schema)], select=["ALL"])
    assert time.process_time() - began < 20


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["object", "string", "#/a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*SHAPES, "required", "default", "name", "function", "annotations"]), inner)
    ),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None)
@given(JSON_VALUES, JSON_VALUES)
def test_any_definition_has_an_answer(schema: Any, other: Any) -> None:
    for form in (
        {"name": "a_b", "parameters": schema},
        {"name": "a", "inputSchema": schema, "annotations": other},
    ):
        report = audit([form, other], select=["ALL"], provider=["openai-strict", "anthropic-strict", "gemini", "mcp"])
        report.to_dict()


def test_keyword_shapes_agree_with_the_metaschema() -> None:
    from jsonschema_rs import meta

    values = [
        None,
        True,
        -1,
        0,
        1.5,
        "a",
        [],
        ["a"],
        ["a", "a"],
        [{}],
        [1],
        {},
        {"a": {}},
        {"a": 1},
        {"a": ["b"]},
    ]
    others = ("$id", "$schema", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "type", "required", "$vocabulary")
    drafts = ("id", "dependencies", "additionalItems", "definitions")
    for keyword, facts in KEYWORDS.items():
        if keyword in (*others, *drafts):
            continue  # the metaschema also asks for URIs, known type names, different names; or has no such keyword
        shape = SHAPES[facts.shape]
        for value in values:
            assert shape.fits(value) == meta.is_valid({keyword: value}), (keyword, value)


def test_value_fault() -> None:
    root = {"$defs": {"day": {"enum": ["mon", "tue"]}}}
    assert value_fault("mon", {"$ref": "#/$defs/day"}, root) is None
    assert "wed" in (value_fault("wed", {"$ref": "#/$defs/day"}, root) or "")
    assert value_fault(1, {"type": "float"}, root) is None


def test_words() -> None:
    assert words("getUserId v2-x") == ("get", "user", "id", "v2", "x")
    assert content_words("Returns the user's address") == {"returns", "user", "s", "address"}
    assert first_sentence("Find e.g. one thing. And more.") == "Find e.g. one thing."
    assert len({stem(word) for word in ("create", "creates", "created", "creating")}) == 1
    assert stem("query") == stem("queries")
    assert stem("address") == stem("addresses")
    assert stem("get") != stem("target")


def test_prose_parameters() -> None:
    text = "Do it.\n\nArgs:\n    repo (str): owner/name,\n        as shown\n    `n`: how many\nReturns:\n    it: all"
    assert [(name, said) for name, said, _ in prose_parameters(text)] == [
        ("repo", "owner/name, as shown"),
        ("n", "how many"),
    ]
    assert [name for name, _, _ in prose_parameters(":param str a: x\n@param b - y")] == ["a", "b"]
    assert prose_parameters("Note: this.\nUsage: that.") == ()


def test_edits() -> None:
    before = {"a": {"b": 1, "c": [1, 2]}, "~/": 0}
    fix: Fix = safe(rename("/a/b", "d"), remove("/a/c/0"), set_to("/a/c/-", 3), set_to("/~0~1", 4), remove("/x/y"))
    assert applied(before, fix) == {"a": {"d": 1, "c": [2, 3]}, "~/": 4}
    assert before["a"] == {"b": 1, "c": [1, 2]}


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
def test_fixing_brings_no_new_finding_and_ends(case: dict[str, Any], unsafe: bool) -> None:
    if len(case["tools"]) > 20:
        pytest.skip("a case about the number of tools")
    options = {"provider": case["provider"], **case.get("options", {})}
    report = audit(case["tools"], **options)
    changed, ended = fixed(report, unsafe=unsafe)
    places = [definition.pointer for definition in find_definitions(case["tools"])]
    once = applied(case["tools"], safe(*map(set_to, places, changed)))
    again = audit(once, **options)
    before = {finding.code for finding in report.findings}
    assert {finding.code for finding in again.findings} <= before
    assert fixed(again, unsafe=unsafe) == (changed, [])
    assert {finding.code for finding in ended} <= before


def one_fixed(definition: dict[str, Any], **options: Any) -> Any:
    unsafe = options.pop("unsafe", False)
    return fixed(audit([definition], **options), unsafe=unsafe)[0][0]


def with_schema(**changes: Any) -> dict[str, Any]:
    return {"parameters": SCHEMA | changes}


def mcp(**changes: Any) -> dict[str, Any]:
    return {"name": "forecast_weather", "description": TEXT, "inputSchema": SCHEMA} | changes


READS = {"readOnlyHint": True}
TWO_FIELDS = {"city": CITY, "days": {"type": "integer", "description": "Number of days, e.g. 3.", "minimum": 1}}
FIXES = {
    "a required name with a slip": (
        tool(parameters=SCHEMA | {"properties": TWO_FIELDS, "required": ["city", "dyas"]}),
        tool(parameters=SCHEMA | {"properties": TWO_FIELDS, "required": ["city", "days"]}),
        "unsafe",
    ),
    "a required name that is nobody's": (
        tool(**with_schema(required=["city", "longitude"])), tool(**with_schema(required=["city"])), "unsafe",
    ),
    "required as a boolean, and in the list": (
        tool(**with_schema(properties={"city": CITY | {"required": True}})), tool(), "unsafe",
    ),
    "required as a boolean, and not in the list": (
        tool(**with_schema(properties={"city": CITY | {"required": True}}, required=[])), tool(), "unsafe",
    ),
    "required as a boolean that is false": (
        tool(**with_schema(properties={"city": CITY | {"required": False}}, required=[])),
        tool(**with_schema(required=[])),
        "unsafe",
    ),
    "a name with a blank in it": (tool(name="forecast weather"), tool(name="forecast_weather"), "unsafe"),
    "a name of which nothing can stay": (tool(name="***"), tool(name="***"), "none"),
    "any is no restriction": (
        tool(**with_schema(properties={"city": CITY, "rest": {"type": "any", "description": "Any value at all, e.g. 3."}})),
        tool(**with_schema(properties={"city": CITY, "rest": {"description": "Any value at all, e.g. 3."}})),
        "safe",
    ),
    "a comment at the end": (tool(description=f"{TEXT} <!-- note -->"), tool(), "unsafe"),
    "a screen of empty lines": (
        tool(description=TEXT + "\n" * 40 + "It may take a minute."),
        tool(description=TEXT + "\n\nIt may take a minute."),
        "unsafe",
    ),
    "a line of spaces": (
        tool(description=TEXT + " " * 300 + "It may take a minute."),
        tool(description=TEXT + " It may take a minute."),
        "unsafe",
    ),
    "a hint in another spelling": (mcp(annotations={"readonlyHint": True}), mcp(annotations=READS), "safe"),
    "a hint that is text": (mcp(annotations={"readOnlyHint": "true"}), mcp(annotations=READS), "safe"),
    "a hint in another spelling that is text": (mcp(annotations={"readonlyHint": "True"}), mcp(annotations=READS), "safe"),
    "a hint beside the annotations": (
        mcp(annotations={"title": "Weather"}, readOnlyHint=True), mcp(annotations={"title": "Weather"} | READS), "safe",
    ),
    "a hint without annotations": (mcp(readOnlyHint=True), mcp(annotations=READS), "safe"),
    "what only writing needs, on a tool that reads": (
        {**mcp(annotations=READS | {"destructiveHint": True}), "name": "get_weather"},
        {**mcp(annotations=READS), "name": "get_weather"},
        "safe",
    ),
}  # fmt: skip
"""By what is wrong: the definition, what it becomes, and whether that waits to be asked for."""


BY_CODE = {"a comment at the end", "a screen of empty lines", "a line of spaces"}
"""What UTP510 tells only where it is named."""


@pytest.mark.parametrize("wrong", FIXES)
def test_a_fix_changes_what_is_wrong_and_nothing_else(wrong: str) -> None:
    before, after, safety = FIXES[wrong]
    select = ["UTP510"] if wrong in BY_CODE else None
    assert one_fixed(before, select=select) == (before if safety == "unsafe" else after)
    assert one_fixed(before, select=select, unsafe=True) == after
    offered = {entry.fix.safety for entry in audit([before], select=select).entries if entry.fix}
    assert safety in (offered or {"none"})


def test_safe_fixes() -> None:
    slips = {"a": {"type": "float", "description": "Share of the whole, 0 to 1."}}
    after = one_fixed(tool(parameters={"properties": slips, "required": ["a", "a"]}))
    assert after["parameters"]["type"] == "object"
    assert after["parameters"]["properties"]["a"]["type"] == "number"
    assert after["parameters"]["required"] == ["a"]
    hidden = one_fixed(tool(description=TEXT[:6] + "\u200b\u001b[8m" + TEXT[6:]))
    assert hidden["description"] == TEXT
    strict = one_fixed(tool(strict=True), provider="openai")
    assert strict["parameters"]["additionalProperties"] is False


def test_unsafe_fixes_wait_to_be_asked() -> None:
    properties = {"city": CITY, "limit": {"type": "integer", "description": "Greatest number of rows."}}
    definition = tool(strict=True, parameters=SCHEMA | {"properties": properties, "additionalProperties": False})
    assert one_fixed(definition, provider="openai") == definition
    after = one_fixed(definition, provider="openai", unsafe=True)["parameters"]
    assert after["required"] == ["city", "limit"]
    assert after["properties"]["limit"]["type"] == ["integer", "null"]


def test_what_a_strict_mode_cannot_say_is_said_in_words() -> None:
    limit = {"type": "integer", "description": "Greatest number of rows", "minimum": 1, "maximum": 50}
    schema = {
        "type": "object",
        "properties": {"limit": limit},
        "required": ["limit"],
        "additionalProperties": False,
    }
    after = one_fixed(tool(parameters=schema), provider="anthropic-strict", unsafe=True)["parameters"]
    assert after["properties"]["limit"] == {
        "type": "integer",
        "description": "Greatest number of rows. At least 1. At most 50.",
    }


def described(**schema: Any) -> dict[str, Any]:
    return {"description": "What is meant, in English."} | schema


FOR_PROVIDERS: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    # provider, the schema of a parameter, what it becomes, and whether that waits to be asked for
    ("gemini", described(type=["string", "null"]), described(type="string", nullable=True), "safe"),
    ("gemini", described(type=["null", "integer"]), described(type="integer", nullable=True), "safe"),
    ("gemini", described(type=["string", "integer"]), described(type=["string", "integer"]), "none"),
    ("gemini", described(type=["string", "integer", "null"]), described(type=["string", "integer", "null"]), "none"),
    ("gemini", described(type="string", const="a"), described(type="string", enum=["a"]), "unsafe"),
    ("gemini", described(type="string", examples=["a"]), described(type="string"), "safe"),
    ("gemini", described(**{"type": "string", "$comment": "x"}), described(type="string"), "safe"),
    ("gemini", described(type="integer", enum=[1, 2]), described(type="string", enum=["1", "2"]), "unsafe"),
    ("gemini", described(type="number", enum=[1.5, "a"]), described(type="string", enum=["1.5", "a"]), "unsafe"),
    ("gemini", described(type="string", enum=["a", ""]), described(type="string", enum=["a", ""]), "none"),
    (
        "anthropic-strict",
        {"type": "string", "description": "A name", "minLength": 2},
        {"type": "string", "description": "A name. At least 2 characters."},
        "unsafe",
    ),
    (
        "anthropic-strict",
        {"type": "string", "description": "A name!", "maxLength": 9},
        {"type": "string", "description": "A name! At most 9 characters."},
        "unsafe",
    ),
]


@pytest.mark.parametrize(("provider", "before", "after", "safety"), FOR_PROVIDERS)
def test_a_schema_is_mended_for_a_provider(
    provider: str, before: dict[str, Any], after: dict[str, Any], safety: str
) -> None:
    def mended(**options: Any) -> Any:
        schema = {"type": "object", "properties": {"word": before}, "required": ["word"], "additionalProperties": False}
        whole = one_fixed(tool(parameters=schema), provider=provider, **options)
        return whole["parameters"]["properties"]["word"]

    assert mended() == (after if safety == "safe" else before)
    assert mended(unsafe=True) == after


def test_a_blank_description_goes_for_bedrock_and_a_long_one_stays() -> None:
    assert "description" not in one_fixed(tool(description=" "), provider="bedrock")
    assert one_fixed(tool(description=TEXT), provider="bedrock") == tool()
    long = "Return the forecast. " * 600
    assert one_fixed(tool(description=long), provider="openai")["description"] == long


def one_enhanced(definition: dict[str, Any]) -> Any:
    return enhanced(audit([definition]))[0]


READS_ONLY = "It only reads: not for changing anything."


@pytest.mark.parametrize(
    ("changes", "added"),
    [
        # a kind of sentence of which nothing is known, or that is there, keeps no other from being added
        ({"parameters": {"type": "object", "properties": {}}, "annotations": READS}, READS_ONLY),
        ({"description": f"{TEXT} Format: text.", "annotations": READS}, READS_ONLY),
        ({"parameters": {"type": "object", "properties": {}}}, ""),
        ({"annotations": {"readOnlyHint": False}}, "`city` must be text (required)."),
        ({"annotations": READS}, f"`city` must be text (required). {READS_ONLY}"),
    ],
)
def test_what_enhancing_adds(changes: dict[str, Any], added: str) -> None:
    definition = tool(**changes)
    assert one_enhanced(definition)["description"] == f"{definition['description']} {added}".rstrip()


RECORDS = [
    each
    for module in iter_modules(auditing.__path__, "utp_cli.auditing.")
    for each in vars(import_module(module.name)).values()
    if is_dataclass(each) and each.__module__ == module.name
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_a_record_is_a_value_and_is_made_by_keywords(record: Any) -> None:
    assert record.__dataclass_params__.frozen
    assert "__slots__" in vars(record)
    assert all(field.kw_only for field in fields(record))


def test_enhancing_says_what_the_schema_knows() -> None:
    day = {"type": "string", "format": "date", "description": "First day."}
    definition = tool(parameters={"type": "object", "properties": {"day": day}, "required": ["day"]})
    after = one_enhanced(definition)
    assert after["description"] == f"{TEXT} `day` must be a date, YYYY-MM-DD (required)."
    assert one_enhanced(after) == after
    assert one_fixed(definition, unsafe=True) == definition


def test_enhancing_stops_at_a_good_score() -> None:
    good = tool(description="Note: e.g. format: not for you and me")
    assert one_enhanced(good) == good
    page = {"type": "integer", "minimum": 1, "description": "Number of the page."}
    almost = tool(
        description="Return one page of the report, e.g. the first one. Note: pages are counted from 1.",
        parameters={"type": "object", "properties": {"page": page}},
        annotations={"readOnlyHint": True},
    )
    after = one_enhanced(almost)
    assert after["description"].endswith("`page` must be at least 1.")
    assert [score.score for score in audit([after]).scores.values()] == [0.8]


def test_a_fix_makes_no_name_twice() -> None:
    report = audit([tool(name="get user"), tool(name="get_user")])
    assert [t["name"] for t in fixed(report, unsafe=True)[0]] == ["get user", "get_user"]


def test_the_fixtures() -> None:
    assert len(list((FIXTURES / "tools").iterdir())) >= 9
