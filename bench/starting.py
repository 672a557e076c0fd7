"""What starting costs: processor time of short runs of `utp`, over that of a Python that does nothing.

    python -m bench.starting [--before FOLDER] [-n TURNS] [ROW ...]

Every row is a process of its own, run in turns with the bare interpreter (`python -c pass`, the same interpreter, no
flags) and with bytecode there; the ratio is that of the medians of one turn. `--before` is a checkout of another
state, which the same interpreter runs in the same turns.
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
from typing import TYPE_CHECKING

from bench.table import HEAD, Line, bound, cell

if TYPE_CHECKING:
    from collections.abc import Iterator

MAIN = "from utp_cli.app import main; main()"
ANSWER = '<tool_call>{"name": "search", "arguments": {"query": "auth"}}</tool_call>'
LIBRARY = f"from utp_cli import parse; parse({ANSWER!r})"
NOW = Path(__file__).parent.parent


def completing(line: str) -> dict[str, str]:
    """Return what the script of bash hands over when Tab is pressed behind a line."""
    words = line.split(" ")
    return {"_UTP_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}


ROWS: dict[str, tuple[str, list[str], dict[str, str], float, float]] = {
    "`utp parse --json`": (MAIN, ["parse", "--json", "answer.txt"], {}, 10, 6),
    "`utp parse`": (MAIN, ["parse", "answer.txt"], {}, 0, 0),
    "`utp --help`": (MAIN, ["--help"], {}, 8, 4),
    "`utp parse --help`": (MAIN, ["parse", "--help"], {}, 0, 0),
    "completion of `utp `": (MAIN, [], completing("utp "), 7, 4),
    "completion of `utp parse --`": (MAIN, [], completing("utp parse --"), 7, 4),
    "completion of `utp parse --parser he`": (MAIN, [], completing("utp parse --parser he"), 7, 4),
    "`utp --version`": (MAIN, ["--version"], {}, 4, 4),
    "`from utp_cli import parse; parse(x)`": (LIBRARY, [], {}, 5, 3),
}
"""What is run: the code, its arguments, its environment; the ratio to reach, and the dream."""
PEERS = {
    "`utp --help`": {"typer, imported": "import typer"},
    "`from utp_cli import parse; parse(x)`": {
        "json_repair": "import json_repair; json_repair.loads('{a: 1}')",
        "openai, imported": "import openai",
        "pydantic, imported": "import pydantic; pydantic.BaseModel",
    },
}
"""By row: what else somebody may start in its place."""


class CannotRunError(Exception):
    """This state does not run a row."""


def cost(code: str, words: list[str], more: dict[str, str], folder: str, state: Path | None = None) -> float:
    """Run code in a process of its own, with the package of `state`; return its processor time in seconds."""
    dropped = ("PYTHONDONTWRITEBYTECODE", "UTP_CONFIG")
    environment = {name: value for name, value in os.environ.items() if name not in dropped}
    if state:
        others = environment.get("PYTHONPATH", "").split(os.pathsep)
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(state.resolve()), *others]))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", code, *words], env={**environment, **more}, cwd=folder, check=False,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if b"Traceback (most" in done.stderr or done.returncode > 1:
        raise CannotRunError
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def lines(before: Path | None, only: list[str], turns: int) -> Iterator[Line]:
    """Measure the rows, or those whose names hold one of the words."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "answer.txt").write_text(ANSWER, encoding="utf-8")
        for name, (code, words, more, reach, dream) in ROWS.items():
            if only and not any(word in name for word in only):
                continue
            runs: dict[str, list[float]] = {
                "bare": [],
                "before": [],
                "now": [],
                **{peer: [] for peer in PEERS.get(name, {})},
            }
            for turn in range(turns + 1):  # the first turn writes bytecode
                for what, times in runs.items():
                    state = {"before": before, "now": NOW}.get(what)
                    asked = {"bare": "pass", **PEERS.get(name, {})}.get(what)
                    try:
                        if asked:
                            taken = cost(asked, [], {}, folder)
                        else:
                            taken = cost(code, words, more, folder, state) if state else 0
                    except CannotRunError:
                        continue
                    if turn and taken:
                        times.append(taken)
            bare = median(runs["bare"])
            told = {what: cell(median(times) / bare, median(times)) if times else "" for what, times in runs.items()}
            peers = ", ".join(f"{peer} {told[peer]}" for peer in PEERS.get(name, {}) if told[peer])
            was = told["before"] or ("cannot run it" if before else "")
            yield Line(f"{name}, over `python -c pass`", was, told["now"], bound(reach, more=False), bound(dream, more=False), peers)  # fmt: skip


def main() -> None:
    """Measure, and print the lines."""
    ask = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    ask.add_argument("rows", nargs="*")
    ask.add_argument("--before", type=Path, help="a checkout of another state")
    ask.add_argument("-n", type=int, default=15, help="turns of each row")
    asked = ask.parse_args()
    print(HEAD, flush=True)
    for line in lines(asked.before, asked.rows, asked.n):
        print(line, flush=True)


if __name__ == "__main__":
    main()
