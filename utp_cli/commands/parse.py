"""`utp parse`: a model's answer in, its calls out, and why any of them got lost."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from utp_cli.commands import options
from utp_cli.commands.checking import check_files
from utp_cli.commands.declared import Argument, Option, command_app, page
from utp_cli.commands.exits import FAIL_ON
from utp_cli.commands.formats import FORMATS, LIVE, PLAN_FORMATS, Showing, checked, format_names, sink_for, unheard
from utp_cli.commands.html_page import drawing_for
from utp_cli.commands.reading import answers, live, parser_options, picked
from utp_cli.commands.repairing import repair_files
from utp_cli.io.inputs import CLIPBOARD, STDIN
from utp_cli.io.settings import load_settings
from utp_cli.protocol.errors import BadOption
from utp_cli.protocol.records import replace
from utp_cli.protocol.tools import tier_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from utp_cli.io.output import Output
    from utp_cli.io.settings import Settings
    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.tools import Tool

how = partial(Option, rich_help_panel="How to read")

app = command_app()


@app.command(**page("utp parse < response.json", "curl -sN $URL -d @request.json | utp parse --stream -t tools.yaml"))
def parse(
    files: Annotated[list[str] | None, Argument(metavar="FILE", help="What to read; - or none: stdin.")] = None,
    *,
    profile: options.Profile = None,
    config: options.Config = None,
    model: options.Model = None,
    provider: options.Provider = None,
    tools: options.Tools = None,
    request: Annotated[str | None, options.known(metavar="FILE", help="The request that was sent, JSON.")] = None,
    finish_reason: Annotated[str | None, options.known(metavar="WORD", help="How it ended: stop, length …")] = None,
    generation_prompt: Annotated[
        str | None, options.known(metavar="TEXT", help="What the template put before it: <think>")
    ] = None,
    parser: options.Parser = None,
    mode: Annotated[
        str | None, options.known(metavar="MODE", help="How calls were asked for: native, parsed …")
    ] = None,
    session: Annotated[
        str | None, how("--from", metavar="FILE#N", help="One capture of a paste, or exchange of a session.")
    ] = None,
    target: Annotated[
        str | None, how("--for", metavar="PROVIDER", help="Check a request against this provider's rules.")
    ] = None,
    fix: Annotated[bool, how("--fix", help="With --for: write the mended request.")] = False,
    engines: Annotated[
        str | None,
        how("--as", metavar="ENGINE", help="Say what this server's parser returns: vllm, sglang, ollama, llama.cpp."),
    ] = None,
    clipboard: Annotated[bool, how("--clipboard", help="Read what lies on the clipboard.")] = False,
    raw: Annotated[bool, how("--raw", help="Read the text as it is: unwrap nothing.")] = False,
    lines: Annotated[bool, how("--lines", help="Every line is an input.")] = False,
    stream: Annotated[bool, how("--stream", help="Show events as they come.")] = False,
    repair_only: Annotated[bool, how("--repair-only", help="Plain JSON: repair it, seek no calls.")] = False,
    min_confidence: Annotated[str | None, how(metavar="LEVEL", help="Repairs to trust: safe, likely, guess.")] = None,
    tier: Annotated[str | None, how(metavar="TIER", help="Flag calls of tools above: crawl, walk, run.")] = None,
    root: Annotated[str | None, how(metavar="DIR", help="Flag paths that leave this folder.")] = None,
    plan: Annotated[bool, how("--plan", help="Show which calls may run side by side.")] = False,
    fail_on: Annotated[
        str | None, how(metavar="WHAT", help="Exit 1 on: never, error, warning, repair, no-call.")
    ] = None,
    format_name: Annotated[
        str | None,
        options.result("--format", "-f", metavar="NAME", help=f"{', '.join(FORMATS)}.", autocompletion=format_names),
    ] = None,
    as_json: options.Json = False,
    output: options.Output = None,
    html: options.Html = None,
    watch: options.Watch = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = None,
    no_color: options.NoColor = False,
) -> int:
    """Show the calls in a model's answer, and why any got lost.

    Reads any provider's response, a stream dump, or raw text. Of several files, and of --lines, JSON has one
    document a line. Exit: 0 fine, 1 problems found, 2 could not be run.
    """
    if watch:
        given = {**locals(), "watch": False}
        from utp_cli.commands.watching import watched  # noqa: PLC0415 - hardly anybody watches

        names = [session.rpartition("#")[0] or session] if session else files or []
        return watched(names, [tools, request, config], partial(parse, **given))
    settings = load_settings(
        config, profile=profile, model=model, provider=provider, tools=tools, parser=parser,
        mode=mode, min_confidence=min_confidence, fail_on=fail_on, format="json" if as_json else format_name,
    )  # fmt: skip
    if session and (files or lines or stream or repair_only):
        raise BadOption("--from FILE#N names the file itself: no further files, --lines, --stream or --repair-only")
    if clipboard and (files or session):
        raise BadOption("--clipboard is the input: neither files nor --from")
    if raw and (session or stream):
        raise BadOption("--raw reads whole inputs as they are: neither --from nor --stream")
    names = [session] if session else [CLIPBOARD] if clipboard else files or [STDIN]
    several = lines or len(names) > 1
    showing = Showing(
        file=output,
        verbose=verbose,
        quiet=quiet,
        color=options.wanted_colour(color, no_color=no_color),
        several=several,
        live=stream,
        **_asked(engines, settings, target or fix or repair_only or plan or html),
    )
    if target or fix:
        _only_checks(target, session or lines or stream or repair_only or html or plan or raw)
        return check_files(
            names, target or "", settings.get("model"), format_name=settings.get("format"), fix=fix, showing=showing
        )
    if repair_only and (lines or stream or html or plan or tier or root):
        raise BadOption(
            "--repair-only reads whole files and seeks no calls: no --lines, --stream, --html, --plan, --tier, --root"
        )
    if repair_only:
        return repair_files(names, settings.get("format"), showing)
    if stream and several:
        raise BadOption("--stream reads one input: not several files, nor --lines")
    if plan and (stream or html):
        raise BadOption("--plan shows whole answers, as text or JSON: neither --stream nor --html")
    formats = PLAN_FORMATS if plan else FORMATS
    name = checked(settings.get("format") or "pretty", formats)
    known = parser_options(settings, request)
    known |= {"finish_reason": finish_reason, "generation_prompt": generation_prompt or ""}
    known |= {"tier": tier_named(tier), "root": str(Path(root).absolute()) if root else None}
    showing = replace(showing, tools=_by_name(known["tools"]))
    sink = sink_for(name, showing)
    if stream:
        read = live(names[0], known, LIVE.get(name, unheard)(showing, sink))
    else:
        clean = bool(html) or name == "html"  # a page is handed on
        if session:
            read = picked(session, known, clean=clean)
        else:
            read = answers(names, known, lines=lines, raw=raw, clean=clean)
    if drawing := drawing_for("utp parse", names, html, name, sink, quiet=quiet):
        read = drawing.answers(read)
    return shown(read, lambda answer: formats[name](answer, showing), sink, FAIL_ON[settings.get("fail_on")])


def _asked(engines: str | None, settings: Settings, other: object) -> dict[str, Any]:
    """Return what `--as` adds to what is shown. Raises as `engines_named`, and `BadOption` where nothing shows it."""
    if engines is None:
        return {}
    if other or settings.get("format") not in (None, "pretty", "json"):
        raise BadOption("--as adds to a whole answer, as text or JSON: no --for, --fix, --repair-only, --plan, --html")
    from utp_cli.diagnosis.engines import engines_named  # noqa: PLC0415 - hardly anybody asks

    return {"engines": engines_named(engines), "parser": settings.get("parser")}


def _by_name(tools: Sequence[Tool] | None) -> dict[str, Tool] | None:
    return None if tools is None else {tool.name: tool for tool in tools}


def _only_checks(target: str | None, other: object) -> None:
    if not target:
        raise BadOption("--fix mends a request for a provider: name it with --for")
    if other:
        raise BadOption("--for checks requests: no --from, --lines, --stream, --repair-only, --html, --plan, --raw")


def shown(
    results: Iterable[ParseResult],
    draw: Callable[[ParseResult], str | Iterator[str]],
    sink: Output,
    fails: Callable[[ParseResult], bool],
) -> int:
    """Write each answer as it is read; stop early where nobody reads any more. Return the exit code."""
    failed = False
    for result in results:
        failed |= fails(result)
        if not sink.write(draw(result)):
            break
    return int(failed)
