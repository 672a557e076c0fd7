"""`utp record`: a reverse proxy on loopback that captures sessions for `utp replay`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from utp_cli.commands import options
from utp_cli.commands.declared import Option, command_app, page
from utp_cli.commands.formats import Showing
from utp_cli.commands.recorder import Recorder
from utp_cli.io import output as out
from utp_cli.io.sessions import SessionFile
from utp_cli.io.settings import load_settings
from utp_cli.io.web import root_of, shown_url
from utp_cli.protocol.errors import BadOption, UtpError
from utp_cli.recording.redaction import Redactor
from utp_cli.replaying.session import Session

app = command_app()


@app.command(
    **page(
        "utp record --upstream http://localhost:11434 -o session.jsonl",
        "utp record --upstream https://api.openai.com --port 8100 --redact email",
    )
)
def record(
    *,
    upstream: Annotated[str | None, Option(metavar="URL", help="The server to ask; else the profile's url.")] = None,
    port: Annotated[int, Option(metavar="N", min=0, max=65535, help="Where to listen; 0 takes a free one.")] = 8100,
    allow_host: Annotated[
        list[str] | None, Option(metavar="NAME", help="A further name that clients may call this server by.")
    ] = None,
    redact: Annotated[list[str] | None, Option(metavar="FIELD", help="A further field to take out.")] = None,
    profile: options.Profile = None,
    config: options.Config = None,
    model: options.Model = None,
    provider: options.Provider = None,
    output: Annotated[
        str, options.result("--output", "-o", metavar="FILE", help="The session file; gone on with if it exists.")
    ] = options.SESSION,
    quiet: options.Quiet = False,
    color: options.Color = None,
    no_color: options.NoColor = False,
) -> int:
    """Pass requests on to a model's server, and write every exchange to a session file.

    Point your client's base URL here. Keys, cookies and tokens never reach the file. Ctrl-C ends it.
    """
    from utp_cli.io.proxy import Relaying, imported_server, listen, serve  # noqa: PLC0415 - help has no need of a server

    showing = Showing(quiet=quiet, color=options.wanted_colour(color, no_color=no_color))
    settings = load_settings(config, profile=profile, model=model, provider=provider, url=upstream)
    url = settings.get("url")
    if not url:
        raise BadOption("no server to ask: name one with --upstream URL")
    url = url if "://" in url else f"http://{url}"
    root_of(url)  # says what is no URL of a server
    imported_server()
    header = Session(model=settings.get("model"), provider=settings.get("provider"), profile=profile)
    listening = listen(port)
    try:
        file = SessionFile(Path(output), header.header())
    except UtpError:
        listening.close()
        raise
    if file.dropped:
        out.say(f"{output}: its last line was half written, and was dropped")
    if not quiet:
        here = f"http://127.0.0.1:{listening.getsockname()[1]}"
        out.say(f"listening on {here} for {shown_url(url)}, writing to {output}; Ctrl-C ends it")
        out.say(f"base_url: {here}{urlsplit(url).path.rstrip('/') or '/v1'} (OpenAI's clients), {here} (all others)")
    recorder = Recorder(file, header, Redactor(redact or ()), showing)
    try:
        serve({listening: url}, Relaying(hear=recorder.hear, hosts=allow_host or ()))
    finally:
        recorder.close()
    if not quiet:
        out.say(f"{output}: {recorder.count:,} exchange{'s' * (recorder.count != 1)} recorded")
        if recorder.count:
            out.say(f"next: utp replay {shlex.quote(output)}")
    return 0
