"""`utp run`: a program behind the relay, told at the end which of its tool calls the server lost, and why."""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated

from utp_cli.commands import options
from utp_cli.commands.declared import Argument, Option, command_app, page
from utp_cli.commands.formats import Showing
from utp_cli.commands.recorder import Recorder
from utp_cli.commands.serving import LiveWays, healed, one_of, server_url
from utp_cli.io import output as out
from utp_cli.io.programs import NOT_ALLOWED, NOT_FOUND, environment_for, relayed, routes, run_program
from utp_cli.io.sessions import SessionFile
from utp_cli.io.settings import load_settings
from utp_cli.protocol.errors import BadOption
from utp_cli.recording.redaction import Redactor
from utp_cli.replaying.session import Session
from utp_cli.serving.exchange import MOST_RETRIES

app = command_app()
BARS = ("never", "delivered")
_SETTINGS = page(
    "utp run -- python agent.py", "utp run --heal --upstream http://localhost:8000 -- claude -p 'Where is it?'"
)
_SETTINGS["context_settings"]["allow_interspersed_args"] = False  # what follows the program's name is its own


@app.command(**_SETTINGS)
def run(
    command: Annotated[list[str] | None, Argument(metavar="CMD…", help="The program and its arguments.")] = None,
    *,
    upstream: Annotated[
        str | None, Option(metavar="URL", help="The server to ask; else what the program's variables name.")
    ] = None,
    heal: Annotated[bool, Option("--heal", help="Heal what the server breaks, as utp serve does.")] = False,
    retry: Annotated[
        int, Option(metavar="N", min=0, max=MOST_RETRIES, help="With --heal: ask again where a call is invalid.")
    ] = 0,
    fail_on: Annotated[
        str, Option(metavar="WHAT", help="delivered: exit 1 where a call was lost, if the program exits 0.")
    ] = "never",
    profile: options.Profile = None,
    config: options.Config = None,
    model: options.Model = None,
    provider: options.Provider = None,
    output: options.Recording = None,
    redact: options.Redacted = None,
    quiet: Annotated[bool, options.result("--quiet", "-q", help="No line per answer, only the sums.")] = False,
    color: options.Color = None,
    no_color: options.NoColor = False,
) -> int:
    """Run a program, and tell which tool calls its model's server lost, why, and what to set.

    Its clients are pointed here by the variables that they read (OPENAI_BASE_URL, ANTHROPIC_BASE_URL, OLLAMA_HOST, …).
    Its input, output and exit status stay its own: 127 where it is not found, 128 and the signal's number where one
    ends it.
    """
    from utp_cli.io.proxy import Relaying  # noqa: PLC0415 - help has no need of a server

    if not command:
        raise BadOption("no program to run: utp run -- python agent.py")
    if retry and not heal:
        raise BadOption("--retry goes with --heal")
    one_of("--fail-on", fail_on, BARS)
    showing = Showing(quiet=quiet, color=options.wanted_colour(color, no_color=no_color))
    load = partial(load_settings, config, profile=profile, model=model, provider=provider, url=upstream)
    settings = load()
    url = server_url(settings) if settings.get("url") else None
    ways = LiveWays(load, {"retry": retry}) if heal else None
    header = Session(model=settings.get("model"), provider=settings.get("provider"), profile=profile)
    with ExitStack() as opened:
        file = SessionFile(Path(output), header.header()) if output else None
        recorder = Recorder(file, header, Redactor(redact or ()), showing, unasked=False)
        opened.callback(recorder.close)
        relaying = healed(recorder.hear, ways, {}) if ways else Relaying(hear=recorder.hear)
        with relayed(routes(url, os.environ), relaying) as variables:
            status = run_program(command, environment_for(variables, os.environ))
    if recorder.count:
        recorder.tell_sums()
    elif status not in (NOT_FOUND, NOT_ALLOWED):
        out.say("utp: no model was asked through utp: is its address written in the program itself?")
    return 1 if status == 0 and fail_on == "delivered" and recorder.tally.missing else status
