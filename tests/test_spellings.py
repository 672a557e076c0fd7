"""What other languages print reads back as the document that it prints."""

from __future__ import annotations

import json
import pprint
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st

from utp_cli import parse
from utp_cli.captures.spellings import read_spelling, starts
from utp_cli.captures.spellings.js_values import read_value as read_js
from utp_cli.captures.spellings.python_values import read_value as read_python

FILE = Path(__file__).parent.parent / "fixtures/captures/forms.jsonl"
FORMS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
SPELT = {18, 21, 27, 28, 35, *range(36, 66), 72, 73}
"""Forms that are a spelling; the others are lines or containers around one."""
NOT_ONE_DOCUMENT = {"25-langgraph", "26-pydantic"}
OURS = [row for row in FORMS if int(row["form"].split("-")[0]) in SPELT and row["form"] not in NOT_ONE_DOCUMENT]


def found_in(text):
    at, found = 0, []
    for start in starts(text):
        if start >= at and (read := read_spelling(text, start)):
            found.append(read)
            at = read.end
    return found


@pytest.mark.parametrize("row", OURS, ids=lambda row: row["id"])
def test_what_the_libraries_print_is_read(row):
    (found,) = found_in(row["paste"])
    assert found.kind == row["kind"]
    assert row["cut"] is None or found.cut == row["cut"]
    if row["calls"] is not None:
        result = parse(found.document)
        assert [{"name": c.name, "arguments": c.arguments} for c in result.calls] == [
            {"name": c["name"], "arguments": c["arguments"]} for c in row["calls"]
        ]
        assert all(c.id == due["id"] for c, due in zip(result.calls, row["calls"], strict=True) if "id" in due)
        assert not result.repairs
    if row["says"] and row["calls"] is None:
        assert all(word in json.dumps(found.document, ensure_ascii=False) for word in row["says"])


@pytest.mark.parametrize(
    "text",
    [
        "[get_weather(city='Oslo')]",
        "[get_weather(city='Oslo'), send_mail(to=\"a@b.c\", body='it\\'s')]",
        "{'name': 'get_weather', 'arguments': {'city': 'Oslo'}}",
        "[{'name': 'get_weather', 'parameters': {'city': 'Oslo'}}]",
        "Read(file_path='a.py')",
        'Use `Message(role="user", content="hi")` for that.',
        "client.chat.completions.create(model='gpt-4o', messages=[])",
        "const m = { role: 'user', content: 'hi' };",
        "The tool said {'error': 'not found'}, so I stopped.",
        "TypeError: x is not a function",
        "role: the part that somebody plays\ncontent: what it says",
        "model='gpt-4o' temperature=0.5",
        "I am calling get_weather with {'city': 'Oslo'} now.",
        "Calling function: get_weather",
        "***** Suggested tool call (call_1): get_weather *****\nwithout arguments",
        "ToolCall is a class; ToolCall[int] is none.",
        "ValueError: these tool calls: [{'name': 'f', 'args': {}, 'id': 'c1', 'type': 'tool_call'}].",
        "map[a:b]",
        "{a=b}",
        '"just a string"',
        "b'bytes'",
        "",
    ],
)
def test_what_a_model_writes_is_no_spelling(text):
    assert found_in(text) == []


@pytest.mark.parametrize(
    ("text", "form", "cut"),
    [
        ("[ToolUseBlock(id='toolu_1', input={'city': 'Oslo'}, name='get_weather', type='tool_use')]", "python-repr", False),
        ("[BetaToolUseBlock(id='toolu_1', input={'city': 'Oslo'}, name='get_weather', type='tool_use', ...)]", "python-repr", True),
        ("[ToolUseBlock(id='toolu_1', input={'city': 'Oslo'}, name='get_weather', type='tool_use'), TextBl…", "python-repr", True),
        ("anthropic.types.ToolUseBlock(id='t', input={'city': 'Oslo'}, name='get_weather', type='tool_use')", "python-repr", False),
        ("ToolCall(function=Function(name='get_weather', arguments={'city': 'Oslo'}))", "python-repr", False),
        ("{'agent': {'messages': [AIMessage(content='', tool_calls=[{'name': 'get_weather', 'args': {'city': 'Oslo'}, 'id': 'c', 'type': 'tool_call'}])]}}", "python-repr", False),
        ("[FunctionCall(id='call_x', arguments='{\"city\":\"Oslo\"}', name='get_weather')]", "python-repr", False),
        ("[FunctionCall(id=None, args={'city': 'Oslo'}, name='get_weather')]", "python-repr", False),
        ("[ToolSelection(tool_id='c1', tool_name='get_weather', tool_kwargs={'city': 'Oslo'})]", "python-repr", False),
        ("ToolCall(tool_name='get_weather', arguments={'city': 'Oslo'}, id='c1')", "python-repr", False),
        ("[ToolInput(tool_name='get_weather', tool_args={'city': 'Oslo'}, id='x', external=False)]", "python-repr", False),
        ("ChatMessage(role=Role(value='assistant'), contents=[FunctionCallContent(call_id='c1', name='get_weather', arguments='{\"city\": \"Oslo\"}')])", "python-repr", False),
        ('FunctionCall { name: "get_weather", arguments: "{\\"city\\":\\"Oslo\\"}" }', "util-inspect", False),
        ('ToolExecutionRequest { id = "c1", name = "get_weather", arguments = "{"city":"Oslo"}" }', "java-record", False),
        ('ToolCall[id=c1, type=function, name=get_weather, arguments={"city":"Oslo"}]', "java-record", False),
        ('Message.Tool.Call(id=c1, tool=get_weather, content={"city":"Oslo"}, metaInfo=ResponseMetaInfo(timestamp=2025))', "kotlin-record", False),
        ("Invoking: `get_weather` with `{'city': 'Oslo'}`", "agent-log", False),
        ('Calling function: get_weather with args: {"city": "Oslo"}', "agent-log", False),
        ("Calling tool: 'get_weather' with arguments: {'city': 'Oslo'}", "agent-log", False),
        ('Invoking tool get_weather with input {"city": "Oslo"}', "agent-log", False),
        ("Tool call: get_weather({'city': 'Oslo'})", "agent-log", False),
        ('***** Suggested tool call (call_1): get_weather *****\nArguments: \n{"city": "Oslo"}\n*****************************', "agent-log", False),
        ("[ { type: 'tool_use', id: 't', name: 'get_weather', input: { city: 'Oslo' } } ]", "util-inspect", False),
        ('"{\\"role\\": \\"assistant\\", \\"tool_calls\\": [{\\"id\\": \\"c\\", \\"type\\": \\"function\\", \\"function\\": {\\"name\\": \\"get_weather\\", \\"arguments\\": \\"{\\\\\\"city\\\\\\": \\\\\\"Oslo\\\\\\"}\\"}}]}"', "json-string", False),
    ],
)  # fmt: skip
def test_the_call_in_it_is_the_model_s(text, form, cut):
    (found,) = found_in(text)
    assert (found.form, found.cut) == (form, cut)
    result = parse(found.document)
    assert [(c.name, c.arguments) for c in result.calls] == [("get_weather", {"city": "Oslo"})]
    assert not result.diagnoses


@pytest.mark.parametrize("cut_at", ["'get_wea", "'get_wea...", "...", "…", "<... Max depth ...>"])
def test_half_a_name_is_no_name(cut_at):
    (found,) = found_in("[ToolCall(id='c', function=Function(arguments='{}', name=" + cut_at)
    assert found.cut
    assert parse(found.document).calls == []


def test_the_end_is_where_the_document_ends():
    text = "got Message(content=[ToolUseBlock(id='t', input={}, name='f', type='tool_use')], type='message') and more"
    (found,) = found_in(text)
    assert text[found.end :] == " and more"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_python_reads_back(value):
    for text in (repr(value), pprint.pformat(value, width=30), pprint.pformat(value, indent=2)):
        read = read_python(text, 0)
        assert (read.value, read.end, read.open) == (value, len(text), False)


def inspected(value):
    """Write a value as Node does; strings by the quotes that they leave free."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{inspected(key)}: {inspected(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[ " + ", ".join(map(inspected, value)) + " ]"
    if isinstance(value, str):
        quote = next((q for q in "'\"`" if q not in value), "'")
        inner = "".join(f"\\x{ord(c):02X}" if c < " " or c == "\x7f" else c for c in value.replace("\\", "\\\\"))
        return quote + (inner.replace(quote, "\\" + quote)) + quote
    return json.dumps(value)


@example({"'\"": None})
@given(VALUES)
def test_javascript_reads_back(value):
    text = inspected(value)
    read = read_js(text, 0)
    assert (read.value, read.end, read.open) == (value, len(text), False)


@given(st.text(alphabet="{}[]()='\":,.<>… \\\nabToolCall(msg=1", max_size=60))
@settings(max_examples=300)
def test_any_text_has_an_answer(text):
    for start in starts(text):
        found = read_spelling(text, start)
        assert found is None or start < found.end <= len(text)


HOSTILE = (
    "[", "{'a': ", "{ a: ", "{a=", "map[a:", "&{A:{A:", "Function(a=", "ChatCompletion(", "{'a': 'b'}, ",
    '[{\\"a\\": 1}, ', "[{&quot;a&quot;: 1}, ", "Error: x\n", "content=1 ", "\n\nrole: a\ntool_calls:\n", "parts {\n",
    "ToolCall[id=", 'ToolCall[id=a, name=f, arguments={"a":1}], ', "Calling f with args: {'a': ", "Invoking: `f` with `{}`\n",
    "Calling tool: ", "***** Suggested tool call: f *****\nArguments:\n{}\n", "{'a': '", 'Part(a="""\\"\\"\\"', "================ Ai Message ===============\n",
)  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_with_the_length(unit):
    def seconds(length):
        text = unit * (length // len(unit))
        begun = time.process_time()
        found_in(text)
        return time.process_time() - begun

    assert min(seconds(16_000) for _ in range(3)) < 8 * seconds(4_000) + 0.3  # the machine may pause once


def test_what_nests_without_end_is_refused():
    for opener in ("[", "{'a': ", "{ a: ", "A("):
        assert found_in("ChatCompletion(id=" + opener * 100_000) == []


_DELTA = (
    "ChoiceDeltaToolCall(index={}, id={!r}, function=ChoiceDeltaToolCallFunction(arguments={!r}, name={!r}), type=None)"
)
_PIECES = [(0, "a", None, "dye"), (0, None, '{"c": 1}', None), (1, "b", "", "dye"), (1, None, '{"c": 2}', None)]


@pytest.mark.parametrize("label", ["", "Tool call:", "chunk {}: ", "[{}] delta -> "])
def test_printed_pieces_behind_a_label_are_one_stream(label: str) -> None:
    told = "\n".join(label.format(at) + _DELTA.format(*piece) for at, piece in enumerate(_PIECES))
    result = parse(told)
    assert [call.arguments for call in result.calls] == [{"c": 1}, {"c": 2}]
    assert result.diagnoses == []


def test_a_chunk_of_langchain_whose_calls_it_did_not_read_is_read_as_the_provider_wrote_it() -> None:
    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "dyedye", "arguments": '{"c": 1}'}}
    for name in ("AIMessage", "AIMessageChunk"):
        result = parse(f"{name}(content='', additional_kwargs={ {'tool_calls': [call]}!r}, id='run-1')")
        assert [(one.name, one.arguments) for one in result.calls] == [("dyedye", {"c": 1})]


def test_chunks_out_of_the_middle_of_a_stream_prove_nothing() -> None:
    chunk = "AIMessageChunk(content='', tool_calls=[], tool_call_chunks=[{{'name': None, 'args': {!r}, 'id': None, 'index': 0}}])"
    told = "\n".join(f"got = {chunk.format(piece)}" for piece in (" =", " '"))
    assert parse(told).diagnoses == []
