"""Arguments made up from a schema, for examples in prompts."""

from __future__ import annotations

from typing import Any

_BY_TYPE: dict[str, Any] = {
    "string": "text", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}, "null": None,
}  # fmt: skip
_DEPTH = 4
_BY_FORMAT = {
    "date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z", "time": "12:00:00", "email": "ann@example.com",
    "uri": "https://example.com", "uuid": "123e4567-e89b-12d3-a456-426614174000",
}  # fmt: skip


def sample_arguments(schema: dict[str, Any]) -> dict[str, Any]:
    """Return arguments for the required properties; the first property where none is required."""
    value = _object(schema, _DEPTH)
    properties = schema.get("properties")
    if not value and isinstance(properties, dict) and properties:
        name, first = next(iter(properties.items()))
        return {name: _value(first, _DEPTH)}
    return value


def _value(schema: Any, depth: int) -> Any:
    if not isinstance(schema, dict):
        return "text"
    for keyword in ("examples", "enum"):
        if isinstance(schema.get(keyword), list) and schema[keyword]:
            return schema[keyword][0]
    for keyword in ("const", "default", "example"):
        if keyword in schema:
            return schema[keyword]
    branches = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(branches, list) and branches and depth:
        return _value(branches[0], depth - 1)
    kinds = schema.get("type")
    kind = str((kinds or ["string"])[0] if isinstance(kinds, list) else kinds or "string").lower()
    if kind == "object":
        return _object(schema, depth)
    if kind == "array":
        return [_value(schema.get("items"), depth - 1)] if depth else []
    if kind == "string":
        return _BY_FORMAT.get(str(schema.get("format")), "text")
    return schema.get("minimum", _BY_TYPE.get(kind, "text"))


def _object(schema: dict[str, Any], depth: int) -> dict[str, Any]:
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list) or not depth:
        return {}
    due = [name for name in required if isinstance(name, str) and name in properties]
    return {name: _value(properties[name], depth - 1) for name in due}
