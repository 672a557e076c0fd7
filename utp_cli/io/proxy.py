"""A reverse proxy on loopback that sees what goes by.

    client ──► uvicorn ──► Relay ──► httpx ──► upstream
                             ├──► a `Passage`: what comes of one exchange; `plain`, or one that heals
                             └──► a `RecordedExchange`, once the exchange has ended, however it ended

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
import re
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from utp_cli.io.web import joined_paths, root_of, shown_url
from utp_cli.protocol.errors import BadOption
from utp_cli.protocol.extras import install
from utp_cli.recording.capture import RecordedExchange

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
    from concurrent.futures import Future

    import httpx

    Receive = Callable[[], Awaitable[dict[str, Any]]]
    Send = Callable[[dict[str, Any]], Awaitable[None]]
    Passage = Callable[["UpstreamRequest", RecordedExchange, Send], Awaitable[None]]
    """Asks the server, and sends its answer on to the client."""
    Page = Callable[[], tuple[int, str, bytes]]
    """A page of the relay's own: status, content type, body."""

_OF_ONE_CONNECTION: Final = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding"
    b" upgrade".split()
)
"""Headers that are not passed on (RFC 9110, 7.6.1)."""
_NOT_SENT: Final = _OF_ONE_CONNECTION | {b"host", b"expect"}
MOST: Final = 64 << 20
"""Bytes of an answer that are kept; all of it goes on."""
_GRACE: Final = 2
"""Seconds that answers under way have to end after the first signal; the second ends them at once."""
LOOPBACK: Final = "127.0.0.1"
_CONNECTING: Final = 10.0
_BACKLOG: Final = 2048
_HOST: Final = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[^\[\]:@/?#\s]+?)\.?)(?::\d*)?")
_COUNTING: Final = 2.0
"""Seconds that a page of the relay's own waits for the sums, at most."""
_IDLE: Final = 75
"""Seconds that a connection may rest between two requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaying:
    """What a relay does with what goes by."""

    hear: Callable[[RecordedExchange], None]
    """Is called with each exchange that has ended, from one thread; bodies as they went by, also encoded."""
    hosts: Collection[str] = ()
    """Names besides those of loopback that a client may call this server by."""
    now: Callable[[str], str] = lambda url: url
    """Where to ask at the moment, in place of the URL that was named; asked for each request."""
    passage: Callable[[RecordedExchange], Passage | None] = lambda _: None
    """What becomes of a request, once it is there whole; None: it is passed on as it is."""
    pages: Mapping[str, Page] = field(default_factory=dict)
    """Pages of its own, by path."""
    sums: Mapping[str, Callable[[], Future[None]]] = field(default_factory=dict)
    """By path: pages that tell of all exchanges whose answer is over, and what ends once what was heard is counted."""


class Relay:
    """The ASGI application: passes every request on, and hands over what went by."""

    def __init__(self, upstreams: Mapping[int, str], client: httpx.AsyncClient, relaying: Relaying) -> None:
        """`upstreams`: the server to ask, by the port that a request came to."""
        self._upstreams = upstreams
        self._client, self._relaying = client, relaying
        self._hosts = frozenset(host.lower() for host in relaying.hosts)
        self._under_way: dict[asyncio.Future[None], RecordedExchange] = {}
        """Exchanges that have not been heard, by what tells it."""

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Serve one request."""
        if refused := self._refusal(scope):
            await _answer(send, *refused)
            return
        if page := self._relaying.pages.get(scope["path"]):
            if counted := self._relaying.sums.get(scope["path"]):
                await self._count(counted)
            await _show(send, *page())
            return
        upstream = _url(self._relaying.now(self._upstreams[scope["server"][1]]))
        path = joined_paths(upstream.path, scope["raw_path"].decode("latin-1"))
        query = scope["query_string"]
        capture = RecordedExchange(
            method=scope["method"],
            path=path.removeprefix(urlsplit(root_of(str(upstream))).path)
            + (f"?{query.decode('latin-1')}" if query else ""),
            host=upstream.host,
            at=time.time(),
            request_headers=_headers(scope["headers"]),
        )
        start, heard = time.perf_counter(), asyncio.get_running_loop().create_future()
        self._under_way[heard] = capture
        try:
            body = await _body(receive)
            if body is None:
                capture.ended = "client-gone"
                return
            capture.request_body = body
            passage = self._relaying.passage(capture) or plain
            asking = UpstreamRequest(self._client, upstream, scope, path)
            await _while_heard(passage(asking, capture, send), capture, receive)
        finally:
            capture.elapsed = time.perf_counter() - start
            self._relaying.hear(capture)
            del self._under_way[heard]
            heard.set_result(None)

    async def _count(self, counted: Callable[[], Future[None]]) -> None:
        """Wait until the exchanges whose answer a client may have got whole are heard and counted."""
        ending = [heard for heard, capture in self._under_way.items() if capture.ended != "stopped"]
        with suppress(TimeoutError):
            async with asyncio.timeout(_COUNTING):
                await asyncio.gather(*map(asyncio.shield, ending))
                await asyncio.wrap_future(counted())

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


@lru_cache(maxsize=64)
def _url(url: str) -> httpx.URL:
    import httpx  # noqa: PLC0415 - an extra

    return httpx.URL(url)


class UpstreamRequest:
    """The way to the server for one request."""

    def __init__(self, client: httpx.AsyncClient, upstream: httpx.URL, scope: dict[str, Any], path: str) -> None:
        self.server = shown_url(str(upstream))
        """Its URL, fit for messages."""
        query = b"&".join(part for part in (upstream.query, scope["query_string"]) if part)
        self._url = upstream.copy_with(raw_path=path.encode("latin-1") + (b"?" + query if query else b""))
        dropped = _NOT_SENT | _named_in_connection(scope["headers"])
        self._headers = [(name, value) for name, value in scope["headers"] if name.lower() not in dropped]
        self._client, self._method = client, scope["method"]

    async def __call__(self, body: bytes, *, readable: bool = False) -> httpx.Response:
        """Ask; the answer's body is still to be read, and to be closed. Raises `Unreached`.

        `readable`: the body in no content encoding, and of its own length.
        """
        import httpx  # noqa: PLC0415

        headers = self._headers
        if readable:
            own = (b"accept-encoding", b"content-length")
            headers = [(name, value) for name, value in headers if name.lower() not in own]
            headers.append((b"accept-encoding", b"identity"))
        try:
            request = httpx.Request(self._method, self._url, headers=headers, content=body or None)
            return await self._client.send(request, stream=True)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreached(f"no answer from {self.server}: {str(error) or type(error).__name__}") from None


class Unreached(Exception):
    """The server cannot be reached."""


async def plain(ask: UpstreamRequest, capture: RecordedExchange, send: Send) -> None:
    """Pass an exchange on, byte for byte."""
    import httpx  # noqa: PLC0415

    kept, size = [], 0
    try:
        response = await ask(capture.request_body)
    except Unreached as error:
        await refuse(error, capture, send)
        return
    passed = passed_headers(response)
    capture.status, capture.response_headers = response.status_code, _headers(passed)
    try:
        await send({"type": "http.response.start", "status": response.status_code, "headers": passed})
        async for piece in response.aiter_raw():
            size += len(piece)
            if size <= MOST:
                kept.append(piece)
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        capture.ended = "complete" if size <= MOST else "too-long"
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    except httpx.HTTPError:
        capture.ended = "upstream-broke"  # the answer is left unfinished: so the client sees it break as well
    finally:
        capture.response_body = b"".join(kept)
        await response.aclose()


async def refuse(error: Unreached, capture: RecordedExchange, send: Send) -> None:
    """Answer in place of a server that cannot be reached."""
    capture.status, capture.ended = 502, "unreachable"
    capture.response_headers, capture.response_body = await _answer(send, 502, str(error))


def passed_headers(response: httpx.Response) -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer that are the client's too."""
    dropped = _OF_ONE_CONNECTION | _named_in_connection(response.headers.raw)
    return [(name, value) for name, value in response.headers.raw if name.lower() not in dropped]


async def _while_heard(passing: Awaitable[None], capture: RecordedExchange, receive: Receive) -> None:
    """Pass on, and give up as soon as the client is gone: then the server upstream is left alone too."""
    relaying = asyncio.ensure_future(passing)
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


async def _answer(send: Send, status: int, message: str) -> tuple[list[tuple[str, str]], bytes]:
    """Answer in the form that the clients of model servers show; return the headers and the body."""
    kind = "upstream_error" if status == 502 else "invalid_request_error"
    body = json.dumps({"error": {"message": f"utp: {message}", "type": kind, "code": status}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    closing = [(b"connection", b"close")] if status < 500 else []
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *closing]})
    await send({"type": "http.response.body", "body": body})
    return _headers(headers), body


async def _show(send: Send, status: int, kind: str, body: bytes) -> None:
    """Send a page of the relay's own."""
    headers = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _host_of(value: bytes) -> str:
    """Return the name in a `Host` header, without its port; the whole header where it is not of that form."""
    host = value.decode("latin-1").strip().lower()
    found = _HOST.fullmatch(host)
    return (found["address"] or found["name"]) if found else host


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


def listen(port: int, host: str = LOOPBACK) -> socket.socket:
    """Open a socket; port 0 takes a free one. Raises `BadOption`."""
    opened = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    # On Windows SO_REUSEADDR would let two programs listen on one port.
    alone = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
    opened.setsockopt(socket.SOL_SOCKET, alone, 1)
    try:
        opened.bind((host, port))
        opened.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        opened.close()
        reason = getattr(error, "strerror", None) or str(error)
        place, other = (f"port {port}", "--port") if host == LOOPBACK else (f"{host}, port {port}", "--host or --port")
        raise BadOption(f"cannot listen on {place}: {reason.lower()}; choose another with {other}") from None
    return opened


def serve(
    doors: Mapping[socket.socket, str], relaying: Relaying, running: Callable[[Any], None] = lambda _: None
) -> None:
    """Relay until SIGINT or SIGTERM.

    `doors`: sockets that listen, each with the URL of the server that requests to it are for. `running` is handed the
    server before it starts: it ends once its `should_exit` is true. Raises `BadOption` where the packages of the extra
    `record` are missing.
    """
    asyncio.run(_serve(doors, relaying, running))


async def _serve(doors: Mapping[socket.socket, str], relaying: Relaying, running: Callable[[Any], None]) -> None:
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
            Relay({door.getsockname()[1]: url for door, url in doors.items()}, client, relaying),
            http="h11", ws="none", loop="asyncio", lifespan="off", log_config=None, log_level=logging.CRITICAL + 1,
            access_log=False, server_header=False, date_header=False, proxy_headers=False,
            timeout_keep_alive=_IDLE, timeout_graceful_shutdown=_GRACE, h11_max_incomplete_event_size=1 << 20,
        )  # fmt: skip
        server = Server(config)
        running(server)
        await server.serve(sockets=list(doors))


def imported_server() -> Any:
    """Return the module `uvicorn`. Raises `BadOption` where it is missing."""
    try:
        import uvicorn  # noqa: PLC0415 - an extra: only who records needs it
    except ImportError:
        raise BadOption(f"uvicorn is not installed: {install('record')}") from None
    return uvicorn
