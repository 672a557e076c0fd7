"""Clean streams through the relay, plain and healing: processor time of the relay, and how long the first text takes.

`python -m bench.serve [STREAMS] [CHUNKS] [PAIRS]`: what counts is the median of the ratios of many short pairs, each of
STREAMS streams through either relay. With `calls` the streams end in a native call; with `record` both relays read and diagnose each exchange, as `utp record` and `utp serve` do.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import multiprocessing
import statistics
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import httpx
import uvicorn

from utp_cli.app import _MADE
from utp_cli.commands.formats import Showing
from utp_cli.commands.recorder import Recorder
from utp_cli.io.healing import Healing
from utp_cli.io.proxy import Relaying, listen, serve
from utp_cli.recording.redaction import Redactor
from utp_cli.replaying.session import Session
from utp_cli.serving.ways import Ways

if TYPE_CHECKING:
    from collections.abc import Mapping

TOOL = {"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}
WARMING = 3
REQUEST = {
    "model": "qwen3:32b", "stream": True, "messages": [{"role": "user", "content": "Go on."}],
    "tools": [{"type": "function", "function": TOOL}],
}  # fmt: skip


def stream_of(chunks: int, *, calls: bool) -> list[bytes]:
    """Return the events of an answer with so many pieces of text."""

    def event(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        body = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        return b"data: " + json.dumps(body).encode() + b"\n\n"

    said = [event({"role": "assistant", "content": ""})]
    said += [event({"content": f" word{number}"}) for number in range(chunks)]
    if calls:
        opened = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "search", "arguments": ""}}
        said.append(event({"tool_calls": [opened]}))
        pieces = ['{"que', 'ry": "', *["tide "] * 20, '"}']
        said += [event({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in pieces]
    return [*said, event({}, "tool_calls" if calls else "stop"), b"data: [DONE]\n\n"]


async def upstream(receive: Any, send: Any, said: list[bytes]) -> None:
    while (await receive()).get("more_body"):
        pass
    headers = [(b"content-type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for piece in said:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
        await asyncio.sleep(0)
    await send({"type": "http.response.body", "body": b""})


def play(said: list[bytes], pipe: Any) -> None:
    """Run the server of models."""

    async def app(_: dict[str, Any], receive: Any, send: Any) -> None:
        await upstream(receive, send, said)

    listening = listen(0)
    pipe.send(listening.getsockname()[1])
    config = uvicorn.Config(app, http="h11", lifespan="off", log_config=None, access_log=False)
    uvicorn.Server(config).run(sockets=[listening])


def relay(url: str, pipe: Any, *, heals: bool, records: bool) -> None:
    """Run a relay, and say on request how much processor time it has taken."""
    gc.set_threshold(_MADE)  # as the command line does
    listening, ways = listen(0), Ways()
    hear: Any = lambda _: None  # noqa: E731
    if records:
        hear = Recorder(None, Session(), Redactor(()), Showing(quiet=True)).hear
    relaying = Relaying(hear=hear, passage=Healing(ways=lambda: ways, hear=hear)) if heals else Relaying(hear=hear)
    pipe.send(listening.getsockname()[1])

    def tell() -> None:
        with contextlib.suppress(EOFError):
            while True:
                pipe.recv()
                pipe.send(time.process_time())

    threading.Thread(target=tell, daemon=True).start()
    serve({listening: url}, relaying)


async def ask(url: str, streams: int) -> list[float]:
    """Read streams, twenty at once; return the seconds until the first text of each."""
    first: list[float] = []
    room = asyncio.Semaphore(20)

    async def one(client: httpx.AsyncClient) -> None:
        async with room:
            start, heard = time.perf_counter(), False
            async with client.stream("POST", f"{url}/v1/chat/completions", json=REQUEST) as answer:
                async for piece in answer.aiter_raw():
                    if not heard and b" word" in piece:
                        first.append(time.perf_counter() - start)
                        heard = True

    async with httpx.AsyncClient(timeout=120, trust_env=False) as client:
        await asyncio.gather(*(one(client) for _ in range(streams)))
    return first


def measured(relays: Mapping[str, Any], streams: int, pairs: int) -> tuple[list[float], dict[str, list[float]]]:
    """Ask both relays in short turns, so that a busy machine is as busy for both, the order changing from pair to pair.

    Return the ratio of their processor time for each pair, and the seconds to the first text. The first pairs warm up.
    """
    ratios, first = [], {name: list[float]() for name in relays}
    for turn in range(pairs + WARMING):
        taken = {}
        for name in sorted(relays, reverse=bool(turn % 2)):
            pipe, base, _ = relays[name]
            pipe.send(None)
            before = pipe.recv()
            heard = asyncio.run(ask(base, streams))
            pipe.send(None)
            taken[name] = pipe.recv() - before
            first[name] += heard if turn >= WARMING else []
        if turn >= WARMING:
            ratios.append(taken["healing"] / taken["plain"])
    return ratios, first


def main() -> None:
    words = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    streams, chunks, pairs = [*words, *(20, 300, 30)[len(words) :]]
    said = stream_of(chunks, calls="calls" in sys.argv)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=play, args=(said, theirs), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{ours.recv()}"
    relays = {}
    for name, heals in (("plain", False), ("healing", True)):
        mine, its = context.Pipe()
        process = context.Process(
            target=relay, args=(url, its), kwargs={"heals": heals, "records": "record" in sys.argv}, daemon=True
        )
        process.start()
        relays[name] = (mine, f"http://127.0.0.1:{mine.recv()}", process)
    ratios, first = measured(relays, streams, pairs)
    low, _, high = statistics.quantiles(ratios, n=4)
    for name, seconds in first.items():
        print(f"{name:8} first text after {statistics.median(seconds) * 1e3:6.1f} ms")
    middle = statistics.median(ratios)
    print(f"ratio    {middle:.2f} (half of {len(ratios)} pairs between {low:.2f} and {high:.2f})")
    for _, _, process in relays.values():
        process.terminate()
    server.terminate()


if __name__ == "__main__":
    main()
