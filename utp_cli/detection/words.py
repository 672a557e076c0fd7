"""Lists of names are written as one string, blanks between: they read, sort and compare better that way."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text."""
    return tuple(text.split())
