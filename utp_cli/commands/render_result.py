"""`utp render-result`: what a tool gave back, as the message that takes it to the model."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from utp_cli.commands import options
from utp_cli.commands.declared import Argument, Option, command_app, page
from utp_cli.commands.targets import format_names, target, text_of
from utp_cli.io import output as out
from utp_cli.io.inputs import STDIN, read, shown_name
from utp_cli.io.settings import load_settings
from utp_cli.protocol.calls import ToolCall, ToolResult
from utp_cli.protocol.errors import BadFile, BadOption
from utp_cli.protocol.numbers import loads
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
        "echo 'no such city' | utp render-result -f mistral --name get_weather --id call_1 --error",
        "utp render-result -f gemini --calls answer.json results.json",
    )
)
def render_result(
    file: Annotated[str, Argument(metavar="FILE", help="What the tool gave back, JSON or text; - is stdin.")] = STDIN,
    *,
    name: Annotated[str | None, Option("--name", metavar="NAME", help="The tool that was called.")] = None,
    call_id: Annotated[str | None, Option("--id", metavar="ID", help="The id of the call.")] = None,
    calls: Annotated[
        str | None, Option(metavar="FILE", help="An answer: FILE has the results of its calls, a list where several.")
    ] = None,
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
    as_json: Annotated[bool, options.result("--json", help="JSON, as it always is.")] = False,  # noqa: ARG001 - see help
    output: options.Output = None,
) -> None:
    """Write a tool's result or error as a message to the model.

    Without --format the profile, else the model decides.
    """
    settings = load_settings(config, profile=profile, model=model, result_format=format_name)
    spec = target(settings)
    asked = _asked(name, call_id, calls)
    text = text_of(file)
    results = _results(text, len(asked), file) if calls and len(asked) > 1 else [text if error else _value(text)]
    given = [
        ToolResult(call_id=call.id, tool_name=call.name, **{"error" if error else "result": each})
        for call, each in zip(asked, results, strict=True)
    ]
    shaping = Shaping(detail="concise" if concise else "detailed", items=items, tokens=tokens)
    messages = render(tuple(asked), given, spec.name, shaping)
    written = document(messages[0] if len(messages) == 1 else messages)
    out.Output(output).write(written)
    for sent, why in sent_ids([call.id for call in asked], spec.ids):
        if why and sent != call_id and json.dumps(sent) in written:
            said = f"{spec.name} does not take the id {shown(call_id)}" if call_id else why
            out.say(f"utp: note: {said}: sent as {shown(str(sent))}; the message with the call must say the same")


def _asked(name: str | None, call_id: str | None, answer: str | None) -> list[ToolCall]:
    """Return the calls that are answered. Raises `BadOption` where it is not said, `BadFile` where there are none."""
    if (name is None) == (answer is None):
        raise BadOption("which call is answered? give --name (and --id), or --calls FILE with the answer")
    if answer is None:
        known = int(call_id) if call_id and _NUMBER.fullmatch(call_id) else call_id
        return [ToolCall(name=name or "", arguments={}, id="" if known is None else known)]
    from utp_cli.parsing.parser import parse  # noqa: PLC0415 - only an answer pays for the parsers

    found = parse(read(answer)).calls
    if not found:
        raise BadFile(shown_name(answer), "no call in it; utp parse says why")
    return found


def _results(text: str, count: int, file: str) -> list[Any]:
    """Return one result for each of several calls. Raises `BadFile`."""
    found = _value(text)
    if not isinstance(found, list) or len(found) != count:
        raise BadFile(shown_name(file), f"{count} calls are answered: a JSON list of {count} results is due")
    return found


def _value(text: str) -> Any:
    """Return the JSON value that the text is, else the text, untouched."""
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return text
