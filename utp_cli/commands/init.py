"""`utp init`: a first profile and a CI file, from servers that run here, from options, or from answers."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import confirm, prompt

from utp_cli.commands import options  # noqa: TC001 - typer reads the annotations
from utp_cli.commands.declared import Option, command_app, page
from utp_cli.commands.profiles import target_file
from utp_cli.io.configuration import find_configuration
from utp_cli.io.output import say
from utp_cli.io.profiles import add_profile
from utp_cli.io.replacing import replace_file
from utp_cli.io.settings import load_settings
from utp_cli.protocol.errors import BadFile, BadOption, nearest
from utp_cli.views.escape import shown

if TYPE_CHECKING:
    from utp_cli.io.live import Running

_SECONDS = 1.5
"""For a server on this machine to say what it is."""
_MOST_MODELS = 20
GITHUB = """\
name: tool calls
on: [push, pull_request]
permissions:
  contents: read
jobs:
  utp:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install utp-cli
      - if: hashFiles('{tools}/**', '{tools}') != ''
        run: utp audit {tools} -f github
      - if: always() && hashFiles('{sessions}/**', '{sessions}') != ''
        run: utp replay {sessions} -f github
"""
GITLAB = """\
utp:
  image: python:3.12-slim
  script:
    - pip install --quiet utp-cli
    - if [ -e {tools} ]; then utp audit {tools} -f junit -o audit.xml; fi
    - if [ -e {sessions} ]; then utp replay {sessions} -f junit -o replay.xml; fi
  artifacts:
    when: always
    reports:
      junit: [audit.xml, replay.xml]
"""
CI = {"github": (".github/workflows/utp.yml", GITHUB), "gitlab": (".gitlab-ci.utp.yml", GITLAB)}
"""Services: the file that each reads, and what stands in it."""
_PLACES = {"tools": ("tools", "tools.yaml", "tools.json"), "sessions": ("sessions", "session.jsonl")}
"""Where tools and sessions often are; the first is taken where none is there."""
_SAFE = re.compile(r"[\w./-]+")

app = command_app()


@app.command(**page("utp init", "utp init --url http://localhost:8000 --ci github --yes"))
def init(
    *,
    name: Annotated[str | None, Option(metavar="NAME", help="What to call the profile; else after the model.")] = None,
    url: Annotated[
        str | None, Option(metavar="URL", help="Where it is served; else this machine is looked at.")
    ] = None,
    model: options.Model = None,
    provider: options.Provider = None,
    api_key_env: Annotated[str | None, Option(metavar="VARIABLE", help="The variable that holds the key.")] = None,
    ci: Annotated[str | None, Option("--ci", metavar="SERVICE", help="github, gitlab or none.")] = None,
    tools: Annotated[str | None, Option("--tools", "-t", metavar="PATH", help="Tool definitions for CI.")] = None,
    sessions: Annotated[str | None, Option(metavar="PATH", help="Recorded sessions for CI.")] = None,
    yes: Annotated[bool, Option("--yes", "-y", help="Ask nothing.")] = False,
    config: options.Config = None,
) -> None:
    """Write a first profile and a CI file.

    Looks for servers of models on this machine, and asks what it cannot know. Nothing that exists is overwritten.
    """  # fmt: skip
    ask = not yes and somebody_is_there()
    _checked(ci, tools, sessions)
    server = None
    if not (url or model):
        server = _chosen(_found(), ask=ask)
        if server:
            url = server.url
    if not model and server:
        model = _which_model(server, ask=ask)
    if not (url or model):
        model = prompt("Which model? (an id, as in qwen3:32b)", err=True) if ask else None
    if not (url or model or ci in CI):
        raise BadOption(
            "no server of models runs here: name one (--url URL), a model (--model ID), or only --ci github"
        )
    named, written = "", "no profile: no server of models runs here, and none was named"
    if url or model:
        named = name or _name_for(model or _host(url), config)
        if ask and not name:
            named = prompt("What to call the profile?", default=named, err=True)
        written = _profile(named, url=url, model=model, provider=provider, api_key_env=api_key_env, config=config)
    places = {"tools": tools or _place("tools"), "sessions": sessions or _place("sessions")}
    service = ci or (_which_service() if ask else _service())
    ci_file = _ci_file(service, places)
    say(f"{written}\n{ci_file}\nnext:")
    for line in _next(named, url, places):
        say(f"  {line}")


def somebody_is_there() -> bool:
    """Whether a person can answer."""
    return sys.stdin is not None and sys.stdin.isatty()


def _checked(ci: str | None, *paths: str | None) -> None:
    """Raise `BadOption` for a service that is not known, and for a path that a CI file cannot carry as it is."""
    known = [*CI, "none"]
    if ci and ci not in known:
        near = nearest(ci, known)
        raise BadOption(f"--ci takes {', '.join(known)}, not '{ci}'" + f" (did you mean '{near}'?)" * bool(near))
    for path in filter(None, paths):
        if not _SAFE.fullmatch(path) or path.startswith("-"):
            raise BadOption(f"'{path}' has characters that a CI file cannot carry: letters, digits, . _ - and / can be")


# -- the server and the model


def _found() -> list[Running]:
    from utp_cli.io.live import running  # noqa: PLC0415 - only where nobody names a server
    from utp_cli.io.web import Web  # noqa: PLC0415

    return running(Web(seconds=_SECONDS))


def _chosen(found: list[Running], *, ask: bool) -> Running | None:
    """Return the server that is meant; the first where nobody can be asked."""
    for number, server in enumerate(found, 1):
        say(f"  {number} {server.engine} at {server.url}: {shown(_listed(server.models))}")
    if len(found) < 2 or not ask:
        return found[0] if found else None
    return found[_number("Which server?", len(found)) - 1]


def _which_model(server: Running, *, ask: bool) -> str | None:
    """Return the model that is meant; the first where nobody can be asked."""
    if len(server.models) < 2 or not ask:
        return server.models[0] if server.models else None
    for number, model in enumerate(server.models[:_MOST_MODELS], 1):
        say(f"  {number} {shown(model)}")
    return server.models[_number("Which model?", min(len(server.models), _MOST_MODELS)) - 1]


def _number(question: str, most: int) -> int:
    while True:
        answer = prompt(question, default=1, type=int, err=True)
        if 1 <= answer <= most:
            return int(answer)
        say(f"  a number from 1 to {most}")


def _listed(models: list[str]) -> str:
    return ", ".join(models[:3]) + (f" and {len(models) - 3} more" if len(models) > 3 else "") or "no model is loaded"


# -- the profile


def _name_for(model: str, config: str | None) -> str:
    """Return a name that is not taken: the model's last part, in letters that need no quotes."""
    short = re.sub(r"[^a-z0-9]+", "-", model.rpartition("/")[2].lower()).strip("-") or "local"
    taken = find_configuration(config).profiles
    numbered = (f"{short}-{number}" for number in range(2, len(taken) + 3))
    return short if short not in taken else next(name for name in numbered if name not in taken)


def _host(url: str | None) -> str:
    """Return the host and port of an address, as a name."""
    return (url or "").partition("://")[2].partition("/")[0]


def _profile(name: str, *, url: str | None, model: str | None, config: str | None, **given: str | None) -> str:
    """Write the profile: with all that the server says, where one is named. Returns what was done."""
    if url:
        from utp_cli.commands.detecting import Detecting, saved  # noqa: PLC0415 - asks the server

        settings = load_settings(config, url=url, model=model, **given)
        found = Detecting(settings, seconds=60.0, probe=False, template=None).found([model] if model else [])
        return saved(found[0], name, settings, config)
    from utp_cli.detection.detect import detect  # noqa: PLC0415

    known = detect(model or "")
    told = {"provider": given["provider"] or known.spec.provider, "model": model, "api_key_env": given["api_key_env"]}
    table: dict[str, Any] = {key: value for key, value in told.items() if value}
    target = target_file(config)
    add_profile(target, name, table)
    return f"added '{name}' in {target}"


# -- the CI file


def _service() -> str:
    """Return the service that this folder speaks of; GitHub where it speaks of none."""
    return "gitlab" if Path(".gitlab-ci.yml").exists() and not Path(".github").exists() else "github"


def _which_service() -> str:
    wanted = _service()
    return wanted if confirm(f"Write a file for CI ({CI[wanted][0]})?", default=True, err=True) else "none"


def _place(kind: str) -> str:
    return next((place for place in _PLACES[kind] if Path(place).exists()), _PLACES[kind][0])


def _ci_file(service: str, places: dict[str, str]) -> str:
    """Write the file, unless one is there. Returns what was done."""
    if service == "none":
        return "no file for CI"
    name, text = CI[service]
    path = Path(name)
    if path.exists():
        return f"{name} exists already: left as it is"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(str(path.parent), f"cannot be made: {error.strerror}") from None
    replace_file(path, text.format(**places).encode())
    return f"wrote {name}" + (f"; include it in .gitlab-ci.yml: include: {name}" if service == "gitlab" else "")


def _next(name: str, url: str | None, places: dict[str, str]) -> list[str]:
    """Return the commands to type next."""
    profile = f" -p {name}" if name else ""
    audit = f"utp audit {places['tools']}" if Path(places["tools"]).exists() else f"utp detect{profile or ' MODEL'}"
    record = f"utp record{profile}" if url else f"utp parse{profile} < answer.json"
    return [audit, record]
