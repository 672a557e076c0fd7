"""A command line that is read without Typer gives its command what Typer gives it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import pytest
import typer
from hypothesis import given, strategies as st
from typer.main import get_command

from utp_cli.app import COMMANDS
from utp_cli.commands.declared import CommandApp, DeclaredCommand
from utp_cli.commands.plain_line import values_of
from utp_cli.commands.typer_pages import typer_of

NAMES = sorted({module for _, module, _ in COMMANDS.values()} - {"profiles"})


def command_of(name: str) -> DeclaredCommand:
    app: CommandApp = import_module(f"utp_cli.commands.{name}").app
    (command,) = app.commands
    return command


@cache
def of_typer(name: str) -> Any:
    """Return a command as Typer has it. To build it takes longer than to read a line, and reading changes nothing."""
    return get_command(typer_of(import_module(f"utp_cli.commands.{name}").app))


def by_typer(name: str, words: list[str]) -> dict[str, Any] | None:
    """Return what Typer makes of the words; None where it refuses them or answers by itself."""
    try:
        params = of_typer(name).make_context("utp", list(words)).params
        return {key: [*value] or None if isinstance(value, tuple) else value for key, value in params.items()}
    except (typer.TyperException, typer.Exit, RuntimeError):
        return None


def same(name: str, words: list[str]) -> bool:
    """Check that both readers agree; return whether Typer was not needed."""
    plain = values_of(command_of(name), words)
    if plain is not None:
        told = by_typer(name, words)
        assert told is not None
        assert {key: told[key] for key in plain} == plain
        defaults = {**(command_of(name).function.__kwdefaults__ or {})}
        assert {key: told[key] for key in defaults.keys() - plain.keys()} == {
            key: value for key, value in defaults.items() if key not in plain
        }
    return plain is not None


PLAIN = [
    ("parse", ""), ("parse", "a.txt"), ("parse", "--json a.txt b.txt"), ("parse", "-"), ("parse", "a.txt --json -o out.json"),
    ("parse", "--format=json --model qwen3 -t tools.yaml -p mine -m x"), ("parse", "--lines --fail-on=repair -"),
    ("parse", "--from s.jsonl#3 --as vllm"), ("parse", "--model= a"), ("parse", "-o - a"), ("detect", "qwen3:32b --json"),
    ("audit", "tools.yaml --provider openai"), ("explain", "trailing-comma"), ("dialects", "hermes --json"),
]  # fmt: skip
NOT_PLAIN = [
    ("parse", "--help"), ("parse", "-h"), ("parse", "--nope"), ("parse", "--js a"), ("parse", "-qv a"), ("parse", "-tfile"),
    ("parse", "--model"), ("parse", "--model --json"), ("parse", "--json=yes"), ("parse", "-- -a"), ("parse", "--no-json"),
    ("run", "python -c pass"), ("render_result", "--items 3 a"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "line"), PLAIN)
def test_what_is_plain_needs_no_typer(name: str, line: str) -> None:
    assert same(name, line.split())


@pytest.mark.parametrize(("name", "line"), NOT_PLAIN)
def test_what_is_not_plain_is_left_to_typer(name: str, line: str) -> None:
    assert values_of(command_of(name), line.split()) is None


def words_of(name: str) -> list[str]:
    typed = [word for parameter in of_typer(name).params for word in parameter.opts if word.startswith("-")]
    return [*typed, *(f"{word}=x" for word in typed), "a", "b=c", "-", "--", "", "3", "-x", "--j", "---", "-1"]


@pytest.mark.parametrize("name", NAMES)
def test_any_line_is_read_as_typer_reads_it(name: str) -> None:
    @given(st.lists(st.sampled_from(words_of(name)), max_size=6))
    def check(words: list[str]) -> None:
        same(name, words)

    check()
