"""`utp audit`: lint tool definitions, in CI and before they are sent."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from utp_cli.commands import options
from utp_cli.commands.audit_formats import FORMATS, PORTABILITY, formats
from utp_cli.commands.audit_steps import (
    Changes,
    Sources,
    audited_files,
    compared,
    deliverer,
    fails,
    list_rules,
    new_baseline,
    portability_of,
    refuses,
    to_file,
    without_baseline,
)
from utp_cli.commands.declared import Argument, Option, command_app, page
from utp_cli.commands.explain import explain as explain_code
from utp_cli.commands.formats import Showing, checked, sink_for
from utp_cli.io import output as out
from utp_cli.io.audit_settings import audit_settings
from utp_cli.io.settings import load_settings
from utp_cli.protocol.errors import BadOption
from utp_cli.views.findings import summary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

source = partial(Option, rich_help_panel="Sources")
rules = partial(Option, rich_help_panel="Rules")
failing = partial(Option, rich_help_panel="What fails")
fixing = partial(Option, rich_help_panel="Fixes")
asking = partial(Option, rich_help_panel="Other questions")
Names = list[str] | None

app = command_app()


@app.command(**page("utp audit tools.yaml", "utp audit tools/ --provider openai-strict -f sarif -o audit.sarif"))
def audit(
    files: Annotated[Names, Argument(metavar="TOOLS", help="Tool files, YAML or JSON, or folders; - is stdin.")] = None,
    *,
    mcp: Annotated[Names, source(metavar="SERVER", help="Ask an MCP server: a URL, or a command to start.")] = None,
    python: Annotated[Names, source(metavar="MODULE:NAME", help="Import Python; its code runs.")] = None,
    stdin_filename: Annotated[str | None, source(metavar="FILE", help="What stdin is called.")] = None,
    select: Annotated[Names, rules(metavar="CODE", help="Rules to run: UTP2, UTP306, ALL.")] = None,
    ignore: Annotated[Names, rules(metavar="CODE", help="Rules not to run.")] = None,
    severity: Annotated[Names, rules(metavar="CODE=SEVERITY", help="Call it error, warning or info.")] = None,
    per_file_ignores: Annotated[Names, rules(metavar="GLOB=CODE", help="Rules not to run on some files.")] = None,
    provider: Annotated[Names, options.known(metavar="NAME", help="Where the tools go; may be repeated.")] = None,
    context_window: Annotated[int | None, options.known(metavar="TOKENS", help="The model's window.")] = None,
    tokenizer: Annotated[str | None, options.known(metavar="FILE", help="A tokenizer.json to count with.")] = None,
    server: Annotated[str | None, options.known(metavar="NAME", help="The MCP server, for prefixed names.")] = None,
    openai_legacy_limits: Annotated[
        bool, options.known("--openai-legacy-limits", help="100 properties, 5 levels.", hidden=True)
    ] = False,
    profile: options.Profile = None,
    config: options.Config = None,
    fail_on: Annotated[
        str | None, failing(metavar="SEVERITY", help="never, error (the default), warning or info.")
    ] = None,
    min_score: Annotated[float | None, failing(metavar="N", help="A tool that scores less (0 to 1).")] = None,
    min_average: Annotated[float | None, failing(metavar="N", help="A lower average.")] = None,
    baseline: Annotated[str | None, failing(metavar="FILE", help="What is known already does not count.")] = None,
    write_baseline: Annotated[bool, failing("--write-baseline", help="Write all findings to it.")] = False,
    fix: Annotated[bool, fixing("--fix", help="Write safe fixes back.")] = False,
    unsafe_fixes: Annotated[bool, fixing("--unsafe-fixes", help="Also what changes meaning.")] = False,
    enhance: Annotated[bool, fixing("--enhance", help="Add format hints and boundary notes.")] = False,
    diff: Annotated[bool, fixing("--diff", help="Show the changes, write nothing.")] = False,
    portability: Annotated[bool, asking("--portability", help="Which provider takes which tool?")] = False,
    breaking: Annotated[bool, asking("--breaking", help="OLD NEW: what breaks callers of the old?")] = False,
    statistics: Annotated[bool, asking("--statistics", help="How often did each rule fire?")] = False,
    score: Annotated[bool, asking("--score", help="How many of five hints do the tools give?")] = False,
    list_all: Annotated[bool, asking("--list-rules", help="Which rules are there?")] = False,
    explain: Annotated[str | None, asking(metavar="CODE", help="What does a rule mean?")] = None,
    format_name: Annotated[
        str | None, options.result("--format", "-f", metavar="NAME", help=f"{', '.join(FORMATS)}.")
    ] = None,
    as_json: options.Json = False,
    output: options.Output = None,
    watch: options.Watch = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = None,
    no_color: options.NoColor = False,
) -> int:
    """Lint tool definitions: what is refused, misused, distrusted.

    Settings: [tool.utp.audit]. Exit: 0 clean, 1 findings, 2 could not be run.
    """
    if watch:
        given = {**locals(), "watch": False}
        from utp_cli.commands.watching import watched  # noqa: PLC0415 - hardly anybody watches

        return watched(files or [], [baseline, config], partial(audit, **given))
    if list_all:
        return list_rules(output)
    if explain:
        explain_code([explain])
        return 0
    settings = load_settings(config, profile=profile, format="json" if as_json else format_name)
    said = {
        "provider": _listed(provider), "select": _listed(select), "ignore": _listed(ignore), "server": server,
        "severity": _pairs("severity", severity, _last), "min_score": min_score, "min_average": min_average,
        "per_file_ignores": _pairs("per-file-ignores", per_file_ignores, _listed), "fail_on": fail_on,
        "baseline": baseline, "openai_legacy_limits": openai_legacy_limits or None, "tokenizer": tokenizer,
        "context_window": context_window,
    }  # fmt: skip
    asked = audit_settings(said, settings)
    showing = Showing(file=output, verbose=verbose, quiet=quiet, color=options.wanted_colour(color, no_color=no_color))
    scores = score or asked.min_score is not None or asked.min_average is not None
    views: Mapping[str, Any] = PORTABILITY if portability else formats(statistics=statistics, scores=scores)
    name = checked(settings.get("format") or "text", dict(views))
    changes = Changes(fix=fix, unsafe=unsafe_fixes, enhance=enhance, diff=diff)
    sources = Sources(files=files or [], stdin_name=stdin_filename, mcp=mcp or [], python=python or [])
    deliver = deliverer(changes, sources)
    if deliver and (portability or breaking):
        raise BadOption(
            f"--{'portability' if portability else 'breaking'} changes nothing: leave out --fix and the like"
        )
    read = sources.read()
    if portability:
        reports = portability_of(read, asked)
        sink_for(name, showing).write(views[name](reports, showing))
        return int(refuses(reports, asked))
    audited = compared(read, asked) if breaking else audited_files(read, asked, changes, deliver)
    if write_baseline:
        return new_baseline(audited, asked)
    audited = without_baseline(audited, asked)
    if deliver and deliver is not to_file:  # standard output has the text, or the diff
        out.say(f"utp: {summary(audited, showing.screen, fixed='would be fixed' if diff else 'fixed')}")
    else:
        sink_for(name, showing).write(views[name](audited, showing))
    return int(fails(audited, asked))


def _listed(given: list[str] | None) -> list[str]:
    """Return the names that were given, one an option or with commas between."""
    return [name.strip() for text in given or () for name in text.split(",") if name.strip()]


def _pairs(option: str, given: list[str] | None, kind: Callable[[list[str]], Any]) -> dict[str, Any]:
    """Read `KEY=VALUE` options; `kind` makes one value of those that share a key."""
    found: dict[str, list[str]] = {}
    for text in given or ():
        key, sign, value = text.partition("=")
        if not sign or not key or not value:
            raise BadOption(f"--{option} takes KEY=VALUE, as UTP205=info, not '{text}'")
        found.setdefault(key, []).append(value)
    return {key: kind(values) for key, values in found.items()}


def _last(values: list[str]) -> str:
    return values[-1]
