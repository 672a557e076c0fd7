"""Reading costs time that grows with the length of the input: counted in looks at characters, not timed."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st, target

from tests.test_cli import utp
from utp_cli import Parser, parse
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.engine import machine
from utp_cli.engine.looks import counting
from utp_cli.engine.plan import Plan
from utp_cli.engine.runs import Runs
from utp_cli.engine.source import Source
from utp_cli.engine.worst import BOUNDS, LENGTH, LONG, looks_of, parts_of, repeated
from utp_cli.parsing import parser as parsing, repeats
from utp_cli.repair import strings

BRED = settings(
    max_examples=4, deadline=None, phases=[Phase.explicit, Phase.generate, Phase.target],
    suppress_health_check=[*HealthCheck], derandomize=True, database=None,
)  # fmt: skip


@pytest.mark.parametrize("dialect", [*DIALECTS], ids=lambda dialect: dialect.name)
def test_no_input_costs_more_looks_than_its_family_may(dialect):
    parts = st.sampled_from(parts_of(dialect))
    worst = (0.0, "", "x")

    @BRED
    @given(st.lists(parts, max_size=1), st.lists(parts, min_size=1, max_size=3), st.integers(1, 200))
    def bred(heads, units, cut):
        nonlocal worst
        head, unit = "".join(heads), "".join(units)[:cut]
        looks = looks_of(dialect, repeated(head, unit, LENGTH))
        target(looks)
        worst = max(worst, (looks, head, unit))

    bred()
    _, head, unit = worst
    assert looks_of(dialect, repeated(head, unit, LONG)) <= BOUNDS[dialect.family], (head, unit)


# Each of these grew with the square of its length.
SQUARES = [
    ("minimax_m2", "", '<invoke name="a"><parameter name="b">', ""),
    ("minimax_m2", '<invoke name="a">', '\n<parameter name="b">', ""),
    ("seed_oss", "", "<seed:tool_call><function=a><parameter=b>", ""),
    ("glm45", "", "<tool_call>a<arg_key>b</arg_key><arg_value>", ""),
    ("lfm2", "", "<|tool_call_start|>[ab(x=", ""),
    ("lfm2", "", '<|tool_call_start|>[f(a="', '"}'),
    ("apertus", "", '<|tools_prefix|>[{"ab": {"x', ""),
    ("apertus", '<|tools_prefix|>[{"ab": {"x": "h', "<", ""),
    ("mistral", "", '[TOOL_CALLS]cd[ARGS]{"z": [1', ""),
    ("tool_use_xml", "", "<tool_use><name></tool_use><![CDATA[", ""),
    ("inkling", "", '"hi", "y": 1}}\n<|end_message|>\ncd<|content_invoke_tool_json|', ""),
    ("inkling", "", '"name": "cd", "args": {"x": 1}}\n<|end_message|>', ""),
]


@pytest.mark.parametrize(("name", "head", "unit", "tail"), SQUARES, ids=lambda part: part[-24:])
def test_looks_grow_with_the_length(name, head, unit, tail):
    dialect = DIALECTS[name]
    short, long = (looks_of(dialect, repeated(head, unit, n) + tail) for n in (6000, 24000))
    assert long < 1.3 * short


def test_pairs_of_markers_behind_blank_lines_cost_steps_over_runs_that_grow_with_the_length(monkeypatch):
    class CountedRuns(Runs):
        steps = 0

        def __iter__(self):
            for run in super().__iter__():
                CountedRuns.steps += 1
                yield run

    monkeypatch.setattr(machine, "Runs", CountedRuns)

    def cost(n):
        CountedRuns.steps = 0
        engine = machine.Engine(Plan([DIALECTS["inkling"]], ["inkling"]))
        engine.feed("<|end_message|>\n" * n + "<|content_invoke_tool_json|>a<|end_message|>" * n)
        engine.close()
        return CountedRuns.steps / n

    assert cost(200) < 1.3 * cost(50)


def whole_looks(feed):
    parsing._plan_led_by.cache_clear()  # their patterns are made anew, to be counted
    with counting(("utp_cli.engine", "utp_cli.repair", "utp_cli.parsing", "utp_cli.wire")) as looks:
        parser = Parser()
        feed(parser)
        parser.close()
    parsing._plan_led_by.cache_clear()
    return looks.count


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "".join(
            f'data: {{"choices": [{{"index": {i}, "delta": {{"content": "a"}}}}]}}\n\n' for i in range(n)
        ),
        lambda n: 'data: {"choices": [{"index": 0, "delta": {"content": "<"}}]}\n\n' * n,
        lambda n: '{"a": ' * n,
        lambda n: "<tool_calls>" + "[" * n,
        lambda n: ']<]minimax[>[<tool_call>]<]minimax[>[{"name": y' + "\\n" * n + "z",
    ],
    ids=["choices", "chunks", "objects", "lists", "escaped line breaks"],
)
@pytest.mark.parametrize("width", [10**7, 61])
def test_a_whole_answer_costs_looks_that_grow_with_its_length(make, width):
    def cost(n):
        text = make(n)
        return whole_looks(lambda p: [p.feed(text[at : at + width]) for at in range(0, len(text), width)]) / len(text)

    assert cost(400) < 1.4 * cost(100)


def test_counting_leaves_nothing_behind():
    dialect = DIALECTS["hermes"]
    text = '<tool_call>{"name": "f", "arguments": {"a": [1, 2,]}}</tool_call>'
    assert looks_of(dialect, text) == looks_of(dialect, text) > 1
    parser = Parser()
    parser.feed(text)
    assert parser.close().calls[0].arguments == {"a": [1, 2]}


def test_a_dialect_of_ones_own_is_checked(tmp_path):
    table = tmp_path / "own.toml"
    table.write_text(
        '[dialects.acme]\nfamily = "tagged_json_object"\ncall_open = "<act>"\ncall_close = "</act>"\n', encoding="utf-8"
    )
    done = utp("dialects", "acme", "--check", "--config", str(table), "--json")
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert told["ok"]
    assert 1 < told["looks"] <= told["bound"]


def test_a_dialect_that_costs_too_much_is_told(monkeypatch):
    monkeypatch.setitem(BOUNDS, "pythonic", 1)
    done = utp("dialects", "lfm2", "--check")
    assert done.exit_code == 1
    assert "too much" in done.stdout


def test_check_needs_a_name():
    assert utp("dialects", "--check").exit_code == 2


@pytest.mark.parametrize("unit", ['x={"name": "a", "arguments": {}}<think>', 'x<think>`"x": ")'])
def test_a_marker_of_thinking_within_thinking_does_not_read_the_thinking_again(unit, monkeypatch):
    read, sliced = Source.slice, []
    monkeypatch.setattr(Source, "slice", lambda *args: (sliced.append(len(read(*args))), read(*args))[1])

    def looks(times):
        sliced.clear()
        parser = Parser()
        for _ in range(times):
            parser.feed(unit)
        parser.close()
        return sum(sliced)

    assert looks(400) < 2.4 * looks(200)


def test_strings_that_nothing_closes_are_not_looked_for_by_each_object_that_begins_one(monkeypatch):
    steps, step = [0], strings.StringReader._step

    def counted_step(reader):
        steps[-1] += 1
        return step(reader)

    monkeypatch.setattr(strings.StringReader, "_step", counted_step)
    for size in (10_000, 40_000):
        steps.append(0)
        parse(('{"a": "b"c\n{"d": 1}\n' * size)[:size])
    assert steps[2] < 6 * steps[1]


LISTS = {
    "tagged": ("<tool_call>[", '{"name": "f", "arguments": {"a": 1}}', "]</tool_call>", ","),
    "bare": ("[", '{"name": "f", "arguments": {"a": 1}}', "]", ","),
    "code": ("```tool_code\n", "print(default_api.f(a=1))", "\n```", "\n"),
}


@pytest.mark.parametrize(("head", "unit", "tail", "between"), LISTS.values(), ids=LISTS)
def test_calls_of_one_list_share_its_text(head, unit, tail, between, monkeypatch):
    """Each call of a list that looked at all of it made thousands of them a square."""
    read = []
    monkeypatch.setattr(repeats.json, "loads", lambda raw, **_: read.append(raw))
    repeats._doubled.cache_clear()
    result = parse(head + between.join([unit] * 2_000) + tail)
    assert len(result.calls) == 2_000
    assert len(read) <= 1
    if head != "[":
        assert len({id(call.raw) for call in result.calls}) == 1
