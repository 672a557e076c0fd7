"""Text inside tags takes the type that the tool's schema asks for. None of that is a repair.

    string            the text as it stands
    integer, number   converted; left as text if that fails; `1.0` is the integer 1
    boolean           in any case
    null              `null` or `None`, only where null is allowed
    object, array     JSON; a Python list or dict is a repair
    several types     null, integer, number, boolean, object, array, string, in this order

Without a schema the text is JSON if it reads as a JSON literal, else a string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from utp_cli.protocol.spans import pointer_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.protocol.calls import Repair

Decode = Callable[[str], "tuple[Any, list[Repair]] | None"]
"""Reads JSON that strict readers refuse; None where it cannot."""

_ORDER = ("null", "integer", "number", "boolean", "object", "array", "string")
_REF_LIMIT = 20
_INTEGER = re.compile(r"[+-]?\d+(?:\.0+)?")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_LITERALS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_BRACKETS = {"object": "{", "array": "["}
_NO = object()
"""The text does not read as the type."""


def typed_text(text: str, schema: Any, root: Any = None, *, decode: Decode | None = None) -> tuple[Any, list[Repair]]:
    """Return the value that the text stands for under the schema, and the repairs that took.

    `root` is the schema that local `$ref`s count from. `decode` reads broken JSON where an object or array is due.
    """
    types, literals = asked_types(schema, root)
    if not types and not literals:
        return _untyped(text, decode)
    stripped = text.strip()
    for literal in literals:
        if not isinstance(literal, str) and json.dumps(literal) == _LITERAL_SPELLING.get(stripped, stripped):
            return literal, []
    for kind in _ORDER:
        if kind in types:
            value, repairs = _as(kind, text, stripped, decode)
            if value is not _NO:
                return value, repairs
    return text, []


_LITERAL_SPELLING = {"True": "true", "False": "false", "None": "null"}


def asked_types(schema: Any, root: Any = None) -> tuple[frozenset[str], list[Any]]:
    """Return the types that a schema allows, looked for behind `$ref` and unions, and the literals of its enums."""
    types: set[str] = set()
    literals: list[Any] = []
    for branch in _branches(schema, root):
        declared = branch.get("type")
        named = [declared] if isinstance(declared, str) else declared if isinstance(declared, list) else []
        types.update(kind.lower() for kind in named if isinstance(kind, str))
        members = branch.get("enum")
        values = [*members] if isinstance(members, list) else []
        values += [branch["const"]] if "const" in branch else []
        literals += values
        if not named:
            types.update(_json_type(value) for value in values)
            types.update({"object"} if "properties" in branch else {"array"} if "items" in branch else ())
        if branch.get("nullable") is True:
            types.add("null")
    return frozenset(types), literals


def _branches(schema: Any, root: Any) -> Iterator[dict[str, Any]]:
    """Yield the schema and what it refers to or is made of."""
    waiting, seen = [schema], 0
    while waiting and seen < _REF_LIMIT:
        branch = waiting.pop()
        seen += 1
        if not isinstance(branch, dict):
            continue
        yield branch
        waiting.append(resolve(branch.get("$ref"), root))
        for key in ("anyOf", "oneOf", "allOf"):
            waiting += branch[key] if isinstance(branch.get(key), list) else []


def resolve(ref: Any, root: Any) -> Any:
    """Return what a local `$ref` points to, None where it points nowhere."""
    if not isinstance(ref, str) or not ref.startswith("#"):
        return None
    found = root
    for part in pointer_parts(unquote(ref[1:])):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _json_type(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array"}
    return names.get(type(value), "null")


def _as(kind: str, text: str, stripped: str, decode: Decode | None) -> tuple[Any, list[Repair]]:
    """Read the text as one type; `_NO` where it is none."""
    if kind == "string":
        return text, []
    if kind == "null":
        return (None if stripped in ("null", "None") else _NO), []
    if kind == "boolean":
        return {"true": True, "false": False}.get(stripped.lower(), _NO), []
    if kind in _BRACKETS:
        return _container(kind, stripped, decode)
    return _number(kind, stripped), []


def _number(kind: str, text: str) -> Any:
    try:
        if _INTEGER.fullmatch(text) and (kind == "integer" or "." not in text):
            return int(text.partition(".")[0])
        if kind == "number" and _NUMBER.fullmatch(text):
            return float(text)
    except ValueError:  # more digits than the interpreter converts
        return _NO
    return _NO


def _container(kind: str, text: str, decode: Decode | None) -> tuple[Any, list[Repair]]:
    if not text.startswith(_BRACKETS[kind]):
        return _NO, []
    wanted = dict if kind == "object" else list
    try:
        value: Any = json.loads(text)
        repairs: list[Repair] = []
    except (ValueError, RecursionError):
        value, repairs = (decode(text) if decode else None) or (_NO, [])
    return (value, repairs) if isinstance(value, wanted) else (_NO, [])


def _untyped(text: str, decode: Decode | None) -> tuple[Any, list[Repair]]:
    """Read a JSON literal, else a string."""
    stripped = text.strip()
    if stripped in _LITERALS:
        return _LITERALS[stripped], []
    if not stripped or stripped[0] not in '{["-0123456789':
        return text, []
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        if stripped[0] in "{[" and stripped[-1] in "}]" and decode:
            found = decode(stripped)
            if found and all(repair.code in _PYTHON_CODES for repair in found[1]):
                return found
        return text, []
    return value, []


_PYTHON_CODES = frozenset({"single-quotes", "python-literal", "python-tuple", "trailing-comma"})
"""Faults that still leave no doubt that the text was meant as a list or an object."""
