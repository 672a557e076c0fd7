"""What speaks against running a call, before it is run. Nothing is executed, and no file is looked at."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from utp_cli.protocol.calls import Problem
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import pointer
from utp_cli.validation.arguments import check_arguments
from utp_cli.validation.plan import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from utp_cli.protocol.calls import ToolCall
    from utp_cli.protocol.tools import Tier, Tool

PATH_WORDS: Final = frozenset(
    {"path", "paths", "file", "files", "filename", "filenames", "filepath", "dir", "dirs", "directory", "directories"}
    | {"folder", "folders", "cwd", "workdir", "root", "source", "src", "destination", "dest", "dst", "target"}
)
"""An argument whose name ends in one of these may hold a path."""
VALUES_AT_MOST: Final = 10_000
"""Values that are looked at in one call."""
_DRIVE: Final = regex(r"[A-Za-z]:")
_HOME: Final = regex(r"~[\w-]*(?:/|$)")
_SCHEME: Final = regex(r"(?!file:)[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def preflight_check(
    call: ToolCall, tools: Mapping[str, Tool], *, tier: Tier | None = None, root: str | None = None
) -> list[Problem]:
    """Return all that speaks against running a call; nothing where it may run.

    `tier` is the highest tier that the caller offers. `root` is the folder that paths must stay in; where it is None
    only paths that climb out of where they start (`../x`) are found. Problems: those of `check_arguments`, `tier`,
    `confirmation`, `path-escape`.
    """
    problems = list(check_arguments(call.name, call.arguments, tools).problems)
    tool = tools.get(call.name)
    return problems + ([*above_tier(tool, tier), *unconfirmed(tool), *leaving(call.arguments, root)] if tool else [])


def above_tier(tool: Tool | None, tier: Tier | None) -> list[Problem]:
    """Say that a tool may do more than the caller offers."""
    if tool is None or tier is None or tool.tier <= tier:
        return []
    return [
        Problem(
            code="tier", message=f"{tool.name} is of tier {tool.tier.name}, above {tier.name}",
            hint=f"allow tier {tool.tier.name}, or use a tool of tier {tier.name}",
            expected=tier.name, received=tool.tier.name,
        )
    ]  # fmt: skip


def unconfirmed(tool: Tool | None) -> list[Problem]:
    """Say that a person must agree first."""
    if tool is None or not tool.requires_confirmation:
        return []
    return [Problem(code="confirmation", message=f"{tool.name} may run only when a person agrees", hint="ask first")]


def leaving(arguments: Mapping[str, Any], root: str | None) -> list[Problem]:
    """Say which paths among the arguments leave the root, by the rules of `escapes`."""
    return [_escape(at, path, root) for at, path in _paths(arguments) if escapes(path, root)]


def escapes(path: str, root: str | None = None) -> bool:
    """Whether a path leaves the root, judged by its letters alone: `..`, `~`, absolute, percent-encoded or not.

    Raises nothing. Addresses (`https://…`) are no paths and leave nothing.
    """
    if _SCHEME.match(path):
        return False
    return any(_leaves(each.replace("\\", "/"), root) for each in (path, unquote(path), unquote(unquote(path))))


def _leaves(path: str, root: str | None) -> bool:
    path = re.sub(r"^file:(?://(?:localhost)?(?=/))?", "", path.strip(), flags=re.IGNORECASE)
    if "\0" in path or _HOME.match(path):
        return True
    if _DRIVE.match(path) or path.startswith("/"):
        return root is not None and not _within(posixpath.normpath(path), root)
    return posixpath.normpath(path).split("/")[0] == ".."


def _within(path: str, root: str) -> bool:
    base = posixpath.normpath(root.replace("\\", "/"))
    # On Windows two spellings of a drive are one; elsewhere case tells files apart.
    if _DRIVE.match(base):
        path, base = path.lower(), base.lower()
    return path == base or path.startswith(base.rstrip("/") + "/")


def _paths(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts that may be paths by the name of their argument, with the pointer of each."""
    waiting: list[tuple[str, str, Any]] = [(pointer(key), key, value) for key, value in arguments.items()]
    for at, name, value in waiting:
        if isinstance(value, str) and _names_path(name):
            yield at, value
        elif isinstance(value, dict | list) and len(waiting) < VALUES_AT_MOST:
            members = value.items() if isinstance(value, dict) else enumerate(value)
            waiting += [(at + pointer(key), key if isinstance(key, str) else name, item) for key, item in members]


def _names_path(name: str) -> bool:
    return bool(PATH_WORDS.intersection(words(name)[-1:]))


def _escape(at: str, path: str, root: str | None) -> Problem:
    return Problem(
        code="path-escape", pointer=at, message=f"the path leaves {root or 'the folder it starts in'}",
        hint="give a path inside it, without '..'", expected=root, received=path,
    )  # fmt: skip
