"""All that is promised about speed and memory, in one table: `python -m bench [--before FOLDER] [-n TURNS] [WORD ...]`.

`--before`: a checkout of an older state, which is measured in turn with this one by the same scripts; what it cannot
run is told as such. The words choose rows; `-n` is how often all is measured (2). Starting and speed are ratios within
one run; memory is in sizes of the input, and only of this state. Peers are measured where they are installed.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench import memory, speed, starting
from bench.table import HEAD


def main() -> None:
    """Measure everything, and print each line once it is known."""
    ask = argparse.ArgumentParser(prog="python -m bench", description=(__doc__ or "").split(":", 1)[0])
    ask.add_argument("rows", nargs="*", metavar="WORD", help="measure the rows with one of these words in their names")
    ask.add_argument("--before", type=Path, help="a checkout of an older state")
    ask.add_argument("-n", type=int, default=2, help="turns of the bulk, and a seventh of those of the starts")
    ask.add_argument("--megabytes", type=int, default=20, help="size of the inputs whose memory is measured")
    given = ask.parse_args()
    print(HEAD, flush=True)
    for line in starting.lines(given.before, given.rows, 7 * given.n):
        print(line, flush=True)
    for line in speed.lines(given.before, given.rows, given.n):
        print(line, flush=True)
    for line in memory.lines(given.rows, given.megabytes):
        print(line, flush=True)


if __name__ == "__main__":
    main()
