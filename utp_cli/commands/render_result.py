"""`utp render-result`: what a tool gave back, as the message that takes it to the model."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from typer import Argument, Option

from utp_cli.commands import options
from utp_cli.commands.pages import command_app, page
from utp_cli.commands.targets import format_names, target, text_of
from utp_cli.io import output as out
from utp_cli.io.inputs import STDIN
from utp_cli.io.settings import load_settings
from utp_cli.protocol.calls import ToolCall, ToolResult
from utp_cli.rendering.ids import sent_ids
from utp_cli.rendering.results import render_result as render
from utp_cli.rendering.shaping import Shaping
from utp_cli.views.escape import shown
from utp_cli.views.json import document

_NUMBER = re.compile(r"0|[1-9][0-9]{0,14}")
"""An id that is a number, as JSON-RPC has them."""

app = command_app()


@app.command(
    **page(
        "utp render-result -f anthropic --name get_weather --id toolu_01A result.json",
        "echo 'no such city' | utp render-result -f mistral --name get_weather --id call_1 --error",
    )
)
def render_result(
    file: Annotated[str, Argument(metavar="FILE", help="What the tool gave back, JSON or text; - is stdin.")] = STDIN,
    *,
    name: Annotated[str, Option("--name", metavar="NAME", help="The tool that was called.")],
    call_id: Annotated[str | None, Option("--id", metavar="ID", help="The id of the call.")] = None,
    error: Annotated[bool, Option("--error", help="The tool failed; the input says why.")] = False,
    concise: Annotated[bool, Option("--concise", help="Leave out ids, metadata and what is empty.")] = False,
    items: Annotated[int | None, Option(metavar="N", min=0, help="Show at most so many members of a list.")] = None,
    tokens: Annotated[int | None, Option(metavar="N", min=1, help="Cut at about so many tokens.")] = None,
    profile: options.Profile = None,
    config: options.Config = None,
    model: options.Model = None,
    format_name: Annotated[
        str | None,
        options.result("--format", "-f", metavar="NAME", help="Provider or prompt.", autocompletion=format_names),
    ] = None,
    output: options.Output = None,
) -> None:
    """Write a tool's result or error as a message to the model.

    Without --format the profile, else the model decides.
    """
    settings = load_settings(config, profile=profile, model=model, result_format=format_name)
    spec = target(settings)
    text = text_of(file)
    known = int(call_id) if call_id and _NUMBER.fullmatch(call_id) else call_id
    result = ToolResult(
        call_id=known, tool_name=name, result=None if error else _value(text), error=text if error else None
    )
    shaping = Shaping(detail="concise" if concise else "detailed", items=items, tokens=tokens)
    (message,) = render(
        ToolCall(name=name, arguments={}, id="" if known is None else known), result, spec.name, shaping
    )
    written = document(message)
    out.Output(output).write(written)
    ((sent, why),) = sent_ids([known], spec.ids)
    if why and json.dumps(sent) in written:
        out.say(f"utp: note: {why}: sent as {shown(str(sent))}; the message with the call must say the same")


def _value(text: str) -> Any:
    """Return the JSON value that the text is, else the text, untouched."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
