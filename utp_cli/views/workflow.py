"""GitHub's workflow commands: lines that GitHub shows beside the code (docs.github.com, workflow commands)."""

from __future__ import annotations

from typing import Any

from utp_cli.facts.project import page_of
from utp_cli.views.escape import shown


def workflow_command(level: str, message: str, **properties: Any) -> str:
    """Write a command; `level` is `error`, `warning` or `notice`. Properties that are None are left out."""
    said = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items() if value is not None)
    return f"::{level} {said}::{_data(message)}\n"


def linked(message: str, kind: str, code: str) -> str:
    """Return a message with the address of the page of its code, where there is one."""
    return f"{message}\n{address}" if (address := page_of(kind, code)) else message


def _data(text: str) -> str:
    safe = "\n".join(shown(line) for line in text.split("\n"))
    return safe.replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
