"""The README's commands do what it shows, its Python runs, and it names every command."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from utp_cli.app import COMMANDS
from utp_cli.auditing.catalogue import RULES

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLE = re.findall(r"```console\n\$ (.*?)\n(.*?)\n?```", README, re.DOTALL)
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def run(command: str) -> str:
    """Run a shell command as the README's reader would, and return what it prints."""
    environment = {
        **os.environ,
        "NO_COLOR": "1",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        command, shell=True, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    return (done.stdout + done.stderr).rstrip("\n")


def test_examples_were_found() -> None:
    assert len(CONSOLE) >= 6
    assert PYTHON


def test_numbers_are_those_of_the_code() -> None:
    assert re.findall(r"\b(\d+) rules\b", README) == [str(len(RULES))]


@pytest.mark.skipif(os.name == "nt", reason="the blocks are for a POSIX shell")
@pytest.mark.parametrize(("command", "output"), CONSOLE, ids=[command for command, _ in CONSOLE])
def test_command_prints_what_is_shown(command: str, output: str) -> None:
    assert run(command) == output


@pytest.mark.parametrize("code", PYTHON)
def test_python_runs(code: str) -> None:
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - our own text


def test_every_command_is_named() -> None:
    for name in COMMANDS:
        assert f"utp {name}" in README or name in ("audit-descriptions", "render-result"), name


def test_both_first_commands_stand_alone() -> None:
    blocks = re.findall(r"<!-- (main|test) command -->\n```sh\n([^\n]+)\n```", README)
    assert [kind for kind, _ in blocks] == ["main", "test"]
    assert all("python3 -m venv" in command for _, command in blocks)
