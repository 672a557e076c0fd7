"""What docs/sessions.md and docs/replay.md show runs as it stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

from utp_cli.app import app
from utp_cli.io.sessions import read_session
from utp_cli.replaying.importing import exchanges_of

from .cases import FIXTURES

DOCS = Path(__file__).resolve().parent.parent / "docs"


def blocks(page: str, language: str) -> list[str]:
    found = re.findall(
        rf"^```{language}\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert found
    return found


def run(words: list[str] | str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": beside, **more}
    return subprocess.run(
        words, cwd=folder, env=environment, shell=isinstance(words, str), capture_output=True, text=True, timeout=100, check=False
    )  # fmt: skip


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    (tmp_path / "sessions").mkdir()
    shutil.copy(FIXTURES / "sessions" / "healthy.jsonl", tmp_path / "sessions")
    return tmp_path


def lose_a_call(folder: Path) -> None:
    shutil.copy(FIXTURES / "sessions" / "lost-call.jsonl", folder / "sessions")


def test_the_workflow_for_github(sessions: Path) -> None:
    [text] = blocks("replay.md", "yaml")
    workflow = YAML(typ="safe", pure=True).load(text)
    commands = [step["run"] for step in workflow["jobs"]["replay"]["steps"] if "run" in step]
    assert commands[0] == "pip install utp-cli"
    command = commands[1].replace("utp ", f"{sys.executable} -m utp_cli ")
    assert (run(command, sessions).returncode, run(command, sessions).stdout) == (0, "")
    lose_a_call(sessions)
    failed = run(command, sessions)
    assert failed.returncode == 1
    left, lost = failed.stdout.splitlines()
    assert left.startswith("::error file=sessions/lost-call.jsonl,line=2,title=not delivered #0::match: search_code")
    told, cause, fix = lost.split("%0A")
    assert told == "::error file=sessions/lost-call.jsonl,line=3,title=regressed #1::regressed: write_file lost"
    assert cause.startswith("truncated-call: ")
    assert fix.startswith("fix: raise max_tokens")


def test_the_test_for_pytest(sessions: Path) -> None:
    code = next(block for block in blocks("replay.md", "python") if "import pytest" in block)
    (sessions / "test_calls.py").write_text(code)
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_calls.py"]
    assert "3 passed" in run(words, sessions).stdout
    lose_a_call(sessions)
    done = run(words, sessions)
    assert "2 failed, 3 passed" in done.stdout
    assert "lost-call.jsonl#1: write_file lost" in done.stdout


def test_the_example_for_a_cluster(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    code = next(block for block in blocks("replay.md", "python") if "dask" in block)
    (tmp_path / "example.py").write_text(code)
    done = run([sys.executable, "example.py"], tmp_path)
    assert done.stdout == "400 {'improved'}\n", done.stderr


def test_the_session_file_as_shown_is_one(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(blocks("sessions.md", "json")[0])
    session = read_session(path)
    found = list(exchanges_of(session.rows, "s"))
    assert (session.model, len(found), found[0].elapsed, found[1].expected) == (
        "qwen3:32b",
        2,
        1.23,
        [{"name": "search", "arguments": {"query": "x"}}],
    )


@pytest.mark.parametrize("page", ["sessions.md", "replay.md", "serve.md", "run.md"])
def test_every_option_shown_exists(page: str) -> None:
    shown = {
        name: CliRunner().invoke(app, [name, "--help"]).stdout for name in ("replay", "record", "parse", "serve", "run")
    }
    commands = re.findall(r"^utp (\w+)(.*)$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert commands
    for name, rest in commands:
        for option in re.findall(r"--[\w-]+", rest.partition("#")[0]):
            assert option in shown[name], f"utp {name} {option}"
