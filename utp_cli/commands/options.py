"""Options that mean the same in every command, declared once; `known` and `result` make more for a group."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from utp_cli.commands.completion import parsers, profiles
from utp_cli.commands.declared import Option
from utp_cli.io.output import COLOURS
from utp_cli.protocol.errors import BadOption, nearest

SESSION = "session.jsonl"
"""What `utp record` writes and `utp replay` reads, where no file is named."""

known = partial(Option, rich_help_panel="What is known")
result = partial(Option, rich_help_panel="Result")

Profile = Annotated[
    str | None,
    known("--profile", "-p", metavar="NAME", help="A profile of profiles.toml.", autocompletion=profiles),
]
Config = Annotated[str | None, known("--config", "-c", metavar="FILE", help="The configuration file.")]
Model = Annotated[str | None, known("--model", "-m", metavar="ID", help="The model.")]
Provider = Annotated[str | None, known("--provider", metavar="NAME", help="Who serves it.")]
Tools = Annotated[str | None, known("--tools", "-t", metavar="FILE", help="Tool definitions, YAML or JSON.")]
Parser = Annotated[
    str | None,
    known("--parser", metavar="NAME", help="How text is read: auto, or a dialect.", autocompletion=parsers),
]
Json = Annotated[bool, result("--json", help="The same as -f json.")]
Output = Annotated[str | None, result("--output", "-o", metavar="FILE", help="Write the result to a file.")]
Recording = Annotated[
    str | None, result("--output", "-o", metavar="FILE", help="Record what went by to a session file.")
]
Redacted = Annotated[list[str] | None, result("--redact", metavar="FIELD", help="A further field to take out of it.")]
Quiet = Annotated[bool, result("--quiet", "-q", help="Only the first line.")]
Verbose = Annotated[bool, result("--verbose", "-v", help="Everything, in full.")]
Color = Annotated[str | None, result("--color", metavar="WHEN", help="auto, always, never (--no-color).")]
NoColor = Annotated[bool, result("--no-color", hidden=True)]
Watch = Annotated[bool, result("--watch", "-w", help="Again whenever a file changes, until Ctrl-C.")]
Html = Annotated[str | None, result("--html", metavar="FILE", help="Write a page for a browser too.")]


def wanted_colour(color: str | None, *, no_color: bool) -> str:
    """Return `auto`, `always` or `never`, from `--color` and `--no-color`. Raises `BadOption`."""
    if color not in (None, *COLOURS):
        near = nearest(str(color), COLOURS)
        raise BadOption(
            f"--color takes {', '.join(COLOURS)}, not '{color}'" + (f" (did you mean '{near}'?)" * bool(near))
        )
    if no_color and color in ("auto", "always"):
        raise BadOption(f"--no-color and --color {color} say two things: leave one out")
    return "never" if no_color else color or "auto"
