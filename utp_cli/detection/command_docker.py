"""Dockerfiles: the command of an image, its variables, and the image that it is made from."""

from __future__ import annotations

import json
import re
import shlex
from typing import Final

from utp_cli.detection.command_slips import joined
from utp_cli.protocol.patterns import regex

_DOCKERFILE: Final = regex(
    r"^(?:RUN|CMD|ENTRYPOINT|COPY|ENV|EXPOSE|WORKDIR|ARG|USER|VOLUME|HEALTHCHECK|STOPSIGNAL|SHELL|ADD)[ \t]",
    re.MULTILINE,
)
_FROM: Final = regex(r"^FROM[ \t]+(?:--platform=\S{1,60}[ \t]+)?(\S{1,200})", re.MULTILINE | re.IGNORECASE)
_LINE: Final = regex(r"^(CMD|ENTRYPOINT)[ \t]+([^\n]{1,4000})", re.MULTILINE)
_ENV: Final = regex(r"^ENV[ \t]+([A-Za-z_]\w{0,80})(?:=|[ \t]+)([^\n]{0,400})", re.MULTILINE)


def is_dockerfile(text: str) -> bool:
    """Whether a text is a Dockerfile: a Modelfile of Ollama has a FROM, too, but none of the other words."""
    return bool(_FROM.search(text) and _DOCKERFILE.search(text))


def read_dockerfile(text: str) -> tuple[str, str, dict[str, str]]:
    """Return the command that a container of the image runs, the image that it is made from, and its variables."""
    text = joined(text)
    images = _FROM.findall(text)
    parts = {word: _words(written) for word, written in _LINE.findall(text)}
    said = {name: value.strip().strip("\"'") for name, value in _ENV.findall(text)}
    return " ".join(parts[word] for word in ("ENTRYPOINT", "CMD") if word in parts), images[-1] if images else "", said


def _words(written: str) -> str:
    if written.lstrip().startswith("["):
        try:
            words = json.loads(written)
        except (ValueError, RecursionError):
            return written
        return shlex.join(map(str, words)) if isinstance(words, list) else written
    return written
