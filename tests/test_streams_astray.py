"""Streams whose pieces, indexes, blocks and ends stray from their format: what is told, and what is sound."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.test_stream_calls import piece, stream
from utp_cli import parse

ROLE = {"role": "assistant", "content": ""}
OPENED = piece(0, "c1", "plough", "")
TOOLS = [
    {"name": "plough", "parameters": {"type": "object", "properties": {"field": {"type": "string"}}}},
    {"name": "rest", "parameters": {"type": "object", "properties": {}}},
    {"name": "sow", "parameters": {"type": "object", "properties": {"seed": {"type": "string"}}, "required": ["seed"]}},
]


def told(source: Any, **known: Any) -> list[tuple[str, str]]:
    return [(finding.code, finding.severity) for finding in parse(source, **known).diagnoses]


def bare(index: int, name: str) -> dict[str, Any]:
    """Open a call whose arguments are not there, not even as an empty text."""
    return {"tool_calls": [{"index": index, "id": f"c{index}", "type": "function", "function": {"name": name}}]}


def nulls(arguments: str | None) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "id": None, "function": {"name": None, "arguments": arguments}}]}


def events(*documents: dict[str, Any]) -> str:
    return "".join(f"data: {json.dumps(document)}\n\n" for document in documents)


LOST = [("streaming-parser-loss", "error")]
EMPTY = [("arguments-empty-string", "info")]
OFF = [("call-shape-invalid", "info")]
HELD = [("stream-arguments-repeated", "warning")]
SHARED = [("stream-index-collision", "error")]
CHAT: dict[str, tuple[list[dict[str, Any]], list[tuple[str, str]]]] = {
    # the beginning of the arguments
    "brace lost": ([OPENED, nulls('"field": "north"'), nulls("}")], LOST),
    "brace lost, in one piece": ([OPENED, nulls('"field": "north"}')], LOST),
    "brace and quote lost": ([OPENED, nulls('field": "no'), nulls('rth"}')], LOST),
    "brace there": ([OPENED, nulls("{"), nulls('"field": "north"'), nulls("}")], []),
    "a blank before the brace": ([OPENED, nulls(' {"field": "north"}')], []),
    # no arguments at all
    "no piece of arguments": ([ROLE, bare(0, "rest")], EMPTY),
    "an empty text": ([ROLE, piece(0, "c0", "rest", "")], EMPTY),
    "an empty object": ([ROLE, piece(0, "c0", "rest", "{}")], []),
    "an empty object behind an empty text": ([ROLE, piece(0, "c0", "rest", ""), nulls("{}")], []),
    "arguments behind a name alone": ([ROLE, bare(0, "plough"), nulls('{"field": "north"}')], []),
    # indexes
    "from 1 on": ([ROLE, piece(1, "c1", "plough", '{"field": "a"}')], OFF),
    "a number left out": ([ROLE, piece(0, "a", "rest", "{}"), piece(2, "b", "plough", '{"field": "a"}')], OFF),
    "from 0 on": ([ROLE, piece(0, "a", "rest", "{}"), piece(1, "b", "plough", '{"field": "a"}')], []),
    "backwards": ([ROLE, piece(1, "a", "rest", "{}"), piece(0, "b", "plough", '{"field": "a"}')], []),
    # an empty object first
    "empty object first": ([OPENED, nulls("{}"), nulls('{"fie'), nulls('ld": "a"}')], HELD),
    # several calls under one index and one id
    "one index, one id": ([ROLE, piece(0, "c", "plough", '{"field": "a"}'), piece(0, "c", "plough", '{"field": "b"}')],
                          SHARED),
    "the same again": ([ROLE, piece(0, "c", "plough", '{"field": "a"}'), piece(0, "c", "plough", '{"field": "a"}')],
                       [("stream-name-repeated", "error"), ("stream-arguments-repeated", "error")]),
}  # fmt: skip


@pytest.mark.parametrize(("deltas", "found"), CHAT.values(), ids=CHAT.keys())
def test_chat(deltas: list[dict[str, Any]], found: list[tuple[str, str]]) -> None:
    assert told(stream(*deltas), tools=TOOLS) == found


def test_arguments_that_a_tool_requires_and_nobody_sent() -> None:
    found = told(stream(ROLE, bare(0, "sow")), tools=TOOLS)
    assert ("arguments-empty-string", "warning") in found


def test_a_call_that_was_cut_off_lacks_no_arguments() -> None:
    whole = stream(ROLE, bare(0, "rest"))
    assert told(whole[: whole.index('"finish_reason"')].rpartition("data:")[0]) == [("stream-cut-off", "error")]
    assert told(stream(ROLE, bare(0, "rest"), reason="stop")) == [("finish-stop-with-calls", "warning")]
    assert told(stream({"role": "assistant", "function_call": {"name": "rest"}}, reason="function_call")) == [
        ("legacy-functions-field", "warning")
    ]


def test_arguments_that_grow_are_those_of_one_call() -> None:
    grown = [
        '{"field": ""}',
        '{"field": "no"}',
        '{"field": "north", "depth": [1]}',
        '{"field": "north", "depth": [1, 2]}',
    ]
    found = told(stream(ROLE, *(piece(0, "c", "plough", text) for text in grown)))
    assert not any(code == "stream-index-collision" for code, _ in found)


def test_three_calls_under_one_index_are_three() -> None:
    result = parse(stream(ROLE, *(piece(0, "c", "plough", json.dumps({"field": n})) for n in range(3))))
    assert [call.arguments for call in result.calls] == [{"field": 0}, {"field": 1}, {"field": 2}]
    assert "split" in result.diagnoses[0].fix


def test_pieces_of_an_excerpt_may_have_any_index() -> None:
    """Somebody copied the second call of a stream: the first stood before it."""
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    only = {"choices": [{"index": 0, "delta": nulls('{"a": 1}') | {}}]}
    only["choices"][0]["delta"]["tool_calls"][0]["index"] = 1  # type: ignore[index]
    assert not any(code == "call-shape-invalid" for code, _ in told(events(only, end)))


# -- blocks of Anthropic's ----------------------------------------------------------------------------------------


def start(kind: str, index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **block}}


def delta(kind: str, index: int, **said: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **said}}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


BEGIN = {
    "type": "message_start",
    "message": {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "c"},
}
END = [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}]


def use(index: int, of: str = "t") -> list[dict[str, Any]]:
    opened = start("tool_use", index, id=f"{of}{index}", name="plough", input={})
    return [opened, delta("input_json_delta", index, partial_json=f'{{"field": "{of}{index}"}}'), stop(index)]


BROKEN = [("sse-framing-broken", "error")]
TEXT, THINKING = start("text", 0, text=""), start("thinking", 0, thinking="", signature="")
SAID, THOUGHT = {"text": "Yes."}, {"thinking": "Hm."}
MESSAGES = {
    "a block behind the end": ([BEGIN, *use(0), *END, *use(1)], BROKEN),
    "two messages": ([BEGIN, *use(0), *END, BEGIN, *use(1), *END], []),
    "the second from 0 on": ([BEGIN, *use(0), *END, *use(0, "other"), *END], []),
    "a ping behind the end": ([BEGIN, *use(0), *END, {"type": "ping"}], []),
    "thinking in a text": ([BEGIN, TEXT, delta("thinking_delta", 0, **THOUGHT), stop(0), *use(1), *END], BROKEN),
    "a signature in a text": ([BEGIN, TEXT, delta("signature_delta", 0, signature="x"), stop(0), *use(1), *END], BROKEN),
    "a text in thinking": ([BEGIN, THINKING, delta("text_delta", 0, **SAID), stop(0), *use(1), *END], BROKEN),
    "a text in a call": ([BEGIN, use(0)[0], delta("text_delta", 0, **SAID), *use(0)[1:], *END], BROKEN),
    "thinking": ([BEGIN, THINKING, delta("thinking_delta", 0, **THOUGHT), delta("signature_delta", 0, signature="x"),
                  stop(0), *use(1), *END], []),
    "a text with its source": ([BEGIN, TEXT, delta("citations_delta", 0, citation={}), delta("text_delta", 0, **SAID),
                                stop(0), *use(1), *END], []),
    "hidden thinking": ([BEGIN, start("redacted_thinking", 0, data="x"), stop(0), *use(1), *END], []),
    "a kind that nobody knows": ([BEGIN, start("compaction", 0), delta("compaction_delta", 0, content="x"), stop(0),
                                  *use(1), *END], []),
    "an unknown delta in a text": ([BEGIN, TEXT, delta("mood_delta", 0), delta("text_delta", 0, **SAID), stop(0),
                                    *use(1), *END], []),
    "a call on the server": ([BEGIN, start("server_tool_use", 0, id="s", name="web_search", input={}),
                              delta("input_json_delta", 0, partial_json='{"query": "x"}'), stop(0), *use(1), *END], []),
}  # fmt: skip


@pytest.mark.parametrize(("documents", "found"), MESSAGES.values(), ids=MESSAGES.keys())
def test_anthropic(documents: list[dict[str, Any]], found: list[tuple[str, str]]) -> None:
    assert told(events(*documents)) == found


# -- the Responses API --------------------------------------------------------------------------------------------


def of(kind: str, **more: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", **more}


ITEM = {"type": "function_call", "id": "f", "call_id": "c", "name": "plough", "arguments": ""}
WHOLE = {**ITEM, "arguments": '{"field": "a"}'}
MESSAGE = {"type": "message", "id": "m", "role": "assistant", "content": []}
CREATED = of("created", response={"id": "r", "status": "in_progress", "output": []})
ADDED = of("output_item.added", output_index=0, item=ITEM)
PIECE = of("function_call_arguments.delta", output_index=0, item_id="f", delta=WHOLE["arguments"])


def completed(*output: dict[str, Any], kind: str = "completed") -> dict[str, Any]:
    return of(kind, response={"id": "r", "status": kind, "output": list(output)})


UNFINISHED = [("streaming-parser-loss", "warning")]
RESPONSES = {
    "no end of the item": ([CREATED, ADDED, PIECE, completed()], UNFINISHED),
    "an end, and an empty output": (
        [CREATED, ADDED, PIECE, of("output_item.done", output_index=0, item=WHOLE), completed()], [],
    ),
    "no end, and the whole output": ([CREATED, ADDED, PIECE, completed(WHOLE)], []),
    "the beginning left out": ([ADDED, PIECE, completed()], []),
    "a text": (
        [CREATED, of("output_item.added", output_index=0, item=MESSAGE),
         of("output_text.delta", output_index=0, content_index=0, item_id="m", delta="Yes."), completed()], [],
    ),
    "nothing": ([CREATED, completed()], []),
}  # fmt: skip


@pytest.mark.parametrize(("documents", "found"), RESPONSES.values(), ids=RESPONSES.keys())
def test_responses(documents: list[dict[str, Any]], found: list[tuple[str, str]]) -> None:
    assert told(events(*documents)) == found


# -- Gemini -------------------------------------------------------------------------------------------------------


def chunk(*parts: dict[str, Any], reason: str = "", response: str = "") -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    ended = {"finishReason": reason} if reason else {}
    return {"candidates": [candidate | ended], **({"responseId": response} if response else {})}


HALF, REST = {"text": "The plough "}, {"text": "is out."}
CALLED = {"functionCall": {"name": "plough", "args": {"field": "a"}}}
EARLY = [("sse-framing-broken", "warning")]
GEMINI = {
    "an empty end first": ([chunk(reason="STOP"), chunk(HALF), chunk(REST), chunk(reason="STOP")], EARLY),
    "an empty end before a call": ([chunk(reason="STOP"), chunk(CALLED), chunk(reason="STOP")], EARLY),
    "within one response": ([chunk(HALF, response="r"), chunk(reason="STOP", response="r"), chunk(REST, response="r"),
                             chunk(reason="STOP", response="r")], EARLY),
    "an end with every text": ([chunk(HALF, reason="STOP"), chunk(REST, reason="STOP")], []),
    "an end behind it": ([chunk(HALF), chunk(REST), chunk({"text": ""}, reason="STOP")], []),
    "an end twice": ([chunk(HALF), chunk(REST, reason="STOP"), chunk(reason="STOP")], []),
    "two answers": ([chunk(HALF), chunk(reason="STOP"), chunk(REST), chunk(reason="STOP")], []),
    "two responses": ([chunk(HALF, response="r"), chunk(reason="STOP", response="r"), chunk(REST, response="s"),
                       chunk(reason="STOP", response="s")], []),
    "a call, and its end": ([chunk(CALLED), chunk({"text": ""}, reason="STOP")], []),
    "thinking, then a call": ([chunk({"text": "Hm.", "thought": True}), chunk(CALLED, reason="STOP")], []),
}  # fmt: skip


@pytest.mark.parametrize(("documents", "found"), GEMINI.values(), ids=GEMINI.keys())
def test_gemini(documents: list[dict[str, Any]], found: list[tuple[str, str]]) -> None:
    assert told(events(*documents)) == found


# -- frames -------------------------------------------------------------------------------------------------------

CALL = stream(ROLE, piece(0, "c", "plough", '{"field": "a"}'))
FRAMES = {
    "a comment as data": ("data: : still at work\n\n" + CALL, BROKEN, "comment"),
    "a comment as data, later": (CALL.replace("\n\ndata", "\n\ndata: :\n\ndata", 1), BROKEN, "comment"),
    "a word as data": ("data: working\n\n" + CALL, BROKEN, "empty line"),
    "a comment": (": still at work\n\n" + CALL, [], ""),
    "an empty comment": (":\n\n" + CALL, [], ""),
    "an event of its own": ("event: ping\ndata: {}\n\n" + CALL, [], ""),
}


@pytest.mark.parametrize(("text", "found", "fix"), FRAMES.values(), ids=FRAMES.keys())
def test_frames(text: str, found: list[tuple[str, str]], fix: str) -> None:
    result = parse(text)
    assert [(finding.code, finding.severity) for finding in result.diagnoses] == found
    assert not found or fix in result.diagnoses[0].fix


# -- answers that say less, or the same again, than they should -----------------------------------------------------

QUOTED = [("streaming-parser-loss", "error")]
ARRAYS = {
    "a list in quotes": ('{"fields": "[{"name": "north"}, {"name": "west"}]"}', QUOTED),
    "a list of texts in quotes": ('{"crop": "rye", "fields": "["north", "west"]"}', QUOTED),
    "an object in quotes": ('{"where": "{"field": "north"}", "deep": true}', QUOTED),
    "a second list": ('{"kept": "[]", "fields": "["north"]"}', QUOTED),
    "a list": ('{"fields": ["north", "west"]}', []),
    "a list in quotes, as JSON": ('{"fields": "[\\"north\\"]"}', []),
    "a text in brackets": ('{"fields": "[north]"}', []),
}


@pytest.mark.parametrize(("arguments", "found"), ARRAYS.values(), ids=ARRAYS.keys())
def test_values_that_were_streamed_as_texts(arguments: str, found: list[tuple[str, str]]) -> None:
    half = len(arguments) // 2
    deltas = [ROLE, piece(0, "c", "plough", arguments[:half]), nulls(arguments[half:])]
    assert told(stream(*deltas)) == found
    whole = {"choices": [{"message": {**ROLE, "tool_calls": [called(arguments)]}, "finish_reason": "tool_calls"}]}
    assert not any(code == "streaming-parser-loss" for code, _ in told(whole))  # no parser of streams was there


def called(arguments: str, name: str = "plough", call_id: str = "c1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def body(content: str | None, *calls: dict[str, Any], reason: str = "tool_calls", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, **({"tool_calls": list(calls)} if calls else {})}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": reason}], **more}


TWO = called('{"field": "north", "depth": 20, "notes": "slow\\nand straight"}')
LEFT = [("call-left-in-content", "warning")]
VALUES = {
    "the values": ("\n\nnorth\n\n20\n\nslow\nand straight\n", [TWO], LEFT),
    "some of the values": ("north\n20", [TWO], []),
    "the values in a sentence": ("I plough north, 20 deep.", [TWO], []),
    "more than the values": ("north\n20\nslow\nand straight\nDone.", [TWO], []),
    "one value": ("north", [called('{"field": "north"}')], []),
    "one value of two lines": ("slow\ndown", [called('{"notes": "slow\\ndown"}')], []),
    "nothing": ("", [TWO], []),
    "the values of no call": ("north\n20", [called("{}")], []),
}


@pytest.mark.parametrize(("content", "calls", "found"), VALUES.values(), ids=VALUES.keys())
def test_values_of_a_call_in_the_text(content: str, calls: Any, found: list[tuple[str, str]]) -> None:
    result = parse(body(content, *calls))
    assert [(finding.code, finding.severity) for finding in result.diagnoses] == found
    assert not found or "update the server" in result.diagnoses[0].fix


REASONS = {
    "tool_call": [("finish-stop-with-calls", "warning")],
    "function_calls": [("finish-stop-with-calls", "warning")],
    "tool_use": [("finish-stop-with-calls", "warning")],
    "stop": [("finish-stop-with-calls", "warning")],
    "tool_calls": [],
    "TOOL_CALLS": [],
    "function_call": [],
    "insufficient_system_resource": [],
    "tool": [],
}


@pytest.mark.parametrize(("reason", "found"), REASONS.items())
def test_words_for_the_end_that_chat_completions_have(reason: str, found: list[tuple[str, str]]) -> None:
    result = parse(body(None, called('{"field": "north"}'), reason=reason))
    assert [(finding.code, finding.severity) for finding in result.diagnoses] == found
    assert not found or "tool_calls" in result.diagnoses[0].fix


def test_a_word_of_another_wire_is_its_own() -> None:
    block = {"type": "tool_use", "id": "t", "name": "plough", "input": {"field": "a"}}
    assert told({"type": "message", "role": "assistant", "content": [block], "stop_reason": "tool_use"}) == []


IDS = {
    "call_77f2" * 3: [("call-id-format", "warning")],
    "call_77f2" * 14: [("call-id-format", "warning")],
    "call_77f2": [],
    "call_77f2" * 2: [],
    "000000000": [],
    "123412341234": [],
    "abcabcabc": [],
    "": [("call-id-missing", "warning")],
}


@pytest.mark.parametrize(("call_id", "found"), IDS.items())
def test_an_id_that_was_joined(call_id: str, found: list[tuple[str, str]]) -> None:
    result = told(body(None, called('{"field": "north"}', call_id=call_id)))
    assert [code for code, _ in result] == [code for code, _ in found]


COUNTED = {"prompt_tokens": 90, "completion_tokens": 38, "total_tokens": 128}
LAST = {"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": [], "usage": COUNTED}
ASKED = {"stream": False, "tools": [{"type": "function", "function": TOOLS[0]}]}
LEFTOVERS: dict[str, tuple[Any, dict[str, Any] | None, list[tuple[str, str]]]] = {
    "the last event as the body": (LAST, ASKED, [("calls-lost", "warning")]),
    "no stream asked for": (LAST, {"tools": ASKED["tools"]}, [("calls-lost", "warning")]),
    "nothing known of the request": (LAST, None, [("calls-lost", "info")]),
    "a stream asked for": (LAST, {**ASKED, "stream": True}, []),
    "nothing was written": ({**LAST, "usage": {**COUNTED, "completion_tokens": 0}}, ASKED, []),
    "no counts": ({key: value for key, value in LAST.items() if key != "usage"}, ASKED, []),
    "the last event of a stream": (
        CALL.replace("data: [DONE]", f"data: {json.dumps(LAST)}\n\ndata: [DONE]"),
        ASKED,
        [],
    ),
    "the last event alone, as an event": (f"data: {json.dumps(LAST)}\n\n", None, []),
}


@pytest.mark.parametrize(("source", "request_", "found"), LEFTOVERS.values(), ids=LEFTOVERS.keys())
def test_what_is_left_of_an_answer(source: Any, request_: Any, found: list[tuple[str, str]]) -> None:
    assert told(source, request=request_) == found


SPENT = {"prompt_tokens": 40, "completion_tokens": 900, "thinking_tokens": 900}
RECORD = {"result": "", "tool_calls": [], "finish_reason": "length", "tokens": SPENT}
EXHAUSTED = [("reasoning-exhausted-budget", "error")]
RECORDS = {
    "a record": (RECORD, EXHAUSTED),
    "with usage": ({"tool_calls": [], "content": "", "finish_reason": "length",
                    "usage": {"completion_tokens": 900, "completion_tokens_details": {"reasoning_tokens": 900}}}, EXHAUSTED),
    "a body": (body("", reason="length", usage={"completion_tokens": 900,
                                                "output_tokens_details": {"thinking_tokens": 900}}), EXHAUSTED),
    "a text": ({**RECORD, "result": "The field is ploughed."}, []),
    "the end": ({**RECORD, "finish_reason": "stop", "tokens": {**SPENT, "completion_tokens": 902}}, []),
    "no thinking": ({**RECORD, "tokens": {"completion_tokens": 12}}, []),
}  # fmt: skip


@pytest.mark.parametrize(("record", "found"), RECORDS.values(), ids=RECORDS.keys())
def test_thinking_that_took_all_tokens(record: Any, found: list[tuple[str, str]]) -> None:
    assert [each for each in told(record) if each[1] != "info"] == found


def test_a_name_twice_in_an_error_was_joined() -> None:
    assert told("Error: Unknown tool: turn_lampturn_lamp")[0] == ("stream-name-repeated", "error")
    assert told("Error: Unknown tool: turn_lamp")[0][0] == "unknown-tool"
    assert told("Error: Unknown tool: lamp_lamp")[0][0] == "unknown-tool"


def printed(*arguments: str) -> str:
    return "\n".join(f"piece {{ name: null, arguments: {json.dumps(each)}" for each in arguments)


def test_printed_pieces_without_a_name() -> None:
    broken = parse(printed("{", '"fields": "', '["nor', 'th"]', '"', "}"))
    assert [finding.code for finding in broken.diagnoses] == ["arguments-invalid-json"]
    for sound in (printed("{", '"fields": ', '["nor', 'th"]', "}"), printed("{", '"fields": "', '["nor')):
        assert parse(sound).diagnoses == []
