"""Exchanges healed on their way through the relay: the answer, signs of life while it is held, and asking again."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from utp_cli.healer.exchange import wire_of
from utp_cli.io.proxy import MOST, Unreached, passed_headers, refuse
from utp_cli.protocol.numbers import loads
from utp_cli.recording.tally import UNCHANGED
from utp_cli.serving.emulation import Modes
from utp_cli.serving.exchange import EmulatedAnswer, RelayedExchange
from utp_cli.serving.fitting import Fitter
from utp_cli.serving.raw_answers import RawAnswers
from utp_cli.serving.wires import NDJSON, asked_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import httpx

    from utp_cli.io.proxy import Passage, Send, UpstreamRequest
    from utp_cli.recording.capture import RecordedExchange
    from utp_cli.serving.exchange import RelayedAnswer
    from utp_cli.serving.ways import Ways
    from utp_cli.serving.wires import AnswerRequest

HEALED: Final = "x-utp-healed"
"""The header of an answer that was changed: the codes of its heals."""


def _coding_of(headers: Iterable[tuple[str, str]]) -> str:
    """Return the content encoding that headers name; empty where there is none."""
    codings = [value.strip() for name, value in headers if name.lower() == "content-encoding"]
    return next((coding for coding in codings if coding.lower() not in ("", "identity")), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long nobody may hear anything, in seconds."""

    first: float = 45.0
    """Until a streamed answer is begun that the server has not begun; proxies often give up after 60. From then on an
    error can only be told within the stream."""
    beat: float = 10.0
    """Between two signs of life; the least patient client shows a warning after 20."""
    held: float = 600.0
    """That bytes of the server are held back; then they pass as they came. Clients give up after as long."""


@dataclass(kw_only=True)
class Healing:
    """Makes the passages of exchanges that are to be healed."""

    ways: Callable[[], Ways]
    """How exchanges are treated; asked for each, so that a profile may change."""
    hear: Callable[[RecordedExchange], None]
    """Is called with exchanges that the client has got nothing of: the model was asked again."""
    patience: Patience = field(default_factory=Patience)
    kept: RawAnswers = field(default_factory=RawAnswers)
    modes: Modes = field(default_factory=Modes)
    fitter: Fitter = field(default_factory=Fitter)

    def __call__(self, capture: RecordedExchange) -> Passage | None:
        """Return what heals an exchange; None where there is nothing to heal: no model is asked, or it has no tools."""
        if capture.method != "POST":
            return None
        if coding := _coding_of(capture.request_headers):
            wire = wire_of(capture.path)
            capture.note = f"not healed: the request is in the content encoding {coding[:40]}" if wire else ""
            return None
        try:
            asked = asked_of(capture.path, capture.request_body)
            if asked is None or not asked.tools:
                return None
            body, kept = capture.request_body, self.kept
            exchange = RelayedExchange(
                asked, body, self.ways(), kept, self.modes, fitter=self.fitter, host=capture.host
            )
        except Exception as error:  # noqa: BLE001 - whatever fails, the exchange passes
            capture.note = f"not healed ({type(error).__name__}: {str(error)[:120]})"
            return None
        return HealedExchange(exchange, self).passage


class ClientLine:
    """The way to the client: what it has got, and when it was last told anything."""

    def __init__(self, send: Send, asked: AnswerRequest) -> None:
        self.begun = False
        self.last = time.monotonic()
        self._send, self._asked = send, asked
        self._tail = b""
        self._writing = False
        self._beating = asyncio.Lock()

    async def begin(self, status: int, headers: list[tuple[bytes, bytes]]) -> None:
        """Send status and headers, where that was not done."""
        if not self.begun:
            self.begun = True
            await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def write(self, data: bytes) -> None:
        """Send a part of the body."""
        if self._beating.locked():
            async with self._beating:  # a sign of life goes first, whole
                pass
        self._writing = True
        self._tail = data if len(data) > 3 else self._tail[-4:] + data
        self.last = time.monotonic()
        await self._send({"type": "http.response.body", "body": data, "more_body": True})
        self._writing = False

    async def end(self, data: bytes = b"") -> None:
        """Send the last part of the body."""
        async with self._beating:
            await self._send({"type": "http.response.body", "body": data, "more_body": False})

    async def beat(self) -> None:
        """Send a sign of life, if that breaks nothing."""
        wire, sign = self._asked.wire, b""
        async with self._beating:
            if self._asked.stream and not self._writing and wire.at_boundary(self._tail):
                await self.begin(200, [(b"content-type", wire.media.encode())])
                sign = wire.beat(self._asked.model)
            elif self.begun and not self._asked.stream:
                sign = b" "  # white space before a document
            if sign:
                await self._send({"type": "http.response.body", "body": sign, "more_body": True})
        self.last = time.monotonic()


class HealedExchange:
    """One exchange on its way."""

    def __init__(self, exchange: RelayedExchange, healing: Healing) -> None:
        self._exchange, self._healing = exchange, healing
        self._asked = exchange.asked
        self._answer: RelayedAnswer | None = None
        self._certain = False
        """The status of a whole answer is known to be 200: white space may go before it."""
        self._released = time.monotonic()

    async def passage(self, ask: UpstreamRequest, capture: RecordedExchange, send: Send) -> None:
        """Pass an exchange on, healed. It is a `Passage`."""
        line = ClientLine(send, self._asked)
        beating = asyncio.create_task(self._beat(line))
        try:
            await self._pass(ask, capture, line, send)
        finally:
            beating.cancel()
            with suppress(asyncio.CancelledError):
                await beating
            if self._answer:
                capture.healed = [heal.to_dict() for heal in self._answer.heals]
                capture.note = self._answer.note
            capture.fitted = self._exchange.fitted.told() if self._exchange.fitted else []

    async def _beat(self, line: ClientLine) -> None:
        """Give signs of life while nothing else is said, and let go what was held for too long."""
        patience = self._healing.patience
        while True:
            due = line.last + (patience.beat if line.begun or self._certain else patience.first)
            await asyncio.sleep(min(max(due - time.monotonic(), 0.001), patience.beat))
            if time.monotonic() < line.last + (patience.beat if line.begun or self._certain else patience.first):
                continue  # something was said meanwhile
            if self._certain and not self._asked.stream:
                await line.begin(200, [(b"content-type", b"application/json")])
            await line.beat()
            answer, over = self._answer, time.monotonic() - self._released > patience.held
            if (
                answer
                and answer.waits
                and not answer.whole
                and over
                and (out := answer.release(f"held back for {patience.held:g} s"))
            ):
                await line.write(out)

    async def _pass(self, ask: UpstreamRequest, capture: RecordedExchange, line: ClientLine, send: Send) -> None:
        exchange = self._exchange
        while True:
            try:
                response = await ask(exchange.body, readable=True)
            except Unreached as error:
                if line.begun or exchange.best:
                    await self._unreached(error, capture, line)
                else:
                    await refuse(error, capture, send)
                return
            raw = await self._read(response, capture, line)
            if raw is None or self._answer is None:
                return
            out = self._answer.close()
            settled = exchange.settle(self._answer, out, raw)
            if settled:
                self._answer, out = settled
                if isinstance(self._answer, EmulatedAnswer) and self._answer.recorded and exchange.emulation:
                    capture.response_body, capture.mode = self._answer.recorded, exchange.emulation.mode
                await self._finish(out, response, line)
                return
            self._certain = self._answer.status == 200
            self._healing.hear(replace(capture, dropped=True, elapsed=time.time() - capture.at))
            capture.ended = "stopped"  # the next answer has yet to come
            if exchange.retries:
                capture.request_body, capture.retries = exchange.body, exchange.retries

    async def _read(self, response: httpx.Response, capture: RecordedExchange, line: ClientLine) -> bytes | None:
        """Read an answer, and pass on what may go; return it as it came, None where it broke off."""
        import httpx  # noqa: PLC0415

        passed = passed_headers(response)
        told = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in passed]
        capture.status, capture.response_headers = response.status_code, told
        self._answer = answer = self._exchange.answer(response.status_code, told)
        if coding := _coding_of(told):
            answer.release(f"its content encoding is {coding[:40]}, though none was asked for")
        kept: list[bytes] = []
        size, self._released = 0, time.monotonic()
        try:
            if not answer.whole:
                await line.begin(response.status_code, passed)
            async for piece in response.aiter_raw():
                size += len(piece)
                if size <= MOST:
                    kept.append(piece)
                if answer.passes(piece):
                    await line.write(piece)
                    continue
                if not answer.waits:
                    self._released = line.last
                if out := answer.feed(piece):
                    if not line.begun:
                        await line.begin(response.status_code, passed)
                    await line.write(out)
                if answer.waits:
                    capture.held = max(capture.held, time.monotonic() - self._released)
            capture.ended = "complete" if size <= MOST else "too-long"
        except httpx.HTTPError:
            capture.ended = "upstream-broke"  # the answer is left unfinished: so the client sees it break as well
            out = answer.release()
            await line.begin(response.status_code, passed)
            if out:
                await line.write(out)
            return None
        finally:
            capture.response_body = b"".join(kept)
            await response.aclose()
        return capture.response_body

    async def _finish(self, out: bytes, response: httpx.Response, line: ClientLine) -> None:
        """Send the rest of an answer, and the headers where they were waited for."""
        answer = self._answer
        assert answer is not None  # noqa: S101 - it was just read
        if line.begun and answer.unsent and answer.status >= 400 and self._asked.stream:
            out = self._asked.wire.fault(self._asked.told(_decoded(out)))
        await line.begin(
            answer.status, _headers_for(answer, out, response, self._asked, again=self._exchange.best is not None)
        )
        await line.end(out)

    async def _unreached(self, error: Unreached, capture: RecordedExchange, line: ClientLine) -> None:
        """Say in an answer that has begun that nobody answers; or send what an earlier answer said."""
        if best := self._exchange.best:
            self._answer, out = best
            streams = self._asked.stream and self._answer.status < 400
            kind = self._asked.wire.media if streams else "application/json"
            await line.begin(self._answer.status, [(b"content-type", kind.encode())])
            await line.end(out)
            return
        capture.status, capture.ended = 502, "unreachable"
        await line.end(self._asked.wire.fault({"type": "upstream_error", "message": f"utp: {error}"}))


def _headers_for(
    answer: RelayedAnswer, out: bytes, response: httpx.Response, asked: AnswerRequest, *, again: bool
) -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer that is sent in one piece: those of the server, as far as they are still true."""
    passed = passed_headers(response)
    changed = sorted({heal.code for heal in answer.heals} - UNCHANGED)
    if not answer.changed and not changed and not again:
        return passed
    kept = [(name, value) for name, value in passed if name.lower() not in (b"content-length", b"content-type")]
    lines = asked.wire.media == NDJSON or not out.startswith(b"{")
    media = asked.wire.media if asked.stream and lines else "application/json"
    own = [(HEALED.encode(), ", ".join(changed).encode())] if changed else []
    length = [(b"content-length", str(len(out)).encode())]
    return [(b"content-type", media.encode()), *kept, *length, *own]


def _decoded(body: bytes) -> Any:
    try:
        return loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
