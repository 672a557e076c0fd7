"""JSON value → tool call: `{name, arguments: object, id?}`. Every difference from the form declared is a repair.

What is not a call stays none: data with a `name` key, a schema, the definition of a tool.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from utp_cli.protocol.calls import Repair
from utp_cli.protocol.spans import pointer
from utp_cli.repair.codes import CODES
from utp_cli.repair.names import known_name as known_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.tools import Tool

Decode = Callable[[str], "tuple[Any, list[Repair]] | None"]
"""Reads JSON text; None where it is none."""

NAME_ALIASES = ("name", "tool", "tool_name", "function", "function_name", "action", "recipient_name")
ARGUMENT_ALIASES = (
    "arguments", "args", "parameters", "params", "input", "tool_input", "action_input", "kwargs", "arguments_json",
)  # fmt: skip
ID_KEYS = ("id", "call_id", "tool_call_id", "tool_use_id", "toolUseId")
CALL_LISTS = ("tool_calls", "tool_call", "function_call", "functionCall", "toolUse", "calls")
"""Keys that hold a call, or a list of calls."""
_BESIDE = frozenset({*ID_KEYS, "type", "index", "thought", "scratchpad", "reasoning", "server_name", "server"})
"""Keys that may stand beside name and arguments and are no arguments."""
_DEFINITION = frozenset({"description", "input_schema", "inputSchema", "parameters", "function", "strict"})
_NESTING = 4
"""How often text is decoded, and wrappers are opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How the dialect at work says a call looks. What it declares is no repair."""

    name: tuple[str, ...] = ("name",)
    arguments: tuple[str, ...] = ("arguments",)
    """Several: each is plain."""
    id: tuple[str, ...] = ()
    server: tuple[str, ...] = ()
    wrappers: tuple[str, ...] = ()
    """Keys around a call or a list of calls that are plain."""
    single_key: bool = False
    """`{"NAME": {…}}` is the plain form."""
    many: bool = True
    """A list of calls is plain."""
    strict: bool = False
    """Nobody named a dialect: a value counts only with the shape of a call and, where tools are known, the name of
    one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapedCall:
    """A call found in a value."""

    name: str
    arguments: dict[str, Any]
    id: str | int | None = None
    server: str | None = None
    repairs: tuple[Repair, ...] = ()
    pointer: str = ""
    """Where in the value it stands: `""`, `/0`."""
    arguments_pointer: str = ""
    """Where in the value its arguments stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """What a wrapper holds that is no call: `{"answer": …}`, `{"scratchpad": …}`."""

    kind: Literal["answer", "thought"]
    text: str


@dataclass(slots=True)
class _Raw:
    """A call whose name was found and whose arguments are not settled yet."""

    name: str
    arguments: Any
    at: str
    arguments_at: str
    id: str | int | None = None
    server: str | None = None
    repairs: list[Repair] = field(default_factory=list)


def shape_calls(value: Any, form: Form, tools: Mapping[str, Tool] | None) -> list[ShapedCall | Payload]:
    """Find the calls in a value; none where it is no call. Repairs point into each call (`/name`, `/arguments`)."""
    payload = _payload(value)
    if payload:
        return [payload]
    calls: list[ShapedCall | Payload] = []
    for item, at, repairs in _items(value, form, "", []):
        raw = _raw_call(item, at, form, tools)
        if raw is None:
            if form.strict:
                return []
            continue
        raw.repairs[:0] = repairs
        shaped = _settled(raw, form, tools)
        if shaped:
            calls.append(shaped)
    return calls


def _payload(value: Any) -> Payload | None:
    if not isinstance(value, dict) or not value.keys() <= {"answer", "response", "scratchpad", "thought"}:
        return None
    for key, kind in (("answer", "answer"), ("response", "answer"), ("scratchpad", "thought"), ("thought", "thought")):
        if isinstance(value.get(key), str):
            return Payload(kind=kind, text=value[key])  # type: ignore[arg-type]
    return None


def _items(
    value: Any, form: Form, at: str, repairs: list[Repair], depth: int = 0
) -> list[tuple[dict[str, Any], str, list[Repair]]]:
    """Open lists and wrappers around calls, `_NESTING` deep."""
    if depth > _NESTING:
        return []
    if isinstance(value, list):
        found = [
            part for index, item in enumerate(value) for part in _items(item, form, f"{at}/{index}", [], depth + 1)
        ]
        wrapped = [] if form.many or not found else [_repair("array-wrapper", "", value, "the list's items are the calls")]
        return [(item, where, [*repairs, *wrapped, *own]) for item, where, own in found]
    if not isinstance(value, dict):
        return []
    for key in form.wrappers + CALL_LISTS:
        inner = value.get(key)
        if isinstance(inner, list | dict) and inner and not _has_name(value, form):
            plain = key in form.wrappers
            taken = [] if plain else [_repair("function-wrapper", "", {key: inner}, f"unwrapped {key}")]
            return _items(inner, replace(form, many=True), at + pointer(key), [*repairs, *taken], depth + 1)
    return [(value, at, repairs)]


def _has_name(value: Mapping[str, Any], form: Form) -> bool:
    return any(isinstance(value.get(key), str) for key in (*form.name, *NAME_ALIASES))


def _raw_call(
    item: dict[str, Any], at: str, form: Form, tools: Mapping[str, Tool] | None, depth: int = 0
) -> _Raw | None:
    """Find name and arguments in an object; None where it has not the shape of a call."""
    inner = item.get("function")
    if isinstance(inner, dict) and _has_name(inner, form) and depth < _NESTING:
        raw = _raw_call(inner, at + "/function", form, tools, depth + 1)
        if raw:
            raw.repairs.insert(0, _repair("function-wrapper", "", item, "unwrapped function"))
            raw.id = raw.id if raw.id is not None else _first(item, form.id + ID_KEYS, str | int)
        return raw
    if form.single_key and len(item) == 1:
        key, arguments = next(iter(item.items()))
        return _Raw(key, arguments, at, at + pointer(key))
    name_key = _name_key(item, form, tools)
    if name_key is None:
        return _name_as_key(item, at, tools)
    raw = _Raw(item[name_key], None, at, at)
    raw.id = _first(item, form.id + ID_KEYS, str | int)
    raw.server = _first(item, form.server, str)
    if name_key not in form.name:
        raw.repairs.append(_repair("key-alias", "/name", name_key, f"took {name_key} for the name", after="name"))
    return raw if _find_arguments(raw, item, name_key, form, tools) else None


def _name_key(item: Mapping[str, Any], form: Form, tools: Mapping[str, Tool] | None) -> str | None:
    """Which key names the tool. If `name` is an argument and another key names a known tool, that key wins."""
    keys = [key for key in dict.fromkeys((*form.name, *NAME_ALIASES)) if isinstance(item.get(key), str) and item[key]]
    if tools:
        named = [key for key in keys if known_name(item[key], tools)[0] in tools]
        keys = named or keys
    return keys[0] if keys else None


def _find_arguments(
    raw: _Raw, item: Mapping[str, Any], name_key: str, form: Form, tools: Mapping[str, Tool] | None
) -> bool:
    """Find the arguments beside the name; False where the object is no call after all."""
    tool = (tools or {}).get(known_name(raw.name, tools or {})[0])
    rest = [key for key in item if key != name_key and key not in form.id + form.server]
    for key in dict.fromkeys((*form.arguments, *ARGUMENT_ALIASES)):
        if key not in rest:
            continue
        if key == "parameters" and _is_schema(item[key]) or _DEFINITION & set(rest) - {key, "parameters"}:
            return False
        if key not in form.arguments:
            if tool and key in tool.properties and key not in ("arguments", "parameters"):
                continue
            raw.repairs.append(_repair("key-alias", "/arguments", key, f"took {key} for the arguments", after="arguments"))
        raw.arguments, raw.arguments_at = item[key], raw.at + pointer(key)
        return True
    others = {key: item[key] for key in rest if key not in _BESIDE or (tool and key in tool.properties)}
    if _DEFINITION & set(rest) or (others and tool is None and not _plausible(others, form)):
        return False
    if others:
        raw.arguments = others
        raw.repairs.append(_repair("flat-arguments", "/arguments", None, "took the other keys for the arguments", after=others))
        return True
    if form.strict and tool is None:
        return False
    raw.repairs.append(_repair("empty-arguments", "/arguments", None, "there are no arguments", after={}))
    raw.arguments = {}
    return True


def _plausible(others: Mapping[str, Any], form: Form) -> bool:
    """Whether keys beside a name may be arguments although no tool is known: only where markup says "call"."""
    return not form.strict and bool(others)


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "object" and isinstance(value.get("properties"), dict) and (
        all(isinstance(p, dict) for p in value["properties"].values())
    )


def _name_as_key(item: Mapping[str, Any], at: str, tools: Mapping[str, Tool] | None) -> _Raw | None:
    """`{"get_weather": {"city": "Oslo"}}`: one key, a known tool."""
    if len(item) != 1 or not tools:
        return None
    name, arguments = next(iter(item.items()))
    if name not in tools or not isinstance(arguments, dict):
        return None
    repair = _repair("name-as-key", "", name, "the key names the tool", after="name")
    return _Raw(name, arguments, at, at + pointer(name), repairs=[repair])


def _settled(raw: _Raw, form: Form, tools: Mapping[str, Tool] | None) -> ShapedCall | None:
    """Settle name and arguments of a call."""
    name, renamed = known_name(raw.name, tools) if tools else (raw.name, None)
    if form.strict and tools and name not in tools:
        return None
    tool = (tools or {}).get(name)
    arguments, repairs, _ = shape_arguments(raw.arguments, tool, text_due=False)
    if arguments is None:
        if form.strict:
            return None
        arguments = {"input": raw.arguments}
    nested = arguments.get("name") == raw.name and len(arguments) == 2 and next(
        (key for key in ARGUMENT_ALIASES if isinstance(arguments.get(key), dict)), None
    )
    if nested:
        repairs.append(_repair("nested-arguments", "/arguments", arguments, f"lifted {nested}", after=arguments[nested]))
        arguments = arguments[nested]
    return ShapedCall(
        name=name, arguments=arguments, id=raw.id, server=raw.server, pointer=raw.at,
        arguments_pointer=raw.arguments_at, repairs=(*raw.repairs, *([renamed] if renamed else []), *repairs),
    )  # fmt: skip


def _first(item: Mapping[str, Any], keys: tuple[str, ...], kinds: Any) -> Any:
    return next((item[key] for key in keys if isinstance(item.get(key), kinds) and not isinstance(item[key], bool)), None)


# -- arguments --------------------------------------------------------------------------------------------------------


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
    for level in range(_NESTING + text_due):
        if not isinstance(value, str) or not value.strip() or value.strip() == "null":
            break
        decoded = decode(value)
        if decoded is None or not (isinstance(decoded[0], dict | list | str) or decoded[0] is None):
            break
        if isinstance(decoded[0], str) and not decoded[0].strip().startswith(("{", "[", '"')):
            break
        if level >= text_due:
            repairs.append(_repair("double-encoded-json", "/arguments", value, "decoded the text", after=decoded[0]))
        value, more = decoded
        repairs += more
    repairs = [r for i, r in enumerate(repairs) if r.code != "double-encoded-json" or all(
        later.code != "double-encoded-json" for later in repairs[i + 1 :])]
    if value is None or value == [] or (isinstance(value, str) and value.strip() in ("", "null")) or _is_absent(value):
        absent = absent_is_empty and (arguments is None or _is_absent(arguments))
        if not absent:
            repairs.append(_repair("empty-arguments", "/arguments", None if _is_absent(value) else value, "read as {}", after={}))
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
    return made, _repair("name-value-list", "/arguments", value, "made an object of names and values", after=made)


def _positional(value: Any, tool: Tool) -> Lifted:
    """`["Oslo", 3]`: required properties first, then the others, in order."""
    names = list(dict.fromkeys([*tool.required, *tool.properties]))
    if not isinstance(value, list) or not value or len(value) > len(names) or len(value) < len(tool.required):
        return None
    made = dict(zip(names, value, strict=False))
    return made, _repair("positional-arguments", "/arguments", value, "gave the values the names of the schema", after=made)


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
    return made, _repair("bare-argument", "/arguments", value, f"took the value for {names[0]}", after=made)


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
    return inner, _repair("nested-arguments", "/arguments", value, f"lifted {key}", after=inner)


def _echoed(value: dict[str, Any], tool: Tool | None) -> Lifted:
    """The schema copied, with the values in place of the types."""
    properties = value.get("properties")
    if tool is None or "properties" in tool.properties:
        return None
    if value.get("type") == "object" and isinstance(properties, dict) and properties.keys() <= tool.properties.keys():
        made = {key: _echoed_value(item) for key, item in properties.items()}
        if properties and not any(isinstance(item, dict) and "type" in item for item in made.values()):
            return made, _repair("schema-echo", "/arguments", value, "took the values out of the schema", after=made)
    echoed = value and all(
        isinstance(item, dict) and "value" in item and isinstance(item.get("type"), str) for item in value.values()
    )
    if not echoed or not value.keys() <= tool.properties.keys():
        return None
    made = {key: item["value"] for key, item in value.items()}
    return made, _repair("schema-echo", "/arguments", value, "took the values out of the schema", after=made)


def _echoed_value(item: Any) -> Any:
    return item["value"] if isinstance(item, dict) and "value" in item and "type" in item else item


def _repair(code: str, at: str, before: Any, message: str, *, after: Any = "") -> Repair:
    return Repair(
        code=code, layer="shape", confidence=CODES[code].confidence, pointer=at, before=before, after=after,
        message=message,
    )  # fmt: skip
