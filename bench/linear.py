"""Hostile inputs at n and 2n characters, for every dialect, whole and in pieces of 4: what costs more than twice as much?

    python -m bench.linear [DIALECT ...]

Prints each input whose cost grew by more than 2.5 in three measurements, and exits 1 if there is one.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from tests.hostile import TOOLS, inputs
from utp_cli import Parser
from utp_cli.dialects.catalogue import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.dialects.spec import Dialect


def cost(dialect: Dialect, text: str, piece: int) -> float:
    """Return the seconds of processor time that reading takes."""
    start = time.process_time()
    parser = Parser(parser=dialect.name, tools=TOOLS)
    for at in range(0, len(text), piece):
        parser.feed(text[at : at + piece])
    result = parser.close()
    result.to_dict()
    return time.process_time() - start


def grown(dialect: Dialect, make: Callable[[int], str], piece: int, size: int) -> float:
    """Return by how much the cost grows when the input doubles; a large factor is measured again."""
    factor = 99.0
    for _ in range(3):
        one = cost(dialect, make(size), piece)
        factor = min(factor, cost(dialect, make(2 * size), piece) / max(one, 0.002))
        if factor <= 2.5:
            break
    return factor


def main() -> int:
    """Measure all dialects, or those that are named."""
    found = 0
    for dialect in [DIALECTS[name] for name in sys.argv[1:]] or DIALECTS:
        worst = 0.0
        for name, make in inputs(dialect):
            for piece, size in ((1 << 30, 30_000), (4, 8_000)):
                factor = grown(dialect, make, piece, size)
                worst = max(worst, factor)
                if factor > 2.5:
                    found += 1
                    print(f"{dialect.name}: {name}, {'whole' if piece > 4 else 'in pieces'}: {factor:.1f}x", flush=True)
        print(f"{dialect.name:<22} at most {worst:.1f}x", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
