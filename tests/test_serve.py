"""`utp serve` between official clients and a server that loses calls: what the client gets, and what passes unchanged."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from tests.played_server import SCENARIOS, WAIT, Played, ask, body_of, path_of, playing, request_of

pytest.importorskip("uvicorn")

from utp_cli.app import app
from utp_cli.commands.formats import Showing
from utp_cli.commands.recorder import Recorder
from utp_cli.commands.serving import Pages, tell_if_silent
from utp_cli.io.healing import HEALED, ClientLine, Healing, Patience
from utp_cli.io.proxy import Relaying, listen, serve
from utp_cli.recording.capture import RecordedExchange, row_of
from utp_cli.recording.redaction import Redactor
from utp_cli.replaying.session import Session
from utp_cli.serving.ways import Ways

QUIET = Patience(first=WAIT, beat=WAIT, held=WAIT)


class Served:
    """A running relay that heals."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.captures: list[RecordedExchange] = []
        self.ended = threading.Semaphore(0)

    def hear(self, capture: RecordedExchange) -> None:
        self.captures.append(capture)
        self.ended.release()

    def last(self) -> RecordedExchange:
        """Wait for the next exchange to end."""
        assert self.ended.acquire(timeout=WAIT)
        return self.captures.pop(0)


@contextmanager
def relaying_on(listening: socket.socket, upstream: str, relaying: Relaying) -> Iterator[str]:
    """Run a relay on a socket; its URL."""
    begun, servers = threading.Event(), list[Any]()

    def running(server: Any) -> None:
        servers.append(server)
        begun.set()

    thread = threading.Thread(target=serve, args=({listening: upstream}, relaying, running))
    thread.start()
    assert begun.wait(WAIT)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        servers[0].should_exit = True
        thread.join()
        listening.close()


@contextmanager
def serving(upstream: str, ways: Ways | None = None, patience: Patience = QUIET) -> Iterator[Served]:
    listening = listen(0)
    served = Served(f"http://127.0.0.1:{listening.getsockname()[1]}")
    healing = Healing(ways=lambda: ways or Ways(), hear=served.hear, patience=patience)
    relaying = Relaying(hear=served.hear, passage=healing, pages=Pages().of(lambda: upstream))
    with relaying_on(listening, upstream, relaying):
        yield served


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with playing() as made:
        yield made


@pytest.fixture(scope="module")
def served(played: Played) -> Iterator[Served]:
    with serving(played.url) as made:
        yield made


def play(played: Played, name: str, **changes: Any) -> dict[str, Any]:
    """Let the server play a scenario anew, changed."""
    scenario = {**SCENARIOS[name], **changes}
    played.scenarios[name] = scenario
    played.turns.pop(name, None)
    played.go.clear()
    played.left.clear()
    return scenario


def post(base: str, scenario: dict[str, Any], **changes: Any) -> httpx.Response:
    headers = {"x-scenario": scenario["id"]}
    body = {**request_of(scenario), **changes}
    return httpx.post(base + path_of(scenario), json=body, headers=headers, timeout=WAIT, trust_env=False)


def wrong(scenario: dict[str, Any], seen: dict[str, Any]) -> list[str]:
    """Say where what a client's user saw is not what it must be."""
    due = scenario["expect"]
    tolerated = due.get("error_ok") and str(seen["error"]).startswith(due["error_ok"])
    if due.get("error"):
        return [] if seen["error"] and (due["error"] == "any" or due["error"] in seen["error"]) else ["no error"]
    if tolerated:
        return []
    told = [f"error {seen['error']}"] if seen["error"] else []
    calls = [
        {"name": name, "arguments": arguments} for _, name, arguments in seen["calls"] if isinstance(arguments, dict)
    ]
    if due.get("content_strip"):
        calls, due = _stripped(calls), {**due, "calls": _stripped(due["calls"])}
    told += [f"calls {calls}"] if calls != due["calls"] else []
    text = due.get("text")
    told += [f"text {seen['text']!r}"] if text is not None and seen["text"].strip() != text.strip() else []
    told += [f"text lacks {part!r}" for part in due.get("text_has", ()) if part not in seen["text"]]
    told += [f"text shows {part!r}" for part in due.get("text_has_not", ()) if part in seen["text"]]
    told += [
        f"{key} {seen[key]!r}" for key in ("finish", "usage") if due.get(key) is not None and seen[key] != due[key]
    ]
    told += [f"finish {seen['finish']}"] if seen["finish"] in due.get("finish_not", ()) else []
    ids = [call_id for call_id, _, _ in seen["calls"]]
    told += [f"ids {ids}"] if due.get("unique_ids") and (None in ids or len({*ids}) < len(ids)) else []
    return told


def _stripped(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out line ends at the end of arguments: models of some dialects cannot say whether there is one."""
    return [
        {**call, "arguments": {k: v.rstrip("\n") if isinstance(v, str) else v for k, v in call["arguments"].items()}}
        for call in calls
    ]


@pytest.mark.parametrize("name", [name for name, s in SCENARIOS.items() if not s.get("needs")])
def test_every_client_reads_what_the_model_did(name: str, played: Played, served: Served) -> None:
    scenario = play(played, name)
    assert wrong(scenario, ask(served.url, scenario)) == []


@pytest.mark.parametrize("name", [name for name, s in SCENARIOS.items() if s["expect"].get("identical")])
def test_what_is_healthy_passes_byte_for_byte(name: str, played: Played, served: Served) -> None:
    scenario = play(played, name)
    answer = post(served.url, scenario)
    assert (answer.status_code, answer.content) == (scenario["status"], body_of(scenario))
    assert scenario.get("headers", {}).items() <= dict(answer.headers).items()
    assert HEALED not in answer.headers


def test_a_whole_answer_says_what_was_healed_and_how_long_it_is(played: Played, served: Served) -> None:
    answer = post(served.url, play(played, "chat-hermes-body"))
    assert answer.headers[HEALED] == "finish, text-to-call"
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert played.headers[-1]["accept-encoding"] == "identity"


def test_a_stream_is_recorded_as_the_server_sent_it(played: Played) -> None:
    with serving(played.url) as served:
        scenario = play(played, "chat-hermes-stream")
        post(served.url, scenario)
        heard = served.last()
    assert heard.response_body == body_of(scenario)
    [made] = [heal for heal in heard.healed if heal["code"] == "text-to-call"]
    assert (made["name"], made["dialect"], made["cause"]) == ("search", "hermes", "call-left-in-content")


@pytest.mark.parametrize("changes", [{"tools": []}, {"tool_choice": "none"}])
def test_a_request_without_tools_is_not_read(changes: dict[str, Any], played: Played, served: Served) -> None:
    scenario = play(played, "chat-hermes-stream")
    assert post(served.url, scenario, **changes).content == body_of(scenario)


def test_a_request_in_a_content_encoding_passes_and_is_told(played: Played) -> None:
    with serving(played.url) as served:
        scenario = play(played, "chat-hermes-body")
        headers = {"x-scenario": scenario["id"], "content-encoding": "gzip", "content-type": "application/json"}
        packed = gzip.compress(json.dumps(request_of(scenario)).encode())
        url = served.url + path_of(scenario)
        answer = httpx.post(url, content=packed, headers=headers, timeout=WAIT, trust_env=False)
        assert (answer.status_code, answer.content) == (200, body_of(scenario))
        assert served.last().note == "not healed: the request is in the content encoding gzip"


def test_what_fails_inside_passes(played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> bytes:
        raise RuntimeError("a fault of ours")

    with serving(played.url) as served:
        for name in ("chat-hermes-stream", "chat-hermes-body"):
            monkeypatch.setattr("utp_cli.serving.exchange.Healer.feed", fail)
            scenario = play(played, name)
            answer = post(served.url, scenario)
            assert (answer.status_code, answer.content) == (200, body_of(scenario))
            assert "a fault of ours" in served.last().note


# -- asking again, and tools for models that have none


@pytest.mark.parametrize("name", ["chat-hermes-body", "chat-hermes-stream"])
def test_a_history_that_is_refused_is_fitted(name: str, played: Played) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    history: list[Any] = [
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "warm"},
    ]
    refusal = {"status": 400, "headers": {}, "body": {"error": {"message": "bad ids"}}, "chunks": None}
    with serving(played.url, Ways(provider="mistral")) as served:
        scenario = play(played, name, **refusal, next=[SCENARIOS[name]])
        first = post(served.url, scenario, messages=history)
        seen = [served.last(), served.last()]
        scenario = play(played, name)
        second = post(served.url, scenario, messages=history)
        seen.append(served.last())
        scenario = play(played, name)
        sound = post(served.url, scenario)
        seen.append(served.last())
    asked = [request["messages"] for _, request in played.asked[-4:]]
    assert asked[0] == history
    assert asked[1] == asked[2] != history
    assert asked[3] == request_of(scenario)["messages"]
    assert [answer.status_code for answer in (first, second, sound)] == [200, 200, 200]
    assert first.content == second.content == sound.content
    assert [capture.dropped for capture in seen] == [True, False, False, False]
    told = [[one["code"] for one in capture.fitted] for capture in seen]
    assert told == [[], ["mistral-id-format"], ["mistral-id-format"], []]
    row = row_of(seen[1], Redactor())
    assert row["request"]["messages"] == history
    assert row["fitted"][0]["pointer"] == "/messages/1/tool_calls/0"


def test_an_invalid_call_goes_back_to_the_model(played: Played) -> None:
    with serving(played.url, Ways(retry=1)) as served:
        scenario = play(played, "chat-retry")
        played.asked.clear()
        assert wrong(scenario, ask(served.url, scenario)) == []
        first, second = served.last(), served.last()
    assert (first.dropped, second.dropped, second.retries) == (True, False, 1)
    asked = [body["messages"] for _, body in played.asked]
    assert asked[1][:1] == asked[0]
    assert [message["role"] for message in asked[1]] == ["user", "assistant", "tool"]
    assert "ArgValidationError: city" in asked[1][2]["content"]


@pytest.mark.parametrize("second", [{"status": 500, "body": {"error": {"message": "busy"}}}, {"body": "no JSON"}])
def test_a_first_answer_stands_where_asking_again_fails(second: dict[str, Any], played: Played) -> None:
    with serving(played.url, Ways(retry=1)) as served:
        scenario = play(played, "chat-retry", next=[second])
        answer = post(served.url, scenario)
    expected = [] if "status" not in second else [{"days": 2}]
    made = answer.json()["choices"][0]["message"]["tool_calls"] if expected else []
    assert [json.loads(call["function"]["arguments"]) for call in made] == expected


def test_the_usage_of_all_that_was_asked_is_told(played: Played) -> None:
    with serving(played.url, Ways(retry=1)) as served:
        scenario = play(played, "chat-retry")
        bodies = [scenario["body"], scenario["next"][0]["body"]]
        answer = post(served.url, scenario)
    due = sum(body["usage"]["total_tokens"] for body in bodies)
    assert answer.json()["usage"]["total_tokens"] == due
    assert int(answer.headers["content-length"]) == len(answer.content)


def test_text_is_not_held_for_asking_again(played: Played) -> None:
    with serving(played.url, Ways(retry=1)) as served:
        scenario = play(played, "chat-hermes-slow", gate=6)
        with streaming(served.url, scenario) as pieces:
            heard = b""
            while b"look" not in heard:
                heard += next(pieces)
            played.go.set()


@pytest.mark.parametrize("stream", [False, True])
def test_tools_are_emulated_where_the_model_has_none(stream: bool, played: Played) -> None:
    with serving(played.url, Ways(mode="auto")) as served:
        scenario = play(played, "ollama-emulate", stream=stream)
        played.asked.clear()
        assert wrong(scenario, ask(served.url, scenario)) == []
        native, emulated = (body for _, body in played.asked)
        assert "tools" in native
        assert "tools" not in emulated
        assert emulated["stream"] is False
        assert "Search the handbook." in emulated["messages"][0]["content"]
        ask(served.url, play(played, "ollama-emulate"))
        assert "tools" not in played.asked[-1][1], "what the server said counts for the next request"


# -- waiting


BEATS = {
    "chat-clean-slow": b": still working\n\n",
    "openai-responses-clean-stream": b": still working\n\n",
    "anthropic-clean-stream": b'event: ping\ndata: {"type": "ping"}\n\n',
    "ollama-clean-stream": b'"message": {"role": "assistant", "content": ""}, "done": false}\n',
    "gemini-clean-stream": b"data: {}\r\n\r\n",
}


@contextmanager
def streaming(base: str, scenario: dict[str, Any]) -> Iterator[Iterator[bytes]]:
    headers = {"x-scenario": scenario["id"]}
    with (
        httpx.Client(timeout=WAIT, trust_env=False) as client,
        client.stream("POST", base + path_of(scenario), json=request_of(scenario), headers=headers) as answer,
    ):
        yield answer.iter_raw()


@pytest.mark.parametrize("name", BEATS)
@pytest.mark.parametrize("gate", [-1, 2])
def test_a_client_hears_something_while_the_server_is_silent(name: str, gate: int, played: Played) -> None:
    with serving(played.url, patience=Patience(first=0.01, beat=0.01, held=WAIT)) as served:
        scenario = play(played, name, gate=gate)
        with streaming(served.url, scenario) as pieces:
            heard = b""
            while heard.count(BEATS[name]) < 3:
                heard += next(pieces)
            played.go.set()
            heard += b"".join(pieces)
    sent = b"".join(heard.split(BEATS[name])) if name != "ollama-clean-stream" else b""
    assert name == "ollama-clean-stream" or sent == body_of(scenario)


@pytest.mark.parametrize("name", BEATS)
def test_every_client_minds_no_sign_of_life(name: str, played: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    beats: list[ClientLine] = []

    async def beat(line: ClientLine) -> None:
        await told(line)
        beats.append(line)
        if len(beats) == 3:
            played.go.set()

    told = ClientLine.beat
    monkeypatch.setattr(ClientLine, "beat", beat)
    with serving(played.url, patience=Patience(first=0.01, beat=0.01, held=WAIT)) as served:
        scenario = play(played, name, gate=-1)
        assert wrong(scenario, ask(served.url, scenario)) == []
    assert len(beats) >= 3


def test_an_error_that_comes_late_is_told_in_the_stream(played: Played) -> None:
    with serving(played.url, patience=Patience(first=0.01, beat=0.01, held=WAIT)) as served:
        late = {"status": 429, "body": {"error": {"message": "too often", "type": "limit"}}, "chunks": None}
        scenario = play(played, "chat-clean-slow", gate=-1, **late)
        with streaming(served.url, scenario) as pieces:
            heard = next(pieces)
            played.go.set()
            heard += b"".join(pieces)
    assert heard.endswith(b'data: {"error": {"message": "too often", "type": "limit"}}\n\n')


def test_what_is_held_for_too_long_passes(played: Played) -> None:
    with serving(played.url, patience=Patience(first=WAIT, beat=0.01, held=0.02)) as served:
        scenario = play(played, "chat-hermes-slow", gate=len(SCENARIOS["chat-hermes-slow"]["chunks"]) - 3)
        with streaming(served.url, scenario) as pieces:
            heard = b""
            while b"tool_call" not in heard:
                heard += next(pieces)
            played.go.set()
            b"".join(pieces)
        assert "held back for 0.02 s" in served.last().note


def test_a_client_that_goes_away_ends_the_request(played: Played) -> None:
    with serving(played.url) as served:
        scenario = play(played, "chat-hermes-slow", gate=4)
        with streaming(served.url, scenario) as pieces:
            next(pieces)
        assert played.left.wait(10), "the server goes on generating"
        assert served.last().ended == "client-gone"


def test_a_hundred_streams_at_once(played: Played) -> None:
    scenario = play(played, "chat-hermes-parallel", gate=3)
    headers = {"x-scenario": scenario["id"]}

    async def hundred(base: str) -> list[str]:
        begun = 0

        async def one(client: httpx.AsyncClient) -> str:
            nonlocal begun
            url, body = base + path_of(scenario), request_of(scenario)
            async with client.stream("POST", url, json=body, headers=headers) as answer:
                heard, pieces = "", answer.aiter_text()
                heard += await anext(pieces)
                begun += 1
                if begun == 100:
                    played.go.set()
                return heard + "".join([piece async for piece in pieces])

        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(timeout=WAIT, limits=limits, trust_env=False) as client:
            return await asyncio.gather(*(one(client) for _ in range(100)))

    with serving(played.url) as served:
        answers = asyncio.run(hundred(served.url))
    assert len({*answers}) == 1
    assert '"finish_reason": "tool_calls"' in answers[0]
    assert "<tool_call>" not in answers[0]


# -- what it says of itself


def test_pages_of_its_own(played: Played, served: Served) -> None:
    health = httpx.get(f"{served.url}/_utp/health", trust_env=False).json()
    assert (health["status"], health["upstream"]) == ("ok", played.url)
    assert "utp_held_seconds" in httpx.get(f"{served.url}/_utp/metrics", trust_env=False).text
    refused = httpx.get(f"{served.url}/_utp/health", headers={"host": "evil.example"}, trust_env=False)
    assert refused.status_code == 403


def test_counters_tell_of_every_answer_that_has_ended(played: Played) -> None:
    listening, pages, gate = listen(0), Pages(), threading.Event()

    def also(capture: RecordedExchange, outcome: Any) -> None:
        assert gate.wait(WAIT)  # as slow as it may be: the client has its answer long before
        pages.count(capture, outcome)

    recorder = Recorder(None, Session(), Redactor(()), Showing(quiet=True), also=also)

    def counted() -> Any:
        gate.set()
        return recorder.counted()

    relaying = Relaying(
        hear=recorder.hear, passage=Healing(ways=Ways, hear=recorder.hear), pages=pages.of(lambda: played.url),
        sums={"/_utp/metrics": counted},
    )  # fmt: skip
    with relaying_on(listening, played.url, relaying) as url:
        for number in range(1, 4):
            gate.clear()
            post(url, play(played, "chat-hermes-stream"))
            told = httpx.get(f"{url}/_utp/metrics", trust_env=False).text
            (line,) = [one for one in told.splitlines() if one.startswith("utp_answers_total{")]
            assert line.endswith(f" {number}.0")
    recorder.close()


def test_nobody_answers() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        dead = f"http://127.0.0.1:{closed.getsockname()[1]}"
    with serving(dead) as served:
        answer = post(served.url, SCENARIOS["chat-hermes-stream"])
    assert answer.status_code == 502
    assert f"utp: no answer from {dead}" in answer.json()["error"]["message"]


# -- the command


@pytest.mark.skipif(os.name == "nt", reason="signals are of POSIX")
def test_the_command_logs_json_and_ends_with_sums(played: Played, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    words = [sys.executable, "-m", "utp_cli", "serve", "--upstream", played.url, "--port", "0", "-o", str(file)]
    with subprocess.Popen([*words, "--log-format", "json"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        listening = json.loads(process.stderr.readline())
        post(listening["url"], play(played, "chat-hermes-stream"))
        told = json.loads(process.stderr.readline())
        process.send_signal(signal.SIGINT)
        sums = json.loads(process.stderr.readline())
        assert process.wait(WAIT) == 0
    assert (listening["event"], listening["upstream"]) == ("listening", played.url)
    assert (told["calls"], told["lost"], told["healed"]) == (["search"], 1, ["text-to-call", "finish"])
    assert (sums["calls"], sums["lost"], sums["healed"]) == (1, 1, 1)
    row = json.loads(file.read_text("utf-8").splitlines()[1])
    assert {heal["code"] for heal in row["healed"]} == {"text-to-call", "finish"}
    assert row["stream"] == body_of(SCENARIOS["chat-hermes-stream"]).decode()


REFUSED: list[tuple[tuple[str, ...], str]] = [
    ((), "utp: no server to ask: name one with --upstream URL"),
    (("--upstream", "http://a b"), "utp: 'http://a b' is no URL of a server: http://HOST:PORT"),
    (
        ("--upstream", "http://x", "--policy", "saf"),
        "utp: --policy takes safe, guess, not 'saf' (did you mean 'safe'?)",
    ),
    (("--upstream", "http://x", "--mode", "pased"), "did you mean 'parsed'?"),
    (("--upstream", "http://x", "--log-format", "xml"), "utp: --log-format takes pretty, json, not 'xml'"),
]


@pytest.mark.parametrize(("words", "said"), REFUSED)
def test_what_cannot_be_served(words: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(app, ["serve", *words])
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_port_in_use() -> None:
    with listen(0) as taken:
        port = taken.getsockname()[1]
        done = CliRunner().invoke(app, ["serve", "--upstream", "http://x", "--port", str(port)])
    assert done.exit_code == 2
    assert f"utp: cannot listen on port {port}: address already in use; choose another with --port" in done.stderr


def test_a_server_that_is_not_there_yet_is_told_at_the_start(
    played: Played, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    tell_if_silent(f"http://127.0.0.1:{port}")
    assert f"nothing answers at http://127.0.0.1:{port} (connection refused)" in capsys.readouterr().err
    tell_if_silent(played.url)
    assert capsys.readouterr().err == ""
