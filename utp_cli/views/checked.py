"""`--for PROVIDER`, for people: whether a request can be sent, and what its provider will refuse."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.text import Text

from utp_cli.views.lines import counted
from utp_cli.views.pretty import diagnosis

if TYPE_CHECKING:
    from utp_cli.diagnosis.histories.requests import CheckedRequest
    from utp_cli.views.lines import Screen


def checked_lines(found: CheckedRequest, screen: Screen, source: str) -> list[Text]:
    """Draw the verdict, then each broken rule with its place and what mends it; equal ones are told once."""
    size = counted(found.messages, "message") + (f", {counted(found.tools, 'tool')}" if found.tools else "")
    form = f", written as {found.converted}" if found.converted else ""
    seen = screen.safe(f"{source}: {size}{form}")
    if found.broken:
        verdict = f" {counted(len(found.broken), 'rule')} of {found.label} broken  "
        lines = [Text.assemble(screen.sign("lost"), verdict, (seen, "dim")), Text("")]
    else:
        lines = [Text.assemble(screen.sign("good"), f" nothing that {found.label} refuses  ", (seen, "dim"))]
    for _, same in groupby(found.broken + found.hints, key=lambda one: (one.code, one.message, one.fix)):
        first, *others = same
        places = f"{first.place.pointer or '/'}" + (f" and {len(others)} more" if others else "")
        told = f"{places}: {first.evidence}" if first.evidence else places
        lines += diagnosis(first, told, first.fix, screen)
    mend = [Text(""), Text("  the mended request: --fix -o FILE", style="dim")] if found.broken else []
    return lines + mend
