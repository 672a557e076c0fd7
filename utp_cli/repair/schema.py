"""Argument value → the type its schema asks. Only proposals: whoever validates decides whether one fits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.numbers import dumps, json_dumps
from utp_cli.protocol.patterns import regex
from utp_cli.repair.names import plain_name
from utp_cli.schemas.types import asked_types

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.repair.typed import Decode

Proposal = tuple[str, Any]
"""A repair's code, and the value that it would make."""

_WHOLE: Final = regex(r"(-?[0-9]+)(?:\.0+)?")
_NUMBER: Final = regex(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_FORMATTED: Final = regex(r"[$€£¥]?\s*(-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|-?[0-9]+(?:\.[0-9]+)?)\s*[%€$£¥]?")
_WORDS: Final = {"yes": True, "on": True, "1": True, "no": False, "off": False, "0": False}
_DIGITS: Final = 4000
"""Longer numbers stay text: the interpreter refuses to convert them."""
EXACT: Final = 2**53
"""Whole floats below this stand for one integer only."""


def proposals(value: Any, schema: Any, root: Any, decode: Decode, written: str = "") -> Iterator[Proposal]:
    """Yield what the value may have been meant as.

    `decode` reads JSON text, broken or not. `written` is the spelling of a number in the source, where it is known.
    """
    types, members = asked_types(schema, root)
    if isinstance(value, str):
        yield from _from_text(value, types, decode)
    elif isinstance(value, bool | int | float):
        yield from _from_scalar(value, types, written)
    elif isinstance(value, dict | list) and "string" in types and not _holds_one(value, str):
        yield "json-to-string", dumps(value)
    yield from _of_enum(value, members)
    in_text = isinstance(value, str) and value.lstrip().startswith("[")
    if "array" in types and not isinstance(value, list) and value is not None and not in_text:
        yield "scalar-to-array", [value]
    if _holds_one(value, str | int | float | dict):
        yield "array-to-scalar", value[0]


def _holds_one(value: Any, kinds: Any) -> bool:
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], kinds)


def _from_text(text: str, types: frozenset[str], decode: Decode) -> Iterator[Proposal]:
    stripped = text.strip()
    if types & {"integer", "number"} and len(stripped) < _DIGITS:
        if _NUMBER.fullmatch(stripped):
            yield from [("stringified-number", number) for number in _numbers(stripped)]
        elif found := _FORMATTED.fullmatch(stripped):
            yield from [("number-format", number) for number in _numbers(found[1].replace(",", ""))]
    if "boolean" in types:
        if stripped.lower() in ("true", "false"):
            yield "stringified-bool", stripped.lower() == "true"
        elif stripped.lower() in _WORDS:
            yield "bool-word", _WORDS[stripped.lower()]
    if "null" in types and "string" not in types and stripped in ("null", "None"):
        yield "stringified-null", None
    if types & {"array", "object"} and stripped[:1] in ("{", "["):
        decoded = decode(stripped)
        if decoded and isinstance(decoded[0], dict | list):
            yield "stringified-json", decoded[0]


def _numbers(text: str) -> list[int | float]:
    """Read a number; a whole one is an integer however it is written. None is left of one beyond all limits."""
    whole = _WHOLE.fullmatch(text)
    if whole:
        return [int(whole[1])]
    value = float(text)
    if not math.isfinite(value):
        return []
    return [int(value) if value.is_integer() and abs(value) < EXACT else value]


def _from_scalar(value: float, types: frozenset[str], written: str) -> Iterator[Proposal]:
    if isinstance(value, bool):
        yield from [("bool-to-string", json_dumps(value))] if "string" in types else []
        return
    if "integer" in types and isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        yield "float-to-int", int(value)
    if "string" in types:
        yield "number-to-string", written or dumps(value)
    if "boolean" in types and value in (0, 1):
        yield "bool-word", bool(value)


def _of_enum(value: Any, members: list[Any]) -> Iterator[Proposal]:
    """The one member that differs in style only; `true` may be meant as the member `"True"`."""
    if not isinstance(value, str | bool):
        return
    plain = plain_name(str(value))
    alike = [member for member in members if isinstance(member, str) and plain_name(member) == plain]
    if len(alike) == 1 and alike[0] != value:
        yield "enum-case" if isinstance(value, str) else "bool-to-string", alike[0]
