"""Names as models write them → the tool that is meant. Never silently, and only where exactly one fits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from utp_cli.protocol.calls import Repair
from utp_cli.repair.codes import CODES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.tools import Tool

_DECORATIONS = (
    re.compile(r"(?:functions?|tools?|default_api|namespace\.functions)[.:/](?P<name>.+)"),
    re.compile(r"tool_(?P<name>.+)"),
    re.compile(r"<function=(?P<name>[^>]+)>?"),
    re.compile(r"mcp__[\w-]+?__(?P<name>.+)"),
    re.compile(r"(?P<name>.+?)\(\)"),
    re.compile(r"(?P<name>.+?):\d+"),
)
"""What template leaks and habits put around a name (Kimi's `functions.x:0`, GPT's `functions.x`)."""


def known_name(name: str, tools: Mapping[str, Tool]) -> tuple[str, Repair | None]:
    """Return the known name that is meant, and the repair that took; the name itself where none fits."""
    if name in tools or not isinstance(name, str) or len(name) > 256:
        return name, None
    bare = undecorated(name, tools)
    if bare:
        return bare, _repair("name-decoration", name, bare, "took the decoration off the name")
    alike = [known for known in tools if _plain(known) == _plain(name)]
    if len(alike) == 1:
        return alike[0], _repair("name-style", name, alike[0], "spelt the name as the tool does")
    return name, None


def undecorated(name: str, tools: Mapping[str, Tool]) -> str | None:
    """Return the known name inside a decorated one, None where there is none."""
    waiting = [name.strip().strip("\"'`")]
    for candidate in waiting:
        if candidate in tools:
            return candidate
        if len(waiting) < 8:
            waiting += [
                found["name"].strip() for decoration in _DECORATIONS if (found := decoration.fullmatch(candidate))
            ]
    return None


def _plain(name: str) -> str:
    return re.sub(r"[_\-\s]", "", name).lower()


def _repair(code: str, before: str, after: str, message: str) -> Repair:
    return Repair(
        code=code, layer="shape", confidence=CODES[code].confidence, pointer="/name", before=before, after=after,
        message=message,
    )  # fmt: skip
