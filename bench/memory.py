"""Peak memory by size of the input: `python -m bench.memory [MB …]`. Each run is a process of its own.

The peak is that of the process and of its children (`ru_maxrss`), less that of the same run on a tiny input. One answer
is told in sizes of its input; what reads row by row, as the growth from a tenth of the rows to all of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench.table import Line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TEXTS = (
    '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>',
    '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo",}}',
    "It rains in Oslo. " * 20,
)
PARSE = ("-m", "utp_cli", "parse", "{file}", "--json", "-o", "{out}")
LIMIT = 4
"""Sizes of its input that one answer may take."""
RECORDING = """
import sys
from pathlib import Path
from utp_cli.io.sessions import SessionFile
from utp_cli.recording.capture import RecordedExchange, row_of
from utp_cli.recording.redaction import Redactor

kept, redactor = SessionFile(Path(sys.argv[2]), {"utp_session": 1}), Redactor()
for line in open(sys.argv[1], "rb"):
    exchange = RecordedExchange(
        method="POST", path="/v1/chat/completions", at=0.0, status=200, ended="complete", request_headers=[],
        request_body=line, response_headers=[], response_body=line,
    )
    kept.add(row_of(exchange, redactor))
"""
ROWS = {
    "`parse --lines`": ("-m", "utp_cli", "parse", "{file}", "--lines", "--json", "-o", "{out}"),
    "`replay`": ("-m", "utp_cli", "replay", "{file}", "-q", "--fail-on", "never"),
    "`replay -o FOLDER/`": ("-m", "utp_cli", "replay", "{file}", "-q", "--fail-on", "never", "-o", "{out}/"),
    "import, `replay --export`": ("-m", "utp_cli", "replay", "{file}", "--export", "{out}"),
    "`record`, its file": (
        "-c",
        RECORDING,
        "{file}",
        "{out}",
    ),
}
MEASURED = (
    "import resource, subprocess, sys\n"
    "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)\n"
    "assert done.returncode < 2 and b'Traceback' not in done.stderr, done.stderr\n"
    "use = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
    "print(use.ru_maxrss, use.ru_utime + use.ru_stime)\n"
)


def event(delta: dict[str, object]) -> str:
    """Return an event of a stream of OpenAI's."""
    choices = [{"index": 0, "delta": delta}]
    return f"data: {json.dumps({'id': 'c', 'object': 'chat.completion.chunk', 'model': 'm', 'choices': choices})}\n\n"


def _stream(first: str, piece: str, last: str) -> Callable[[int], str]:
    return lambda size: first + piece * (size // len(piece)) + last


def _arguments(text: str, **more: str) -> str:
    return event({"tool_calls": [{"index": 0, **more, "function": {"name": "a", "arguments": text} if more else {"arguments": text}}]})  # fmt: skip


ANSWERS: dict[str, Callable[[int], str]] = {
    "prose": lambda size: "It rains in [Oslo] today. " * (size // 26),
    "a stream in pieces of 23 characters": _stream("", event({"content": "It rains in Oslo today."}), "data: [DONE]\n\n"),
    "a stream of argument pieces": _stream(
        _arguments('{"x": "', id="c"), _arguments("hello world "), _arguments('"}') + "data: [DONE]\n\n"
    ),
    "one body": lambda size: json.dumps(
        {
            "object": "chat.completion",
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": "It rains. \n" * (size // 12)}, "finish_reason": "stop"}
            ],
        }
    ),
    "one marked call": lambda size: (
        '<tool_call>{"name": "a", "arguments": {"x": "' + "hello world " * (size // 12) + '"}}</tool_call>'
    ),
}  # fmt: skip


def recording(size: int) -> str:
    """Return a recording of about so many bytes."""
    rows = ['{"utp_session": 1, "model": "qwen3:32b"}']
    written = 0
    while written < size:
        answer = {"choices": [{"message": {"role": "assistant", "content": TEXTS[len(rows) % 3]}}]}
        asked = {"messages": [{"role": "user", "content": f"question {len(rows)} " * 40}]}
        rows.append(json.dumps({"request": asked, "response": answer}))
        written += len(rows[-1])
    return "\n".join(rows) + "\n"


def peak_of(words: tuple[str, ...], text: str) -> float:
    """Run Python with `words` on a file that holds the text; return the peak in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "input.jsonl")
        file.write_text(text, encoding="utf-8")
        told = [word.format(file=file, out=Path(folder, "out")) if "{" in word[:5] else word for word in words]
        run = [sys.executable, "-c", MEASURED, sys.executable, *told]
        done = subprocess.run(run, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[0]) * 1024


def lines(only: list[str], megabytes: int) -> Iterator[Line]:
    """Measure this state, or the rows whose names hold one of the words."""
    size = megabytes * 1_000_000
    for kind, made in ANSWERS.items():
        name = f"memory of `parse`, {megabytes} MB: {kind}"
        if not only or any(word in name for word in only):
            taken = peak_of(PARSE, made(size)) - peak_of(PARSE, made(1000))
            yield Line(name, "", f"{taken / size:.1f}× the input", f"≤ {LIMIT}×", "")
    for kind, words in ROWS.items():
        name = f"memory of {kind}, {megabytes} MB over {megabytes / 10:g} MB"
        if not only or any(word in name for word in only):
            few, many = peak_of(words, recording(size // 10)), peak_of(words, recording(size))
            yield Line(name, "", f"{many / few:.2f}× ({few / 2**20:.0f} → {many / 2**20:.0f} MiB)", "flat", "")


def main(sizes: list[int]) -> None:
    """Measure every run on every size."""
    for size in sizes:
        for line in lines([], size):
            print(line, flush=True)


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [20])
