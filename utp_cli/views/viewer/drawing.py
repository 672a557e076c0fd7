"""What the viewer shows: rows of its list, and an exchange in two panels. Model output is escaped here."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text

from utp_cli.views.lines import blocks, counted
from utp_cli.views.page.asked import asked
from utp_cli.views.passages import texts
from utp_cli.views.pretty import diagnosis, pretty
from utp_cli.views.replay import changed_arguments

if TYPE_CHECKING:
    from utp_cli.replaying.compare import Compared
    from utp_cli.replaying.listing import Row
    from utp_cli.views.lines import Screen

_WHOLE = 200_000
"""Characters of text up to which everything can be shown: more takes seconds to draw."""
_ASKED = 3
"""Messages of the request that are shown, the last ones."""
_COLUMN = 12
"""Where the text of a message begins, at most."""
_NAME = 200
"""Characters of a row: there is no wider list."""


def listed(row: Row, screen: Screen) -> Text:
    """Draw a row of the list."""
    number = "" if row.index is None else f"{row.index:>4} "
    return Text.assemble(screen.sign(row.sign), Text(f" {number}", style="dim"), screen.safe(row.told[:_NAME]))


def answer(row: Row, compared: Compared, screen: Screen) -> list[Text]:
    """Draw what became of an exchange: cause and fix, calls, ladder, repairs."""
    head = []
    if row.failing and row.sign == "lost":
        head = screen.labelled(Text.assemble(screen.sign(row.sign), " "), row.told, 2)
        head += changed_arguments(compared, screen)
    ending = [Text(f"  utp parse --from '{screen.safe(row.source)}#{row.index}'", style="dim")]
    drawn = pretty(compared.result, _bounded(compared, screen), seen=True, ladder=True)
    return blocks([head, drawn, ending])


def conversation(row: Row, screen: Screen) -> list[Text]:
    """Draw what is wrong with a conversation."""
    return blocks(
        [diagnosis(finding, finding.evidence, finding.fix or finding.hint, screen) for finding in row.findings]
    )


def text(compared: Compared, screen: Screen) -> list[Text]:
    """Draw what was asked, and the text of the answer with its calls, thinking and repairs marked."""
    said = asked(compared.exchange.request)
    left_out = len(said) - _ASKED
    lines = [Text(f"  {counted(left_out, 'message')} before", style="dim")] if left_out > 0 else []
    for message in said[-_ASKED:]:
        label = Text(f"  {screen.brief(message.role, 20)}  ", style="bold")
        lines += screen.labelled(label, message.text, min(label.cell_len, _COLUMN))
    written = [*texts(compared.result, _bounded(compared, screen))]
    return blocks([lines, *(written or [[Text("  no text beside the calls", style="dim")]])])


def trouble(told: str, screen: Screen) -> list[Text]:
    """Say what stands in place of an exchange."""
    return screen.labelled(Text.assemble(screen.sign("lost"), " "), told, 2)


def session_name(row: Row, screen: Screen) -> Text:
    """Name the session of a row."""
    return Text(screen.safe(row.source.rpartition("/")[2] or row.source or "?"), style="bold")


def _bounded(compared: Compared, screen: Screen) -> Screen:
    """Return the screen on which everything is shown only where that is drawn in no time."""
    size = sum(map(len, compared.result.texts.values()))
    return screen if size <= _WHOLE else replace(screen, verbose=False)
