"""What only looks like a lost call, a leak or a broken stream: it is left alone; and the real thing beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli import parse

TOOLS = [
    {
        "name": "moor_boat",
        "parameters": {"type": "object", "properties": {"quay": {"type": "string"}}, "required": ["quay"]},
    },
]
FENCE = "```"
PAIRS = "moor_boat\n<arg_key>quay</arg_key>\n<arg_value>{}</arg_value>\n"
TWO = [{"quay": "North"}, {"quay": "South"}]


def _fenced(quay: str) -> str:
    return f'functionmoor_boat\n{FENCE}json\n{{"quay":"{quay}"}}\n{FENCE}'


def _said(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {"object": "chat.completion", "model": "m", "choices": [choice]}


def _called(arguments: dict[str, Any], text: str | None = None, call_id: str = "call_b0a7") -> dict[str, Any]:
    call = {"id": call_id, "type": "function", "function": {"name": "note", "arguments": json.dumps(arguments)}}
    message = {"role": "assistant", "content": text, "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return {"object": "chat.completion", "model": "m", "choices": [choice]}


@pytest.mark.parametrize(
    "text",
    [
        "The tags are <arg_key> and <arg_value>, one pair for each argument.",
        "The form has a <param_key> field.",
        "The parser looks for <arg_key>(.*?)</arg_key> and then <arg_value>(.*?)</arg_value>.",
        "A pair is <arg_key>quay</arg_key> and <arg_value>North</arg_value>.",
        f"GLM writes:\n{FENCE}\nname\n<arg_key>quay</arg_key>\n<arg_value>North</arg_value>\n{FENCE}\nThat is it.",
        f'Look at this: functions\n{FENCE}json\n{{"a": 1}}\n{FENCE}',
        f'## API: functionName\n{FENCE}json\n{{"a": 1}}\n{FENCE}',
        f'Voici la fonction: functionnalités\n{FENCE}json\n{{"a": 1}}\n{FENCE}',
        'mail_server{"level":"info","port":25}',
        'font-face{"size": 1}',
        'The format is\nname[ARGS]{"a": 1}\nwhere name is the tool.',
    ],
)
def test_words_in_front_of_markup_are_no_call_where_no_tool_is_known(text: str) -> None:
    result = parse(_said(text))
    assert (result.calls, result.rejected, result.diagnoses, result.content) == ([], [], [], text)


def test_a_name_and_arguments_alone_are_a_call_even_where_no_tool_is_known() -> None:
    [call] = parse(_said('fetch_rope{"quay": "North"}')).calls
    assert (call.name, call.arguments) == ("fetch_rope", {"quay": "North"})


@pytest.mark.parametrize("tools", [None, TOOLS])
@pytest.mark.parametrize(
    ("text", "calls", "content"),
    [
        (PAIRS.format("North") + PAIRS.format("South"), TWO, ""),
        ('moor_boat[ARGS]{"quay":"North"}moor_boat[ARGS]{"quay":"South"}', TWO, ""),
        ('At once.moor_boat[ARGS]{"quay":"North"}moor_boat[ARGS]{"quay":"South"}', TWO, "At once."),
        (
            "I will do it.moor_boat<arg_key>quay</arg_key><arg_value>North</arg_value></tool_call>",
            TWO[:1],
            "I will do it.",
        ),
        (
            "At once." + _fenced("North") + _fenced("South"),
            TWO,
            "At once.",
        ),
    ],
)
def test_calls_without_their_markers_are_read_one_by_one(text: str, calls: Any, content: str, tools: Any) -> None:
    result = parse(_said(text), tools=tools)
    assert [(call.name, call.arguments) for call in result.calls] == [("moor_boat", one) for one in calls]
    assert (result.content, [finding.code for finding in result.diagnoses]) == (content, ["call-left-in-content"])


def test_an_end_of_an_opening_marker_is_completed_as_no_other_dialect() -> None:
    result = parse(_said('name="moor_boat">\n<parameter name="quay">North</parameter>\n</invoke>'))
    assert (result.calls, result.rejected) == ([], [])
    assert "truncation-hidden" not in {finding.code for finding in result.diagnoses}


def test_arguments_as_deep_as_text_can_be_are_shown() -> None:
    tools = [TOOLS[0] | {"name": "a"}]
    assert "unexpected-argument" in {one.code for one in parse(_said("\na {" * 1_200), tools=tools).diagnoses}


@pytest.mark.parametrize("key", ["answer", "message"])
def test_a_record_with_words_is_no_empty_answer(key: str) -> None:
    record = {"tool_calls": [], "finish_reason": "stop", "usage": {"total_tokens": 3}}
    call = '<tool_call>{"name": "moor_boat", "arguments": {"quay": "North"}}</tool_call>'
    [found] = parse({**record, key: call}).calls
    assert found.arguments == {"quay": "North"}
    assert "North quay" in parse(json.dumps(record | {"completion": "North quay."})).content
    assert parse(record).shape == "openai-chat"


@pytest.mark.parametrize(
    ("value", "codes"),
    [
        ("The model prints <think>\n\n</think> before each answer.", []),
        ("{{- '<think>\n\n</think>\n\n' }}", []),
        ("<think></think>", []),
        ("<think>\n\n</think>\n\nNorth", ["leaked-special-tokens"]),
        ("North<think>\n</think>\n\npier", ["leaked-special-tokens"]),
    ],
)
def test_empty_thinking_leaks_at_the_end_of_a_value_only(value: str, codes: list[str]) -> None:
    assert [finding.code for finding in parse(_called({"quay": value})).diagnoses] == codes


@pytest.mark.parametrize(
    ("asked", "severities"),
    [
        ({}, ["warning"]),
        ({"tool_choice": "none"}, []),
        ({"messages": [{"role": "system", "content": "Answer in JSON."}]}, ["info"]),
        ({"messages": [{"role": "user", "content": 'Repeat exactly: {"quay": "North"}'}]}, ["info"]),
    ],
)
def test_arguments_that_were_asked_for_as_text_are_at_most_a_guess(asked: Any, severities: list[str]) -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Moor."}], "tools": TOOLS} | asked
    found = parse(_said('{"quay":"North"}'), tools=TOOLS, request=request).diagnoses
    assert [finding.severity for finding in found] == severities


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("抱歉，我无法帮助您。", "info"),
        ("Which quay do you mean?", "info"),
        ("The boat lies at the north quay since noon. " * 4, "warning"),
    ],
)
def test_few_words_instead_of_json_may_be_a_refusal(text: str, severity: str) -> None:
    schema = {"type": "object", "properties": {"quay": {"type": "string"}}}
    asked = {"type": "json_schema", "json_schema": {"name": "quay", "schema": schema}}
    request = {"model": "m", "messages": [{"role": "user", "content": "Where?"}], "response_format": asked}
    [found] = parse(_said(text), request=request).diagnoses
    assert (found.code, found.severity) == ("constraint-field-ignored", severity)


@pytest.mark.parametrize(
    ("call_id", "codes"),
    [
        ("deadbeefdeadbeefdeadbeef", []),
        ("call-call-call-", []),
        ("call_b0a7call_b0a7call_b0a7", ["call-id-format"]),
        ("0f3c-77aa-9e1b-d2c40f3c-77aa-9e1b-d2c40f3c-77aa-9e1b-d2c4", ["call-id-format"]),
    ],
)
def test_ids_that_repeat_themselves_were_joined_where_one_is_an_id(call_id: str, codes: list[str]) -> None:
    assert [finding.code for finding in parse(_called({}, call_id=call_id)).diagnoses] == codes


def test_a_line_that_quotes_a_template_and_says_what_failed_is_an_error() -> None:
    template = "{%- if tools %}{%- for t in tools %}{{ t }}{%- endfor %}{%- endif %}"
    line = f"srv load_model: failed to parse chat template: {template} unknown method: items"
    assert [finding.code for finding in parse(line).diagnoses] == ["template-engine-limit"]
    assert parse(f"chat_template = {template} # unknown method: items").diagnoses == []


def _gemini(text: str | None, reason: str, response: str) -> str:
    content = {} if text is None else {"content": {"role": "model", "parts": [{"text": text}]}}
    reason_of = {"finishReason": reason} if reason else {}
    return f"data: {json.dumps({'candidates': [{'index': 0} | content | reason_of], 'responseId': response})}\n\n"


@pytest.mark.parametrize(
    ("stream", "codes"),
    [
        (_gemini(None, "STOP", "a") + _gemini("At noon", "", "b") + _gemini(".", "STOP", "b"), []),
        (_gemini("", "STOP", "a") + _gemini("Noon", "STOP", "a") + _gemini("", "STOP", "a"), []),
        (
            _gemini(None, "STOP", "a") + _gemini("At noon", "", "a") + _gemini(".", "STOP", "a"),
            ["sse-framing-broken"],
        ),
    ],
)
def test_an_end_of_another_response_ends_no_stream(stream: str, codes: list[str]) -> None:
    assert [finding.code for finding in parse(stream).diagnoses] == codes


def _blocks(*deltas: dict[str, str]) -> str:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "claude-x"}
    documents = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *({"type": "content_block_delta", "index": 0, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in documents)


@pytest.mark.parametrize(("signature", "codes"), [("", []), ("c2lnbg==", ["sse-framing-broken"])])
def test_an_empty_delta_is_in_no_wrong_place(signature: str, codes: list[str]) -> None:
    said = {"type": "text_delta", "text": "Noon."}
    stream = _blocks(said, {"type": "signature_delta", "signature": signature})
    assert [finding.code for finding in parse(stream).diagnoses] == codes


def _again(*arguments: str) -> str:
    def chunk(delta: dict[str, Any], reason: str | None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return f"data: {json.dumps({'object': 'chat.completion.chunk', 'model': 'm', 'choices': [choice]})}\n\n"

    call = {"index": 0, "id": "call_b0a7", "type": "function"}
    pieces = (
        {"role": "assistant", "tool_calls": [call | {"function": {"name": "moor", "arguments": one}}]}
        for one in arguments
    )
    return "".join(chunk(piece, None) for piece in pieces) + chunk({}, "tool_calls") + "data: [DONE]\n\n"


@pytest.mark.parametrize(
    ("arguments", "runs"),
    [
        (['{"berth": 4}', '{"berth": 42}'], 0),
        (['{"quay": "N", "tied": false}', '{"quay": "North", "tied": true}'], 0),
        (['{"berth": 4}', '{"berth": 7}'], 2),
    ],
)
def test_a_number_that_grows_is_the_same_calls(arguments: list[str], runs: int) -> None:
    assert len(parse(_again(*arguments)).calls) == runs


def test_a_text_that_is_written_and_then_saved_is_a_guess() -> None:
    [found] = parse(_called({"title": "Boats", "text": "North"}, "Boats\nNorth")).diagnoses
    assert (found.code, found.severity) == ("call-left-in-content", "info")


@pytest.mark.parametrize(
    "more",
    [
        {"extra_body": {"tools": TOOLS}},
        {"chat_template_kwargs": {"tools": TOOLS}},
        {"tool_ids": ["harbour"]},
        {"integrations": ["mcp/harbour"]},
    ],
)
def test_tools_may_stand_elsewhere_in_a_request(more: dict[str, Any]) -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "Note it."}]}
    assert [one.code for one in parse(_called({}), request=request).diagnoses] == ["unknown-tool"]
    assert parse(_called({}), request=request | more).diagnoses == []


def test_one_name_behind_the_names_of_two_servers_is_no_variant_of_either() -> None:
    two = [{"name": "harbour.note", "parameters": {}}, {"name": "office.note", "parameters": {}}]
    assert [one.code for one in parse(_called({}), tools=two).diagnoses] == ["unknown-tool"]
    assert [one.code for one in parse(_called({}), tools=two[:1]).diagnoses] == ["tool-name-variant"]


@pytest.mark.parametrize(
    ("tools", "codes"),
    [
        ("[…]", []),
        ("[ ... ]", []),
        ("[ /* 12 tools */ ]", []),
        ('["…"]', []),
        ("[{…}]", []),
        ('[{"type":"function","function":{"name":"look"}}]', ["unknown-tool"]),
        ("[]", ["tool-choice-none-ignored"]),
    ],
)
def test_tools_that_a_paste_leaves_out_were_sent(tools: str, codes: list[str]) -> None:
    asked = f'{{"model":"m","messages":[{{"role":"user","content":"Note it."}}],"tools":{tools}}}'
    paste = f"$ curl http://127.0.0.1:8000/v1/chat/completions -d '{asked}'\n{json.dumps(_called({}))}"
    assert [one.code for one in parse(paste).diagnoses] == codes


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        # a heading, and the word of a channel
        ("thought\nNoun. An idea.", []),
        ("thought\n\nA short film (2019)\n", []),
        ("thought\nThe boat is late.\nIt comes at noon.", ["think-tags-in-content"]),
        # words with an underscore, and a tool
        ("Done. I'll use snake_case for all new variables.", []),
        ("In the code, I'll use max_tokens = 100.", []),
        ("Now I'll use moor_boat for this.", ["announced-not-called"]),
        # tools on a bench, a function of a program, and those of a model
        ("I don't see any tools on the workbench in this picture.", []),
        ("I cannot call the function from main, because it is private.", []),
        ("I don't have any tools, so I cannot look.", ["tools-dropped-from-prompt"]),
    ],
)
def test_words_that_only_sound_like_it(text: str, codes: list[str]) -> None:
    assert [one.code for one in parse(_said(text)).diagnoses] == codes
