"""`utp render-tools`: tool definitions as one provider, or a prompt, takes them."""

from __future__ import annotations

import sys
from typing import Annotated

from typer import Argument, Option

from utp_cli.commands import options
from utp_cli.commands.pages import command_app, page
from utp_cli.io import output as out
from utp_cli.io.inputs import STDIN
from utp_cli.io.settings import load_settings
from utp_cli.io.tool_files import load_tools, read_tool_file
from utp_cli.protocol.errors import BadFile, BadOption, UnknownName
from utp_cli.protocol.tools import Tier, Tool
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.tools import render_tools as render
from utp_cli.views.json import document

app = command_app()


@app.command(
    **page(
        "utp render-tools tools.yaml -f anthropic", "utp render-tools tools.yaml -m qwen3:32b --tool-choice required"
    )
)
def render_tools(
    files: Annotated[list[str], Argument(metavar="TOOLS", help="Tool files, YAML or JSON; - is stdin.")],
    *,
    profile: options.Profile = None,
    config: options.Config = None,
    model: options.Model = None,
    tool_choice: Annotated[str, Option(metavar="CHOICE", help="auto, none, required, or a tool's name.")] = "auto",
    strict: Annotated[bool | None, Option("--strict/--no-strict", help="Strict schemas for all tools.")] = None,
    parallel: Annotated[bool | None, Option("--parallel/--no-parallel", help="Several calls at once.")] = None,
    tier: Annotated[str | None, Option(metavar="TIER", help="Only tools up to: crawl, walk, run.")] = None,
    format_name: Annotated[
        str | None, options.result("--format", "-f", metavar="NAME", help="Provider or prompt, e.g. anthropic.")
    ] = None,
    as_json: Annotated[bool, options.result("--json", help="A document with what was lost.")] = False,
    output: options.Output = None,
    quiet: Annotated[bool, options.result("--quiet", "-q", help="Do not say what was lost.")] = False,
) -> int:
    """Write tool definitions in a provider's format, or as a prompt.

    Without --format the profile, else the model decides. What the translation loses is said on stderr.
    """
    settings = load_settings(config, profile=profile, model=model, definition_format=format_name)
    tools = [tool for file in files for tool in _load(file)]
    name = _format(settings.get("definition_format"), settings.get("model"))
    rendered = render(
        tools, name, tool_choice=tool_choice, strict=strict, parallel=parallel, model=settings.get("model"),
        tier=_tier(tier),
    )  # fmt: skip
    losses = [loss.to_dict() for loss in rendered.losses]
    if as_json:
        told = {
            "schema": "utp.render-tools/1",
            "format": rendered.format,
            "fragment": rendered.fragment,
            "text": rendered.text,
            "names": rendered.names,
            "losses": losses,
        }
        out.Output(output).write(document(told))
        return 0
    out.Output(output).write(document(rendered.fragment) if rendered.fragment else rendered.text + "\n")
    if rendered.fragment and rendered.text:
        out.say(f"utp: say in the prompt: {rendered.text}")
    for loss in () if quiet else rendered.losses:
        where = f"{loss.tool}{loss.pointer}: " if loss.tool else ""
        out.say(f"utp: {where}{loss.keyword} {loss.what}: {loss.message}")
    return 0


def _load(file: str) -> list[Tool]:
    if file == STDIN:
        return [loaded.tool for loaded in read_tool_file("standard input", sys.stdin.read()).tools]
    tools = load_tools(file)
    if not tools:
        raise BadFile(file, "no tools in it")
    return tools


def _format(wanted: str | None, model: str | None) -> str:
    """Return the format: the one asked for, else the model's, else OpenAI's."""
    if wanted is None and model:
        from utp_cli.detection.detect import detect  # noqa: PLC0415 - only where a model decides

        wanted = detect(model).definition_format
    wanted = {None: "openai-chat", "prompt": "prompt-json"}.get(wanted, wanted)
    if wanted not in FORMATS:
        raise UnknownName("format", str(wanted), FORMATS.names)
    return str(wanted)


def _tier(name: str | None) -> Tier | None:
    if name is None:
        return None
    try:
        return Tier[name.upper()]
    except KeyError:
        raise BadOption(f"--tier takes crawl, walk or run, not '{name}'") from None
