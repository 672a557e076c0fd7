"""Numbers leave as they came: whatever their size, on every way out."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tests.test_cli import utp
from utp_cli import audit, diagnose, parse, render_tools, repair_json, replay, rewrite_history
from utp_cli.protocol import numbers
from utp_cli.protocol.numbers import Number, dumps, integer, loads, writable

LONG = "7" * 5000
WRITTEN = [
    "1e999",
    "-1e999",
    LONG,
    f"-{LONG}",
    "0.10",
    "1E5",
    "12345678901234567890.123",
    "1.0",
    "-0.0",
    "12",
    "1e-400",
]
FORMATS = ["json", "calls", "openai", "anthropic", "gemini", "ollama", "langchain"]


def markup(number: str) -> str:
    return f'<tool_call>{{"name": "a", "arguments": {{"x": {number}}}}}</tool_call>'


def openai(number: str) -> str:
    call = {"id": "c", "type": "function", "function": {"name": "a", "arguments": f'{{"x": {number}}}'}}
    return json.dumps({"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [call]}}]})


def anthropic(number: str) -> str:
    call = '{"type": "tool_use", "id": "c", "name": "a", "input": {"x": NUMBER}}'.replace("NUMBER", number)
    return f'{{"type": "message", "role": "assistant", "stop_reason": "tool_use", "content": [{call}]}}'


@pytest.mark.parametrize("number", WRITTEN, ids=lambda number: number[:12])
@pytest.mark.parametrize("form", [markup, openai, anthropic])
def test_every_format_writes_what_was_written(form, number: str) -> None:
    for name in FORMATS:
        done = utp("parse", "-f", name, given=form(number))
        assert done.exit_code == 0, done.stderr
        said = done.stdout.replace('\\"', '"')
        assert f'"x": {number}' in said, (name, said[:300])
        json.loads(done.stdout, parse_int=str, parse_constant=pytest.fail)


@pytest.mark.parametrize("number", WRITTEN, ids=lambda number: number[:12])
def test_documents_are_json_for_everybody(number: str) -> None:
    result = parse(markup(number))
    assert result.repairs == []
    json.dumps(result.to_dict(), allow_nan=False)
    assert f'"x": {number}' in dumps(result.to_dict())
    assert ("big-number" in {note.code for note in result.notes}) == (number.strip("-") in ("1e999", LONG))


def test_hexadecimal_of_5000_digits() -> None:
    result = parse(markup("0x" + "f" * 5000))
    assert result.calls[0].arguments["x"] == 16**5000 - 1
    json.dumps(result.to_dict(), allow_nan=False)
    assert utp("parse", "--json", given=markup("0x" + "f" * 5000)).exit_code == 0


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_what_json_lacks_is_null_and_noted(word: str) -> None:
    result = parse(anthropic(word))
    assert result.to_dict()["calls"][0]["arguments"] == {"x": None}
    assert [note.code for note in result.notes] == ["no-number"]
    for name in FORMATS:
        json.loads(utp("parse", "-f", name, given=anthropic(word)).stdout, parse_constant=pytest.fail)


def test_validation_takes_them() -> None:
    tools = [{"name": "a", "parameters": {"type": "object", "properties": {"x": {"type": "number", "maximum": 5}}}}]
    for number, valid in (("1e999", False), (LONG, False), ("4.50", True), ("0.5e1", True), ("-1e999", True)):
        assert parse(markup(number), tools=tools).calls[0].valid is valid, number[:10]


def test_sessions_keep_them(tmp_path: Path) -> None:
    path, copied = tmp_path / "s.jsonl", tmp_path / "c.jsonl"
    row = f'{{"request": {{"top_p": 0.10}}, "response": {anthropic("1e999")}}}'
    path.write_text('{"utp_session": 1}\n' + row + "\n")
    assert utp("replay", str(path), "--export", str(copied)).exit_code == 0
    assert '"top_p": 0.10' in copied.read_text()
    assert '"x": 1e999' in copied.read_text()
    assert utp("replay", str(path), "--update").exit_code == 0
    assert '"expected": {"calls": [{"name": "a", "arguments": {"x": 1e999}}]}' in path.read_text()
    assert '"x": 1e999' in utp("replay", str(path), "--json").stdout
    assert replay(path).to_dict()["metrics"]["calls"] == 1


def test_a_number_is_a_float_that_knows_its_text() -> None:
    number = loads("0.50")
    assert (number, str(number), f"{number}", type(number)) == (0.5, "0.50", "0.50", Number)
    assert [str(other) for other in (copy.deepcopy(number), pickle.loads(pickle.dumps(number)))]  # noqa: S301 - our own == ["0.50"] * 2
    assert type(loads("0.5")) is float


def test_only_what_cannot_be_written_is_changed() -> None:
    value = {"a": [1, {"b": float("nan")}], "c": loads("1e999")}
    assert writable(value) == {"a": [1, {"b": None}], "c": 1.7976931348623157e308}
    assert value["a"][1]["b"] != value["a"][1]["b"]
    plain = {"a": [1.5, "x"]}
    assert writable(plain) is plain


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_ordinary_values_are_read_and_written_as_by_the_standard_library(value) -> None:
    assert loads(json.dumps(value)) == value
    assert dumps(value, indent=2) == json.dumps(value, ensure_ascii=False, indent=2)


@given(st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,4})?", fullmatch=True), JSON)
def test_any_number_comes_back(text: str, beside) -> None:
    if text == "-0":
        return  # it is the integer 0
    written = f'{{"a": [{text}, {json.dumps(beside)}]}}'
    assert dumps(loads(written)) == json.dumps(loads(written.replace(text, '"?"', 1)), ensure_ascii=False).replace(
        '"?"', text, 1
    )


@given(st.integers(1, 9000), st.integers())
def test_digits_in_blocks(many: int, seed: int) -> None:
    text = (str(abs(seed) + 1) * many)[:many]
    value = integer(text)
    assert value % 10**9 == int(text[-9:])
    assert dumps(value) == text
    assert dumps(-value) == f"-{text}"


def test_numbers_of_broken_json_are_made_once_in_whatever_ways_it_is_tried() -> None:
    values = [f"{n}.5" for n in range(500)] + [f"{n}e5" for n in range(1, 501)]
    text = f'{{"a": [{", ".join(values)}], b: 1,}}'
    repair_json(text)
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        repaired = repair_json(text)
    finally:
        sys.setprofile(None)
    assert calls < len(values)
    assert dumps(repaired.value["a"]) == f"[{', '.join(values)}]"


def test_what_is_remembered_of_numbers_is_bounded() -> None:
    assert dumps(loads(f"[{', '.join(f'{n}.50' for n in range(10_000))}]")).endswith("9999.50]")
    assert dumps(loads("0." + "1" * 100_000)) == "0." + "1" * 100_000
    assert len(numbers._FLOATS) <= 5000
    assert all(len(text) < 100 for text in numbers._FLOATS)


BIG = loads(LONG)
ARGUMENTS = f'{{"x": {LONG}, "y": [{LONG}, 1e999, {{"z": {LONG}}}]}}'
CALL = {"id": "c", "type": "function", "function": {"name": "t", "arguments": ARGUMENTS}}
BOUNDS = {"type": "integer", "maximum": BIG, "default": BIG, "enum": [BIG, BIG], "const": BIG, "examples": [BIG]}
TOOLS = [
    {"name": "t", "description": "d", "parameters": {"type": "object", "properties": {"x": BOUNDS}}},
    {"name": "u", "parameters": {"type": "object", "properties": {"s": {"type": "string", "maxLength": BIG}}}},
]
HISTORY = [
    {"role": "user", "content": "x"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": BIG, "content": f'{{"error": {LONG}}}'},
    {
        "role": "assistant",
        "tool_calls": [{"id": BIG, "type": "function", "function": {"name": "t", "arguments": {"x": BIG}}}],
    },
    {"role": "tool", "tool_call_id": "c", "content": {"a": BIG}},
]
ANSWER = {
    "choices": [{"index": BIG, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [CALL]}}],
    "created": BIG,
    "usage": {"prompt_tokens": BIG},
}
RECORDED = {
    "request": {"messages": HISTORY, "tools": TOOLS, "model": BIG},
    "response": ANSWER,
    "status": BIG,
    "expected": {"calls": [{"name": "t", "arguments": {"x": BIG}}]},
}
PASTES = [
    f'2026 INFO data: {{"choices": [{{"delta": {{"content": "x"}}}}], "created": {LONG}}}\n\n',
    f'<tool_call>{{"name": "t", "arguments": {ARGUMENTS}}}</tool_call>',
    f"<function=t><parameter=x>{LONG}</parameter></function>",
    f"[t(x={LONG}, y=0x{LONG})]",
    f"ChatCompletion(id='x', created={LONG}, choices=[])",
    f"Error code: 400 - {{'error': {{'message': 'x', 'code': {LONG}}}}}",
]
USES = {
    "repr": lambda: repr(parse(ANSWER, tools=TOOLS)),
    "a request to check": lambda: diagnose({"messages": HISTORY, "tools": TOOLS}, "session"),
    "tools": lambda: (diagnose({"tools": TOOLS}, "tools"), audit(TOOLS).to_dict()),
    "an answer": lambda: diagnose(ANSWER, "response", tools=TOOLS, request={"tools": TOOLS, "max_tokens": BIG}),
    "a conversation": lambda: replay({"messages": HISTORY, "tools": TOOLS}, max_tokens=9).to_dict(),
    "a recording": lambda: replay({"exchanges": [RECORDED]}).to_dict(),
    **{f"render {name}": lambda name=name: render_tools(TOOLS, format=name) for name in ("openai", "gemini", "cohere")},
    **{f"history {name}": lambda name=name: rewrite_history(HISTORY, name) for name in ("anthropic", "gemini")},
    **{paste[:20]: lambda paste=paste: parse(paste, tools=TOOLS).to_dict() for paste in PASTES},
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_long_integers_anywhere_raise_nothing(use) -> None:
    use()


def test_a_long_integer_is_an_integer() -> None:
    assert int("7" * 4000) * 10**1000 + int("7" * 1000) == BIG
    assert (str(BIG), f"{BIG}", repr([BIG])) == (LONG, LONG, f"[{LONG}]")
    assert pickle.loads(pickle.dumps(BIG)) == copy.deepcopy(BIG) == BIG  # noqa: S301 - our own
    assert isinstance(BIG + 1, int)


def test_calls_that_differ_in_the_last_digit_of_a_long_integer_differ() -> None:
    expected = {**RECORDED, "expected": {"calls": [{"name": "t", "arguments": loads(ARGUMENTS)}]}}
    assert replay({"exchanges": [expected]}).sessions[0].outcomes[0].status == "match"
    other = loads(ARGUMENTS.replace(LONG, LONG[:-1] + "8", 1))
    expected = {**RECORDED, "expected": {"calls": [{"name": "t", "arguments": other}]}}
    assert replay({"exchanges": [expected]}).sessions[0].outcomes[0].status == "regressed"
