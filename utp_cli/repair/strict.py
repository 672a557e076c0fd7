"""The first try: strict JSON by the standard library's scanner, without what it is too lenient about."""

from __future__ import annotations

import json
import re
import sys
from typing import Any, Final

SPACE: Final = " \t\n\r"
NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)
scan = _DECODER.scan_once  # type: ignore[attr-defined]  # left out of the stubs


def strict(text: str) -> Any:
    """Return the value of a text that is strict JSON. Raises ValueError, also where this way cannot read it.

    `NaN` and `Infinity` are refused. Nesting deeper than the interpreter's limit and integers above its digit
    limit are valid JSON and still raise: the tolerant reader takes them.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply for the fast road") from None


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
