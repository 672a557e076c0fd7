"""Calls of which markers, names or openings are gone, and what else stands in a text in place of one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli import parse

TOOLS = [
    {"name": "shear_sheep", "parameters": {"type": "object", "required": ["pen"], "properties": {
        "pen": {"type": "string"}, "count": {"type": "integer"}}}},
    {"name": "count_lambs", "parameters": {"type": "object", "properties": {"meadow": {"type": "string"}}}},
]  # fmt: skip
ARGUMENTS = {"pen": "north"}


def _calls(text: Any, **known: Any) -> list[tuple[str | None, dict[str, Any]]]:
    return [(call.name, call.arguments) for call in parse(text, **known).calls]


def _told(text: Any, **known: Any) -> list[tuple[str, str]]:
    return [(found.code, found.severity) for found in parse(text, **known).diagnoses]


def _answer(content: str, reasoning: str = "", **message: Any) -> dict[str, Any]:
    said = {"role": "assistant", "content": content, "reasoning_content": reasoning} | message
    return {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": said}]}


@pytest.mark.parametrize(
    "text",
    [
        "shear_sheep<arg_key>pen</arg_key><arg_value>north</arg_value>",
        "I begin.\nshear_sheep\n<arg_key>pen</arg_key>\n<arg_value>north</arg_value>\n</tool_call>",
        "l_call>shear_sheep<arg_key>pen</arg_key><arg_value>north</arg_value></tool_call>",
        "shear_sheep<param_key>pen</param_key><param_value>north</param_value>",
        'shear_sheep{"pen": "north"}',
        'LS]shear_sheep[ARGS]{"pen": "north"}',
        'I begin.functionshear_sheep\n```json\n{"pen": "north"}\n```',
        '</think>functionshear_sheep\n```json\n{"pen": "north"}\n```',
    ],
)
def test_calls_that_lost_their_opening_are_read(text: str) -> None:
    for tools in (None, TOOLS):
        assert _calls(text, tools=tools) == [("shear_sheep", ARGUMENTS)]


@pytest.mark.parametrize(
    "text",
    [
        'ol_call>\n{"name": "shear_sheep", "arguments": {"pen": "north"}}\n</tool_call>',
        'l_call>\n{"name": "shear_sheep", "arguments": {"pen": "north"}}',
        'ol_call>call:shear_sheep{pen:<|"|>north<|"|>}<tool_call|>',
        "ction=shear_sheep>\n<parameter=pen>\nnorth\n</parameter>\n</function>",
        'CALLS][{"name": "shear_sheep", "arguments": {"pen": "north"}}]',
    ],
)
def test_calls_whose_opening_was_cut_are_read(text: str) -> None:
    for tools in (None, TOOLS):
        for source in (text, _answer(text)):
            assert _calls(source, tools=tools) == [("shear_sheep", ARGUMENTS)]
            assert parse(source, tools=tools).content == ""


@pytest.mark.parametrize("text", ["all> is a shell's prompt.", "x=> 3", "ll> done", "l_call> is half a marker"])
def test_other_beginnings_are_text(text: str) -> None:
    assert (_calls(text), parse(text).content) == ([], text)


@pytest.mark.parametrize(
    "text",
    [
        "The key stands in <arg_key>, its value in <arg_value>.",
        "shear_sheep is a tool; <arg_key> marks a key.",
        'my-config{"pen": "north"} is what you need.',
        "the function shear_sheep\n```json\n{}\n```",
        'body{"a": 1}',
    ],
)
def test_what_only_looks_like_it_is_no_call(text: str) -> None:
    assert _calls(text) == []


def test_places_of_a_call_without_its_opening_are_those_of_the_text() -> None:
    text = "I begin.\nshear_sheep<arg_key>pen</arg_key><arg_value>north</arg_value> Done."
    result = parse(text)
    [call] = result.calls
    assert call.span is not None
    assert text[slice(*call.span)] == "shear_sheep<arg_key>pen</arg_key><arg_value>north</arg_value>"
    assert result.content == "I begin.\n Done."


@pytest.mark.parametrize(
    "text",
    [
        'Let me see.{"name": "shear_sheep", "arguments": {"pen": "north"}}',
        'Let me see.[{"tool_call_id": "0", "tool_name": "shear_sheep", "parameters": {"pen": "north"}}]',
        '{"response": "{\\"name\\": \\"shear_sheep\\", \\"arguments\\": {\\"pen\\": \\"north\\"}}"}',
    ],
)
def test_json_right_behind_a_sentence_and_in_an_answer_is_a_call(text: str) -> None:
    assert _calls(text) == [("shear_sheep", ARGUMENTS)]


HERMES = '<tool_call>\n{"name": "shear_sheep", "arguments": {"pen": "north"}}\n</tool_call>'


@pytest.mark.parametrize(
    "text",
    [
        HERMES.replace("<", "&lt;").replace(">", "&gt;"),
        "I begin.\n" + HERMES.replace("<", "&lt;").replace(">", "&gt;"),
        "&lt;|tool_call&gt;call:shear_sheep{pen:&lt;|&quot;|&gt;north&lt;|&quot;|&gt;}&lt;tool_call|&gt;",
        "\n".join(f"> {line}" for line in HERMES.split("\n")),
    ],
)
def test_calls_below_entities_and_quotes_are_read(text: str) -> None:
    assert _calls(text) == [("shear_sheep", ARGUMENTS)]


@pytest.mark.parametrize("text", ["Write &lt;br&gt; for a break.", "> Is it raining?\n\nNo."])
def test_other_entities_and_quotes_are_left_alone(text: str) -> None:
    result = parse(text)
    assert (result.calls, result.content) == ([], text)


@pytest.mark.parametrize(
    ("body", "known", "told"),
    [
        (_answer('{"pen": "north", "count": 2}'), {"tools": TOOLS}, [("call-left-in-content", "warning")]),
        (_answer('```json\n{"pen": "north"}\n```'), {"tools": TOOLS}, [("call-left-in-content", "warning")]),
        (_answer('{"pen": "north"}', "We need to shear. Use shear_sheep."), {}, [("call-left-in-content", "info")]),
        (_answer('{"pen": "north"}'), {}, []),
        (_answer('{"count": 2}'), {"tools": TOOLS}, []),  # what is required is not there
        (_answer('{"pen": "north", "shears": 1}'), {"tools": TOOLS}, []),
        (_answer('{"pen": "north"}'), {"tools": TOOLS, "request": {"response_format": {"type": "json_object"}}}, []),
        (_answer('Send {"pen": "north"}'), {"tools": TOOLS}, []),
    ],
)
def test_arguments_without_a_name_are_told(body: Any, known: Any, told: list[tuple[str, str]]) -> None:
    assert _told(body, **known) == told


@pytest.mark.parametrize(
    ("thinking", "told"),
    [
        ("The log is old. I should list the pens. Let me do that now.", [("announced-not-called", "info")]),
        ("It lacks the fields. Next I will read the file pens.yaml, then count.", [("announced-not-called", "info")]),
        ("So we need to search the meadow.", [("announced-not-called", "info")]),
        ("I will not read the file.", []),
        ("If I read the file, it is slow.", []),
        ("Should I read the file?", []),
        ("I will answer that there are two.", []),
        ("He said that he reads a lot.", []),
    ],
)
def test_acts_planned_in_the_thinking_of_an_empty_answer(thinking: str, told: list[tuple[str, str]]) -> None:
    assert _told(_answer("", thinking)) == told


def _called(name: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": "call_1", "type": "function", "function": function}
    body = _answer("", tool_calls=[call])
    body["choices"][0]["finish_reason"] = "tool_calls"
    return body


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (_called("shear_sheep[ARGS]", pen="north"), [("leaked-special-tokens", "warning")]),
        (_called("find", text="ferry<think>\n</think>\n\ntimes"), [("leaked-special-tokens", "warning")]),
        (_called("patch", text="*** End Patch<|DELIM_AE|>step: tool_call"), [("leaked-special-tokens", "warning")]),
        (_called("note", text="Models write <think>…</think> around it."), []),
        (_called("note", text="the token <|DELIM_AE|> is odd"), []),
        (_called("join", ids=['"a1"'], names=["'x'", "'yield'"]), [("arguments-double-encoded", "info")]),
        (_called("look", term='"exact phrase"', text='"one"'), []),
        (_called("write", text='<p class=\\"low\\">tide</p>\\n<b>\\"</b> x'), [("literal-backslash-n", "info")]),
        (_called("write", text='print("a\\n")\nprint("b")'), []),
    ],
)
def test_what_the_model_s_notation_left_in_a_call(body: Any, told: list[tuple[str, str]]) -> None:
    assert _told(body) == told


def test_the_word_of_a_channel_is_no_answer() -> None:
    assert _told(_answer("thought\nThe tide is low.\nLow water is at noon.")) == [("think-tags-in-content", "warning")]
    assert _told(_answer("thought is free")) == []


@pytest.mark.parametrize(
    ("called", "known", "told"),
    [
        ("list_pens", "mcp__farm__list_pens", [("tool-name-variant", "warning")]),
        ("list_pens", "farm.list_pens", [("tool-name-variant", "warning")]),
        ("pens", "mcp__farm__list_pens", [("unknown-tool", "error")]),
    ],
)
def test_the_server_s_prefix_of_a_name_may_be_left_out(called: str, known: str, told: list[tuple[str, str]]) -> None:
    assert _told(_called(called), tools=[{"name": known, "parameters": {"type": "object"}}]) == told


TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
)


@pytest.mark.parametrize(
    ("text", "hinted"),
    [
        ('It gave:\n{"result": {"content": [], "x": 1}}', []),
        ('{"jsonrpc": "2.0", "id": 1, "result": {"content": [], "structuredContent": {"pens": 3}}}', ["mcp-result-refused"]),
        ('{"jsonrpc": "2.0", "id": 1, "result": {"content": [], "structuredContent": {}}}', []),
        ('received:\nfunctionArgs: `{"pen": "north"}{"pen": "south"}`', ["arguments-concatenated"]),
        ('I look first.\nbash(command="ls pens")\nThe pen is empty.', ["call-left-in-content"]),
        ('import shell\nbash(command="ls pens")\n', []),
        ('Saved.\n<details type="tool_calls" done="true" name="shear_sheep" result="3">\n</details>', ["fabricated-result"]),
    ],
)  # fmt: skip
def test_texts_that_hint_at_a_cause(text: str, hinted: list[str]) -> None:
    assert [found.code for found in parse(text).diagnoses] == hinted
    assert all(found.severity == "info" for found in parse(text).diagnoses)


def test_a_modelfile_beside_a_complaint_is_looked_at():
    told = 'FROM a.gguf\nTEMPLATE """{{ if .System }}<|im_start|>{{ .System }}{{ end }}{{ .Prompt }}"""\nno call comes'
    assert [(found.code, found.severity) for found in parse(told).diagnoses] == [("template-without-tools", "error")]
