"""`utp parse --clipboard`: through pyperclip where it is installed, else a program of the platform."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from utp_cli.app import app

if TYPE_CHECKING:
    from pathlib import Path

ANSWER = '<tool_call>{"name": "look_up", "arguments": {"city": "Åbo"}}</tool_call>'


class _Unavailable(Exception):
    pass


def _pyperclip(monkeypatch: pytest.MonkeyPatch, paste: object) -> None:
    """Install a pyperclip that pastes; None takes it away."""
    made = None if paste is None else SimpleNamespace(paste=paste, PyperclipException=_Unavailable)
    monkeypatch.setitem(sys.modules, "pyperclip", made)


def _program(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def _parsed() -> dict[str, object]:
    done = CliRunner().invoke(app, ["parse", "--clipboard", "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_pyperclip_is_asked_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _program(tmp_path, "xclip", "exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    _pyperclip(monkeypatch, lambda: ANSWER)
    (call,) = _parsed()["calls"]
    assert (call["name"], call["arguments"]) == ("look_up", {"city": "Åbo"})


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
@pytest.mark.parametrize("unavailable", [True, False], ids=["pyperclip finds no clipboard", "no pyperclip"])
def test_else_the_first_program_that_answers(
    unavailable: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def paste() -> str:
        raise _Unavailable

    _pyperclip(monkeypatch, paste if unavailable else None)
    _program(tmp_path, "wl-paste", "exit 1")
    _program(tmp_path, "xclip", f"[ \"$*\" = '-selection clipboard -out' ] && printf '%s' '{ANSWER}'")
    monkeypatch.setenv("PATH", str(tmp_path))
    (call,) = _parsed()["calls"]
    assert call["name"] == "look_up"


@pytest.mark.parametrize(
    ("paste", "says"),
    [(lambda: " \n", "nothing to read: the clipboard holds no text"), (None, "no way to the clipboard: install")],
)
def test_an_empty_clipboard_or_none_is_one_line(
    paste: object, says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _pyperclip(monkeypatch, paste)
    monkeypatch.setenv("PATH", str(tmp_path))
    done = CliRunner().invoke(app, ["parse", "--clipboard"])
    assert done.exit_code == 2
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
