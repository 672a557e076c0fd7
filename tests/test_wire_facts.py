"""What the wire says beside calls and text: the model, tokens, the form of the input, errors in errors, and bounds.

Every row is written after the format's own reference; a format without a row fails.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

import pytest

from tests.test_wire import message as binary_message, read, told
from utp_cli import parse
from utp_cli.wire.access import integer_of, seconds_of
from utp_cli.wire.catalogue import FORMATS
from utp_cli.wire.error_body import error_of, own_error_of
from utp_cli.wire.event_stream import may_begin
from utp_cli.wire.otel import plain_attributes
from utp_cli.wire.shape import recognise

SAID = {"role": "assistant", "content": "Hi"}
CHOICE = {"index": 0, "message": SAID, "finish_reason": "stop"}
PART = {"content": {"role": "model", "parts": [{"text": "Hi"}]}, "finishReason": "STOP", "index": 0}
ITEM = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}
BLOCK = {"type": "text", "text": "Hi"}
CHAT = {"object": "chat.completion", "choices": [CHOICE]}
CHAT_USAGE = {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}
LANGCHAIN = {"type": "ai", "content": "Hi", "tool_calls": [], "invalid_tool_calls": []}
IN_OUT = {"input_tokens": 3, "output_tokens": 5}


def attributes(**more: Any) -> dict[str, Any]:
    messages = [{"role": "assistant", "parts": [{"type": "text", "content": "Hi"}], "finish_reason": "stop"}]
    return {"name": "chat", "attributes": {"gen_ai.output.messages": messages} | more}


TOLD: list[tuple[str, Any, str | None, int | None, int | None]] = [
    ("openai-chat", CHAT | {"model": "m-1", "usage": CHAT_USAGE}, "m-1", 3, 5),
    ("openai-chat", CHAT | {"model": "m-1"}, "m-1", None, None),
    ("openai-chat", CHAT | {"model": "", "usage": None}, None, None, None),
    ("openai-chat", CHAT | {"model": 7, "usage": {"prompt_tokens": "3", "completion_tokens": True}}, None, None, None),
    ("openai-chat", CHAT | {"usage": {"prompt_tokens": 0, "completion_tokens": 0}}, None, 0, 0),
    (
        "openai-legacy",
        {
            "model": "m-1",
            "choices": [{"message": {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}}}],
            "usage": CHAT_USAGE,
        },
        "m-1", 3, 5,
    ),
    ("openai-responses", {"object": "response", "model": "m-1", "output": [ITEM], "usage": IN_OUT}, "m-1", 3, 5),
    (
        "anthropic",
        {"type": "message", "role": "assistant", "model": "m-1", "content": [BLOCK], "usage": IN_OUT},
        "m-1", 3, 5,
    ),
    (
        "gemini",
        {
            "candidates": [PART],
            "modelVersion": "m-1",
            "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 5, "totalTokenCount": 8},
        },
        "m-1", 3, 5,
    ),
    (
        "gemini",  # as the Python SDK dumps it
        {
            "candidates": [PART],
            "model_version": "m-1",
            "usage_metadata": {"prompt_token_count": 3, "candidates_token_count": 5},
        },
        "m-1", 3, 5,
    ),
    (
        "bedrock",  # Converse names no model
        {
            "output": {"message": {"role": "assistant", "content": [{"text": "Hi"}]}},
            "stopReason": "end_turn",
            "usage": {"inputTokens": 3, "outputTokens": 5, "totalTokens": 8},
        },
        None, 3, 5,
    ),
    (
        "cohere",  # `tokens` counts all of them, `billed_units` those that are paid
        {
            "message": {"role": "assistant", "content": [BLOCK]},
            "finish_reason": "COMPLETE",
            "usage": {
                "billed_units": {"input_tokens": 1, "output_tokens": 2},
                "tokens": {"input_tokens": 3, "output_tokens": 5},
            },
        },
        None, 3, 5,
    ),
    (
        "cohere",
        {
            "message": {"role": "assistant", "content": [BLOCK]},
            "finish_reason": "COMPLETE",
            "usage": {"billed_units": {"input_tokens": 1, "output_tokens": 2}},
        },
        None, 1, 2,
    ),
    ("ollama", {"model": "m-1", "message": SAID, "done": True, "prompt_eval_count": 3, "eval_count": 5}, "m-1", 3, 5),
    (
        "ollama-generate",
        {"model": "m-1", "response": "Hi", "done": True, "prompt_eval_count": 3, "eval_count": 5},
        "m-1", 3, 5,
    ),
    ("mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "f"}}, None, None, None),
    (
        "langchain",
        LANGCHAIN | {"response_metadata": {"model_name": "m-1", "model": "m-0"}, "usage_metadata": IN_OUT},
        "m-1", 3, 5,
    ),
    ("langchain", LANGCHAIN | {"response_metadata": {"model": "m-1"}, "usage_metadata": IN_OUT}, "m-1", 3, 5),
    (
        "litellm-log",
        {
            "call_type": "completion", "custom_llm_provider": "x", "model": "m-1", "prompt_tokens": 3,
            "completion_tokens": 5, "response": CHAT,
        },
        "m-1", 3, 5,
    ),
    (
        "langfuse",
        {"traceId": "t", "type": "GENERATION", "model": "m-1", "output": SAID, "usageDetails": {"input": 3, "output": 5}},
        "m-1", 3, 5,
    ),
    (
        "langfuse",  # the export writes JSON in texts
        {
            "trace_id": "t", "type": "GENERATION", "provided_model_name": "m-1", "output": SAID,
            "usage_details": '{"input": 3, "output": 5}',
        },
        "m-1", 3, 5,
    ),
    (
        "langfuse",
        {"traceId": "t", "type": "GENERATION", "providedModelName": "m-1", "output": SAID, "usage": {"input": 3, "output": 5}},
        "m-1", 3, 5,
    ),
    (
        "otel",  # the model that answered outranks the one that was asked for
        attributes(**{
            "gen_ai.response.model": "m-1", "gen_ai.request.model": "m-0",
            "gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": 5,
        }),
        "m-1", 3, 5,
    ),
    (
        "otel",  # GenAI's older names
        attributes(**{
            "gen_ai.request.model": "m-1", "gen_ai.usage.prompt_tokens": 3, "gen_ai.usage.completion_tokens": 5,
        }),
        "m-1", 3, 5,
    ),
    (
        "otel",  # OpenInference
        {
            "name": "llm",
            "attributes": {
                "llm.output_messages.0.message.content": "Hi", "llm.model_name": "m-1",
                "llm.token_count.prompt": 3, "llm.token_count.completion": 5,
            },
        },
        "m-1", 3, 5,
    ),
    (
        "otel",  # attributes as keys of the record itself, beside what is none
        {"name": "chat", "model": "m-0", "gen_ai.response.model": "m-1", "gen_ai.usage.input_tokens": 3},
        "m-1", 3, None,
    ),
    (
        "otel",  # OTLP's lists
        {
            "name": "chat",
            "attributes": [
                {"key": "gen_ai.response.model", "value": {"stringValue": "m-1"}},
                {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "3"}},
                {"key": "gen_ai.usage.output_tokens", "value": {"intValue": 5}},
            ],
        },
        "m-1", 3, 5,
    ),
    (
        "har",
        {
            "log": {
                "entries": [
                    {
                        "request": {"url": "https://api.openai.com/v1/chat/completions"},
                        "response": {
                            "status": 200,
                            "content": {
                                "mimeType": "application/json",
                                "text": json.dumps(CHAT | {"model": "m-1", "usage": CHAT_USAGE}),
                            },
                        },
                    }
                ]
            }
        },
        "m-1", 3, 5,
    ),
    ("ai-sdk", {"role": "assistant", "parts": [{"type": "step-start"}]}, None, None, None),  # tells neither
]  # fmt: skip
"""Format, an answer, and the model and tokens (asked, answered) that it names."""


@pytest.mark.parametrize(("format_", "document", "model", "asked", "answered"), TOLD)
def test_model_and_tokens(
    format_: str, document: Any, model: str | None, asked: int | None, answered: int | None
) -> None:
    for source in (document, json.dumps(document)):
        reader, _ = read(source)
        assert (reader.shape, reader.model) == (format_, model)
        assert (reader.facts.prompt_tokens, reader.facts.completion_tokens) == (asked, answered)


def test_every_format_tells_its_model_and_tokens() -> None:
    assert {format_ for format_, *_ in TOLD} == FORMATS.keys()


STREAMED: list[tuple[str, list[Any], str | None, int | None, int | None]] = [
    (
        "openai-chat",
        [
            {"object": "chat.completion.chunk", "model": "m-1", "choices": [{"index": 0, "delta": SAID}]},
            {"object": "chat.completion.chunk", "model": "m-2", "choices": [], "usage": CHAT_USAGE},
        ],
        "m-1", 3, 5,
    ),
    (
        "openai-responses",
        [
            {"type": "response.created", "response": {"object": "response", "model": "m-1", "output": []}},
            {
                "type": "response.completed",
                "response": {"object": "response", "model": "m-1", "status": "completed", "output": [], "usage": IN_OUT},
            },
        ],
        "m-1", 3, 5,
    ),
    (
        "anthropic",  # the end counts what was written
        [
            {
                "type": "message_start",
                "message": {"model": "m-1", "content": [], "usage": {"input_tokens": 3, "output_tokens": 1}},
            },
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
            {"type": "message_stop"},
        ],
        "m-1", 3, 5,
    ),
    (
        "gemini",
        [
            {"candidates": [PART], "modelVersion": "m-1"},
            {"usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 5}, "modelVersion": "m-1"},
        ],
        "m-1", 3, 5,
    ),
    (
        "cohere",
        [
            {"type": "message-start", "delta": {"message": {"role": "assistant"}}},
            {"type": "message-end", "delta": {"finish_reason": "COMPLETE", "usage": {"tokens": IN_OUT}}},
        ],
        None, 3, 5,
    ),
    (
        "bedrock",
        [
            {"messageStart": {"role": "assistant"}},
            {"messageStop": {"stopReason": "end_turn"}},
            {"metadata": {"usage": {"inputTokens": 3, "outputTokens": 5}, "metrics": {"latencyMs": 1}}},
        ],
        None, 3, 5,
    ),
    (
        "ollama",
        [
            {"model": "m-1", "message": SAID, "done": False},
            {"model": "m-1", "message": {"role": "assistant", "content": ""}, "done": True, "prompt_eval_count": 3, "eval_count": 5},
        ],
        "m-1", 3, 5,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("format_", "events", "model", "asked", "answered"), STREAMED)
def test_model_and_tokens_of_a_stream(
    format_: str, events: list[Any], model: str | None, asked: int | None, answered: int | None
) -> None:
    lines = [json.dumps(event) for event in events]
    sse, ndjson = "".join(f"data: {line}\n\n" for line in lines), "\n".join(lines)
    for source, form in ((events, "document"), (sse, "sse"), (ndjson, "json-lines")):
        reader, _ = read(source)
        assert (reader.shape, reader.model, reader.form, reader.stream) == (format_, model, form, True)
        assert (reader.facts.prompt_tokens, reader.facts.completion_tokens) == (asked, answered)


@pytest.mark.parametrize(
    ("source", "form", "side"),
    [
        ("Hello", "text", "response"),
        ("", "text", "response"),
        (CHAT, "document", "response"),
        (json.dumps(CHAT), "json-body", "response"),
        (f"\ufeff  {json.dumps(CHAT, indent=1)}\n", "json-body", "response"),
        (f"[{json.dumps(CHAT)}]", "json-lines", "response"),
        (binary_message("messageStop", b'{"stopReason": "end_turn"}'), "event-stream", "stream"),
        ({"model": "m", "messages": [{"role": "user", "content": "Hi"}]}, "document", "request"),
    ],
)
def test_how_an_input_was_written(source: Any, form: str, side: str) -> None:
    reader, _ = read(source)
    assert (reader.form, reader.side) == (form, side)


def test_what_a_reader_counts() -> None:
    """Characters of text; bytes of a binary stream."""
    stop = binary_message("messageStop", b'{"stopReason": "end_turn"}')
    for source, length in (
        ("H\u00e9llo", 5),
        ("H\u00e9llo".encode(), 5),
        (json.dumps(CHAT), len(json.dumps(CHAT))),
        (stop, len(stop)),
    ):
        assert read(source)[0].length == length
        assert read(None, [source[i : i + 1] for i in range(len(source))])[0].length == length


# -- server-sent events --------------------------------------------------------------------------------------------

TEXT = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Hi"}}]}
EVENT, HALF = json.dumps(TEXT), '{"object": "chat.completion.chunk",'
REST = EVENT[EVENT.index(",") + 1 :]


@pytest.mark.parametrize(
    ("text", "said", "odd"),
    [
        (f"data: {EVENT}\n\n", "Hi", []),
        (f"data: {EVENT}\n", "Hi", []),
        (f"data: {EVENT}", "Hi", []),
        (f"data:{EVENT}\n\n", "Hi", []),
        (f"data: {EVENT}\r\rdata: {EVENT}\r\r", "HiHi", []),
        (f"data: {EVENT}\r\n\r\ndata: {EVENT}\r\n\r\n", "HiHi", []),
        (f"data: {EVENT}\n\ndata: {EVENT}", "HiHi", []),
        (f"data: {EVENT}\n\ndata: {EVENT[:-9]}", "Hi", []),  # the last line breaks off
        (f"data: {HALF}\ndata: {REST}\n\n", "Hi", []),  # one event of two lines
        (f"data: {HALF}\ndata: {REST}", "Hi", []),
        (f"event: x\nid: 1\nretry: 5\n: a comment\ndata: {EVENT}\n\ndata: [DONE]\n\n", "Hi", []),
        (f"data:\n\ndata: \n\ndata: {EVENT}\n\n", "Hi", []),
        (f"data: {EVENT}\ndata: {EVENT}\n\n", "HiHi", ["sse-unparted"]),  # no empty line between any
        (f"data: {EVENT}\ndata: {EVENT}\n\ndata: {EVENT}\n\n", "HiHiHi", ["sse-framing"]),  # between some
        (f"data: {EVENT}\n\ndata: nonsense\n\ndata: {EVENT}\n\n", "HiHi", ["sse-framing"]),
        (f"data: {EVENT}\n\n{EVENT}\n\n", "HiHi", ["sse-framing"]),  # a line without `data:`
        (f"data: {EVENT}\n\nnonsense\n\ndata: {EVENT}\n\n", "HiHi", []),  # what another program printed between
    ],
)
def test_server_sent_events(text: str, said: str, odd: list[str]) -> None:
    """As the HTML standard has them (section 9.2.6), and as servers break that."""
    for pieces in ([text], list(text), [text[:7], text[7:]]):
        reader, events = read(None, pieces)
        assert "".join(told(reader, events)["texts"].values()) == said
        assert [anomaly.code for anomaly in reader.facts.anomalies] == odd
        assert reader.facts.ended is ("[DONE]" in text)


# -- Bedrock's binary framing --------------------------------------------------------------------------------------


def prelude(total: int, headers: int) -> bytes:
    lengths = struct.pack(">II", total, headers)
    return lengths + struct.pack(">I", zlib.crc32(lengths))


@pytest.mark.parametrize(
    ("total", "headers", "begins"),
    [
        (16, 0, True),
        (15, 0, False),  # shorter than a prelude and its last checksum
        (26, 10, True),
        (25, 10, False),  # shorter than its headers
        (1 << 24, 0, False),  # an answer begins with no message of 16 MB
    ],
)
def test_lengths_of_a_binary_message(total: int, headers: int, begins: bool) -> None:
    assert may_begin(prelude(total, headers)) is begins
    assert may_begin(prelude(total, headers)[:11]) is (None if total < 1 << 24 else False)


def test_binary_messages_come_cut_and_one_after_another() -> None:
    one = binary_message("contentBlockDelta", b'{"contentBlockIndex": 0, "delta": {"text": "A"}}')
    two = binary_message("contentBlockDelta", b'{"contentBlockIndex": 0, "delta": {"text": "B"}}')
    stop = binary_message("messageStop", b'{"stopReason": "end_turn"}')
    for pieces in ([one + two + stop], [one, two, stop], [one[:20], one[20:] + two[:3], two[3:] + stop]):
        reader, events = read(None, pieces)
        assert "".join(told(reader, events)["texts"].values()) == "AB"
        assert (reader.facts.anomalies, reader.facts.ended) == ((), True)
    for total, odd in ((1 << 26, []), ((1 << 26) + 1, ["event-stream-framing"])):  # more is no length but garbage
        assert [anomaly.code for anomaly in read(None, [one, prelude(total, 0)])[0].facts.anomalies] == odd
    lost = read(None, [one, b"\0" * 30, two])  # nothing tells where the next message begins
    assert list(told(*lost)["texts"].values()) == ["A"]
    assert [anomaly.code for anomaly in lost[0].facts.anomalies] == ["event-stream-framing"]


# -- errors ----------------------------------------------------------------------------------------------------------

INNER = {"error": {"message": "no such tool", "code": 400}}


def wrapped(times: int) -> dict[str, Any]:
    body: Any = INNER
    for number in range(times):
        body = {"error": {"message": f"level {number + 1} failed", "metadata": {"raw": json.dumps(body)}}}
    return body


@pytest.mark.parametrize(
    ("body", "said", "own"),
    [
        (INNER, ("no such tool", 400), ("no such tool", 400)),
        ({"error": "no such tool"}, ("no such tool", None), ("no such tool", None)),
        ({"error": {"message": json.dumps(INNER), "code": 502}}, ("no such tool", 400), (json.dumps(INNER), 502)),
        ({"error": {"message": f" \n{json.dumps(INNER)}"}}, ("no such tool", 400), (f" \n{json.dumps(INNER)}", None)),
        ({"error": {"message": "{no JSON", "code": 502}}, ("{no JSON", 502), ("{no JSON", 502)),
        ({"error": {"message": "[1]", "code": 502}}, ("[1]", 502), ("[1]", 502)),
        (
            {"error": {"message": "Provider returned error", "code": 502, "metadata": {"raw": INNER}}},
            ("no such tool", 400), ("Provider returned error", 502),
        ),
        (
            {"error": {"message": "refused", "code": 502, "metadata": {"raw": '{"error": {"message": "why"}}'}}},
            ("why", 502), ("refused", 502),
        ),
        ({"error": {"message": "refused", "type": "error", "code": "bad"}}, ("refused", "bad"), ("refused", "bad")),
        ({"error": {"code": True, "message": "refused"}}, ("refused", None), ("refused", None)),
        (
            {"detail": [{"loc": ["body", "tools", 0], "msg": "field required"}, {"msg": "also this"}]},
            ("body.tools.0: field required; also this", None), ("body.tools.0: field required; also this", None),
        ),
        (wrapped(6), ("no such tool", 400), ("level 6 failed", None)),
        (wrapped(7), ("level 1 failed", None), ("level 7 failed", None)),  # six errors in errors are looked into
    ],
)  # fmt: skip
def test_errors_in_errors(body: Any, said: tuple[str, Any], own: tuple[str, Any]) -> None:
    assert (error_of(body), own_error_of(body)) == (said, own)


@pytest.mark.parametrize(
    "body",
    [
        {"message": "Hello"},
        {"message": "The tool must be called", "extra": 1},
        {"success": True, "message": "invalid"},
        {"ok": True, "message": "invalid"},
        {"type": "greeting", "message": "invalid"},
        {"status": "failed"},
        {"error": None, "choices": []},
    ],
)
def test_no_error(body: Any) -> None:
    assert (error_of(body), own_error_of(body)) == (None, None)


# -- OpenTelemetry ---------------------------------------------------------------------------------------------------


def test_attributes_of_a_record() -> None:
    """A map, OTLP's list, and keys of the record itself that no attribute outranks."""
    record = {"name": "chat", "gen_ai.a": 1, "llm.b": 2, "langfuse.c": 3, "other.d": 4}
    assert plain_attributes(record) == {"gen_ai.a": 1, "llm.b": 2, "langfuse.c": 3}
    assert plain_attributes(record | {"attributes": {"gen_ai.a": 5, "other.e": 6}}) == {
        "gen_ai.a": 5, "llm.b": 2, "langfuse.c": 3, "other.e": 6,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({"stringValue": "a"}, "a"),
        ({"boolValue": False}, False),
        ({"doubleValue": 0.5}, 0.5),
        ({"intValue": "-12"}, -12),
        ({"intValue": 12}, 12),
        ({"intValue": "9" * 19}, int("9" * 19)),
        ({"intValue": "9" * 20}, "9" * 20),  # beyond 64 bits: no integer of OTLP
        ({"intValue": "1.5"}, "1.5"),
        ({"bytesValue": "AA=="}, {"bytesValue": "AA=="}),
        ({"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": "1"}]}}, ["a", 1]),
        ({"kvlistValue": {"values": [{"key": "k", "value": {"boolValue": True}}]}}, {"k": True}),
        ({"stringValue": "a", "intValue": "1"}, {"stringValue": "a", "intValue": "1"}),
        ("a", "a"),
        (None, None),
    ],
)
def test_values_of_otlp(value: Any, plain: Any) -> None:
    assert plain_attributes({"attributes": [{"key": "k", "value": value}]}) == {"k": plain}


@pytest.mark.parametrize("kind", ["arrayValue", "kvlistValue"])
def test_values_of_otlp_nest_to_some_depth(kind: str) -> None:
    value: Any = {"stringValue": "a"}
    for _ in range(20_000):
        value = {kind: {"values": [value if kind == "arrayValue" else {"key": "k", "value": value}]}}
    found = plain_attributes({"attributes": [{"key": "k", "value": value}]})["k"]
    levels = 0
    while not (isinstance(found, dict) and kind in found):
        found, levels = (found[0] if kind == "arrayValue" else found["k"]), levels + 1
    assert levels == 33


# -- bounds of what is taken -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "whole", "time"),
    [
        (0, 0, 0),
        (-1, -1, None),
        (0.5, None, 0.5),
        (10**18 - 1, 10**18 - 1, 10**18 - 1),
        (10**18, None, None),
        (1 - 10**18, 1 - 10**18, None),
        (-(10**18), None, None),
        (True, None, None),
        ("1", None, None),
        (None, None, None),
        (float("nan"), None, None),
    ],
)
def test_numbers_of_the_wire(value: Any, whole: int | None, time: float | None) -> None:
    assert (integer_of(value), seconds_of(value)) == (whole, time)


EVIDENCE = "x" * 500


def test_evidence_is_short() -> None:
    reader, _ = read(f"data: {EVENT}\n\ndata: {EVIDENCE}\n\n")
    assert [len(anomaly.evidence) for anomaly in reader.facts.anomalies] == [200]
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": {"x": EVIDENCE}}}
    (odd,) = parse({"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]}).facts.anomalies
    assert len(odd.evidence) == 200


@pytest.mark.parametrize("deep", [3, 4, 5, 6])
def test_texts_in_errors_that_hold_json(deep: int) -> None:
    """Wrapped in so many texts, an error is still recognised as one."""
    assert recognise(wrapped(deep)).format == "error"


# -- one sign is not enough ------------------------------------------------------------------------------------------

USER = [{"role": "user", "content": "Hi"}]


@pytest.mark.parametrize(
    ("document", "format_", "side"),
    [
        ({"jsonrpc": "2.0", "method": "tools/list"}, "mcp", "request"),
        ({"method": "tools/list"}, "unknown", "response"),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, "mcp", "response"),
        ({"contents": [{"parts": [{"text": "Hi"}]}]}, "gemini", "request"),
        ({"contents": "Hi"}, "unknown", "response"),
        ({"toolConfig": {}, "messages": [{"role": "user", "content": [{"text": "Hi"}]}]}, "bedrock", "request"),
        ({"toolConfig": {}, "contents": [{"parts": [{"text": "Hi"}]}]}, "gemini", "request"),
        ({"toolConfig": "auto"}, "unknown", "response"),
        ({"model": "m", "input": "Hi"}, "openai-responses", "request"),
        ({"tools": [], "input": "Hi"}, "openai-responses", "request"),
        ({"input": "Hi"}, "unknown", "response"),
        ({"input": [{"role": "user", "content": "Hi"}]}, "openai-responses", "request"),
        ({"input": [{"text": "Hi"}]}, "unknown", "response"),
        ({"model": "m", "prompt": "Hi"}, "ollama-generate", "request"),
        ({"prompt": "Hi"}, "unknown", "response"),
        ({"model": "m", "messages": USER, "functions": []}, "openai-legacy", "request"),
        ({"model": "m", "messages": USER, "function_call": "auto"}, "openai-legacy", "request"),
        ({"model": "m", "messages": USER, "function_call": {}}, "openai-chat", "request"),
        ({"model": "m", "messages": USER, "max_tokens": 5, "system": "Be kind."}, "anthropic", "request"),
        ({"model": "m", "messages": USER, "system": "Be kind."}, "openai-chat", "request"),
        ({"model": "m", "messages": USER, "tool_choice": {"type": "function"}}, "openai-chat", "request"),
        ({"model": "m", "messages": USER, "tool_choice": {"type": "tool", "name": "f"}}, "anthropic", "request"),
        ({"model": "m", "messages": USER, "tool_choice": "REQUIRED"}, "cohere", "request"),
        ({"model": "m", "messages": USER, "tool_choice": "required"}, "openai-chat", "request"),
        ({"model": "m", "messages": USER, "strict_tools": True}, "cohere", "request"),
        *[
            ({"model": "m", "messages": USER, key: {}}, "ollama", "request")
            for key in ("options", "keep_alive", "think")
        ],
        ({"model": "m", "messages": [{"role": "tool", "tool_name": "f", "content": "1"}]}, "ollama", "request"),
        ({"functionDeclarations": [{"name": "f"}]}, "gemini", "tools"),
        ({"function_declarations": [{"name": "f"}]}, "gemini", "tools"),
        ({"toolSpec": {"name": "f"}}, "bedrock", "tools"),
        ({"name": "f", "input_schema": {}}, "anthropic", "tools"),
        ({"name": "f", "inputSchema": {}}, "mcp", "tools"),
        ({"type": "function", "function": {"name": "f"}}, "openai-chat", "tools"),
        ({"type": "function", "name": "f"}, "openai-responses", "tools"),
        ({"type": "function"}, "unknown", "response"),
        ({"name": "f", "parameters": {}}, "tools-canonical", "tools"),
        ({"name": "f", "parameters": {}, "type": "x"}, "unknown", "response"),
        ({"name": "", "parameters": {}}, "unknown", "response"),
        # answers
        ({"log": {"entries": []}}, "har", "response"),
        ({"log": {"entries": {}}}, "unknown", "response"),
        ({"call_type": "completion", "response": CHAT, "hidden_params": {}}, "litellm-log", "response"),
        ({"traceId": "t", "type": "SPAN"}, "langfuse", "response"),
        ({"traceId": "t", "type": "span"}, "unknown", "response"),
        ({"usageMetadata": {}, "modelVersion": "g"}, "gemini", "response"),
        ({"usageMetadata": {}}, "unknown", "response"),
        ({"promptFeedback": {}}, "gemini", "response"),
        ({"promptFeedback": None}, "unknown", "response"),
        ({"output": {"message": {}}, "stopReason": "end_turn"}, "bedrock", "response"),
        ({"output": {"message": {}}}, "unknown", "response"),
        ({"messageStop": {}}, "bedrock", "stream"),
        ({"messageStop": {}, "more": 1}, "unknown", "response"),
        ({"messageStop": 1}, "unknown", "response"),
        ({"metadata": {"usage": {}, "metrics": {}}}, "bedrock", "stream"),
        ({"metadata": {"usage": {}}}, "unknown", "response"),
        ({"throttlingException": {"message": "slow down"}}, "bedrock", "stream"),
        ({"ThrottlingException": {"message": "slow down"}}, "unknown", "response"),
        ({"throttlingException": {}}, "unknown", "response"),
        ({"object": "response"}, "openai-responses", "response"),
        ({"output": [{"type": "message"}]}, "openai-responses", "response"),
        ({"output": [{}]}, "unknown", "response"),
        ({"type": "message", "content": []}, "anthropic", "response"),
        ({"type": "message", "content": "Hi"}, "unknown", "response"),
        ({"stopReason": "toolUse", "content": [{"type": "toolCall"}]}, "anthropic", "response"),
        ({"role": "assistant", "stopReason": "error", "content": [], "errorMessage": "x"}, "anthropic", "response"),
        ({"stopReason": "toolUse", "content": "Hi"}, "unknown", "response"),
        ({"message": {}, "finish_reason": "COMPLETE"}, "cohere", "response"),
        ({"finish_reason": "COMPLETE"}, "unknown", "response"),
        ({"choices": [], "model": "m"}, "openai-chat", "response"),
        ({"choices": []}, "unknown", "response"),
        ({"choices": [{}]}, "unknown", "response"),
        ({"done": True, "message": {}}, "ollama", "response"),
        ({"done": True, "response": "Hi"}, "ollama-generate", "response"),
        ({"done": True, "response": {}}, "unknown", "response"),
        ({"done": True}, "unknown", "response"),
        ({"role": "assistant", "tool_plan": "I look."}, "cohere", "response"),
        ({"tool_plan": "I look."}, "unknown", "response"),
        ({"role": "model", "parts": []}, "gemini", "response"),
        ({"parts": []}, "unknown", "response"),
        ({"type": "web_search_call", "call_id": "c"}, "openai-responses", "response"),
        ({"type": "web_search", "call_id": "c"}, "unknown", "response"),
        ({"type": "tool_use", "name": "f", "input": {}, "id": "t"}, "anthropic", "response"),
        ({"type": "tool_use", "name": "f", "input": {}}, "unknown", "response"),
    ],
)
def test_signs_of_a_format_and_what_lacks_one(document: Any, format_: str, side: str) -> None:
    found = recognise(document)
    assert (found.format, found.side) == (format_, side)
