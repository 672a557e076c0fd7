"""`utp init`: what it finds, asks and writes, and that it overwrites nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

from utp_cli.app import app
from utp_cli.commands import init as init_module
from utp_cli.io import live

from .live_servers import alone as alone, serve as serve  # noqa: PLC0414 - fixtures

VLLM = {
    "GET /v1/models": {
        "object": "list",
        "data": [{"id": "Qwen/Qwen3-32B", "owned_by": "vllm", "max_model_len": 32768}],
    },
    "GET /version": {"version": "0.33.0"},
}
OLLAMA = {
    "GET /api/version": {"version": "0.14.1"},
    "GET /api/tags": {"models": [{"name": "qwen3:8b"}, {"name": "gemma2:9b"}]},
    "GET /v1/models": {"object": "list", "data": [{"id": "qwen3:8b", "owned_by": "library"}]},
    "POST /api/show": {"capabilities": ["tools"], "details": {"family": "qwen3"}, "model_info": {}},
}


@pytest.fixture
def ports(monkeypatch):
    """Say which ports are looked at."""

    def only(*servers) -> None:
        monkeypatch.setattr(live, "LOOPBACK", tuple(int(server.url.rpartition(":")[2]) for server in servers) or (9,))

    only()
    return only


def run(*words: str, answers: str = "") -> tuple[int, str]:
    done = CliRunner().invoke(app, ["init", *words], input=answers)
    return done.exit_code, done.output


def profiles() -> dict:
    return tomllib.loads(Path("profiles.toml").read_text(encoding="utf-8"))["profiles"]


def test_nothing_is_known(ports):
    code, told = run()
    said = "utp: no server of models runs here: name one (--url URL), a model (--model ID), or only --ci github\n"
    assert (code, told) == (2, said)
    assert [*Path().iterdir()] == []


def test_only_a_file_for_ci(ports):
    code, told = run("--ci", "github")
    assert code == 0
    assert told.startswith(
        "no profile: no server of models runs here, and none was named\nwrote .github/workflows/utp.yml\n"
    )
    assert [path.name for path in Path().iterdir()] == [".github"]


def test_a_model_alone(ports):
    code, told = run("--model", "gpt-4.1", "--api-key-env", "OPENAI_API_KEY", "--provider", "openai")
    assert code == 0
    assert profiles() == {"gpt-4-1": {"provider": "openai", "model": "gpt-4.1", "api_key_env": "OPENAI_API_KEY"}}
    assert "added 'gpt-4-1' in profiles.toml" in told
    assert "wrote .github/workflows/utp.yml" in told


def test_a_server_that_runs_here(ports, serve):
    server = serve(VLLM)
    ports(server)
    code, told = run()
    assert code == 0, told
    assert profiles()["qwen3-32b"]["url"] == server.url.replace("localhost", "127.0.0.1")
    assert profiles()["qwen3-32b"]["server"]["engine"] == "vllm"
    assert f"1 vllm at {server.url}: Qwen/Qwen3-32B" in told
    assert "utp record -p qwen3-32b" in told


def test_several_servers_and_models_are_asked_for(ports, serve, monkeypatch):
    ports(serve(VLLM), serve(OLLAMA))
    monkeypatch.setattr(init_module, "somebody_is_there", lambda: True)
    code, told = run(answers="7\n2\n2\nmine\ny\n")
    assert code == 0, told
    assert "a number from 1 to 2" in told
    assert profiles()["mine"]["model"] == "gemma2:9b"


def test_nothing_is_overwritten(ports):
    Path(".github/workflows").mkdir(parents=True)
    Path(".github/workflows/utp.yml").write_text("mine\n")
    run("--model", "qwen3:8b")
    code, told = run("--model", "qwen3:8b")
    assert code == 0
    assert [*profiles()] == ["qwen3-8b", "qwen3-8b-2"]
    assert "utp.yml exists already: left as it is" in told
    assert Path(".github/workflows/utp.yml").read_text() == "mine\n"
    code, told = run("--model", "qwen3:8b", "--name", "qwen3-8b")
    assert (code, "exists already" in told) == (2, True)


@pytest.mark.parametrize(
    ("service", "file"), [("github", ".github/workflows/utp.yml"), ("gitlab", ".gitlab-ci.utp.yml")]
)
def test_the_file_for_ci_is_sound(ports, service, file):
    Path("tools.yaml").write_text("[]")
    code, _ = run("--model", "qwen3:8b", "--ci", service, "--sessions", "tests/sessions")
    assert code == 0
    text = Path(file).read_text()
    YAML(typ="safe", pure=True).load(text)
    assert "utp audit tools.yaml" in text
    assert "utp replay tests/sessions" in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--ci", "gitlib"], "did you mean 'gitlab'?"),
        (["--tools", "a'; rm -rf /"], "characters that a CI file cannot carry"),
        (["--sessions", "-x"], "characters that a CI file cannot carry"),
    ],
)
def test_what_cannot_be(ports, words, says):
    code, told = run("--model", "qwen3:8b", *words)
    assert (code, says in told) == (2, True)
    assert not Path("profiles.toml").exists()


def test_gitlab_is_seen(ports):
    Path(".gitlab-ci.yml").write_text("{}")
    run("--model", "qwen3:8b")
    assert Path(".gitlab-ci.utp.yml").exists()
