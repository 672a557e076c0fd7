"""What people see: snapshots at a fixed width, and laws that no answer may break."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from unicodedata import category

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len

from tests import answers
from utp_cli import detect, load_tools, parse
from utp_cli.protocol import numbers
from utp_cli.protocol.calls import ParseResult, ToolCall
from utp_cli.protocol.events import Event
from utp_cli.views import json as json_view
from utp_cli.views.detection import detection
from utp_cli.views.escape import shown
from utp_cli.views.lines import ASCII, Screen, painted, place, wrapped
from utp_cli.views.live import LiveView
from utp_cli.views.pretty import pretty, signature
from utp_cli.views.verdict import verdict

ANSWERS = {
    name: getattr(answers, name)
    for name in (
        "left_in_content", "clean_native", "plain_answer", "cut_off", "invalid_call", "thinking", "hostile",
        "server_error", "run_by_provider",
    )
}  # fmt: skip
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def drawn(name, **screen):
    return painted(pretty(ANSWERS[name](), Screen(**screen), tools=4), colour=False)


@pytest.mark.parametrize("name", ANSWERS)
def test_pretty(name, snapshot):
    assert drawn(name) == snapshot


@pytest.mark.parametrize("name", ["left_in_content", "clean_native"])
def test_pretty_verbose(name, snapshot):
    assert drawn(name, verbose=True) == snapshot


def test_pretty_in_ascii(snapshot):
    text = drawn("left_in_content", signs=ASCII)
    assert text == snapshot
    assert text.replace("…", "").isascii()  # the fix quotes an ellipsis of its own


def test_a_wide_terminal_is_used():
    assert max(map(len, drawn("left_in_content", width=120).splitlines())) == 120


def test_a_clean_native_answer_is_three_lines():
    assert len(drawn("clean_native").splitlines()) == 3


def test_a_plain_answer_is_one_line():
    assert len(drawn("plain_answer").splitlines()) == 1


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("width", [72, 80, 120])
def test_no_line_is_wider_than_the_screen(name, width):
    assert max(map(cell_len, drawn(name, width=width).splitlines())) <= width


@pytest.mark.parametrize("name", ANSWERS)
def test_one_answer_fits_a_screen(name):
    assert len(drawn(name).splitlines()) <= 70


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("signs", [ASCII, Screen().signs])
def test_nothing_a_model_writes_reaches_the_terminal_as_a_command(verbose, signs):
    text = drawn("hostile", verbose=verbose, signs=signs)
    assert not {character for character in text if category(character) in HIDDEN} - {"\n"}
    assert "[bold]markup[/bold] [link=x]" in text
    assert "U+202E" in text
    assert ("U+001B" if signs is ASCII else "␛") in text


def test_colours_add_codes_and_nothing_else():
    coloured = painted(pretty(answers.hostile(), Screen(), tools=4), colour=True)
    assert "\x1b[" in coloured
    assert "\x1b[31mred" not in coloured
    assert "\x07" not in coloured


@given(st.text())
def test_shown_text_holds_nothing_hidden(text):
    assert not [character for character in shown(text) if category(character) in HIDDEN]
    assert shown(text).count("␛") == text.count("\x1b") + text.count("␛")


def test_shown_leaves_printable_text_alone():
    assert shown("naïve 東京 🏳️ [b]") == "naïve 東京 🏳️ [b]"


@given(st.text(), st.integers(min_value=4, max_value=60))
def test_a_cut_text_fits(text, width):
    screen = Screen()
    safe = screen.safe(text)
    cut = screen.cut(safe, width)
    assert cell_len(cut) <= width
    assert cut == safe or screen.signs.cut in cut


@given(st.text(), st.integers(min_value=2, max_value=40))
def test_wrapped_lines_fit_and_keep_every_word(text, width):
    safe = shown(text)
    lines = wrapped(safe, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(safe.split())


def test_wide_characters_are_measured_in_cells():
    lines = drawn("invalid_call").splitlines()
    assert cell_len(lines[2]) == 80
    assert lines[2].endswith("invalid")


def test_a_long_value_is_cut_in_the_middle_and_whole_when_verbose():
    arguments = {"path": "a.py", "content": "begin" + "x" * 5000 + "end"}
    short = signature("write", arguments, Screen(), 60)
    assert short.startswith('write(path="a.py", content="begin')
    assert short.endswith('end")')
    assert len(short) <= 60
    assert "x" * 5000 in signature("write", arguments, Screen(verbose=True), 60)


def test_a_value_nested_without_end_is_no_crash():
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    text = signature("f", {"a": value}, Screen(), 60)
    assert text.startswith("f(a=[[[[")
    assert text.endswith("]]]])")
    assert json_view.document(value) == "[" * 100_001 + "]" * 100_001 + "\n"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_the_slow_way_writes_the_same_json(value):
    assert "".join(numbers._pieces(value, None, None)) == json.dumps(value, ensure_ascii=False)
    assert "".join(numbers._pieces(value, 2, None)) == json.dumps(value, ensure_ascii=False, indent=2)


@pytest.mark.parametrize("digits", [1, 600, 700, 4301, 50_000])
@pytest.mark.parametrize("sign", [1, -1])
def test_integers_are_written_whole(digits, sign):
    text = json_view.line({"a": sign * (10**digits - 7)})
    assert text == f'{{"a": {"-" if sign < 0 else ""}{"9" * (digits - 1)}3}}'


def test_places():
    assert place("/choices/0/message/content") == "message.content"
    assert place("/choices/1/message/content") == "choices[1].message.content"
    assert place("/output/2/arguments") == "output[2].arguments"
    assert place("") == "text"


@pytest.mark.parametrize(
    ("name", "sign"),
    [
        ("left_in_content", "lost"), ("clean_native", "good"), ("plain_answer", "good"), ("cut_off", "lost"),
        ("invalid_call", "lost"), ("thinking", "look"), ("server_error", "lost"), ("run_by_provider", "good"),
    ],
)  # fmt: skip
def test_the_sign_of_the_verdict(name, sign):
    assert verdict(ANSWERS[name]()).sign == sign


def test_repaired_calls_are_counted():
    result = replace(answers.left_in_content(), findings=[])
    assert verdict(result).sign == "repaired"
    assert verdict(result).text == "1 call, 1 repaired"


def test_json_is_the_document():
    result = answers.left_in_content()
    assert json.loads("".join(json_view.answer(result))) == result.to_dict()
    assert json.loads("".join(json_view.calls(result, one_line=True))) == result.to_dict()["calls"]
    assert "".join(json_view.answer(result, one_line=True)).count("\n") == 1


def test_json_of_a_lone_surrogate_is_sound_once_encoded():
    call = ToolCall(name="f", arguments={"a": "\ud800é"}, id="call_0")
    text = "".join(json_view.calls(ParseResult(calls=[call]))).encode("utf-8", errors="backslashreplace")
    assert json.loads(text)[0]["arguments"] == {"a": "\ud800é"}


LIVE_EVENTS = [
    Event(type="thinking", text="Hm.\nA "),
    Event(type="thinking", text="call."),
    Event(type="text", text="Let me "),
    Event(type="text", text="look.\n\x1b[2J"),
    Event(type="tool_start", index=0, name="search", provisional=True),
    Event(type="tool_args", index=0, text='{"q": '),
    Event(type="tool_args", index=0, text='"auth"}'),
    Event(type="tool_end", index=0, name="search", id="call_0", arguments={"q": "auth"}),
]


def test_a_stream_is_drawn_as_it_comes(snapshot):
    live = LiveView(Screen())
    assert "".join(map(live.show, LIVE_EVENTS)) + live.end() == snapshot


def test_an_event_is_one_json_line():
    assert [json.loads(json_view.event(event)) for event in LIVE_EVENTS] == [e.to_dict() for e in LIVE_EVENTS]


FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "answers"
REAL = sorted(path.name for path in FIXTURES.iterdir() if path.name != "tools.yaml")
assert len(REAL) >= 16, "answers are missing"


@pytest.mark.parametrize("name", REAL)
def test_pretty_of_a_real_answer(name, snapshot):
    tools = load_tools(FIXTURES / "tools.yaml")
    result = parse((FIXTURES / name).read_bytes(), tools=tools)
    assert painted(pretty(result, Screen(), tools=len(tools)), colour=False) == snapshot


def test_text_around_a_call_in_bare_json_is_drawn():
    text = 'First.\n{"name": "search_code", "arguments": {"query": "a"}}\nLast.'
    result = parse(text, tools=load_tools(FIXTURES / "tools.yaml"))
    assert [call.rung for call in result.calls] == ["json"]
    lines = painted(pretty(result, Screen()), colour=False).splitlines()
    drawn_text = [line.strip(" ╭╮╰╯─│") for line in lines[lines.index(next(x for x in lines if "raw text," in x)) :]]
    drawn_text = drawn_text[: drawn_text.index("Notes")]  # text goes on behind the call: that it is unsure is noted
    assert [line for line in drawn_text if line][1:] == [
        "First.", "json-content", '{"name": "search_code", "arguments": {"query": "a"}}', "Last.",
    ]  # fmt: skip


def test_a_huge_answer_is_drawn_at_once():
    text = "word " * 400_000 + '<tool_call>{"name": "f", "arguments": {"a": "' + "x" * 2_000_000 + '"}}</tool_call>'
    lines = painted(pretty(parse(text), Screen()), colour=False).splitlines()
    assert len(lines) <= 50
    assert max(map(cell_len, lines)) <= 80


def test_escape_codes_of_a_real_answer_are_shown(snapshot):
    result = parse((FIXTURES / "escape-codes.json").read_bytes())
    text = painted(pretty(result, Screen(verbose=True)), colour=True)
    assert "\x1b[2J" not in text
    assert painted(pretty(result, Screen(verbose=True)), colour=False) == snapshot


def test_ten_thousand_calls_fit_a_screen():
    call = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>\n'
    result = parse(call * 10_000)
    assert len(result.calls) == 10_000
    text = painted(pretty(result, Screen()), colour=False)
    assert "and 9,988 more; --verbose shows them" in text
    assert len(text.splitlines()) < 100


@pytest.mark.parametrize("width", [40, 50, 60, 80])
@pytest.mark.parametrize("model", ["qwen3:32b", "deepseek-ai/DeepSeek-V3.1", "openai/gpt-oss-120b"])
def test_flags_to_copy_are_whole_at_any_width(model, width):
    found = detect(model)
    told = painted(detection(found, Screen(width=width)), colour=False)
    assert {flag for flags in found.servers.values() for flag in flags if flag[0] == "-"} <= set(told.split())
    assert max(map(cell_len, told.splitlines())) <= width
