"""A stream for people, while it arrives. A sign in the margin says what each line of the model's is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.views.pretty import signature

if TYPE_CHECKING:
    from utp_cli.protocol.events import Event, EventType
    from utp_cli.views.lines import Screen


class Live:
    """Draws events one after the other. Plain text: what has gone out cannot be coloured again."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        signs = screen.signs
        self._margins: dict[EventType, str] = {
            "text": f"  {signs.said} ",
            "thinking": f"  {signs.thought} ",
            "tool_args": f"  {signs.arrow} ",
        }
        self._open: tuple[EventType, int | None] | None = None
        """What the line that is not ended yet belongs to: its type and which call."""

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
        """Return what ends the open line."""
        ended, self._open = ("\n" if self._open else ""), None
        return ended

    def _piece(self, event: Event) -> str:
        if not event.text:
            return ""
        margin = self._margins[event.type]
        key = (event.type, event.index)
        start = "" if self._open == key else self.end() + margin
        self._open = key
        return start + f"\n{margin}".join(self._screen.safe(line) for line in event.text.split("\n"))
