"""What tools cost, format by format, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.rendering.costs import Cost

_HEAD = ("format", "definitions", "a call", "a result")


def as_table(costs: Sequence[Cost]) -> str:
    """Return a line for each format, the cheapest first."""
    cheapest = sorted(costs, key=lambda cost: cost.definitions)
    rows = [_HEAD, *((c.format, str(c.definitions), f"+{c.call}", f"+{c.result}") for c in cheapest)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join((row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:]))) for row in rows]
    return "\n".join([f"tokens, counted by {costs[0].tokenizer}", "", *lines]) + "\n"


def as_document(costs: Sequence[Cost]) -> dict[str, Any]:
    """Return the same for programs, in the order of the formats."""
    listed = [{"format": c.format, "definitions": c.definitions, "call": c.call, "result": c.result} for c in costs]
    return {"tokenizer": costs[0].tokenizer, "costs": listed}
