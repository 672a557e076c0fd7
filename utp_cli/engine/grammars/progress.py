"""What the live listener is told of arguments while they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from utp_cli.engine.grammars.json_value import JsonRead
    from utp_cli.engine.reading import Live

WORTH_REPORTING = 100
"""Characters: an event for every few of them would cost more than reading them."""


class ArgumentsProgress:
    """Tells of one call's arguments, each stretch of them once."""

    def __init__(self, live: Live, start: int) -> None:
        self._live = live
        self.reported = start
        """How far the listener was told."""

    def up_to(self, end: int) -> None:
        """Tell the text up to `end`."""
        if end > self.reported:
            self._live.arguments(self.reported, end)
            self.reported = end

    def passed(self, position: int) -> int:
        """Tell the text up to `position` if that is worth it; return from where on it will be."""
        if position - self.reported >= WORTH_REPORTING:
            self.up_to(position)
        return self.reported + WORTH_REPORTING

    def look(self, reader: JsonRead) -> None:
        """See how far a reader of JSON has come."""
        if not reader.declined:
            self.passed(reader.settled)
