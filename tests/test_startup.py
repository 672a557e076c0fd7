"""What importing and parsing loads. Milliseconds are noisy; a list of modules is not."""

from __future__ import annotations

import gc
import os
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

import utp_cli
from utp_cli.app import COMMANDS, app
from utp_cli.diagnosis.themes import THEMES
from utp_cli.protocol.patterns import LatePattern

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {
    "asyncio", "dataclasses", "filelock", "html", "httpx", "importlib.metadata", "inspect", "jinja2", "jsonschema_rs",
    "pathlib", "platformdirs", "pydantic", "rich", "ruamel", "secrets", "shutil", "tempfile", "tomllib", "typer",
    "urllib.parse", "yaml",
}  # fmt: skip
TYPER = {"dataclasses", "inspect", "pathlib", "shutil", "typer", "urllib.parse"}
"""What the command line takes, and no start of it does without."""
CALL = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'
MAIN = "from utp_cli.app import main\ntry:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code"


def loaded(code: str, *arguments: str, folder: Path = ROOT, **variables: str) -> set[str]:
    """Run code in a fresh interpreter and return the modules it has loaded."""
    script = f"{code}\nimport sys\nprint(*sys.modules, sep='\\n', file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout or code.startswith(("import ", "from "))  # a command says something
    return set(done.stderr.split())


def of_utp(modules: set[str]) -> set[str]:
    """Return the folders of the package that were loaded."""
    return {name.split(".")[1] for name in modules if name.startswith("utp_cli.")}


LIBRARY = {"dialects", "engine", "facts", "parsing", "protocol", "repair", "schemas", "wire"}


def test_parse_loads_nothing_heavy() -> None:
    modules = loaded(f"from utp_cli import parse\nparse({CALL!r})")
    assert modules & HEAVY == set()
    assert of_utp(modules) == LIBRARY | {"answers"}
    assert "utp_cli.facts.error_texts.entries" not in modules
    assert {name for name in modules if name.startswith("utp_cli.engine.grammars.")} == {
        f"utp_cli.engine.grammars.{name}" for name in ("json_value", "proof", "progress", "tagged_json", "writing")
    }


def test_the_tolerant_reader_is_loaded_for_what_the_standard_one_cannot_read() -> None:
    body = {"object": "chat.completion", "choices": [{"message": {"role": "assistant", "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]}}]}  # fmt: skip
    reader = "utp_cli.repair.reader"
    assert reader not in loaded(f"from utp_cli import parse\nassert parse({body!r}).calls[0].arguments == {{'a': 1}}")
    body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = "{a: 1}"
    assert reader in loaded(f"from utp_cli import parse\nassert parse({body!r}).calls[0].arguments == {{'a': 1}}")


def test_healing_loads_no_client() -> None:
    modules = loaded("from utp_cli.healing import heal, transport\ntransport()\nprint(heal({'choices': []}, tools=[]))")
    assert not modules & {"httpx", "httpx2", "openai", "anthropic", "ollama", "typer", "rich", "pydantic", "asyncio"}


def test_importing_the_package_loads_no_part_of_it() -> None:
    modules = loaded("import utp_cli")
    assert {name for name in modules if name.startswith("utp_cli.")} == set()


STARTS = {
    "--version": (set(), {"app"}),
    "--help": (TYPER, {"app", "commands", "io", "protocol", "views"}),
    "detect --help": (TYPER, {"app", "commands", "io", "protocol", "views"}),
    "parse --help": (TYPER, {"app", "commands", "facts", "io", "parsing", "protocol", "views"}),
    "parse --json answer.txt": (
        {"pathlib", "platformdirs", "shutil", "tempfile", "urllib.parse"},
        LIBRARY | {"app", "commands", "diagnosis", "detection", "io", "views"},
    ),
}
"""What is started: which of the heavy modules it may load, and which folders of the package."""


@pytest.mark.parametrize("line", STARTS)
def test_a_command_loads_what_it_needs(line: str, tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text(CALL)
    modules = loaded(MAIN, *line.split(), folder=tmp_path)
    heavy, folders = STARTS[line]
    assert modules & HEAVY <= heavy
    assert of_utp(modules) <= folders


def test_the_help_of_all_loads_no_command() -> None:
    modules = loaded(MAIN, "--help")
    assert {name for name in modules if name.startswith("utp_cli.commands.")} == {
        f"utp_cli.commands.{name}" for name in ("declared", "ending", "toolkit", "typer_pages")
    }


def test_an_answer_loads_the_rules_for_answers(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text(CALL)
    modules = loaded(MAIN, "parse", "--json", "answer.txt", folder=tmp_path)
    unasked = {name for name, kinds in THEMES.items() if "answer" not in kinds}
    assert unasked
    assert modules.isdisjoint({f"utp_cli.diagnosis.{name}" for name in unasked})
    assert {name for name in modules if name.startswith("utp_cli.detection.")} == {"utp_cli.detection.series"}


@pytest.mark.parametrize("line", ["utp ", "utp --", "utp pa", "utp parse --", "utp parse --parser herm"])
def test_a_tab_loads_neither_pydantic_nor_parsing(line: str, tmp_path: Path) -> None:
    words = line.split(" ")
    modules = loaded(
        MAIN, folder=tmp_path, _UTP_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1)
    )
    assert modules & HEAVY <= TYPER
    assert of_utp(modules) <= {"app", "commands", "dialects", "facts", "io", "parsing", "protocol", "views"}
    assert "utp_cli.parsing.parser" not in modules


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_of_commands_has_the_first_sentence_of_their_help(name: str) -> None:
    root: Any = get_command(app)
    command = root.get_command(typer.Context(root), name)
    assert COMMANDS[name][2] == command.get_short_help_str(1000)


def test_every_pattern_that_waits_is_sound() -> None:
    for module in pkgutil.walk_packages(utp_cli.__path__, "utp_cli."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    gc.unfreeze()  # what was there before the tests is shown, too
    waiting = [thing for thing in gc.get_objects() if isinstance(thing, LatePattern)]
    gc.freeze()
    assert len(waiting) > 200
    assert all(isinstance(each.pattern, str) for each in waiting)
