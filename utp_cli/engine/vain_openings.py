"""Opening markers that lead to nothing, again and again: each costs a look by every dialect that has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.protocol.calls import Note

if TYPE_CHECKING:
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.reading import Waiting
    from utp_cli.engine.source import Source

MOST: Final = 500
"""Looks of one dialect behind one marker, in a row and without a sound call, after which it looks no more."""


class VainOpenings:
    """Counts them, so that a text of nothing but markers costs little, and no sound call is lost in one with fewer."""

    def __init__(self) -> None:
        self._opened: set[str] = set()
        """Markers that no sound call has followed so far."""
        self._looks: dict[tuple[str, str], int] = {}
        """By marker and dialect."""
        self._tired: dict[str, set[str]] = {}
        """Dialects that look no more, by marker."""
        self._passed: dict[str, int] = {}
        """From where on nobody looks behind a marker any more."""

    def opens(self, hit: Hit, source: Source) -> Waiting[bool]:
        """Count an opening; return whether it is worth no look: vain before, and the same one follows at once."""
        if hit.marker not in self._opened:
            self._opened.add(hit.marker)
            return False
        if hit.marker in self._passed:
            return True
        while True:
            behind = source.slice(hit.end, min(hit.end + len(hit.marker), source.length))
            if behind == hit.marker or source.closed or not hit.marker.startswith(behind):
                return behind == hit.marker
            yield

    def tires(self, hit: Hit, dialect: str) -> bool:
        """Count a look; return whether the dialect has looked in vain too often."""
        looks = self._looks.get((hit.marker, dialect), 0)
        if looks < MOST:
            self._looks[hit.marker, dialect] = looks + 1
            return False
        tired = self._tired.setdefault(hit.marker, set())
        if dialect not in tired:
            tired.add(dialect)
            if tired.issuperset(meaning.dialect.name for meaning in hit.meanings if meaning.role in ("call", "bare")):
                self._passed[hit.marker] = hit.start
        return True

    def sound(self, hit: Hit, dialect: str) -> None:
        """A dialect has read a sound call."""
        self._opened.discard(hit.marker)
        del self._looks[hit.marker, dialect]

    def notes(self, pointer: str, skip: int) -> list[Note]:
        """Say which markers nobody looked behind any more, and from where on; `skip` characters are the prompt's."""
        return [
            Note(
                code="openings-passed-over", pointer=pointer, span=(start - skip, start - skip + len(marker)),
                message=f"{marker.strip()}: no sound call behind {MOST} in a row; from here on none is looked for",
            )
            for marker, start in self._passed.items()
        ]  # fmt: skip
