"""A strict JSON container, read by the standard scanner: what the tolerant reader would say of it, without loading it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.patterns import regex
from utp_cli.repair import shortcuts

if TYPE_CHECKING:
    from utp_cli.protocol.calls import Repair
    from utp_cli.repair.shortcuts import Member

_SPACE: Final = regex(r"[ \t\n\r]*")


class SoundValue:
    """A value that is whole and needed nothing. The names are those of `JsonReader`."""

    declined = False
    complete = True
    only_closers = False
    whole_items: int | None = None
    quote = ""
    repairs: tuple[Repair, ...] = ()
    partial: tuple[str, ...] = ()

    def __init__(self, value: Any, end: int, written: tuple[str, int, int]) -> None:
        """`end`: the offset behind it. `written`: a text, its index there, the offset of `text[0]`."""
        self.value = value
        self.end = self.settled = end
        self._written = written

    @property
    def members(self) -> list[Member]:
        """Of the object, or of the first object in an array."""
        return shortcuts.members_of(*self._written)


def read_sound(text: str, at: int, base: int, *, closed: bool) -> SoundValue | None:
    """Read the container at `text[at]`; None where it is not strict JSON, or more may belong to it.

    `base`: the offset of `text[0]`. `closed`: no more text will come.
    """
    at = _SPACE.match(text, at).end()  # type: ignore[union-attr]  # it matches the empty string
    if text[at : at + 1] not in ("{", "["):
        return None
    value, end, _ = shortcuts.whole(text, at)
    if end < 0:
        return None
    behind = _SPACE.match(text, end).end()  # type: ignore[union-attr]
    following = text[behind : behind + 1]
    if following in ("}", "]", ",") or not (following or closed):
        return None
    return SoundValue(value, base + end, (text, at, base))
