"""A transport for httpx and httpx2 that heals: the SDK above it gets the answer as it should have been.

The two libraries have the same names, and no class of one is one of the other's (httpx 0.28, httpx2 2.16, November
2026): what is made for a request comes from the library that the request comes from.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from utp_cli.healer.exchange import tools_of, wire_of
from utp_cli.healer.healer import Healer
from utp_cli.protocol.numbers import loads

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping
    from types import TracebackType

EXTENSION = "utp_heals"
"""Under this key a response's `extensions` hold the list of what was healed; it grows while a stream is read."""


class HealingTransport:
    """Wraps a transport; one object serves clients of both libraries, sync and async.

    `inner`: the transport that asks; None: the library's own. `options`: those of `Healer`.
    """

    def __init__(self, inner: Any = None, **options: Any) -> None:
        self._inner = inner
        self._made: dict[tuple[str, bool], Any] = {}
        self._options = options

    # -- sync ---------------------------------------------------------------------------------------------------------

    def handle_request(self, request: Any) -> Any:
        """Send a request; return the response with its answer healed."""
        library = _library(request)
        asked = self._asked(request, request.read() if _concerns(request) else b"")
        response = self._transport(library, sync=True).handle_request(request)
        if asked is None:
            return response
        healer = self._healer(request, asked, response)
        if not healer.whole:
            return _response(library, response, healer, _streams(library)[0](response, healer))
        try:
            out = b"".join([*(healer.feed(data) for data in response.iter_bytes()), healer.close()])
        finally:
            response.close()
        return _response(library, response, healer, _module(library).ByteStream(out))

    def close(self) -> None:
        for transport in self._transports(sync=True):
            transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- async --------------------------------------------------------------------------------------------------------

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request; return the response with its answer healed."""
        library = _library(request)
        asked = self._asked(request, await request.aread() if _concerns(request) else b"")
        response = await self._transport(library, sync=False).handle_async_request(request)
        if asked is None:
            return response
        healer = self._healer(request, asked, response)
        if not healer.whole:
            return _response(library, response, healer, _streams(library)[1](response, healer))
        try:
            out = b"".join([healer.feed(data) async for data in response.aiter_bytes()]) + healer.close()
        finally:
            await response.aclose()
        return _response(library, response, healer, _module(library).ByteStream(out))

    async def aclose(self) -> None:
        for transport in self._transports(sync=False):
            await transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    # -- inside -------------------------------------------------------------------------------------------------------

    def _transport(self, library: str, *, sync: bool) -> Any:
        if self._inner is not None:
            return self._inner
        if (library, sync) not in self._made:
            module = _module(library)
            self._made[library, sync] = module.HTTPTransport() if sync else module.AsyncHTTPTransport()
        return self._made[library, sync]

    def _transports(self, *, sync: bool) -> list[Any]:
        made = [transport for (_, kind), transport in self._made.items() if kind is sync]
        return made if self._inner is None else [self._inner]

    def _asked(self, request: Any, body: bytes) -> Mapping[str, Any] | None:
        """Return the body of a request whose answer may be healed; None for all others."""
        try:
            asked = loads(body) if body else None
        except (ValueError, RecursionError):
            return None
        if not isinstance(asked, dict) or not (self._options.get("tools") or tools_of(asked)):
            return None
        request.headers["accept-encoding"] = "identity"
        return asked

    def _healer(self, request: Any, asked: Mapping[str, Any], response: Any) -> Healer:
        encoded = "content-encoding" in response.headers  # what is read here has been decoded
        lost = {"content-encoding", "content-length"} if encoded else set()
        kept = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in lost]
        return Healer(request=asked, path=request.url.path, status=response.status_code, headers=kept, **self._options)


def _library(request: Any) -> str:
    return type(request).__module__.partition(".")[0]


@cache
def _module(library: str) -> Any:
    return importlib.import_module(library)


def _concerns(request: Any) -> bool:
    return request.method == "POST" and wire_of(request.url.path) is not None


def _response(library: str, given: Any, healer: Healer, stream: Any) -> Any:
    """Return the response that the client gets."""
    extensions = {**given.extensions, EXTENSION: healer.heals}
    drop = () if not healer.whole else ("content-length",)
    headers = [(name, value) for name, value in healer.headers if name.lower() not in drop]
    if healer.whole:
        headers.append(("content-length", str(len(stream._stream))))  # noqa: SLF001 - both libraries keep it there
    return _module(library).Response(healer.status, headers=headers, stream=stream, extensions=extensions)


@cache
def _streams(library: str) -> tuple[type, type]:
    """Make the streams of a library: (sync, async)."""
    module = _module(library)

    class Healed(module.SyncByteStream):  # type: ignore[misc,name-defined]
        def __init__(self, response: Any, healer: Healer) -> None:
            self._response, self._healer = response, healer

        def __iter__(self) -> Iterator[bytes]:
            try:
                for data in self._response.iter_bytes():
                    if out := self._healer.feed(data):
                        yield out
            except Exception:  # the connection broke: what was held passes as it came, then the client hears of it
                if out := self._healer.close(broken=True):
                    yield out
                raise
            if out := self._healer.close():
                yield out

        def close(self) -> None:
            self._response.close()

    class AsyncHealed(module.AsyncByteStream):  # type: ignore[misc,name-defined]
        def __init__(self, response: Any, healer: Healer) -> None:
            self._response, self._healer = response, healer

        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for data in self._response.aiter_bytes():
                    if out := self._healer.feed(data):
                        yield out
            except Exception:
                if out := self._healer.close(broken=True):
                    yield out
                raise
            if out := self._healer.close():
                yield out

        async def aclose(self) -> None:
            await self._response.aclose()

    return Healed, AsyncHealed
