"""A stream for people, while it arrives. A sign in the margin says what each line of the model's is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from utp_cli.views.pretty import signature

if TYPE_CHECKING:
    from utp_cli.protocol.events import Event, EventType
    from utp_cli.views.lines import Screen


class LiveView:
    """Draws events one after the other. Plain text: what has gone out cannot be coloured again."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        signs = screen.signs
        self._margins: dict[EventType, str] = {
            "text": f"  {signs.said} ",
            "thinking": f"  {signs.thought} ",
            "tool_args": f"  {signs.arrow} ",
        }
        self._last: tuple[EventType, int | None] | None = None
        """What the last piece belonged to: its type and which call."""
        self._fresh = True
        """Nothing stands on the line yet, not even its margin."""

    def show(self, event: Event) -> str:
        """Return what is to be written for an event; line breaks included."""
        if event.type in self._margins:
            return self._piece(event)
        name = self._screen.safe(event.name if event.name is not None else "?")
        maybe = " (provisional)" if event.provisional else ""
        number = (event.index or 0) + 1
        if event.type == "tool_end" and event.arguments is not None:
            width = self._screen.width - len(maybe) - 10
            name = signature(event.name, event.arguments, self._screen, width)
        word = "call" if event.type == "tool_start" else "done"
        return f"{self.end()}{word} {number} {name}{maybe}\n"

    def end(self) -> str:
        """Return what ends the line that is being written."""
        ended = "" if self._fresh else "\n"
        self._last, self._fresh = None, True
        return ended

    def _piece(self, event: Event) -> str:
        key = (event.type, event.index)
        written = "" if key == self._last else self.end()
        self._last = key
        for line in re.findall(r"[^\n]*\n|[^\n]+", event.text):
            margin = self._margins[event.type] if self._fresh else ""
            self._fresh = line.endswith("\n")
            written += margin + self._screen.safe(line.removesuffix("\n")) + ("\n" if self._fresh else "")
        return written
