"""Diagnoses: each fires where its cause is, and is silent next to it."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given, settings, strategies as st

from tests.cases import FIXTURES, ids, load
from utp_cli import diagnose, parse
from utp_cli.diagnosis import run, special_tokens
from utp_cli.diagnosis.catalogue import DIAGNOSES
from utp_cli.diagnosis.json_text import as_python, broken_off, objects_in
from utp_cli.diagnosis.observation import SECTIONS, section
from utp_cli.diagnosis.pages import page_of_all, texts_of
from utp_cli.diagnosis.passages import blanked, code_in
from utp_cli.diagnosis.precedence import PRECEDENCE
from utp_cli.diagnosis.run import (
    diagnose_answer,
    diagnose_session,
    diagnose_template,
    diagnose_tools,
)
from utp_cli.diagnosis.subject import Answer
from utp_cli.diagnosis.terms import PROBLEMS, REJECTIONS
from utp_cli.diagnosis.themes import THEMES, rules_for, rules_of, theme
from utp_cli.facts.error_texts.entries import error_texts
from utp_cli.facts.error_texts.finder import find_error_texts
from utp_cli.protocol.calls import ParseResult, Reason, WireFacts
from utp_cli.protocol.errors import BadOption
from utp_cli.protocol.findings import SEVERITIES

GIVEN = load("diagnose/cases.jsonl")
OWN = load("diagnose/more.jsonl", "diagnose/own*.jsonl")
CASES = [*GIVEN, *OWN]
ERRORS = load("diagnose/errors.jsonl")
SOURCES = FIXTURES.parent / "utp_cli"
OPTIONS = ("tools", "model", "provider", "request", "server")


def findings(case):
    return diagnose(case["input"], case["kind"], **{key: case.get(key) for key in OPTIONS})


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_case(case):
    """`also`: what is true of it as well, and is not the point of the case. Nothing else is found, guesses aside."""
    found = [finding for finding in findings(case) if finding.confidence != "low"]
    expect = case["expect"]
    assert {finding.code for finding in found} == {*expect["diagnoses"], *expect.get("also", ())}
    assert all(finding.evidence and finding.fix and finding.message for finding in found)
    assert [f.severity for f in found] == sorted((f.severity for f in found), key=SEVERITIES.index)


@pytest.mark.parametrize("case", ERRORS, ids=ids(ERRORS))
def test_error_text(case):
    result = ParseResult(shape="error", facts=WireFacts(error=case["message"]))
    assert [f.code for f in diagnose_answer(Answer(result=result))] == case["diagnoses"]


@pytest.mark.parametrize("name", THEMES)
def test_the_table_of_themes_names_the_kinds_of_their_rules(name):
    assert set(THEMES[name]) == {kind for rule in rules_of(theme(name)) for kind in rule.facts["kinds"]}


def test_a_rule_that_is_left_out_would_find_nothing(monkeypatch):
    asked = run._found

    def compared(subject, kind):
        found = asked(subject, kind)
        assert found == [finding for rule in rules_for(kind) for finding in rule.check(subject)]
        return found

    monkeypatch.setattr(run, "_found", compared)
    assert sum(len(findings(case)) for case in CASES) > len(CASES) / 2


@pytest.mark.parametrize("rule", [rule for rule in DIAGNOSES if rule.facts["kinds"]], ids=lambda rule: rule.code)
def test_every_diagnosis_has_a_case_that_fires_and_one_that_is_silent(rule):
    fires = [case for case in OWN if rule.code in case["expect"]["diagnoses"]]
    silent = [
        case for case in OWN if f"-{rule.code}-" in case["id"] and {rule.code, "*"} & {*case["expect"]["no_diagnoses"]}
    ]
    assert fires
    assert silent


@pytest.mark.parametrize("rule", DIAGNOSES, ids=lambda rule: rule.code)
def test_every_page_is_complete(rule):
    assert rule.headline.endswith(".")
    assert all(section(rule.page, label) for label in SECTIONS[:3])
    assert bool(section(rule.page, "Seen in")) is not any(entry.code == rule.code for entry in error_texts())
    assert rule.facts["kinds"] or texts_of(rule.code)


@pytest.mark.parametrize("rule", DIAGNOSES, ids=lambda rule: rule.code)
def test_error_texts_of_a_page_prove_the_diagnosis_and_symptoms_do_not(rule):
    def quoted(label):
        return [text.strip() for _, text in re.findall(r"(`+)(.+?)\1(?!`)", section(rule.page, label))]

    def proves(text):
        return rule.code in {match.entry.code for match in find_error_texts(text)}

    assert [text for text in quoted("Error texts") if not proves(text)] == []
    assert [text for text in quoted("Symptoms") if proves(text)] == []
    assert all(bool(quoted(label)) == (f"{label}: " in rule.page) for label in SECTIONS[3:])


def test_catalogue_is_whole():
    assert {entry.code for entry in error_texts()} <= set(DIAGNOSES.names)


def test_all_pages_can_be_searched_by_error_text():
    page = page_of_all()
    assert all(f"`{rule.code}`" in page for rule in DIAGNOSES)
    assert "messages with role 'tool' must be a response" in page


def test_precedence_names_diagnoses_and_has_no_circle():
    for row in PRECEDENCE:
        assert row.first in DIAGNOSES
        assert set(row.then) <= set(DIAGNOSES.names)
    order = [row.first for row in PRECEDENCE]
    later = {row.first: set(row.then) for row in PRECEDENCE}
    assert all(one not in later.get(code, ()) for at, one in enumerate(order) for code in order[at:])


def test_another_kind_is_wrong_use():
    with pytest.raises(BadOption, match="no kind of capture"):
        diagnose({}, "poem")


def test_a_framing_that_is_broken_at_each_line_is_told_once():
    chunk = '{"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "a"}}]}'
    (told,) = [each for each in parse(f"data: {chunk}\n" * 300).diagnoses if each.code == "sse-framing-broken"]
    assert told.message.endswith(", 299 times")


def test_fix_names_the_parser_of_the_server_at_hand():
    case = next(case for case in GIVEN if case["id"] == "diagnose-call-left-in-content-1")
    left = next(f for f in findings(case) if f.code == "call-left-in-content")
    assert left.fix == "--enable-auto-tool-choice --tool-call-parser qwen3_xml"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": "b', "string"),
        ('{"a": "b\\u00', "string"),
        ('{"a":', "separator"),
        ('{"a": 1,', "separator"),
        ('{"a": [1', "closers"),
        ('{"a": 1}', ""),
        ('{"a": "b "c" d"}', ""),
        ('{"a": "line\nbreak', "string"),
        ("", "closers"),
    ],
)
def test_where_a_text_breaks_off(text, where):
    assert broken_off(text) == where


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': True, 'b': (1, 2,)}", {"a": True, "b": [1, 2]}),
        ('{"a": None}', {"a": None}),
        ("{'it\\'s': 'say \"no\"'}", {"it's": 'say "no"'}),
        ('{"a": 1,}', None),
        ('{"a": 1}', None),
        ("{'a': 'it's'}", None),
    ],
)
def test_python_literals_are_read_without_running_them(text, value):
    assert as_python(text).value == value


def test_objects_in_a_row():
    assert objects_in('{"a": 1}\n {"a": 2} ') == [{"a": "1"}, {"a": "2"}]
    assert objects_in('{"a": 1}, {"a": 2}') == []
    assert objects_in("") == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    [
        "role",
        "content",
        "tool_calls",
        "id",
        "function",
        "name",
        "arguments",
        "tool_call_id",
        "type",
        "input",
        "tool_use_id",
        "text",
        "parameters",
        "properties",
        "items",
        "required",
        "$ref",
        "anyOf",
        "enum",
        "strict",
    ]
)
VALUES = st.sampled_from(
    ["assistant", "tool", "user", "object", "array", "#", "#/a", "tool_use", "tool_result", "{", "{}", True]
)
MESSY = st.recursive(
    VALUES | JSON,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(MESSY, max_size=6), st.lists(MESSY, max_size=3))
def test_no_session_raises(messages, tools):
    for model in ("mistral-large", "gemini-3-pro", "deepseek-v4", "kimi-k2"):
        diagnose_session(messages, tools, model=model)


@settings(max_examples=150, deadline=None)
@given(st.lists(MESSY, max_size=6))
def test_no_definition_raises(tools):
    for provider in (None, "openai", "anthropic", "gemini", "mcp"):
        diagnose_tools(tools, provider=provider)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="{%}# .Tools'\"|messages\n-", max_size=60))
def test_no_template_raises(text):
    diagnose_template(text)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="`~\n ab", max_size=60))
def test_blanking_keeps_every_place(text):
    spans = list(code_in(text))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert len(blanked(text, spans)) == len(text)


@pytest.mark.parametrize("depth", [10, 2_000])
def test_depth_does_not_matter(depth):
    schema = {"type": "object", "properties": {}}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    tool = {"name": "deep", "description": "A tool with a deep schema.", "parameters": schema}
    assert [f.code for f in diagnose_tools([tool])] == []
    arguments = '{"a":' * depth + "1" + "}" * depth
    call = {"id": "call_1", "type": "function", "function": {"name": "deep", "arguments": arguments}}
    assert diagnose_session([{"role": "assistant", "tool_calls": [call]}], [tool], model="gpt-4o") == []


def test_every_label_of_an_answer_can_be_explained():
    wording = (SOURCES / "validation/wording.py").read_text(encoding="utf-8")
    preflight = (SOURCES / "validation/preflight.py").read_text(encoding="utf-8")
    codes = {*re.findall(r'code="([a-z-]+)"', wording + preflight)}
    limits = {*re.findall(r'^    "\w+": \("([a-z-]+)", ".*\),$', wording, re.MULTILINE)}
    assert len(codes) > 5
    assert len(limits) > 5
    assert codes | limits <= {*PROBLEMS.names}
    assert REJECTIONS.names == list(get_args(Reason))


def test_control_tokens_begin_and_end_as_the_quick_look_says() -> None:
    assert {token[0] for token in special_tokens._tokens()} == {*special_tokens._FIRST}
    assert {token[-1] for token in special_tokens._tokens()} == {*special_tokens._LAST}


def test_the_wrapper_of_parallel_calls_is_told_as_one():
    uses = {"tool_uses": [{"recipient_name": "functions.weather", "parameters": {"city": "Rome"}}]}
    call = {"id": "c", "type": "function", "function": {"name": "parallel", "arguments": json.dumps(uses)}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    weather = {
        "name": "weather",
        "description": "Tell the weather.",
        "parameters": {"type": "object", "properties": {}},
    }
    body = {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}
    (found,) = parse(body, tools=[weather]).diagnoses
    assert found.code == "unknown-tool"
    assert "tool_uses" in found.fix


OTHER = "template-of-another-model"


@pytest.mark.parametrize(
    ("template", "model", "other"),
    [
        ("deepseek_v31", "deepseek-ai/DeepSeek-V3.2", True),
        ("deepseek_v31", "deepseek-ai/DeepSeek-V3.1", False),
        ("mistral_nemo", "mistralai/Mistral-Nemo-Instruct-2407", False),
        ("qwen3", "Qwen/Qwen3-8B", False),
        ("qwen3", "Qwen/Qwen3-Coder-30B-A3B-Instruct", False),  # the series writes this form as well
        ("deepseek_v31", "somebody/DeepSeek-V3.2-abliterated-finetune", False),
        ("deepseek_v31", "no-such-model", False),
    ],
)
def test_a_template_of_another_model_than_the_one_that_is_named(template: str, model: str, other: bool) -> None:
    text = (FIXTURES / "templates" / f"{template}.jinja").read_text(encoding="utf-8")
    found = [one.severity for one in diagnose(text, kind="template", model=model) if one.code == OTHER]
    assert found == ["warning"] * other
