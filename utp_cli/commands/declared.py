"""Commands as they are declared: a function, and in its annotations the options that it takes.

Typer makes the command line of it. To load Typer takes seven times as long as Python's own start, so that nothing here
needs it: a line without anything special in it is read without Typer (`plain_line.py`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from utp_cli.protocol.records import MutableRecord, Record, field

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = TypeVar("Function", bound=Callable[..., Any])


class Declared(Record):
    """An option or an argument, in the words of Typer's function of that name."""

    kind: str
    """`Option` or `Argument`."""
    names: tuple[str, ...]
    """As they are typed; none: Typer makes one of the parameter's name."""
    how: dict[str, Any]


def _declare(kind: str, *names: str, **how: Any) -> Any:
    return Declared(kind=kind, names=names, how=how)


Option = partial(_declare, "Option")
Argument = partial(_declare, "Argument")


class DeclaredCommand(Record):
    """A function that is a command."""

    function: Callable[..., Any]
    name: str | None
    settings: dict[str, Any]
    """Further arguments of Typer's `command`."""


class CommandApp(MutableRecord):
    """What a module of `commands/` declares: one command, or several with what is done where none is named."""

    settings: dict[str, Any]
    """Arguments of Typer's `Typer`."""
    commands: list[DeclaredCommand] = field(default_factory=list)
    otherwise: DeclaredCommand | None = None

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Function], Function]:
        """Declare a command."""

        def declare(function: Function) -> Function:
            self.commands.append(DeclaredCommand(function=function, name=name, settings=settings))
            return function

        return declare

    def callback(self, **settings: Any) -> Callable[[Function], Function]:
        """Declare what is done before a command, and where none is named."""

        def declare(function: Function) -> Function:
            self.otherwise = DeclaredCommand(function=function, name=None, settings=settings)
            return function

        return declare


def command_app(*examples: str, about: str | None = None) -> CommandApp:
    """Make the app of a module; `about`, and examples, are the help of one with commands of its own."""
    return CommandApp(settings={"help": about, "epilog": "\n".join(examples) or None})


def page(*examples: str) -> dict[str, Any]:
    """Return the settings of one command, for `@app.command(**page("utp …", "utp …"))`."""
    return {"epilog": "\n".join(examples), "context_settings": {"help_option_names": ["-h", "--help"]}}
