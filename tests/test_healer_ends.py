"""Answers that end badly or oddly: what failed, was held back, or says its end twice; what passes whole or streamed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.strict_clients import READERS
from tests.test_healer import DONE, HERMES, codes, healer, passed
from tests.wire_answers import chunk, dump, line, message, piece, response, responses_stream, sse

BLOCK: list[dict[str, Any]] = [
    {"type": "message_start", "message": message([], None)},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": HERMES}},
    {"type": "content_block_stop", "index": 0},
]
STOP = {"type": "message_stop"}


def stopped(reason: str | None) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 17}}


def lines(*docs: dict[str, Any]) -> bytes:
    return "".join(dump(doc) + "\n" for doc in docs).encode()


SAID = chunk({"role": "assistant", "content": HERMES})
NATIVE = [chunk({"role": "assistant"}), piece(0, "c0", "search", '{"query": "x"}')]
OVERLOADED = {"error": {"message": "overloaded", "code": 503}}
UPSET = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
BEGUN = responses_stream(HERMES).rpartition(b"event: response.completed")[0]
FAILED = {"type": "response.failed", "sequence_number": 99, "response": response([], "failed")}
AS_THEY_CAME = {
    "an error behind a call in the text": ("openai-chat", sse([SAID, OVERLOADED]) + DONE),
    "an error behind a native call": ("openai-chat", sse([*NATIVE, OVERLOADED]) + DONE),
    "an error in a chunk with choices": (
        "openai-chat", sse([SAID, {**chunk({"content": ""}, "error"), **OVERLOADED}]) + DONE,
    ),
    "Anthropic: an error, then the end": ("anthropic", sse([*BLOCK, UPSET, stopped("end_turn"), STOP], named=True)),
    "Ollama: an error, then the end": ("ollama", lines(line({"content": HERMES}), {"error": "boom"}, line({}, done=True))),
    "Responses: failed behind an item": ("openai-responses", BEGUN + sse([FAILED], named=True)),
    "held back": ("openai-chat", sse([SAID, chunk({}, "content_filter")]) + DONE),
    "Anthropic: a refusal": ("anthropic", sse([*BLOCK, stopped("refusal"), STOP], named=True)),
    "a tool without a schema of arguments": (
        "openai-chat",
        sse([
            chunk({"role": "assistant"}),
            chunk({"tool_calls": [{"index": 0, "id": "a", "type": "custom", "custom": {"name": "sh", "input": "l"}}]}),
            chunk({"tool_calls": [{"index": 0, "custom": {"input": "s"}}]}),
            chunk({}, "tool_calls"),
        ]) + DONE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", AS_THEY_CAME)
def test_nothing_is_made_of_it(name: str) -> None:
    wire, data = AS_THEY_CAME[name]
    for cuts in (None, [1], [50]):
        assert passed(healer(wire, stream=True), data, cuts) == data


def test_the_reason_that_counts_is_the_last_one() -> None:
    for before in ([stopped("end_turn")], [stopped(None)], []):
        data = sse([*BLOCK, *before, stopped("end_turn"), STOP], named=True)
        (got,) = READERS["anthropic", True](passed(healer("anthropic", stream=True), data))
        assert (len(got["calls"]), got["finish"]) == (1, "tool_use")


def test_a_call_with_text_as_input_beside_a_broken_one() -> None:
    custom = {"index": 1, "id": "b", "type": "custom", "custom": {"name": "sh", "input": "ls"}}
    data = sse([
        chunk({"role": "assistant"}), piece(0, "a", "search", '{"query": "x",}'), chunk({"tool_calls": [custom]}),
        chunk({}, "tool_calls"),
    ]) + DONE  # fmt: skip
    out = passed(healer("openai-chat", stream=True), data)
    assert b'{\\"query\\": \\"x\\"}' in out
    assert b'"type": "custom", "custom": {"name": "sh", "input": "ls"}' in out


@pytest.mark.parametrize("stream", [True, False])
def test_a_call_in_the_older_field_passes(stream: bool) -> None:
    said = {"role": "assistant", "content": HERMES, "function_call": {"name": "search", "arguments": "{'query': 'x'}"}}
    healing = healer("openai-chat", stream=stream)
    if stream:
        data = sse([chunk(said), chunk({}, "function_call")]) + DONE
    else:
        data = dump({"id": "c", "choices": [{"index": 0, "message": said, "finish_reason": "function_call"}]}).encode()
    assert passed(healing, data) == data
    assert codes(healing) == ["passed"]


@pytest.mark.parametrize("stream", [True, False])
def test_fields_that_are_null_say_nothing(stream: bool) -> None:
    """As vLLM and LiteLLM write messages."""
    null = dict.fromkeys(("refusal", "annotations", "audio", "function_call"))
    said = {"role": "assistant", "content": HERMES, **null, "tool_calls": []}
    if stream:
        data = sse([chunk(said), chunk(null, "stop")]) + DONE
    else:
        data = dump({"id": "c", "choices": [{"index": 0, "message": said, "finish_reason": "stop"}]}).encode()
    (got,) = READERS["openai-chat", stream](passed(healer("openai-chat", stream=stream), data))
    assert (len(got["calls"]), got["finish"]) == (1, "tool_calls")
