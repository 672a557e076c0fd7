"""What other tools write is read as sessions: recognised by content, the same calls in every form."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from typer.testing import CliRunner

from utp_cli.app import app
from utp_cli.io.sessions import SessionFile, exchange_at, export, read_session, read_sessions
from utp_cli.protocol.errors import BadFile, BadOption
from utp_cli.replaying.importing import exchanges_in, exchanges_of
from utp_cli.replaying.run import replay_parts
from utp_cli.replaying.session import Exchange

ARGUMENTS = {"query": "Zoë ☃"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": json.dumps(ARGUMENTS)}}
MESSAGE = {"role": "assistant", "content": None, "tool_calls": [CALL]}
BODY = {
    "id": "c1",
    "object": "chat.completion",
    "model": "m",
    "choices": [{"index": 0, "message": MESSAGE, "finish_reason": "tool_calls"}],
}
ASKED = [{"role": "user", "content": "find"}]
REQUEST = {"model": "m", "messages": ASKED}
ANTHROPIC = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "stop_reason": "tool_use",
    "content": [{"type": "tool_use", "id": "t1", "name": "search", "input": ARGUMENTS}],
}


def chunk(answer: str = "c1", finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {
        "id": answer,
        "object": "chat.completion.chunk",
        "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def chunks(answer: str = "c1") -> list[dict[str, Any]]:
    return [chunk(answer, tool_calls=[{"index": 0, **CALL}]), chunk(answer, finish="tool_calls")]


def sse(*events: Any) -> str:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


def ollama(done: bool, *calls: Any) -> dict[str, Any]:
    return {
        "model": "m",
        "done": done,
        "message": {"role": "assistant", "content": "", **({"tool_calls": [*calls]} if calls else {})},
    }


OLLAMA = [ollama(False, {"function": {"name": "search", "arguments": ARGUMENTS}}), ollama(True)]


def named(*events: dict[str, Any]) -> str:
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


CLAUDE = named(
    {"type": "message_start", "message": {**ANTHROPIC, "content": [], "stop_reason": None}},
    {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "tool_use", "id": "t1", "name": "search", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": json.dumps(ARGUMENTS)},
    },
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    {"type": "message_stop"},
)


def lines(*documents: Any) -> str:
    return "".join(json.dumps(document) + "\n" for document in documents)


def entry(request: Any, text: str, kind: str = "application/json", **content: Any) -> dict[str, Any]:
    posted = {"postData": {"text": json.dumps(request)}} if request else {}
    url = "https://api.example.com/v1/chat/completions"
    return {
        "time": 1500,
        "request": {"method": "POST", "url": url, **posted},
        "response": {"status": 200, "content": {"mimeType": kind, "text": text, **content}},
    }


HAR = {
    "log": {
        "version": "1.2",
        "entries": [
            entry(None, "body {}", "text/css"),
            entry(REQUEST, json.dumps(BODY)),
            entry(REQUEST, base64.b64encode(sse(*chunks()).encode()).decode(), "text/event-stream", encoding="base64"),
            entry(None, '{"ok": true}'),
        ],
    }
}
LITELLM = {
    "id": "1",
    "call_type": "acompletion",
    "custom_llm_provider": "openai",
    "model": "m",
    "messages": ASKED,
    "response": BODY,
    "response_time": 1.5,
}
LANGFUSE = {
    "id": "o",
    "traceId": "t",
    "type": "GENERATION",
    "model": "m",
    "input": ASKED,
    "output": MESSAGE,
    "usage": {"input": 5, "output": 2},
}
PARTS = [
    {
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "call_1", "name": "search", "arguments": ARGUMENTS}],
        "finish_reason": "tool_calls",
    }
]
INPUT = [{"role": "user", "parts": [{"type": "text", "content": "find"}]}]


def attribute(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}


OTEL = {
    "resourceSpans": [
        {"scopeSpans": [{"spans": [
            {"name": "POST /", "attributes": []},
            {"name": "chat m", "attributes": [attribute("gen_ai.request.model", "m"), attribute("gen_ai.input.messages", json.dumps(INPUT)), attribute("gen_ai.output.messages", json.dumps(PARTS))]},
            {"name": "execute_tool search", "attributes": [attribute("gen_ai.operation.name", "execute_tool"), attribute("gen_ai.tool.name", "search"), attribute("gen_ai.tool.call.id", "call_1")]},
        ]}]}
    ]
}  # fmt: skip

CONTEXT = {"trace_id": "0x1f", "span_id": "0x2e", "trace_state": "[]"}
SPAN = {
    "name": "chat m", "context": CONTEXT,
    "attributes": {"gen_ai.request.model": "m", "gen_ai.input.messages": json.dumps(INPUT), "gen_ai.output.messages": json.dumps(PARTS)},
}  # fmt: skip
"""As the console exporter prints it."""
SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}}
FUNCTION = {"type": "function", "function": {"name": "search", "description": "Find.", "parameters": SCHEMA}}
OPENINFERENCE = {
    "name": "ChatCompletion",
    "attributes": [
        attribute("openinference.span.kind", "LLM"), attribute("llm.model_name", "m"),
        attribute("llm.invocation_parameters", '{"temperature": 0.5}'),
        attribute("llm.input_messages.0.message.role", "user"), attribute("llm.input_messages.0.message.content", "find"),
        attribute("llm.input_messages.1.message.role", "assistant"),
        attribute("llm.input_messages.1.message.tool_calls.0.tool_call.id", "c0"),
        attribute("llm.input_messages.1.message.tool_calls.0.tool_call.function.name", "search"),
        attribute("llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments", "{}"),
        attribute("llm.input_messages.2.message.role", "tool"), attribute("llm.input_messages.2.message.tool_call_id", "c0"),
        attribute("llm.input_messages.2.message.content", "none"),
        attribute("llm.tools.0.tool.json_schema", json.dumps(FUNCTION)),
        attribute("llm.tools.1.tool.json_schema", json.dumps(SCHEMA)), attribute("llm.tools.1.tool.name", "list"),
        attribute("llm.output_messages.0.message.role", "assistant"),
        attribute("llm.output_messages.0.message.tool_calls.0.tool_call.id", "call_1"),
        attribute("llm.output_messages.0.message.tool_calls.0.tool_call.function.name", "search"),
        attribute("llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments", json.dumps(ARGUMENTS)),
    ],
}  # fmt: skip
OPENLLMETRY = {
    "name": "openai.chat", "context": CONTEXT,
    "attributes": {
        "gen_ai.request.model": "m", "gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "find",
        "llm.request.functions.0.name": "search", "llm.request.functions.0.parameters": json.dumps(SCHEMA),
        "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.tool_calls.0.id": "call_1",
        "gen_ai.completion.0.tool_calls.0.name": "search", "gen_ai.completion.0.tool_calls.0.arguments": json.dumps(ARGUMENTS),
    },
}  # fmt: skip


def otlp(value: Any) -> Any:
    """Wrap a value as OTLP does."""
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": otlp(inner)} for key, inner in value.items()]}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [otlp(inner) for inner in value]}}
    return {"stringValue": value}


RESULTS = [{"role": "tool", "parts": [{"type": "tool_call_response", "id": name, "response": "x"} for name in "ab"]}]
DETAILS = {
    "eventName": "gen_ai.client.inference.operation.details", "traceId": "1f", "spanId": "2e",
    "attributes": [
        {"key": "gen_ai.request.model", "value": {"stringValue": "m"}},
        {"key": "gen_ai.input.messages", "value": otlp([*INPUT, *RESULTS])},
        {"key": "gen_ai.output.messages", "value": otlp(PARTS)},
        {"key": "gen_ai.tool.definitions", "value": otlp([{"type": "function", "name": "search", "parameters": SCHEMA}])},
    ],
}  # fmt: skip
CHOICE = {"index": "0", "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [CALL]}}
OLD_EVENTS = {
    "name": "chat m", "context": CONTEXT, "attributes": {"gen_ai.request.model": "m"},
    "events": [
        {"name": "gen_ai.user.message", "attributes": {"role": "user", "content": "find"}},
        {"name": "gen_ai.choice", "attributes": {key: json.dumps(value) if isinstance(value, dict) else value for key, value in CHOICE.items()}},
    ],
}  # fmt: skip
OLD_RECORDS = [
    {
        "body": {"content": "find"},
        "attributes": {"event.name": "gen_ai.user.message"},
        "trace_id": "0x1f",
        "span_id": "0x2e",
    },
    {"body": CHOICE, "attributes": {"event.name": "gen_ai.choice"}, "trace_id": "0x1f", "span_id": "0x2e"},
]
LANGFUSE_EXPORT = {
    "id": "o", "trace_id": "t", "type": "GENERATION", "provided_model_name": "m", "model_parameters": '{"temperature": 0}',
    "input": json.dumps({"messages": ASKED, "tools": [FUNCTION]}), "output": json.dumps(MESSAGE),
    "usage_details": '{"input": 5, "output": 2}',
}  # fmt: skip
LANGFUSE_SPAN = {
    "name": "generate", "context": CONTEXT,
    "attributes": {
        "langfuse.observation.type": "generation", "langfuse.observation.model.name": "m",
        "langfuse.observation.input": json.dumps(ASKED), "langfuse.observation.output": json.dumps(MESSAGE),
    },
}  # fmt: skip


def printed(*documents: Any) -> str:
    return "".join(json.dumps(document, indent=4) + "\n" for document in documents)


FORMS: dict[str, tuple[str, int]] = {
    "a conversation": (json.dumps({"messages": [*ASKED, MESSAGE], "tools": []}), 1),
    "a list of messages": (
        json.dumps([*ASKED, MESSAGE, {"role": "tool", "tool_call_id": "call_1", "content": "x"}, MESSAGE]),
        2,
    ),
    "conversations, one a line": (lines({"messages": [*ASKED, MESSAGE]}, {"messages": [*ASKED, MESSAGE]}), 2),
    "a body": (json.dumps(BODY, indent=2), 1),
    "a body on one line": (lines(BODY), 1),
    "bodies, one a line": (lines(BODY, ANTHROPIC, BODY), 3),
    "a list of bodies": (json.dumps([BODY, ANTHROPIC]), 2),
    "pairs": (lines({"request": REQUEST, "response": BODY}, {"request": REQUEST, "response": BODY}), 2),
    "pairs under other names": (lines({"input": REQUEST, "output": BODY}, {"kwargs": REQUEST, "result": BODY}), 2),
    "a batch of OpenAI": (
        lines(*({"id": "b", "custom_id": "1", "response": {"status_code": 200, "body": BODY}} for _ in "ab")),
        2,
    ),
    "a batch of Anthropic": (
        lines(*({"custom_id": "1", "result": {"type": "succeeded", "message": ANTHROPIC}} for _ in "ab")),
        2,
    ),
    "events of a stream": (sse(*chunks()), 1),
    "two streams": (sse(*chunks()) + sse(*chunks("c2")), 2),
    "events with names": (CLAUDE, 1),
    "two streams with names": (CLAUDE + CLAUDE, 2),
    "NDJSON": (lines(*OLLAMA), 1),
    "NDJSON, two answers": (lines(*OLLAMA, *OLLAMA), 2),
    "chunks of an SDK, one a line": (lines(*chunks(), *chunks("c2")), 2),
    "a list of chunks": (json.dumps([*chunks(), *chunks("c2")]), 2),
    "HAR": (json.dumps(HAR), 2),
    "LiteLLM": (json.dumps(LITELLM), 1),
    "LiteLLM, one a line": (lines(LITELLM, LITELLM), 2),
    "Langfuse": (json.dumps([LANGFUSE, {**LANGFUSE, "type": "SPAN"}]), 1),
    "a trace of Langfuse": (json.dumps({"id": "t", "observations": [LANGFUSE]}), 1),
    "a page of Langfuse": (json.dumps({"data": [LANGFUSE, LANGFUSE], "meta": {"page": 1}}), 2),
    "spans": (json.dumps(OTEL), 1),
    "spans, one export a line": (lines(OTEL, OTEL), 2),
    "spans, printed one after the other": (printed(SPAN, {"name": "POST /"}, SPAN), 2),
    "log lines between them": ("INFO ready {\n" + printed(SPAN) + "WARN: {'a': 1}\n" + printed(BODY), 2),
    "bodies, printed one after the other": (printed(BODY, ANTHROPIC, BODY), 3),
    "bodies without anything between": (json.dumps(BODY) + json.dumps(ANTHROPIC), 2),
    "a body on one line, one on many": (lines(BODY) + printed(ANTHROPIC), 2),
    "a sequence of JSON texts": ("".join(f"\x1e{json.dumps(body)}\n" for body in (BODY, BODY)), 2),
    "bodies, the last one cut off": (printed(BODY, BODY) + printed(BODY)[:90], 2),
    "OpenInference": (json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [OPENINFERENCE]}]}]}), 1),
    "OpenLLMetry": (json.dumps(OPENLLMETRY), 1),
    "an event with all": (json.dumps(DETAILS), 1),
    "a span, and the event that repeats it": (printed(SPAN, DETAILS), 1),
    "older events of a span": (json.dumps(OLD_EVENTS), 1),
    "older events as log records": (printed(*OLD_RECORDS), 1),
    "Langfuse, an export": (json.dumps([LANGFUSE_EXPORT, {**LANGFUSE_EXPORT, "type": "SPAN"}]), 1),
    "Langfuse, an export, one a line": (lines(LANGFUSE_EXPORT, LANGFUSE_EXPORT), 2),
    "Langfuse, its spans": (json.dumps(LANGFUSE_SPAN), 1),
    "exchanges": (json.dumps({"exchanges": [{"response": BODY}, {"stream": sse(*chunks())}]}), 2),
    "a session file of Codex": (
        lines(
            {"type": "session_meta", "payload": {"id": "x"}},
            {"type": "response_item", "payload": {"type": "message", "role": "user", "content": []}},
            {
                "type": "response_item",
                "payload": {
                    "type": "function_call",
                    "name": "search",
                    "arguments": json.dumps(ARGUMENTS),
                    "call_id": "c1",
                },
            },
            {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c1", "output": "x"}},
        ),
        1,
    ),
    "a byte order mark": ("\ufeff" + lines(BODY, BODY), 2),
}
"""Name → what a file holds, and how many calls of `search` there are in it, one in each exchange."""
WITH_REQUESTS = ("a conversation", "pairs", "pairs under other names", "HAR", "LiteLLM", "Langfuse", "spans",
    "OpenInference", "OpenLLMetry", "an event with all", "older events of a span", "older events as log records",
    "Langfuse, an export", "Langfuse, its spans",
)  # fmt: skip


def outcomes(path: Path) -> list[Any]:
    return [outcome for part in replay_parts(read_sessions(path)) for outcome in part.outcomes]


@pytest.mark.parametrize("name", FORMS)
def test_form(name: str, tmp_path: Path) -> None:
    text, count = FORMS[name]
    path = tmp_path / "input"
    path.write_text(text, encoding="utf-8")
    assert [outcome.calls for outcome in outcomes(path)] == [[{"name": "search", "arguments": ARGUMENTS}]] * count


@pytest.mark.parametrize("name", FORMS)
def test_what_is_exported_is_read_the_same(name: str, tmp_path: Path) -> None:
    path, exported = tmp_path / "input", tmp_path / "session.jsonl"
    path.write_text(FORMS[name][0], encoding="utf-8")
    assert CliRunner().invoke(app, ["replay", str(path), "--export", str(exported)]).exit_code == 0
    assert json.loads(exported.read_text().splitlines()[0])["utp_session"] == 1
    before, after = outcomes(path), outcomes(exported)
    assert [(o.calls, o.status, o.model, o.index) for o in after] == [
        (o.calls, o.status, o.model, o.index) for o in before
    ]


@pytest.mark.parametrize("name", WITH_REQUESTS)
def test_requests_come_along(name: str, tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_text(FORMS[name][0], encoding="utf-8")
    found = list(exchanges_of(read_session(path).rows, "x"))
    assert [(exchange.request or {})["messages"][0] for exchange in found] == ASKED * len(found)


def requests(name: str, tmp_path: Path) -> list[Any]:
    path = tmp_path / "input"
    path.write_text(FORMS[name][0], encoding="utf-8")
    return [exchange.request for exchange in exchanges_of(read_session(path).rows, "x")]


def test_tools_and_results_come_along(tmp_path: Path) -> None:
    [asked] = requests("OpenInference", tmp_path)
    assert (asked["model"], asked["temperature"]) == ("m", 0.5)
    assert asked["tools"] == [FUNCTION, {"name": "list", "parameters": SCHEMA}]
    made = {"id": "c0", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    assert asked["messages"][1:] == [
        {"role": "assistant", "content": None, "tool_calls": [made]},
        {"role": "tool", "content": "none", "tool_call_id": "c0"},
    ]
    [asked] = requests("an event with all", tmp_path)
    assert asked["tools"] == [{"type": "function", "name": "search", "parameters": SCHEMA}]
    assert [message.get("tool_call_id") for message in asked["messages"]] == [None, "a", "b"]
    [asked] = requests("OpenLLMetry", tmp_path)
    assert asked["tools"] == [{"name": "search", "parameters": SCHEMA}]
    [asked] = requests("Langfuse, an export", tmp_path)
    assert (asked["model"], asked["temperature"], asked["tools"]) == ("m", 0, [FUNCTION])


SKIPPED = {
    "HAR": {"request": 2},
    "Langfuse": {"observation": 1},
    "Langfuse, an export": {"observation": 1},
    "spans": {"span": 2},
    "spans, printed one after the other": {"document": 1},
    "log lines between them": {"piece of text": 2},
    "bodies, the last one cut off": {"piece of text": 1},
    "a list of bodies": {},
    "bodies, one a line": {},
    "a conversation": {},
}


@pytest.mark.parametrize("name", SKIPPED)
def test_what_is_passed_over_is_counted_and_said(name: str, tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_text(FORMS[name][0], encoding="utf-8")
    done = CliRunner().invoke(app, ["replay", str(path), "--json"])
    assert json.loads(done.stdout)["sessions"][0].get("skipped", {}) == SKIPPED[name]
    said = "".join(f"{count} {kind.partition(' ')[0]}" for kind, count in SKIPPED[name].items())
    assert (f"passed over {said}" in done.stderr) is bool(SKIPPED[name])
    exported = CliRunner().invoke(app, ["replay", str(path), "--export", str(tmp_path / "out")])
    assert ("passed over" in exported.stderr) is bool(SKIPPED[name])
    assert "passed over" not in CliRunner().invoke(app, ["replay", str(path), "-q"]).stderr


def test_openers_without_end_cost_linear_time(tmp_path: Path) -> None:
    path = tmp_path / "input"
    for text in ("{\n" * 100_000, '{"a\n' * 100_000, "[" * 200_000, '{"a": [\n' * 50_000):
        path.write_text(text)
        with pytest.raises(BadFile):
            read_session(path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "hello",
        '{"a": 1}',
        "[]",
        "[1, 2]",
        '{"log": {"entries": []}}',
        "<html>",
        '{"messages": [{"role": "user", "content": "x"}]}',
    ],
)
def test_what_holds_no_answer_is_said(text: str, tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_text(text)
    with pytest.raises(BadFile, match="input"):
        outcomes(path)


def test_a_folder_of_bodies(tmp_path: Path) -> None:
    (tmp_path / "10.json").write_text(json.dumps(BODY))
    (tmp_path / "2.response.json").write_text(json.dumps(ANTHROPIC))
    (tmp_path / "2.request.json").write_text(json.dumps(REQUEST))
    (tmp_path / "3.sse").write_text(sse(*chunks()))
    (tmp_path / "4.txt").write_text('<tool_call>{"name": "search", "arguments": {}}</tool_call>')
    (tmp_path / ".hidden").write_text("{}")
    own = tmp_path / "sub" / "session.jsonl"
    own.parent.mkdir()
    own.write_text(lines({"utp_session": 1}, {"response": BODY}))
    first, second = read_sessions(tmp_path)
    assert first.source == str(own)
    found = list(exchanges_of(second.rows, "x"))
    assert [exchange.request for exchange in found] == [REQUEST, None, None, None]
    assert [exchange.source for exchange in found][::3] == [ANTHROPIC, BODY]
    assert len(outcomes(tmp_path)) == 5


def test_an_exchange_by_its_number(tmp_path: Path) -> None:
    path = tmp_path / "a#b.jsonl"
    path.write_text(lines({"utp_session": 1, "model": "q"}, {"response": BODY}, {"response": ANTHROPIC}))
    session, exchange = exchange_at(f"{path}#1")
    assert (session.model, exchange.response, exchange.line) == ("q", ANTHROPIC, 3)
    for place, error in (
        (f"{path}#2", BadFile),
        (str(tmp_path), BadOption),
        (f"{path}#x", BadOption),
        ("#1", BadOption),
    ):
        with pytest.raises(error):
            exchange_at(place)


def test_export_keeps_what_was_accepted_and_where_it_went(tmp_path: Path) -> None:
    row = {
        "path": "/v1/x",
        "request": REQUEST,
        "response": BODY,
        "status": 200,
        "elapsed": 1.5,
        "expected": {"calls": []},
        "ended": "stopped",
        "mine": [1],
    }
    first, second, out = (tmp_path / name for name in ("a.jsonl", "b.jsonl", "out.jsonl"))
    first.write_text(lines({"utp_session": 1, "model": "a", "tools": []}, row))
    second.write_text(
        lines({"utp_session": 1, "model": "b"}, {"stream_base64": base64.b64encode(b"\xff\x00").decode()})
    )
    assert export([read_session(first), read_session(second)], out) == 2
    header, one, two = map(json.loads, out.read_text().splitlines())
    assert header == {"utp_session": 1, "model": "a", "tools": []}
    assert one == row
    assert two == {"request": {"model": "b"}, "stream_base64": "/wA="}


@given(
    st.lists(
        st.dictionaries(st.text(max_size=5), st.text(max_size=9) | st.integers() | st.none(), max_size=3), max_size=5
    ),
    st.text(max_size=30),
)
def test_a_line_that_is_cut_off_loses_nothing_before_it(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], half: str
) -> None:
    path = tmp_path_factory.mktemp("cut") / "s.jsonl"
    rows = [{"response": BODY, "mine": row} for row in rows]
    path.write_bytes((lines({"utp_session": 1}, *rows) + '{"' + half.replace("\n", " ")).encode("utf-8", "replace"))
    assert len(list(exchanges_of(read_session(path).rows, "x"))) == len(rows)
    opened = SessionFile(path, {"utp_session": 1})
    assert opened.dropped > 0
    opened.add(Exchange(response=ANTHROPIC).to_dict())
    opened.close()
    assert [json.loads(line) for line in path.read_text("utf-8").splitlines()] == [
        {"utp_session": 1},
        *rows,
        {"response": ANTHROPIC},
    ]


def test_a_session_file_is_not_written_over_another_file(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    with pytest.raises(BadFile, match="no session file"):
        SessionFile(path, {"utp_session": 1})
    assert path.read_text() == "mine"


def test_a_session_of_the_future_is_not_guessed_at(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"utp_session": 2}\n')
    with pytest.raises(BadFile, match="format 2 is not known"):
        read_session(path)


KEY = "sk-proj-1234567890abcdefghijKLMN"
PLAIN_KEY = "no-shape-at-all"


def secret_har() -> dict[str, Any]:
    """Keys in headers, a cookie and the URL; echoed by both bodies, and by a body in base64."""
    asked = {**REQUEST, "messages": [{"role": "user", "content": f"I send {PLAIN_KEY} and c00kie-monster, {KEY}"}]}
    said = {
        **BODY,
        "choices": [
            {**BODY["choices"][0], "message": {"role": "assistant", "content": f"{PLAIN_KEY} c00kie-monster urlkey12"}}
        ],
    }
    entries = [
        {
            "request": {
                "method": "POST", "url": "https://x.example/v1/chat/completions?key=urlkey12",
                "headers": [{"name": "X-Api-Key", "value": PLAIN_KEY}], "cookies": [{"name": "a", "value": "c00kie-monster"}],
                "postData": {"text": json.dumps(asked)},
            },
            "response": {"status": 200, "content": content},
        }
        for content in ({"text": json.dumps(said)}, {"text": base64.b64encode(json.dumps(said).encode()).decode(), "encoding": "base64"})
    ]  # fmt: skip
    return {"log": {"version": "1.2", "entries": entries}}


SECRETS = (KEY, PLAIN_KEY, "c00kie-monster", "urlkey12")


@pytest.mark.parametrize(
    "words", [("replay", "--export"), ("replay", "--html"), ("replay", "-o", "--json"), ("parse", "--html")]
)
def test_no_key_of_an_archive_is_handed_on(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "a.har").write_text(json.dumps(secret_har()))
    done = CliRunner().invoke(app, [words[0], str(tmp_path / "a.har"), words[1], str(tmp_path / "out"), *words[2:]])
    assert done.exit_code in (0, 1), done.output
    text = (tmp_path / "out").read_text() + done.output
    assert [secret for secret in SECRETS if secret in text] == []
    if "--export" in words:
        found = list(exchanges_of(read_session(tmp_path / "out").rows, ""))
        assert [exchange.path for exchange in found] == ["/v1/chat/completions"] * 2
        assert all(exchange.request and exchange.response["choices"] for exchange in found)


@pytest.mark.parametrize("form", ["own", "lines", "document", "stream", "folder"])
@pytest.mark.parametrize("option", ["--export", "--html"])
def test_no_key_of_an_import_is_handed_on(tmp_path: Path, form: str, option: str) -> None:
    def event(text: str) -> str:
        return (
            "data: "
            + json.dumps({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}]})
            + "\n\n"
        )

    body = {
        **BODY,
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": f"it is {KEY}"}}],
    }
    row = {"path": f"/k/{KEY}/v1/x?session=abcdefg1", "request": REQUEST, "response": body}
    streamed = event(KEY[:9]) + event(KEY[9:])
    lines = [json.dumps({"utp_session": 1}), json.dumps(row), json.dumps({"request": REQUEST, "stream": streamed})]
    made = {
        "own": lines,
        "lines": lines[1:],
        "document": [json.dumps([body, body], indent=1)],
        "stream": [streamed],
        "folder": [json.dumps(body)],
    }
    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / "a.json"
    file.write_text("\n".join(made[form]) + "\n")
    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["replay", str(file.parent if form == "folder" else file), option, str(out)])
    assert done.exit_code in (0, 1), done.output
    text = out.read_text()
    assert not any(part in text for part in (KEY, KEY[9:], "abcdefg1"))
    assert "[redacted]" in text


def test_the_answers_of_a_conversation_share_its_messages() -> None:
    messages = [{"role": role, "content": str(turn)} for turn in range(3) for role in ("user", "assistant")]
    found = list(exchanges_in({"messages": messages, "model": "m"}))
    assert [dict(exchange.request or {}) for exchange in found] == [
        {"model": "m", "messages": messages[:position]} for position in (1, 3, 5)
    ]
    assert not any(isinstance(exchange.request, dict) for exchange in found), "no list is kept for each"
    assert [exchange.to_dict()["request"]["messages"] for exchange in found] == [
        messages[:1],
        messages[:3],
        messages[:5],
    ]


def console(*documents: dict[str, Any]) -> str:
    """As the console exporter of OpenTelemetry's SDK prints: indented, one after the other."""
    return "".join(json.dumps(document, indent=4) + "\n" for document in documents)


def printed_span(number: int, **more: Any) -> dict[str, Any]:
    told = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 9}
    told["gen_ai.response.finish_reasons"] = ["tool_calls"]
    return {
        "name": "chat m",
        "context": {"trace_id": "0x0e", "span_id": f"0x0{number}"},
        "attributes": {**told, **more},
        "events": [],
    }


def printed_log(number: int, event: str, body: dict[str, Any]) -> dict[str, Any]:
    attributes = {"gen_ai.system": "openai", "event.name": event}
    return {"body": body, "severity_number": 9, "attributes": attributes, "trace_id": "0x0e", "span_id": f"0x0{number}"}


def test_spans_without_their_messages_are_no_answer(tmp_path: Path) -> None:
    # What opentelemetry-instrumentation-openai-v2 2.3 writes: the messages stand in log records only.
    path = tmp_path / "spans.txt"
    path.write_text(console(*map(printed_span, range(4))), encoding="utf-8")
    done = CliRunner().invoke(app, ["replay", str(path)])
    assert done.exit_code == 2
    assert "passed over 4 model calls without messages (the instrumentation left the messages out" in done.stderr


def test_log_records_of_what_was_asked_are_not_passed_over(tmp_path: Path) -> None:
    records = []
    for number in range(2):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        records.append(printed_log(number, "gen_ai.user.message", {"content": f"Look {number}."}))
        message = {"role": "assistant", "tool_calls": [call]}
        records.append(
            printed_log(number, "gen_ai.choice", {"index": 0, "finish_reason": "tool_calls", "message": message})
        )
    records.append(printed_log(7, "gen_ai.user.message", {"content": "Nobody answers."}))
    path = tmp_path / "logs.txt"
    path.write_text(console(*records), encoding="utf-8")
    done = CliRunner().invoke(app, ["replay", str(path), "--json"])
    (session,) = json.loads(done.stdout)["sessions"]
    assert [[call["name"] for call in each["calls"]] for each in session["exchanges"]] == [["look"], ["look"]]
    assert session["skipped"] == {"log record": 1}
    exported = tmp_path / "out.jsonl"
    CliRunner().invoke(app, ["replay", str(path), "--export", str(exported)])
    rows = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()][1:]
    assert [row["request"]["messages"] for row in rows] == [
        [{"role": "user", "content": f"Look {number}."}] for number in range(2)
    ]


@pytest.mark.parametrize("form", ["otel", "langfuse"])
def test_a_trace_that_leaves_its_tools_out_forbids_no_call(form: str, tmp_path: Path) -> None:
    said = [
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "c", "name": "search", "arguments": ARGUMENTS}]}
    ]
    told = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.output.messages": json.dumps(said),
        "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": "find"}]}]),
    }
    seen = {"traceId": "t", "type": "GENERATION", "model": "m", "input": ASKED, "output": MESSAGE}
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(seen if form == "langfuse" else {"name": "chat m", "context": {}, "attributes": told}))
    found = outcomes(path)
    assert [[call["name"] for call in each.calls] for each in found] == [["search"]]
    assert [each.diagnoses for each in found] == [[]]
