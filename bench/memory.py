"""Peak memory by size of the input: `python -m bench.memory [MB …]`. Each run is a process of its own.

The peak is that of the process and of its children (`ru_maxrss`), over that of a run on the smallest file.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

TEXTS = (
    '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>',
    '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo",}}',
    "It rains in Oslo. " * 20,
)
RUNS = {
    "parse --lines": ("parse", "{file}", "--lines", "--json", "-o", "{out}"),
    "replay": ("replay", "{file}", "-q", "--fail-on", "never"),
    "replay -o FOLDER/": ("replay", "{file}", "-q", "--fail-on", "never", "-o", "{out}/"),
    "import (--export)": ("replay", "{file}", "--export", "{out}"),
}
MEASURED = (
    "import resource, subprocess, sys\n"
    "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
    "use = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
    "print(use.ru_maxrss, use.ru_utime + use.ru_stime)\n"
)


def written(path: Path, size: int) -> int:
    """Write a recording of so many bytes; return its exchanges."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        file.write('{"utp_session": 1, "model": "qwen3:32b"}\n')
        while file.tell() < size:
            answer = {"choices": [{"message": {"role": "assistant", "content": TEXTS[count % 3]}}]}
            asked = {"messages": [{"role": "user", "content": f"question {count} " * 40}]}
            file.write(json.dumps({"request": asked, "response": answer}) + "\n")
            count += 1
    return count


def measured(words: list[str]) -> tuple[float, float]:
    """Return the peak in MB, and seconds of processor time."""
    done = subprocess.run([sys.executable, "-c", MEASURED, *words], capture_output=True, text=True, check=True)
    peak, seconds = done.stdout.split()
    return int(peak) / 1024, float(seconds)


def main(sizes: list[int]) -> None:
    """Measure every run on every size."""
    print(f"{'run':20} " + " ".join(f"{size:>7} MB" for size in sizes) + "   peak in MB; microseconds an exchange")
    with tempfile.TemporaryDirectory() as folder:
        for name, words in RUNS.items():
            peaks, cost = [], 0.0
            for size in sizes:
                file, out = Path(folder) / f"{size}.jsonl", Path(folder) / f"{name.split()[0]}{len(name)}-{size}"
                count = written(file, size * 1_000_000)
                told = [word.format(file=file, out=out) for word in words]
                peak, seconds = measured([sys.executable, "-m", "utp_cli", *told])
                peaks.append(peak)
                cost = seconds / count * 1e6
            print(f"{name:20} " + " ".join(f"{peak:10.0f}" for peak in peaks) + f"   {cost:,.0f}", flush=True)


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [1, 20, 100])
