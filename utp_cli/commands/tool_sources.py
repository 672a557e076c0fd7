"""Where the tools of a command come from, and which of them are left: tiers, namespaces, a small context window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from utp_cli.io.inputs import STDIN, is_terminal, read, shown_name
from utp_cli.io.tool_files import load_tools, read_tool_file
from utp_cli.protocol.errors import BadFile, BadOption, UnknownName
from utp_cli.protocol.tools import tier_named
from utp_cli.rendering.budget import fit
from utp_cli.rendering.namespaces import SEPARATOR, chosen, extracted, grouped, prefixed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.protocol.tools import Tool

AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which of the tools are offered, and under what names. The defaults leave them all as they are."""

    tier: str | None = None
    only: str | None = None
    """Namespaces with commas between; `auto`: those that fit the task."""
    namespace: str | None = None
    """Put before every name that is left."""
    separator: str = SEPARATOR
    """What parts a namespace from the name."""
    context_window: int | None = None
    task: str = ""


def gathered(files: Sequence[str], mcp: Sequence[str], python: Sequence[str]) -> tuple[list[Tool], list[str]]:
    """Return the tools of all sources, and what is to be said of getting them. Standard input, where none is named.

    Raises `UtpError` where a source cannot be read, and where two tools share a name: providers refuse the request.
    """
    named = files or ([] if mcp or python else [STDIN])
    tools = [tool for file in named for tool in _load(file)]
    if mcp:
        from utp_cli.io.mcp_source import list_mcp_tools  # noqa: PLC0415 - loads asyncio

        tools += [tool for source in mcp for tool in list_mcp_tools(source)]
    if python:
        from utp_cli.io.python_source import import_tools  # noqa: PLC0415 - loads pydantic

        tools += [tool for source in python for tool in import_tools(source)]
    modules = dict.fromkeys(source.partition(":")[0] for source in python)
    return _each_once(tools), [f"imported {module}: its code has run" for module in modules]


def selected(tools: Sequence[Tool], asked: Selection, count: Callable[[str], int]) -> tuple[list[Tool], list[str]]:
    """Return the tools that are left, and what is to be said of the others. `count`: tokens of a text."""
    tier = tier_named(asked.tier)
    left = [tool for tool in tools if tier is None or tool.tier <= tier]
    if asked.only:
        left = _in_namespaces(left, asked)
    if asked.namespace:
        left = prefixed(left, asked.namespace, asked.separator)
    fitted = fit(left, asked.context_window, asked.task, count)
    notes = [(fitted.dropped, "left out"), (fitted.shortened, "cut short in their descriptions")]
    share = f"{fitted.limit} of {asked.context_window} tokens are for definitions"
    return list(fitted.tools), [f"{what}: {', '.join(names)} ({share})" for names, what in notes if names]


def _in_namespaces(tools: list[Tool], asked: Selection) -> list[Tool]:
    if asked.only == AUTO:
        return chosen(tools, asked.task, asked.separator)
    known = [name for name in grouped(tools, asked.separator) if name]
    wanted = [name.strip() for name in (asked.only or "").split(",") if name.strip()]
    for name in wanted:
        if name not in known:
            raise UnknownName(
                "namespace", name, known, f"there are: {', '.join(known)}" if known else "no tool has one"
            )
    return [tool for tool in tools if extracted(tool.name, asked.separator)[0] in wanted]


def _load(file: str) -> list[Tool]:
    if file.endswith(".py"):
        raise BadFile(file, "is Python: --python MODULE:NAME imports it, and its code runs")
    if file != STDIN:
        return load_tools(file)
    if is_terminal():
        raise BadOption(
            "no tools yet: name a file (tools.yaml), an MCP server (--mcp) or a function (--python), or pipe one in"
        )
    place = shown_name(file)
    try:
        text = read(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFile(place, f"is not text: byte {error.start} is no UTF-8") from None
    if "\0" in text:
        raise BadFile(place, "is not text")
    tools = [loaded.tool for loaded in read_tool_file(place, text).tools]
    for tool in tools:
        if not tool.name:
            raise BadFile(tool.place, "a tool without a name")
    return tools


def _each_once(tools: list[Tool]) -> list[Tool]:
    places: dict[str, str] = {}
    for tool in tools:
        if tool.name in places:
            raise BadFile(tool.place, f"a second tool called '{tool.name}'; the first is at {places[tool.name]}")
        places[tool.name] = tool.place
    return tools
