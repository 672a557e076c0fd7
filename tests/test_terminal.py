"""What the terminal is told: colours as asked, whole summaries, a way on where something is missing."""

from __future__ import annotations

import errno
import io
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from utp_cli.app import COMMANDS, app
from utp_cli.io import output
from utp_cli.io.mcp_source import _words
from utp_cli.protocol.errors import BadFile
from utp_cli.protocol.extras import install

from .cases import FIXTURES

LOST = str(FIXTURES / "sessions" / "lost-call.jsonl")
HEALTHY = FIXTURES / "sessions" / "healthy.jsonl"


def utp(*words: str, given: str | None = None) -> Any:
    return CliRunner().invoke(app, [*words], input=given)


def environment(**more: str) -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")} | more


# -- colours


COLOURS = [
    ({}, (), False),
    ({"FORCE_COLOR": "1"}, (), True),
    ({"FORCE_COLOR": "0"}, (), False),
    ({"FORCE_COLOR": ""}, (), False),
    ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, (), False),
    ({"FORCE_COLOR": "1"}, ("--no-color",), False),
    ({"FORCE_COLOR": "1"}, ("--color", "never"), False),
    ({"FORCE_COLOR": "1"}, ("--color", "auto"), True),
    ({"NO_COLOR": "1"}, ("--color", "always"), True),
    ({}, ("--color", "always"), True),
    ({}, ("--color", "never", "--no-color"), False),
]


@pytest.mark.parametrize(("said", "words", "coloured"), COLOURS)
def test_colours(said: dict[str, str], words: tuple[str, ...], coloured: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in said.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in utp("replay", LOST, *words).stdout) == coloured


@pytest.mark.parametrize("command", ["parse", "replay", "record", "detect", "audit", "dialects"])
def test_who_colours_takes_the_option(command: str) -> None:
    done = utp(command, *(["x"] if command != "record" else ["--upstream", "http://127.0.0.1:1"]), "--color", "alway")
    assert done.exit_code == 2
    assert "--color takes auto, always, never, not 'alway' (did you mean 'always'?)" in done.stderr


def test_two_options_that_contradict() -> None:
    done = utp("replay", LOST, "--no-color", "--color", "always")
    assert (done.exit_code, done.stderr) == (
        2,
        "utp: --no-color and --color always say two things: leave one out\n",
    )


def test_a_file_is_not_coloured_by_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    utp("replay", LOST, "-o", str(tmp_path / "told.txt"))
    assert "\x1b" not in (tmp_path / "told.txt").read_text(encoding="utf-8")


# -- help


def test_summaries_are_whole() -> None:
    told = utp("--help").stdout.partition("Answers:")[2]
    assert "..." not in told
    words = " ".join(told.split())
    for name in COMMANDS:
        sentence = " ".join(utp(name, "--help").stdout.partition("\n\n")[2].partition("\n\n")[0].split())
        assert f"{name} {sentence.partition('. ')[0].rstrip('.')}" in words


@pytest.mark.parametrize("encoding", ["ascii", "cp437", "cp1252"])
def test_help_is_written_in_any_encoding(encoding: str) -> None:
    words = [sys.executable, "-m", "utp_cli", "explain", "--help"]
    done = subprocess.run(words, env=environment(PYTHONIOENCODING=encoding), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


# -- what is missing


def test_replay_takes_what_record_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = utp("replay")
    assert done.exit_code == 2
    assert done.stderr == ("utp: nothing to replay: name a session file; utp record makes one, here session.jsonl\n")
    shutil.copy(HEALTHY, "session.jsonl")
    done = utp("replay")
    assert done.exit_code == 0
    assert "session.jsonl" in done.stdout


def test_profiles_alone_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("profiles.toml").write_text('[profiles.here]\nmodel = "qwen3:32b"\n', encoding="utf-8")
    assert utp("profiles").stdout == utp("profiles", "list").stdout == "here  qwen3:32b\n"


def test_a_configuration_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "profiles.toml"
    path.write_text('[profiles.here]\nmodel = "qwen3:32b"\n', encoding="utf-8-sig")
    assert utp("profiles", "list", "-c", str(path)).stdout == "here  qwen3:32b\n"


def test_render_tools_at_a_terminal_says_what_it_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("utp_cli.commands.tool_sources.is_terminal", lambda: True)
    done = utp("render-tools")
    assert done.exit_code == 2
    assert "no tools yet: name a file (tools.yaml)" in done.stderr


ASKED = [
    ("vlm", "vllm"),
    ("olama", "ollama"),
    ("llamacpp", "llama.cpp"),
    ("vllm", None),
    ("OpenAI", None),
    ("hosted_vllm", None),
    ("acme", None),
    ("azure-openai", None),
]


@pytest.mark.parametrize(("provider", "near"), ASKED)
def test_a_provider_that_is_misspelt(provider: str, near: str | None) -> None:
    done = utp("parse", "--provider", provider, given="Hello.")
    told = f"utp: note: no provider is known as '{provider}': did you mean '{near}'?\n" if near else ""
    assert (done.exit_code, done.stderr) == (0, told)


def test_a_server_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("utp_cli.io.asking._PAUSE", 0)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    done = utp("replay", str(HEALTHY), "--against", f"http://127.0.0.1:{port}")
    assert done.exit_code == 1
    assert done.stdout.count("error: connection refused: ") == 3
    assert done.stderr == (
        f"utp: note: 3 not answered by http://127.0.0.1:{port}; utp parse --from reads the recording\n"
    )


# -- Windows, as far as it can be played elsewhere


class Closed(io.RawIOBase):
    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:  # noqa: ARG002
        raise OSError(errno.EINVAL, "Invalid argument")


@pytest.mark.parametrize(("system", "ends"), [("nt", True), ("posix", False)])
def test_a_pipe_that_windows_calls_invalid(system: str, ends: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.TextIOWrapper(io.BufferedWriter(Closed()), encoding="utf-8")
    monkeypatch.setattr(output, "_stdout", lambda: closed)
    monkeypatch.setattr(output, "silence", lambda _: None)
    monkeypatch.setattr(output.os, "name", system)
    sink = output.Output()
    if ends:
        assert not sink.write("told")
    else:
        with pytest.raises(BadFile, match="cannot be written"):
            sink.write("told")
    monkeypatch.undo()
    with pytest.raises(OSError, match="Invalid"):
        closed.close()


def test_commands_on_windows_keep_their_backslashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "name", "nt")
    found = _words(r'"C:\My Tools\git.exe" serve --root C:\code')
    monkeypatch.undo()
    assert found == [r"C:\My Tools\git.exe", "serve", "--root", r"C:\code"]


# -- slips of who is new


SLIPS = [
    (("answer.json",), "utp: 'answer.json' is a file, and no command: utp parse answer.json\n"),
    (("nonesuch.json",), "utp: unknown command 'nonesuch.json' (utp --help lists them)\n"),
    (("detect", "vllm", "serve", "Qwen/Qwen3-32B"), "utp: that is a command line: utp detect --command 'vllm serve Qwen/Qwen3-32B'\n"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), SLIPS)
def test_slips(words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("answer.json").write_text("{}", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "utp_cli", *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, said)


def test_tool_definitions_in_yaml_are_no_answer() -> None:
    done = utp("parse", str(FIXTURES / "answers" / "tools.yaml"))
    assert done.exit_code == 1
    assert done.stdout.startswith("! these are tool definitions, not an answer")
    assert "utp audit FILE" in done.stdout


def test_other_yaml_is_read_as_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "said.yaml").write_text("- Oslo\n- Turku\n", encoding="utf-8")
    assert utp("parse", str(tmp_path / "said.yaml")).stdout.startswith("✓ no call: plain answer")


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (None, "pip install 'utp-cli[tui]'"),
        ("pipx_metadata.json", "pipx install --force 'utp-cli[tui]'"),
        ("uv-receipt.toml", "uv tool install 'utp-cli[tui]'"),
    ],
)
def test_an_extra_is_added_as_utp_was_installed(
    left: str | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    if left:
        (tmp_path / left).touch()
    assert install("tui") == said
