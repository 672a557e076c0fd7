"""Argument value → the type its schema asks. Only proposals: whoever validates decides whether one fits."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from utp_cli.repair.typed import Decode, asked_types

if TYPE_CHECKING:
    from collections.abc import Iterator

Proposal = tuple[str, Any]
"""A repair's code, and the value that it would make."""

_JSON_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_FORMATTED = re.compile(r"[$€£]?\s*(-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?)\s*[%€$]?")
_WORDS = {"yes": True, "on": True, "1": True, "no": False, "off": False, "0": False}
_DIGITS = 4000
"""Longer numbers stay text: the interpreter refuses to convert them."""


def proposals(value: Any, schema: Any, root: Any, decode: Decode) -> Iterator[Proposal]:
    """Yield what the value may have been meant as, surest first. `decode` reads JSON text, broken or not."""
    types, members = asked_types(schema, root)
    if isinstance(value, str):
        yield from _from_text(value, types, decode)
    elif isinstance(value, bool):
        yield from [("bool-to-string", "true" if value else "false")] if "string" in types else []
    elif isinstance(value, int | float):
        yield from _from_number(value, types)
    elif isinstance(value, dict | list) and "string" in types and not (isinstance(value, list) and len(value) == 1):
        yield "json-to-string", json.dumps(value, ensure_ascii=False)
    yield from _of_enum(value, members)
    written = isinstance(value, str) and value.lstrip().startswith("[")
    if "array" in types and not isinstance(value, list) and value is not None and not written:
        yield "scalar-to-array", [value]
    if isinstance(value, list) and len(value) == 1 and not isinstance(value[0], list):
        yield "array-to-scalar", value[0]


def _from_text(text: str, types: frozenset[str], decode: Decode) -> Iterator[Proposal]:
    stripped = text.strip()
    if types & {"integer", "number"} and len(stripped) < _DIGITS:
        number = _number(stripped)
        if number is not None:
            yield "stringified-number", number
        elif found := _FORMATTED.fullmatch(stripped):
            yield "number-format", _number(found[1].replace(",", ""))
    if "boolean" in types:
        if stripped.lower() in ("true", "false"):
            yield "stringified-bool", stripped.lower() == "true"
        elif stripped.lower() in _WORDS:
            yield "bool-word", _WORDS[stripped.lower()]
    if "null" in types and "string" not in types and stripped in ("null", "None"):
        yield "stringified-null", None
    if types & {"array", "object"} and stripped[:1] in "{[":
        found_value = decode(stripped)
        if found_value and isinstance(found_value[0], dict | list):
            yield "stringified-json", found_value[0]


def _number(text: str) -> int | float | None:
    """Read a number; a whole one is an integer however it is written."""
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if not _JSON_NUMBER.fullmatch(text):
        return None
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _from_number(value: float, types: frozenset[str]) -> Iterator[Proposal]:
    if "integer" in types and isinstance(value, float) and value.is_integer():
        yield "float-to-int", int(value)
    if "string" in types:
        yield "number-to-string", json.dumps(value)
    if "boolean" in types and value in (0, 1):
        yield "bool-word", bool(value)


def _of_enum(value: Any, members: list[Any]) -> Iterator[Proposal]:
    if not isinstance(value, str):
        return
    plain = plain_name(value)
    alike = [member for member in members if isinstance(member, str) and plain_name(member) == plain]
    if len(alike) == 1 and alike[0] != value:
        yield "enum-case", alike[0]


def plain_name(name: str) -> str:
    """A name without case, `_`, `-` and spaces."""
    return re.sub(r"[_\-\s]", "", name).lower()
