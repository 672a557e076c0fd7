"""`utp detect`: what a model id means, what the model can do, how to serve it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from utp_cli.commands import options
from utp_cli.commands.formats import Showing, checked, sink_for
from utp_cli.commands.pages import command_app, page
from utp_cli.detection.detect import detect as detect_model
from utp_cli.io.output import say
from utp_cli.io.settings import load_settings
from utp_cli.protocol.errors import BadOption

if TYPE_CHECKING:
    from utp_cli.detection.listing import Listing

FORMATS = ("pretty", "json")

app = command_app()


@app.command(**page("utp detect qwen3:32b", "utp detect gpt-4o claude-sonnet-4-5 llama3.3:70b"))
def detect(
    models: Annotated[
        list[str] | None, Argument(metavar="MODEL", help="Model ids, as any server or hub writes them.")
    ] = None,
    *,
    refresh: Annotated[
        bool,
        Option("--refresh", help="Fetch a public list of models: a FILE or URL in place of MODEL, else LiteLLM's."),
    ] = False,
    profile: options.Profile = None,
    config: options.Config = None,
    format_name: Annotated[str | None, options.result("--format", "-f", metavar="NAME", help="pretty, json.")] = None,
    as_json: options.Json = False,
    output: options.Output = None,
    verbose: options.Verbose = False,
    no_color: options.NoColor = False,
) -> None:
    """Show what a model id means, what the model can do, and how to serve it.

    Several models are compared. A profile's [capability] table overrides what the id tells, and so do
    [models."PATTERN"] tables.
    """
    if refresh:
        return _refresh(models or ["litellm"])
    settings = load_settings(config, profile=profile, format="json" if as_json else format_name)
    own = settings.get("model")
    names = models or ([own] if own else [])
    if not names or not all(name.strip() for name in names):
        raise BadOption("name a model: utp detect qwen3:32b (or a profile that has one)")
    override, listings = settings.table("capability"), _listings()
    found = [
        detect_model(
            name,
            override=override if not models or name == own else None,
            stated={**{f"listing: {each.name}": each.facts_for(name) for each in listings}, **settings.overrides(name)},
        )
        for name in names
    ]
    name = checked(settings.get("format") or "pretty", dict.fromkeys(FORMATS))
    showing = Showing(file=output, verbose=verbose, no_color=no_color)
    if name == "json":
        from utp_cli.views.json import document  # noqa: PLC0415

        documents = [each.to_dict() for each in found]
        sink_for(name, showing).write(document(documents if len(documents) > 1 else documents[0]))
        return None
    from utp_cli.views.detection import comparison, detection  # noqa: PLC0415 - JSON has no need of rich
    from utp_cli.views.lines import painted  # noqa: PLC0415

    screen = showing.screen
    lines = comparison(found, screen) if len(found) > 1 else detection(found[0], screen)
    sink_for(name, showing).write(painted(lines, colour=showing.colour))
    return None


def _listings() -> list[Listing]:
    """Return the lists that were fetched before; what is damaged is said."""
    from utp_cli.io.listings import kept  # noqa: PLC0415 - `--help` has no need of it

    listings, complaints = kept()
    for complaint in complaints:
        say(f"utp: {complaint}")
    return listings


def _refresh(sources: list[str]) -> None:
    from utp_cli.io.listings import refresh  # noqa: PLC0415 - fetching has its own imports

    for source in sources:
        listing, path = refresh(source)
        say(f"{listing.name}: {len(listing.facts):,} models kept in {path}")
