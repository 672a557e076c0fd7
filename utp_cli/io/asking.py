"""Recorded requests sent to a live server again: its answers take the place of those recorded.

What was recorded of tools stands in the requests: no tool is run. A recording may come from anywhere: what it says of
paths never leads to another server than the one that was named, and no redirect is followed. At most so many requests
are under way at once, and no more are begun in a second than is allowed; the answers come in the order of the requests.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from utp_cli.facts.formats import FORMATS
from utp_cli.io.output import say
from utp_cli.io.web import ANTHROPIC_VERSION, joined, key_header, root_of, shown_url
from utp_cli.protocol.errors import BadFile, BadOption
from utp_cli.replaying.chunks import parse_again, tools_of
from utp_cli.replaying.compare import calls_of, recorded_calls
from utp_cli.replaying.healing import needs_repair, next_request
from utp_cli.replaying.importing import exchanges_of
from utp_cli.validation.failures import failure_of
from utp_cli.wire.shape import recognise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import httpx

    from utp_cli.replaying.session import Exchange, Session

_AHEAD: Final = 4
"""Answers that may wait for an earlier one, for each request under way."""
_PAUSE: Final = 0.5
"""Seconds before the second try; twice as long before each further one."""
_MOST: Final = 64 << 20
"""Bytes of one answer that are read."""
_LONGEST: Final = 60.0
"""Seconds that a server may ask to be left alone."""


@dataclass(kw_only=True)
class Asking:
    """How a live server is asked."""

    url: str
    key: str | None = field(default=None, repr=False)
    model: str | None = None
    """Asked for in place of the recorded one."""
    concurrency: int = 4
    """Requests under way at once, at most."""
    rate: float | None = None
    """Requests begun in a second, at most, tries again included."""
    repair_attempts: int = 0
    """How often the model may be told what is wrong with an answer."""
    seconds: float = 300.0
    """For one whole answer."""
    _next: float = 0.0
    """When the next request may begin, on the clock of `time.monotonic`."""

    def sessions(self, sessions: Iterable[Session], options: Mapping[str, Any]) -> Iterator[Session]:
        """Yield each session with live answers, asked for as they are read. `options` are those of `parse`."""
        root = root_of(self.url)
        key_header(self.key)  # says at once what is no key
        for session in sessions:
            yield replace(session, rows=self._asked(root, session, options))

    def _asked(self, root: str, session: Session, options: Mapping[str, Any]) -> Iterator[Exchange]:
        import httpx  # noqa: PLC0415

        with asyncio.Runner() as runner:
            client = httpx.AsyncClient(timeout=httpx.Timeout(self.seconds, connect=10.0))
            slots = asyncio.Semaphore(self.concurrency)
            waiting: deque[asyncio.Task[Exchange]] = deque()
            asked = without = 0
            try:
                for exchange in exchanges_of(session.rows, session.source):
                    if not exchange.request:
                        without += 1
                    else:
                        asked += 1
                        work = self._exchange(client, slots, root, session, exchange, options)
                        waiting.append(runner.get_loop().create_task(work))
                    if len(waiting) >= self.concurrency * _AHEAD:
                        yield runner.run(_result(waiting.popleft()))
                while waiting:
                    yield runner.run(_result(waiting.popleft()))
            finally:
                runner.run(client.aclose())
        if without and not asked:
            raise BadFile(session.source, "holds answers without their requests: nothing can be asked again")
        if without:
            say(f"utp: note: {without} of {session.source} came without a request, and were not asked again")

    async def _exchange(
        self, client: httpx.AsyncClient, slots: asyncio.Semaphore, root: str, session: Session, exchange: Exchange,
        options: Mapping[str, Any],
    ) -> Exchange:  # fmt: skip
        """Ask again, and have the model mend its answer as often as is allowed."""
        tools = tools_of(exchange, session, options)
        before = exchange.expected
        if before is None:
            recorded = parse_again(exchange, session, tools, options)
            before = recorded_calls(recorded) or calls_of(recorded)
        request: dict[str, Any] | None = dict(exchange.request or {})
        if self.model and request:
            request["model"] = self.model
        try:
            url = joined(root, exchange.path or _path(request or {}, session))
        except BadOption as error:
            return replace(exchange, response=None, stream=None, status=None, failure=f"not asked: {error}")
        for attempt in range(self.repair_attempts + 1):
            live = replace(exchange, expected=before, request=request, repair_attempts=attempt)
            async with slots:
                live = await self._answer(client, url, live)
            result = parse_again(live, session, tools, options)
            if live.source is None or not needs_repair(result):
                break
            request = next_request(request or {}, result, tools)
            if request is None:
                break
        return live

    async def _answer(self, client: httpx.AsyncClient, url: str, exchange: Exchange) -> Exchange:
        """Send one request; try again where that can help. An exchange without an answer says why."""
        import httpx  # noqa: PLC0415

        headers, attempt = self._headers(exchange.request or {}), 0
        while True:
            attempt += 1
            await self._turn()
            start = time.monotonic()
            try:
                async with client.stream("POST", url, json=exchange.request, headers=headers) as answer:
                    data = await _read(answer)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                failure, after, status = failure_of(error, attempt), None, None
                why = f"{_reason(error)}: {shown_url(url)}"
            else:
                status = answer.status_code
                if status < 300:
                    return _answered(exchange, status, data, time.monotonic() - start)
                failure, after = failure_of(status, attempt), answer.headers.get("retry-after")
                why = f"{shown_url(url)}: HTTP {status}: {' '.join(data[:200].decode('utf-8', 'replace').split())}"
            if failure.strategy != "same":
                why = f"{why} ({failure.code}, {attempt} {'try' if attempt == 1 else 'tries'})"
                why = why.replace(self.key, "***") if self.key else why
                return replace(exchange, response=None, stream=None, status=status, failure=why)
            await asyncio.sleep(_pause(after, attempt))

    def _headers(self, request: Mapping[str, Any]) -> dict[str, str]:
        """Return what a request of this format is sent with; the key stands where this format has it."""
        found = recognise(dict(request)).format
        version = {"anthropic-version": ANTHROPIC_VERSION} if found == "anthropic" else {}
        return {**version, **key_header(self.key, found)}

    async def _turn(self) -> None:
        """Wait until the next request may begin."""
        if self.rate:
            now = time.monotonic()
            begin = max(now, self._next)
            self._next = begin + 1 / self.rate
            await asyncio.sleep(begin - now)


async def _result(task: asyncio.Task[Exchange]) -> Exchange:
    return await task


def _reason(error: BaseException) -> str:
    """Say why there is no answer; that nobody listens stands below what the client says."""
    under: BaseException | None = error
    while under is not None:
        if isinstance(under, ConnectionRefusedError):
            return "connection refused"
        under = under.__cause__ or under.__context__
    return str(error) or type(error).__name__


async def _read(answer: httpx.Response) -> bytes:
    """Read an answer; of one without end only so much."""
    data = bytearray()
    async for piece in answer.aiter_bytes():
        data += piece
        if len(data) > _MOST:
            break
    return bytes(data)


def _answered(exchange: Exchange, status: int, data: bytes, elapsed: float) -> Exchange:
    body = _json(data)
    stream: str | bytes | None = None
    if body is None:
        try:
            stream = data.decode("utf-8")
        except UnicodeDecodeError:
            stream = data
    return replace(exchange, response=body, stream=stream, status=status, elapsed=round(elapsed, 3))


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _path(request: Mapping[str, Any], session: Session) -> str:
    found = recognise(dict(request)).format
    model = request.get("model") or session.model or ""
    return _path_of(found).format(model=quote(str(model).removeprefix("models/"), safe=""))


def _path_of(name: str) -> str:
    """Return where a request of a format goes, where the recording does not say."""
    record = FORMATS.get(name)
    return (record and record.path) or FORMATS["openai-chat"].path


def _pause(after: str | None, attempt: int) -> float:
    """Return the seconds to wait: as long as the server asks for, else longer each time."""
    try:
        return min(max(float(after or ""), 0.0), _LONGEST)
    except ValueError:
        return min(_PAUSE * 2.0 ** (attempt - 1), _LONGEST)
