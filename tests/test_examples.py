"""The examples run: against a server on this machine, and they do what they say."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .live_servers import serve as serve  # noqa: PLC0414 - a fixture

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def run(*words: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NO_COLOR": "1", **more}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=100, check=False)


def streamed(text: str) -> bytes:
    pieces = [text[at : at + 9] for at in range(0, len(text), 9)]
    chunks = [
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces
    ]
    chunks.append({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks) + b"data: [DONE]\n\n"


def test_an_agent_loop(serve, tmp_path):
    """The first call does not fit its tool, the second is broken JSON, both stand in the text; then the answer."""
    says = iter(
        (
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": "a few"}}\n</tool_call>',
            'Once more. <tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3,}}\n</tool_call>',
            "It rains in Oslo.",
        )
    )
    server = serve(
        {"POST /v1/chat/completions": lambda _: (200, streamed(next(says)), {"Content-Type": "text/event-stream"})}
    )
    done = run(
        sys.executable, str(EXAMPLES / "agent_loop.py"), "qwen3:8b", "Oslo?", folder=tmp_path, OPENAI_BASE_URL=f"{server.url}/v1"
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("It rains in Oslo.\n")
    assert "[asked again: days must be integer, not string]" in done.stderr
    assert '[get_weather {"city": "Oslo", "days": 3}]' in done.stderr
    assert "[mended: " in done.stderr
    bodies = [body for _, body, _ in server.asked]
    assert [len(body["messages"]) for body in bodies] == [1, 3, 5]
    asked_again, given = bodies[2]["messages"][2], bodies[2]["messages"][4]
    assert asked_again["role"] == given["role"] == "tool"
    assert "write a whole number" in asked_again["content"]
    assert json.loads(given["content"])["forecast"] == "rain, 7 degrees"
    assert bodies[2]["messages"][3]["tool_calls"][0]["function"]["name"] == "get_weather"


def test_a_healing_client(serve, tmp_path):
    """The server leaves a broken call in the text; the client reads a native one."""
    text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3,}}\n</tool_call>'
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    answer = json.dumps({"object": "chat.completion", "model": "qwen3:8b", "choices": [choice]}).encode()
    server = serve({"POST /v1/chat/completions": lambda _: (200, answer, {"Content-Type": "application/json"})})
    done = run(
        sys.executable, str(EXAMPLES / "healing_client.py"), "qwen3:8b", "Oslo?", folder=tmp_path, OPENAI_BASE_URL=f"{server.url}/v1"
    )  # fmt: skip
    assert done.stdout.splitlines() == ["get_weather {'city': 'Oslo', 'days': 3}", "finish_reason: tool_calls"], (
        done.stderr
    )
    assert "[healed: text-to-call call-left-in-content]" in done.stderr


def test_a_dialect_of_ones_own(tmp_path):
    done = run(sys.executable, str(EXAMPLES / "own_dialect.py"), folder=tmp_path)
    assert done.stdout.splitlines() == [
        "get_weather {'city': 'Oslo', 'days': 3} ['trailing-comma']",
        "a call of get_weather begins",
        "True",
    ], done.stderr


def test_many_answers(tmp_path):
    pytest.importorskip("pyarrow")
    pytest.importorskip("duckdb")
    done = run(sys.executable, str(EXAMPLES / "many_answers.py"), "300", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["calls Oslo 100", "repaired Oslo 100", "text - 100"]


@pytest.mark.skipif(os.name == "nt", reason="it is for a POSIX shell")
def test_an_audit_in_ci(tmp_path):
    shutil.copytree(EXAMPLES / "audit_in_ci", tmp_path / "ci")
    (tmp_path / "utp").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m utp_cli "$@"\n')
    (tmp_path / "utp").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"

    def check(*words: str) -> subprocess.CompletedProcess[str]:
        return run("./check.sh", *words, folder=tmp_path / "ci", PATH=path)

    assert check("accept").returncode == 0
    assert (check().returncode, check().stdout) == (0, "")
    bad = tmp_path / "ci" / "tools" / "bad.yaml"
    bad.write_text("tools:\n  - name: get user\n    parameters: {type: object, properties: {}}\n")
    found = check()
    assert found.returncode == 1
    assert "UTP102" in found.stdout
    assert (tmp_path / "ci" / "audit.xml").exists()
    assert check("accept").returncode == 0
    assert check().returncode == 0


def test_every_example_is_listed():
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    there = {path.name for path in EXAMPLES.iterdir()} - {"README.md", "__pycache__"}
    assert [name for name in there if name not in listed] == []
