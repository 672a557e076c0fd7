"""What is declared, as a Typer app; how help looks: options in groups, two examples at the end, one screen."""

from __future__ import annotations

from functools import partial, wraps
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer import Typer
from typer.core import TyperCommand, TyperGroup

from utp_cli.commands.declared import Declared

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from utp_cli.commands.declared import CommandApp


_TEXTS = (str, list[str])


class _AsGiven:
    """Takes text as it is and leaves other types to Typer.

    From 0.29 on Typer has pydantic look at every value, at text and at options that nobody gave too; to load it takes
    100 ms, twice as long as the rest of Typer. Where Typer does without, nobody asks this class.
    """

    def __init__(self, by_typer: Callable[[], Any]) -> None:
        self._by_typer = by_typer

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value of a parameter; what Typer does with it may raise `BadParameter`."""
        if value is None or param.type_descriptor.annotation in _TEXTS:
            return value
        return self._by_typer().coerce(value, param=param, ctx=ctx)


def _take_as_given(parameters: Sequence[Any]) -> None:
    for parameter in parameters:
        if hasattr(parameter, "get_runtime_param"):
            parameter.get_runtime_param = partial(_AsGiven, parameter.get_runtime_param)


_NO_COLOR = "--no-color"


def _without_colour(args: list[str], parameters: Sequence[Any]) -> list[str]:
    """Drop `--no-color` where a command colours nothing: scripts give it to all commands alike."""
    if any(parameter.name == "no_color" for parameter in parameters):
        return args
    end = args.index("--") if "--" in args else len(args)
    return [word for word in args[:end] if word != _NO_COLOR] + args[end:]


def _colour_behind(args: list[str]) -> list[str]:
    """Give `--no-color` that stands before the name of a command to that command: it may colour something."""
    begin = next((place for place, word in enumerate(args) if not word.startswith("-")), len(args))
    left = [word for word in args[:begin] if word != _NO_COLOR]
    return (
        args
        if len(left) == begin
        else left + args[begin : begin + 1] + [_NO_COLOR] * (begin < len(args)) + args[begin + 1 :]
    )


class CommandPage(TyperCommand):
    """A command whose help groups options by their `rich_help_panel`, in order of declaration."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options, text without pydantic."""
        parameters = self.get_params(ctx)
        _take_as_given(parameters)
        return super().parse_args(ctx, _without_colour(args, parameters))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the groups."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            group = getattr(parameter, "rich_help_panel", None) or "Options"
            if record and parameter.param_type_name == "argument":
                record, group = (parameter.metavar or "", getattr(parameter, "help", None) or ""), "Arguments"
            if record:
                groups.setdefault(group, []).append(record)
        write_groups(formatter, groups)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the examples as they are."""
        write_examples(formatter, self.epilog)


class GroupPage(TyperGroup):
    """A command that has commands of its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options, text without pydantic."""
        _take_as_given(self.get_params(ctx))
        return super().parse_args(ctx, _colour_behind(args))

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the examples as they are."""
        write_examples(formatter, self.epilog)


def write_groups(formatter: Any, groups: Mapping[str, Sequence[tuple[str, str]]]) -> None:
    """Write lists of names and descriptions, each under its title."""
    for title, records in groups.items():
        with formatter.section(title):
            formatter.write_dl(records)


def write_examples(formatter: Any, examples: str | None) -> None:
    """Write command lines that can be copied."""
    if examples:
        with formatter.section("Examples"):
            formatter.write("".join(f"  {line}\n" for line in examples.splitlines()))


def typer_of(app: CommandApp) -> Typer:
    """Make the Typer app of what a module declares."""
    made = Typer(
        cls=GroupPage,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **app.settings,
    )
    if app.otherwise:
        made.callback(**app.otherwise.settings)(_for_typer(app.otherwise.function))
    for command in app.commands:
        made.command(command.name, cls=CommandPage, **command.settings)(_for_typer(command.function))
    return made


def _for_typer(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function of a command with annotations as Typer reads them."""

    @wraps(function)
    def run(*args: Any, **given: Any) -> Any:
        return function(*args, **given)

    hints = get_type_hints(function, include_extras=True)
    for name, hint in hints.items():
        declared = getattr(hint, "__metadata__", (None,))[0]
        if isinstance(declared, Declared):
            made = getattr(typer, declared.kind)(*declared.names, **declared.how)
            hints[name] = Annotated[hint.__origin__, made]
    written = signature(function)
    parameters = [each.replace(annotation=hints[name]) for name, each in written.parameters.items()]
    run.__signature__ = written.replace(parameters=parameters)  # type: ignore[attr-defined]  # what `inspect` reads
    run.__annotations__ = hints
    return run
