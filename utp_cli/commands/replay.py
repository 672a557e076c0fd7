"""`utp replay`: captured sessions parsed again, and what is not as it was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from utp_cli.commands import options
from utp_cli.commands.formats import Showing, checked, sink_for
from utp_cli.commands.pages import command_app, page
from utp_cli.commands.reading import own_dialects
from utp_cli.io import output as out
from utp_cli.io.sessions import read_session, write_expected
from utp_cli.io.settings import load_settings
from utp_cli.protocol.errors import BadOption, nearest
from utp_cli.replaying.compare import BAD
from utp_cli.replaying.run import replay_sessions

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.replaying.run import Replay

FAIL_ON: dict[str, frozenset[str]] = {
    "never": frozenset(),
    "regressed": frozenset({"regressed", "error"}),
    "changed": BAD,
    "improved": BAD | {"improved"},
}
"""Which statuses make the run fail."""

app = command_app()


@app.command(**page("utp replay sessions/*.jsonl", "utp replay session.jsonl --parser hermes -f junit -o replay.xml"))
def replay(
    files: Annotated[list[str], Argument(metavar="SESSION", help="Session files, or lists of messages.")],
    *,
    profile: options.Profile = None,
    config: options.Config = None,
    model: options.Model = None,
    provider: options.Provider = None,
    tools: options.Tools = None,
    parser: options.Parser = None,
    update: Annotated[bool, Option("--update", help="Accept the calls found now as the expected ones.")] = False,
    fail_on: Annotated[str, Option(metavar="WHAT", help="Exit 1 on: never, regressed, changed, improved.")] = "changed",
    format_name: Annotated[
        str | None, options.result("--format", "-f", metavar="NAME", help="pretty, json, junit.")
    ] = None,
    as_json: options.Json = False,
    output: options.Output = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    no_color: options.NoColor = False,
) -> int:
    """Parse captured sessions again and compare with what was recorded or expected.

    Exit: 0 nothing changed for the worse, 1 something did, 2 could not be run.
    """
    if fail_on not in FAIL_ON:
        near = nearest(fail_on, FAIL_ON)
        raise BadOption(f"--fail-on takes {', '.join(FAIL_ON)}" + (f" (did you mean '{near}'?)" if near else ""))
    settings = load_settings(
        config, profile=profile, model=model, provider=provider, tools=tools, parser=parser,
        format="json" if as_json else format_name,
    )  # fmt: skip
    name = checked(settings.get("format") or "pretty", dict.fromkeys(FORMATS))
    known = {
        "model": settings.get("model"),
        "provider": settings.get("provider"),
        "parser": settings.get("parser"),
        "server": settings.table("server") or None,
        "dialects": own_dialects(settings) or None,
        "tools": _tools(settings.get("tools")),
    }
    sessions = (read_session(Path(file)) for file in files)
    found = replay_sessions(sessions, known, out.progress("exchanges") if not quiet else lambda _s, _n: None)
    showing = Showing(file=output, verbose=verbose, quiet=quiet, no_color=no_color)
    sink_for(name, showing).write(FORMATS[name](found, showing))
    if update:
        _accept(found)
        return 0
    return int(any(c.status in FAIL_ON[fail_on] for s in found.sessions for c in s.exchanges))


def _tools(file: str | None) -> list[object] | None:
    if not file:
        return None
    from utp_cli.io.tool_files import load_tools  # noqa: PLC0415 - reads YAML: only where there is a file

    return list(load_tools(file))


def _accept(found: Replay) -> None:
    """Write the calls found now into the session files, and say what that changed."""
    for session in found.sessions:
        changed = {
            c.exchange.index: [{"name": call.name, "arguments": call.arguments} for call in c.result.calls]
            for c in session.exchanges
            if c.lost or c.found or (c.exchange.expected is None and c.result.calls)
        }
        if changed:
            write_expected(Path(session.source), changed)
            listed = ", ".join(f"#{index}" for index in changed)
            out.say(f"{session.source}: accepted what is there now in {listed}")


def _pretty(found: Replay, showing: Showing) -> str:
    from utp_cli.views.lines import painted  # noqa: PLC0415 - JSON has no need of rich
    from utp_cli.views.replay import replay as draw  # noqa: PLC0415

    lines = draw(found, showing.screen)
    return painted(lines[: len(found.sessions)] if showing.quiet else lines, colour=showing.colour)


def _json(found: Replay, _: Showing) -> str:
    from utp_cli.views.json import document  # noqa: PLC0415

    return document(found.to_dict())


def _junit(found: Replay, _: Showing) -> str:
    from utp_cli.views.junit import Case, junit  # noqa: PLC0415

    cases = [
        Case(
            suite=session.source,
            name=f"exchange {compared.exchange.index}",
            failure=compared.status if compared.status in BAD else "",
            details=f"lost {compared.lost}\nfound {compared.found}",
        )
        for session in found.sessions
        for compared in session.exchanges
    ]
    return junit("utp replay", cases)


FORMATS: dict[str, Callable[[Replay, Showing], str]] = {"pretty": _pretty, "json": _json, "junit": _junit}
