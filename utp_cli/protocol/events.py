"""What `Parser.feed` reports while an answer arrives."""

from __future__ import annotations

from typing import Any, Literal

from utp_cli.protocol.records import Record

EventType = Literal["text", "thinking", "tool_start", "tool_args", "tool_end"]


class Event(Record):
    """Something that has become certain (or `provisional`)."""

    type: EventType
    text: str = ""
    """`text`, `thinking`: the next piece. `tool_args`: the next piece of the arguments as the model wrote them where it
    is provisional; else all of them as JSON."""
    index: int | None = None
    """Which call of this answer, the same for start, args and end. Provisional: counted from 0 as they open. Else: its
    place in the result's `calls`."""
    name: str | None = None
    """`tool_start`, `tool_end`: the tool."""
    id: str | int | None = None
    """`tool_start`, `tool_end`: the call's id where the wire gave one; `tool_end`: always."""
    arguments: dict[str, Any] | None = None
    """`tool_end`: the arguments as read. Whether the call may be run is said by the result, not here."""
    pointer: str = ""
    """The text it comes from."""
    provisional: bool = False
    """The call may still be outranked, be cut off, or turn out to be a draft in thinking. A call that stands is told
    again when it is certain, without this mark; the events without it say just what the result does."""

    def to_dict(self) -> dict[str, Any]:
        """Write it as one JSON line: only the keys that say something."""
        out: dict[str, Any] = {"type": self.type}
        if self.text or self.type in ("text", "thinking", "tool_args"):
            out["text"] = self.text
        for key in ("index", "name", "id", "arguments"):
            if getattr(self, key) is not None:
                out[key] = getattr(self, key)
        if self.pointer:
            out["pointer"] = self.pointer
        if self.provisional:
            out["provisional"] = True
        return out
