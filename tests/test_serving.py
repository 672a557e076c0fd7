"""Exchanges between a client and a server, without either: what is sent on, what comes back, what is kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.played_server import SCENARIOS, body_of, path_of, request_of
from tests.strict_clients import READERS
from tests.wire_answers import gemini_stream
from utp_cli import parse
from utp_cli.commands.serving import LiveWays
from utp_cli.diagnosis.histories.rewrite import rewrite_history
from utp_cli.facts.base_urls import CLIENT_KINDS
from utp_cli.facts.hosts import provider_at
from utp_cli.healer.healer import Healer
from utp_cli.io.programs import environment_for, routes
from utp_cli.io.settings import load_settings
from utp_cli.protocol.errors import BadOption
from utp_cli.recording.capture import RecordedExchange
from utp_cli.recording.tally import ExchangeTally
from utp_cli.serving import exchange as exchanges
from utp_cli.serving.asking_again import total, usage_of, with_usage
from utp_cli.serving.emulation import Emulation, Modes
from utp_cli.serving.exchange import RelayedAnswer, RelayedExchange
from utp_cli.serving.fitting import Fitter
from utp_cli.serving.raw_answers import RawAnswers
from utp_cli.serving.streamed import streamed
from utp_cli.serving.ways import Ways
from utp_cli.serving.wires import AnswerRequest, asked_of

JSON = [("content-type", "application/json")]
SSE = [("content-type", "text/event-stream")]
LINES = [("content-type", "application/x-ndjson")]
CHAT = "/v1/chat/completions"


def asked(name: str, **changes: Any) -> AnswerRequest:
    scenario = SCENARIOS[name]
    found = asked_of(path_of(scenario), json.dumps({**request_of(scenario), **changes}).encode())
    assert found is not None
    return found


def headers_of(name: str) -> list[tuple[str, str]]:
    scenario = SCENARIOS[name]
    if not scenario["stream"]:
        return JSON
    return LINES if scenario["wire"] == "ollama" else SSE


# -- what a request asks


REQUESTS: list[tuple[str, Any, tuple[str, bool, str] | None]] = [
    (CHAT, {"model": "m", "messages": []}, ("openai-chat", False, "m")),
    (
        "/openai/deployments/x/chat/completions?api-version=1",
        {"messages": [], "stream": True},
        ("openai-chat", True, ""),
    ),
    ("/v1/responses", {"model": "m", "input": "Hi"}, ("openai-responses", False, "m")),
    ("/v1/messages?beta=true", {"messages": [], "stream": True}, ("anthropic", True, "")),
    ("/api/chat", {"model": "m", "messages": []}, ("ollama", True, "m")),
    ("/api/chat", {"model": "m", "messages": [], "stream": False}, ("ollama", False, "m")),
    ("/v1beta/models/gem:generateContent", {"contents": []}, ("gemini", False, "gem")),
    ("/v1beta/models/gem:streamGenerateContent?alt=sse", {"contents": []}, ("gemini", True, "gem")),
    ("/v1beta/models/gem:streamGenerateContent", {"contents": []}, None),
    ("/v1/messages/count_tokens", {"messages": []}, None),
    ("/v1/embeddings", {"input": "Hi"}, None),
    (CHAT, {"model": "m"}, None),
    (CHAT, {"messages": 7}, None),
    (CHAT, [], None),
    (CHAT, None, None),
]


@pytest.mark.parametrize(("path", "body", "due"), REQUESTS)
def test_a_request_is_told_by_its_path(path: str, body: Any, due: tuple[str, bool, str] | None) -> None:
    found = asked_of(path, json.dumps(body).encode())
    assert (found and (found.wire.name, found.stream, found.model)) == due


@given(st.binary(max_size=60))
def test_any_body_is_read(body: bytes) -> None:
    asked_of(CHAT, body)


# -- whatever fails inside, the server's bytes pass


class Failing(Healer):
    """Fails after some pieces."""

    left = 0

    def feed(self, data: bytes) -> bytes:
        Failing.left -= 1
        if Failing.left < 0:
            raise RuntimeError("a fault")
        return super().feed(data)


@pytest.mark.parametrize(
    "name", ["chat-clean-prose", "anthropic-clean-stream", "ollama-clean-thinking", "chat-clean-400"]
)
@pytest.mark.parametrize("pieces", [0, 1, 5])
@pytest.mark.parametrize("retry", [0, 1])
def test_a_fault_passes_what_was_held(name: str, pieces: int, retry: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchanges, "Healer", Failing)
    Failing.left = pieces
    answer = RelayedAnswer(
        asked(name), Ways(retry=retry), SCENARIOS[name]["status"], headers_of(name), "text" if retry else None
    )
    sent = body_of(SCENARIOS[name])
    out = b"".join(answer.feed(sent[at : at + 40]) for at in range(0, len(sent), 40)) + answer.close()
    assert out == sent


def test_a_healer_that_cannot_begin_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: Any) -> None:
        raise ValueError("a fault")

    monkeypatch.setattr(exchanges, "Healer", fail)
    answer = RelayedAnswer(asked("chat-hermes-body"), Ways(), 200, JSON)
    assert (answer.feed(b"{}"), answer.close(), answer.status) == (b"{}", b"", 200)


def test_what_is_too_long_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchanges, "MOST_HELD", 100)
    answer = RelayedAnswer(asked("chat-hermes-body"), Ways(), 200, JSON)
    sent = body_of(SCENARIOS["chat-hermes-body"])
    assert answer.feed(sent[:90]) == b""
    assert answer.feed(sent[90:]) + answer.close() == sent
    assert "would have been held back" in answer.note


@pytest.mark.parametrize("name", [name for name, s in SCENARIOS.items() if s["expect"].get("identical")])
@settings(max_examples=15)
@given(data=st.data())
def test_healthy_answers_pass_in_any_pieces(name: str, data: st.DataObject) -> None:
    sent = body_of(SCENARIOS[name])
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=4)))
    answer = RelayedAnswer(asked(name), Ways(), SCENARIOS[name]["status"], headers_of(name))
    pieces = [sent[a:b] for a, b in zip([0, *cuts], [*cuts, len(sent)], strict=True)]
    assert b"".join(map(answer.feed, pieces)) + answer.close() == sent
    assert not answer.changed


# -- the model's own text goes back


HEALED = [
    "chat-hermes-body",
    "anthropic-hermes-body",
    "ollama-json-body",
    "responses-hermes-body",
    "gemini-tool-code-body",
]


def returned(name: str, out: bytes) -> list[Any]:
    """Return the turns that a client sends back for an answer."""
    body = json.loads(out)
    return {
        "openai-chat": lambda: [body["choices"][0]["message"]],
        "anthropic": lambda: [{"role": "assistant", "content": body["content"]}],
        "ollama": lambda: [body["message"]],
        "openai-responses": lambda: body["output"],
        "gemini": lambda: [body["candidates"][0]["content"]],
    }[SCENARIOS[name]["wire"]]()


@pytest.mark.parametrize("name", HEALED)
def test_a_healed_call_goes_back_as_the_model_wrote_it(name: str) -> None:
    kept, asking = RawAnswers(), asked(name)
    exchange = RelayedExchange(asking, b"", Ways(), kept, Modes())
    raw = body_of(SCENARIOS[name])
    answer = exchange.answer(200, JSON)
    settled = exchange.settle(answer, answer.feed(raw) + answer.close(), raw)
    assert settled is not None
    key = asking.wire.messages
    before = asking.request[key] if isinstance(asking.request[key], list) else []
    turns = [*before, *returned(name, settled[1])]
    again = replace(asking, request={**asking.request, key: turns})
    put = kept.put_back(again)
    assert put is not None
    [written] = parse(raw).texts.values()
    said = json.loads(json.dumps(put[key][-1]))
    parts = said.get("content", said.get("parts"))
    assert (parts if isinstance(parts, str) else parts[-1]["text"]) == written
    assert "functionCall" not in json.dumps(said)
    assert "tool_call" not in [*said]
    assert put[key][: len(before)] == before


def test_other_calls_stay_as_they_are() -> None:
    kept = RawAnswers()
    kept.keep([("call_1", "search", {"query": "x"})], "<tool_call>…</tool_call>")
    call = {"id": "call_2", "type": "function", "function": {"name": "search", "arguments": '{"query": "x"}'}}
    turns = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    assert kept.put_back(asked("chat-hermes-body", messages=turns)) is None
    mine = {**call, "id": "call_1"}
    both = [{"role": "assistant", "content": None, "tool_calls": [mine, call]}]
    assert kept.put_back(asked("chat-hermes-body", messages=both)) is None
    assert kept.put_back(asked("chat-hermes-body", messages=[{**turns[0], "tool_calls": [mine]}])) is not None


def test_what_is_kept_is_bounded() -> None:
    kept = RawAnswers(answers=10, characters=1000)
    for number in range(1000):
        kept.keep([(f"call_{number}", "f", {})], "x" * 90)
    assert kept._size == sum(map(len, kept._texts.values())) <= 1000


def test_a_server_that_refuses_the_text_gets_the_client_s_words() -> None:
    kept = RawAnswers()
    kept.keep([("call_1", "search", {})], "<tool_call>…")
    call = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    asking = asked("chat-hermes-body", messages=[{"role": "assistant", "tool_calls": [call]}])
    exchange = RelayedExchange(asking, b"as it came", Ways(), kept, Modes())
    assert b"<tool_call>" in exchange.body
    answer = exchange.answer(400, JSON)
    assert exchange.settle(answer, answer.feed(b"{}") + answer.close(), b"{}") is None
    assert exchange.body == b"as it came"


# -- histories that a server refuses


CALLED: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [
    {"id": "call_123456", "type": "function", "function": {"name": "search", "arguments": "{}"}}
]}  # fmt: skip
RETURNED: dict[str, Any] = {"role": "tool", "tool_call_id": "call_123456", "content": "warm"}
ASKS = {"role": "user", "content": "Hello"}
LATE_SYSTEM = {"role": "system", "content": "Be kind."}
USES: dict[str, Any] = {"type": "tool_use", "id": "bad id", "name": "search", "input": {}}
GIVES: dict[str, Any] = {"type": "tool_result", "tool_use_id": "bad id", "content": "warm"}
IDS = "mistral-id-format"
HISTORIES: dict[str, tuple[str, list[Any], Ways, str, list[str]]] = {
    "the profile's provider": ("chat-hermes-body", [ASKS, CALLED, RETURNED], Ways(provider="mistral"), "", [IDS]),
    "another name of it": ("chat-hermes-body", [ASKS, CALLED, RETURNED], Ways(provider="MistralAI"), "", [IDS]),
    "where the server is": ("chat-hermes-body", [ASKS, CALLED, RETURNED], Ways(), "api.mistral.ai", [IDS]),
    "the profile before the place": (
        "chat-hermes-body", [ASKS, CALLED, RETURNED], Ways(provider="vllm"), "api.mistral.ai", []
    ),
    "its engine": (
        "chat-hermes-body", [ASKS, LATE_SYSTEM, ASKS], Ways(server={"engine": "vllm"}), "", ["system-not-first"]
    ),
    "an answer begun, which templates go on with": (
        "chat-hermes-body", [ASKS, {"role": "assistant", "content": "So"}], Ways(server={"engine": "vllm"}), "", []
    ),
    "nobody known": ("chat-hermes-body", [ASKS, LATE_SYSTEM, CALLED, RETURNED], Ways(), "127.0.0.1", []),
    "sound": ("chat-hermes-body", [ASKS, CALLED, RETURNED], Ways(provider="openai"), "", []),
    "a wire that only one has": (
        "anthropic-hermes-body",
        [ASKS, {"role": "assistant", "content": [USES]}, {"role": "user", "content": [GIVES]}], Ways(), "localhost",
        ["call-id-format"],
    ),
    "a provider's other wire": (
        "chat-hermes-body", [ASKS, CALLED, RETURNED], Ways(provider="anthropic"), "", []
    ),
}  # fmt: skip


def refusing(name: str, fitter: Fitter, body: bytes = b"as it came", **changes: Any) -> tuple[RelayedExchange, Any]:
    """Ask with a history; the server refuses it."""
    scenario, history, ways, host, _ = HISTORIES[name]
    asking = asked(scenario, messages=history, **changes)
    exchange = RelayedExchange(asking, body, ways, RawAnswers(), Modes(), fitter=fitter, host=host)
    assert exchange.body == body
    return exchange, settled(exchange, 400, b'{"error": "refused"}')


def settled(exchange: RelayedExchange, status: int, body: bytes) -> Any:
    answer = exchange.answer(status, JSON)
    return exchange.settle(answer, answer.feed(body) + answer.close(), body)


@pytest.mark.parametrize("name", HISTORIES)
def test_a_history_that_is_refused_is_fitted(name: str) -> None:
    due = HISTORIES[name][-1]
    exchange, first = refusing(name, Fitter())
    assert [one["code"] for one in (exchange.fitted.told() if exchange.fitted else [])] == due
    assert (first is None) == bool(due)
    if due:
        before, after = HISTORIES[name][1], json.loads(exchange.body)["messages"]
        assert after != before
        assert rewrite_history(after, exchange.fitted.provider if exchange.fitted else "").broken == []


def test_rules_that_a_server_keeps_are_kept_at_once() -> None:
    fitter = Fitter()
    exchange, _ = refusing("the profile's provider", fitter)
    made = exchange.body
    assert settled(exchange, 200, body_of(SCENARIOS["chat-hermes-body"])) is not None
    scenario, history, ways, _, _ = HISTORIES["the profile's provider"]
    again = RelayedExchange(
        asked(scenario, messages=history), b"as it came", ways, RawAnswers(), Modes(), fitter=fitter
    )
    assert again.body == made
    other = [*history[:2], {**RETURNED, "name": "search", "artifact": 1}]
    more = RelayedExchange(asked(scenario, messages=other), b"as it came", ways, RawAnswers(), Modes(), fitter=fitter)
    assert more.body == b"as it came"
    sound = RelayedExchange(asked(scenario, messages=[ASKS]), b"as it came", ways, RawAnswers(), Modes(), fitter=fitter)
    assert sound.body == b"as it came"
    # it refuses now what it took before: as the client said it, and no more
    assert settled(again, 400, b"{}") is None
    assert again.body == b"as it came"
    assert again.fitted is None


def test_what_is_refused_twice_tells_the_first_refusal() -> None:
    fitter = Fitter()
    exchange, _ = refusing("the profile's provider", fitter)
    answer, out = settled(exchange, 400, b'{"error": "and again"}')
    assert (answer.status, out, exchange.fitted) == (400, b'{"error": "refused"}', None)
    refusing("the profile's provider", fitter)  # nothing was learnt


@pytest.mark.parametrize("status", [401, 404, 429, 503])
def test_other_errors_are_not_of_the_history(status: int) -> None:
    scenario, history, ways, host, _ = HISTORIES["the profile's provider"]
    exchange = RelayedExchange(asked(scenario, messages=history), b"", ways, RawAnswers(), Modes(), host=host)
    assert settled(exchange, status, b"{}") is not None


def test_a_history_that_is_not_all_there_is_not_fitted() -> None:
    asking = asked("responses-hermes-body", input=[{"type": "function_call_output", "call_id": "c", "output": "x"}])
    for more, due in (({}, True), ({"previous_response_id": "resp_1"}, False)):
        told = replace(asking, request={**asking.request, **more})
        exchange = RelayedExchange(told, b"", Ways(), RawAnswers(), Modes(), host="api.openai.com")
        assert (settled(exchange, 400, b"{}") is None) is due


@pytest.mark.parametrize(
    ("host", "due"),
    [
        ("API.Mistral.ai", "mistral"), ("me.openai.azure.com", "azure"), ("us-central1-aiplatform.googleapis.com", "vertex"),
        ("api.mistral.ai.evil.example", ""), ("localhost", ""), ("", ""),
    ],
)  # fmt: skip
def test_whose_server_a_host_is(host: str, due: str) -> None:
    assert provider_at(host) == due


# -- usage


USAGES: list[tuple[bytes, dict[str, Any]]] = [
    (b'{"usage": {"total_tokens": 3, "details": {"cached": 1}}}', {"total_tokens": 3, "details": {"cached": 1}}),
    (b'data: {"choices": []}\n\ndata: {"usage": {"total_tokens": 3}}\n\ndata: [DONE]\n\n', {"total_tokens": 3}),
    (
        b'data: {"message": {"usage": {"input_tokens": 4, "output_tokens": 1}}}\n\ndata: {"usage": {"output_tokens": 9}}\n\n',
        {"input_tokens": 4, "output_tokens": 9},
    ),
    (b'{"message": {}, "eval_count": 2, "prompt_eval_count": 5}\n', {"eval_count": 2, "prompt_eval_count": 5}),
    (b'data: {"usageMetadata": {"totalTokenCount": 8}}\r\n\r\n', {"totalTokenCount": 8}),
    (b'data: {"response": {"usage": {"total_tokens": 6}}}\n\n', {"total_tokens": 6}),
    (b'{\n  "usage": {"total_tokens": 3}\n}', {"total_tokens": 3}),
    (b"no JSON", {}),
]


@pytest.mark.parametrize(("answer", "due"), USAGES)
def test_usage_is_found_and_added(answer: bytes, due: dict[str, Any]) -> None:
    assert usage_of(answer) == due
    assert usage_of(with_usage(answer, due)) == total(due, due)
    assert with_usage(answer, {}) == answer


# -- emulation


def test_the_nonce_is_one_conversation_s_own() -> None:
    asking = asked("ollama-hermes-stream")
    first, again = Emulation(asking, "parsed", None), Emulation(asking, "parsed", None)
    later = [*asking.request["messages"], {"role": "assistant", "content": "Hm."}, {"role": "user", "content": "And?"}]
    assert first.request == again.request
    other = Emulation(asked("ollama-hermes-stream", messages=[{"role": "user", "content": "Else"}]), "parsed", None)
    assert first._markers != other._markers
    going_on = [{"role": "system", "content": "Be kind."}, *asking.request["messages"]]
    early = Emulation(asked("ollama-hermes-stream", messages=going_on), "parsed", None)
    late = Emulation(asked("ollama-hermes-stream", messages=[*going_on, *later[1:]]), "parsed", None)
    assert early._markers == late._markers


@pytest.mark.parametrize("name", HEALED)
def test_only_the_nonce_makes_a_call(name: str) -> None:
    asking = asked(name)
    emulation = Emulation(asking, "parsed", None)
    opened, closed = emulation._markers
    example = '<tool_call>{"name": "search", "arguments": {"query": "copied"}}</tool_call>'
    made = f'Like {example} I do: {opened}{{"name": "search", "arguments": {{"query": "mine"}}}}{closed}'
    body = with_text(name, made)
    filled = emulation.answered(body)
    assert filled is not None
    native = [call.arguments for call in parse(filled, tools=SCENARIOS[name]["tools"]).calls if call.rung == "native"]
    assert native == [{"query": "mine"}]
    assert example in json.dumps(filled).replace('\\"', '"')
    assert emulation.answered(with_text(name, f"Like {example}")) is None


def with_text(name: str, text: str) -> dict[str, Any]:
    """Return the answer of a scenario with another text."""
    raw = json.loads(body_of(SCENARIOS[name]))
    [old] = parse(raw).texts.values()
    return dict(json.loads(json.dumps(raw).replace(json.dumps(old), json.dumps(text))))


@pytest.mark.parametrize("name", HEALED)
@pytest.mark.parametrize("mode", ["structured", "validated"])
def test_one_json_object_is_a_call_or_an_answer(name: str, mode: str) -> None:
    emulation = Emulation(asked(name), mode, None)
    wrapped = '{"response": {"scratchpad": null, "tool": "search", "arguments": {"query": "x"}}}'
    call = emulation.answered(with_text(name, wrapped))
    said = emulation.answered(with_text(name, '{"response": {"scratchpad": "hm", "answer": "It is 5."}}'))
    assert call
    assert said
    assert [(c.name, c.arguments, c.rung) for c in parse(call).calls] == [("search", {"query": "x"}, "native")]
    assert (parse(said).content, parse(said).calls) == ("It is 5.", [])


@pytest.mark.parametrize("name", HEALED)
@pytest.mark.parametrize("mode", ["structured", "validated", "parsed"])
def test_tools_leave_the_request_and_the_conversation(name: str, mode: str) -> None:
    asking = asked(name)
    sent = Emulation(asking, mode, None).request
    assert not {"tools", "tool_choice"} & {*sent}
    text = json.dumps(sent)
    assert "Search the handbook." in text
    assert "Go on." in text
    assert ('"additionalProperties": false' in text) == (mode == "structured")


def test_calls_and_results_of_before_are_text() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "x"}'}}
    turns = [
        {"role": "user", "content": "Find."},
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
        {"role": "tool", "tool_call_id": "c2", "content": "more"},
    ]
    emulation = Emulation(asked("chat-hermes-body", messages=turns), "parsed", None)
    _, user, said, told = emulation.request["messages"]
    assert user == turns[0]
    assert said["content"].startswith(f"I look.\n\n{emulation._markers[0]}\n{{")
    assert "tool_calls" not in said
    expected = "<tool_response>\nfound\n</tool_response>\n\n<tool_response>\nmore\n</tool_response>"
    assert told == {"role": "user", "content": expected}


@pytest.mark.parametrize("name", [n for n in SCENARIOS if n.endswith("-clean-body")])
def test_a_body_as_a_stream_says_the_same(name: str) -> None:
    body = json.loads(body_of(SCENARIOS[name]))
    stream = streamed(body, asked(name, stream=True))
    whole, read = parse(body), parse(stream)
    assert (read.shape, read.content, read.finish_reason) == (whole.shape, whole.content, whole.finish_reason)
    assert [(c.name, c.arguments) for c in read.calls] == [(c.name, c.arguments) for c in whole.calls]


def test_what_was_chosen_is_said_once() -> None:
    said: list[str] = []
    modes, asking = Modes(said.append), asked("ollama-emulate")
    refusal = body_of(SCENARIOS["ollama-emulate"])
    auto, native = Ways(mode="auto"), Ways()
    assert modes.of(asking, auto) is None
    assert modes.refused(asking, native, refusal) is None
    assert modes.refused(asking, auto, b'{"error": "out of memory"}') is None
    assert [modes.refused(asking, auto, refusal) for _ in range(2)] == ["validated"] * 2
    assert modes.of(asking, auto) == "validated"
    assert said == [
        "gemma3:4b: tools are sent as they are: the server may refuse them",
        "gemma3:4b: tools are emulated, mode validated: the server says that it takes no tools for it",
    ]
    assert modes.of(asking, native) is None


@pytest.mark.parametrize(
    ("ways", "due", "why"),
    [
        (Ways(mode="structured"), "structured", "as asked for"),
        (Ways(mode="auto", profile_mode="validated"), "validated", "as the profile says"),
        (Ways(mode="auto", profile_mode="native"), None, "as the profile says"),
        (Ways(mode="auto", model="qwen3:32b"), None, "the server may refuse them"),
        (
            Ways(mode="auto", model="qwen3:32b", capability={"native_tools": False}),
            "parsed",
            "the profile says that it takes none",
        ),
    ],
)
def test_the_mode_is_negotiated(ways: Ways, due: str | None, why: str) -> None:
    said: list[str] = []
    modes = Modes(said.append)
    assert [modes.of(asked("ollama-emulate"), ways) for _ in range(2)] == [due] * 2
    assert [line.rpartition(": ")[2] for line in said] == [why]


def test_streams_of_gemini_are_emulated_too() -> None:
    asking = asked("gemini-tool-code-body", stream=True)
    path = asking.path.replace(":generateContent", ":streamGenerateContent?alt=sse")
    found = asked_of(path, json.dumps(asking.request).encode())
    assert found
    exchange = RelayedExchange(found, b"{}", Ways(mode="parsed"), RawAnswers(), Modes())
    assert exchange.emulation
    assert "tools" not in json.loads(exchange.body)
    opened, closed = exchange.emulation._markers
    text = f'Let me look.\n{opened}\n{{"name": "search", "arguments": {{"query": "x"}}}}\n{closed}'
    answer = exchange.answer(200, [("content-type", "text/event-stream")])
    raw = gemini_stream(text)
    settled = exchange.settle(answer, answer.feed(raw) + answer.close(), raw)
    assert settled
    (got,) = READERS["gemini", True](settled[1])
    assert (got["text"], got["calls"]) == ("Let me look.", [{"name": "search", "arguments": {"query": "x"}}])


# -- what runs behind the relay


ROUTES: list[tuple[str | None, dict[str, str], dict[str, tuple[str, str]]]] = [
    (
        None,
        {},
        {"OPENAI_BASE_URL": ("https://api.openai.com/v1", "/v1"), "OLLAMA_HOST": ("http://127.0.0.1:11434", "")},
    ),
    (None, {"OPENAI_API_BASE": "http://h:1/x"}, {"OPENAI_BASE_URL": ("http://h:1/x", "/x")}),
    (None, {"OLLAMA_HOST": ".".join("0000")}, {"OLLAMA_HOST": ("http://127.0.0.1:11434", "")}),
    (None, {"OLLAMA_HOST": "box:9"}, {"OLLAMA_HOST": ("http://box:9", "")}),
    (None, {"ANTHROPIC_BASE_URL": "https://gw/a"}, {"ANTHROPIC_BASE_URL": ("https://gw/a", "")}),
    ("http://s:8000", {"OPENAI_BASE_URL": "http://other"}, {"OPENAI_BASE_URL": ("http://s:8000", "/v1")}),
    (
        "http://s:8000/v1",
        {},
        {"OPENAI_BASE_URL": ("http://s:8000/v1", "/v1"), "ANTHROPIC_BASE_URL": ("http://s:8000", "")},
    ),
]


@pytest.mark.parametrize(("url", "environment", "due"), ROUTES)
def test_clients_are_pointed_to_their_server(
    url: str | None, environment: dict[str, str], due: dict[str, tuple[str, str]]
) -> None:
    found = {name: (route.url, said) for route in routes(url, environment) for name, said in route.variables(7).items()}
    assert {name: found[name] for name in due} == {
        name: (server, f"http://127.0.0.1:7{path}") for name, (server, path) in due.items()
    }


def test_a_variable_that_is_no_url() -> None:
    with pytest.raises(BadOption, match="is no URL of a server"):
        routes(None, {"OPENAI_BASE_URL": "ftp://x"})


def test_this_machine_is_asked_without_a_proxy() -> None:
    assert "NO_PROXY" not in environment_for({}, {})
    made = environment_for({"A": "1"}, {"HTTP_PROXY": "http://p", "NO_PROXY": "corp"})
    assert (made["A"], made["NO_PROXY"], made["no_proxy"]) == ("1", "corp,127.0.0.1,localhost", "127.0.0.1,localhost")


# -- the profile, read again


def test_a_profile_that_changes_counts_from_the_next_request_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "profiles.toml"
    file.write_text('[profiles.a]\nmodel = "one"\n')
    ways = LiveWays(lambda: load_settings(str(file), profile="a"), {})
    assert ways().model == "one"
    file.write_text('[profiles.a]\nmodel = "another"\n[profiles.a.server]\nengine = "vllm"\n')
    assert (ways().model, dict(ways().server)) == ("another", {"engine": "vllm"})
    assert ways.url("http://named") == "http://named"
    file.write_text('[profiles.a]\nmodel = "another"\nurl = "http://moved:1"\n[profiles.a.tools]\nmode = "parsed"\n')
    assert (ways.url("http://named"), ways().profile_mode) == ("http://moved:1", "parsed")
    file.write_text("[profiles.a\n")
    assert ways().model == "another"
    said = capsys.readouterr().err
    assert said.count("read again") == 2
    assert said.count("what it said before still counts") == 1


# -- sums


def test_sums_count_what_the_client_never_got() -> None:
    from utp_cli.replaying.chunks import Chunk, replay_chunk
    from utp_cli.replaying.importing import exchanges_in
    from utp_cli.replaying.session import Session

    scenario = SCENARIOS["chat-hermes-parallel"]
    row = {"request": request_of(scenario), "stream": body_of(scenario).decode(), "status": 200}
    chunk = Chunk(number=0, session=Session(), rows=list(exchanges_in(row)))
    [outcome] = replay_chunk(chunk).outcomes
    made = {"code": "text-to-call", "cause": "call-left-in-content", "settings": ["--x"]}
    tally = ExchangeTally()
    for healed in ([], [made, made]):
        tally.add(RecordedExchange(method="POST", path=CHAT, at=0, request_headers=[], healed=healed), outcome, [])
    tally.add(RecordedExchange(method="POST", path=CHAT, at=0, request_headers=[], dropped=True), outcome, [])
    assert (tally.answers, tally.calls, tally.lost, tally.healed, tally.missing, tally.retries) == (2, 4, 4, 2, 2, 1)
    assert {code: (cause.count, [*cause.fixes]) for code, cause in tally.causes.items()} == {
        "call-left-in-content": (1, ["--x"])
    }


# -- plain words pass at once, and are read later


WORDS = [" tide", " rises", " twice", " a day", ",", " the", " moon", " pulls", " at it."]
ENDS = [
    "",
    "\n\n",
    " ",
    "`tool_",
    "calls`.",
    '\n<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call>',
]


@settings(max_examples=60)
@given(said=st.lists(st.sampled_from([*WORDS, *WORDS, *ENDS]), max_size=30), padded=st.booleans())
def test_words_that_pass_at_once_change_nothing(said: list[str], *, padded: bool) -> None:
    """What comes of a stream is the same as with a healer alone, piece by piece."""

    def event(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        more = {"obfuscation": "xyz"[: 1 + len(delta.get("content", "")) % 3]} if padded else {}
        doc = {"id": "c", "model": "qwen3:32b", "choices": [choice], **more}
        return b"data: " + json.dumps(doc).encode() + b"\n\n"

    events = [event({"role": "assistant", "content": ""}), *(event({"content": text}) for text in said)]
    events += [event({}, "stop"), b"data: [DONE]\n\n"]
    asking = asked("chat-hermes-stream")
    answer = RelayedAnswer(asking, Ways(), 200, SSE)
    out = b"".join(map(answer.feed, events)) + answer.close()
    healer = Healer(request=asking.request, path=CHAT, headers=SSE, tools=asking.tools, model=asking.model)
    due = b"".join(map(healer.feed, events)) + healer.close()
    assert (out, answer.note) == (due, "")


ALIKE = {
    "chat": ("chat-hermes-stream", b'data: {"choices": [{"index": 0, "delta": {"content": "%s"}, "finish_reason": null}]}\n\n'),
    "chat with padding": (
        "chat-hermes-stream",
        b'data: {"choices": [{"index": 0, "delta": {"content": "%s"}, "finish_reason": null}], "obfuscation": "%d"}\n\n',
    ),
    "ollama": (
        "ollama-hermes-stream",
        b'{"model":"m","created_at":"2026-11-22T05:00:%dZ","message":{"role":"assistant","content":"%s"},"done":false}\n',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ALIKE)
def test_most_events_of_prose_are_not_read_one_by_one(name: str) -> None:
    scenario, line = ALIKE[name]
    made: list[bytes] = []

    class Counting(Healer):
        def feed(self, data: bytes) -> bytes:
            made.append(data)
            return super().feed(data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exchanges, "Healer", Counting)
        answer = RelayedAnswer(asked(scenario), Ways(), 200, headers_of(scenario))
        events = [
            line.replace(b"%s", word).replace(b"%d", b"%d" % (number + 10))
            for number, word in enumerate([b"The", *[b" tide"] * 50, b"\\n<"])
        ]
        assert b"".join(map(answer.feed, events[:-1])) == b"".join(events[:-1])
        answer.feed(events[-1])
    assert len(made) < 6


def test_the_page_of_run_has_every_variable() -> None:
    page = (Path(__file__).parent.parent / "docs/run.md").read_text("utf-8")
    for kind in CLIENT_KINDS:
        row = next(line for line in page.splitlines() if f"`{kind.variables[0]}`" in line and line.startswith("| "))
        assert all(f"`{name}`" in row for name in kind.variables)
        assert f"`{kind.public}`" in row
