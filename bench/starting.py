"""What starting costs: processor time of short runs of `utp`, over that of a Python that does nothing.

    python -m bench.starting [--against PYTHON] [-n RUNS]

Every row is a process of its own, run in turns with the bare interpreter (`python -c pass`, the same interpreter, no
flags) and with bytecode there; the ratio is that of the medians of one turn. `--against` takes the interpreter of
another environment, where another version is installed, and shows it beside this one, in the same turns.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

MAIN = "from utp_cli.app import main; main()"
ANSWER = '<tool_call>{"name": "search", "arguments": {"query": "auth"}}</tool_call>'
LIBRARY = f"from utp_cli import parse; parse({ANSWER!r})"


def completing(line: str) -> dict[str, str]:
    """Return what the script of bash hands over when Tab is pressed behind a line."""
    words = line.split(" ")
    return {"_UTP_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}


ROWS: dict[str, tuple[str, list[str], dict[str, str], float, float]] = {
    "parse --json": (MAIN, ["parse", "--json", "answer.txt"], {}, 10, 6),
    "parse": (MAIN, ["parse", "answer.txt"], {}, 0, 0),
    "--help": (MAIN, ["--help"], {}, 8, 4),
    "parse --help": (MAIN, ["parse", "--help"], {}, 0, 0),
    "complete `utp `": (MAIN, [], completing("utp "), 7, 4),
    "complete `utp parse --`": (MAIN, [], completing("utp parse --"), 7, 4),
    "complete `utp parse --parser he`": (MAIN, [], completing("utp parse --parser he"), 7, 4),
    "--version": (MAIN, ["--version"], {}, 4, 4),
    "import utp_cli; parse(x)": (LIBRARY, [], {}, 5, 3),
    "import typer, alone": ("import typer", [], {}, 0, 0),
}
"""What is run: the code, its arguments, its environment; the ratio to reach, and the dream."""


def cost(command: list[str], more: dict[str, str], folder: str) -> float:
    """Run a command and return its processor time in milliseconds."""
    dropped = ("PYTHONDONTWRITEBYTECODE", "UTP_CONFIG")
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, env={**environment, **more}, cwd=folder, check=False,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--against", help="the Python of an environment with another version")
    parser.add_argument("-n", type=int, default=15, help="runs of each row")
    asked = parser.parse_args()
    pythons = [sys.executable, *([asked.against] if asked.against else [])]
    titles = ["this version", "that of --against"][: len(pythons)]
    print(f"| over `python -c pass` | {' | '.join(titles)} | reach | dream |")
    print("| --- " * (len(pythons) + 3) + "|")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "answer.txt").write_text(ANSWER, encoding="utf-8")
        for name, (code, arguments, more, reach, dream) in ROWS.items():
            runs: list[list[float]] = [[] for _ in range(len(pythons) + 1)]
            for turn in range(asked.n + 1):
                taken = [cost([sys.executable, "-c", "pass"], {}, folder)]
                taken += [cost([python, "-c", code, *arguments], more, folder) for python in pythons]
                for index, each in enumerate(taken if turn else []):  # the first turn writes bytecode
                    runs[index].append(each)
            bare, *others = map(median, runs)
            ratios = " | ".join(f"{other / bare:.1f}× ({other:.0f} ms)" for other in others)
            print(
                f"| {name} | {ratios} | {f'≤ {reach:g}×' * bool(reach)} | {f'{dream:g}×' * bool(dream)} |", flush=True
            )


if __name__ == "__main__":
    main()
