"""What strangers wrote is bounded: schemas that expand, templates that search, TOML that nests, characters that hide."""

from __future__ import annotations

import gc
import json
import re
import time
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tests.test_cli import utp
from utp_cli import audit, detect, parse, replay
from utp_cli.detection.command_line import is_modelfile
from utp_cli.detection.go_template import take_apart
from utp_cli.io.profiles import read_configuration
from utp_cli.parsing.answered import no_answer
from utp_cli.parsing.candidates import Candidate
from utp_cli.parsing.collect import merged
from utp_cli.protocol.errors import BadFile
from utp_cli.schemas.expansion import expands_too_far
from utp_cli.templates.sandbox import ChatTemplate, Unrenderable
from utp_cli.views.junit import Case, junit

# -- schemas -----------------------------------------------------------------------------------------------------


def doubling(word: str, levels: int = 28, ref=lambda at: f"#/$defs/d{at}") -> dict:
    """Make a schema in which each definition refers twice to the next."""
    twice = {f"d{at}": {"$anchor": f"d{at}", word: [{"$ref": ref(at + 1)}] * 2} for at in range(levels)}
    last = {"$anchor": f"d{levels}", "type": "string", "minLength": 99}
    return {"type": "object", "$defs": {**twice, f"d{levels}": last}, "properties": {"x": {"$ref": ref(0)}}}


@pytest.mark.parametrize("word", ["anyOf", "oneOf", "allOf"])
@pytest.mark.parametrize("ref", [lambda at: f"#/$defs/d{at}", lambda at: f"#d{at}"], ids=["pointers", "anchors"])
def test_a_schema_that_doubles_is_not_compiled(word: str, ref) -> None:
    tools = [{"name": "t", "description": "d", "parameters": doubling(word, ref=ref)}]
    result = parse('<tool_call>{"name": "t", "arguments": {"x": "y"}}</tool_call>', tools=tools)
    assert [(call.valid, call.problems) for call in result.calls] == [(None, ())]
    assert [note.code for note in result.notes] == ["schema-too-large"]
    assert "UTP116" in {finding.code for finding in audit(tools).findings}


def recursive() -> dict:
    node = {"type": "object", "properties": {"left": {"$ref": "#/$defs/n"}, "right": {"$ref": "#/$defs/n"}}}
    return {"type": "object", "$defs": {"n": node}, "properties": {"x": {"$ref": "#/$defs/n"}, "y": {"$ref": "#"}}}


def deep(levels: int) -> dict:
    schema: dict = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {f"p{at}": {"type": "string"} for at in range(20_000)}},
        {"anyOf": [{"type": "object", "properties": {f"p{at}": {"type": "string"}}} for at in range(2_000)]},
        recursive(),
        deep(10_000),
        doubling("anyOf", 8),
        {
            "type": "object",
            "$defs": {f"d{at}": {"properties": {"a": {"$ref": f"#/$defs/d{at + 1}"}}} for at in range(5000)},
        },
        {"$ref": "#"},
        {"$ref": 5, "anyOf": 7, "properties": [1], "items": True},
    ],
    ids=["wide", "many alternatives", "recursive", "deep", "a few levels", "a chain", "itself", "nonsense"],
)
def test_other_schemas_are(schema: dict) -> None:
    assert not expands_too_far(schema)


# -- templates ---------------------------------------------------------------------------------------------------

LONG = "{% set s = '" + "a " * 45_000 + "' %}"
LOOP = "{% for x in range(40000) %}"


@pytest.mark.parametrize(
    "source",
    [
        "{% if 'ab' in s %}{% endif %}",
        "{% set y = s.count('ab') %}",
        "{% set y = s.find('ab') %}",
        "{% set y = s.replace('ab', '') == 1 %}",
        "{% set y = s|wordcount %}",
        "{% set y = s[1:]|length %}",
        "{% if s is upper %}{% endif %}",
        "{% if s == s ~ '' %}{% endif %}",
        "{% set y = s.startswith('b') %}",
    ],
)
def test_a_template_pays_for_what_it_looks_at(source: str) -> None:
    with pytest.raises(Unrenderable, match=r"too much text|too many steps"):
        ChatTemplate(LONG + LOOP + source + "{% endfor %}").render([])


def test_separators_are_paid_for_before_they_are_written() -> None:
    source = LONG + "{{ range(9000)|list|tojson(separators=[s, s]) }}"
    with pytest.raises(Unrenderable, match="too much text"):
        ChatTemplate(source).render([])


@pytest.mark.parametrize(("options", "text"), [("", '[1, {"a": 2}]'), ("separators=(',', ':')", '[1,{"a":2}]')])
def test_json_in_templates_stays_what_it_was(options: str, text: str) -> None:
    assert ChatTemplate("{{ [1, {'a': 2}]|tojson(" + options + ") }}").render([]) == text


def test_a_long_conversation_is_rendered() -> None:
    source = (
        "{% for m in messages %}{% if m.content is string and 'x' in m.content and messages|length > 1 %}"
        "{{ m.content[:20] }}{% endif %}{% endfor %}"
    )
    said = ChatTemplate(source, times=3).render([{"role": "user", "content": "x" * 2000}] * 60)
    assert said == "x" * 20 * 60


# -- configuration -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["a = " + "[" * 50_000, "a = " + "9" * 5_000, "[" * 50_000, "a." * 20_000 + "b = 1"])
def test_toml_that_no_reader_takes_is_one_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "profiles.toml"
    path.write_text(text)
    with pytest.raises(BadFile) as found:
        read_configuration(path)
    assert str(found.value).startswith(f"{path}")
    assert "\n" not in str(found.value)
    done = utp("parse", "--config", str(path), given="x")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "bug in utp" not in done.stderr


# -- characters that hide ----------------------------------------------------------------------------------------

HIDDEN = "\x7f\x85\x9b\xad\u200b\u200f\u2028\u2029\u202e\u2066\ufeff\U000e0041"
TOOL = {"name": "t" + HIDDEN, "description": HIDDEN, "parameters": {"type": "objekt", "properties": {HIDDEN: {}}}}


def hidden_in(text: str) -> set[str]:
    return set(HIDDEN) & set(text)


def test_json_shows_what_hides_as_escapes(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps([TOOL]))
    for form in ("json", "sarif", "gitlab"):
        done = utp("audit", str(path), "-f", form)
        assert hidden_in(done.stdout) == set(), form
        assert "\\u202e" in done.stdout
        json.loads(done.stdout)
    answer = json.loads(utp("parse", "--json", given=f"a{HIDDEN}b").stdout)
    assert answer["content"] == f"a{HIDDEN}b"
    assert hidden_in(utp("parse", "--json", given=f"a{HIDDEN}b").stdout) == set()


def test_a_diff_shows_them_too(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(
        f"- name: t\n  description: a{HIDDEN[5:7]}{HIDDEN[8:]}b\n  parameters: {{properties: {{a: {{type: str}}}}}}\n"
    )
    done = utp("audit", str(path), "--diff")
    assert hidden_in(done.stdout) == set()
    assert "\n+" in done.stdout


@given(st.text(st.characters(exclude_categories=[]) | st.sampled_from("\ufffe\uffff\ud800\x00\x0b\u2028<&>\"']")))
def test_junit_is_xml_whatever_it_is_told(text: str) -> None:
    case = Case(suite=text, name=text, failure=text or "x", details=text)
    data = junit(text, [case]).encode("utf-8")
    found = ET.fromstring(data).find(".//testcase")  # noqa: S314 - our own
    assert found is not None
    assert found.get("name") is not None


# -- found by fuzzing --------------------------------------------------------------------------------------------


def test_the_type_of_an_event_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    chunk = '{"id": {"a": 1}, "type": {"b": 2}, "choices": [{"index": 0, "delta": {"content": "a"}}]}'
    path.write_text(f"data: {chunk}\n\n" * 3)
    assert replay(path).to_dict()["metrics"]["exchanges"] == 1


# -- descriptions that are searched ------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["-", ".", "use ", "a-", "sk-", "eyJaaaaaaaa-", "<", "((", "<!-- ", "http://a"])
def test_a_long_description_costs_time_that_grows_with_its_length(unit):
    said = "Return the thing. " + unit * (30_000 // len(unit))
    schema = {"type": "object", "properties": {"x": {"type": "string", "description": said}}}
    begin = time.process_time()
    audit([{"name": "t", "description": said, "parameters": schema}])
    assert time.process_time() - begin < 1.5


HOSTILE_NAMES = r"""
[profiles."p\u001b[31m\u202e\u009b\U000E0041"]
model = "m\u001b]0;x\u0007"
[dialects."d\u001b"]
family = "tagged_json_object"
call_open = "<a>"
call_close = "</a>"
"""


@pytest.mark.parametrize(
    "arguments",
    [("profiles", "list"), ("profiles", "show", "p\x1b[31m\u202e\x9b\U000e0041"), ("dialects", "d\x1b")],
    ids=" ".join,
)
def test_names_of_ones_own_reach_no_terminal_as_they_are(tmp_path, arguments):
    table = tmp_path / "own.toml"
    table.write_text(HOSTILE_NAMES, encoding="utf-8")
    done = utp(*arguments, "--config", str(table))
    assert done.exit_code == 0
    assert not set(done.stdout) & set("\x1b\x07\x9b\u202e\U000e0041")
    if arguments[1] == "show":
        assert tomllib.loads(done.stdout)["profiles"] == tomllib.loads(HOSTILE_NAMES)["profiles"]


# -- conversations and streams that are long ---------------------------------------------------------------------

ANSWER = {"role": "assistant", "content": "It is sunny."}
CALLING = {
    "role": "assistant",
    "tool_calls": [{"id": "c", "type": "function", "function": {"name": "a", "arguments": "{}"}}],
}
TALKS = {
    "turns": lambda k: [{"role": "user", "content": "hi"}, ANSWER] * k,
    "many questions, then many answers": lambda k: [{"role": "user", "content": "hi"}] * k + [ANSWER] * k,
    "results that fail": lambda k: [CALLING, {"role": "tool", "tool_call_id": "c", "content": "error"}] * k,
}


class Watched(list):
    """A list of messages that counts how many of them were handed out."""

    looks = 0

    def __iter__(self):
        for item in super().__iter__():
            self.looks += 1
            yield item

    def __getitem__(self, at):
        found = super().__getitem__(at)
        self.looks += len(found) if isinstance(at, slice) else 1
        return found


@pytest.mark.parametrize("budget", [None, 10])
@pytest.mark.parametrize("talk", TALKS.values(), ids=TALKS)
def test_answers_of_a_conversation_do_not_read_it_again_each(talk, budget) -> None:
    looks = []
    for length in (40, 160):
        messages = Watched(talk(length))
        replay({"messages": messages}, max_tokens=budget)
        looks.append(messages.looks / len(messages))
    assert looks[0] > 1
    assert looks[1] < 1.3 * looks[0]


def test_no_cycles_are_looked_for_while_an_answer_is_read() -> None:
    chunks = ({"choices": [{"index": at, "delta": {"content": "<tool_call>"}}]} for at in range(400))
    stream = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    parse(stream)  # what is loaded once
    before = [each["collections"] for each in gc.get_stats()]
    parse(stream)
    after = [each["collections"] for each in gc.get_stats()]
    assert sum(after) - sum(before) <= 2
    assert gc.isenabled()


def test_no_cycles_are_looked_for_while_a_session_is_replayed() -> None:
    session = {"messages": [{"role": "user", "content": "hi"}, *[{"role": "assistant", "content": "ho"}] * 400]}
    replay(session)  # what is loaded once
    before = [each["collections"] for each in gc.get_stats()]
    replay(session)
    after = [each["collections"] for each in gc.get_stats()]
    assert sum(after) - sum(before) <= 4  # else one for every few answers
    assert gc.isenabled()


@pytest.mark.parametrize("on", [True, False])
def test_the_collector_is_left_as_it_was(on: bool) -> None:
    was_on = gc.isenabled()
    try:
        (gc.enable if on else gc.disable)()
        parse("hello")
        assert gc.isenabled() is on
    finally:
        (gc.enable if was_on else gc.disable)()


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "b' + "\n" * 60_000 + 'x", "c": 1}',
        '{"a": 1}' + " " * 60_000 + "x",
        "```json\n" + '{"a": 1}' + "\n" * 60_000,
    ],
    ids=["in a string", "behind", "in a fence"],
)
def test_long_runs_of_spaces_cost_time_that_grows_with_them(text: str) -> None:
    begin = time.process_time()
    parse(text, tools=[{"name": "f", "parameters": {"properties": {}}}])
    assert time.process_time() - begin < 5  # the square takes half a minute


@pytest.mark.parametrize(
    "route", ["models--a/" * 20_000 + "\nx", "projects/" + "publishers/a/models/b@/" * 10_000 + "\nx"]
)
def test_long_routes_cost_time_that_grows_with_them(route: str) -> None:
    begin = time.process_time()
    detect(route)
    assert time.process_time() - begin < 3  # the square takes ten


@pytest.mark.parametrize(
    "text",
    [": " * 2000 + "\nx", ":" * 2000 + "\n\nx", ": \n" * 150 + "x", "| " * 4000 + "\nx", "`" * 200_000],
)
def test_a_text_of_signs_costs_time_that_grows_with_it(text: str) -> None:
    begin = time.process_time()
    no_answer(parse(text))
    assert time.process_time() - begin < 5  # all ways to part the colons take years, the square of the backticks 14 s


def test_many_calls_beside_as_many_in_the_text_cost_time_that_grows_with_them() -> None:
    def made(numbers: range) -> list[Candidate]:
        return [Candidate(rung="native", parser="p", name="a", arguments={"x": number}) for number in numbers]

    native, markup = made(range(10_000, 30_000)), made(range(29_999, 49_999))
    begin = time.process_time()
    assert len(merged(native, markup)) == 39_999
    assert time.process_time() - begin < 2.5  # the square takes seven


@pytest.mark.parametrize(
    "read",
    [
        lambda: take_apart("{{ if .ToolCalls }}{{" + '""' * 20_000 + " {"),
        lambda: take_apart("{{`" * 20_000),
        lambda: is_modelfile(" #\n" * 20_000 + "x"),
        lambda: is_modelfile("\n" * 60_000 + "x"),
    ],
    ids=["quotes", "backticks", "comments", "blank lines"],
)
def test_a_pattern_tries_nothing_twice(read) -> None:
    begin = time.process_time()
    read()
    assert time.process_time() - begin < 2.5


def test_every_promise_names_tests_that_exist() -> None:
    root = Path(__file__).parents[1]
    rows = [line for line in (root / "SECURITY.md").read_text("utf-8").splitlines() if line.startswith("| **")]
    assert len(rows) >= 7
    for row in rows:
        files = re.findall(r"`(tests/\w+\.py)`", row)
        modules = re.findall(r"`python -m ([\w.]+)", row)
        assert files, row
        assert all((root / name).is_file() for name in [*files, *(m.replace(".", "/") + ".py" for m in modules)]), row
