"""Command lines without anything special in them, read without Typer: it takes half of the time of a short run.

What is here, is read as Typer reads it. For all else (help, abbreviations, joined letters, numbers, mistakes) the
answer is None, and Typer reads the line.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, get_type_hints

from utp_cli.app import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.commands.declared import Declared, DeclaredCommand

_TEXT = (str, str | None)
_TEXTS = (list[str], list[str] | None)


def plain_run(words: Sequence[str]) -> Callable[[], Any] | None:
    """Return what runs a command line that begins with a command, or None."""
    if os.name == "nt":
        return None  # a name with * or ? stands for files there
    app = import_module(f"utp_cli.commands.{COMMANDS[words[0]][1]}").app
    if "typer" in sys.modules or app.otherwise or len(app.commands) != 1:
        return None
    given = values_of(app.commands[0], words[1:])
    return None if given is None else partial(app.commands[0].function, **given)


def values_of(command: DeclaredCommand, words: Sequence[str]) -> dict[str, Any] | None:
    """Return what a command line gives to the parameters of a command's function, by their names; or None."""
    if "allow_interspersed_args" in command.settings.get("context_settings", ()):
        return None
    hints = get_type_hints(command.function, include_extras=True)
    hints.pop("return", None)
    kinds = {name: hint.__origin__ for name, hint in hints.items()}
    declared: dict[str, Declared] = {name: hint.__metadata__[0] for name, hint in hints.items()}
    options = {
        typed: name
        for name, each in declared.items()
        if each.kind == "Option"
        for typed in each.names or (f"--{name.replace('_', '-')}",)
    }
    given: dict[str, Any] = {}
    alone: list[str] = []
    left = iter(words)
    for word in left:
        if word == "-" or not word.startswith("-"):
            alone.append(word)
            continue
        typed, joined, value = word.partition("=") if word.startswith("--") else (word, "", "")
        name = options.get(typed, "")
        if not name or declared[name].how.keys() & {"callback", "min", "max", "is_eager"}:
            return None
        if kinds[name] is bool and not joined and not typed.startswith("--no-"):
            given[name] = True
            continue
        value = value if joined else next(left, "--")
        if kinds[name] not in (*_TEXT, *_TEXTS) or (not joined and value.startswith("-") and value != "-"):
            return None
        given[name] = value if kinds[name] in _TEXT else [*given.get(name, ()), value]
    taken = _arguments(alone, {name: kinds[name] for name, each in declared.items() if each.kind == "Argument"})
    if taken is None or not _needed(command.function) <= given.keys() | taken.keys():
        return None
    return given | taken


def _arguments(words: list[str], kinds: dict[str, Any]) -> dict[str, Any] | None:
    """Give the words that belong to no option to the arguments: one list, or texts in order."""
    if len(kinds) == 1 and next(iter(kinds.values())) in _TEXTS:
        return dict.fromkeys(kinds, words) if words else {}
    if len(words) > len(kinds) or any(kind not in _TEXT for kind in kinds.values()):
        return None
    return dict(zip(kinds, words, strict=False))


def _needed(function: Callable[..., Any]) -> set[str]:
    """Return the parameters that have no default."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    by_place = names[: code.co_argcount][code.co_argcount - len(function.__defaults__ or ()) :]
    return {*names} - {*by_place} - {*(function.__kwdefaults__ or ())}
