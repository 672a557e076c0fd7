"""JSON with a long string in it, read in bounded memory.

The standard library's reader keeps the text between two escapes as an object of its own: a string with many of them
takes ten times its length while it is read. Here a long one is read in parts.
"""

from __future__ import annotations

import json
import re
from io import StringIO
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONG: Final = 1 << 18
"""Characters from which on a string is long."""
_PART: Final = 1 << 16
_BETWEEN: Final = regex(r'[^\\"0-9a-fA-Funrt/]')
"""What stands in no escape but may stand behind one: a string can be cut in front of it."""


def without_long_strings(text: str) -> tuple[str, dict[str, str]]:
    """Return a JSON text with a number in the place of each long string, and the strings by these numbers.

    There are none where nothing is long, or where the text is no JSON. Raises `ValueError` for a string that is none.
    """
    held: dict[str, str] = {}
    pieces, done = [], 0
    for start, end in _long_literals(text):
        name = f"{len(held)}.{len(text)}e-999999"
        if name in text:
            continue
        value = StringIO()
        for part in _parts(text, start + 1, end - 1):
            value.write(json.loads(f'"{part}"'))
        held[name] = value.getvalue()
        pieces += [text[done:start], name]
        done = end
    return "".join([*pieces, text[done:]]), held


def read_with(held: dict[str, str], floating: Callable[[str], float]) -> Callable[[str], Any]:
    """Return what makes a value of a JSON number: the long string in whose place it stands, else a float."""
    return lambda written: held[written] if written in held else floating(written)


def _long_literals(text: str) -> list[tuple[int, int]]:
    """Return the spans of long strings, with their quotation marks."""
    bare = text.replace("\\\\", "--").replace('\\"', "--")  # as long, without the quotes that are escaped
    if not any(bare.find('"', at) - at >= LONG for at in range(0, len(bare), LONG)):
        return []
    quotes = (match.start() for match in re.finditer('"', bare))
    return [(start, end + 1) for start, end in zip(quotes, quotes, strict=False) if end - start > LONG]


def _parts(text: str, start: int, end: int) -> Iterator[str]:
    while start < end:
        cut = _BETWEEN.search(text, min(start + _PART, end), end)
        stop = cut.start() if cut else end
        yield text[start:stop]
        start = stop
