"""TOML as text: on which line a key stands, and a table taken out with everything else left as it is.

Headers and keys that stand on lines of their own are found; inline tables count as their first line.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_PART = r"""(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_KEYS = rf"(?P<keys>{_PART}(?:\s*\.\s*{_PART})*)"
_HEADER = re.compile(rf"\s*\[\[?\s*{_KEYS}\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(rf"\s*{_KEYS}\s*=")

_DEEP_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]{0,99}"|'[^'\n]{0,99}')[ \t]*+\.[ \t]*+){100}""")


def read_toml(text: str) -> dict[str, Any]:
    """Read TOML. Raises `tomllib.TOMLDecodeError`, also for what is sound and too deep or too long for the reader."""
    if _DEEP_KEY.search(text):  # the reader takes quadratic time for them
        raise tomllib.TOMLDecodeError("a key has more than 100 parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError("it is nested too deeply") from None
    except ValueError as error:  # a number of thousands of digits
        raise tomllib.TOMLDecodeError(str(error).partition(";")[0]) from None


def line_of(text: str, keys: Sequence[str]) -> int:
    """Return the line, 1-based, of a key, or of the nearest table around it; 1 where nothing is found."""
    best, depth = 1, 0
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            found = table = _parts(header["keys"])
        elif key := _KEY.match(line):
            found = (*table, *_parts(key["keys"]))
        else:
            continue
        shared = len(found) if tuple(keys[: len(found)]) == found else 0
        if shared > depth:
            best, depth = number, shared
    return best


def without_table(text: str, keys: Sequence[str]) -> str:
    """Take out a table and the tables in it: header to next header. Comments above the next header stay."""
    kept: list[str] = []
    removed: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if header := _HEADER.match(line):
            was_inside, inside = inside, _parts(header["keys"])[: len(keys)] == tuple(keys)
            if was_inside:
                kept += [line for line in _comments_at_end(removed) if line.strip() or not inside]
                removed = []
        (removed if inside else kept).append(line)
    return "".join(kept)


def _comments_at_end(lines: list[str]) -> list[str]:
    """Return the last lines that are comments or empty: they speak of what follows."""
    at = len(lines)
    while at and (not lines[at - 1].strip() or lines[at - 1].lstrip().startswith("#")):
        at -= 1
    return lines[at:]


def _parts(dotted: str) -> tuple[str, ...]:
    """Read a dotted key as TOML does."""
    try:
        table = read_toml(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return (dotted,)
    parts: list[str] = []
    value: object = table
    while isinstance(value, dict):
        (key, value), *_ = value.items()
        parts.append(key)
    return tuple(parts)
