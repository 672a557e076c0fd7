"""How help looks: options in groups by what they are for, two examples at the end, one screen."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from typer import Typer
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


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


class CommandPage(TyperCommand):
    """A command whose help groups options by their `rich_help_panel`, in order of declaration."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options, text without pydantic."""
        _take_as_given(self.get_params(ctx))
        return super().parse_args(ctx, args)

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
        return super().parse_args(ctx, args)

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


def command_app(*examples: str, about: str | None = None) -> Typer:
    """Make the Typer app of a command that has commands of its own; `about` is its help."""
    return Typer(
        cls=GroupPage,
        help=about,
        epilog="\n".join(examples) or None,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def page(*examples: str) -> dict[str, Any]:
    """Return the settings of one command, for `@app.command(**page("utp …", "utp …"))`."""
    return {
        "cls": CommandPage,
        "epilog": "\n".join(examples),
        "context_settings": {"help_option_names": ["-h", "--help"]},
    }
