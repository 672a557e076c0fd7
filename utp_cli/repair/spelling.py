"""How a number was written in the source: `007`, `1.50`, `0xFF`. Its value alone has forgotten that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.protocol.patterns import regex
from utp_cli.repair.extract import repair_json

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_NUMBER: Final = r"(?P<number>[+-]?[0-9.][\w.+-]*)"
_ITEM: Final = regex(rf"[\[,]\s*{_NUMBER}")
_BEHIND_KEY: Final = regex(rf"""\\{{0,8}}["'”`]?\s*(?::|=>?)\s*{_NUMBER}""")
_TOKENS_AT_MOST: Final = 32
"""Numbers that are compared. Where there are more, nobody can say which one is meant."""


def spelling_of(value: float, key: str | int, source: str) -> str:
    """Return the spelling of the number that stands under `key`, `""` where it is not the only one.

    `source` is the text that the arguments were read from, broken JSON included; an index for a key means an item of
    an array.
    """
    found: set[str] = set()
    for count, match in enumerate(_ITEM.finditer(source) if isinstance(key, int) else _members(key, source)):
        if count >= _TOKENS_AT_MOST:
            return ""
        read = repair_json(match["number"]).value
        if isinstance(read, int | float) and not isinstance(read, bool) and read == value:
            found.add(match["number"])
    return found.pop() if len(found) == 1 else ""


def _members(key: str, source: str) -> Iterator[re.Match[str]]:
    """Find the numbers behind a key that is no end of a longer word."""
    at = source.find(key)
    while at >= 0:
        before = source[at - 1 : at]
        match = None if before.isalnum() or before == "_" else _BEHIND_KEY.match(source, at + len(key))
        if match:
            yield match
        at = source.find(key, at + 1)
