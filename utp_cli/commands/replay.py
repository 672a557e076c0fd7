"""`utp replay`: captured sessions parsed again, and what is not as it was."""

from __future__ import annotations

import os
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from utp_cli.commands import options
from utp_cli.commands.declared import Argument, Option, command_app, page
from utp_cli.commands.formats import Showing, checked, sink_for
from utp_cli.commands.html_page import drawing_for
from utp_cli.commands.reading import own_dialects
from utp_cli.commands.replay_formats import REPORTS
from utp_cli.commands.replay_many import is_folder, replay_into
from utp_cli.commands.suggesting import suggested
from utp_cli.io import output as out
from utp_cli.io.sessions import export as export_to, read_sessions, write_expected
from utp_cli.io.settings import load_settings
from utp_cli.io.web import shown_url
from utp_cli.protocol.errors import BadOption, nearest
from utp_cli.replaying.bars import BARS, Judge
from utp_cli.replaying.conversation import Limits
from utp_cli.replaying.engines import ENGINES, engine_for
from utp_cli.replaying.importing import told
from utp_cli.replaying.run import replay_parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from utp_cli.io.output import Output
    from utp_cli.io.settings import Settings
    from utp_cli.replaying.run import SessionChunk
    from utp_cli.replaying.session import Session

how = partial(Option, rich_help_panel="How to replay")
live = partial(Option, rich_help_panel="Live")

app = command_app()


@app.command(**page("utp replay sessions/*.jsonl", "utp replay session.jsonl --parser hermes -f junit -o replay.xml"))
def replay(
    files: Annotated[
        list[str] | None,
        Argument(metavar="SESSION", help=f"Session files, dumps, logs, folders; else {options.SESSION}."),
    ] = None,
    *,
    profile: options.Profile = None,
    config: options.Config = None,
    model: options.Model = None,
    provider: options.Provider = None,
    tools: options.Tools = None,
    parser: options.Parser = None,
    against: Annotated[str | None, live(metavar="URL", help="Ask this server again, and compare its answers.")] = None,
    concurrency: Annotated[int, live(metavar="N", min=1, help="Requests under way at once.")] = 4,
    rate: Annotated[float | None, live(metavar="N", min=0.001, help="Requests in a second, at most.")] = None,
    repair_attempts: Annotated[int, live(metavar="N", min=0, help="Say what is wrong, N times.")] = 0,
    api_key_env: Annotated[str | None, live(metavar="VARIABLE", help="The variable that holds the key.")] = None,
    interactive: Annotated[
        bool, how("--interactive", "-i", help="Look through the exchanges, in the terminal.")
    ] = False,
    suggest: Annotated[bool, how("--suggest", help="Say which settings would have read the most calls.")] = False,
    save_as: Annotated[str | None, how(metavar="NAME", help="Write the suggestion as a profile.")] = None,
    against_parser: Annotated[str | None, how(metavar="NAME", help="Compare with what this parser finds.")] = None,
    target: Annotated[
        str | None, how("--for", metavar="PROVIDER", help="Check the requests against this provider's rules.")
    ] = None,
    fix: Annotated[bool, how("--fix", help="With --for: write the mended session.")] = False,
    update: Annotated[bool, how("--update", help="Accept the calls found now as the expected ones.")] = False,
    export: Annotated[str | None, how(metavar="FILE", help="Only write what was read as a session file.")] = None,
    fail_on: Annotated[str, how(metavar="WHAT", help=f"Exit 1 on: {', '.join(BARS)}.")] = "changed",
    max_rounds: Annotated[int | None, how(metavar="N", min=0, help="Turns with calls that a request may take.")] = None,
    max_tokens: Annotated[int | None, how(metavar="N", min=0, help="Tokens that a conversation may take.")] = None,
    jobs: Annotated[int, how("--jobs", "-j", metavar="N", min=0, help="Processes; 0: one a core.")] = 1,
    engine: Annotated[str, how(metavar="NAME", help="Where it runs: local, dask, ray.")] = "local",
    format_name: Annotated[
        str | None, options.result("--format", "-f", metavar="NAME", help=f"{', '.join(REPORTS)}.")
    ] = None,
    as_json: options.Json = False,
    output: options.Output = None,
    html: options.Html = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = None,
    no_color: options.NoColor = False,
) -> int:
    """Parse captured sessions again and compare with what was recorded or expected.

    Exit: 0 all is as it was, 1 something changed for the worse, a call did not reach the client and nobody accepted
    that, or a conversation has a fault; 2 could not be run.
    """
    _one_of("--fail-on", fail_on, BARS)
    _one_of("--engine", engine, ENGINES)
    settings = load_settings(
        config, profile=profile, model=model, provider=provider, tools=tools, parser=parser, api_key_env=api_key_env,
        format="json" if as_json else format_name, max_rounds=max_rounds, max_tokens=max_tokens,
    )  # fmt: skip
    showing = Showing(file=output, verbose=verbose, quiet=quiet, color=options.wanted_colour(color, no_color=no_color))
    files = files or _recorded_here()
    if target or fix:
        return _checked(files, target, settings, fix=fix, showing=showing)
    limits = Limits(max_rounds=_number(settings, "max_rounds"), max_tokens=_number(settings, "max_tokens"))
    given = (against, update, export, html, suggest, save_as, limits.max_tokens is not None, settings.get("format"))
    if interactive:
        return _viewed(showing, files, settings, limits, against_parser, given)
    if is_folder(output):
        return _into_folder(showing, files, settings, limits, (against_parser, fail_on, engine, jobs), given)
    sessions = _opened(files)
    if html and (export or suggest or save_as):
        raise BadOption("--html draws a replay: not with --export, --suggest or --save-as")
    name = checked(settings.get("format") or "pretty", REPORTS)
    known = _parser_options(settings)
    if against and update:
        raise BadOption("--update accepts what a recording holds; leave out --against")
    if against:
        from utp_cli.io.asking import Asking  # noqa: PLC0415 - only who asks pays

        asking = Asking(
            url=against, key=_key(settings), model=model, concurrency=concurrency, rate=rate,
            repair_attempts=repair_attempts,
        )  # fmt: skip
        sessions = asking.sessions(sessions, known)
    if html or name == "html":
        from utp_cli.recording.cleaning import clean_session  # noqa: PLC0415 - only pages are handed on

        sessions = map(clean_session, sessions)
    if export:
        return _exported(sessions, export)
    sink = sink_for(name, showing)
    if suggest or save_as:
        return suggested(
            partial(_opened, files), known, engine_for(engine, jobs), sink, config=config, name=save_as, as_json=as_json
        )
    drawing = drawing_for("utp replay", files, html, name, sink, quiet=quiet)
    if drawing and (jobs != 1 or engine != "local"):
        raise BadOption("a page is drawn in one process: leave out --jobs and --engine, or --html")
    worker = drawing.engine if drawing else engine_for(engine, jobs)
    parts: Iterator[SessionChunk] = replay_parts(sessions, known, engine=worker, against=against_parser, limits=limits)
    parts = _reported(name, _watched(drawing.parts(parts) if drawing else parts, quiet=quiet), showing, sink)
    skipped: dict[str, Counter[str]] = {}
    accepted, judge, unanswered = _Accepted(asked=update), Judge(BARS[fail_on]), 0
    for part in parts:
        accepted.add(part)
        judge.add(part)
        unanswered += sum(outcome.status == "error" for outcome in part.outcomes)
        skipped.setdefault(part.session.source, Counter()).update(part.skipped)
    accepted.write()
    _say_skipped({} if quiet else skipped)
    if against and unanswered and not quiet:
        out.say(f"utp: note: {unanswered} not answered by {shown_url(against)}; utp parse --from reads the recording")
    return int(judge.failed and not update)


def _checked(files: list[str], target: str | None, settings: Settings, *, fix: bool, showing: Showing) -> int:
    from utp_cli.commands.checking import check_files  # noqa: PLC0415 - only who checks pays

    if not target:
        raise BadOption("--fix mends a session for a provider: name it with --for")
    name = settings.get("format")
    return check_files(files, target, settings.get("model"), format_name=name, fix=fix, showing=showing)


def _into_folder(
    showing: Showing, files: list[str], settings: Settings, limits: Limits, asked: tuple[str | None, str, str, int],
    given: tuple[Any, ...],
) -> int:  # fmt: skip
    """Replay into a folder; `given` says of each option of `_NOT_INTO_FOLDERS` whether it was given."""
    from utp_cli.io.bulk import How  # noqa: PLC0415 - only big recordings need it

    against, fail_on, engine, jobs = asked
    options = {key: value for key, value in _parser_options(settings).items() if value is not None}
    how = How(options=options, against=against, limits=limits, fail_on=fail_on)
    refused = dict(zip(_NOT_INTO_FOLDERS, given, strict=True))
    return replay_into(Path(str(showing.file)), files, how, engine, jobs, quiet=showing.quiet, refused=refused)


def _viewed(
    showing: Showing, files: list[str], settings: Settings, limits: Limits, against: str | None, given: tuple[Any, ...]
) -> int:
    """Look through sessions; `given` is as in `_into_folder`."""
    from utp_cli.commands.viewing import view  # noqa: PLC0415 - only who looks pays

    refused = {**dict(zip(_NOT_INTO_FOLDERS, given, strict=True)), "--output": showing.file}
    return view(files, _parser_options(settings), limits, against, showing, refused)


_NOT_INTO_FOLDERS = (
    "--against", "--update", "--export", "--html", "--suggest", "--save-as", "--max-tokens", "--format"
)  # fmt: skip


def _recorded_here() -> list[str]:
    """Return what `utp record` has left here. Raises `BadOption` where that is nothing."""
    if not Path(options.SESSION).is_file():
        raise BadOption(f"nothing to replay: name a session file; utp record makes one, here {options.SESSION}")
    return [options.SESSION]


def _opened(files: list[str]) -> Iterator[Session]:
    return (session for file in files for session in read_sessions(Path(file)))


def _exported(sessions: Iterable[Session], file: str) -> int:
    skipped: dict[str, Counter[str]] = {}
    count = export_to(sessions, Path(file), skipped)
    out.say(f"{file}: {count:,} exchange{'s' * (count != 1)}")
    _say_skipped(skipped)
    return 0


def _say_skipped(skipped: dict[str, Counter[str]]) -> None:
    """Say what was passed over: what was looked for may be among it."""
    for source, counts in skipped.items():
        if said := told(counts):
            out.say(f"{source}: passed over {said}: no answer of a model")


def _one_of(option: str, value: str, known: Iterable[str]) -> None:
    if value not in known:
        near = nearest(value, known)
        raise BadOption(f"{option} takes {', '.join(known)}" + (f" (did you mean '{near}'?)" if near else ""))


def _parser_options(settings: Settings) -> dict[str, Any]:
    return {
        "model": settings.get("model"),
        "provider": settings.get("provider"),
        "parser": settings.get("parser"),
        "mode": settings.get("mode"),
        "server": settings.table("server") or None,
        "dialects": own_dialects(settings) or None,
        "tools": _tools(settings.get("tools")),
    }


def _number(settings: Settings, name: str) -> int | None:
    """Return a limit: a number from an option or a profile, or the text of a variable."""
    value = settings.get(name)
    if isinstance(value, str) and not value.isdecimal():
        raise BadOption(f"UTP_{name.upper()} must be a whole number, not '{value}'")
    return None if value is None else int(value)


def _key(settings: Settings) -> str | None:
    """Return the key from the variable that holds it."""
    variable = settings.get("api_key_env")
    if variable and not os.environ.get(variable):
        raise BadOption(f"the variable {variable} holds no key: set it, or name another with --api-key-env")
    return os.environ[variable] if variable else None


def _tools(file: str | None) -> list[object] | None:
    if not file:
        return None
    from utp_cli.io.tool_files import load_tools  # noqa: PLC0415 - reads YAML: only where there is a file

    return list(load_tools(file))


def _reported(name: str, parts: Iterable[SessionChunk], showing: Showing, sink: Output) -> Iterator[SessionChunk]:
    """Pass the parts on to a report, and to whoever asks; stop where nobody reads the report any more."""
    report = REPORTS[name](showing, sink)
    for part in parts:
        reads_on = report.add(part)
        yield part
        if not reads_on:
            return
    report.end()


def _watched(parts: Iterable[SessionChunk], *, quiet: bool) -> Iterator[SessionChunk]:
    """Show how far it has come."""
    progress = out.Progress("exchanges")
    done = 0
    try:
        for part in parts:
            done = 0 if part.last else done + len(part.outcomes)
            if not quiet:
                progress.show(part.session.source, done)
            yield part
    finally:
        progress.erase()


class _Accepted:
    """What is there now, by session: calls that are not what was expected, and those that were not delivered."""

    def __init__(self, *, asked: bool) -> None:
        self._asked = asked
        self._changed: dict[str, dict[int, dict[str, Any]]] = {}
        self._undelivered = 0

    def add(self, part: SessionChunk) -> None:
        if self._asked:
            news = {outcome.index: outcome.to_expect for outcome in part.outcomes if outcome.differs}
            self._changed.setdefault(part.session.source, {}).update(news)
            self._undelivered += sum(len(outcome.delivery_lost) for outcome in part.outcomes)

    def write(self) -> None:
        """Write them into the session files, and say what that changed."""
        for source, changed in self._changed.items():
            if changed:
                write_expected(Path(source), changed)
                listed = ", ".join(f"#{index}" for index in changed)
                out.say(f"{source}: accepted what is there now in {listed}")
        if self._undelivered:
            count = f"{self._undelivered:,} call{'s' * (self._undelivered != 1)}"
            out.say(f"accepted as not delivered: {count}; a client of this server never gets them")
