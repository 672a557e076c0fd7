"""What is left of a format's markers in an answer: tokens that leaked, openings that were lost, ids in place of names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli import parse
from utp_cli.parsing.answered import no_answer

_CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
_KIMI = "<|tool_calls_section_begin|><|tool_call_begin|>{}<|tool_call_argument_begin|>{{}}<|tool_call_end|>"
_KIMI += "<|tool_calls_section_end|>"
_CODER = "<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n"
_DSML = (
    '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">1</｜DSML｜parameter>\n'
)
_DSML += "</｜DSML｜invoke>\n</｜DSML｜tool_calls>"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("]<]minimax[>[<initial_wait>10]<]minimax[>[</initial_wait>", "leaked-special-tokens"),
        ("[/TOOL_CALLS]", "leaked-special-tokens"),
        ("<｜DSML｜read_file>\n <｜DSML｜path>a</｜DSML｜path>\n</｜DSML｜invoke>", "leaked-special-tokens"),
        ('="f">\n<parameter name="a">1</parameter>\n</invoke>\n</function_calls>', "leaked-special-tokens"),
        ("Off.<start_function_call>call:call:<start_function_response>light<escape>}", "leaked-special-tokens"),
        (_CODER + "</tool_call>", "call-left-in-content"),
        (_KIMI.format("call_0"), "kimi-id-format"),
        (_CODER, ""),
        (f"<tool_call>\n{_CODER}</tool_call>", ""),
        (_DSML, ""),
        (_KIMI.format("functions.f:0"), ""),
        (_KIMI.format("call_taxi"), ""),
        ("End the block with </invoke>, and no text behind it.", ""),
        ("<invoke>\n<a>1</a>\n</invoke>", ""),
    ],
)
def test_what_a_generation_shows_of_its_markers(text: str, code: str) -> None:
    assert {finding.code for finding in parse(text).diagnoses if finding.severity != "info"} == (
        {code} if code else set()
    )


@pytest.mark.parametrize(
    ("reasoning", "content", "code"),
    [
        (f"I call it.\n{_CALL}", None, "call-in-reasoning"),
        (f"I call it.\n{_CALL}\n</think>", "", "call-in-reasoning"),
        (f"I could write {_CALL}, but the answer is 4.", None, ""),
        (f"I call it.\n{_CALL}", "The answer is 4.", ""),
    ],
)
def test_a_call_with_which_the_thinking_ends_needs_no_tools_to_be_told(
    reasoning: str, content: str | None, code: str
) -> None:
    message = {"role": "assistant", "content": content, "tool_calls": [], "reasoning": reasoning}
    found = parse({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).diagnoses
    assert {finding.code for finding in found} == ({code} if code else set())


def test_markup_in_the_name_of_a_call_leaked_there() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "\n</think", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    found = parse({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}).diagnoses
    assert [finding.code for finding in found] == ["leaked-special-tokens"]


def _piece(**told: str) -> dict[str, Any]:
    call_id = {"id": told.pop("id")} if "id" in told else {}
    return {"tool_calls": [{"index": 0, **call_id, "function": told}]}


def _stream(*deltas: dict[str, Any]) -> str:
    chunks = [{"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)


@pytest.mark.parametrize(
    ("deltas", "codes"),
    [
        (({"role": "assistant", "content": "I"}, {"content": " am"}), ["stream-cut-off"]),
        (({"content": "I"}, {"content": " am"}), []),
        ((_piece(id="a", name="f", arguments='{"a'), _piece(arguments='": 1')), ["stream-cut-off"]),
        ((_piece(arguments='{"a'), _piece(arguments='": 1')), []),
    ],
)
def test_a_part_of_a_stream_is_not_one_that_broke_off(deltas: tuple[dict[str, Any], ...], codes: list[str]) -> None:
    result = parse(_stream(*deltas))
    assert [finding.code for finding in result.diagnoses] == codes
    assert ("a part of a stream" in str(no_answer(result))) is (not codes)


def test_one_call_without_an_index_is_a_hint() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    whole = _stream({"role": "assistant", "tool_calls": [call]}).replace(
        "]}}]}", ']}, "finish_reason": "tool_calls"}]}'
    )
    found = parse(whole + "data: [DONE]\n\n").diagnoses
    assert [(finding.code, finding.severity) for finding in found] == [("call-shape-invalid", "info")]


def test_two_pieces_of_one_call_in_one_event_are_a_hint() -> None:
    def event(*pieces: dict[str, Any]) -> str:
        return _stream({"role": "assistant", "tool_calls": list(pieces)})

    first = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": '{"a": '}}
    rest = {"index": 0, "function": {"arguments": "1}"}}
    end = 'data: {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}\n\ndata: [DONE]\n\n'
    found = parse(event(first, rest) + end)
    assert [(one.code, one.severity) for one in found.diagnoses] == [("stream-index-collision", "info")]
    assert [call.arguments for call in found.calls] == [{"a": 1}]
    assert parse(event(first) + event(rest) + end).diagnoses == []


def test_calls_that_came_though_a_field_that_is_none_forbids_them() -> None:
    calls = [{"id": one, "type": "function", "function": {"name": "f", "arguments": '{"a": "%s"}' % one}} for one in "ab"]  # fmt: skip
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": None, "tool_calls": calls}, "finish_reason": "tool_calls"}]}  # fmt: skip
    [found] = parse(body, request={"parallel_function_calls": False}).diagnoses
    assert (found.code, "`parallel_tool_calls`" in found.fix) == ("parallel-off-ignored", True)
    assert parse(body, request={"parallel_function_calls": True}).diagnoses == []


def test_pieces_behind_the_end_of_their_block_are_a_broken_frame() -> None:
    def event(kind: str, **fields: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"

    start = event("message_start", message={"role": "assistant", "content": [], "model": "m"})
    block = {"type": "tool_use", "id": "toolu_1", "name": "dye", "input": {}}
    begin = event("content_block_start", index=0, content_block=block)
    pieces = [
        event("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": part})
        for part in ('{"a": ', "1}")
    ]
    stop = event("content_block_stop", index=0)
    end = event("message_delta", delta={"stop_reason": "tool_use"}) + event("message_stop")
    late = parse(start + begin + pieces[0] + stop + pieces[1] + end)
    assert [(one.code, one.severity) for one in late.diagnoses] == [("sse-framing-broken", "error")]
    assert late.calls[0].arguments == {"a": 1}  # nothing else is between, so that its place is sure
    tool = {"name": "dye", "input_schema": {"type": "object", "properties": {"a": {}}, "required": ["a"]}}
    late = parse(start + begin + stop + "".join(pieces) + end, tools=[tool])
    assert [one.code for one in late.diagnoses] == ["sse-framing-broken"]
    assert late.calls[0].arguments == {"a": 1}
    other = event("content_block_start", index=1, content_block={**block, "id": "toolu_2", "name": "mix"}) + event("content_block_stop", index=1)  # fmt: skip
    behind = parse(start + begin + stop + other + "".join(pieces) + end)
    assert [call.arguments for call in behind.calls] == [{}, {}]
    assert [one.code for one in behind.diagnoses] == ["sse-framing-broken"]
    assert parse(start + begin + "".join(pieces) + stop + end).diagnoses == []


def test_blocks_that_are_open_at_once_keep_their_order() -> None:
    def event(kind: str, **fields: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"

    def begin(index: int, name: str) -> str:
        block = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
        return event("content_block_start", index=index, content_block=block)

    piece = event("content_block_delta", index=1, delta={"type": "input_json_delta", "partial_json": '{"b": 2}'})
    stops = [event("content_block_stop", index=index) for index in range(2)]
    text = event("message_start", message={"role": "assistant", "content": [], "model": "m"}) + begin(0, "dye")
    text += begin(1, "mix") + piece + "".join(stops) + event("message_delta", delta={"stop_reason": "tool_use"})
    result = parse(text + event("message_stop"))
    assert [(call.name, call.arguments) for call in result.calls] == [("dye", {}), ("mix", {"b": 2})]
    assert result.diagnoses == []


def test_empty_names_of_later_pieces_are_a_hint_and_no_anomaly() -> None:
    pieces = [{"name": "f", "arguments": ""}, {"name": "", "arguments": '{"a": 1}'}]
    events = [_stream({"role": "assistant", "tool_calls": [{"index": 0, "id": "c", "type": "function", "function": pieces[0]}]}),
              _stream({"tool_calls": [{"index": 0, "function": pieces[1]}]}).replace("]}}]}", ']}, "finish_reason": "tool_calls"}]}')]  # fmt: skip
    result = parse("".join(events) + "data: [DONE]\n\n")
    assert [(one.code, one.severity) for one in result.diagnoses] == [("call-name-empty", "info")]
    assert (result.facts.anomalies, result.calls[0].name) == ((), "f")
