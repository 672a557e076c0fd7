"""What comes from outside: public lists of models, live servers. Every server here runs on loopback, for one test."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from utp_cli.app import app
from utp_cli.io.settings import SETTINGS
from utp_cli.io.web import NoAnswer, Web, root_of, shown_url
from utp_cli.protocol.errors import BadOption, UtpError

KEY = "sk-very-secret"


@dataclass
class Served:
    """A server of a few answers by `METHOD /path`: a JSON value, `(status, value)`, bytes, or a function of the body."""

    answers: dict[str, Any] = field(default_factory=dict)
    asked: list[tuple[str, Any, str | None]] = field(default_factory=list)
    url: str = ""


def answer_of(served: Served, route: str, body: Any) -> tuple[int, bytes]:
    found = served.answers.get(route, (404, {"error": "no such path"}))
    found = found(body) if callable(found) else found
    status, value = found if isinstance(found, tuple) else (200, found)
    return status, value if isinstance(value, bytes) else json.dumps(value).encode()


@pytest.fixture
def serve():
    """Start servers; they end with the test."""
    running = []

    def start(answers: dict[str, Any]) -> Served:
        served = Served(answers)

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(size)) if size else None
                served.asked.append((f"{self.command} {self.path}", body, self.headers.get("Authorization")))
                status, data = answer_of(served, f"{self.command} {self.path}", body)
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = handle_any  # noqa: N815 - the names are http.server's

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        running.append(server)
        served.url = f"http://127.0.0.1:{server.server_address[1]}"
        return served

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """An empty folder, and nothing from the outside."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for variable in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "UTP_CONFIG"):
        monkeypatch.delenv(variable, raising=False)
    for setting in SETTINGS.values():
        monkeypatch.delenv(setting.variable, raising=False)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["detect", *arguments])


def document(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


LITELLM = {"acme/bot-1": {"supports_function_calling": True, "max_input_tokens": 64000}}


def test_a_list_from_a_file_is_kept_and_used():
    Path("list.json").write_text(json.dumps(LITELLM), encoding="utf-8")
    assert not document("acme/bot-1")["capability"]["native_tools"]
    refreshed = run("--refresh", "list.json")
    assert refreshed.exit_code == 0
    assert "litellm: 1 models kept in" in refreshed.stderr
    Path("list.json").unlink()
    found = document("acme/bot-1")
    assert found["capability"]["native_tools"]
    assert found["sources"]["capability.context_window"] == "listing: litellm"


def test_a_list_from_a_url_is_kept_and_used(serve):
    served = serve({"GET /api.json": {"acme": {"models": {"bot-1": {"tool_call": True}}}}})
    assert run("--refresh", f"{served.url}/api.json").exit_code == 0
    assert document("acme/bot-1")["sources"]["capability.native_tools"] == "listing: models.dev"


@pytest.mark.parametrize(
    "damaged", [b"{", b"[]", b"\xff", b'{"name": 1}', b'{"name": "x", "facts": {"a": {"b": 1}}}', b"[" * 99999]
)
def test_a_damaged_cache_is_said_and_skipped(damaged):
    Path("list.json").write_text(json.dumps(LITELLM), encoding="utf-8")
    run("--refresh", "list.json")
    (kept,) = Path("cache").rglob("*.json")
    kept.write_bytes(damaged)
    result = run("acme/bot-1", "--json")
    assert result.exit_code == 0
    assert result.stderr.count("litellm.json: is damaged and was skipped: utp detect --refresh litellm") == 1
    assert json.loads(result.stdout)["capability"]["native_tools"] is False


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file; --refresh takes files, URLs and the names litellm"),
        ("", "nothing to read"),
        ("{", "is not JSON"),
        ("[" * 99999, "is not JSON"),
        ("{}", "no list of models in a known form"),
    ],
)
def test_a_list_that_is_none(content, message):
    if content is not None:
        Path("list.json").write_text(content, encoding="utf-8")
    result = run("--refresh", "list.json")
    assert result.exit_code == 2
    assert result.stderr.startswith("utp: list.json")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_overrides_of_the_user_and_of_the_project():
    own = Path("config/utp/profiles.toml")
    own.parent.mkdir(parents=True)
    own.write_text('[models."acme/*"]\nnative_tools = true\ncontext_window = 1000\n', encoding="utf-8")
    Path("profiles.toml").write_text('[models."*bot-1"]\ncontext_window = 2000\n', encoding="utf-8")
    found = document("Acme/Bot-1")
    assert found["capability"]["native_tools"] is True
    assert found["capability"]["context_window"] == 2000
    assert found["sources"]["capability.native_tools"] == f"override: {own.absolute()}:1"
    assert found["sources"]["capability.context_window"] == "override: profiles.toml:1"
    assert document("other/bot-2")["capability"]["native_tools"] is False


def test_an_override_that_is_none_is_said_with_its_line():
    Path("profiles.toml").write_text('[models."*"]\nnative_tool = true\n', encoding="utf-8")
    result = run("qwen3")
    assert result.exit_code == 2
    assert "profiles.toml:2" in result.stderr
    assert "native_tools" in result.stderr


def fails(call) -> str:
    with pytest.raises(UtpError) as caught:
        call()
    said = str(caught.value)
    assert "\n" not in said
    assert KEY not in said
    return said


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}), "wants a key: name the variable"),
        ((403, {}), "refuses this key (HTTP 403)"),
        ((404, b"<html>"), "has no such path: is the URL right? (HTTP 404)"),
        ((422, {"detail": [{"loc": 1}]}), "refuses the request (HTTP 422)"),
        ((500, {"error": "out of\nmemory"}), "fails (HTTP 500: out of memory)"),
        ((503, {"message": "loading"}), "fails (HTTP 503: loading)"),
        (b"<!doctype html>", "answers with something that is no JSON: '<!doctype html>'"),
        (b"", "no JSON: ''"),
    ],
)
def test_an_answer_that_is_none(serve, answer, message):
    served = serve({"GET /x": answer})
    assert message in fails(lambda: Web(key=KEY).get(f"{served.url}/x?key={KEY}"[: len(served.url) + 2]))


def test_nobody_there(serve):
    served = serve({})
    port = served.url.rpartition(":")[2]
    assert "cannot be reached" in fails(lambda: Web().get(f"http://user:{KEY}@127.0.0.1:1/{port}"))


def test_somebody_who_never_answers():
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        assert "does not answer within 0.2 seconds" in fails(lambda: Web(seconds=0.2, key=KEY).get(url))


def test_a_key_is_sent_and_never_shown(serve):
    served = serve({"GET /": {}})
    web = Web(key=KEY)
    web.get(f"{served.url}/")
    assert served.asked[0][2] == f"Bearer {KEY}"
    assert KEY not in repr(web)


@pytest.mark.parametrize(
    ("url", "root"),
    [
        ("http://athena:8000", "http://athena:8000"),
        ("http://athena:8000/", "http://athena:8000"),
        ("http://athena:8000/v1", "http://athena:8000"),
        ("http://athena:8000/v1/chat/completions", "http://athena:8000"),
        ("athena:8000/v1/", "http://athena:8000"),
        ("https://openrouter.ai/api/v1?x=1#y", "https://openrouter.ai/api"),
        (" http://[::1]:80/v1 ", "http://[::1]:80"),
    ],
)
def test_any_url_of_a_server_has_its_root(url, root):
    assert root_of(url) == root


@pytest.mark.parametrize(
    "url", ["", "ftp://x", "http://", "http://x:99999", "http://[", "http:///v1", "file:///etc/passwd"]
)
def test_what_is_no_url_of_a_server(url):
    with pytest.raises(BadOption, match="http://HOST:PORT"):
        root_of(url)


def test_a_url_is_shown_without_secrets():
    assert shown_url(f"https://me:{KEY}@host/v1?key={KEY}") == "https://host/v1"
    assert str(NoAnswer(f"https://me:{KEY}@host/v1", "fails")) == "https://host/v1: fails"
