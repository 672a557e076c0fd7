"""Every provider format, whole and streamed: what the wire says, before anything is repaired."""

from __future__ import annotations

import base64
import copy
import json
import random
import struct
import zlib
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.cases import ids, load, same
from utp_cli import parse
from utp_cli.wire.catalogue import FORMATS, decoder_of
from utp_cli.wire.decoder import Scope
from utp_cli.wire.reader import WireReader
from utp_cli.wire.shape import recognise
from utp_cli.wire.spec import ABSENT, CallDone, CallOpened, CallPiece, Finished, ServerCallSeen, TextPiece

CASES = load("wire/cases.jsonl", "wire/more.jsonl")
BY_ID = dict(zip(ids(CASES), CASES, strict=True))
RECOGNISED = load("wire/recognise.jsonl")


def read(source: Any, pieces: list[Any] | None = None) -> tuple[WireReader, list[Any]]:
    reader = WireReader()
    if pieces is not None:
        events = [event for piece in pieces for event in reader.feed(piece)]
    elif isinstance(source, str | bytes):
        events = reader.feed(source)
    else:
        events = reader.feed_document(source)
    return reader, events + reader.close()


def told(reader: WireReader, events: list[Any]) -> dict[str, Any]:
    """All that was said, without the pieces in which it came."""
    texts: dict[tuple[str, str], str] = {}
    for event in events:
        if isinstance(event, TextPiece):
            key = (event.kind, event.pointer)
            texts[key] = texts.get(key, "") + event.text
    return {
        "shape": reader.shape,
        "stream": reader.stream,
        "texts": texts,
        "calls": [event for event in events if isinstance(event, CallDone)],
        "server_calls": [event.call.to_dict() for event in events if isinstance(event, ServerCallSeen)],
        "finish_reason": next((e.reason for e in reversed(events) if isinstance(e, Finished)), None),
        "facts": reader.facts,
    }


def joined(said: dict[str, Any], kind: str) -> str:
    return "".join(text for (of, _), text in said["texts"].items() if of == kind)


def arguments(done: CallDone) -> Any:
    """The arguments as the wire has them; its JSON text decoded where it is JSON."""
    if done.custom:
        return {"input": done.arguments}
    if done.arguments is ABSENT or done.arguments is None:
        return {}
    try:
        return json.loads(done.arguments) if isinstance(done.arguments, str) else done.arguments
    except ValueError:
        return done.arguments


def readable(done: CallDone) -> bool:
    return done.name is not None and isinstance(arguments(done), dict)


def cut(source: Any, seed: int) -> list[Any]:
    rng, out, at = random.Random(seed), [], 0
    while at < len(source):
        step = rng.choice((1, 1, 2, 3, 5, 8, 13, 40))
        out.append(source[at : at + step])
        at += step
    return out


# -- cases -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BY_ID)
def test_case(name: str) -> None:
    case = BY_ID[name]
    expect, said = case["expect"], told(*read(case["input"]))
    assert said["shape"] == case["format"]
    check_calls(case, said["calls"])
    for key, kind in (("content", "text"), ("reasoning", "reasoning")):
        # What a model wrote into `response` is not the wire's to take apart.
        if "texts" not in expect and case["format"] != "ollama-generate":
            assert joined(said, kind).strip() == expect.get(key, "").strip()
    for fact, nothing in NOTHING.items():
        want = expect.get(fact, nothing)
        assert FACTS[fact](said) == (sorted(want) if fact == "oddities" else want), fact
    assert all(anomaly.evidence for anomaly in said["facts"].anomalies)


def check_calls(case: dict[str, Any], calls: list[CallDone]) -> None:
    expect = case["expect"]
    if case["id"] == "wire-ollama-generate-01":
        assert not calls  # it stands in the text
        return
    if "invalid" in expect:
        assert sum(not readable(done) for done in calls) == expect["invalid"]
        calls = [done for done in calls if readable(done)]
    assert [done.name for done in calls] == [want["name"] for want in expect["calls"]]
    for done, want in zip(calls, expect["calls"], strict=True):
        assert done.id == want.get("id")
        got = arguments(done)
        # Arguments that only a repair can read are the text as it came.
        assert same(got, want["arguments"]) or (isinstance(got, str) and isinstance(want["arguments"], dict))


NOTHING = {"server_calls": [], "oddities": [], "error": None, "status": None, "finish_message": None}
"""What a case that is silent about it has."""
FACTS = {
    "server_calls": lambda said: [{k: v for k, v in call.items() if v is not None} for call in said["server_calls"]],
    "finish_reason": lambda said: said["finish_reason"],
    "stream": lambda said: said["stream"],
    "ended": lambda said: said["facts"].ended,
    "error": lambda said: said["facts"].error,
    "status": lambda said: said["facts"].status,
    "finish_message": lambda said: said["facts"].finish_message,
    "flavour": lambda said: said["facts"].flavour,
    "tokens": lambda said: [said["facts"].prompt_tokens, said["facts"].completion_tokens],
    "oddities": lambda said: sorted(anomaly.code for anomaly in said["facts"].anomalies),
    "pointers": lambda said: [done.pointer for done in said["calls"]],
    "texts": lambda said: {pointer: text for (_, pointer), text in said["texts"].items()},
    "content_pointer": lambda said: next(pointer for kind, pointer in said["texts"] if kind == "text"),
}


@pytest.mark.parametrize(
    ("name", "fact"),
    [(name, fact) for name, case in BY_ID.items() for fact in FACTS if fact in case["expect"] and fact not in NOTHING],
)
def test_fact(name: str, fact: str) -> None:
    case = BY_ID[name]
    assert FACTS[fact](told(*read(case["input"]))) == case["expect"][fact]


BODIES = [
    name for name, case in BY_ID.items() if not isinstance(case["input"], str) and not read(case["input"])[0].stream
]
ADDED_UP = {
    # the events of a stream in a field: places are those in what they add up to
    "wire-more-bedrock-boto", "wire-more-chat-stream-key", "wire-more-chat-stream-text-of-sse", "wire-more-har-many",
    # a choice in an attribute, or as the body of a record: places are those in the answer that it is part of
    "wire-more-otel-choice-event", "wire-more-otel-choice-beside", "wire-more-otel-choice-log",
    # OTLP's own lists and maps, which places leave out
    "wire-more-otel-structure",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted({*BODIES} - ADDED_UP))
def test_pointers_lead_to_what_they_are_said_to_hold(name: str) -> None:
    said = told(*read(BY_ID[name]["input"]))
    held = [(done.pointer, done.arguments) for done in said["calls"] if done.arguments not in (ABSENT, None)]
    for place, value in [*held, *((place, text) for (_, place), text in said["texts"].items())]:
        assert followed(BY_ID[name]["input"], place) == value, place


def followed(document: Any, place: str) -> Any:
    """What a JSON Pointer leads to, through JSON in text."""
    for step in place.split("/")[1:]:
        document = json.loads(document) if isinstance(document, str) else document
        key = step.replace("~1", "/").replace("~0", "~")
        document = document[int(key)] if isinstance(document, list) else document[key]
    return document


@pytest.mark.parametrize("name", [name for name, case in BY_ID.items() if isinstance(case["input"], str)])
def test_pieces_are_the_whole(name: str) -> None:
    text = BY_ID[name]["input"]
    whole = told(*read(text))
    raw = text.encode()
    ends = BY_ID[name].get("split_at", [])
    given = [raw[a:b] for a, b in zip([0, *ends], [*ends, len(raw)], strict=True)]
    single = [text[i] for i in range(len(text))]
    for pieces in (cut(text, 1), cut(raw, 2), single, given, [raw[i : i + 1] for i in range(len(raw))]):
        assert told(*read(None, pieces)) == whole


@pytest.mark.parametrize("name", [n for n, case in BY_ID.items() if not isinstance(case["input"], str)])
def test_a_body_as_text_is_the_body(name: str) -> None:
    document = BY_ID[name]["input"]
    whole = told(*read(document))
    for text in (json.dumps(document), json.dumps(document, indent=2, ensure_ascii=False) + "\n"):
        assert told(*read(text)) == whole
        assert told(*read(None, cut(text.encode(), 3))) == whole


@pytest.mark.parametrize("name", [n for n, c in BY_ID.items() if c["format"] not in ("text", "error", "har")])
def test_events_are_in_order(name: str) -> None:
    """A call opens once, then its pieces come, then it is done; keys are those of calls, server-side ones counted."""
    _, events = read(BY_ID[name]["input"])
    opened: set[int] = set()
    done: set[int] = set()
    for event in events:
        if isinstance(event, CallOpened):
            assert event.key not in opened | done
            opened.add(event.key)
        elif isinstance(event, CallPiece):
            assert event.key in opened - done
        elif isinstance(event, CallDone):
            assert event.key not in done
            assert (event.key in opened) == (event.name is not None)
            done.add(event.key)
    assert opened <= done
    assert done <= set(range(len(done) + sum(isinstance(event, ServerCallSeen) for event in events)))


@pytest.mark.parametrize("format_", sorted(FORMATS))
def test_every_format_has_its_decoder_and_a_case(format_: str) -> None:
    assert decoder_of(format_, Scope()).close() == []
    assert any(case["format"] == format_ for case in CASES)


# -- recognising -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BY_ID)
def test_recognised(name: str) -> None:
    case = BY_ID[name]
    found = recognise(case["input"])
    assert found.format == case["format"]
    assert list(found.to_dict())[:2] == ["format", "side"]
    assert found.why


@pytest.mark.parametrize("case", RECOGNISED, ids=ids(RECOGNISED))
def test_recognised_requests_and_tools(case: dict[str, Any]) -> None:
    for source in (case["input"], json.dumps(case["input"])):
        found = recognise(source)
        assert (found.format, found.side) == (case["format"], case["side"])
        assert found.ambiguous is case.get("ambiguous", False)


@pytest.mark.parametrize("source", ["", "Hello", b"", b"\xff\xfe\x00", "{", "[1]", '{"a": 1}', '"x"'])
def test_text_is_text(source: Any) -> None:
    assert recognise(source).to_dict()["format"] == "text"
    assert read(source)[0].shape == "text"


@pytest.mark.parametrize("source", [None, 3, {}, [], {"a": 1}, [1], [{"a": 1}], {"choices": 4}, [[[]]]])
def test_a_decoded_object_of_no_format_is_unknown(source: Any) -> None:
    assert recognise(source).format == "unknown"
    assert read(source)[0].shape == "unknown"


# -- raw text --------------------------------------------------------------------------------------------------


def test_raw_text_passes_at_once() -> None:
    reader = WireReader()
    assert reader.feed("Hello") == [TextPiece(pointer="", text="Hello")]
    assert (reader.verbatim, reader.shape) == (True, "text")
    assert reader.feed(" {") == [TextPiece(pointer="", text=" {")]
    assert reader.close() == []


def test_json_that_a_model_wrote_is_held_until_it_is_clear() -> None:
    reader = WireReader()
    assert reader.feed('{"name": "f"') == []
    assert (reader.verbatim, reader.shape) == (False, None)
    assert reader.feed("}\nDone") == [TextPiece(pointer="", text='{"name": "f"}\nDone')]
    assert reader.verbatim


def test_bytes_that_are_no_utf8() -> None:
    reader = WireReader()
    events = [event for piece in (b"caf\xc3", b"\xa9 \xff", b"\xe2\x82") for event in reader.feed(piece)]
    assert "".join(event.text for event in events + reader.close()) == "café �\ufffd"


def test_a_stream_speaks_before_its_end() -> None:
    text = BY_ID["wire-openai-chat-07"]["input"]
    reader = WireReader()
    assert any(isinstance(event, TextPiece) for event in reader.feed(text[: len(text) // 3]))
    assert reader.shape == "openai-chat"


# -- Bedrock's binary framing ----------------------------------------------------------------------------------


OTHER_HEADERS = {
    0: b"",
    1: b"",
    2: b"\x07",
    3: b"\0\x07",
    4: b"\0" * 4,
    5: b"\0" * 8,
    6: b"\0\x03abc",
    8: b"\0" * 8,
    9: b"\7" * 16,
}
"""A value of each type of header that is no text: true, false, 8 to 64 bits, bytes, time, UUID."""


def message(key: str, payload: bytes, kind: bytes = b":event-type") -> bytes:
    headers = b"".join(b"\x02h%d" % of + bytes([of]) + value for of, value in OTHER_HEADERS.items())
    headers += bytes([len(kind)]) + kind + b"\x07" + struct.pack(">H", len(key)) + key.encode()
    headers += b"\x02id\x04" + struct.pack(">I", 7)
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    head = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + payload
    return head + struct.pack(">I", zlib.crc32(head))


def bedrock_stream() -> tuple[str, bytes]:
    lines = BY_ID["wire-bedrock-06"]["input"]
    events = [json.loads(line) for line in lines.splitlines()]
    return lines, b"".join(message(key, json.dumps(value).encode()) for e in events for key, value in e.items())


def test_binary_stream() -> None:
    lines, binary = bedrock_stream()
    want = told(*read(lines))
    assert told(*read(binary)) == want
    assert told(*read(None, cut(binary, 4))) == want
    assert told(*read(None, [binary[i : i + 1] for i in range(len(binary))])) == want
    assert recognise(binary).to_dict()["side"] == "stream"


def in_chunks(document: dict[str, Any], times: int) -> dict[str, Any]:
    for _ in range(times):
        document = {"chunk": {"bytes": base64.b64encode(json.dumps(document).encode()).decode()}}
    return document


def test_streams_in_streams_are_read_to_some_depth() -> None:
    """A chunk holds an event of the model's own stream; one that goes on for ever is no answer and no error."""
    said = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "A"}]}
    assert joined(told(*read(in_chunks(said, 1))), "text") == "A"
    deep = told(*read(in_chunks(said, 12)))
    assert (deep["shape"], deep["texts"], deep["calls"], deep["facts"].anomalies) == ("bedrock", {}, [], ())


def test_binary_stream_with_a_wrong_checksum() -> None:
    _, binary = bedrock_stream()
    reader, events = read(binary[:-1] + bytes([binary[-1] ^ 1]))
    assert len([event for event in events if isinstance(event, CallDone)]) == 2
    assert [anomaly.code for anomaly in reader.facts.anomalies] == ["event-stream-crc"]


def test_binary_stream_that_breaks_off_or_turns_to_garbage() -> None:
    _, binary = bedrock_stream()
    reader, events = read(binary[:-300])
    assert reader.facts.ended is False
    assert [event.name for event in events if isinstance(event, CallDone)] == ["set_thermostat", "list_rooms"]
    reader, _ = read(binary + b"\0" * 40)
    assert [anomaly.code for anomaly in reader.facts.anomalies] == ["event-stream-framing"]


def test_binary_exception() -> None:
    reader, _ = read(message("validationException", b'{"message": "no"}', b":exception-type"))
    assert (reader.shape, reader.facts.error, reader.facts.status) == ("bedrock", "no", "validationException")


# -- anomalies --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n, c in BY_ID.items() if c["expect"].get("repairs") == []])
def test_healthy_answers_are_not_odd(name: str) -> None:
    codes = {anomaly.code for anomaly in read(BY_ID[name]["input"])[0].facts.anomalies}
    assert codes <= ({"legacy-field"} if BY_ID[name]["format"] == "openai-legacy" else set())


def test_signatures_are_kept() -> None:
    body = BY_ID["wire-gemini-02"]["input"]
    stream = f"data: {json.dumps(body)}\r\n\r\n"
    assert parse(body).calls[0].signature == "CpQBAdHt"
    assert [call.signature for call in parse(body).calls] == [call.signature for call in parse(stream).calls]


def test_signatures_in_the_form_of_openai_are_kept() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    signed = {**call, "extra_content": {"google": {"thought_signature": "CpQB"}}}
    message = {"role": "assistant", "tool_calls": [signed]}
    chunk = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": message}]}
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    for answer in (body, f"data: {json.dumps(chunk)}\n\n"):
        assert [call.signature for call in parse(answer).calls] == ["CpQB"]


def test_provider_decides_what_is_ambiguous() -> None:
    document = {"role": "assistant", "content": [{"type": "text", "text": "Hi"}]}
    for provider, shape in ((None, "openai-chat"), ("anthropic", "anthropic"), ("none", "openai-chat")):
        reader = WireReader(provider)
        reader.feed_document(document)
        assert reader.shape == shape


# -- laws ------------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
DOCUMENTS = [case["input"] for case in CASES if not isinstance(case["input"], str)]
STREAMS = [case["input"] for case in CASES if isinstance(case["input"], str)]


def mutate(value: Any, data: st.DataObject) -> Any:
    """Walk down a document at random and put something else, or nothing, where the walk ends."""
    if isinstance(value, dict) and value and data.draw(st.integers(0, 9)):
        key = data.draw(st.sampled_from(sorted(value)))
        changed = {**value, key: mutate(value[key], data)}
        if data.draw(st.integers(0, 9)) == 0:
            del changed[key]
        return changed
    if isinstance(value, list) and value and data.draw(st.integers(0, 9)):
        at = data.draw(st.integers(0, len(value) - 1))
        return [*value[:at], mutate(value[at], data), *value[at + 1 :]]
    return data.draw(st.just([value]) | st.just({"x": value}) | st.just(str(value)) | JSON)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_document_gives_an_answer(data: st.DataObject) -> None:
    document = data.draw(st.sampled_from(DOCUMENTS) | JSON)
    for _ in range(data.draw(st.integers(1, 4))):
        document = mutate(document, data)
    reader, _ = read(copy.deepcopy(document))
    assert reader.shape
    assert recognise(document).format
    text = json.dumps(document)
    assert told(*read(None, cut(text, 5)))["texts"] == told(*read(text))["texts"]


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_stream_gives_the_same_in_pieces(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(STREAMS))
    at = data.draw(st.integers(0, len(text)))
    noise = data.draw(st.text(alphabet='{}[]",:\\\n\r d', max_size=6))
    text = text[:at] + noise + text[at + data.draw(st.integers(0, 5)) :]
    whole = told(*read(text))
    assert told(*read(None, cut(text, 6))) == whole
    assert told(*read(None, cut(text.encode("utf-8"), 7))) == whole


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=80) | st.text(alphabet='{}[]"\\ :,dat\n1', max_size=40))
def test_anything_gives_an_answer(source: Any) -> None:
    reader, events = read(source)
    assert reader.shape
    if reader.shape == "text":
        text = source if isinstance(source, str) else source.decode("utf-8", "replace")
        assert "".join(event.text for event in events) == text
    assert recognise(source).format


@pytest.mark.parametrize("format_", sorted(FORMATS))
@pytest.mark.parametrize("stream", [True, False])
def test_decoders_take_documents_of_other_formats(format_: str, stream: bool) -> None:
    for document in DOCUMENTS:
        decoder = decoder_of(format_, Scope(stream=stream))
        decoder.feed(document)
        decoder.close()


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


def test_deep_nesting() -> None:
    deep = nested(100_000)
    body = {"choices": [{"message": {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": deep}}]}}]}
    assert [event.name for event in read(body)[1] if isinstance(event, CallDone)] == ["f"]
    (odd,) = read(body)[0].facts.anomalies
    assert (odd.code, odd.evidence) == ("arguments-wrong-kind", "text is due; this is a deeply nested dict")
    assert read({"resourceSpans": [deep]})[0].shape == "otel"
    assert read(deep)[0].shape == "unknown"
    for text in (
        "[" * 100_000,
        '{"a":' * 100_000,
        '[{"a":' * 50_000,
        '{"choices":' + "[" * 100_000 + "]" * 100_000 + "}",
    ):
        assert read(text)[0].shape == "text"
        assert read(None, cut(text, 8))[0].shape == "text"


def test_long_numbers() -> None:
    digits = "9" * 5000
    text = f'{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {{"name": "f", "arguments": {{"x": {digits}}}}}}}'
    (done,) = (event for event in read(text)[1] if isinstance(event, CallDone))
    assert done.arguments["x"] % 1000 == 999


def test_tools_of_the_provider_are_not_checked_against_definitions() -> None:
    item = {"type": "computer_call", "id": "cu_1", "call_id": "c1", "action": {"type": "click", "x": 1, "y": 2}}
    known = [{"name": "f", "parameters": {"type": "object", "properties": {}}}]
    (call,) = parse({"object": "response", "status": "completed", "output": [item]}, tools=known).calls
    assert (call.name, call.arguments, call.valid, call.problems) == ("computer", item["action"], None, ())


BLOCK = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}}


@pytest.mark.parametrize(
    ("fragment", "content", "pointer"),
    [
        (BLOCK, "", "/input"),
        ([BLOCK], "", "/0/input"),
        ([{"type": "text", "text": "Hi."}, BLOCK], "Hi.", "/1/input"),
        ([{"type": "thinking", "thinking": "Hm."}, BLOCK, {"type": "text", "text": "Bye."}], "Bye.", "/1/input"),
    ],
)
def test_blocks_of_a_message_without_the_message(fragment: Any, content: str, pointer: str) -> None:
    for source in (fragment, json.dumps(fragment)):
        result = parse(source)
        assert [(call.name, call.arguments, call.id, call.pointer) for call in result.calls] == [
            ("f", {"a": 1}, "toolu_1", pointer)
        ]
        assert (result.shape, result.content, result.rejected, result.diagnoses) == ("anthropic", content, [], [])
