"""`utp serve`: the recorder's relay with a healer in it; clients get the calls that a server would lose."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from utp_cli.commands import options
from utp_cli.commands.declared import Option, command_app, page
from utp_cli.commands.formats import Showing
from utp_cli.commands.recorder import Recorder
from utp_cli.commands.serving import MODES, POLICIES, LiveWays, Pages, healed, one_of, server_url, tell_if_silent
from utp_cli.io import output as out
from utp_cli.io.sessions import SessionFile
from utp_cli.io.settings import load_settings
from utp_cli.io.web import shown_url
from utp_cli.recording.redaction import Redactor
from utp_cli.replaying.session import Session
from utp_cli.serving.exchange import MOST_RETRIES
from utp_cli.views.json import document

app = command_app()
_ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 - where who starts it asks for it
LOGS = ("pretty", "json")
healing = partial(Option, rich_help_panel="Healing")
reach = partial(Option, rich_help_panel="Who may ask")


@app.command(
    **page(
        "utp serve --upstream http://localhost:8000",
        "utp serve --upstream http://localhost:11434 --retry 1 -o session.jsonl",
    )
)
def serve(
    *,
    upstream: Annotated[str | None, Option(metavar="URL", help="The server to ask; else the profile's url.")] = None,
    port: Annotated[int, Option(metavar="N", min=0, max=65535, help="Where to listen; 0 takes a free one.")] = 8100,
    policy: Annotated[str, healing(metavar="WHAT", help="safe, or guess: repairs that are guesses too.")] = "safe",
    mode: Annotated[
        str, healing(metavar="MODE", help=f"{', '.join(MODES)}: emulate tools where the server takes none.")
    ] = "native",
    retry: Annotated[
        int, healing(metavar="N", min=0, max=MOST_RETRIES, help="Ask again, so often, where a call is invalid.")
    ] = 0,
    host: Annotated[
        str, reach(metavar="ADDRESS", help="Where to listen beyond this machine, as 0.0.0.0; no key guards it.")
    ] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None, reach(metavar="NAME", help="A further name that clients may call this server by.")
    ] = None,
    profile: options.Profile = None,
    config: options.Config = None,
    model: options.Model = None,
    provider: options.Provider = None,
    output: options.Recording = None,
    redact: options.Redacted = None,
    log_format: Annotated[str, options.result(metavar="NAME", help="A line per exchange: pretty, or json.")] = "pretty",
    quiet: options.Quiet = False,
    color: options.Color = None,
    no_color: options.NoColor = False,
) -> int:
    """Pass requests on to a model's server, and heal its tool calls on the way back.

    Calls left in the text become native ones, broken arguments are mended; all else passes byte for byte. Point your
    client's base URL here. Ctrl-C ends it and tells what the server lost, and which setting stops that.
    """
    from utp_cli.io.proxy import imported_server, listen, serve  # noqa: PLC0415 - help has no need of a server

    showing = Showing(quiet=quiet, color=options.wanted_colour(color, no_color=no_color))
    load = partial(load_settings, config, profile=profile, model=model, provider=provider, url=upstream)
    ways = LiveWays(
        load, {"policy": one_of("--policy", policy, POLICIES), "retry": retry, "mode": one_of("--mode", mode, MODES)}
    )
    as_json = one_of("--log-format", log_format, LOGS) == "json"
    settings, pages = load(), Pages()
    url = server_url(settings)
    imported_server()
    header = Session(model=settings.get("model"), provider=settings.get("provider"), profile=profile)
    with ExitStack() as opened:
        listening = opened.enter_context(listen(port, host))
        file = SessionFile(Path(output), header.header()) if output else None
        recorder = Recorder(file, header, Redactor(redact or ()), showing, as_json=as_json, also=pages.count)
        opened.callback(recorder.close)
        here = _address(host, listening.getsockname()[1])
        if as_json:
            out.say(document({"event": "listening", "url": here, "upstream": shown_url(url)}, one_line=True).rstrip())
        elif not quiet:
            _announce(here, host, url, output)
        named = [] if host in _ANYWHERE else [host]
        known = [*named, *(allow_host or ())]
        serve({listening: url}, healed(recorder.hear, ways, pages.of(ways.url), known, counted=recorder.counted))
    if not quiet:
        recorder.tell_sums()
        if output and recorder.count and not as_json:
            out.say(f"{output}: {recorder.count:,} exchange{'s' * (recorder.count != 1)} recorded")
    return 0


def _address(host: str, port: int) -> str:
    """Return where clients of this machine find it."""
    return f"http://{'127.0.0.1' if host in _ANYWHERE else f'[{host}]' if ':' in host else host}:{port}"


def _announce(here: str, host: str, url: str, output: str | None) -> None:
    """Say where it listens, and what to paste into each kind of client."""
    writing = f", writing to {output}" if output else ""
    out.say(f"listening on {here} for {shown_url(url)}{writing}; Ctrl-C ends it")
    tell_if_silent(url)
    if host != "127.0.0.1":
        out.say(f"utp: note: whoever reaches {host} can ask the server; nothing here asks for a key")
    version = urlsplit(url).path.rstrip("/") or "/v1"
    pastes = {
        "OpenAI": f'base_url="{here}{version}"',
        "Anthropic": f'base_url="{here}"',
        "Ollama": f'host="{here}"',
        "Gemini": f'http_options={{"base_url": "{here}"}}',
    }
    for name, paste in pastes.items():
        out.say(f"  {name:<10}{paste}")
