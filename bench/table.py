"""The one table: a line for each thing that is measured, with what was before, what is to be reached, and peers."""

from __future__ import annotations

from typing import NamedTuple

HEAD = "| what | before | now | reach | dream | peers |\n| --- | --- | --- | --- | --- | --- |"


class Line(NamedTuple):
    """One line of the table; an empty text where there is nothing to say."""

    what: str
    before: str
    now: str
    reach: str
    dream: str
    peers: str = ""

    def __str__(self) -> str:
        return f"| {' | '.join(self)} |"


def cell(ratio: float, seconds: float) -> str:
    """Return a ratio with the time that it is made of."""
    time = f"{seconds * 1e3:,.0f} ms" if seconds >= 0.01 else f"{seconds * 1e6:,.0f} µs"
    return f"{ratio:.2g} ({time})" if ratio < 10 else f"{ratio:.0f} ({time})"


def bound(limit: float, *, more: bool) -> str:
    """Return a ratio that is to be reached; 0 stands for none."""
    return f"{'≥' if more else '≤'} {limit:.2g}" if limit else ""
