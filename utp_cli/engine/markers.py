"""Finding the next marker among all markers of all candidate dialects at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.source import Source

Role = Literal["call", "bare", "section", "think", "unthink", "end", "drop"]


class Meaning(NamedTuple):
    """What a marker would mean in one dialect."""

    role: Role
    dialect: Dialect


class Hit(NamedTuple):
    """A marker in the text: `[start, end)`, and all that it could mean, in the order of the dialects."""

    marker: str
    start: int
    end: int
    meanings: tuple[Meaning, ...]


class Markers:
    """A trie of markers. The longest marker at a place wins."""

    def __init__(self, marked: Iterable[tuple[str, Meaning]]) -> None:
        self._root: dict[str, dict[str, object]] = {}
        self._meanings: dict[str, tuple[Meaning, ...]] = {}
        for marker, meaning in marked:
            self._meanings[marker] = (*self._meanings.get(marker, ()), meaning)
        for marker in self._meanings:
            node: dict[str, object] = self._root  # type: ignore[assignment]
            for character in marker:
                node = node.setdefault(character, {})  # type: ignore[assignment]
            node[""] = marker
        self.stops = _stops(self._meanings)
        """Where a marker may start. No marker starts at a place that this does not match."""
        first = {marker[0] for marker in self._meanings}
        self.first = first.pop() if len(first) == 1 else ""
        """The character that every marker starts with, `""` where they start with several."""

    def match(self, source: Source, position: int) -> Hit | bool:
        """Return the longest marker at `position`; False where there is none, True where more text must tell."""
        node: dict[str, object] = self._root  # type: ignore[assignment]
        window, index = source.window, position - source.base
        found: str | None = None
        while True:
            found = node.get("", found)  # type: ignore[assignment]
            if index >= len(window):
                if not source.closed and len(node) > ("" in node):
                    return True
                break
            following = node.get(window[index])
            if following is None:
                break
            node = following  # type: ignore[assignment]
            index += 1
        if found is None:
            return False
        return Hit(marker=found, start=position, end=position + len(found), meanings=self._meanings[found])


def _stops(markers: Iterable[str]) -> re.Pattern[str]:
    """Match where a marker may start: at its first character, or for words at their first three.

    A word is common in prose, so that its first letter alone would stop the search too often; at the end of the
    window a shorter beginning counts, for the rest may still come.
    """
    singles: set[str] = set()
    words: set[str] = set()
    for marker in markers:
        if marker[0].isalnum() or marker[0].isspace():
            words |= {re.escape(marker[:3]), *(re.escape(marker[:n]) + r"\Z" for n in (1, 2))}
        else:
            singles.add(marker[0])
    classes = ["[" + re.escape("".join(sorted(singles))) + "]"] if singles else []
    return re.compile("|".join([*classes, *sorted(words, reverse=True)]) or "(?!)")
