"""What stands near a fault, and is none; and the fault itself, however people lead to it."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from utp_cli import parse

CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
RESULT = '<tool_response>\n{"temp": 20}\n</tool_response>'
USER, OWN = "<|im_start|>user\nHi<|im_end|>\n", "<|im_start|>assistant\n"


def body(content: str, **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": "stop"}
    return {"object": "chat.completion", "choices": [choice]}


def loud(source: Any, **known: Any) -> list[str]:
    return [found.code for found in parse(source, **known).diagnoses if found.severity != "info"]


@pytest.mark.parametrize(
    ("led", "due"),
    [(led, True) for led in ("The model returned:", "Actual:", "model_output=", "raw_output =", "generated_text:",
     "With --tool-call-parser removed I get:", "With tool_format empty:", "After --chat-template x.jinja it is:",
     "Rohausgabe des Modells:", "模型原始输出：",
     "Raw output:\nmodel=Qwen3-8B", "Expected a call. Raw output:", "Raw output (should be parsed):")]
    + [(led, False) for led in ("I want the model to produce:", "The model did not output:", "Desired output:",
       "Our README says a generation looks like this:", "My prompt tells the model to write:", "sample output",
       "apply_chat_template output for the history:", "The format that it was trained on:", "It never writes")],
)  # fmt: skip
def test_words_tell_whether_a_call_was_written_or_shown(led: str, due: bool) -> None:
    assert loud(f"{led}\n{CALL}\nResponse:\n{json.dumps(body(''))}") == (["calls-lost"] if due else [])


OBJECT = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
DEFINED = '{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}'


@pytest.mark.parametrize(
    ("led", "written", "due"),
    [
        ("Raw output:", OBJECT, True),
        ("what the model actually wrote is the raw text", f"```json\n{OBJECT}\n```", True),
        ("raw_output:", '{"type": "function", "name": "get_weather", "parameters": {"city": "Oslo"}}', True),
        ("Raw output:", '{"name": "Oslo", "population": 717710}', False),
        ("Raw output:", OBJECT[:-1], False),
        ("The actual tool:", DEFINED, False),
        ("Raw output of the tool:", '{"name": "get_weather", "result": {"city": "Oslo"}}', False),
        ("The model is to write", OBJECT, False),
        ("Log:", OBJECT, False),
    ],
)
def test_an_object_without_markup_was_written_where_words_say_so(led: str, written: str, due: bool) -> None:
    assert loud(f"{led}\n{written}\nResponse:\n{json.dumps(body(''))}") == (["calls-lost"] if due else [])


@pytest.mark.parametrize(
    ("text", "due"),
    [
        (f"{USER}{OWN}{CALL}<|im_end|>\n<|im_start|>tool\n{RESULT}<|im_end|>\n{OWN}It is 20.<|im_end|>", []),
        (f"{OWN}{CALL}\n{RESULT}\nIt is 20.<|im_end|>\n{USER}", ["fabricated-result"]),
        (f"{USER}{OWN}{CALL}\n{RESULT}\nIt is 20.<|im_end|>", ["fabricated-result"]),
        (f"{USER}{OWN}Sunny.<|eot_id|> And warm.", ["leaked-special-tokens"]),
        (body(f"{USER}{OWN}{CALL}\n{RESULT}\nIt is 20."),
         ["call-left-in-content", "fabricated-result", "leaked-special-tokens"]),
    ],
)  # fmt: skip
def test_in_a_conversation_only_a_result_with_its_own_turn_is_one(text: Any, due: list[str]) -> None:
    assert loud(text) == due


FREE = {"name": "f", "description": "F.", "parameters": {"type": "object", "properties": {"name": {}, "arguments": {}}}}


@pytest.mark.parametrize(
    ("written", "tools", "due"),
    [
        ({"name": "f", "arguments": {"a": 1}}, None, {"a": 1}),
        ({"arguments": {"a": 1}}, None, {"a": 1}),
        ({"name": "Bob", "arguments": {"a": 1}}, [FREE], {"name": "Bob", "arguments": {"a": 1}}),
        ({"arguments": {"a": 1}}, [FREE], {"arguments": {"a": 1}}),
        ({"name": "g", "arguments": {"a": 1}}, None, {"name": "g", "arguments": {"a": 1}}),
    ],
)
def test_only_the_same_call_once_more_is_unwrapped(written: Any, tools: Any, due: dict[str, Any]) -> None:
    (call,) = parse(f"<tool_call><function>f</function>{json.dumps(written)}</tool_call>", tools=tools).calls
    assert call.arguments == due


@pytest.mark.parametrize(
    "text",
    [
        "HTTP/1.1 504 Gateway Time-out",
        "Error: 504 Gateway Time-out",
        "openai.InternalServerError: <html>\n<title>504 Gateway Time-out</title>\n<center>nginx</center></html>",
        "requests.exceptions.HTTPError: 504 Server Error: Gateway Time-out for url: http://x/v1/chat/completions",
    ],
)
def test_a_timeout_that_is_the_error_is_told(text: str) -> None:
    assert loud(text) == ["gateway-error-opaque"]


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ('▁<tool_call>▁{"name":"f","arguments":{"city":"New▁York"}}</tool_call>', {"city": "New York"}),
        ('[TOOL_CALLS]▁[{"name":"f",▁"arguments":{"a":"b"}}]', {"a": "b"}),
        ('<tool_call>{"name":"f","arguments":{"a":▁true,"b":▁-1}}</tool_call>', {"a": True, "b": -1}),
    ],
)
def test_blanks_of_a_tokenizer_are_read(text: str, due: dict[str, Any]) -> None:
    (call,) = parse(text).calls
    assert call.arguments == due


@pytest.mark.parametrize(
    ("last", "due"), [({"role": "user", "content": "And Rome?"}, ["tools-with-structured-output"]), (None, [])]
)
def test_a_schema_beside_tools_is_sound_right_behind_a_result(last: dict[str, Any] | None, due: list[str]) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    turns: list[Any] = [
        {"role": "user", "content": "Oslo?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
    ]
    turns += [{"role": "tool", "tool_call_id": "c1", "content": "20"}]
    turns += [{"role": "assistant", "content": "20"}, last] if last else []
    tool = {"type": "function", "function": {"name": "f", "description": "F.", "parameters": {"type": "object"}}}
    schema = {"type": "json_schema", "json_schema": {"name": "s", "schema": {"type": "object"}}}
    asked = {"model": "Qwen/Qwen3-8B", "messages": turns, "tools": [tool], "response_format": schema}
    assert loud(asked, server={"engine": "vllm"}) == due


def test_what_is_beside_the_content_tells_a_message() -> None:
    blocks = {"content": [{"type": "text", "text": CALL}]}
    assert loud(json.dumps(blocks)) == ["call-left-in-content"]
    beside: tuple[dict[str, Any], ...] = ({"_meta": {}}, {"title": "A page", "author": "me"})
    for more in beside:
        assert loud(json.dumps({**blocks, **more})) == []


_EXTRA = "Error code: 422 - {{'detail': [{}]}}"


def _refused(member: str, value: str) -> str:
    loc = f"'type': 'extra_forbidden', 'loc': ('body', '{member}')"
    return f"{{{loc}, 'msg': 'Extra inputs are not permitted', 'input': {value}}}"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (_EXTRA.format(_refused("tools", "[{'type': 'function'}]")), ["tools-unsupported-by-model"]),
        (_EXTRA.format(_refused("tools", "[]")), ["tool-options-without-tools"]),
        (_EXTRA.format(f"{_refused('tools', '[1]')}, {_refused('stop', '[]')}"), ["tools-unsupported-by-model"]),
        ("  File 'auth.py', line 4, in may\n    perms = PERMISSIONS[role]\nKeyError: 'user'", []),
        ("error: invalid value '\"foo\"' for '--mode <MODE>'", []),
        ('Parsing toml failed: unknown variant `"nightly"`, expected `stable`', []),
        ('{"error": "Failed to receive tool input: unknown variant `\\"edit\\"`, expected `write` or `edit`"}',
         ["arguments-double-encoded"]),
        ("The benchmark shows that 62% of the token budget went to reasoning and the rest to the final answer.", []),
        ("502 indicates that the server, as a gateway, received an invalid response from the upstream server.", []),
        ("The proxy server received an invalid response from an upstream server.", ["gateway-error-opaque"]),
        ('{"message": "\'role\'", "type": "InternalServerError"}', ["server-internal"]),
        ('{"message": "Error", "type": "InternalServerError"}', []),
    ],
)  # fmt: skip
def test_words_of_an_error_that_also_stand_elsewhere(text: str, codes: list[str]) -> None:
    found = [finding.code for finding in parse(text).diagnoses if finding.severity != "info"]
    assert found == codes


_DIFF = "DEBUG [hermes_tool_parser.py:{}] {}: {}\n"
_CALL_SENT = _DIFF.format(296, "diffing old arguments", {}) + _DIFF.format(297, "against new ones", {"volume": 3})


@pytest.mark.parametrize(
    ("between", "codes"),
    [
        ("DEBUG [hermes_tool_parser.py:127] delta_text: 0\n", ["streaming-parser-loss"]),
        ("DEBUG [hermes_tool_parser.py:127] delta_text: </tool_call>\n<tool_call>\n", []),
        ("DEBUG [hermes_tool_parser.py:282] Trying to parse current tool call with ID 1\n", []),
        ('INFO: 127.0.0.1 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n', []),
    ],
)
def test_a_parser_that_begins_anew_is_told_where_it_is_the_same_call(between: str, codes: list[str]) -> None:
    found = parse(_CALL_SENT + between + _CALL_SENT.replace("3", "30")).diagnoses
    assert [one.code for one in found if one.severity != "info"] == codes


@pytest.mark.parametrize(
    "words",
    [
        "The hook is not calling it. Checking the handler.",
        "The CI pipeline is not executing it. Opening the workflow file.",
        "The event loop is not running it; next step: read the source.",
    ],
)
def test_code_that_is_not_run_is_no_call_that_is_not_run(words: str) -> None:
    call = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>'
    assert [(finding.code, finding.severity) for finding in parse(f"{words}\n\n{call}").named] == [
        ("call-left-in-content", "info")
    ]


@pytest.mark.parametrize(
    "unit", ["'loc': ('body', 'tools'), 'msg': 'a ", "{'type': 'extra_forbidden', 'loc': ('body', '"]
)
def test_half_an_issue_over_and_over_costs_time_in_proportion(unit: str) -> None:
    def cost(times: int) -> float:
        began = time.process_time()
        parse(unit * times)
        return time.process_time() - began

    parse(unit)
    assert cost(400) <= 40 * max(cost(50), 0.01)


def test_arguments_alone_are_what_a_server_that_forces_a_call_lets_the_model_write() -> None:
    tools = [{"type": "function", "function": {"name": "weather", "description": "Tell it.", "parameters": {}}}]
    request = {"tool_choice": "required", "tools": tools}
    assert [one.code for one in parse('{"city": "Oslo"}{"city": "Oslo"}', request=request).named] == []
    assert [one.code for one in parse("It is sunny.", request=request).named] == ["tool-choice-ignored"]


@pytest.mark.parametrize(
    "text",
    [
        "BEGIN_FUNCTION\nmix the paint\nEND_FUNCTION",
        "BEGIN_CALLBACK_TABLE\n  ROW(a)\n",
        "START_TOOLKIT\nbuild",
        '[DEBUG] {"name": "oven", "args": ["--hot"]}',
        '[INFO] {"action": "open", "params": {"door": 2}}',
        '[tasks.json]\n{\n  "name": "Bake",\n  "args": ["cake"]\n}',
        "[Tools]\n{'saw': 4}",
        "<ToolCall>\n  {props.children}\n</ToolCall>",
        '- name: oven\n  args: ""\n- name: ""\n  args: "--hot"\n- name: ""\n  args: "--hot"\n',
        "我会分析下面的内容：",
        "首先，检查电源：",
        "Let me list the reasons for it:",
        "Let me get this straight:",
        "I will find you...",
        "ReferenceError: 'tools' is undefined",
        "Report: text part 4 not found in the box.",
        "process_tools(raw_tool_name)",
        "ssh: Session terminated by remote host",
        "def parse_chat_messages(said):\n    ...\n# sometimes: 'NoneType' object is not iterable",
        '{"status": "ok", "result": {"content": [{"type": "recipe", "title": "Cake"}]}}',
    ],
)
def test_what_looks_like_a_sign_of_a_call_or_an_error_is_no_fault(text: str) -> None:
    assert loud(text) == []
    assert "call-left-in-content" not in {found.code for found in parse(text).diagnoses}
    assert {"announced-not-called", "mcp-result-refused"}.isdisjoint(found.code for found in parse(text).diagnoses)


OVEN = {"type": "function", "function": {"name": "heat", "parameters": {"type": "object", "properties": {}}}}


@pytest.mark.parametrize(
    ("thought", "planned"),
    [
        ("I will call heat.", True),
        ("I should now call functions.heat.", True),
        ("I\u2019ll use the heat tool.", True),
        ("I don't know how hot it is, so call heat to see.", True),
        ("We call heat with no arguments.", False),
        ("Let's call heat without arguments.", True),
        ("The user wrote: call heat.", False),
        ("If that fails, I will call heat.", False),
        ("I would then call heat.", False),
        ("I had to call heat twice, and it is hot.", False),
        ("I could call heat but it is hot.", False),
        ("Should I call heat?", False),
        ("I don't think I should call heat.", False),
        ("They said the oven will run heat at noon.", False),
        ("I will use heat resistant gloves.", False),
    ],
)
def test_a_plan_is_what_its_writer_calls_next(thought: str, planned: bool) -> None:
    said = body("", reasoning_content=thought)
    assert loud(said, tools=[OVEN]) == (["announced-not-called"] if planned else [])


def test_a_hint_about_the_framing_hides_no_fault() -> None:
    def event(**choice: Any) -> str:
        return f"data: {json.dumps({'object': 'chat.completion.chunk', 'choices': [{'index': 0, **choice}]})}\n"

    call = {"index": 0, "id": "c", "type": "function", "function": {"name": "heat", "arguments": "{to: "}}
    begun, done = event(delta={"tool_calls": [call]}), event(delta={}, finish_reason="tool_calls")
    assert loud(begun + done + "data: [DONE]\n") == ["truncation-hidden"]
    assert loud(begun + "\n" + done + "\ndata: [DONE]\n\n") == ["truncation-hidden"]


def test_an_answer_that_is_empty_at_its_limit_has_no_call_where_none_was_asked_for() -> None:
    empty = body("")
    empty["choices"][0]["finish_reason"] = "length"
    ping = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "Hot?"}]}
    assert parse(empty, request=ping).diagnoses == []
    assert [found.code for found in parse(empty, request={**ping, "tools": [OVEN]}).diagnoses] == ["truncated-call"]
    thought = {"object": "response", "status": "incomplete", "output": [{"type": "reasoning", "id": "r", "summary": []}],
               "incomplete_details": {"reason": "max_output_tokens"}}  # fmt: skip
    assert [found.code for found in parse(thought).diagnoses] == ["reasoning-exhausted-budget"]


def test_a_schema_whose_required_list_is_broken_says_nothing_of_the_answer() -> None:
    schema = {"type": "object", "required": [["heat"]]}
    asked = {"model": "m", "response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": schema}},
             "messages": [{"role": "user", "content": "Hot?"}]}  # fmt: skip
    assert parse(body('{"heat": 3}'), request=asked).diagnoses == []


def test_an_answer_that_a_server_of_mcp_samples_is_no_result_of_a_tool() -> None:
    call = {"type": "tool_use", "id": "a", "name": "heat", "input": {}}
    sampled = {"role": "assistant", "model": "m", "stopReason": "toolUse", "content": [call]}
    assert parse({"jsonrpc": "2.0", "id": 1, "result": sampled}).diagnoses == []


ISSUE = {
    "code": "invalid_literal",
    "expected": "text",
    "path": ["content", 0, "type"],
    "message": 'Invalid literal value, expected "text"',
}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("jinja2.exceptions.UndefinedError: 'tool_calls' is undefined", "template-undefined-field"),
        (f"ZodError: {json.dumps([ISSUE], separators=(',', ':'))}", "mcp-result-refused"),
        ('BEGIN_TOOL_CALL\nheat\n{"to": 9}', "call-left-in-content"),
        ('[remark] {"action": "heat", "input": {"to": 9}}', "call-left-in-content"),
    ],
)
def test_the_fault_beside_it_is_told(text: str, code: str) -> None:
    assert parse(text).diagnoses[0].code == code
