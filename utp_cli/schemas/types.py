"""Types: those that a schema asks, that of a value, and whether they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.facts.schema_types import TYPES, type_meant
from utp_cli.protocol.numbers import Number
from utp_cli.schemas.bounds import BRANCHES
from utp_cli.schemas.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

_OF_VALUES: Final = {
    bool: "boolean",
    int: "integer",
    float: "number",
    Number: "number",
    str: "string",
    dict: "object",
    list: "array",
}
_COMBINED: Final = ("anyOf", "oneOf", "allOf")


def json_type(value: Any) -> str:
    """Return the JSON type of a value; a whole number is an `integer` only where it is written as one."""
    return _OF_VALUES.get(type(value), "null")


def is_type(value: Any) -> bool:
    """Whether a value of `type` is one of the seven names, or a list of them, in any case as Gemini writes them."""
    names = [value] if isinstance(value, str) else value
    return isinstance(names, list) and all(isinstance(name, str) and name.lower() in TYPES for name in names)


def declared(schema: Any) -> tuple[str, ...]:
    """Return the names under `type`, as they are written; `()` where there are none."""
    found = schema.get("type") if isinstance(schema, dict) else None
    if isinstance(found, str):
        return (found,)
    return tuple(name for name in found if isinstance(name, str)) if isinstance(found, list) else ()


def branches(schema: Any, root: Any) -> Iterator[dict[str, Any]]:
    """Yield the schema and what it refers to or is made of: all that speaks of the same value."""
    waiting = [schema]
    for branch in waiting:
        if not isinstance(branch, dict):
            continue
        yield branch
        if len(waiting) < BRANCHES:
            waiting.append(resolve(branch.get("$ref"), root))
            for key in _COMBINED:
                waiting += branch[key][:BRANCHES] if isinstance(branch.get(key), list) else []


def asked_types(schema: Any, root: Any = None) -> tuple[frozenset[str], list[Any]]:
    """Return the types that a schema allows, looked for behind `$ref` and unions, and the literals of its enums."""
    types: set[str] = set()
    literals: list[Any] = []
    for branch in branches(schema, root):
        named = declared(branch)
        types.update(type_meant(name) or name.lower() for name in named)
        members = branch.get("enum")
        values = [*members] if isinstance(members, list) else []
        values += [branch["const"]] if "const" in branch else []
        literals += values
        if not named:
            types.update(json_type(value) for value in values)
            types.update({"object"} if "properties" in branch else {"array"} if "items" in branch else ())
        if branch.get("nullable") is True:
            types.add("null")
    return frozenset(types), literals


def fits_type(value: Any, schema: Any, root: Any = None) -> bool:
    """Whether a value has a type that the schema asks. A schema that asks none takes all."""
    types, _ = asked_types(schema, root)
    kind = json_type(value)
    return not types or kind in types or (kind == "integer" and "number" in types)


def certain_types(schema: Any) -> tuple[str, ...]:
    """Return the JSON types that a schema accepts; none where it does not say, or not plainly."""
    if not isinstance(schema, dict) or "allOf" in schema or "$ref" in schema:
        return ()
    types = tuple(type_meant(name) or "" for name in declared(schema))
    if "" in types:
        return ()
    for union in ("anyOf", "oneOf"):
        members = schema.get(union)
        if isinstance(members, list):
            inner = [certain_types(member) for member in members]
            return tuple(dict.fromkeys(name for names in inner for name in names)) if all(inner) else ()
    return (*types, "null") if types and schema.get("nullable") is True else types
