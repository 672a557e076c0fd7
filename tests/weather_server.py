"""An MCP server for the tests: on standard input and output, or over HTTP on loopback (`--http` or `--sse`, port on
stdout)."""

from __future__ import annotations

import socket
import sys
from typing import Literal

from mcp.server import MCPServer
from mcp.types import ToolAnnotations

server = MCPServer("weather")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def forecast(city: str, days: int = 3) -> str:
    """Tell the weather of a city."""
    return f"{city}: {days} days of rain"


@server.tool()
def set_station(station: Literal["north", "south"], *, awake: bool) -> str:
    """Wake a station, or let it sleep."""
    return f"{station}: {awake}"


def serve_http() -> None:
    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)  # noqa: T201 - how the test learns the port
    served = server.sse_app() if "--sse" in sys.argv else server.streamable_http_app()
    config = uvicorn.Config(served, log_level="error")
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    serve_http() if "--http" in sys.argv or "--sse" in sys.argv else server.run()
