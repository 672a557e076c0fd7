"""Healing in a program: the transport under the official SDKs, against an upstream on loopback, and `heal`."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.test_healer import GROQ, HERMES, SEARCH, TOOLS, WEATHER
from tests.wire_answers import BUILDERS, dump
from utp_cli.healing import heal, transport

if TYPE_CHECKING:
    from collections.abc import Iterator

FUNCTIONS: list[Any] = [{"type": "function", "function": tool} for tool in TOOLS]
ASKED: list[Any] = [{"role": "user", "content": "Go on."}]
WIRES = {
    "/chat/completions": "openai-chat",
    "/responses": "openai-responses",
    "/messages": "anthropic",
    "/api/chat": "ollama",
    "enerateContent": "gemini",
}


class Upstream(BaseHTTPRequestHandler):
    """Answers every wire with the text that the server was given: a call that no tool parser has read."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = self.path.partition("?")[0]
        wire = next(name for end, name in WIRES.items() if path.endswith(end))
        stream = asked.get("stream") is True or ":stream" in path
        status, data = 200, BUILDERS[wire, stream](self.server.says, size=4)  # type: ignore[attr-defined]
        if self.server.says == "":  # type: ignore[attr-defined]
            status, stream, data = 400, False, dump(GROQ).encode()
        kind = "application/json" if not stream else "application/x-ndjson" if wire == "ollama" else "text/event-stream"
        packed = gzip.compress(data) if self.headers.get("x-packed") else data
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("x-request-id", "r1")
        self.send_header("content-length", str(len(packed)))
        if packed is not data:
            self.send_header("content-encoding", "gzip")
        self.end_headers()
        self.wfile.write(packed)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def upstream() -> Iterator[Any]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    server.says = "Let me look.\n" + HERMES  # type: ignore[attr-defined]
    server.url = f"http://127.0.0.1:{server.server_port}"  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_openai(upstream: Any) -> None:
    openai = pytest.importorskip("openai")
    http = openai.DefaultHttpxClient(transport=transport())
    with openai.OpenAI(base_url=f"{upstream.url}/v1", api_key="k", max_retries=0, http_client=http) as client:
        answer = client.chat.completions.create(model="m", messages=ASKED, tools=FUNCTIONS)
        (call,) = answer.choices[0].message.tool_calls
        assert json.loads(call.function.arguments) == SEARCH["arguments"]
        assert answer.choices[0].message.content == "Let me look."
        with client.chat.completions.stream(model="m", messages=ASKED, tools=FUNCTIONS) as stream:
            streamed = stream.get_final_completion().choices[0]
        assert (streamed.finish_reason, streamed.message.tool_calls[0].id) == ("tool_calls", call.id)
        flat = [{"type": "function", **tool} for tool in TOOLS]
        with client.responses.stream(model="m", input="Go on.", tools=flat) as stream:
            items = stream.get_final_response().output
        assert [item.type for item in items] == ["message", "function_call"]
        upstream.says = ""
        healed = client.chat.completions.create(model="m", messages=ASKED, tools=FUNCTIONS)
        assert healed.choices[0].message.tool_calls[0].function.name == "search"
        with pytest.raises(openai.BadRequestError):
            client.chat.completions.create(model="m", messages=ASKED)


@pytest.mark.parametrize("library", ["httpx", "httpx2"])
def test_openai_with_either_library_and_async(upstream: Any, library: str) -> None:
    openai = pytest.importorskip("openai")
    module = pytest.importorskip(library)
    heard: list[Any] = []

    async def ask() -> Any:
        http = module.AsyncClient(transport=transport(on_heal=heard.append), headers={"x-packed": "1"})
        async with openai.AsyncOpenAI(
            base_url=f"{upstream.url}/v1", api_key="k", max_retries=0, http_client=http
        ) as client:
            whole = await client.chat.completions.create(model="m", messages=ASKED, tools=FUNCTIONS)
            pieces = [
                piece async for piece in
                await client.chat.completions.create(model="m", messages=ASKED, tools=FUNCTIONS, stream=True)
            ]  # fmt: skip
            return whole, pieces

    whole, pieces = asyncio.run(ask())
    assert whole.choices[0].message.tool_calls[0].function.name == "search"
    assert pieces[-1].choices[0].finish_reason == "tool_calls"
    assert [heal.code for heal in heard] == ["text-to-call", "finish"] * 2


def test_anthropic(upstream: Any) -> None:
    anthropic = pytest.importorskip("anthropic")
    http = anthropic.DefaultHttpxClient(transport=transport())
    tools = [{"name": tool["name"], "input_schema": tool["parameters"]} for tool in TOOLS]
    with anthropic.Anthropic(base_url=upstream.url, api_key="k", max_retries=0, http_client=http) as client:
        asked = {"model": "m", "max_tokens": 9, "messages": ASKED, "tools": tools}
        with client.messages.stream(**asked) as stream:
            streamed = stream.get_final_message()
        for answer in (client.messages.create(**asked), streamed):
            assert [block.type for block in answer.content] == ["text", "tool_use"]
            assert answer.content[1].input == SEARCH["arguments"]
            assert answer.stop_reason == "tool_use"


def test_ollama(upstream: Any) -> None:
    ollama = pytest.importorskip("ollama")
    client = ollama.Client(host=upstream.url, transport=transport())
    answer = client.chat(model="m", messages=ASKED, tools=FUNCTIONS)
    pieces = list(client.chat(model="m", messages=ASKED, tools=FUNCTIONS, stream=True))
    calls = [call for piece in (answer, *pieces) for call in piece.message.tool_calls or []]
    assert [call.function.arguments for call in calls] == [SEARCH["arguments"]] * 2
    assert "".join(piece.message.content for piece in pieces).strip() == "Let me look."


def test_gemini(upstream: Any) -> None:
    genai = pytest.importorskip("google.genai")
    options = genai.types.HttpOptions(base_url=upstream.url, client_args={"transport": transport()})
    declared = [{"name": t["name"], "description": "x", "parameters_json_schema": t["parameters"]} for t in TOOLS]
    config = {"tools": [{"function_declarations": declared}], "automatic_function_calling": {"disable": True}}
    client = genai.Client(api_key="k", http_options=options)
    answers = [client.models.generate_content(model="g", contents="Go on.", config=config)]
    answers.append(list(client.models.generate_content_stream(model="g", contents="Go on.", config=config))[-1])
    for answer in answers:
        (call,) = answer.function_calls
        assert (call.name, call.args) == ("search", SEARCH["arguments"])


def test_mistral(upstream: Any) -> None:
    mistral = pytest.importorskip("mistralai.client")
    httpx = pytest.importorskip("httpx")
    http = httpx.Client(transport=transport())
    client = mistral.Mistral(api_key="k", server_url=upstream.url, client=http)
    answer = client.chat.complete(model="mistral-small-latest", messages=ASKED, tools=FUNCTIONS)
    (call,) = answer.choices[0].message.tool_calls
    assert (call.function.name, len(call.id)) == ("search", 9)
    events = client.chat.stream(model="mistral-small-latest", messages=ASKED, tools=FUNCTIONS)
    deltas = [choice.delta for event in events for choice in event.data.choices]
    (call,) = [call for delta in deltas for call in delta.tool_calls or ()]
    assert (call.function.name, call.function.arguments) == ("search", '{"query": "tides in Bergen"}')


def test_a_transport_wraps_another_and_closes_it(upstream: Any) -> None:
    httpx = pytest.importorskip("httpx")
    closed = []

    class Inner(httpx.HTTPTransport):  # type: ignore[misc,name-defined]
        def close(self) -> None:
            closed.append(1)
            super().close()

    with httpx.Client(transport=transport(Inner(), tools=TOOLS)) as client:
        answer = client.post(f"{upstream.url}/v1/chat/completions", json={"model": "m"})
        assert answer.headers["x-request-id"] == "r1"
        assert int(answer.headers["content-length"]) == len(answer.content)
        assert [one.code for one in answer.extensions["utp_heals"]] == ["text-to-call", "finish"]
        plain = client.post(f"{upstream.url}/v1/chat/completions", content=b'{"model": "m", "tools": 1}')
        assert plain.json()["choices"][0]["finish_reason"] == "tool_calls"
    assert closed


# -- an answer at hand -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("wire", "stream"), [key for key in BUILDERS if key != ("gemini", True)])
def test_heal_returns_the_kind_that_it_was_given(wire: str, stream: bool) -> None:
    data = BUILDERS[wire, stream](HERMES)
    healed, heals = heal(data, tools=TOOLS)
    assert heals[0].code == "text-to-call"
    assert isinstance(healed, bytes)
    assert heal(data.decode(), tools=TOOLS).response == healed.decode()
    if not stream:
        assert heal(json.loads(data), tools=TOOLS).response == json.loads(healed)
    again = heal(healed, tools=TOOLS)
    assert (again.response, again.heals) == (healed, [])


def test_heal_takes_objects_of_sdks() -> None:
    chat = pytest.importorskip("openai.types.chat")
    given = chat.ChatCompletion.model_validate(json.loads(BUILDERS["openai-chat", False](HERMES)))
    healed, _ = heal(given, tools=TOOLS)
    assert isinstance(healed, chat.ChatCompletion)
    assert healed.choices[0].message.tool_calls[0].function.name == "search"
    assert heal(healed, tools=TOOLS).response is healed
    ollama = pytest.importorskip("ollama")
    answer = ollama.ChatResponse.model_validate(json.loads(BUILDERS["ollama", False](HERMES)))
    assert heal(answer, tools=TOOLS).response.message.tool_calls[0].function.arguments == SEARCH["arguments"]
    genai = pytest.importorskip("google.genai")
    said = genai.types.GenerateContentResponse.model_validate(json.loads(BUILDERS["gemini", False](HERMES)))
    assert heal(said, tools=TOOLS).response.function_calls[0].name == "search"
    anthropic = pytest.importorskip("anthropic")
    message = anthropic.types.Message.model_validate(json.loads(BUILDERS["anthropic", False](HERMES)))
    assert heal(message, tools=TOOLS).response.content[0].input == SEARCH["arguments"]


@pytest.mark.parametrize("other", ["just text", b"\xff\x00", {"a": 1}, [], None, 7, "", "{broken"])
def test_what_is_no_answer_comes_back(other: Any) -> None:
    assert heal(other, tools=TOOLS) == (other, [])


def test_without_tools_only_a_tagged_call_at_the_end_is_made() -> None:
    body = json.loads(BUILDERS["openai-chat", False](HERMES))
    assert heal(body).response["choices"][0]["message"]["tool_calls"]
    for text in (dump(WEATHER), HERMES + "\nSo it is done."):
        body = json.loads(BUILDERS["openai-chat", False](text))
        assert heal(body).response is body


def test_what_the_page_shows_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).resolve().parent.parent / "docs" / "healing.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(python|text)\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    scope: dict[str, Any] = {}
    for language, text in blocks:
        if language == "python":
            exec(text, scope)  # noqa: S102 - our own page
        else:
            assert capsys.readouterr().out == text
    assert [language for language, _ in blocks] == ["python", "text", "python"]
