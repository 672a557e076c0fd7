"""The plugin for pytest: what it collects, how it reports, what it accepts, what it records."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .cases import FIXTURES
from .live_servers import serve as serve  # noqa: PLC0414 - a fixture

SESSIONS = FIXTURES / "sessions"


def run(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run pytest with the plugin and no other, as whoever installed utp would."""
    plugin = ["-p", "utp_cli.plugins.pytest_sessions", "-p", "no:cacheprovider"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *plugin, *words], cwd=folder, capture_output=True, text=True, timeout=100,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "NO_COLOR": "1", **more}, check=False,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sessions").mkdir()
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    shutil.copy(SESSIONS / "healthy.jsonl", tmp_path / "sessions")
    return tmp_path


def test_each_exchange_is_a_test(folder: Path) -> None:
    (folder / "sessions" / "other.jsonl").write_text('{"utp": 1}\n', encoding="utf-8")
    done = run(folder, "-v")
    assert done.returncode == 0, done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines() if "PASSED" in line] == [
        "sessions/healthy.jsonl::#0",
        "sessions/healthy.jsonl::#1",
        "sessions/healthy.jsonl::#2",
    ]


def test_a_lost_call_fails_with_its_cause(folder: Path) -> None:
    shutil.copy(SESSIONS / "lost-call.jsonl", folder / "sessions")
    done = run(folder, "-q")
    assert done.returncode == 1
    assert "2 failed, 3 passed" in done.stdout
    for line in (
        "sessions/lost-call.jsonl#0 match: search_code not delivered",
        "sessions/lost-call.jsonl#1 regressed: write_file lost",
        "  write_file is truncated",
        "  truncated-call: the call of write_file was cut off by the token limit",
        "    utp explain truncated-call",
        "  utp parse --from 'sessions/lost-call.jsonl#1'",
    ):
        assert line in done.stdout.splitlines()
    assert "Traceback" not in done.stdout


def test_update_accepts_and_changes_nothing_else(folder: Path) -> None:
    path = folder / "sessions" / "lost-call.jsonl"
    shutil.copy(SESSIONS / "lost-call.jsonl", path)
    before = path.read_text(encoding="utf-8").splitlines()
    assert run(folder, "-q", "--utp-update", "sessions/lost-call.jsonl").returncode == 0
    after = path.read_text(encoding="utf-8").splitlines()
    assert [number for number, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]] == [1, 2]
    assert json.loads(after[1])["expected"]["delivered"] == []
    assert json.loads(after[2])["expected"] == {"calls": []}
    assert run(folder, "-q").returncode == 0


def test_which_files_are_sessions_can_be_said(folder: Path) -> None:
    (folder / "pytest.ini").write_text("[pytest]\nutp_sessions = *.session.jsonl\n", encoding="utf-8")
    assert run(folder, "-q").returncode == 5  # nothing is collected
    shutil.copy(SESSIONS / "healthy.jsonl", folder / "sessions" / "mine.session.jsonl")
    assert "3 passed" in run(folder, "-q").stdout


def test_a_broken_session_file_is_an_error_of_one_line(folder: Path) -> None:
    (folder / "sessions" / "new.jsonl").write_text('{"utp_session": 99}\n', encoding="utf-8")
    done = run(folder, "-q")
    assert done.returncode == 2
    assert "session format 99 is not known" in done.stdout
    assert "Traceback" not in done.stdout


ANSWER = {
    "object": "chat.completion",
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "1", "type": "function", "function": {"name": "ping", "arguments": "{}"}},
                ],
            },
        }
    ],
}
RECORDS = """
import httpx

def test_agent(utp_record, tmp_path):
    with utp_record("{upstream}") as recording:
        body = {{"model": "m", "messages": [{{"role": "user", "content": "Ping!"}}]}}
        headers = {{"authorization": "Bearer sk-very-secret-0123456789"}}
        answer = httpx.post(recording.url + "/v1/chat/completions", json=body, headers=headers, trust_env=False)
        assert answer.json()["choices"][0]["finish_reason"] == "tool_calls"
    [outcome] = recording.outcomes
    assert [call["name"] for call in outcome.calls] == ["ping"]
    assert "sk-very-secret" not in recording.path.read_text(encoding="utf-8")

def test_nothing_sent(utp_record):
    assert utp_record("{upstream}").outcomes == []
"""


def test_what_a_test_sends_is_recorded(folder: Path, serve) -> None:
    pytest.importorskip("uvicorn")
    served = serve({"POST /v1/chat/completions": ANSWER})
    (folder / "test_agent.py").write_text(RECORDS.format(upstream=served.url), encoding="utf-8")
    done = run(folder, "-q", "-W", "error", "test_agent.py")
    assert "2 passed" in done.stdout, done.stdout
