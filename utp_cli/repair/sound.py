"""A strict JSON container, read by the standard scanner: what the tolerant reader would say, without loading it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.patterns import regex
from utp_cli.repair import shortcuts

if TYPE_CHECKING:
    from utp_cli.protocol.calls import Repair
    from utp_cli.repair.shortcuts import Member

_SPACE: Final = regex(r"[ \t\n\r]*")
_SMALL: Final = 256
"""Characters that are tried first."""


class SoundValue:
    """A value that is whole and needed nothing. The names are those of `JsonReader`."""

    declined = False
    complete = True
    only_closers = False
    whole_items: int | None = None
    quote = ""
    repairs: tuple[Repair, ...] = ()
    partial: tuple[str, ...] = ()

    def __init__(self, value: Any, text: str, start: int, stop: int, base: int) -> None:
        """It stands at `text[start:stop]`; `base` is the offset of `text[0]`."""
        self.value = value
        self.start, self.end = base + start, base + stop
        self.settled = self.end
        self._written = text, start, base
        self._stop = stop

    @property
    def members(self) -> list[Member]:
        """Of the object, or of the first object in an array."""
        return shortcuts.members_of(*self._written)

    def is_all(self, *, closed: bool) -> bool:
        """Whether nothing behind it belongs to it. `closed`: no more text will come."""
        text = self._written[0]
        behind = _SPACE.match(text, self._stop).end()  # type: ignore[union-attr]  # it matches the empty string
        following = text[behind : behind + 1]
        return following not in ("}", "]", ",") if following else closed


def container_at(text: str, at: int) -> int:
    """Return the index of the bracket that `text[at:]` begins with, but for white space; -1 where there is none."""
    at = _SPACE.match(text, at).end()  # type: ignore[union-attr]  # it matches the empty string
    return at if text[at : at + 1] in ("{", "[") else -1


def read_sound(text: str, at: int, base: int) -> SoundValue | None:
    """Read the container at `text[at]`; None where it is not strict JSON. `base`: the offset of `text[0]`."""
    value, stop, _ = shortcuts.whole(text, at, _SMALL)
    return SoundValue(value, text, at, stop, base) if stop >= 0 else None
