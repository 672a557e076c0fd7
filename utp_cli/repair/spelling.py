"""How a number was written in the source: `007`, `1.50`, `0xFF`. Its value alone has forgotten that."""

from __future__ import annotations

import re
from typing import Final

from utp_cli.repair.around import repair_json

_NUMBER: Final = r"(?P<number>[+-]?[0-9.][\w.+-]*)"
_TOKENS_AT_MOST: Final = 32
"""Numbers that are compared. Where there are more, nobody can say which one is meant."""


def spelling_of(value: float, key: str | int, source: str) -> str:
    """Return the spelling of the number that stands under `key`, `""` where it is not the only one.

    `source` is the text that the arguments were read from, broken JSON included; an index for a key means an item of
    an array.
    """
    if isinstance(key, int):
        pattern = rf"[\[,]\s*{_NUMBER}"
    else:
        pattern = rf"""(?<!\w)\\{{0,8}}["'“`]?{re.escape(key)}\\{{0,8}}["'”`]?\s*(?::|=>?)\s*{_NUMBER}"""
    found: set[str] = set()
    for count, match in enumerate(re.finditer(pattern, source)):
        if count >= _TOKENS_AT_MOST:
            return ""
        read = repair_json(match["number"]).value
        if isinstance(read, int | float) and not isinstance(read, bool) and read == value:
            found.add(match["number"])
    return found.pop() if len(found) == 1 else ""
