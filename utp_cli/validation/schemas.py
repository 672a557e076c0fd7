"""Schemas of tools as validators take them: compiled once, read in the spellings that providers use.

Nothing is fetched: a reference to a file or an address makes a schema unusable.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from utp_cli.facts.schema_types import type_meant
from utp_cli.protocol.numbers import json_dumps, odd_numbers, writable
from utp_cli.protocol.records import Record
from utp_cli.schemas.bounds import BRANCHES
from utp_cli.schemas.expansion import expands_too_far
from utp_cli.schemas.resolve import as_uri
from utp_cli.schemas.types import branches, declared
from utp_cli.schemas.walk import changed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CACHED: Final = 256
"""Validators that are kept."""


class Compiled(Record):
    """A schema with its validator."""

    schema: dict[str, Any]
    """As it was compiled: the tool's own, or that in JSON Schema's spelling."""
    validator: Any
    """jsonschema-rs's."""

    def errors(self, value: Any, at_most: int) -> list[Any]:
        """List the faults. A value that no JSON writer takes (beyond its depth, half a surrogate) passes unchecked."""
        try:
            return [error for error, _ in zip(self.validator.iter_errors(value), range(at_most), strict=False)]
        except (ValueError, TypeError, RecursionError):
            plain = _plain(value)
        return [] if plain is None else self.errors(plain[0], at_most)

    def accepts(self, value: Any) -> bool:
        try:
            return bool(self.validator.is_valid(value))
        except (ValueError, TypeError, RecursionError):
            plain = _plain(value)
        return plain is not None and self.accepts(plain[0])


def _plain(value: Any) -> tuple[Any] | None:
    """Return a value with numbers as the validator takes them; None where they are not why it refused the value."""
    if not any(True for _ in odd_numbers(value)):
        return None
    try:
        return (json.loads(json.dumps(writable(value))),)
    except (ValueError, TypeError, RecursionError):
        return None


_COMPILED: dict[str, Compiled | None] = {}


def compiled(schema: dict[str, Any]) -> Compiled | None:
    """Compile a schema of any draft; None where it is none, or cannot be used."""
    try:
        key = json_dumps(schema, default=repr)
    except (ValueError, RecursionError, TypeError):
        return None
    if key not in _COMPILED:
        if len(_COMPILED) >= CACHED:
            _COMPILED.clear()
        plain = None if '"nullable"' in key else _compile(schema)
        _COMPILED[key] = plain or _compile(changed(schema, _respell))
    return _COMPILED[key]


def compiled_part(part: Any, root: dict[str, Any]) -> Compiled | None:
    """Compile a schema inside `root`, with what it may refer to."""
    named: dict[str, Any] = {key: root[key] for key in ("$schema", "$defs", "definitions") if key in root}
    return compiled(named | part) if isinstance(part, dict) else None


def _compile(schema: dict[str, Any]) -> Compiled | None:
    import jsonschema_rs  # noqa: PLC0415 - only who knows tools pays for it

    if expands_too_far(schema):
        return None
    try:
        return Compiled(schema=schema, validator=jsonschema_rs.validator_for(schema, retriever=_refuse))
    except (ValueError, TypeError, RecursionError, jsonschema_rs.ReferencingError):
        return None


def _refuse(uri: str) -> Any:
    """Fetch nothing: no schema makes this machine ask another."""
    raise ValueError(f"{uri} is not fetched")


def inside(schemas: Sequence[Any], part: str | int, root: Any) -> list[Any]:
    """Return what the schemas say of the member or item `part` of a value, looked for in every branch."""
    found = [inner for schema in schemas for branch in branches(schema, root) for inner in _inner(branch, part)]
    return found[:BRANCHES]


def _inner(branch: dict[str, Any], part: str | int) -> Iterator[Any]:
    if isinstance(part, str):
        properties = branch.get("properties")
        if isinstance(properties, dict) and part in properties:
            yield properties[part]
        elif isinstance(branch.get("additionalProperties"), dict):
            yield branch["additionalProperties"]
        return
    places: list[Any] = next((branch[key] for key in ("prefixItems", "items") if isinstance(branch.get(key), list)), [])
    if part < len(places):
        yield places[part]
    elif isinstance(branch.get("items"), dict):
        yield branch["items"]


def schema_at(root: Any, path: Sequence[str | int]) -> Any:
    """Return the schema of the value at `path`; a union where several branches speak of it."""
    schemas = [root]
    for part in path:
        schemas = inside(schemas, part, root)
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def properties_of(schemas: Sequence[Any], root: Any) -> dict[str, Any]:
    """Return the properties that an object may have, from every branch."""
    found: dict[str, Any] = {}
    for schema in schemas:
        for branch in branches(schema, root):
            properties = branch.get("properties")
            found |= properties if isinstance(properties, dict) else {}
    return found


def required_of(schemas: Sequence[Any], root: Any) -> set[str]:
    """Return the names that some branch requires."""
    lists = [branch.get("required") for schema in schemas for branch in branches(schema, root)]
    return {name for names in lists if isinstance(names, list) for name in names if isinstance(name, str)}


def _respell(node: dict[str, Any]) -> None:
    """Write a schema of OpenAPI, Gemini or Python's making as JSON Schema: `STRING`, `dict`, `nullable`. In place."""
    types = [type_meant(name) for name in declared(node)]
    node.pop("type", None)
    if types and None not in types:
        node["type"] = list(dict.fromkeys(types))
    if isinstance(node.get("$ref"), str):
        node["$ref"] = as_uri(node["$ref"])
    if node.pop("nullable", None) is True:
        _allow_null(node)
    for key, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(node.get(key), bool):  # draft 4, OpenAPI 3.0
            node.update({key: node.pop(limit)} if node.pop(key) and limit in node else {})
    if not isinstance(node.get("required", []), list):  # draft 3
        del node["required"]


def _allow_null(node: dict[str, Any]) -> None:
    if "type" in node:
        node["type"] = [*node["type"], *(["null"] if "null" not in node["type"] else [])]
    if isinstance(node.get("enum"), list) and None not in node["enum"]:
        node["enum"] = [*node["enum"], None]
    if "$ref" in node or "anyOf" in node:
        whole = {key: node.pop(key) for key in ("$ref", "anyOf") if key in node}
        node["anyOf"] = [whole, {"type": "null"}]
