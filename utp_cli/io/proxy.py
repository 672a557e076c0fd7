"""A reverse proxy on loopback that sees what goes by.

    client ──► uvicorn ──► Relay ──► httpx ──► upstream
                             └──► a `Capture`, once the exchange has ended, however it ended

Bytes of an answer go on as they come, content encoding and all; only headers that belong to one connection are
exchanged. Who asks must name a host of loopback, or one that was allowed: a page in a browser that has its own name
point here (DNS rebinding) is refused. uvicorn takes care of connections (keep-alive, clients that go away, back
pressure), httpx of the way upstream (TLS, proxies, a pool).
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import socket
import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from utp_cli.io.web import joined_paths, root_of, shown_url
from utp_cli.protocol.errors import BadOption
from utp_cli.recording.capture import Capture

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    import httpx

    Receive = Callable[[], Awaitable[dict[str, Any]]]
    Send = Callable[[dict[str, Any]], Awaitable[None]]

_OF_ONE_CONNECTION: Final = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding"
    b" upgrade".split()
)
"""Headers that are not passed on (RFC 9110, 7.6.1)."""
_NOT_SENT: Final = _OF_ONE_CONNECTION | {b"host", b"expect"}
_MOST: Final = 64 << 20
"""Bytes of an answer that are kept; all of it goes on."""
_GRACE: Final = 2
"""Seconds that answers under way have to end after the first signal; the second ends them at once."""
_CONNECTING: Final = 10.0
_BACKLOG: Final = 2048
_IDLE: Final = 75
"""Seconds that a connection may rest between two requests."""


class Relay:
    """The ASGI application: passes every request on, and hands over what went by."""

    def __init__(
        self, upstream: httpx.URL, client: httpx.AsyncClient, hear: Callable[[Capture], None], hosts: Iterable[str] = ()
    ) -> None:
        """`hosts`: names besides those of loopback that a client may call this server by."""
        self._upstream, self._client, self._hear = upstream, client, hear
        self._hosts = frozenset(host.lower() for host in hosts)
        self._root = urlsplit(root_of(str(upstream))).path

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Serve one request."""
        if refused := self._refusal(scope):
            await _answer(send, *refused)
            return
        path = joined_paths(self._upstream.path, scope["raw_path"].decode("latin-1"))
        query = scope["query_string"]
        capture = Capture(
            method=scope["method"],
            path=path.removeprefix(self._root) + (f"?{query.decode('latin-1')}" if query else ""),
            at=time.time(),
            request_headers=_headers(scope["headers"]),
        )
        start = time.perf_counter()
        try:
            body = await _body(receive)
            if body is None:
                capture.ended = "client-gone"
                return
            capture.request_body = body
            await self._relay_while_heard(self._request(scope, path, body), capture, receive, send)
        finally:
            capture.elapsed = time.perf_counter() - start
            self._hear(capture)

    def _refusal(self, scope: dict[str, Any]) -> tuple[int, str] | None:
        """Return status and message for what is not passed on; None for what is."""
        names = [name.lower() for name, _ in scope["headers"]]
        if scope["method"] == "CONNECT":
            return 405, "this is no tunnel: name it as the base URL, not as a proxy"
        if not scope["raw_path"].startswith(b"/"):
            return 400, "the target of a request has to be a path: name this server as the base URL, not as a proxy"
        if b"content-length" in names and b"transfer-encoding" in names:
            return 400, "a request has Content-Length or Transfer-Encoding, not both"
        for name, value in scope["headers"]:
            if name.lower() == b"host" and not _is_loopback(host := _host_of(value)) and host not in self._hosts:
                return 403, f"the host {host[:80]!r} is not known here; --allow-host NAME allows it"
        return None

    def _request(self, scope: dict[str, Any], path: str, body: bytes) -> httpx.Request:
        import httpx  # noqa: PLC0415

        query = b"&".join(part for part in (self._upstream.query, scope["query_string"]) if part)
        url = self._upstream.copy_with(raw_path=path.encode("latin-1") + (b"?" + query if query else b""))
        dropped = _NOT_SENT | _named_in_connection(scope["headers"])
        headers = [(name, value) for name, value in scope["headers"] if name.lower() not in dropped]
        return httpx.Request(scope["method"], url, headers=headers, content=body or None)

    async def _relay_while_heard(self, request: httpx.Request, capture: Capture, receive: Receive, send: Send) -> None:
        """Relay, and give up as soon as the client is gone: then the server upstream is left alone too."""
        relaying = asyncio.create_task(self._relay(request, capture, send))
        gone = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait({relaying, gone}, return_when=asyncio.FIRST_COMPLETED)
            if capture.ended == "complete":
                await relaying
            elif not relaying.done():
                capture.ended = "client-gone"
        finally:
            relaying.cancel()
            gone.cancel()
            await asyncio.gather(relaying, gone, return_exceptions=True)

    async def _relay(self, request: httpx.Request, capture: Capture, send: Send) -> None:
        import httpx  # noqa: PLC0415

        kept, size = [], 0
        try:
            response = await self._client.send(request, stream=True)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            await self._refuse(error, capture, send)
            return
        dropped = _OF_ONE_CONNECTION | _named_in_connection(response.headers.raw)
        passed = [(name, value) for name, value in response.headers.raw if name.lower() not in dropped]
        capture.status, capture.response_headers = response.status_code, _headers(passed)
        try:
            await send({"type": "http.response.start", "status": response.status_code, "headers": passed})
            async for piece in response.aiter_raw():
                size += len(piece)
                if size <= _MOST:
                    kept.append(piece)
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            capture.ended = "complete" if size <= _MOST else "too-long"
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        except httpx.HTTPError:
            capture.ended = "upstream-broke"  # the answer is left unfinished: so the client sees it break as well
        finally:
            capture.response_body = b"".join(kept)
            await response.aclose()

    async def _refuse(self, error: Exception, capture: Capture, send: Send) -> None:
        """Answer in place of a server that cannot be reached."""
        what = f"utp record: no answer from {shown_url(str(self._upstream))}: {str(error) or type(error).__name__}"
        capture.status, capture.ended = 502, "unreachable"
        capture.response_headers, capture.response_body = await _answer(send, 502, what)


async def _answer(send: Send, status: int, message: str) -> tuple[list[tuple[str, str]], bytes]:
    """Answer in the form that the clients of model servers show; return the headers and the body."""
    kind = "upstream_error" if status == 502 else "invalid_request_error"
    said = message if message.startswith("utp ") else f"utp record: {message}"
    body = json.dumps({"error": {"message": said, "type": kind, "code": status}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    closing = [(b"connection", b"close")] if status < 500 else []
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *closing]})
    await send({"type": "http.response.body", "body": body})
    return _headers(headers), body


def _host_of(value: bytes) -> str:
    """Return the name in a `Host` header, without its port."""
    host = value.decode("latin-1").strip().lower()
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0].rstrip(".")


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _named_in_connection(headers: Iterable[tuple[bytes, bytes]]) -> set[bytes]:
    """Return the headers that `Connection` names as its own (RFC 9110, 7.6.1)."""
    values = [value for name, value in headers if name.lower() == b"connection"]
    return {word.strip().lower() for value in values for word in value.split(b",")}


async def _body(receive: Receive) -> bytes | None:
    """Return the whole body of a request; None where the client left before its end."""
    pieces = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        pieces.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(pieces)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _headers(raw: Iterable[tuple[bytes, bytes]]) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in raw]


def listen(port: int) -> socket.socket:
    """Open a socket on loopback; port 0 takes a free one. Raises `BadOption`."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    # On Windows SO_REUSEADDR would let two programs listen on one port.
    alone = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
    opened.setsockopt(socket.SOL_SOCKET, alone, 1)
    try:
        opened.bind(("127.0.0.1", port))
        opened.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        opened.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise BadOption(f"cannot listen on port {port}: {reason.lower()}; choose another with --port") from None
    return opened


def serve(
    listening: socket.socket, upstream: str, hear: Callable[[Capture], None], hosts: Iterable[str] = (), *,
    running: Callable[[Any], None] = lambda _: None,
) -> None:  # fmt: skip
    """Relay until SIGINT or SIGTERM. `hear` is called with each exchange that has ended, from one thread.

    Its bodies are as they went by, with their content encodings. `hosts`: further names of this server. `running`
    is handed the server before it starts: it ends once its `should_exit` is true. Raises `BadOption` where the
    packages of the extra `record` are missing.
    """
    asyncio.run(_serve(listening, upstream, hear, hosts, running))


async def _serve(
    listening: socket.socket, upstream: str, hear: Callable[[Capture], None], hosts: Iterable[str],
    running: Callable[[Any], None],
) -> None:  # fmt: skip
    import httpx  # noqa: PLC0415

    uvicorn = imported_server()

    class Server(uvicorn.Server):  # type: ignore[name-defined, misc]
        """Ends quietly at the first signal, and at once at the second."""

        should_exit: bool

        def handle_exit(self, sig: int, frame: Any) -> None:  # noqa: ARG002
            self.force_exit, self.should_exit = self.should_exit, True

    timeout = httpx.Timeout(None, connect=_CONNECTING)
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
    async with httpx.AsyncClient(timeout=timeout, limits=limits) as client:
        config = uvicorn.Config(
            Relay(httpx.URL(upstream), client, hear, hosts),
            http="h11", ws="none", loop="asyncio", lifespan="off", log_config=None, log_level=logging.CRITICAL + 1,
            access_log=False, server_header=False, date_header=False, proxy_headers=False,
            timeout_keep_alive=_IDLE, timeout_graceful_shutdown=_GRACE, h11_max_incomplete_event_size=1 << 20,
        )  # fmt: skip
        server = Server(config)
        running(server)
        await server.serve(sockets=[listening])


def imported_server() -> Any:
    """Return the module `uvicorn`. Raises `BadOption` where it is missing."""
    try:
        import uvicorn  # noqa: PLC0415 - an extra: only who records needs it
    except ImportError:
        raise BadOption("utp record needs more: pip install 'utp-cli[record]'") from None
    return uvicorn
