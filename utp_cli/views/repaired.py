"""A repaired JSON value for people: the verdict, the value, what was changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from utp_cli.views.json import document
from utp_cli.views.lines import blocks, counted
from utp_cli.views.pretty import notes, repairs

if TYPE_CHECKING:
    from utp_cli.views.lines import Screen

_MOST = 16
"""Lines of the value that are shown where not everything is."""


def repaired(reading: Any, screen: Screen, source: str) -> list[Text]:
    """Draw what `repair_json` made of a text."""
    if not reading.complete:
        sign, said = "lost", "the JSON breaks off; what could be read follows"
    elif reading.repairs:
        sign, said = "repaired", f"sound JSON after {counted(len(reading.repairs), 'repair')}"
    else:
        sign, said = "good", "sound JSON, nothing to repair"
    first = screen.row(
        Text.assemble(screen.sign(sign), f" {said}", style="bold"), Text(screen.safe(source), style="dim")
    )
    return blocks(
        [
            [first],
            _value(reading.value, screen),
            repairs(reading.repairs, screen),
            notes(reading.notes, screen),
        ]
    )


def _value(value: Any, screen: Screen) -> list[Text]:
    lines = document(value).splitlines()
    shown = lines if screen.verbose else lines[:_MOST]
    drawn = [Text(f"    {screen.brief(line, screen.width - 4)}") for line in shown]
    if len(lines) > len(shown):
        drawn.append(Text(f"    and {len(lines) - len(shown):,} more lines; --verbose shows them", style="dim"))
    return drawn
