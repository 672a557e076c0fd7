"""Start commands where people keep them: as text, in a script, a Modelfile, a compose file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.detection.command_line import ENGINES, NAMES, is_modelfile, read_command, read_modelfile
from utp_cli.io.inputs import STDIN, read
from utp_cli.protocol.errors import BadFile, BadOption

if TYPE_CHECKING:
    from utp_cli.detection.command_line import StartCommand

_LONGEST_NAME = 1024


def read_commands(source: str) -> list[StartCommand]:
    """Read a command line, or the file with this name (`-`: standard input), as every command of a server in it.

    A file is a Modelfile, a compose file or a script. Raises `UtpError` where no server is known in it.
    """
    text, name = _text(source)
    if is_modelfile(text):
        return [read_modelfile(text)]
    found = _composed(text, name) if re.search(r"^services:", text, re.MULTILINE) else _in_script(text)
    if not found:
        known = ", ".join(dict.fromkeys(NAMES[engine] for _, engine, _ in ENGINES))
        raise BadOption(
            f"--command: no server is started here; known are {known}, and a Modelfile of Ollama"
            " (for what Ollama pulls: utp detect ollama/MODEL)"
        )
    return found


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
    """Read every line of a shell script; lines that end in a backslash go on."""
    lines = re.sub(r"\\\r?\n", " ", text).splitlines()
    return [command for line in lines if (command := read_command(line))]


def _composed(text: str, name: str) -> list[StartCommand]:
    """Read the `command` (and `entrypoint`) of every service; its image may tell the engine."""
    from utp_cli.io.positions import read_yaml  # noqa: PLC0415 - YAML is for those who have some

    document = read_yaml(text, name).value
    services = document.get("services") if isinstance(document, dict) else None
    if not isinstance(services, dict):
        raise BadFile(name, "looks like a compose file, but `services` is no table")
    found = []
    for service in services.values():
        if isinstance(service, dict):
            words = " ".join(_words(service.get(key)) for key in ("entrypoint", "command"))
            command = read_command(words, image=str(service.get("image") or "").strip())
            found += [command] if command else []
    return found


def _words(value: Any) -> str:
    """Return a command as text, whether it is written as one or as a list."""
    import shlex  # noqa: PLC0415

    return shlex.join(map(str, value)) if isinstance(value, list) else str(value or "")
