"""The first try: strict JSON by the standard library's scanner, without what it is too lenient about."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from utp_cli.protocol.numbers import floating, number
from utp_cli.protocol.patterns import regex

__all__ = ["NUMBER", "SPACE", "number", "scan", "strict"]

SPACE: Final = " \t\n\r"
NUMBER: Final = regex(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse, parse_float=floating)
scan = _DECODER.scan_once  # type: ignore[attr-defined]  # left out of the stubs


def strict(text: str) -> Any:
    """Return the value of a text that is strict JSON. Raises ValueError, also where this way cannot read it.

    `NaN` and `Infinity` are refused. Nesting deeper than the interpreter's limit and integers above its digit
    limit are valid JSON and still raise: the tolerant reader takes them.
    """
    try:
        value, end = scan(text, len(text) - len(text.lstrip(SPACE)))
    except StopIteration:
        raise ValueError("no value") from None
    except RecursionError:
        raise ValueError("nested too deeply for the fast road") from None
    if end != len(text) and text[end:].strip(SPACE):
        raise ValueError("more than one value")
    return value
