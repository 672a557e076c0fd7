"""What is wrong with a text that should be one JSON value: arguments as text, a value in a string."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from utp_cli.protocol.patterns import regex

_WORDS = {"True": "true", "False": "false", "None": "null", "(": "[", ")": "]"}
_PYTHON = regex(
    r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)'
    r"|'[^'\\]*(?:\\.[^'\\]*)*(?:'|\\?\Z)"
    r"|\b(?:True|False|None)\b|[()]|,(?=\s{0,99}[\]})])",
    re.DOTALL,
)
_HALF_ESCAPE = regex(r"\\u[0-9A-Fa-f]{0,3}\Z")


class Strict(NamedTuple):
    """What the strict reader makes of a text."""

    ok: bool
    value: Any = None
    error: str = ""
    """In the words of Python's reader, which people paste into search engines."""
    at: int = 0
    """Character at which it gave up."""


def _refuse(constant: str) -> Any:
    raise json.JSONDecodeError(f"{constant} is no JSON", "", 0)


# Only the type of a number is asked for, so one above the digit limit may lose digits.
_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_int=lambda digits: int(digits[:4000]))
_LENIENT = json.JSONDecoder(strict=False, parse_int=str)
"""Says of a text only where it breaks off."""


def strict(text: str) -> Strict:
    """Read JSON as the standard says: no NaN. Nesting too deep for Python's reader counts as an object."""
    if text.startswith("\ufeff"):
        return Strict(False, None, "Unexpected UTF-8 BOM (decode using utf-8-sig)")  # as `json.loads` says it
    try:
        return Strict(True, _DECODER.decode(text))
    except json.JSONDecodeError as error:
        return Strict(False, None, error.msg, error.pos)
    except RecursionError:
        return Strict(True, {})


def broken_off(text: str) -> str:
    """Say where a JSON text breaks off: `string`, `separator`, `closers`; `""` where it does not."""
    try:
        _LENIENT.decode(text)
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unterminated string") or _HALF_ESCAPE.search(text[-6:]):
            return "string"
        if text[error.pos :].strip():
            return ""
        return "separator" if text.rstrip()[-1:] in {",", ":"} else "closers"
    except RecursionError:
        return ""
    return ""


def objects_in(text: str) -> list[dict[str, Any]]:
    """Return the objects of a text that is nothing but JSON objects, one after the other; else `[]`."""
    decoder, found, at = json.JSONDecoder(parse_int=str), [], 0
    end = len(text.rstrip())
    while at < end:
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        found.append(value)
        while at < end and text[at].isspace():
            at += 1
    return found


def as_python(text: str) -> Strict:
    """Read a text that is no JSON but a Python literal: single quotes, `True`, tuples. Nothing is run."""
    if strict(text).ok or not any(token[0][0] in "'TFN(" for token in _PYTHON.finditer(text)):
        return Strict(False)
    return strict(_PYTHON.sub(_json_token, text))


def _json_token(match: re.Match[str]) -> str:
    found = match[0]
    if found.startswith("'"):
        inner = found[1:-1].replace("\\'", "'").replace('"', '\\"')
        return f'"{inner}"'
    return "" if found == "," else _WORDS.get(found, found)


def is_prose(text: str) -> bool:
    """Whether a text does not even try to be JSON: it has no brace; one that lost its beginning has the last one."""
    return bool(text.strip()) and text.strip()[0] not in "{[\"'" and not {*"{}"} & {*text} and not strict(text).ok
