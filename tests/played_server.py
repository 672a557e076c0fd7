"""A server of models on loopback that plays scenarios of `fixtures/healer`, and the official clients that ask it."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SCENARIOS = {
    row["id"]: row
    for row in map(
        json.loads, (Path(__file__).parent.parent / "fixtures/healer/scenarios.jsonl").read_text("utf-8").splitlines()
    )
}
WAIT = 20
"""Seconds; a test that gets there fails."""


class Played:
    """What the server was asked, and what holds its answers."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[tuple[str, dict[str, Any]]] = []
        """Paths and bodies."""
        self.headers: list[dict[str, str]] = []
        self.go = threading.Event()
        """What waits in a scenario with `gate` goes on when it is set."""
        self.left = threading.Event()
        """A client went away while a scenario with `gate` waited."""
        self.turns: dict[str, int] = {}
        self.scenarios = dict(SCENARIOS)


def body_of(answer: dict[str, Any]) -> bytes:
    if answer.get("chunks"):
        return "".join(text for _, text in answer["chunks"]).encode()
    body = answer["body"]
    return (body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)).encode()


def _handler(played: Played) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            body = gzip.decompress(body) if self.headers["content-encoding"] == "gzip" else body
            played.asked.append((self.path, json.loads(body)))
            played.headers.append({name.lower(): value for name, value in self.headers.items()})
            scenario = played.scenarios[self.headers["x-scenario"]]
            turn = played.turns[scenario["id"]] = played.turns.get(scenario["id"], -1) + 1
            answers = [scenario, *scenario.get("next", [])]
            try:
                self._answer(answers[min(turn, len(answers) - 1)])
            except ConnectionError:  # it went away while a piece was written, or with one unread
                played.left.set()
                self.close_connection = True

        def _answer(self, answer: dict[str, Any]) -> None:
            chunks = answer.get("chunks")
            kind = "application/json" if chunks is None else "text/event-stream"
            kind = "application/x-ndjson" if chunks and chunks[0][1].startswith("{") else kind
            if answer.get("gate") == -1:
                self._wait()
            self.send_response(answer.get("status", 200))
            for name, value in {"content-type": kind, **answer.get("headers", {})}.items():
                self.send_header(name, value)
            if chunks is None:
                data = body_of(answer)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
                return
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for number, (_, text) in enumerate(chunks):
                if answer.get("gate") == number and not self._wait():
                    return
                data = text.encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            if answer.get("end") == "break":
                self.close_connection = True
                self.connection.shutdown(2)
                return
            self.wfile.write(b"0\r\n\r\n")

        def _wait(self) -> bool:
            """Wait until the test lets it go on, or the client has gone."""
            self.connection.settimeout(0.01)
            while not played.go.is_set():
                try:
                    if self.connection.recv(1) == b"":
                        played.left.set()
                        self.close_connection = True
                        return False
                except TimeoutError:
                    continue
            self.connection.settimeout(None)
            return True

    return Handler


class _Server(ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """A client that goes away is what some tests are about."""


@contextmanager
def playing() -> Iterator[Played]:
    played = Played()
    server = _Server(("127.0.0.1", 0), _handler(played))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    played.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield played
    finally:
        played.go.set()
        server.shutdown()
        server.server_close()
        thread.join()


# -- the official clients: what their user gets to see


def _function(tool: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": tool}


def _openai_chat(base: str, scenario: dict[str, Any], seen: dict[str, Any]) -> None:
    import openai

    with openai.OpenAI(base_url=f"{base}/v1", api_key="k", max_retries=0, timeout=WAIT) as client:
        asked: Any = {
            "model": scenario["model"], "messages": [{"role": "user", "content": "Go on."}],
            "tools": [_function(tool) for tool in scenario["tools"]], "extra_headers": {"x-scenario": scenario["id"]},
        }  # fmt: skip
        if scenario["stream"]:
            with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as stream:
                answer: Any = stream.get_final_completion()
        else:
            answer = client.chat.completions.create(**asked)
    message = answer.choices[0].message
    seen["calls"] = [
        (call.id, call.function.name, _decoded(call.function.arguments)) for call in message.tool_calls or ()
    ]
    seen |= {"text": message.content or "", "finish": answer.choices[0].finish_reason}
    seen["usage"] = answer.usage.total_tokens if answer.usage else None


def _openai_responses(base: str, scenario: dict[str, Any], seen: dict[str, Any]) -> None:
    import openai

    with openai.OpenAI(base_url=f"{base}/v1", api_key="k", max_retries=0, timeout=WAIT) as client:
        asked: Any = {
            "model": scenario["model"], "input": "Go on.",
            "tools": [{"type": "function", **tool} for tool in scenario["tools"]],
            "extra_headers": {"x-scenario": scenario["id"]},
        }  # fmt: skip
        if scenario["stream"]:
            with client.responses.stream(**asked) as stream:
                answer: Any = stream.get_final_response()
        else:
            answer = client.responses.create(**asked)
    items = [item for item in answer.output if item.type == "function_call"]
    seen["calls"] = [(item.call_id, item.name, _decoded(item.arguments)) for item in items]
    seen |= {"text": answer.output_text, "finish": answer.status}
    seen["usage"] = answer.usage.total_tokens if answer.usage else None


def _anthropic(base: str, scenario: dict[str, Any], seen: dict[str, Any]) -> None:
    import anthropic

    with anthropic.Anthropic(base_url=base, api_key="k", max_retries=0, timeout=WAIT) as client:
        tools = [
            {"name": t["name"], "description": t["description"], "input_schema": t["parameters"]}
            for t in scenario["tools"]
        ]
        asked: Any = {
            "model": scenario["model"], "max_tokens": 99, "messages": [{"role": "user", "content": "Go on."}],
            "tools": tools, "extra_headers": {"x-scenario": scenario["id"]},
        }  # fmt: skip
        if scenario["stream"]:
            with client.messages.stream(**asked) as stream:
                answer: Any = stream.get_final_message()
        else:
            answer = client.messages.create(**asked)
    seen["calls"] = [(b.id, b.name, b.input) for b in answer.content if b.type == "tool_use"]
    seen["text"] = "".join(block.text for block in answer.content if block.type == "text")
    seen |= {"finish": answer.stop_reason, "usage": answer.usage.input_tokens + answer.usage.output_tokens}


def _ollama(base: str, scenario: dict[str, Any], seen: dict[str, Any]) -> None:
    import ollama

    client = ollama.Client(host=base, headers={"x-scenario": scenario["id"]}, timeout=WAIT)
    asked: Any = {
        "model": scenario["model"], "messages": [{"role": "user", "content": "Go on."}],
        "tools": [_function(tool) for tool in scenario["tools"]],
    }  # fmt: skip
    with client._client:
        parts = [*client.chat(**asked, stream=True)] if scenario["stream"] else [client.chat(**asked)]
    calls = [call for part in parts for call in part.message.tool_calls or ()]
    seen["calls"] = [(None, call.function.name, dict(call.function.arguments)) for call in calls]
    seen["text"] = "".join(part.message.content or "" for part in parts)
    seen["finish"] = parts[-1].done_reason
    seen["usage"] = (parts[-1].prompt_eval_count or 0) + (parts[-1].eval_count or 0) or None


def _gemini(base: str, scenario: dict[str, Any], seen: dict[str, Any]) -> None:
    from google import genai
    from google.genai import types

    options = types.HttpOptions(base_url=base, headers={"x-scenario": scenario["id"]}, timeout=WAIT * 1000)
    client = genai.Client(api_key="k", http_options=options)
    declared = [
        types.FunctionDeclaration(name=t["name"], description=t["description"], parameters_json_schema=t["parameters"])
        for t in scenario["tools"]
    ]
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=declared)])
    asked: Any = {"model": scenario["model"], "contents": "Go on.", "config": config}
    with closing(client):
        if scenario["stream"]:
            answers: list[Any] = [*client.models.generate_content_stream(**asked)]
        else:
            answers = [client.models.generate_content(**asked)]
    parts = [p for a in answers for c in a.candidates or () for p in (c.content and c.content.parts) or ()]
    seen["calls"] = [(None, p.function_call.name, p.function_call.args) for p in parts if p.function_call]
    seen["text"] = "".join(part.text or "" for part in parts if not part.thought)
    reasons = [c.finish_reason for a in answers for c in a.candidates or () if c.finish_reason]
    seen["finish"] = reasons[-1].name if reasons else None
    usage = [answer.usage_metadata for answer in answers if answer.usage_metadata]
    seen["usage"] = usage[-1].total_token_count if usage else None


def _decoded(arguments: Any) -> Any:
    try:
        return json.loads(arguments)
    except (ValueError, TypeError):
        return arguments


CLIENTS = {
    "openai-chat": _openai_chat,
    "openai-responses": _openai_responses,
    "anthropic": _anthropic,
    "ollama": _ollama,
    "gemini": _gemini,
}
PATHS = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "ollama": "/api/chat",
}


def path_of(scenario: dict[str, Any]) -> str:
    """Return where a scenario is asked for."""
    way = "streamGenerateContent?alt=sse" if scenario["stream"] else "generateContent"
    return PATHS.get(scenario["wire"]) or f"/v1beta/models/{scenario['model']}:{way}"


def request_of(scenario: dict[str, Any]) -> dict[str, Any]:
    """Return a request for a scenario, as its client sends it."""
    said, tools = [{"role": "user", "content": "Go on."}], scenario["tools"]
    common = {"model": scenario["model"], "stream": scenario["stream"]}
    named = [{"name": t["name"], "description": t["description"], "input_schema": t["parameters"]} for t in tools]
    return {
        "openai-chat": {**common, "messages": said, "tools": [_function(tool) for tool in tools]},
        "openai-responses": {**common, "input": "Go on.", "tools": [{"type": "function", **tool} for tool in tools]},
        "anthropic": {**common, "max_tokens": 99, "messages": said, "tools": named},
        "ollama": {**common, "messages": said, "tools": [_function(tool) for tool in tools]},
        "gemini": {
            "contents": [{"role": "user", "parts": [{"text": "Go on."}]}],
            "tools": [{"functionDeclarations": tools}],
        },
    }[scenario["wire"]]


def ask(base: str, scenario: dict[str, Any]) -> dict[str, Any]:
    """Ask with the official client; return `calls` (id, name, arguments), `text`, `finish`, `usage`, `error`."""
    seen: dict[str, Any] = {"calls": [], "text": "", "finish": None, "usage": None, "error": None}
    try:
        CLIENTS[scenario["wire"]](base, scenario, seen)
    except Exception as error:  # noqa: BLE001 - what a client raises is what its user sees
        seen["error"] = f"{type(error).__name__}: {error}"
    return seen
