"""`utp record` between real clients and a loopback server: bytes as they were, everything in the file, no key in it."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import example, given, strategies as st
from typer.testing import CliRunner

from utp_cli import replay
from utp_cli.app import app
from utp_cli.io.sessions import SessionFile, export
from utp_cli.io.unpacking import MOST, unpack, unpacked
from utp_cli.protocol.errors import BadFile
from utp_cli.recording.capture import UNREADABLE, WITHHELD, RecordedExchange, row_of
from utp_cli.recording.redaction import Redactor
from utp_cli.recording.secrets import REDACTED, secrets_of, without_parameters

uvicorn = pytest.importorskip("uvicorn")

KEY = "sk-proj-1234567890abcdefghijKLMN"
COOKIE = "c00kie-monster-42"
WAIT = 20
TOOL = {
    "name": "search",
    "description": "Find.",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}


def sse(*events: Any) -> bytes:
    return b"".join(b"data: " + (e if isinstance(e, bytes) else json.dumps(e).encode()) + b"\n\n" for e in events)


def chunk(**delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": delta.pop("finish", None)}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


CALL = {"id": "call_1", "type": "function", "function": {"name": "search", "arguments": '{"query": "Zoë ☃"}'}}
OPENAI = {
    "id": "c1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": None, "tool_calls": [CALL]}, "finish_reason": "tool_calls"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12},
}  # fmt: skip
OPENAI_STREAM = [
    sse(chunk(role="assistant", content="")),
    sse(
        chunk(
            tool_calls=[
                {"index": 0, "id": "call_1", "type": "function", "function": {"name": "search", "arguments": '{"que'}}
            ]
        )
    ),
    sse(chunk(tool_calls=[{"index": 0, "function": {"arguments": 'ry": "Zoë ☃"}'}}])),
    sse(chunk(finish="tool_calls"), b"[DONE]"),
]
ANTHROPIC = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4", "stop_reason": "tool_use", "stop_sequence": None,
    "content": [{"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"query": "x"}}],
    "usage": {"input_tokens": 9, "output_tokens": 3},
}  # fmt: skip


def named(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


ANTHROPIC_STREAM = [
    named({"type": "message_start", "message": {**ANTHROPIC, "content": [], "stop_reason": None}}),
    named(
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}},
        }
    ),
    named(
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": '{"query": "x"}'},
        }
    ),
    named({"type": "content_block_stop", "index": 0}),
    named(
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 3},
        }
    ),
    named({"type": "message_stop"}),
]
OLLAMA = {
    "model": "qwen3:8b", "created_at": "2026-01-01T00:00:00Z", "done": True, "done_reason": "stop",
    "message": {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "search", "arguments": {"query": "x"}}}]},
}  # fmt: skip
OLLAMA_STREAM = [
    json.dumps({**OLLAMA, "done": False, "done_reason": None}).encode() + b"\n",
    json.dumps({**OLLAMA, "message": {"role": "assistant", "content": ""}}).encode() + b"\n",
]
BODIES: dict[str, tuple[Any, list[bytes], str]] = {
    "/v1/chat/completions": (OPENAI, OPENAI_STREAM, "text/event-stream"),
    "/v1/messages": (ANTHROPIC, ANTHROPIC_STREAM, "text/event-stream"),
    "/api/chat": (OLLAMA, OLLAMA_STREAM, "application/x-ndjson"),
}


@dataclass
class Upstream:
    """A server of models; requests say in `x-test` how it shall behave."""

    url: str = ""
    go: threading.Event = field(default_factory=threading.Event)
    """Held streams go on when it is set."""
    left: threading.Event = field(default_factory=threading.Event)
    """A client went away in the middle of a held stream."""
    all_here: threading.Barrier = field(default_factory=lambda: threading.Barrier(50))
    connections: set[Any] = field(default_factory=set)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Paths, and headers in small letters."""


def handler_of(upstream: Upstream) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def parse_request(self) -> bool:
            whole = super().parse_request()
            if whole:
                upstream.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            return whole

        def do_GET(self) -> None:
            self._whole(200, b'{"object": "list", "data": []}')

        def do_POST(self) -> None:
            upstream.connections.add(self.client_address)
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            body, stream, kind = BODIES[self.path.partition("?")[0]]
            behave = self.headers.get("x-test", "")
            if behave == "barrier":
                upstream.all_here.wait(WAIT)
            if behave == "refuse":
                said = f"Incorrect API key provided: {self.headers['authorization'][7:]}"
                self._whole(401, json.dumps({"error": {"message": said}}).encode())
            elif request.get("stream", self.path == "/api/chat"):
                self._stream(stream, kind, behave)
            else:
                plain = json.dumps(body).encode()
                self._whole(200, gzip.compress(plain, mtime=0) if behave == "gzip" else plain, gz=behave == "gzip")

        def _whole(self, status: int, body: bytes, *, gz: bool = False) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("set-cookie", f"session={COOKIE}; Path=/")
            self.send_header("content-length", str(len(body)))
            if gz:
                self.send_header("content-encoding", "gzip")
            self.end_headers()
            self.wfile.write(body)

        def _stream(self, pieces: list[bytes], kind: str, behave: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for number, piece in enumerate(pieces):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                if number == 1 and behave == "break":
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                if number == 1 and behave == "hold":
                    upstream.go.wait(WAIT)
                if number == 1 and behave == "until-left":
                    self.connection.settimeout(WAIT)
                    if self.connection.recv(1) == b"":
                        upstream.left.set()
                    self.close_connection = True
                    return
            self.wfile.write(b"0\r\n\r\n")

    return Handler


class Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """A client that goes away is what some tests are about."""


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    made = Upstream()
    server = Server(("127.0.0.1", 0), handler_of(made))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield made
    server.shutdown()
    server.server_close()
    thread.join()


class Recording:
    """A running `utp record`."""

    def __init__(self, upstream: str, file: Path, *options: str) -> None:
        self.file = file
        words = [
            sys.executable,
            "-m",
            "utp_cli",
            "record",
            "--upstream",
            upstream,
            "--port",
            "0",
            "-o",
            str(file),
            *options,
        ]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"}
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment)
        said, found = [], None
        while not found:
            said.append(self.process.stderr.readline())  # type: ignore[union-attr]
            assert said[-1], said
            found = re.search(r"listening on (http://127\.0\.0\.1:\d+)", said[-1])
        said.append(self.process.stderr.readline())  # type: ignore[union-attr]  # base_url
        self.url, self.said = found[1], said

    def stop(self, sent: int = signal.SIGTERM) -> str:
        self.process.send_signal(sent)
        _, said = self.process.communicate(timeout=WAIT)
        assert self.process.returncode == 0, said
        return "".join(self.said) + said

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def rows(self) -> list[dict[str, Any]]:
        text = self.file.read_text(encoding="utf-8")
        assert text.endswith("\n")
        return [json.loads(line) for line in text.splitlines()][1:]


def utp(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def recording(upstream: Upstream, tmp_path: Path) -> Iterator[Recording]:
    made = Recording(upstream.url, tmp_path / "session.jsonl")
    yield made
    made.kill()


def ask(stream: bool = False, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": "find Zoë"}], "stream": stream, **more}


HEADERS = {"authorization": f"Bearer {KEY}", "cookie": f"session={COOKIE}"}


def raw(client: httpx.Client, url: str, request: dict[str, Any], **headers: str) -> tuple[int, bytes, dict[str, str]]:
    with client.stream("POST", url, json=request, headers={**HEADERS, **headers}) as answer:
        kept = {k: v for k, v in answer.headers.items() if k not in ("date", "transfer-encoding", "server")}
        return answer.status_code, b"".join(answer.iter_raw()), kept


def test_real_clients_streamed_and_not(upstream: Upstream, recording: Recording) -> None:
    """openai, anthropic, ollama and httpx, fifty at once, one that goes away: all is as it was, and in the file."""
    import anthropic
    import ollama
    import openai

    chat = openai.OpenAI(base_url=f"{recording.url}/v1", api_key=KEY, max_retries=0)
    tools: Any = [{"type": "function", "function": TOOL}]
    messages: Any = ask()["messages"]
    whole = chat.chat.completions.create(model="m", messages=messages, tools=tools)
    assert whole.choices[0].message.tool_calls[0].function.arguments == CALL["function"]["arguments"]  # type: ignore[index, union-attr]
    with chat.chat.completions.create(model="m", messages=messages, tools=tools, stream=True) as events:
        deltas = [d for event in events for choice in event.choices for d in choice.delta.tool_calls or ()]
    assert "".join(d.function.arguments or "" for d in deltas if d.function) == CALL["function"]["arguments"]  # type: ignore[index]
    claude = anthropic.Anthropic(base_url=recording.url, api_key=KEY, max_retries=0)
    about: Any = {
        "model": "claude-sonnet-4",
        "max_tokens": 9,
        "messages": messages,
        "tools": [{**TOOL, "input_schema": TOOL["parameters"]}],
    }
    assert claude.messages.create(**about).content[0].input == {"query": "x"}  # type: ignore[union-attr]
    with claude.messages.stream(**about) as heard:
        assert heard.get_final_message().content[0].input == {"query": "x"}  # type: ignore[union-attr]
    local = ollama.Client(host=recording.url)
    assert local.chat("qwen3:8b", messages).message.tool_calls[0].function.arguments == {"query": "x"}  # type: ignore[index]
    assert [bool(part.message.tool_calls) for part in local.chat("qwen3:8b", messages, stream=True)] == [True, False]
    for client in (chat, claude, local._client):
        client.close()

    async def fifty() -> list[httpx.Response]:
        async with httpx.AsyncClient(timeout=WAIT, headers={**HEADERS, "x-test": "barrier"}) as client:
            url = f"{recording.url}/v1/chat/completions"
            return await asyncio.gather(*(client.post(url, json=ask(stream=n % 2 == 0)) for n in range(50)))

    answers = asyncio.run(fifty())
    assert {answer.content for answer in answers[::2]} == {b"".join(OPENAI_STREAM)}
    assert {answer.content for answer in answers[1::2]} == {json.dumps(OPENAI).encode()}
    leave_in_the_middle(recording)
    assert upstream.left.wait(WAIT)
    said = recording.stop()
    rows = recording.rows()
    assert len(rows) == 6 + 50 + 1
    assert [row["ended"] for row in rows if "ended" in row] == ["client-gone"]
    assert "57 exchanges recorded" in said
    text = recording.file.read_text() + said
    assert KEY not in text
    assert COOKIE not in text
    found = replay(recording.file)
    assert found.metrics.total.by_status == {"match": 57}
    assert found.metrics.total.by_parser == {"openai-chat": 52, "anthropic": 2, "ollama": 2}


def leave_in_the_middle(recording: Recording) -> None:
    body = json.dumps(ask(stream=True)).encode()
    port = int(recording.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT) as client:
        client.sendall(
            b"POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nx-test: until-left\r\n"
            b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)
        )
        heard = b""
        while b"search" not in heard:
            heard += client.recv(4096)


@pytest.mark.parametrize(
    ("path", "stream", "behave"),
    [
        ("/v1/chat/completions", False, ""),
        ("/v1/chat/completions", False, "gzip"),
        ("/v1/chat/completions", True, ""),
        ("/v1/chat/completions", False, "refuse"),
        ("/v1/messages?beta=true", True, ""),
        ("/api/chat", True, ""),
    ],
)
def test_bytes_pass_unchanged(upstream: Upstream, recording: Recording, path: str, stream: bool, behave: str) -> None:
    with httpx.Client(timeout=WAIT) as client:
        direct, through = (
            raw(client, url + path, ask(stream), **{"x-test": behave}) for url in (upstream.url, recording.url)
        )
    assert through == direct
    recording.stop()
    [row] = recording.rows()
    assert row["path"] == path
    assert row["request"] == ask(stream)
    assert ("stream" in row) == stream
    assert KEY not in recording.file.read_text()
    assert COOKIE not in recording.file.read_text()


def test_the_first_byte_of_a_stream_comes_at_once(upstream: Upstream, recording: Recording) -> None:
    """The server holds the rest back until the client has seen the beginning."""
    url = f"{recording.url}/v1/chat/completions"
    with (
        httpx.Client(timeout=WAIT) as client,
        client.stream("POST", url, json=ask(True), headers={"x-test": "hold"}) as answer,
    ):
        pieces, heard = answer.iter_raw(), b""
        while b"search" not in heard:
            heard += next(pieces)
        assert not upstream.go.is_set()
        upstream.go.set()
        assert heard + b"".join(pieces) == b"".join(OPENAI_STREAM)


def test_connections_are_kept(upstream: Upstream, recording: Recording) -> None:
    with httpx.Client(timeout=WAIT) as client:
        for _ in range(5):
            raw(client, f"{recording.url}/v1/chat/completions", ask())
    assert len(upstream.connections) == 1


def test_a_server_that_breaks_off_breaks_off_for_the_client(upstream: Upstream, recording: Recording) -> None:
    with httpx.Client(timeout=WAIT) as client, pytest.raises(httpx.RemoteProtocolError):
        raw(client, f"{recording.url}/v1/chat/completions", ask(True), **{"x-test": "break"})
    recording.stop()
    [row] = recording.rows()
    assert row["ended"] == "upstream-broke"
    assert row["stream"] == b"".join(OPENAI_STREAM[:2]).decode()


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = free.getsockname()[1]
    recording = Recording(f"http://user:{KEY}@127.0.0.1:{nobody}", tmp_path / "s.jsonl")
    try:
        answer = httpx.post(f"{recording.url}/v1/chat/completions", json=ask(), timeout=WAIT)
        assert answer.status_code == 502
        assert "no answer from" in answer.json()["error"]["message"]
        said = recording.stop(signal.SIGINT)
    finally:
        recording.kill()
    assert recording.rows()[0]["ended"] == "unreachable"
    assert KEY not in recording.file.read_text() + said + answer.text


def test_an_answer_under_way_ends_before_the_recorder_does(upstream: Upstream, recording: Recording) -> None:
    url = f"{recording.url}/v1/chat/completions"
    with (
        httpx.Client(timeout=WAIT) as client,
        client.stream("POST", url, json=ask(True), headers={"x-test": "hold"}) as answer,
    ):
        pieces = answer.iter_raw()
        heard = next(pieces)
        recording.process.send_signal(signal.SIGTERM)
        upstream.go.set()
        heard += b"".join(pieces)
    assert heard == b"".join(OPENAI_STREAM)
    recording.process.communicate(timeout=WAIT)
    assert recording.process.returncode == 0
    [row] = recording.rows()
    assert row["stream"] == heard.decode()
    assert "ended" not in row


def test_what_was_heard_of_a_stream_is_kept_when_the_recorder_must_end(
    upstream: Upstream, recording: Recording
) -> None:
    url = f"{recording.url}/v1/chat/completions"
    with contextlib.ExitStack() as stack:
        client = stack.enter_context(httpx.Client(timeout=WAIT))
        answer = stack.enter_context(client.stream("POST", url, json=ask(True), headers={"x-test": "hold"}))
        pieces = answer.iter_raw()
        next(pieces)
        recording.stop()
        upstream.go.set()
    [row] = recording.rows()
    assert row["ended"] == "stopped"
    assert row["stream"].startswith("data: {")


def test_what_is_no_question_to_a_model_passes_unrecorded(recording: Recording) -> None:
    assert httpx.get(f"{recording.url}/v1/models", timeout=WAIT).json() == {"object": "list", "data": []}
    said = recording.stop()
    assert recording.rows() == []
    assert "not recorded" in said


def test_a_file_is_gone_on_with(upstream: Upstream, tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_text('{"utp_session": 1}\n{"request": {}, "response": {"choices": []}}\n{"request": {"mess')
    recording = Recording(upstream.url, file, "--redact", "messages")
    try:
        httpx.post(f"{recording.url}/v1/chat/completions", json=ask(), timeout=WAIT)
        recording.stop()
    finally:
        recording.kill()
    rows = recording.rows()
    assert rows[0] == {"request": {}, "response": {"choices": []}}
    assert rows[1]["request"] == {"model": "m", "messages": REDACTED, "stream": False}
    assert rows[1]["response"] == OPENAI


# -- who may ask, and how ----------------------------------------------------------------------------------------


def spoken(recording: Recording, request: str) -> bytes:
    """Send a request as it is written here, and hear the answer to its end."""
    with socket.create_connection(("127.0.0.1", int(recording.url.rpartition(":")[2])), timeout=WAIT) as client:
        client.sendall(request.replace("\n", "\r\n").encode())
        heard = b""
        while piece := client.recv(65536):
            heard += piece
    return heard


@pytest.mark.parametrize(
    ("request_text", "status", "said"),
    [
        ("GET /v1/models HTTP/1.1\nHost: evil.example\n\n", 403, "--allow-host"),
        ("GET /v1/models HTTP/1.1\nHost: 127.0.0.1.evil.example:80\n\n", 403, "--allow-host"),
        ("GET /v1/models HTTP/1.1\nHost: 10.0.0.1\n\n", 403, "--allow-host"),
        ("GET /v1/models HTTP/1.1\nHost: localhost@evil.example\n\n", 403, "--allow-host"),
        ("GET /v1/models HTTP/1.1\nHost: localhost:80@evil.example\n\n", 403, "--allow-host"),
        ("GET /v1/models HTTP/1.1\nHost: [::1].evil.example\n\n", 403, "--allow-host"),
        ("GET /v1/models HTTP/1.1\nHost: localhost/evil.example\n\n", 403, "--allow-host"),
        ("GET /v1/models HTTP/1.1\nHost: evil.example#localhost\n\n", 403, "--allow-host"),
        ("GET /v1/models HTTP/1.1\nHost: localhost.evil.example.\n\n", 403, "--allow-host"),
        ("GET /v1/models HTTP/1.1\nHost: 2130706433\n\n", 403, "--allow-host"),
        ("GET /v1/models HTTP/1.1\nHost: 0x7f.1\n\n", 403, "--allow-host"),
        ("GET /v1/models HTTP/1.1\nHost: \n\n", 403, "--allow-host"),
        ("GET /v1/models HTTP/1.1\nHost: \x1b[31m\u202e\n\n", 403, "\\x1b[31m"),
        (f"GET /v1/models HTTP/1.1\nHost: {'a' * 5000}\n\n", 403, "a" * 80 + "'"),
        ("GET http://evil.example/v1/models HTTP/1.1\nHost: localhost\n\n", 400, "base URL"),
        ("CONNECT evil.example:443 HTTP/1.1\nHost: localhost\n\n", 405, "no tunnel"),
        ("OPTIONS * HTTP/1.1\nHost: localhost\n\n", 400, "base URL"),
        ("POST /v1/messages HTTP/1.1\nHost: localhost\nContent-Length: 5\nTransfer-Encoding: chunked\n\n0\n\n", 400, "both"),
    ],
)  # fmt: skip
def test_what_is_not_passed_on(
    upstream: Upstream, recording: Recording, request_text: str, status: int, said: str
) -> None:
    head, _, body = spoken(recording, request_text).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert said in json.loads(body)["error"]["message"]
    assert upstream.asked == []


def test_two_hosts_are_none(upstream: Upstream, recording: Recording) -> None:
    heard = spoken(recording, "GET /v1/models HTTP/1.1\nHost: localhost\nHost: evil.example\n\n")
    assert heard.startswith(b"HTTP/1.1 400 ")
    assert upstream.asked == []


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:1", "[::1]:80", "127.8.9.1", "a.localhost", "box", "Box:8100"]
)
def test_names_that_are_allowed(upstream: Upstream, tmp_path: Path, host: str) -> None:
    recording = Recording(upstream.url, tmp_path / "s.jsonl", "--allow-host", "BOX")
    try:
        assert b" 200 OK" in spoken(recording, f"GET /v1/models HTTP/1.1\nHost: {host}\nConnection: close\n\n")
    finally:
        recording.kill()


def test_headers_of_one_connection_stay_there(upstream: Upstream, recording: Recording) -> None:
    spoken(recording, "GET /v1/models HTTP/1.1\nHost: localhost\nConnection: close, X-Hop\nX-Hop: 1\nX-End: 2\n\n")
    [(_, headers)] = upstream.asked
    assert "x-hop" not in headers
    assert headers["x-end"] == "2"


@pytest.mark.parametrize(
    ("below", "path", "asked", "written"),
    [
        ("/v1", "/v1/chat/completions", "/v1/chat/completions", "/v1/chat/completions"),
        ("/v1/", "/chat/completions", "/v1/chat/completions", "/v1/chat/completions"),
        ("/v1?tier=x%2Fy", "/v1/chat/completions?a=b", "/v1/chat/completions?tier=x%2Fy&a=b", "/v1/chat/completions?a=b"),
        ("", "/v1/chat/completions", "/v1/chat/completions", "/v1/chat/completions"),
    ],
)  # fmt: skip
def test_the_way_upstream(upstream: Upstream, tmp_path: Path, below: str, path: str, asked: str, written: str) -> None:
    recording = Recording(upstream.url + below, tmp_path / "my s.jsonl")
    try:
        assert httpx.post(recording.url + path, json=ask(), timeout=WAIT).json() == OPENAI
        said = recording.stop()
    finally:
        recording.kill()
    assert f"base_url: {recording.url}/v1 (OpenAI's clients), {recording.url} (all others)" in said
    assert f"next: utp replay '{recording.file}'" in said
    assert upstream.asked[0][0] == asked
    assert recording.rows()[0]["path"] == written


def bomb(coding: str) -> bytes:
    import brotli
    import zstandard

    plain = json.dumps({**ask(), "x": "A" * (200 << 20)}).encode()
    pack = {
        "gzip": gzip.compress,
        "deflate": zlib.compress,
        "br": lambda d: brotli.compress(d, quality=1),
        "zstd": zstandard.compress,
    }
    return pack[coding](plain)  # type: ignore[operator, no-any-return]


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_what_is_unpacked_is_bounded(coding: str) -> None:
    assert len(unpacked(bomb(coding), [coding]) or b"") == MOST + 1
    text = b"some text " * 1000
    import brotli
    import zstandard

    packed = {
        "gzip": gzip.compress(text[:5000]) + gzip.compress(text[5000:]), "deflate": zlib.compress(text)[2:-4],
        "br": brotli.compress(text), "zstd": zstandard.compress(text[:5000]) + zstandard.compress(text[5000:]),
    }[coding]  # fmt: skip
    assert unpacked(packed, [coding]) == text
    assert text.startswith(unpacked(packed[:-9], [coding]) or b"")
    assert text.startswith(unpacked(packed[:20] + b"\xff" * 20, [coding]) or b"")
    assert unpacked(gzip.compress(packed), [coding, "gzip"]) == text
    assert unpacked(text, ["of-tomorrow"]) is None


def test_a_body_in_an_encoding_that_is_not_known_is_not_written() -> None:
    capture = RecordedExchange(
        method="POST", path="/x", at=0.0, request_headers=[], request_body=json.dumps(ask()).encode(), status=200,
        response_headers=[("content-encoding", "of-tomorrow")], response_body=b"\x00" + KEY.encode(), ended="complete",
    )  # fmt: skip
    unpack(capture)
    assert row_of(capture, Redactor())["stream"] == UNREADABLE


# -- the file ----------------------------------------------------------------------------------------------------


def test_a_second_writer_is_told(recording: Recording, upstream: Upstream, tmp_path: Path) -> None:
    """Nor may another command write the file anew; reading it is free. A killed writer leaves no lock."""
    (tmp_path / "link.jsonl").symlink_to(recording.file)
    for name in ("session.jsonl", "link.jsonl"):
        done = utp("record", "--upstream", upstream.url, "--port", 0, "-o", tmp_path / name)
        assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert f"{name}: another utp writes to it" in done.stderr
    httpx.post(f"{recording.url}/v1/chat/completions", json=ask(), timeout=WAIT)
    dump = tmp_path / "dump.json"
    dump.write_text(json.dumps(OPENAI))
    assert utp("replay", dump, "--export", recording.file).exit_code == 2
    while not recording.rows():  # the answer is there before its row is
        httpx.get(f"{recording.url}/v1/models", timeout=WAIT)
    recording.kill()
    assert len(recording.rows()) == 1
    assert utp("replay", recording.file, "--update").exit_code == 0
    again = Recording(upstream.url, recording.file)
    httpx.get(f"{again.url}/v1/models", timeout=WAIT)
    again.stop()
    assert [file.name for file in tmp_path.iterdir() if "lock" in file.name] == []


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_files_that_may_hold_prompts_are_their_owner_s_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        SessionFile(tmp_path / "s.jsonl", {"utp_session": 1}).close()
        (tmp_path / "a.json").write_text(json.dumps(OPENAI))
        for words in (("parse", "--html"), ("parse", "-o"), ("replay", "--html"), ("replay", "--export")):
            utp(words[0], tmp_path / "a.json", words[1], tmp_path / f"{''.join(words)}.x")
        (tmp_path / "there.json").write_text("")
        (tmp_path / "there.json").chmod(0o640)
        utp("parse", tmp_path / "a.json", "--json", "-o", tmp_path / "there.json")
    finally:
        os.umask(before)
    made = [tmp_path / "s.jsonl", *tmp_path.glob("*.x")]
    assert len(made) == 5
    assert {file.stat().st_mode & 0o777 for file in made} == {0o600}
    assert (tmp_path / "there.json").stat().st_mode & 0o777 == 0o640


LINE = '{"request": {}, "response": {"choices": []}}'


@pytest.mark.parametrize(
    ("before", "dropped", "after"),
    [
        ("", 0, ['{"utp_session": 1}']),
        ('{"utp_session": 1, "mod', 23, ['{"utp_session": 1}']),
        ('{"utp_session": 1}', 0, ['{"utp_session": 1}']),
        (f'{{"utp_session": 1}}\n{LINE}', 0, ['{"utp_session": 1}', LINE]),
        (f'{{"utp_session": 1}}\n{LINE}\n{LINE[:-1]}', len(LINE) - 1, ['{"utp_session": 1}', LINE]),
        (f'{{"utp_session": 1}}\n{LINE}\n"x', 2, ['{"utp_session": 1}', LINE]),
    ],
)
def test_the_last_line_of_a_file_that_is_gone_on_with(
    tmp_path: Path, before: str, dropped: int, after: list[str]
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(before)
    file = SessionFile(path, {"utp_session": 1})
    file.add({"request": {"é": "\ud800"}})
    file.close()
    assert file.dropped == dropped
    assert path.read_text().splitlines() == [*after, '{"request": {"é": "\\ud800"}}']


def test_what_another_program_adds_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    file = SessionFile(path, {"utp_session": 1})
    file.add({"a": 1})
    with path.open("a") as other:
        other.write('{"b": 2}\n')
    file.add({"c": 3})
    file.close()
    assert [json.loads(line) for line in path.read_text().splitlines()][1:] == [{"a": 1}, {"b": 2}, {"c": 3}]


@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX's")
def test_a_line_that_finds_no_room_is_not_there_at_all(tmp_path: Path) -> None:
    code = """
import resource, signal, sys
from pathlib import Path
from utp_cli.io.sessions import SessionFile
from utp_cli.io.unpacking import MOST, unpack, unpacked
from utp_cli.protocol.errors import BadFile
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
file = SessionFile(Path(sys.argv[1]), {"utp_session": 1})
file.add({"a": 1})
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    file.add({"b": "x" * 5000})
except BadFile as error:
    print(error)
file.add({"c": 3})
"""
    path = tmp_path / "s.jsonl"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert "s.jsonl: cannot be written: File too large" in done.stdout
    assert path.read_text() == '{"utp_session": 1}\n{"a": 1}\n{"c": 3}\n'


@pytest.mark.parametrize("name", ["no/such/folder.jsonl", "."])
def test_a_file_that_cannot_be(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadFile):
        SessionFile(tmp_path / name, {"utp_session": 1})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="links and pipes are POSIX's")
def test_files_that_are_none(tmp_path: Path) -> None:
    loop, pipe = tmp_path / "loop", tmp_path / "pipe"
    loop.symlink_to("loop")
    os.mkfifo(pipe)
    for path, why in ((loop, "Too many levels of symbolic links"), (pipe, "nobody reads this pipe")):
        with pytest.raises(BadFile, match=f"cannot be written: {why}"):
            SessionFile(path, {"utp_session": 1})
    with pytest.raises(BadFile, match="Too many levels of symbolic links"):
        export([], loop)
    assert sorted(tmp_path.iterdir()) == [loop, pipe]


@pytest.mark.skipif(os.name == "nt", reason="pipes are POSIX's")
def test_a_pipe_whose_reader_left_is_told(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    file = SessionFile(pipe, {"utp_session": 1})
    assert os.read(reader, 100) == b'{"utp_session": 1}\n'
    os.close(reader)
    with pytest.raises(BadFile, match="Broken pipe"):
        file.add({"request": {}})
    file.close()


# -- redaction ---------------------------------------------------------------------------------------------------

SECRET = "hunter2-hunter2"
REDACTIONS = {
    "field": ('{"api_key": "%s"}', '{"api_key": "[redacted]"}'),
    "a field in JSON in a string": (r'{"arguments": "{\"password\": \"%s\"}"}', r'{"arguments": "{\"password\": \"[redacted]\"}"}'),
    "two levels down": (r'"{\"a\": \"{\\\"client_secret\\\": \\\"%s\\\"}\"}"', r'"{\"a\": \"{\\\"client_secret\\\": \\\"[redacted]\\\"}\"}"'),
    "a quote within": (r'{"password": "a\"%s", "b": 1}', r'{"password": "[redacted]", "b": 1}'),
    "own field, number": ('{"ssn": 123456789, "a": "%s!"}', None),
    "a schema is no secret": ('{"password": {"type": "string"}, "x": "y"}', '{"password": {"type": "string"}, "x": "y"}'),
    "tokens of models": ('{"token": "Hello", "max_tokens": 5}', '{"token": "Hello", "max_tokens": 5}'),
    "never closed": ('{"password": "%s', '{"password": "[redacted]"'),
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name, (_, expected) in REDACTIONS.items() if expected])
def test_fields(name: str) -> None:
    text, expected = REDACTIONS[name]
    assert Redactor().text(text.replace("%s", SECRET)) == expected


@pytest.mark.parametrize("value", ["123", '"x"', "null", "true", '{"a": ["b}"]}', "[1, 2]", "-1.5e3"])
def test_a_field_of_ones_own_is_taken_out_whatever_it_holds(value: str) -> None:
    text = '{"ssn": %s, "name": "Ann"}' % value
    assert json.loads(Redactor(["ssn"]).text(text)) == {"ssn": REDACTED, "name": "Ann"}


@pytest.mark.parametrize(
    "secret",
    [
        KEY, "sk-ant-api03-" + "a1B2" * 10, "AIzaSy" + "A" * 33, "ghp_" + "a1" * 18, "hf_" + "aB" * 17, "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijk", "Bearer abcdef0123456789", "xoxb-123456789012-abcdef",
    ],
)  # fmt: skip
def test_what_looks_like_a_key(secret: str) -> None:
    redacted = Redactor().text(json.dumps({"content": f"my key: {secret}."}))
    assert secret.removeprefix("Bearer ") not in redacted
    assert json.loads(redacted)["content"] == f"my key: {REDACTED}."
    assert secret not in Redactor().text(json.dumps({"content": f"first\n{secret}"}))


@pytest.mark.parametrize(
    "text",
    [
        "task-based-routing-for-the-win",
        "the basic idea",
        "Basic authentication",
        "bearer of bad news",
        "ask sk-",
        "tool_call_id call_12345678901234567890",
    ],
)
def test_what_does_not_look_like_a_key(text: str) -> None:
    assert Redactor().text(text) == text


def test_secrets_in_use_are_found_in_any_spelling() -> None:
    headers = [("Authorization", 'Bearer a"b/c-012345'), ("Cookie", f"a=1; session={COOKIE}"), ("X-Api-Key", "local")]
    secrets = secrets_of(headers, "/x?key=abcdefgh1&alt=sse")
    assert {'a"b/c-012345', COOKIE, "abcdefgh1"} <= secrets
    assert "local" not in secrets
    for text in (json.dumps('a"b/c-012345'), "a%22b%2Fc-012345", 'a"b/c-012345'):
        assert "012345" not in Redactor().text(text, secrets)
    assert without_parameters("/x?key=abcdefgh1&alt=sse") == "/x?alt=sse"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("api_key='s3cret-value'", "s3cret-value"),
        ('x = Client(api_key="s3cretvalue")', "s3cretvalue"),
        ("curl -H 'x-api-key: short-one' http://x", "short-one"),
        ('curl --header "Authorization: Token abcdef"', "abcdef"),
        ("{'x-api-key': 's3cretvalue'}", "s3cretvalue"),
        ("export OPENAI_API_KEY=s3cretvalue1", "s3cretvalue1"),
        ("utp --api-key s3cretvalue1", "s3cretvalue1"),
        ("postgres://user:pw@db.example/x", "pw@"),
        ("https://user:s3cret@host/x", "s3cret"),
        ("see https://x.example/?a=1&subscription-key=s3cretvalue1&b=2", "s3cretvalue1"),
        ("https://x.example/?session=s3cretvalue1", "s3cretvalue1"),
        ("https://x.example/?sig=s3cret%2Bvalue1", "s3cret%2Bvalue1"),
        ("https://x.example/?auth=s3cretvalue1", "s3cretvalue1"),
        ("gsk_" + "a1B2" * 13, "a1B2a1B2"),
        ("xai-" + "a1B2" * 20, "a1B2a1B2"),
        ("hf_" + "AbCdEfGhIj" * 3, "AbCdEf"),
        ("a\u003dsk-proj-1234567890abcdef", "1234567890abcdef"),
        ("curl -u me:s3cretvalue1 http://x", "s3cretvalue1"),
        ("curl --user 'me:s3cretvalue1' http://x", "s3cretvalue1"),
        ("curl --oauth2-bearer s3cretvalue1 http://x", "s3cretvalue1"),
        ("curl -b 'sid=s3cretvalue1' http://x", "s3cretvalue1"),
        ("Cookie: sid=s3cretvalue1", "s3cretvalue1"),
        ("Authorization: token s3cretvalue1", "s3cretvalue1"),
        ("AccountKey=s3cretvalue1==;EndpointSuffix=x", "s3cretvalue1"),
        ("<api_key>s3cretvalue1</api_key>", "s3cretvalue1"),
        ("<parameter=password>s3cretvalue1</parameter>", "s3cretvalue1"),
        ("pa-" + "a1B2" * 8, "a1B2a1B2"),
        ("tgp_v1_" + "a1B2" * 8, "a1B2a1B2"),
        ("ABSK" + "a1B2" * 10 + "==", "a1B2a1B2"),
        ("SG." + "a1B2" * 5 + "." + "a1B2" * 10, "a1B2a1B2"),
        ("dapi" + "0a1b" * 8, "0a1b0a1b"),
        ("1//0g" + "a1B2" * 9, "a1B2a1B2"),
    ],
)
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_places_that_hold_secrets(text: str, secret: str, depth: int) -> None:
    """Bare, and within strings of JSON."""
    for _ in range(depth):
        text = json.dumps({"content": f"so: {text} then"})
    redacted = Redactor().text(text)
    assert secret not in redacted
    assert REDACTED in redacted
    for _ in range(depth):
        text, redacted = json.loads(text)["content"][4:-5], json.loads(redacted)["content"][4:-5]
    assert redacted.split(REDACTED)[0] == text[: len(redacted.split(REDACTED)[0])]


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn", "sk-learn-based-classifier-for-text", "hf_hub_download_with_progress", "xai-grok-4-fast-reasoning-latest",
        '{"session": "tutorial-2024-abc", "auth": "basic-12345", "sig": "abcdef123456", "token": "abcdef123456"}',
        '{"arguments": "{\\"session\\": \\"abc12345678\\"}"}', "api_key = os.environ['OPENAI_KEY2']", "api_key=settings.openai2.key1",
        'api_key: str = Field(description="The key.")', "password: required", "{'password': 'required'}", "the secret: patience",
        "Authorization: Bearer $TOKEN", "-H 'Authorization: Bearer $TOKEN'", "https://x.example/@user:name", "git@github.com:a/b1234567",
        "https://x.example/?page=s3cretvalue1", '{"api_key": {"type": "string"}}', '{"x_token": 12345678}', "max_tokens=40961234",
        '{"description": "password=<yours>, api_key=${KEY}"}', "AKIA", "eyJ.eyJ.x", "task-abcdefghijklmnopqrstuvwx1234",
        "docker run -u 1000:1000 x", "sudo -u www:data ls", "Cookie: yum", "Set-Cookie: sid=$SID", "Authorization: token YOUR_TOKEN",
        "<api_key>string</api_key>", "if password > threshold: ...", "pa-rt-of-a-longer-word-list", "a & b &c; &lt;i&gt;", "-b main",
    ],
)  # fmt: skip
def test_words_that_are_no_secrets(text: str) -> None:
    assert Redactor().text(text) == text


@pytest.mark.parametrize(
    "name", ["subscription-key", "access_key", "auth", "session", "x-api-key", "api_token", "password", "sig", "key"]
)
def test_parameters_and_segments_of_a_path(name: str) -> None:
    assert without_parameters(f"/v1/x?{name}=abc&alt=sse") == "/v1/x?alt=sse"
    assert "abcdefgh1" in secrets_of([], f"/v1/x?{name}=abcdefgh1")
    assert without_parameters("/k/0123456789abcdef0123456789abcdef/v1/x") == f"/k/{REDACTED}/v1/x"
    assert without_parameters("/api-key/abcdefgh1/v1/x") == f"/api-key/{REDACTED}/v1/x"
    for kept in ("/v1beta/models/gemini-2.5-flash-preview-05-20:generateContent", "/openai/deployments/gpt-4o-2024-08-06/chat",
                 "/model/anthropic.claude-3-5-sonnet-20240620-v1:0/converse", "/v1/responses/resp_0123456789abcdef"):  # fmt: skip
        assert without_parameters(kept) == kept


@pytest.mark.parametrize(
    "path",
    ["/x?a=1;key=abcdefgh1", "/x;key=abcdefgh1/y", "/x?key[]=abcdefgh1", "/x?user[api_key]=abcdefgh1", "/x?auth.token=abcdefgh1"],
)  # fmt: skip
def test_parameters_that_are_written_otherwise(path: str) -> None:
    assert "abcdefgh1" not in without_parameters(path)
    assert "abcdefgh1" in secrets_of([], path)
    assert without_parameters("/x?a=1;b=2&c[]=3") == "/x?a=1%3Bb%3D2&c%5B%5D=3"
    assert "abcdefgh1" in secrets_of([], "https://x.example/#access_token=abcdefgh1")


@pytest.mark.parametrize("name", ["x-pass", "X-CSRF", "x-secret-id", "x-openai-key-v2", "x-bearer", "Api-Key-2"])
def test_headers_that_are_named_otherwise(name: str) -> None:
    assert secrets_of([(name, "abcdefgh1")], "/") == {"abcdefgh1"}


@pytest.mark.parametrize(
    "said",
    ["a&b<c/012+345", "a&amp;b&lt;c/012+345", "a&#38;b&#x3c;c/012+345", "a%2526b%253Cc%252F012%252B345", "a&amp;amp;b&amp;lt;c%2F012+345"],
)  # fmt: skip
def test_secrets_in_use_are_found_in_pages_and_in_urls_of_urls(said: str) -> None:
    assert Redactor().text(f"bad: {said}.", {"a&b<c/012+345"}) == f"bad: {REDACTED}."


def test_what_headers_say_that_is_no_secret() -> None:
    headers = [("Set-Cookie", f"id={COOKIE}; Domain=example.com; Path=/v1/chat/completions; SameSite=Strict")]
    assert secrets_of(headers, "/") == {COOKIE}
    signed = (
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/2026, SignedHeaders=host;x-amz-date, Signature=abcdef012345"
    )
    found = secrets_of([("Authorization", signed)], "/")
    assert {"AKIAIOSFODNN7EXAMPLE", "abcdef012345"} <= found
    assert not {"AWS4-HMAC-SHA256", "host;x-amz-date", "x-amz-date"} & found


def spelt(secret: str, how: list[int]) -> str:
    ways = (
        lambda c: c,
        lambda c: f"%{ord(c):02X}",
        lambda c: f"%{ord(c):02x}",
        lambda c: f"\\u{ord(c):04x}",
        lambda c: f"\\\\u{ord(c):04X}",
    )
    return "".join(ways[way](c) for c, way in zip(secret, how, strict=True))


@given(
    st.lists(st.integers(0, 4), min_size=12, max_size=12),
    st.text(alphabet='ab%\\"u0041/ \n', max_size=20), st.text(alphabet='ab%"u0041/ \n', max_size=20),
)  # fmt: skip
def test_a_secret_in_use_is_found_however_it_is_spelt(how: list[int], before: str, after: str) -> None:
    secret = "Key/x-7+Z=_w"
    text = before + ";" + spelt(secret, how) + after
    assert Redactor().text(text, [secret]).startswith(Redactor().text(before + ";")[:-1])
    assert spelt(secret, how) not in Redactor().text(text, [secret])


@given(
    st.recursive(
        st.none() | st.integers() | st.text(alphabet='ab1\\"\'=: \n%/?&@-', max_size=12)
        | st.sampled_from(["api_key='s3cret-1'", 'password="s3cret12"', f"x {KEY}\\", "http://u:p@h", "?key=abcdefg1", "-H 'x-api-key: a1'", "sk-"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["api_key", "a", "password", "session"]), inner, max_size=3)
        | inner.map(json.dumps),
        max_leaves=8,
    )
)  # fmt: skip
@example(f'{{"api_key": "x {KEY}\\\\"}}')
@example({"api_key": "abcd\\", "a": 1})
def test_json_stays_json(value: Any) -> None:
    text = json.dumps(value)
    clean = Redactor().text(text, ["s3cret12"])
    json.loads(clean)
    assert KEY not in clean
    assert Redactor().text(clean) == clean


PARTS = [KEY[:5], KEY[5:6], KEY[6:20], KEY[20:] + " end"]


def events_of(kind: str) -> list[dict[str, Any]]:
    if kind == "anthropic":
        return [
            {"type": "content_block_delta", "index": i, "delta": {"type": "text_delta", "text": t}}
            for part in PARTS
            for i, t in ((0, part), (1, "other "))
        ]
    if kind == "arguments":
        return [
            chunk(tool_calls=[{"index": i, "function": {"arguments": t}}])
            for part in PARTS
            for i, t in ((0, part), (1, "{"))
        ]
    return [chunk(content=part) for part in PARTS]


@pytest.mark.parametrize("kind", ["openai", "anthropic", "arguments"])
@pytest.mark.parametrize("frame", ["sse", "ndjson", "list"])
@pytest.mark.parametrize("known", [True, False])
def test_a_key_that_a_stream_cuts(kind: str, frame: str, known: bool) -> None:
    """A key that was sent, or that only looks like one; each event of another text stays as it was."""
    events = events_of(kind)
    body = {
        "sse": sse(*events, b"[DONE]"),
        "ndjson": b"".join(json.dumps(event).encode() + b"\n" for event in events),
        "list": json.dumps(events).encode(),
    }[frame]
    headers = [("Authorization", f"Bearer {KEY}")] if known else []
    capture = RecordedExchange(
        method="POST", path="/x", at=0.0, request_headers=headers, request_body=json.dumps(ask()).encode(),
        status=200, response_body=body, ended="complete",
    )  # fmt: skip
    row = row_of(capture, Redactor())
    written = (
        row["response"]
        if frame == "list"
        else [json.loads(line.removeprefix("data: ")) for line in row["stream"].splitlines() if "{" in line]
    )
    assert len(written) == len(events)
    texts = [json.dumps(event) for event in written]
    assert [text for text in texts if REDACTED in text] == [texts[0]]
    assert not any(part in json.dumps(written) for part in PARTS[2:])
    assert " end" in "".join(texts)
    if kind != "openai":
        assert written[1::2] == events[1::2]


@pytest.mark.parametrize("coding", ["utf-8", "utf-16-le", "utf-32-be"])
def test_bytes_that_hold_a_key_are_withheld(coding: str) -> None:
    secret = "s3cret-of-the-header"
    packed = b"\xff\xfe" + secret.encode(coding)
    capture = RecordedExchange(
        method="POST", path="/", at=0.0, request_headers=[("x-api-key", secret)], response_body=packed
    )
    assert row_of(capture, Redactor())["stream"] == WITHHELD


@pytest.mark.parametrize(
    "text",
    [
        '{"password": ' * 30_000,
        '"password": "' * 30_000,
        "sk-" * 100_000,
        "-eyJ" * 100_000,
        "-----BEGIN PRIVATE KEY-----" * 10_000,
        r"\"" * 100_000,
        "bearer " * 60_000,
        "\\" * 300_000,
        "api_key='" * 30_000,
        "%41" * 100_000,
        "://a:" * 60_000,
        "eyJaaaaaaaa." * 30_000,
        "&amp;" * 60_000,
        "&" + "amp;" * 80_000,
        "%25" * 100_000,
        "-u a:" * 60_000,
        "Cookie: " * 40_000,
        "--cookie " * 40_000,
        "SG.aaaaaaaaaaaaaaaa." * 15_000,
    ],
)
def test_hostile_texts_cost_linear_time(text: str) -> None:
    Redactor(["x"]).text(text, ["A" * 50, "abcdefgh"])
