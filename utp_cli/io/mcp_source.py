"""Tools asked of an MCP server: a command that speaks on its standard input and output, or a URL.

A URL is asked by streamable HTTP; where it refuses that, by the older server-sent events (SSE).
"""

from __future__ import annotations

import contextlib
import os
import shlex
import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

from utp_cli.protocol.errors import BadFile, BadOption
from utp_cli.protocol.extras import install
from utp_cli.validation.definitions import read_definition

if TYPE_CHECKING:
    from utp_cli.protocol.tools import Tool

PAGES = 100
"""Pages of one list; a server that always names a next one is not followed for ever."""
_LAST_WORDS = 2000
"""Bytes of what a failing command wrote to standard error that are looked at."""


def list_mcp_tools(source: str, timeout: float = 30.0) -> list[Tool]:
    """Return the tools of a server. As `mcp_definitions`."""
    listed = mcp_definitions(source, timeout)
    return [replace(tool, place=source) for tool in read_definition({"tools": listed})]


def mcp_definitions(source: str, timeout: float = 30.0) -> list[dict[str, Any]]:
    """Return the definitions of a server's tools, as it sends them.

    `source`: a URL, or a command that is started. `timeout`: seconds, for all of it.
    Raises `BadOption` where the `mcp` extra is missing or the source is no command, `BadFile` where it does not answer.
    """
    try:
        import mcp  # noqa: F401, PLC0415 - an extra, and slow to load
    except ImportError:
        raise BadOption(f"asking an MCP server needs an extra: {install('mcp')}") from None
    import asyncio  # noqa: PLC0415

    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        first, *others = _transports(source, errors)
        try:
            listed = asyncio.run(_asked(first, timeout))
        except Exception as error:  # noqa: BLE001 - the SDK raises groups of whatever its transports raise
            listed = []
            for transport in others:
                with contextlib.suppress(Exception):  # the first error tells more
                    listed = asyncio.run(_asked(transport, timeout))
            if not listed:
                raise BadFile(source, f"gave no tools: {_reason(error, timeout)}{_last_words(errors)}") from None
    if not listed:
        raise BadFile(source, "the server has no tools")
    return listed


def _transports(source: str, errors: TextIO) -> list[Any]:
    """Return what the SDK's client connects to, one after the other until one answers."""
    from mcp import StdioServerParameters  # noqa: PLC0415
    from mcp.client.sse import sse_client  # noqa: PLC0415
    from mcp.client.stdio import stdio_client  # noqa: PLC0415

    if source.startswith(("http://", "https://")):
        both = [source, sse_client(source)]
        return both[::-1] if source.partition("?")[0].rstrip("/").endswith("/sse") else both
    try:
        words = _words(source)
    except ValueError as error:
        raise BadOption(f"--mcp takes a URL or a command, not {source!r}: {str(error).lower()}") from None
    if not words:
        raise BadOption("--mcp takes a URL or a command; this one is empty")
    command, *arguments = words
    return [stdio_client(StdioServerParameters(command=command, args=arguments, env=dict(os.environ)), errors)]


def _words(command: str) -> list[str]:
    """Take a command apart as a shell does. Raises `ValueError`. On Windows a backslash is part of a path."""
    if os.name != "nt":
        return shlex.split(command)
    return [
        word[1:-1] if word[:1] in "'\"" and word[-1:] == word[:1] else word
        for word in shlex.split(command, posix=False)
    ]


async def _asked(transport: Any, timeout: float) -> list[dict[str, Any]]:  # noqa: ASYNC109 - for all steps together
    import asyncio  # noqa: PLC0415

    from mcp import Client  # noqa: PLC0415

    found: list[dict[str, Any]] = []
    async with asyncio.timeout(timeout), Client(transport) as client:
        cursor = None
        for _ in range(PAGES):
            page = await client.list_tools(cursor=cursor)
            found += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
            cursor = page.next_cursor
            if not cursor:
                break
    return found


def _reason(error: BaseException, timeout: float) -> str:
    """Return what lies at the bottom of nested groups of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout:g} seconds"
    if isinstance(error, FileNotFoundError):
        return f"no such program: {error.filename}"
    return (" ".join(str(error).split()) or type(error).__name__)[:300]


def _last_words(errors: TextIO) -> str:
    """Return the last line that a command wrote to standard error, as a clause."""
    errors.seek(0)
    lines = errors.read()[-_LAST_WORDS:].split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f"; it said: {last[:200]}" if last else ""
