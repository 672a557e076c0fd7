"""Start commands where people keep them: as text, in a script, a unit, a Modelfile, a compose file, a manifest."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.detection.command_docker import is_dockerfile, read_dockerfile
from utp_cli.detection.command_faults import TEMPLATE
from utp_cli.detection.command_line import ENGINES, NAMES, is_modelfile, read_command, read_modelfile
from utp_cli.detection.command_mappings import command_of
from utp_cli.detection.command_slips import mended
from utp_cli.io.inputs import STDIN, read
from utp_cli.protocol.errors import BadFile, BadOption
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from utp_cli.detection.command_line import StartCommand

_LONGEST_NAME = 1024
_NAME = regex(r"\S*[./]\S*")
"""What the name of a file looks like, and no command with options."""
_YAML = regex(r"^[ \t]*(?:- )?(?:services|containers|image|kind|engine_kwargs):(?:[ \t]|$)", re.MULTILINE)
_RAY = "engine_kwargs"
"""The member of a model's configuration for Ray Serve LLM that holds the options of vLLM."""
_SET = regex(
    r"[ \t]*(?:(?:export|set|declare|local|readonly)[ \t]+|Environment=)?\"?"
    r"([A-Za-z_]\w*)=(\"[^\"]*\"?|'[^']*'|[^\s;&|]*)[ \t]*;?\"?"
)
"""A line that gives a variable its value: of a shell, or of a systemd unit."""
_LONGEST_VALUE, _MOST_VARIABLES, _LONGEST_LINE = 4000, 1000, 100_000
"""Characters of a variable's value, variables of a script, and characters that values add to a line."""
_VARIABLE = regex(r"\$\{(\w+)(?::?-([^}]*))?\}|\$([A-Za-z_]\w*)")


def read_commands(source: str) -> list[StartCommand]:
    """Read a command line, or the file with this name (`-`: standard input), as every command of a server in it.

    A file is a Modelfile, a Dockerfile, a compose file, a manifest of Kubernetes, a configuration of Ray Serve LLM, a
    systemd unit or a script. Raises `UtpError` where no server is known in it.
    """
    text, name = _text(source)
    if is_dockerfile(text):
        found = _in_dockerfile(text)
    elif is_modelfile(text):
        return [read_modelfile(text)]
    else:
        found = _composed(text, name) if _YAML.search(text) else _in_script(text)
    if not found:
        if name != source and _NAME.fullmatch(source):
            raise BadOption(f"--command: {source}: no such file, and no command line either")
        known = ", ".join(dict.fromkeys(NAMES[engine] for _, engine, _ in ENGINES))
        raise BadOption(
            f"--command: no server is started here; known are {known}, and a Modelfile of Ollama"
            " (for what Ollama pulls: utp detect ollama/MODEL)"
        )
    return [_with_template(command) for command in found]


def _with_template(command: StartCommand) -> StartCommand:
    """Read the chat template that a command loads, where the file is there."""
    name = command.options.get(TEMPLATE, "")
    if not name or not _is_file(name):
        return command
    return replace(command, template=read(name).decode("utf-8", errors="replace"))


def _text(source: str) -> tuple[str, str]:
    """Return the text and where it came from."""
    if source == STDIN or (len(source) < _LONGEST_NAME and "\n" not in source and _is_file(source)):
        return read(source).decode("utf-8", errors="replace"), source
    return source, "--command"


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _in_script(text: str) -> list[StartCommand]:
    """Read every line of a shell script or a systemd unit; `$NAME` is what a line before says that it is."""
    said: dict[str, str] = {}
    found = []
    for line in mended(text).splitlines():
        set_here = _SET.fullmatch(line)
        if set_here:
            value = _expanded(set_here[2].strip("\"'"), said)
            said |= {set_here[1]: value} if len(value) < _LONGEST_VALUE and len(said) < _MOST_VARIABLES else {}
        elif command := read_command(_expanded(line, said), environment=said):
            found.append(command)
    return found


def _in_dockerfile(text: str) -> list[StartCommand]:
    words, image, said = read_dockerfile(text)
    command = read_command(_expanded(words, said), image=image, environment=said)
    return [command] if command else []


def _expanded(text: str, said: dict[str, str]) -> str:
    """Put in the values of variables that are known, and defaults (`${NAME:-default}`); others stay.

    What gets longer than `_LONGEST_LINE` characters keeps the names: values made of values grow without an end.
    """
    left = _LONGEST_LINE

    def value(name: re.Match[str]) -> str:
        nonlocal left
        known = said.get(name[1] or name[3]) or name[2] or name[0]
        left -= len(known)
        return known if left > 0 else name[0]

    return _VARIABLE.sub(value, text)


def _composed(text: str, name: str) -> list[StartCommand]:
    """Read what every service of a compose file, or container of a Kubernetes manifest, runs.

    The image may tell the engine. `$NAME` is what the container's environment says that it is.
    """
    from utp_cli.io.positions import read_yaml  # noqa: PLC0415 - YAML is for those who have some

    found = []
    for part in re.split(r"^---[ \t]*$", text, flags=re.MULTILINE):
        document = read_yaml(part, name).value if part.strip() else None
        if isinstance(document, dict) and not isinstance(document.get("services", {}), dict):
            raise BadFile(name, "looks like a compose file, but `services` is no table")
        for container in _containers(document):
            parts = (container.get(key) for key in ("entrypoint", "command", "args"))
            words = _of_ray(container) if _RAY in container else " ".join(map(_words, parts))
            image = "" if _RAY in container else _expanded(str(container.get("image") or ""), {}).strip()
            said = _environment(container)
            command = read_command(_expanded(words, said), image=image, environment=said)
            found += [command] if command else []
    return found


def _containers(document: Any) -> Iterator[dict[str, Any]]:
    """Yield every table in a document that says which image runs, or by which command."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if not {"image", "command", _RAY}.isdisjoint(value):
                yield value
            else:
                waiting += reversed(value.values())
        elif isinstance(value, list):
            waiting += reversed(value)


def _of_ray(config: dict[str, Any]) -> str:
    """Write a model of Ray Serve LLM as the command of vLLM that it stands for."""
    loading, given = config.get("model_loading_config"), config[_RAY]
    names = [loading.get(key) for key in ("model_source", "model_id")] if isinstance(loading, dict) else []
    model = next((name for name in names if isinstance(name, str) and name), "")
    return command_of("vllm", model, given if isinstance(given, dict) else {})


def _environment(container: dict[str, Any]) -> dict[str, str]:
    """Return the variables of a container: a table, a list of `NAME=value`, or a list of names with values."""
    given = container.get("environment") or container.get("env") or ()
    if isinstance(given, dict):
        return {str(key): str(value) for key, value in given.items() if value is not None}
    found = {}
    for each in given if isinstance(given, list) else ():
        if isinstance(each, dict) and each.get("value") is not None:
            found[str(each.get("name"))] = str(each["value"])
        elif isinstance(each, str) and "=" in each:
            name, _, found[name] = each.partition("=")
    return found


def _words(value: Any) -> str:
    """Return a command as text, whether it is written as one or as a list."""
    import shlex  # noqa: PLC0415

    if not isinstance(value, list):
        return str(value or "")
    return " ".join(_word(str(word), shlex.quote) for word in value)


def _word(word: str, quote: Callable[[str], str]) -> str:
    """Quote a word, except where it names a variable: `$NAME` in compose files, `$(NAME)` in manifests."""
    return re.sub(r"\$\((\w+)\)", r"${\1}", word) if "$" in word and " " not in word else quote(word)
