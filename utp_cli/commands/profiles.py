"""`utp profiles`: what the configuration file says, and a way to add to it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

from typer import Context  # noqa: TC002 - typer reads the annotations

from utp_cli.commands import completion, options
from utp_cli.commands.declared import Argument, Option, command_app, page
from utp_cli.io import output
from utp_cli.io.configuration import candidates, find_configuration
from utp_cli.io.profiles import add_profile
from utp_cli.io.toml_text import read_toml
from utp_cli.protocol.errors import BadFile, BadOption
from utp_cli.views.escape import shown

app = command_app(
    "utp profiles add boxxie --provider ollama --model qwen3:32b",
    "utp parse -p boxxie < response.json",
    about="Name a model and its server once, in profiles.toml. Alone, it lists them.",
)

Name = Annotated[str, Argument(metavar="NAME", help="The profile.", autocompletion=completion.profiles)]


@app.callback(invoke_without_command=True)
def profiles(context: Context) -> None:
    """Name a model and its server once, in profiles.toml. Alone, it lists them."""
    if context.invoked_subcommand is None:
        list_profiles()


@app.command("list", **page("utp profiles list", "utp profiles list --json"))
def list_profiles(config: options.Config = None, as_json: options.Json = False) -> None:
    """List the profiles of the configuration file."""
    configuration = find_configuration(config)
    found = {name: configuration.profile(name) for name in configuration.profiles}
    if as_json:
        return _document({"path": str(configuration.path) if configuration.path else None, "profiles": [*found]})
    if not found:
        output.say("no profiles yet: utp profiles add NAME --provider … --model …")
    width = max(map(len, found), default=0)
    rows = (f"{name:<{width}}  {' · '.join(filter(None, (p.provider, p.model, p.url)))}" for name, p in found.items())
    return _write("".join(f"{shown(line.rstrip())}\n" for line in rows))


@app.command("show", **page("utp profiles show boxxie", "utp profiles show boxxie --json"))
def show(name: Name, config: options.Config = None, as_json: options.Json = False) -> None:
    """Show a profile, and where it is written."""
    configuration = find_configuration(config)
    configuration.profile(name)
    table = configuration.profiles[name]
    if as_json:
        return _document(table)
    import tomli_w  # noqa: PLC0415 - only who shows one needs it

    from utp_cli.views.json import HIDDEN  # noqa: PLC0415

    text = f"# {configuration.place('profiles', name)}\n{tomli_w.dumps({'profiles': {name: table}})}"
    return _write(HIDDEN.sub(lambda found: f"\\U{ord(found[0]):08X}", text))


@app.command("path", **page("utp profiles path", "$EDITOR $(utp profiles path)"))
def path(config: options.Config = None) -> None:
    """Show the configuration file in use, or the one `add` would make."""
    found = find_configuration(config).path
    if found is None:
        output.say("no configuration file yet; looked for:\n" + "\n".join(f"  {at}" for at in candidates(config)))
    _write(f"{found or target_file(config)}\n")


@app.command(
    "add",
    **page(
        "utp profiles add boxxie --provider ollama --model qwen3:32b --url http://athena:11434",
        "utp profiles add prod --model gpt-5 --api-key-env OPENAI_API_KEY --set tools.mode=native",
    ),
)
def add(
    name: Annotated[str, Argument(metavar="NAME", help="What to call it.")],
    *,
    provider: options.Provider = None,
    model: options.Model = None,
    url: Annotated[str | None, Option(metavar="URL", help="Where it is served.")] = None,
    api_key_env: Annotated[
        str | None, Option(metavar="VARIABLE", help="The environment variable that holds the key.")
    ] = None,
    parser: options.Parser = None,
    other: Annotated[
        list[str] | None, Option("--set", metavar="KEY=VALUE", help="Any other key: server.engine=vllm.")
    ] = None,
    replace: Annotated[bool, Option("--replace", help="Overwrite a profile of that name.")] = False,
    config: options.Config = None,
) -> None:
    """Add a profile. What stands in the file stays, comments too. Keys are never stored."""
    given = {
        "provider": provider,
        "model": model,
        "url": url,
        "api_key_env": api_key_env,
        "tools.call_parser": parser,
    }
    table: dict[str, Any] = {}
    for key, value in {**given, **dict(map(_assignment, other or []))}.items():
        if value is not None:
            _put(table, key.split("."), value)
    target = target_file(config)
    add_profile(target, name, table, replace=replace)
    output.say(f"{'replaced' if replace else 'added'} '{name}' in {target}")


def target_file(config: str | None) -> Path:
    """Return the file to add to: the one named, the one in use, else a new one here."""
    if config:
        return Path(config)
    return find_configuration(None).path or Path("profiles.toml")


def _assignment(text: str) -> tuple[str, Any]:
    """Read `KEY=VALUE`; the value is TOML where it reads as such, else a string."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise BadOption(f"--set takes KEY=VALUE, not '{text}'")
    try:
        return key, read_toml(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key, value


def _put(table: dict[str, Any], keys: list[str], value: Any) -> None:
    """Set a value in nested tables, made where they are missing."""
    *parents, last = keys
    for key in parents:
        table = table.setdefault(key, {})
        if not isinstance(table, dict):
            raise BadFile("--set", f"'{key}' is a value, not a table")
    table[last] = value


def _write(text: str) -> None:
    output.Output(encoding=output.encoding()).write(text)


def _document(value: Any) -> None:
    from utp_cli.views.json import document  # noqa: PLC0415

    output.Output().write(document(value))
