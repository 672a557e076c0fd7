"""A history in one form for all providers: turns, made of parts that know where they came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
PartKind = Literal["text", "call", "result", "thinking", "other"]


@dataclass(slots=True, eq=False, kw_only=True)
class MessagePart:
    """One thing that a message says."""

    kind: PartKind
    place: str
    """JSON Pointer into the messages: `/4/content/0`."""
    form: str = ""
    """The form that `raw` is written in; `""` for what was made here."""
    raw: dict[str, Any] | None = None
    """The block, call or item as it stands there; None for a text that is the content itself."""
    text: str = ""
    """Of a text, a thought, a result."""
    id: str | None = None
    """Of a call, or of the call that a result answers; None where there is none."""
    name: str = ""
    """The tool's."""
    arguments: Any = None
    """Of a call, as they stand there: a text or an object."""
    value: Any = None
    """What a result holds, as it stands there."""
    failed: bool = False
    answers: MessagePart | None = None
    """The call that a result answers."""
    changed: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class SourceMessage:
    """A message as it was given."""

    raw: dict[str, Any]
    place: str
    form: str
    role: str
    """As it stands there."""
    parts: list[MessagePart] = field(default_factory=list)
    changed: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class Turn:
    """What one side says: a message, or a part of one (results stand alone)."""

    role: Role
    parts: list[MessagePart]
    source: SourceMessage | None = None
    """None for what was made here."""
    beside: dict[str, Any] = field(default_factory=dict)
    """Fields of the message that are added."""

    @property
    def place(self) -> str:
        """Where it stands."""
        return self.source.place if self.source else ""

    def of(self, kind: PartKind) -> list[MessagePart]:
        """Return its parts of one kind."""
        return [part for part in self.parts if part.kind == kind]

    @property
    def text(self) -> str:
        """All that it says, as one text."""
        return "\n".join(part.text for part in self.parts if part.kind == "text")


def made(role: Role, text: str) -> Turn:
    """Return a turn that was not there before."""
    return Turn(role=role, parts=[MessagePart(kind="text", place="", text=text)])
