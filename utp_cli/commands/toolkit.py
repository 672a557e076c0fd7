"""The command line as Typer has it: each command is loaded when it is asked for, each error becomes an exit code."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from utp_cli.app import COMMANDS, VERSION
from utp_cli.commands.ending import run_to_end
from utp_cli.commands.typer_pages import GroupPage, typer_of, write_groups
from utp_cli.protocol.errors import BadOption, UnknownName, UtpError


class Toolkit(GroupPage):
    """All commands, each loaded when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the names, in the order of the table."""
        return [*COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Load a command."""
        if cmd_name not in COMMANDS:
            return None
        command = get_command(typer_of(import_module(f"utp_cli.commands.{COMMANDS[cmd_name][1]}").app))
        command.name = cmd_name
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that was asked for, or say which one is nearest."""
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            if Path(args[0]).is_file():
                raise BadOption(f"'{args[0]}' is a file, and no command: utp parse {args[0]}")
            raise UnknownName("command", args[0], COMMANDS, "utp --help lists them")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Offer what the table lists: the shell waits, and needs no more of the commands than that."""
        listed = TyperGroup(
            params=self.params,
            commands={name: TyperCommand(name, help=summary) for name, (_, _, summary) in COMMANDS.items()},
        )
        return listed.shell_complete(typer.Context(listed, info_name=ctx.info_name), incomplete)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the commands in their groups."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, (group, _, summary) in COMMANDS.items():
            groups.setdefault(group, []).append((f"{name:<{max(map(len, COMMANDS))}}", summary))
        write_groups(formatter, groups)

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run, and exit: with what the command returned, or with what its error means."""
        run_to_end(partial(self._run, *args, **extra))

    def _run(self, *args: Any, **extra: Any) -> Any:
        try:
            return super().main(*args, **{**extra, "standalone_mode": False})
        except typer.TyperException as error:
            raise UtpError(_usage(error)) from error
        except typer.Abort:
            raise KeyboardInterrupt from None


def _usage(error: typer.TyperException) -> str:
    """Word what is wrong with the options, with the way to their help."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "utp"
    message = error.format_message().rstrip(".")
    return f"{message[:1].lower()}{message[1:]} (see {command} --help)"


app = typer.Typer(
    cls=Toolkit,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="utp parse < response.json\nutp explain trailing-comma",
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(VERSION)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def toolkit(
    context: typer.Context,
    *,
    version: Annotated[  # noqa: ARG001 - its callback has done all
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Find out why a language model's tool call was lost, bent or invented, and which setting fixes it."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
