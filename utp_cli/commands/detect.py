"""`utp detect`: what a model id means and how to serve it; what a live server or a chat template says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from utp_cli.commands import options
from utp_cli.commands.declared import Argument, Option, command_app, page
from utp_cli.commands.formats import Showing, checked, sink_for
from utp_cli.io.output import say
from utp_cli.io.settings import load_settings
from utp_cli.protocol.errors import BadOption

if TYPE_CHECKING:
    from utp_cli.commands.detecting import ModelFacts

FORMATS = ("pretty", "json")
_PROBLEMS = 1

app = command_app()


@app.command(**page("utp detect qwen3:32b", "utp detect qwen3:32b --url http://localhost:11434 --probe"))
def detect(
    models: Annotated[
        list[str] | None, Argument(metavar="MODEL", help="Model ids, as any server or hub writes them.")
    ] = None,
    *,
    url: Annotated[str | None, options.known("--url", metavar="URL", help="Ask the server there too.")] = None,
    api_key_env: Annotated[
        str | None, options.known("--api-key-env", metavar="VARIABLE", help="The variable that holds its key.")
    ] = None,
    timeout: Annotated[float, options.known("--timeout", metavar="SECONDS", min=0.1, help="For one answer.")] = 60.0,
    template: Annotated[
        str | None, options.known("--template", metavar="FILE", help="Read a chat template: Jinja, Go, or in a GGUF.")
    ] = None,
    command: Annotated[
        str | None,
        options.known("--command", metavar="COMMAND", help="Check how a server is started: a command line, or a FILE."),
    ] = None,
    profile: options.Profile = None,
    config: options.Config = None,
    probe: Annotated[bool, Option("--probe", help="Send tool-use requests, see what really works.")] = False,
    refresh: Annotated[
        bool,
        Option(
            "--refresh",
            help="Take in a list of models: FILE, URL, package:NAME or a name in place of MODEL, else LiteLLM's.",
        ),
    ] = False,
    save: Annotated[str | None, Option("--save", metavar="NAME", help="Write a profile.")] = None,
    format_name: Annotated[str | None, options.result("--format", "-f", metavar="NAME", help="pretty, json.")] = None,
    as_json: options.Json = False,
    output: options.Output = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = None,
    no_color: options.NoColor = False,
) -> int:
    """Show what a model id means, what the model can do, and how to serve it.

    Several models are compared. [capability] of a profile and [models."PATTERN"] override what the id tells.
    """
    if refresh:
        return _refresh(models or ["litellm"])
    given = {"url": url, "api_key_env": api_key_env, "format": "json" if as_json else format_name}
    settings = load_settings(config, profile=profile, **given)
    name = checked(settings.get("format") or "pretty", dict.fromkeys(FORMATS))
    showing = Showing(file=output, verbose=verbose, quiet=quiet, color=options.wanted_colour(color, no_color=no_color))
    from utp_cli.commands.detecting import Detecting, saved  # noqa: PLC0415 - `--help` has no need of it

    detecting = Detecting(settings, seconds=timeout, probe=probe, template=template)
    if command is not None and not command.strip():
        raise BadOption("--command is empty: write how the server is started, or a file that says so")
    if command and len(models or []) > 1:
        raise BadOption("--command takes one model")
    from utp_cli.detection.command_line import read_command  # noqa: PLC0415 - as above

    if models and len(models) > 1 and read_command(" ".join(models)):
        raise BadOption(f"that is a command line: utp detect --command '{' '.join(models)}'")
    found = detecting.checked(command, models[0] if models else None) if command else detecting.found(models or [])
    if save and len(found) != 1:
        raise BadOption("--save takes one model")
    sink_for(name, showing).write(_json(found) if name == "json" else _pretty(found, showing))
    if save:
        say(saved(found[0], save, settings, config))
    return _PROBLEMS if any(each.bad for each in found) else 0


def _json(found: list[ModelFacts]) -> str:
    from utp_cli.views.json import document  # noqa: PLC0415

    documents = [each.to_dict() for each in found]
    return document(documents if len(documents) > 1 else documents[0])


def _pretty(found: list[ModelFacts], showing: Showing) -> str:
    from utp_cli.views.detection import checked, comparison, detection  # noqa: PLC0415 - JSON needs no rich
    from utp_cli.views.lines import blocks, painted  # noqa: PLC0415
    from utp_cli.views.probing import probing  # noqa: PLC0415
    from utp_cli.views.teaching import teaching  # noqa: PLC0415

    screen = showing.screen
    parts = []
    known = [each.detection for each in found if each.detection and not each.checked]
    if len(known) > 1 and not showing.quiet:
        parts.append(comparison(known, screen))
    for each in found:
        if each.detection in known and (len(known) == 1 or showing.quiet):
            parts.append(detection(each.detection, screen))
        if each.checked:
            parts.append(checked(each.checked, each.name, screen))
        if each.template:
            parts.append(teaching(each.template, each.name, screen, each.diagnoses))
        if each.outcomes:
            parts.append(probing(each.outcomes, each.name, screen))
    lines = [part[0] for part in parts if part] if showing.quiet else blocks(parts)
    return painted(lines, colour=showing.colour)


def _refresh(sources: list[str]) -> int:
    from utp_cli.io.listings import refresh  # noqa: PLC0415 - fetching has its own imports

    for source in sources:
        done = refresh(source)
        if done.instead:
            say(done.instead)
        known = f"{done.known:,} of {done.listing.table.models:,} known before, {done.changed:,} with other figures"
        say(f"{done.listing.name}: {len(done.listing.facts):,} models kept in {done.path}; by identity {known}")
    return 0
