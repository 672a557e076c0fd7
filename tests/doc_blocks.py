"""What a page of the documentation shows is done as a reader would do it: files are written, commands run, in order.

- A block with a title (`title="tools.yaml"`) is a file.
- A `console` block is a command and what it prints.
- An `sh` block has to be run without being refused: exit status 0, or 1 where utp found problems.
- A `python` block without a title has to run.

Servers that no machine of ours has are stood in for: `vllm serve …` and its like have their options judged by
`utp detect --command`, an address of a server leads to one on loopback, `pip install` has to name what exists.

`python -m tests.doc_blocks` writes what commands print into the pages anew.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
BLOCK = re.compile(r'^( *)```(\w+)(?: title="([^"]+)")?\n(.*?)^\1```$', re.DOTALL | re.MULTILINE)
SERVERS = re.compile(r"(?:localhost|127\.0\.0\.1):(?:8000|8080|30000|11434|1234)\b")
"""Addresses that pages use for servers of models."""
RECORDER = re.compile(r"(?:localhost|127\.0\.0\.1):8100\b")
ANSWER = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "qwen3:32b",
    "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": None, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}]}}],
    "usage": {"prompt_tokens": 90, "completion_tokens": 12, "total_tokens": 102},
}  # fmt: skip
MODELS = ("qwen3:32b", "qwen3:8b", "Qwen3-8B", "Qwen/Qwen3-32B")
"""What the server of a page serves."""
PACKAGES = re.compile(r"'?utp-cli(\[[a-z,]+\])?'?")
SHIMS = {
    "vllm": 'exec utp detect --command "vllm $*" >&2',
    "sglang": 'exec utp detect --command "sglang $*" >&2',
    "llama-server": 'exec utp detect --command "llama-server $*" >&2',
    "ollama": "exit 0",
    "pip": '[ "$1" = install ] && exec shown-package "$2"',
    "pipx": '[ "$1" = install ] && exec shown-package "$2"',
}
"""Programs of a reader's machine: what stands in for them."""


@dataclass(frozen=True)
class Block:
    language: str
    title: str
    text: str
    span: tuple[int, int]
    """Characters of the page."""


def blocks_of(page: str) -> list[Block]:
    """Read the fenced blocks of a page; those that are indented, without their indentation."""
    return [
        Block(found[2], found[3] or "", re.sub(rf"^{found[1]}", "", found[4], flags=re.MULTILINE), found.span())
        for found in BLOCK.finditer(page)
    ]


def commands_of(block: Block) -> list[tuple[str, str]]:
    """Return the commands of a `console` block, each with what is shown below it."""
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
    return [(command, printed.rstrip("\n")) for command, _, printed in (part.partition("\n") for part in parts)]


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def model_server() -> Iterator[str]:
    """Serve one answer with a call, and the lists that servers have; yields `127.0.0.1:PORT`."""

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            known = {"/v1/models": {"object": "list", "data": [{"id": model, "object": "model"} for model in MODELS]}}
            answer: Any = ANSWER if self.command == "POST" else known.get(self.path)
            data = json.dumps(answer or {"error": "not found"}).encode()
            self.send_response(200 if answer else 404)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = handle_any  # noqa: N815 - the names are http.server's

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class Reader:
    """Somebody who follows a page, in a folder of their own."""

    def __init__(self, folder: Path, model: str) -> None:
        self.folder, self.model = folder, model
        self.recorder = f"127.0.0.1:{_free_port()}"
        self._recording: list[subprocess.Popen[str]] = []
        programs = folder / ".programs"
        programs.mkdir()
        utp = f'exec "{sys.executable}" -m utp_cli "$@"'
        package = f'echo "$1" | grep -Eqx "{PACKAGES.pattern}"'.replace("'", "")
        for name, text in {
            **SHIMS,
            "utp": utp,
            "python": f'exec "{sys.executable}" "$@"',
            "shown-package": package,
        }.items():
            (programs / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            (programs / name).chmod(0o755)
        config = {name: str(folder / ".config") for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        unset = {name: value for name, value in os.environ.items() if not name.startswith("UTP_")}
        self.environment = {**unset, **config, "NO_COLOR": "1", "PATH": path}

    def here(self, text: str) -> str:
        """Put addresses of this machine in the place of those that a page shows."""
        return RECORDER.sub(self.recorder, SERVERS.sub(self.model, text))

    def write(self, block: Block) -> None:
        (self.folder / block.title).write_text(self.here(block.text), encoding="utf-8")

    def run(self, command: str) -> tuple[int, str]:
        """Run a command; return its exit status, and what it prints."""
        done = subprocess.run(
            ["bash", "-euc", self.here(command)], cwd=self.folder, env=self.environment, text=True, timeout=100,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout.rstrip("\n")

    def record(self, command: str) -> None:
        """Start what records, and wait until it listens."""
        host, _, port = self.recorder.rpartition(":")
        started = subprocess.Popen(
            ["bash", "-c", f"exec {self.here(command)} --port {port}"],
            cwd=self.folder, env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._recording.append(started)
        for _ in range(400):
            with socket.socket() as asked:
                if not asked.connect_ex((host, int(port))):
                    return
            assert started.poll() is None, started.communicate()[0]
            time.sleep(0.05)
        raise AssertionError(f"{command} does not listen")

    def shell(self, text: str) -> None:
        """Run the lines of an `sh` block; none may be refused."""
        self.stop()
        for line in filter(str.strip, text.replace("\\\n", " ").splitlines()):
            if line.startswith("utp record"):
                self.record(line)
            else:
                code, printed = self.run(line)
                assert code in (0, 1), f"{line}\n{printed}"
                assert code == 0 or line.startswith("utp "), f"{line}\n{printed}"

    def stop(self) -> None:
        """End what records, as Ctrl-C does."""
        while self._recording:
            started = self._recording.pop()
            started.terminate()
            started.communicate(timeout=20)

    def follow(self, page: str) -> Iterator[tuple[Block, str, str, str]]:
        """Do what a page shows. Yields each command of a `console` block with what is shown and what it printed."""
        for block in (block for block in blocks_of(page) if block.title):
            self.write(block)
        program = ""  # the Python of a page is one program: a block uses the names of those before
        for block in blocks_of(page):
            if block.language == "console":
                for command, shown in commands_of(block):
                    yield block, command, shown, self.run(command)[1]
            elif block.language == "sh":
                self.shell(block.text)
            elif block.language == "python" and not block.title:
                program += block.text + "\n"
                code, printed = self.run(f"python - <<'END'\n{program}END")
                assert code == 0, printed
        self.stop()


FILES = {
    "audit.md": {
        "tools.yaml": "tools/tools.yaml", "tools.json": "tools/openai-chat.json",
        "servers/tools.yaml": "tools/tools.yaml", "tools/tools.yaml": "tools/tools.yaml",
    }
}  # fmt: skip
"""Files that a page takes for granted: where each comes from below `fixtures/`."""


@contextmanager
def reader(folder: Path, page: str) -> Iterator[Reader]:
    """Be somebody who follows a page in a folder."""
    with model_server() as model:
        someone = Reader(folder, model)
        for name, source in FILES.get(page, {}).items():
            (folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / "fixtures" / source, folder / name)
        try:
            yield someone
        finally:
            someone.stop()


def pages() -> list[str]:
    """Return the pages that are followed: those that are not made from data, and have no test of their own."""
    others = {"ci.md", "pastes.md", "replay.md", "sessions.md", "diagnoses.md", "rules.md", "losses.md", "dialects.md"}
    return sorted(
        str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md") if str(path.relative_to(DOCS)) not in others
    )


def main() -> None:
    for name in sys.argv[1:] or pages():
        page = (DOCS / name).read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, reader(Path(folder), name) as someone:
            printed: dict[tuple[int, int], str] = {}
            for block, command, _, got in someone.follow(page):
                printed[block.span] = f"{printed.get(block.span, '')}$ {command}\n{got}\n"
        for block in reversed(blocks_of(page)):
            if block.span in printed:
                page = f"{page[: block.span[0]]}```console\n{printed[block.span]}```{page[block.span[1] :]}"
        (DOCS / name).write_text(page, encoding="utf-8")
        print(name)  # noqa: T201 - it is a command


if __name__ == "__main__":
    main()
