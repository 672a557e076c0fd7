"""The arguments of a call whose name is known: whatever stands there becomes an object, or it is said why not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.calls import Repair
from utp_cli.repair.codes import CODES

if TYPE_CHECKING:
    from utp_cli.protocol.tools import Tool

Decode = Callable[[str], "tuple[Any, list[Repair]] | None"]
"""Reads JSON text; None where it is none."""

NESTING = 4
"""How often text is decoded, and wrappers are opened."""


def _strict_decode(text: str) -> tuple[Any, list[Repair]] | None:
    try:
        return json.loads(text), []
    except (ValueError, RecursionError):
        return None


def shape_arguments(
    arguments: Any,
    tool: Tool | None,
    *,
    text_due: bool,
    absent_is_empty: bool = False,
    decode: Decode = _strict_decode,
) -> tuple[dict[str, Any] | None, list[Repair], str | None]:
    """Make the arguments of a call an object; None, and why, where they cannot be one.

    `text_due`: the format writes JSON text, so that decoding once is no repair. `absent_is_empty`: it allows
    arguments to be left out.
    """
    repairs: list[Repair] = []
    value = arguments
    for level in range(NESTING + text_due):
        if not isinstance(value, str) or not value.strip() or value.strip() == "null":
            break
        decoded = decode(value)
        if decoded is None or not (isinstance(decoded[0], dict | list | str) or decoded[0] is None):
            break
        if isinstance(decoded[0], str) and not decoded[0].strip().startswith(("{", "[", '"')):
            break
        if level >= text_due:
            repairs.append(
                shape_repair("double-encoded-json", "/arguments", value, "decoded the text", after=decoded[0])
            )
        value, more = decoded
        repairs += more
    repairs = [
        r
        for i, r in enumerate(repairs)
        if r.code != "double-encoded-json" or all(later.code != "double-encoded-json" for later in repairs[i + 1 :])
    ]
    if value is None or value == [] or (isinstance(value, str) and value.strip() in ("", "null")) or _is_absent(value):
        absent = absent_is_empty and (arguments is None or _is_absent(arguments))
        if not absent:
            repairs.append(
                shape_repair(
                    "empty-arguments", "/arguments", None if _is_absent(value) else value, "read as {}", after={}
                )
            )
        return {}, repairs, None
    return _as_object(value, tool, repairs)


def _is_absent(value: Any) -> bool:
    return not isinstance(value, str | int | float | bool | list | dict | None)


def _as_object(
    value: Any, tool: Tool | None, repairs: list[Repair]
) -> tuple[dict[str, Any] | None, list[Repair], str | None]:
    for shape in (_named_values, _positional, _bare):
        found = shape(value, tool) if tool else None
        if found:
            repairs.append(found[1])
            return found[0], repairs, None
    if not isinstance(value, dict):
        return None, repairs, f"the arguments are {_kind(value)}, not an object"
    for lift in (_nested, _echoed):
        found = lift(value, tool)
        if found:
            repairs.append(found[1])
            value = found[0]
    return value, repairs, None


def _kind(value: Any) -> str:
    names = {list: "a list", str: "text", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null")


Lifted = tuple[dict[str, Any], Repair] | None


def _named_values(value: Any, tool: Tool) -> Lifted:
    """`[{"name": "city", "value": "Oslo"}]`."""
    if not isinstance(value, list) or not value or not all(isinstance(v, dict) and len(v) == 2 for v in value):
        return None
    keys = list(value[0])
    names = [item.get(keys[0]) for item in value]
    if any(list(item) != keys for item in value) or not all(isinstance(n, str) and n in tool.properties for n in names):
        return None
    made = {item[keys[0]]: item[keys[1]] for item in value}
    return made, shape_repair("name-value-list", "/arguments", value, "made an object of names and values", after=made)


def _positional(value: Any, tool: Tool) -> Lifted:
    """`["Oslo", 3]`: required properties first, then the others, in order."""
    names = list(dict.fromkeys([*tool.required, *tool.properties]))
    if not isinstance(value, list) or not value or len(value) > len(names) or len(value) < len(tool.required):
        return None
    made = dict(zip(names, value, strict=False))
    return made, shape_repair(
        "positional-arguments", "/arguments", value, "gave the values the names of the schema", after=made
    )


def _bare(value: Any, tool: Tool) -> Lifted:
    """`"Oslo"` for a tool with one required (or only one) parameter."""
    names = tool.required if len(tool.required) == 1 else list(tool.properties)
    if isinstance(value, dict | list) or value is None or len(names) != 1:
        return None
    asked = tool.properties.get(names[0])
    kinds = {"string": str, "integer": int, "number": int | float, "boolean": bool}
    wanted = kinds.get(asked.get("type", "string")) if isinstance(asked, dict) else str
    if wanted is None or not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        return None
    made = {names[0]: value}
    return made, shape_repair("bare-argument", "/arguments", value, f"took the value for {names[0]}", after=made)


def _nested(value: dict[str, Any], tool: Tool | None) -> Lifted:
    """`{"arguments": {…}}`: the inner object, unless the key is a property of the tool."""
    if len(value) != 1:
        return None
    key, inner = next(iter(value.items()))
    known = tool.properties if tool else {}
    if key not in ("arguments", "parameters", "args", "input") or key in known or not isinstance(inner, dict):
        return None
    if key != "arguments" and tool is None:
        return None
    return inner, shape_repair("nested-arguments", "/arguments", value, f"lifted {key}", after=inner)


def _echoed(value: dict[str, Any], tool: Tool | None) -> Lifted:
    """The schema copied, with the values in place of the types."""
    properties = value.get("properties")
    if tool is None or "properties" in tool.properties:
        return None
    if value.get("type") == "object" and isinstance(properties, dict) and properties.keys() <= tool.properties.keys():
        made = {key: _echoed_value(item) for key, item in properties.items()}
        if properties and not any(isinstance(item, dict) and "type" in item for item in made.values()):
            return made, shape_repair(
                "schema-echo", "/arguments", value, "took the values out of the schema", after=made
            )
    echoed = value and all(
        isinstance(item, dict) and "value" in item and isinstance(item.get("type"), str) for item in value.values()
    )
    if not echoed or not value.keys() <= tool.properties.keys():
        return None
    made = {key: item["value"] for key, item in value.items()}
    return made, shape_repair("schema-echo", "/arguments", value, "took the values out of the schema", after=made)


def _echoed_value(item: Any) -> Any:
    return item["value"] if isinstance(item, dict) and "value" in item and "type" in item else item


def shape_repair(code: str, at: str, before: Any, message: str, *, after: Any = "") -> Repair:
    """Make a repair of layer `shape`; `at` points into the call."""
    return Repair(
        code=code, layer="shape", confidence=CODES[code].confidence, pointer=at, before=before, after=after,
        message=message,
    )  # fmt: skip
