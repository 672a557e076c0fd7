"""How replay grows: memory and time of 10,000 and of 100,000 exchanges, and what a second process brings.

    python -m bench.replay [EXCHANGES]

Peak memory is that of the largest process. On a busy machine the wall clock says little: the processor time of the
busiest process, over that of one process alone, says what a second one takes off it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOOL = {
    "name": "search",
    "description": "Find.",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
}
MEASURED = """
import resource, sys, time
from utp_cli.app import main
try:
    main()
except SystemExit:
    pass
me, them = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(max(me.ru_maxrss, them.ru_maxrss), me.ru_utime + me.ru_stime, them.ru_utime + them.ru_stime, file=sys.stderr)
"""


def write(path: Path, count: int) -> None:
    """Write a session of native calls, calls in the text, and calls that need a repair."""
    with path.open("w") as file:
        print(json.dumps({"utp_session": 1, "model": "qwen3:32b", "tools": [TOOL]}), file=file)
        for number in range(count):
            text = f'Looking.\n<tool_call>\n{{"name": "search", "arguments": {{"query": "q{number}"{"," * (number % 3 == 1)}}}}}\n</tool_call>'
            call = {
                "id": f"c{number}",
                "type": "function",
                "function": {"name": "search", "arguments": f'{{"query": "q{number}"}}'},
            }
            message = (
                {"role": "assistant", "content": text}
                if number % 3
                else {"role": "assistant", "content": None, "tool_calls": [call]}
            )
            body = {
                "id": "x",
                "object": "chat.completion",
                "model": "qwen3:32b",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            }
            request = {"messages": [{"role": "user", "content": f"question {number} " + "of some length " * 20}]}
            print(json.dumps({"request": request, "response": body, "status": 200}), file=file)


def measure(path: Path, *options: str) -> tuple[float, float, float, float]:
    """Return the megabytes, the seconds on the clock, and those of this process and of its children."""
    words = [sys.executable, "-c", MEASURED, "replay", str(path), "--fail-on", "never", "-o", os.devnull, *options]
    start = time.perf_counter()
    done = subprocess.run(words, stderr=subprocess.PIPE, text=True, check=True)
    clock = time.perf_counter() - start
    peak, own, children = map(float, done.stderr.split()[-3:])
    return peak / 1024, clock, own, children


def main() -> None:
    """Measure and print."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder, "small.jsonl"), Path(folder, "large.jsonl")
        write(small, most // 10)
        write(large, most)
        few, many, both = measure(small), measure(large), measure(large, "--jobs", "2")
        listed = measure(large, "--json")
    busiest = max(both[2], both[3] / 2)
    print(f"{most // 10:>9,}  {few[0]:6.0f} MB  {few[1]:6.1f} s  {few[2]:6.1f} s of processor")
    print(
        f"{most:>9,}  {many[0]:6.0f} MB  {many[1]:6.1f} s  {many[2]:6.1f} s of processor   memory {many[0] / few[0]:.2f}x, time {many[2] / few[2]:.1f}x"
    )
    print(
        f"   --json  {listed[0]:6.0f} MB  {listed[1]:6.1f} s  {listed[2]:6.1f} s of processor   memory {listed[0] / few[0]:.2f}x"
    )
    print(f" --jobs 2  {both[0]:6.0f} MB  {both[1]:6.1f} s  {both[2]:6.1f} s here, {both[3] / 2:.1f} s in each process")
    print(
        f"faster by {many[1] / both[1]:.2f} on the clock, by {many[2] / busiest:.2f} in processor time of the busiest"
    )


if __name__ == "__main__":
    main()
