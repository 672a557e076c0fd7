"""Results on their way to the model, and answers on their way back: ids, errors, merging, size."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.cases import ids, load
from utp_cli import parse
from utp_cli.facts.providers import IdRule
from utp_cli.protocol.calls import ParseResult, Rejected, ToolCall, ToolResult
from utp_cli.protocol.errors import BadOption, UnknownName
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.ids import sent_ids
from utp_cli.rendering.messages import render_message, rewrite
from utp_cli.rendering.results import render_result
from utp_cli.rendering.shaping import Shaping, shaped
from utp_cli.rendering.tokens import estimate

SEARCH = ToolCall(name="search", arguments={"q": "a"}, id="toolu_1")
READ = ToolCall(name="read", arguments={}, id="toolu_2")
BOTH = [SEARCH, READ]
NAMES = [spec.name for spec in FORMATS]


# -- results ---------------------------------------------------------------------------------------------------


def test_anthropic_gets_one_message_with_all_results():
    results = [{"n": 1}, ToolResult(call_id="toolu_2", tool_name="read", error="no such file")]
    assert render_result(BOTH, results, "anthropic") == [
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": '{"n": 1}'},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": "no such file", "is_error": True},
            ],
        }
    ]


def test_openai_gets_a_message_for_each_and_errors_in_words():
    results = ["fine", ToolResult(call_id="toolu_2", tool_name="read", error="no such file")]
    assert render_result(BOTH, results, "openai") == [
        {"role": "tool", "tool_call_id": "toolu_1", "content": "fine"},
        {"role": "tool", "tool_call_id": "toolu_2", "content": "Error: no such file"},
    ]


def test_gemini_gets_objects_in_one_content():
    results = [[1, 2], ToolResult(call_id="toolu_2", tool_name="read", error="no such file")]
    (content,) = render_result(BOTH, results, "gemini")
    assert [part["functionResponse"] for part in content["parts"]] == [
        {"name": "search", "response": {"result": [1, 2]}},
        {"name": "read", "response": {"error": "no such file"}},
    ]


def test_ollama_and_bedrock_and_mcp():
    assert render_result(SEARCH, "fine", "ollama") == [{"role": "tool", "tool_name": "search", "content": "fine"}]
    failed = ToolResult(call_id="toolu_1", tool_name="search", error="down")
    (message,) = render_result(SEARCH, failed, "bedrock")
    assert message["content"] == [
        {"toolResult": {"toolUseId": "toolu_1", "content": [{"text": "down"}], "status": "error"}}
    ]
    numbered = ToolCall(name="search", arguments={}, id=7)
    (response,) = render_result(numbered, {"n": 1}, "mcp")
    assert response["id"] == 7
    assert response["result"] == {
        "content": [{"type": "text", "text": '{"n": 1}'}], "structuredContent": {"n": 1}, "isError": False,
    }  # fmt: skip


def test_results_are_paired_by_id_where_they_have_them():
    results = [
        ToolResult(call_id="toolu_2", tool_name="read", result="of read"),
        ToolResult(call_id="toolu_1", tool_name="search", result="of search"),
    ]
    assert [m["content"] for m in render_result(BOTH, results)] == ["of search", "of read"]
    assert [m["tool_call_id"] for m in render_result(BOTH, results)] == ["toolu_1", "toolu_2"]


def test_a_call_may_be_a_mapping_and_a_list_may_be_one_result():
    call = {"id": "call_9", "type": "function", "function": {"name": "rows", "arguments": "{}"}}
    assert render_result(call, [1, 2]) == [{"role": "tool", "tool_call_id": "call_9", "content": "[1, 2]"}]


def test_calls_and_results_must_pair():
    with pytest.raises(BadOption, match="2 calls and 1 results"):
        render_result(BOTH, ["one"])


def test_an_unknown_format_offers_the_nearest():
    with pytest.raises(UnknownName, match="gemini"):
        render_result(SEARCH, "x", "gemni")


ENVELOPE = '# TE_BEGIN_META {"tool": "search", "id": null} # TE_END_META\n' + "line of output\n" * 500


@pytest.mark.parametrize("format_", NAMES)
def test_a_tool_envelope_passes_untouched(format_):
    shaping = Shaping(detail="concise", items=1, tokens=5)
    rendered = render_result(SEARCH, ENVELOPE, format_, shaping)

    def texts(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [text for item in value.values() for text in texts(item)]
        return [text for item in value for text in texts(item)] if isinstance(value, list) else [str(value)]

    assert any(ENVELOPE in text for text in texts(rendered))


# -- ids -------------------------------------------------------------------------------------------------------

ANY_IDS = st.lists(st.none() | st.integers() | st.text(max_size=70) | st.sampled_from(["call_0", "call_1"]), max_size=6)
RULES = {spec.name: spec.ids for spec in FORMATS if spec.ids}


@pytest.mark.parametrize("format_", RULES)
@given(ids=ANY_IDS)
def test_ids_are_accepted_each_once_and_always_the_same(format_, ids):
    rule = RULES[format_]
    assert isinstance(rule, IdRule)
    sent = [new for new, _ in sent_ids(ids, rule)]
    assert all(rule.accepts(str(new)) for new in sent)
    assert len(set(sent)) == len(ids)
    assert sent == [new for new, _ in sent_ids(ids, rule)]


def test_a_sound_id_is_left_alone():
    assert sent_ids(["call_abc", "toolu_1"], RULES["openai-chat"]) == [("call_abc", ""), ("toolu_1", "")]


def test_what_was_done_to_ids_is_said():
    calls = [ToolCall(name="f", arguments={}, id=call_id) for call_id in ("call_0", "abc", "abc", "x" * 50)]
    repairs = rewrite(ParseResult(calls=calls), "openai-chat").repairs
    assert [(repair.code, repair.call, repair.message) for repair in repairs] == [
        ("missing-id", 0, "made an id: the call had no id"),
        ("missing-id", 2, "made an id: the id was there twice"),
        ("missing-id", 3, "made an id: the provider does not take the id"),
    ]
    assert rewrite(ParseResult(calls=calls), "ollama").repairs == ()


# -- answers ---------------------------------------------------------------------------------------------------

BROKEN = """<think>Which city?</think>Let me look.
<tool_call>{"name": "get_weather", "arguments": {"city": "Zürich", "days": 3,}}</tool_call>
<tool_call>{"name": "get_weather", "arguments": {"city": "Be"""


def broken() -> ParseResult:
    return parse(BROKEN, parser="hermes", finish_reason="length")


def test_a_broken_answer_becomes_a_sound_message_of_openai():
    message = render_message(broken(), "openai")
    assert message["role"] == "assistant"
    assert message["content"].strip() == "Let me look."
    (call,) = message["tool_calls"]
    assert call["type"] == "function"
    assert json.loads(call["function"]["arguments"]) == {"city": "Zürich", "days": 3}
    assert "Zürich" in call["function"]["arguments"]


def test_and_of_anthropic_without_unsigned_thinking():
    blocks = render_message(broken(), "anthropic")["content"]
    assert [block["type"] for block in blocks] == ["text", "tool_use"]
    assert blocks[1]["input"] == {"city": "Zürich", "days": 3}


def test_and_of_ollama_with_thinking():
    message = render_message(broken(), "ollama")
    assert message["thinking"] == "Which city?"
    assert message["tool_calls"] == [{"function": {"name": "get_weather", "arguments": {"city": "Zürich", "days": 3}}}]


def test_and_of_langchain_with_what_is_not_safe():
    message = render_message(broken(), "langchain")
    assert [call["args"] for call in message["tool_calls"]] == [{"city": "Zürich", "days": 3}]
    (invalid,) = message["invalid_tool_calls"]
    assert invalid["name"] == "get_weather"
    assert invalid["args"].endswith('{"city": "Be')
    assert invalid["error"] == "not safe to run: truncated"


def test_what_was_only_announced_is_no_invalid_call():
    rejected = [Rejected(name="f", arguments={}, id="call_0", reason="intent", rung="heuristic")]
    assert render_message(ParseResult(rejected=rejected), "langchain")["invalid_tool_calls"] == []


def test_a_foreign_call_gets_the_placeholder_of_gemini_once():
    result = ParseResult(calls=BOTH)
    parts = render_message(result, "gemini")["parts"]
    assert [part.get("thoughtSignature") for part in parts] == ["skip_thought_signature_validator", None]


def test_a_signature_of_gemini_is_kept():
    call = {"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "c2lnbmVk"}
    other = {"functionCall": {"name": "g", "args": {}}}
    body = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hm."}, call, other]}, "finishReason": "STOP"}]
    }
    for answer in (body, f"data: {json.dumps(body)}\n\n"):
        parts = render_message(parse(answer), "gemini")["parts"]
        assert parts == [{"text": "Hm."}, call, other]


def test_signed_thinking_goes_back_to_whom_it_came_from_and_to_nobody_else():
    signed = {"type": "thinking", "thinking": "Hm.", "signature": "abc"}
    unsigned = {"type": "thinking", "thinking": "Hm."}
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    body = {"type": "message", "role": "assistant", "content": [signed, unsigned, call], "stop_reason": "tool_use"}
    assert render_message(parse(body), "anthropic")["content"] == [signed, call]
    assert [part.get("functionCall", {}).get("name") for part in render_message(parse(body), "gemini")["parts"]] == [
        None,
        "f",
    ]
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abc"}
    called = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_a",
        "name": "f",
        "arguments": "{}",
        "status": "completed",
    }
    items = render_message(
        parse({"object": "response", "status": "completed", "output": [item, called]}), "openai-responses"
    )
    assert [entry["type"] for entry in items["output"]] == ["reasoning", "function_call"]


SPEAKING = [spec.name for spec in FORMATS if spec.message and spec.name != "openai-legacy"]
"""Formats with messages of the assistant; the old functions have room for one call only."""
NESTED = {"s": 'a "quoted" <tag> \\ \n é', "n": [1, 2.5, None, True, {"deep": {}}], "big": 2**60}


@pytest.mark.parametrize("second", SPEAKING)
@pytest.mark.parametrize("first", SPEAKING)
def test_calls_pass_from_any_format_to_any_other(first, second):
    calls = [*BOTH, ToolCall(name="nested", arguments=NESTED, id="call_x")]
    read = parse(render_message(ParseResult(content="Hm.", calls=calls), first))
    again = parse(render_message(read, second))
    assert again.content == "Hm."
    assert [(call.name, call.arguments) for call in again.calls] == [(call.name, call.arguments) for call in calls]
    assert again.repairs == []


SPOKEN = load("wire/cases.jsonl", "dialects/cases_templates.jsonl")


@pytest.mark.parametrize("case", SPOKEN, ids=ids(SPOKEN))
def test_every_answer_can_be_rewritten_and_reads_back(case):
    named = case.get("dialect") and not case.get("model")
    options = {"model": case.get("model"), "parser": case["dialect"] if named else "auto"}
    answer = parse(case["input"], tools=case.get("tools"), **options)
    calls = [(call.name, call.arguments) for call in answer.calls]
    for format_ in SPEAKING:
        message = render_message(answer, format_)
        assert [(call.name, call.arguments) for call in parse(message).calls] == calls, format_


def test_formats_without_such_messages_say_so():
    with pytest.raises(BadOption, match="mcp"):
        render_message(ParseResult(), "mcp")


# -- size ------------------------------------------------------------------------------------------------------

ROW = {
    "id": 7,
    "user_id": "u1",
    "paid": True,
    "valid": 1,
    "name": "Ann",
    "note": None,
    "tags": [],
    "_meta": {"v": 1},
    "updated_at": "…",
}


def test_concise_leaves_out_ids_metadata_and_emptiness():
    assert shaped(ROW, Shaping(detail="concise")) == {"paid": True, "valid": 1, "name": "Ann"}
    assert shaped(ROW, Shaping(detail="concise", ids=True)) == {
        "id": 7,
        "user_id": "u1",
        "paid": True,
        "valid": 1,
        "name": "Ann",
    }
    assert "_meta" in shaped(ROW, Shaping(detail="concise", metadata=True))
    assert shaped(ROW, Shaping()) == ROW


def test_items_beyond_the_limit_are_counted():
    text = shaped([1, 2, 3, 4], Shaping(items=2))
    assert text == "[1, 2]\n[2 of 4 items are shown; narrow the request to see others]"
    assert shaped([1, 2], Shaping(items=2)) == [1, 2]


def test_a_long_text_is_cut_at_a_line_with_a_hint():
    text = "\n".join(f"line number {n} of the log" for n in range(200))
    cut = shaped(text, Shaping(tokens=50))
    body, hint = cut.rsplit("\n", 1)
    assert text.startswith(body + "\n")
    assert body.endswith("of the log")
    assert estimate(body) <= 50
    assert hint.startswith("[cut at about 50 of")


def test_a_long_list_is_cut_between_items():
    cut = shaped([{"row": n} for n in range(100)], Shaping(tokens=30))
    body, hint = cut.rsplit("\n", 1)
    rows = json.loads(body)
    assert rows == [{"row": n} for n in range(len(rows))]
    assert estimate(body) <= 30
    assert f"cut after {len(rows)} of 100 items" in hint


@given(st.text(max_size=400), st.integers(1, 40))
def test_what_is_cut_is_a_beginning_and_short_enough(text, tokens):
    cut = shaped(text, Shaping(tokens=tokens))
    if estimate(text) <= tokens:
        assert cut == text
    else:
        body = cut.rpartition("\n[cut at")[0]
        assert text.startswith(body)
        assert estimate(body) <= tokens
