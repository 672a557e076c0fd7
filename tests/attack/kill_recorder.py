"""Kills `utp record` under load at random moments, and looks at what it leaves: whole lines, the last perhaps cut.

    python -m tests.attack.kill_recorder 200

Not collected by pytest: it takes about a second a time.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import httpx

from tests.test_recording import OPENAI, Recording, Server
from utp_cli import replay

BODY = json.dumps({**OPENAI, "padding": "x" * 200_000}).encode()
CLIENTS = 4


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)


def load(url: str, over: threading.Event) -> None:
    request = {"model": "m", "messages": [{"role": "user", "content": "find " + "y" * 50_000}]}
    with httpx.Client(timeout=5) as client:
        while not over.is_set():
            try:
                client.post(f"{url}/v1/chat/completions", json=request)
            except httpx.HTTPError:
                return


def killed(upstream: str, file: Path, grown: int, seconds: float) -> tuple[int, bool]:
    """Kill when the file has grown by so many bytes, and some time later. Return how many exchanges the file holds after a kill, and whether its last line was cut."""
    before = file.read_bytes() if file.exists() else b""
    recording, over = Recording(upstream, file), threading.Event()
    clients = [threading.Thread(target=load, args=(recording.url, over)) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    end = time.monotonic() + 10
    while file.stat().st_size < len(before) + grown and time.monotonic() < end:
        time.sleep(0.001)
    time.sleep(seconds)
    recording.kill()
    over.set()
    for client in clients:
        client.join()
    data = file.read_bytes()
    whole, newline, rest = data.rpartition(b"\n")
    assert data.startswith(before.rpartition(b"\n")[0]), "what was there before is gone"
    for line in whole.split(b"\n"):
        assert isinstance(json.loads(line), dict)
    assert newline
    count = whole.count(b"\n")  # the first line is the header
    assert replay(file).metrics.total.to_dict()["exchanges"] in (count, count + 1)
    return count, bool(rest)


def main(times: int) -> None:
    chance = random.Random(13)
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    upstream = f"http://127.0.0.1:{server.server_address[1]}"
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(times):
            file = Path(folder) / f"{number // 5}.jsonl"  # each is gone on with four times
            count, cut = killed(upstream, file, chance.randrange(1_500_000), chance.uniform(0, 0.05))
            seen["killed"] += 1
            seen["cut"] += cut
            seen["empty"] += not count
            seen["lines"] += count if number % 5 == 4 else 0
            sys.stderr.write(f"\r{dict(seen)}")
    sys.stdout.write(f"{dict(seen)}: each file read by replay, every line whole but {seen['cut']} last ones\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
