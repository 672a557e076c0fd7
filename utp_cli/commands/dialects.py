"""`utp dialects`: every dialect known, or one in full."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument

from utp_cli.commands import options  # noqa: TC001 - Typer reads the annotations
from utp_cli.commands.completion import parsers
from utp_cli.commands.formats import Showing, sink_for
from utp_cli.commands.pages import command_app, page
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.engine.grammars import GRAMMARS
from utp_cli.parsing.parser import parse
from utp_cli.protocol.errors import UnknownName

if TYPE_CHECKING:
    from utp_cli.dialects.spec import Dialect

_EXAMPLE = [{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}, "id": "functions.get_weather:0"}]
_TOOL = {
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
}

app = command_app()


@app.command(**page("utp dialects", "utp dialects qwen3_coder"))
def dialects(
    name: Annotated[
        str | None, Argument(metavar="NAME", help="One dialect, or an alias of it.", autocompletion=parsers)
    ] = None,
    *,
    as_json: options.Json = False,
    output: options.Output = None,
    no_color: options.NoColor = False,
) -> None:
    """List the dialects, or show one: its markers, its quirks, a call that it writes and how that is read."""
    if name is not None and name not in DIALECTS:
        raise UnknownName("dialect", name, DIALECTS.names)
    showing = Showing(file=output, no_color=no_color)
    chosen = list(DIALECTS) if name is None else [DIALECTS[name]]
    if as_json:
        from utp_cli.views.json import document  # noqa: PLC0415

        documents = [_document(dialect) for dialect in chosen]
        sink_for("json", showing).write(document(documents if name is None else documents[0]))
        return
    from utp_cli.views.dialects import one, table  # noqa: PLC0415 - JSON has no need of rich
    from utp_cli.views.lines import painted  # noqa: PLC0415

    if name is None:
        lines = table(chosen, showing.screen)
    else:
        example = GRAMMARS[chosen[0].family].write(chosen[0], _EXAMPLE)
        result = parse(example, parser=chosen[0].name, tools=[_TOOL])
        lines = one(chosen[0], example, result, showing.screen)
    sink_for("pretty", showing).write(painted(lines, colour=showing.colour))


def _document(dialect: Dialect) -> dict[str, Any]:
    """Write the fields that say something."""
    return {key: value for key, value in asdict(dialect).items() if value}
