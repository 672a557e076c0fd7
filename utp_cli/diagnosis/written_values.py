"""Values of arguments that were written, or read, once too often: escapes and quotes that belong to the notation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_QUOTED: Final = regex(r"(?<!\w)'[^'\\]*(?:\\.[^'\\]*)*(?:'|\\?\Z)|\"[^\"\\]*(?:\\.[^\"\\]*)*(?:\"|\\?\Z)", re.DOTALL)
_PATTERN_NAMES: Final = regex(r"regex|pattern|glob|query|path|command|cmd", re.IGNORECASE)
_OTHER_ESCAPE: Final = regex(r"\\(?![ntr\"'\\/])")
_IN_QUOTES: Final = regex(r"([\"'])[\w.:/@-]{2,200}\1\Z")
_SEVERAL: Final = 2
_MOST: Final = 100
"""Values of a call that are looked at."""


def escaped_twice(name: str, value: str) -> bool:
    """Whether the line breaks of a value are the two characters backslash and n, as if it had been encoded twice.

    Paths, patterns and commands have such on purpose, and so have strings in code, unless their own quotes are
    escaped as well.
    """
    if "\\n" not in value or "\n" in value or _PATTERN_NAMES.search(name) or not re.search(r"\s", value):
        return False
    if _OTHER_ESCAPE.search(value):
        return False
    quotes = value.count('\\"')
    if quotes >= _SEVERAL and value.count('"') == quotes:
        return True
    return value.count("\\n") >= _SEVERAL and _QUOTED.sub("", value).count("\\n") >= _SEVERAL


def quoted_values(arguments: Mapping[str, Any]) -> list[str]:
    """Return the single words among the values of a call that stand in quotes of their own, where there are several.

    One alone may be meant so: a phrase to be searched for.
    """
    found = [f"{name}: {value}" for name, value in _texts(arguments) if _IN_QUOTES.match(value)]
    return found if len(found) >= _SEVERAL else []


def _texts(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts of arguments, and those of their lists, each with the argument's name."""
    for name, value in [*arguments.items()][:_MOST]:
        if not _PATTERN_NAMES.search(name):
            for one in value[:_MOST] if isinstance(value, list) else [value]:
                if isinstance(one, str):
                    yield name, one
