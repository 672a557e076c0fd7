"""The first try: strict JSON by the standard library's scanner, without what it is too lenient about."""

from __future__ import annotations

import json
import re
import sys
from typing import Any, Final

SPACE: Final = " \t\n\r"
NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
PLAIN_KEY: Final = re.compile(r'[ \t\n\r]*"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*')
_BREAK: Final = re.compile(r"[ \t\n\r]*([,}\]])[ \t\n\r]*")


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


_BLOCK: Final = 2048
_LONGEST_TOKEN: Final = 12
"""A fault so close to the end of a block may be a literal or an escape that the block cut."""
_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)
_scan = _DECODER.scan_once  # type: ignore[attr-defined]  # left out of the stubs


def strict(text: str) -> Any:
    """Return the value of a text that is strict JSON. Raises ValueError, also where this way cannot read it.

    `NaN` and `Infinity` are refused. Nesting deeper than the interpreter's limit and integers above its digit
    limit are valid JSON and still raise: the tolerant reader takes them.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply for the fast road") from None


def skim(text: str, at: int) -> tuple[Any, int, list[tuple[str, int, int]]]:
    """Read the strict JSON container at `text[at]`: its value, the index behind it, its members.

    The members are those of the object, or of the first object in an array, as (key, start, end).
    Raises ValueError where this is no complete strict JSON.
    """
    try:
        if text[at] == "{":
            return _skim_object(text, at)
        first = at + 1
        while text[first : first + 1] in (" ", "\n", "\t", "\r"):
            first += 1
        value, end = _scan(text, at)
        members = _skim_object(text, first)[2] if text[first] == "{" else []
    except (StopIteration, RecursionError, IndexError):
        raise ValueError("no complete strict JSON") from None
    return value, end, members


def _skim_object(text: str, at: int) -> tuple[dict[str, Any], int, list[tuple[str, int, int]]]:
    value: dict[str, Any] = {}
    members = []
    at += 1
    while key := PLAIN_KEY.match(text, at):
        start = key.end()
        value[key[1]], end = _scan(text, start)
        members.append((key[1], start, end))
        behind = _BREAK.match(text, end)
        if behind is None or behind[1] == "]":
            break
        if behind[1] == "}":
            return value, behind.end(1), members
        at = behind.end()
    raise ValueError("no complete strict JSON")


def container(text: str, at: int) -> tuple[Any, int, int]:
    """Read the container at `text[at]`: its value, the index behind it, and how many characters were looked at.

    The index is -1 where it is not whole, or not strict JSON. Larger and larger blocks are tried, so that
    small values in a large text cost what they are worth.
    """
    size, looked = _BLOCK, 0
    while True:
        block = text[at : at + size]
        looked += len(block)
        try:
            value, end = _scan(block, 0)
        except StopIteration as stopped:
            fault = stopped.value
        except json.JSONDecodeError as error:
            fault = len(block) if error.msg.startswith("Unterminated") else error.pos
        except (ValueError, RecursionError):
            return None, -1, looked
        else:
            return value, at + end, looked
        if at + size >= len(text) or fault < len(block) - _LONGEST_TOKEN:
            return None, -1, looked
        size *= 8


def number(text: str) -> int | float:
    """Return the value of a JSON number, whatever its length."""
    if text.lstrip("-").isdigit():
        limit = sys.get_int_max_str_digits()
        return int(text) if not limit or len(text) <= limit else _long_integer(text)
    return float(text)


def _long_integer(text: str) -> int:
    """Read digits beyond the interpreter's limit: in blocks, joined pairwise so that few are large."""
    sign, digits = (-1, text[1:]) if text[0] == "-" else (1, text)
    width = 512
    digits = digits.zfill(-(-len(digits) // width) * width)
    blocks = [int(digits[i : i + width]) for i in range(0, len(digits), width)]
    base = 10**width
    while len(blocks) > 1:
        if len(blocks) % 2:
            blocks.insert(0, 0)
        blocks = [high * base + low for high, low in zip(blocks[::2], blocks[1::2], strict=True)]
        base *= base
    return sign * blocks[0]
