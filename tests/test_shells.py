"""What shells and `man` get: completion of words, tried in the shells that are here, and a manual page."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.manpage import PAGE, man_page
from utp_cli.app import COMMANDS


def test_the_manual_page_is_as_the_help_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == man_page(), "python -m tools.manpage writes it anew"


def test_the_manual_page_names_all() -> None:
    page = man_page()
    for name in COMMANDS:
        assert f".SS utp {name.replace('-', chr(92) + '-')} " in page or f".SS utp {name} " in page
    assert ".SS utp profiles add " in page
    assert "\\fB\\-\\-color WHEN\\fR" in page
    assert "UTP_MODEL" in page


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
def test_the_manual_page_is_sound() -> None:
    done = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "error", str(PAGE)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
    drawn = subprocess.run(["mandoc", "-T", "utf8", str(PAGE)], capture_output=True, text=True, check=True).stdout
    plain = re.sub(r".\x08", "", drawn)
    assert "utp replay sessions/*.jsonl" in plain
    assert "--color WHEN" in plain


# -- completion: each shell asks as its own script tells it to

ASKED = [
    ("utp rep", {"replay"}),
    ("utp render-", {"render-tools", "render-result"}),
    ("utp parse --par", {"--parser"}),
    ("utp parse --parser herm", {"hermes"}),
]
SCRIPTS = {
    "bash": """
source <(utp --show-completion)
COMP_WORDS=(LINE); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_utp_completion utp
printf '%s\\n' "${COMPREPLY[@]}"
""",
    "fish": """
utp --show-completion | source
complete --do-complete "LINE"
""",
    "zsh": """
autoload -Uz compinit; compinit -D
source <(utp --show-completion)
_arguments() { print -l -- "$@" }
words=(LINE); CURRENT=$#words
_utp_completion
""",
}
"""What each shell does when somebody presses Tab behind `LINE`; zsh's own part of it only works while one types."""


@pytest.fixture
def path(tmp_path: Path) -> str:
    started = tmp_path / "utp"
    started.write_text(f"#!{sys.executable}\nfrom utp_cli.app import main\nmain()\n", encoding="utf-8")
    started.chmod(0o755)
    return f"{tmp_path}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize(("line", "offered"), ASKED)
@pytest.mark.parametrize("shell", SCRIPTS)
def test_completion(shell: str, line: str, offered: set[str], path: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None or os.name == "nt":
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [shell, "-c", SCRIPTS[shell].replace("LINE", line)], env={**os.environ, "PATH": path, "HOME": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    words = set(re.findall(r"[\w-]+", done.stdout))
    assert offered <= words, (done.stdout, done.stderr)
    assert not done.stderr
