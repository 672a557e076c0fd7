"""JSON value → tool call: `{name, arguments: object, id?}`. Every difference from the form declared is a repair.

What is not a call stays none: data with a `name` key, a schema, the definition of a tool.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from utp_cli.protocol.spans import pointer
from utp_cli.repair.arguments import NESTING, shape_arguments, shape_repair
from utp_cli.repair.names import known_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.calls import Repair
    from utp_cli.protocol.tools import Tool

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
    """Open lists and wrappers around calls, `NESTING` deep."""
    if depth > NESTING:
        return []
    if isinstance(value, list):
        found = [
            part for index, item in enumerate(value) for part in _items(item, form, f"{at}/{index}", [], depth + 1)
        ]
        wrapped = (
            []
            if form.many or not found
            else [shape_repair("array-wrapper", "", value, "the list's items are the calls")]
        )
        return [(item, where, [*repairs, *wrapped, *own]) for item, where, own in found]
    if not isinstance(value, dict):
        return []
    for key in form.wrappers + CALL_LISTS:
        inner = value.get(key)
        if isinstance(inner, list | dict) and inner and not _has_name(value, form):
            plain = key in form.wrappers
            taken = [] if plain else [shape_repair("function-wrapper", "", {key: inner}, f"unwrapped {key}")]
            return _items(inner, replace(form, many=True), at + pointer(key), [*repairs, *taken], depth + 1)
    return [(value, at, repairs)]


def _has_name(value: Mapping[str, Any], form: Form) -> bool:
    return any(isinstance(value.get(key), str) for key in (*form.name, *NAME_ALIASES))


def _raw_call(
    item: dict[str, Any], at: str, form: Form, tools: Mapping[str, Tool] | None, depth: int = 0
) -> _Raw | None:
    """Find name and arguments in an object; None where it has not the shape of a call."""
    inner = item.get("function")
    if isinstance(inner, dict) and _has_name(inner, form) and depth < NESTING:
        raw = _raw_call(inner, at + "/function", form, tools, depth + 1)
        if raw:
            raw.repairs.insert(0, shape_repair("function-wrapper", "", item, "unwrapped function"))
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
        raw.repairs.append(shape_repair("key-alias", "/name", name_key, f"took {name_key} for the name", after="name"))
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
        if (key == "parameters" and _is_schema(item[key])) or _DEFINITION & set(rest) - {key, "parameters"}:
            return False
        if key not in form.arguments:
            if tool and key in tool.properties and key not in ("arguments", "parameters"):
                continue
            raw.repairs.append(
                shape_repair("key-alias", "/arguments", key, f"took {key} for the arguments", after="arguments")
            )
        raw.arguments, raw.arguments_at = item[key], raw.at + pointer(key)
        return True
    others = {key: item[key] for key in rest if key not in _BESIDE or (tool and key in tool.properties)}
    if _DEFINITION & set(rest) or (others and tool is None and not _plausible(others, form)):
        return False
    if others:
        raw.arguments = others
        raw.repairs.append(
            shape_repair("flat-arguments", "/arguments", None, "took the other keys for the arguments", after=others)
        )
        return True
    if form.strict and tool is None:
        return False
    raw.repairs.append(shape_repair("empty-arguments", "/arguments", None, "there are no arguments", after={}))
    raw.arguments = {}
    return True


def _plausible(others: Mapping[str, Any], form: Form) -> bool:
    """Whether keys beside a name may be arguments although no tool is known: only where markup says "call"."""
    return not form.strict and bool(others)


def _is_schema(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("type") == "object"
        and isinstance(value.get("properties"), dict)
        and (all(isinstance(p, dict) for p in value["properties"].values()))
    )


def _name_as_key(item: Mapping[str, Any], at: str, tools: Mapping[str, Tool] | None) -> _Raw | None:
    """`{"get_weather": {"city": "Oslo"}}`: one key, a known tool."""
    if len(item) != 1 or not tools:
        return None
    name, arguments = next(iter(item.items()))
    if name not in tools or not isinstance(arguments, dict):
        return None
    repair = shape_repair("name-as-key", "", name, "the key names the tool", after="name")
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
    nested = (
        arguments.get("name") == raw.name
        and len(arguments) == 2
        and next((key for key in ARGUMENT_ALIASES if isinstance(arguments.get(key), dict)), None)
    )
    if nested:
        repairs.append(
            shape_repair("nested-arguments", "/arguments", arguments, f"lifted {nested}", after=arguments[nested])
        )
        arguments = arguments[nested]
    return ShapedCall(
        name=name, arguments=arguments, id=raw.id, server=raw.server, pointer=raw.at,
        arguments_pointer=raw.arguments_at, repairs=(*raw.repairs, *([renamed] if renamed else []), *repairs),
    )  # fmt: skip


def _first(item: Mapping[str, Any], keys: tuple[str, ...], kinds: Any) -> Any:
    return next(
        (item[key] for key in keys if isinstance(item.get(key), kinds) and not isinstance(item[key], bool)), None
    )
