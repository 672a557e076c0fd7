"""What Windows lacks or does otherwise, as far as that can be played anywhere: the workflow runs all tests there."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from utp_cli.app import app
from utp_cli.io import clipboard, programs
from utp_cli.io.private_files import locked
from utp_cli.io.replacing import replace_file
from utp_cli.protocol.errors import BadFile
from utp_cli.protocol.numbers import dumps

from .cases import FIXTURES

ANSWER = FIXTURES / "answers" / "call-in-content.json"


def utp(*words: str) -> Any:
    return CliRunner().invoke(app, [*words])


class Process:
    """A program as Windows has it: of all signals it takes the end alone."""

    def __init__(self, said: list[Any]) -> None:
        self._said = said
        self._ended = False

    def send_signal(self, number: int) -> None:
        if number != signal.SIGTERM:
            raise ValueError(f"Unsupported signal: {number}")
        self.terminate()

    def terminate(self) -> None:
        self._said.append("ended")
        self._ended = True

    def poll(self) -> int | None:
        return 1 if self._ended else None


def test_a_signal_that_windows_cannot_send_ends_the_program() -> None:
    said: list[Any] = []
    with programs._signals() as take:
        signal.raise_signal(signal.SIGINT)  # before there is a program
        take(Process(said))
    assert said == ["ended"]


def test_systems_without_owners_and_nameless_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fchown", "fchmod", "geteuid", "O_TMPFILE", "O_CLOEXEC"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    file = tmp_path / "profiles.toml"
    for text in (b"one", b"two"):
        replace_file(file, text)
        assert file.read_bytes() == text
    assert [path.name for path in tmp_path.iterdir()] == ["profiles.toml"]


def test_a_lock_that_cannot_be_removed_while_it_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "it is in use")

    target = tmp_path / "session.jsonl"
    monkeypatch.setattr(Path, "unlink", refused)
    with locked(target), pytest.raises(BadFile, match="another utp writes to it"), locked(target):
        pass
    with locked(target):
        pass


# -- what shells write


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_what_powershell_writes_is_read(encoding: str, tmp_path: Path) -> None:
    """`>` writes UTF-16 in PowerShell 5, and lines end as Windows has them."""
    answer, tools = tmp_path / "answer.json", tmp_path / "tools.yaml"
    answer.write_text(ANSWER.read_text(encoding="utf-8"), encoding=encoding, newline="\r\n")
    text = (FIXTURES / "answers" / "tools.yaml").read_text(encoding="utf-8")
    tools.write_text(text, encoding=encoding, newline="\r\n")
    done = utp("parse", str(answer), "--tools", str(tools), "--json")
    assert done.exit_code == 1
    assert '"call-left-in-content"' in done.stdout
    assert '"valid": true' in done.stdout
    assert utp("audit", str(tools)).stdout == utp("audit", str(FIXTURES / "answers" / "tools.yaml")).stdout


def test_sessions_with_the_line_ends_of_windows(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    text = (FIXTURES / "sessions" / "lost-call.jsonl").read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8-sig", newline="\r\n")
    assert utp("replay", str(file), "--json").stdout.count('"status"') == text.count("\n") - 1


def test_the_clipboard_through_powershell_is_utf_8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe takes the code page of the console unless PowerShell is told otherwise."""
    asked: list[list[str]] = []

    class Done:
        returncode = 0

        def __init__(self, command: list[str], **_: Any) -> None:
            asked.append(command)
            self.stdout = "für".encode(
                "utf-8-sig" if "OutputEncoding = [Text.Encoding]::UTF8" in command[-1] else "cp437"
            )

    monkeypatch.setattr(clipboard, "_by_pyperclip", lambda: None)
    monkeypatch.setattr(clipboard.shutil, "which", lambda name: name if name == "powershell.exe" else None)
    monkeypatch.setattr(clipboard.subprocess, "run", Done)
    assert clipboard.read_clipboard().decode("utf-8-sig") == "für"
    assert [command[0] for command in asked] == ["powershell.exe"]


# -- consoles and paths


@pytest.mark.parametrize("encoding", ["cp437", "cp1252", "cp932", "ascii"])
@pytest.mark.parametrize(
    "words",
    [
        ("parse", str(ANSWER)),
        ("detect", "qwen3:32b"),
        ("dialects",),
        ("audit", str(FIXTURES / "tools" / "flawed.yaml")),
    ],
    ids=lambda words: words[0],
)
def test_every_console_can_write_what_people_see(encoding: str, words: tuple[str, ...]) -> None:
    done = CliRunner(charset=encoding).invoke(app, [*words], env={"PYTHONIOENCODING": encoding})
    assert done.exit_code in (0, 1)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert done.stdout_bytes.decode(encoding)


def test_no_name_of_a_file_comes_from_what_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows has no file `CON` or `a:b`; a model's, a tool's and a profile's name may be either."""
    monkeypatch.chdir(tmp_path)
    call = {"name": "NUL", "arguments": {"path": "COM1"}}
    header = {"utp_session": 1, "model": "CON"}
    row = {"response": {"choices": [{"message": {"content": f"<tool_call>{dumps(call)}</tool_call>"}}]}}
    Path("s.jsonl").write_text(f"{dumps(header)}\n{dumps(row)}\n", encoding="utf-8")
    utp("replay", "s.jsonl", "--update")
    utp("replay", "s.jsonl", "--html", "page.html")
    utp("replay", "s.jsonl", "-o", "out/")
    utp("profiles", "add", "AUX", "--model", "CON")
    names = {path.relative_to(tmp_path).as_posix().replace("session=00000", "session") for path in tmp_path.rglob("*")}
    assert names == {
        "s.jsonl", "page.html", "profiles.toml", "out", "out/_metrics.json", "out/session",
        "out/session/part-000000.parquet",
    } | {name for name in names if name.startswith("out/_")}  # fmt: skip
