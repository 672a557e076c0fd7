"""Opening markers that lead to nothing, again and again: each costs a look by every dialect that has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.reading import Waiting
    from utp_cli.engine.source import Source

MOST: Final = 2_000
"""Openings by one marker, in a row and without a sound call, after which it is taken for text."""


def is_vain(hit: Hit, tried: int, source: Source) -> Waiting[bool]:
    """Whether a marker that was `tried` in vain before is worth no look: too often, or the same marker follows at once.

    So a text of nothing but markers costs little, and no sound call is lost in a text with fewer.
    """
    if tried >= MOST:
        return True
    while True:
        behind = source.slice(hit.end, min(hit.end + len(hit.marker), source.length))
        if behind == hit.marker or source.closed or not hit.marker.startswith(behind):
            return behind == hit.marker
        yield
