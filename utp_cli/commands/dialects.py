"""`utp dialects`: every dialect known, or one in full."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from utp_cli.commands import options
from utp_cli.commands.completion import parsers
from utp_cli.commands.declared import Argument, Option, command_app, page
from utp_cli.commands.formats import Showing, sink_for
from utp_cli.commands.reading import own_dialects
from utp_cli.dialects.bodies import CodeBody, Tag
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.dialects.custom_dialects import installed, table_of
from utp_cli.engine.grammars import GRAMMARS, write_calls
from utp_cli.facts.parser_names import dialect_called
from utp_cli.io.output import page as show_page
from utp_cli.io.settings import load_settings
from utp_cli.parsing.parser import parse
from utp_cli.protocol.errors import BadOption, UnknownName
from utp_cli.protocol.tools import Tool
from utp_cli.views.escape import shown

if TYPE_CHECKING:
    from utp_cli.dialects.spec import Dialect

_TOOL = Tool(
    name="get_weather",
    parameters={"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
)
_ARGUMENTS = {"city": "Oslo", "days": 3}

app = command_app()


@app.command(**page("utp dialects", "utp dialects qwen3_coder --tools tools.yaml"))
def dialects(
    name: Annotated[
        str | None, Argument(metavar="NAME", help="One dialect, or an alias of it.", autocompletion=parsers)
    ] = None,
    *,
    check: Annotated[
        bool, Option("--check", help="Search for the input that costs NAME the most; exit 1 where it is too much.")
    ] = False,
    tools: options.Tools = None,
    config: options.Config = None,
    as_json: options.Json = False,
    output: options.Output = None,
    quiet: Annotated[bool, options.result("--quiet", "-q", help="Names only.")] = False,
    color: options.Color = None,
    no_color: options.NoColor = False,
) -> int:
    """List the dialects, or show one: its markers, its quirks, a call that it writes and how that is read.

    Your own are among them: the [dialects.NAME] tables of the configuration, and those of installed packages.
    """
    mine = [*own_dialects(load_settings(config)), *installed()]
    showing = Showing(file=output, color=options.wanted_colour(color, no_color=no_color))
    chosen = [*mine, *DIALECTS] if name is None else [_named(name, mine)]
    if check:
        if name is None:
            raise BadOption("--check needs the name of a dialect")
        return int(_check(chosen[0], showing, as_json=as_json))
    if quiet and not as_json:
        sink_for("pretty", showing).write("".join(f"{shown(dialect.name)}\n" for dialect in chosen))
        return 0
    if as_json:
        from utp_cli.views.json import document  # noqa: PLC0415

        documents = [_document(dialect) for dialect in chosen]
        sink_for("json", showing).write(document(documents if name is None else documents[0]))
        return 0
    from utp_cli.views.dialects import one, table  # noqa: PLC0415 - JSON has no need of rich
    from utp_cli.views.lines import painted  # noqa: PLC0415

    if name is None:
        lines = table(chosen, showing.screen)
    else:
        known, calls = _example(chosen[0], tools)
        written = write_calls(chosen[0], calls)
        result = parse(written, parser=chosen[0].name, tools=known, dialects=mine)
        lines = one(chosen[0], GRAMMARS[chosen[0].family].cannot, written, result, showing.screen)
    if output or not show_page(painted(lines, colour=False)):
        sink_for("pretty", showing).write(painted(lines, colour=showing.colour))
    return 0


def _check(dialect: Dialect, showing: Showing, *, as_json: bool) -> bool:
    """Say how many looks a character the worst input that is found costs. Return whether that is over the bound."""
    from utp_cli.engine.worst import BOUNDS, worst_input  # noqa: PLC0415 - only who checks pays

    worst, bound = worst_input(dialect), BOUNDS[dialect.family]
    over = worst.looks > bound
    if as_json:
        from utp_cli.views.json import document  # noqa: PLC0415

        told = {"dialect": dialect.name, "looks": round(worst.looks, 1), "bound": bound, "ok": not over}
        sink_for("json", showing).write(document({**told, "input": {"head": worst.head, "unit": worst.unit}}))
    else:
        lines = [
            f"{dialect.name}: {worst.looks:.1f} looks a character at worst ({dialect.family} may cost {bound})",
            f"  the input: {worst.head!r}, then {worst.unit!r} again and again",
            "  too much: reading it may take time that grows faster than the input" if over else "  fine",
        ]
        sink_for("pretty", showing).write("\n".join(lines) + "\n")
    return over


def _named(name: str, mine: list[Dialect]) -> Dialect:
    found = next((dialect for dialect in mine if name in (dialect.name, *dialect.aliases)), None)
    found = found or DIALECTS.get(name) or DIALECTS.get(dialect_called(name) or "")
    if found is None:
        raise UnknownName(
            "dialect", name, [*(dialect.name for dialect in mine), *DIALECTS.names], "utp dialects lists all"
        )
    return found


def _example(dialect: Dialect, file: str | None) -> tuple[list[Tool], list[dict[str, Any]]]:
    """Make a call of each tool of the file, else of one that everybody understands."""
    tools, calls = [_TOOL], [{"name": _TOOL.name, "arguments": _ARGUMENTS}]
    if file:
        from utp_cli.io.tool_files import load_tools  # noqa: PLC0415 - reads YAML: only where there is a file
        from utp_cli.rendering.samples import sample_arguments  # noqa: PLC0415

        tools = load_tools(file)
        calls = [{"name": tool.name, "arguments": sample_arguments(tool.parameters)} for tool in tools]
    body = dialect.body
    if isinstance(body, CodeBody):
        tools = [*tools, Tool(name=body.fixed_name)]
        calls = [{"name": body.fixed_name, "arguments": {body.argument_keys[0]: "print(1 + 1)"}}]
    return tools, [{**call, "id": f"functions.{call['name']}:{index}"} for index, call in enumerate(calls)]


def _document(dialect: Dialect) -> dict[str, Any]:
    """Write the fields that say something, with what its family cannot carry."""
    limits = (*dialect.cannot, *GRAMMARS[dialect.family].cannot)
    table = {**table_of(dialect), "cannot": limits}
    return {key: asdict(value) if isinstance(value, Tag) else value for key, value in table.items() if value}
