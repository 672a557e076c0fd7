"""Text inside tags takes the type that the tool's schema asks for. None of that is a repair.

    string            the text as it stands
    integer, number   converted; left as text if that fails; `1.0` is the integer 1
    boolean           in any case
    null              `null` in any case of letters, or `None`, only where null is allowed
    object, array     JSON; a Python list or dict is a repair
    several types     null, integer, number, boolean, object, array, string, in this order

Without a schema the text is JSON if it reads as a JSON literal, else a string.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from utp_cli.protocol.calls import Repair
from utp_cli.protocol.numbers import dumps, json_dumps
from utp_cli.protocol.patterns import regex
from utp_cli.repair.codes import CODES
from utp_cli.repair.strict import strict
from utp_cli.schemas.types import asked_types

Decode = Callable[[str], "tuple[Any, list[Repair]] | None"]
"""Reads JSON that strict readers refuse; None where it cannot."""

_ORDER: Final = ("null", "integer", "number", "boolean", "object", "array", "string")
_DIGITS: Final = 4000
"""Longer numbers stay text: the interpreter refuses to convert them."""
_INTEGER: Final = regex(r"[+-]?[0-9]+(?:\.0+)?")
_NUMBER: Final = regex(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]+)?")
_LITERALS: Final = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_SPELT: Final = {"True": "true", "False": "false", "None": "null"}
_BRACKETS: Final = {"object": "{", "array": "["}
_PYTHON_CODES: Final = frozenset({"single-quotes", "python-literal", "python-tuple", "python-set", "string-prefix"})
"""Faults that a list or an object as Python prints it is made of."""
_PRINTED: Final = _PYTHON_CODES | {"python-literal", "trailing-comma"}
"""Faults that leave no doubt that a list or an object was meant."""
_NO: Final = object()
"""The text does not read as the type."""


def typed_text(text: str, schema: Any, root: Any = None, *, decode: Decode | None = None) -> tuple[Any, list[Repair]]:
    """Return the value that the text stands for under the schema, and the repairs that took.

    `root` is the schema that local `$ref`s count from. `decode` reads broken JSON where an object or array is due.
    """
    types, literals = asked_types(schema, root)
    if not types and not literals:
        value, repairs = _untyped(text, decode)
        return value, [repair.moved(len(text) - len(text.lstrip())) for repair in repairs]
    stripped = text.strip()
    for literal in literals:
        if not isinstance(literal, str | list | dict) and json_dumps(literal) == _SPELT.get(stripped, stripped):
            return literal, []
    for kind in _ORDER:
        if kind in types:
            value, repairs = _as(kind, text, stripped, decode)
            if "string" in types and not {repair.code for repair in repairs} <= _PRINTED:
                continue  # it may be just the text it is
            if value is not _NO:
                return value, [repair.moved(len(text) - len(text.lstrip())) for repair in repairs]
    return text, []


def _as(kind: str, text: str, stripped: str, decode: Decode | None) -> tuple[Any, list[Repair]]:
    """Read the text as one type; `_NO` where it is none."""
    if kind == "string":
        return text, []
    if kind == "null":
        return (None if stripped == "None" or stripped.lower() == "null" else _NO), []
    if kind == "boolean":
        return {"true": True, "false": False}.get(stripped.lower(), _NO), []
    if kind in _BRACKETS:
        return _container(kind, stripped, decode)
    return _number(kind, stripped), []


def _number(kind: str, text: str) -> Any:
    if len(text) > _DIGITS:
        return _NO
    if _INTEGER.fullmatch(text) and (kind == "integer" or "." not in text):
        return int(text.partition(".")[0])
    if kind == "number" and _NUMBER.fullmatch(text):
        value = float(text)
        return value if math.isfinite(value) else _NO
    return _NO


def _container(kind: str, text: str, decode: Decode | None) -> tuple[Any, list[Repair]]:
    if not text.startswith(_BRACKETS[kind]):
        return _NO, []
    wanted = dict if kind == "object" else list
    try:
        value, repairs = strict(text), []
    except ValueError:
        value, repairs = (decode(text) if decode else None) or (_NO, [])
    return (value, _as_python(text, value, repairs)) if isinstance(value, wanted) else (_NO, [])


def _as_python(text: str, value: Any, repairs: list[Repair]) -> list[Repair]:
    """A list or an object as Python prints it is one repair, not one for every quote."""
    codes = {repair.code for repair in repairs}
    if not codes or not codes <= _PYTHON_CODES:
        return repairs
    code = CODES["python-literal"]
    after = dumps(value)
    return [
        Repair(
            code=code.code, layer="syntax", confidence=code.confidence, span=(0, len(text)), before=text, after=after,
            message="read a Python literal",
        )
    ]  # fmt: skip


def _untyped(text: str, decode: Decode | None) -> tuple[Any, list[Repair]]:
    """Read a JSON literal, else a string."""
    stripped = text.strip()
    if stripped in _LITERALS:
        return _LITERALS[stripped], []
    if not stripped or stripped[0] not in '{["-0123456789':
        return text, []
    try:
        return strict(stripped), []
    except ValueError:
        found = decode(stripped) if decode and stripped[0] in "{[" and stripped[-1] in "}]" else None
    if found and {repair.code for repair in found[1]} <= _PRINTED:
        return found[0], _as_python(stripped, *found)
    return text, []
