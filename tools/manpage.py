"""`python -m tools.manpage` writes docs/utp.1 anew, from the same source as the help of the commands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from utp_cli import __version__
from utp_cli.app import app
from utp_cli.io.settings import SETTINGS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "utp.1"
_EXITS = {
    "0": "Done, and nothing to complain about.",
    "1": "The command worked and found problems.",
    "2": "It could not be run as asked; one line on standard error says why, and what to do.",
}
_OTHERS = {
    "UTP_CONFIG": "The configuration file; else ./profiles.toml, ./llmc.toml, or the user's own.",
    "NO_COLOR": "No colours.",
    "FORCE_COLOR": "Colours, also where standard output is no terminal; 0: none.",
}
_FILES = {
    "profiles.toml": "Profiles, dialects, settings of the audit.",
    "session.jsonl": "What utp record writes and utp replay reads, where no file is named.",
}


def man_page() -> str:
    """Return the whole page, in the macros of man(7)."""
    root: Any = get_command(app)
    context = typer.Context(root, info_name="utp")
    lines = [
        f'.TH UTP 1 "" "utp {__version__}" "User Commands"',
        ".SH NAME",
        f"utp \\- {_plain(_sentence(root.help)).removesuffix('.')}",
        ".SH SYNOPSIS",
        "\\fButp\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIARGS\\fR]",
        ".SH DESCRIPTION",
        _plain(root.help),
        ".SH COMMANDS",
    ]
    for name in root.list_commands(context):
        lines += _command(root.get_command(context, name), name, context)
    lines += [".SH ENVIRONMENT", *_terms({setting.variable: _option(name) for name, setting in SETTINGS.items()})]
    lines += _terms(_OTHERS)
    lines += [".SH FILES", *_terms(_FILES), ".SH EXIT STATUS", *_terms(_EXITS)]
    return "\n".join(lines) + "\n"


def _command(command: Any, name: str, parent: Any) -> list[str]:
    """Write a command, and those that it has itself."""
    context = typer.Context(command, info_name=name, parent=parent)
    words = " ".join(command.collect_usage_pieces(context))
    lines = [f".SS {context.command_path} {_plain(words)}", *_paragraphs(command.help)]
    records = (_record(parameter, context) for parameter in command.get_params(context))
    lines += _terms(dict(record for record in records if record))
    if command.epilog:
        lines += [".PP", "Examples:", ".PP", ".nf", ".RS", *map(_plain, command.epilog.splitlines()), ".RE", ".fi"]
    for below in command.list_commands(context) if hasattr(command, "list_commands") else ():
        lines += _command(command.get_command(context, below), below, context)
    return lines


def _record(parameter: Any, context: Any) -> tuple[str, str] | None:
    """Return what the help says of an option or an argument; None where it says nothing."""
    record: tuple[str, str] | None = parameter.get_help_record(context)
    if record and parameter.param_type_name == "argument":
        return parameter.metavar or "", getattr(parameter, "help", None) or ""
    return record


def _option(name: str) -> str:
    return f"Like --{name.replace('_', '-')}."


def _terms(terms: dict[str, str]) -> list[str]:
    return [line for term, told in terms.items() for line in (".TP", f"\\fB{_plain(term)}\\fR", _plain(told))]


def _paragraphs(text: str | None) -> list[str]:
    parts = re.split(r"\n\s*\n", (text or "").strip())
    return [line for part in parts for line in (".PP", _plain(" ".join(part.split())))]


def _sentence(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    """Return text that roff takes as it is: backslashes, hyphens to be copied, lines that begin like a request."""
    escaped = (
        text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("^", "\\(ha").replace("~", "\\(ti")
    )
    return f"\\&{escaped}" if escaped[:1] in {".", "'"} else escaped


if __name__ == "__main__":
    PAGE.write_text(man_page(), encoding="utf-8", newline="\n")
