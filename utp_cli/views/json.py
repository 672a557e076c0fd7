"""An answer for programs: the whole document, or only its calls. Nothing but the standard library."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.events import Event

_PLAIN_BITS = 2048
"""Integers below are written at once; the interpreter refuses from 640 digits on where it is set so."""


def document(value: Any, *, one_line: bool = False) -> str:
    """Write a JSON document, ended by a line break; `one_line` for JSON lines.

    A lone surrogate stays what it is here; encoding with `errors="backslashreplace"` makes it a JSON escape.
    """
    try:
        return json.dumps(value, ensure_ascii=False, indent=None if one_line else 2) + "\n"
    except (RecursionError, ValueError):
        return line(value) + "\n"


def line(value: Any) -> str:
    """Write a value in one line, however deep it is nested and however long its integers are."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, ValueError):
        return "".join(_pieces(value))


class _Written(str):
    """Text that is JSON already."""

    __slots__ = ()


def _pieces(value: Any) -> Iterator[str]:
    """Yield JSON piece by piece, with a stack of what is still to be written in place of recursion."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Written):
            yield item
        elif isinstance(item, dict):
            keys = (json.dumps(key, ensure_ascii=False) for key in item)
            waiting += _enclosed("{", zip((f"{key}: " for key in keys), item.values(), strict=True), "}")
        elif isinstance(item, list | tuple):
            waiting += _enclosed("[", (("", member) for member in item), "]")
        elif isinstance(item, int) and not isinstance(item, bool):
            yield _digits(item)
        else:
            yield json.dumps(item, ensure_ascii=False)


def _enclosed(opening: str, members: Iterable[tuple[str, Any]], closing: str) -> list[Any]:
    """Return the parts of a container, last first; each member comes with what stands before its value."""
    parts: list[Any] = [_Written(opening)]
    for before, value in members:
        parts += [_Written(f", {before}" if len(parts) > 1 else before), value]
    return [*parts, _Written(closing)][::-1]


def _digits(number: int) -> str:
    """Write an integer of any length; a long one in halves, which costs less than quadratic time."""
    if number < 0:
        return "-" + _digits(-number)
    if number.bit_length() < _PLAIN_BITS:
        return str(number)
    width = number.bit_length() * 3 // 20  # about half of its digits
    high, low = divmod(number, 10**width)
    return _digits(high) + _digits(low).zfill(width)


def answer(result: ParseResult, *, one_line: bool = False) -> str:
    """Write the document `utp.parse/1`."""
    return document(result.to_dict(), one_line=one_line)


def calls(result: ParseResult, *, one_line: bool = False) -> str:
    """Write the list of calls alone."""
    return document([call.to_dict() for call in result.calls], one_line=one_line)


def event(heard: Event) -> str:
    """Write an event of a stream as one line."""
    return document(heard.to_dict(), one_line=True)
