"""What `utp` starts: which commands there are, and the command line, loaded when it is needed.

A command is a module with a Typer `app`, imported when it is asked for. Its function returns the exit code: 0
(or None) with nothing to complain about, 1 with problems found. What stops it ends in `commands/ending.py`, with 2.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING, Any

from utp_cli import __version__

if TYPE_CHECKING:
    import typer

    app: typer.Typer

VERSION = f"utp {__version__}"

COMMANDS: dict[str, tuple[str, str, str]] = {
    "parse": ("Answers", "parse", "Show the calls in a model's answer, and why any got lost."),
    "replay": ("Answers", "replay", "Parse captured sessions again and compare with what was recorded or expected."),
    "record": (
        "Answers",
        "record",
        "Pass requests on to a model's server, and write every exchange to a session file.",
    ),
    "serve": ("Answers", "serve", "Pass requests on to a model's server, and heal its tool calls on the way back."),
    "run": (
        "Answers",
        "run",
        "Run a program, and tell which tool calls its model's server lost, why, and what to set.",
    ),
    "detect": ("Models and tools", "detect", "Show what a model id means, what the model can do, and how to serve it."),
    "render-tools": (
        "Models and tools",
        "render_tools",
        "Write tool definitions in a provider's format, or as a prompt.",
    ),
    "render-result": ("Models and tools", "render_result", "Write a tool's result or error as a message to the model."),
    "audit": ("Models and tools", "audit", "Lint tool definitions: what is refused, misused, distrusted."),
    "audit-descriptions": ("Models and tools", "audit", "Lint tool definitions: what is refused, misused, distrusted."),
    "init": ("Settings", "init", "Write a first profile and a CI file."),
    "profiles": ("Settings", "profiles", "Name a model and its server once, in profiles.toml."),
    "dialects": (
        "Reference",
        "dialects",
        "List the dialects, or show one: its markers, its quirks, a call that it writes and how that is read.",
    ),
    "explain": (
        "Reference",
        "explain",
        "Show the page of a diagnosis, a repair, an audit rule …, or of an error message; without any, list them all.",
    ),
}  # fmt: skip
"""Every command: its group in the help, its module in `commands/`, and the first sentence of its own help.

This line is all that a new one needs here; with it the help of all loads none of them.
"""

_MADE = 50_000
"""Objects made before Python looks for cycles of dead ones: at its own 700 it looks a hundred times while modules are
loaded, a tenth of a start, and finds nothing."""


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] == ["--version"] and _said(VERSION):
        return
    gc.set_threshold(_MADE)
    from utp_cli.commands.ending import run_to_end  # noqa: PLC0415 - the version needs none of it
    from utp_cli.io.output import lenient  # noqa: PLC0415 - as above

    lenient()
    run_to_end(_run)


def _run() -> Any:
    words = sys.argv[1:]
    if words and words[0] in COMMANDS and "_UTP_COMPLETE" not in os.environ:
        from utp_cli.commands.plain_line import plain_run  # noqa: PLC0415 - help of all and the shell need none of it

        if run := plain_run(words):
            return run()
    from utp_cli.commands.toolkit import app  # noqa: PLC0415 - loading Typer takes seven times as long as Python's start

    return app(prog_name="utp")


def _said(line: str) -> bool:
    """Whether a line could be written; where not, the command line says why, as it does of all that it writes."""
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except (AttributeError, OSError):
        return False
    return True


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from utp_cli.commands.toolkit import app  # noqa: PLC0415

    return app
