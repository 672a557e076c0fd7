"""`utp render-tools`: tool definitions as one provider, or a prompt, takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from utp_cli.commands import options
from utp_cli.commands.pages import command_app, page
from utp_cli.commands.targets import format_names, target, text_of
from utp_cli.io import output as out
from utp_cli.io.inputs import STDIN, shown_name
from utp_cli.io.settings import load_settings
from utp_cli.io.tool_files import load_tools, read_tool_file
from utp_cli.protocol.errors import BadFile, BadOption, nearest
from utp_cli.protocol.tools import Tier, Tool
from utp_cli.rendering.tools import render_tools as render
from utp_cli.views.escape import shown
from utp_cli.views.json import document

if TYPE_CHECKING:
    from utp_cli.rendering.losses import Loss

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
        str | None,
        options.result("--format", "-f", metavar="NAME", help="Provider or prompt.", autocompletion=format_names),
    ] = None,
    as_json: Annotated[bool, options.result("--json", help="A document with what was lost.")] = False,
    output: options.Output = None,
    quiet: Annotated[bool, options.result("--quiet", "-q", help="Do not say what was lost.")] = False,
) -> None:
    """Write tool definitions in a provider's format, or as a prompt.

    Without --format the profile, else the model decides. What the translation loses is said on stderr.
    """
    settings = load_settings(config, profile=profile, model=model, definition_format=format_name)
    tools = _each_once([tool for file in files for tool in _load(file)])
    spec = target(settings, "definition_format")
    rendered = render(
        tools, spec.name, tool_choice=tool_choice, strict=strict, parallel=parallel, model=settings.get("model"),
        tier=_tier(tier),
    )  # fmt: skip
    if as_json:
        told = {
            "schema": "utp.render-tools/1",
            "format": rendered.format,
            "fragment": rendered.fragment,
            "text": rendered.text,
            "names": rendered.names,
            "losses": [loss.to_dict() for loss in rendered.losses],
        }
        out.Output(output).write(document(told))
        return
    in_prompt = spec.wrap is None
    out.Output(output).write(rendered.text + "\n" if in_prompt else document(rendered.fragment))
    notes = [] if in_prompt or not rendered.text else [f"say in the prompt: {rendered.text}"]
    for note in () if quiet else [*notes, *map(_worded, rendered.losses)]:
        out.say(f"utp: note: {shown(note)}")


def _load(file: str) -> list[Tool]:
    if file != STDIN:
        return load_tools(file)
    place = shown_name(file)
    tools = [loaded.tool for loaded in read_tool_file(place, text_of(file)).tools]
    for tool in tools:
        if not tool.name:
            raise BadFile(tool.place, "a tool without a name")
    return tools


def _each_once(tools: list[Tool]) -> list[Tool]:
    """Return the tools. Raises `BadFile` where two share a name: providers refuse the request."""
    places: dict[str, str] = {}
    for tool in tools:
        if tool.name in places:
            raise BadFile(tool.place, f"a second tool called '{tool.name}'; the first is at {places[tool.name]}")
        places[tool.name] = tool.place
    return tools


def _worded(loss: Loss) -> str:
    where = f"{loss.tool}{loss.pointer}: " if loss.tool else ""
    return f"{where}{loss.keyword} {loss.what}: {loss.message}"


def _tier(name: str | None) -> Tier | None:
    if name is None:
        return None
    try:
        return Tier[name.upper()]
    except KeyError:
        near = nearest(name, [tier.name.lower() for tier in Tier])
        offer = f" (did you mean '{near}'?)" if near else ""
        raise BadOption(f"--tier takes crawl, walk or run, not '{name}'{offer}") from None
