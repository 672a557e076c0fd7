"""Namespaces of tools: `server__tool`. Written, taken apart, grouped, chosen by task."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from utp_cli.rendering.budget import relevance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.protocol.tools import Tool

SEPARATOR = "__"
"""Every provider takes it in a name."""
SEPARATORS = (SEPARATOR, "_")
"""What is met between a namespace and a name."""


def prefixed(tools: Sequence[Tool], namespace: str, separator: str = SEPARATOR) -> list[Tool]:
    """Return the tools with the namespace before their names; a name that has it, however parted, keeps it once."""
    has = tuple(namespace + known for known in (separator, *SEPARATORS))
    return [
        tool if tool.name.startswith(has) else replace(tool, name=namespace + separator + tool.name) for tool in tools
    ]


def extracted(name: str, separator: str = SEPARATOR) -> tuple[str | None, str]:
    """Return a name's namespace (None where it has none) and the rest: `("git", "log")` for `git__log`."""
    namespace, found, rest = name.partition(separator)
    return (namespace, rest) if found and namespace and rest else (None, name)


def grouped(tools: Sequence[Tool], separator: str = SEPARATOR) -> dict[str | None, list[Tool]]:
    """Return the tools by namespace, in order; None holds those without one."""
    groups: dict[str | None, list[Tool]] = {}
    for tool in tools:
        groups.setdefault(extracted(tool.name, separator)[0], []).append(tool)
    return groups


def chosen(tools: Sequence[Tool], task: str, separator: str = SEPARATOR) -> list[Tool]:
    """Return the tools of the namespaces that have to do with a task, and those without one; all where none has."""
    groups = grouped(tools, separator)
    fitting = {name for name, group in groups.items() if any(relevance(tool, task) for tool in group)}
    kept = [tool for tool in tools if extracted(tool.name, separator)[0] in fitting | {None}]
    return kept if fitting - {None} else list(tools)
