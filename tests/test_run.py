"""`utp run`: the program's own input, output, status and signals; what its server lost, on standard error."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.played_server import SCENARIOS, WAIT, Played, playing, request_of

pytest.importorskip("uvicorn")

AGENT = """
import json, os, sys, urllib.request
name, code = sys.argv[1:3]
url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
headers = {"content-type": "application/json", "x-scenario": name}
with urllib.request.urlopen(urllib.request.Request(url, sys.stdin.buffer.read(), headers)) as answer:
    message = json.load(answer)["choices"][0]["message"]
print([call["function"]["name"] for call in message.get("tool_calls") or ()])
sys.exit(int(code))
"""


@pytest.fixture(scope="module")
def played() -> Iterator[Played]:
    with playing() as made:
        yield made


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "utp_cli", "run", *words]


def environment() -> dict[str, str]:
    return {**os.environ, "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"}


def run(*words: str, given: Any = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words), input=given and json.dumps(given), capture_output=True, text=True, env=environment(),
        timeout=60, check=False,
    )  # fmt: skip


def agent(played: Played, name: str, *options: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    words = ["--upstream", played.url, *options, "--", sys.executable, "-c", AGENT, name, str(code)]
    return run(*words, given=request_of(SCENARIOS[name]))


def test_a_lost_call_is_told_with_its_cause(played: Played, tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    done = agent(played, "chat-hermes-body", "-o", str(file))
    assert (done.returncode, done.stdout) == (0, "[]\n")
    lines = done.stderr.splitlines()
    assert lines[0].startswith("! /v1/chat/completions  200")
    assert lines[1:3] == ["✗ 1 answer · 1 call · 1 lost by the server", "  call-left-in-content · 1 answer"]
    assert "--tool-call-parser hermes" in done.stderr
    assert len(file.read_text("utf-8").splitlines()) == 2


STATUSES: list[tuple[str, tuple[str, ...], int, str, int]] = [
    ("chat-hermes-body", ("--fail-on", "delivered"), 0, "[]\n", 1),
    ("chat-hermes-body", ("--fail-on", "delivered"), 3, "[]\n", 3),
    ("chat-hermes-body", ("--fail-on", "delivered", "--heal"), 0, "['search']\n", 0),
    ("openai-chat-clean-body", ("--fail-on", "delivered", "-q"), 0, "['search', 'get_weather']\n", 0),
    ("openai-chat-clean-body", (), 7, "['search', 'get_weather']\n", 7),
]


@pytest.mark.parametrize(("name", "options", "code", "said", "status"), STATUSES)
def test_the_status_is_the_program_s(
    name: str, options: tuple[str, ...], code: int, said: str, status: int, played: Played
) -> None:
    done = agent(played, name, *options, code=code)
    assert (done.returncode, done.stdout) == (status, said)
    assert ("lost by the server" in done.stderr.splitlines()[0]) == ("-q" in options)


NOT_RUN: list[tuple[tuple[str, ...], int, str]] = [
    ((), 2, "utp: no program to run: utp run -- python agent.py"),
    (("no-such-program",), 127, "utp: no-such-program: no such program"),
    (("--retry", "1", "true"), 2, "utp: --retry goes with --heal"),
    (
        ("--fail-on", "deliver", "true"),
        2,
        "utp: --fail-on takes never, delivered, not 'deliver' (did you mean 'delivered'?)",
    ),
    (("--upstream", "http://a b", "true"), 2, "utp: 'http://a b' is no URL of a server: http://HOST:PORT"),
]


@pytest.mark.parametrize(("words", "status", "said"), NOT_RUN)
def test_what_cannot_be_run(words: tuple[str, ...], status: int, said: str) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", f"{said}\n")


def test_a_program_that_asks_no_model() -> None:
    done = run(sys.executable, "-c", "import os; print(os.environ['OLLAMA_HOST'][:17])", "--help")
    assert (done.returncode, done.stdout) == (0, "http://127.0.0.1:\n")
    assert done.stderr == "utp: no model was asked through utp: is its address written in the program itself?\n"


@pytest.mark.skipif(os.name == "nt", reason="signals are of POSIX")
@pytest.mark.parametrize(("sent", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_reach_the_program(sent: int, status: int) -> None:
    waits = "import signal, sys; signal.signal(2, signal.SIG_DFL); print('here', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        command(sys.executable, "-c", waits), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=environment(), start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout
        assert process.stdout.readline() == "here\n"
        process.send_signal(sent)
        assert process.wait(WAIT) == status
