"""JSON value → tool call: `{name, arguments: object, id?}`. Every difference from the form declared is a repair.

What is not a call stays none: data with a `name` key, a schema, the definition of a tool.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final, Literal

from utp_cli.protocol.records import MutableRecord, Record, field, replace
from utp_cli.protocol.spans import pointer
from utp_cli.protocol.tools import Tool
from utp_cli.repair.arguments import (
    ARGUMENT_ALIASES,
    NAME_ALIASES,
    NESTING,
    shape_arguments,
    shape_repair,
    tolerant,
)
from utp_cli.repair.names import known_name, plain_name
from utp_cli.schemas.types import fits_type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.calls import Repair
    from utp_cli.repair.typed import Decode

ID_KEYS: Final = ("id", "call_id", "tool_call_id", "tool_use_id", "toolUseId")
CALL_LISTS: Final = (
    "tool_calls", "tool_call", "toolCalls", "toolCall", "function_call", "functionCall", "function_calls", "toolUse",
    "tool_use", "tool_uses", "calls", "actions",
)  # fmt: skip
"""Keys that hold a call, or a list of calls."""
MESSAGES: Final = ("response", "message", "content", "parts")
"""Keys that hold a call, or a list of calls and text, where they stand alone or in a message with a `role`."""
_RESULT_TYPES: Final = ("tool-result", "tool_result", "tool-error", "function_call_output")
"""What a part says it is that holds a result, beside the name and the input of its call (Vercel AI SDK)."""
_TEXT_PART: Final = frozenset({"type", "text", "thought"})
_BESIDE: Final = frozenset(
    {*ID_KEYS, "type", "index", "thought", "scratchpad", "reasoning", "answer", "server_name", "server"}
)
"""Keys that may stand beside name and arguments and are no arguments."""
_DESCRIBING: Final = frozenset({"description", "input_schema", "inputSchema", "outputSchema", "strict"})
"""Keys of a tool's definition."""
Kind = Literal["answer", "thought", "choice"]
_PAYLOADS: Final[dict[str, Kind]] = {
    "scratchpad": "thought", "thought": "thought", "answer": "answer", "response": "answer",
}  # fmt: skip
_DECISION: Final[dict[str, Kind]] = {"reasoning": "thought", "answer": "answer", "use_tool": "choice"}
"""The first of two stages: it answers, or chooses the tool whose arguments are asked for next."""
_THOUGHTS: Final = ("scratchpad", "reasoning", "thought")
"""Keys beside a call that hold what the model thought."""


class Form(Record):
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
    """Nobody named a dialect: a value counts only if all in it has the shape of a call and, where tools are known,
    some of it names one of them."""


class ShapedCall(Record):
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
    thought: str = ""
    """What stands beside it as `scratchpad` or the like."""


class BrokenCall(Record):
    """A call that was found, but what stands for its arguments cannot be an object."""

    name: str
    why: str
    id: str | int | None = None
    server: str | None = None
    repairs: tuple[Repair, ...] = ()


class Payload(Record):
    """What a wrapper holds that is no call: `{"answer": …}`, `{"scratchpad": …}`, `{"use_tool": NAME, …}`."""

    kind: Kind
    text: str


Shaped = ShapedCall | BrokenCall | Payload


class _Raw(MutableRecord):
    """A call whose name was found and whose arguments are not settled yet."""

    name: str
    arguments: Any
    at: str
    arguments_at: str
    id: str | int | None = None
    server: str | None = None
    repairs: list[Repair] = field(default_factory=list)
    thought: str = ""


def shape_calls(value: Any, form: Form, tools: Mapping[str, Tool] | None, *, decode: Decode = tolerant) -> list[Shaped]:
    """Find the calls in a value; none where it is no call. Repairs point into each call (`/name`, `/arguments`).

    `decode` reads arguments that are JSON text. Where nobody named a dialect, a broken call counts only if it names a
    known tool.
    """
    payloads = _payloads(value)
    if payloads:
        return payloads
    calls: list[Shaped] = []
    for item, at, repairs in _items(value, form, "", []):
        if item.get("type") in _RESULT_TYPES:
            continue
        raw = _raw_call(item, at, form, tools)
        if raw is None:
            if form.strict:
                return []
            continue
        raw.repairs[:0] = repairs
        call = _settled(raw, tools, decode)
        if isinstance(call, ShapedCall) or not form.strict or (call.name in (tools or ()) and not _is_described(item)):
            calls.append(call)
    if form.strict and tools and not any(not isinstance(call, Payload) and call.name in tools for call in calls):
        return []
    return calls


def _payloads(value: Any) -> list[Shaped]:
    """`{"answer": "…", "scratchpad": "…"}`: the thought, then the answer."""
    if isinstance(value, dict) and [*value] == ["response"] and isinstance(value["response"], dict):
        value = value["response"]
    if not isinstance(value, dict):
        return []
    kinds = _DECISION if "use_tool" in value else _PAYLOADS
    if not value.keys() <= kinds.keys():
        return []
    return [Payload(kind=kind, text=value[key]) for key, kind in kinds.items() if isinstance(value.get(key), str)]


Item = tuple[dict[str, Any], str, "list[Repair]"]
"""An object that may be a call, where it stands, and what it took to get there."""


def _items(value: Any, form: Form, at: str, repairs: list[Repair], depth: int = 0) -> list[Item]:
    """Open lists and wrappers around calls, `NESTING` deep."""
    if depth > NESTING:
        return []
    if isinstance(value, str):
        found = tolerant(value) if value.lstrip().startswith(("{", "[", '"')) else None
        made = [shape_repair("double-encoded-json", "", value, "decoded the text"), *found[1]] if found else []
        return _items(found[0], form, at, [*repairs, *made], depth + 1) if found else []
    if isinstance(value, list):
        items = [part for i, item in enumerate(value) for part in _items(item, form, f"{at}/{i}", [], depth + 1)]
        wrapped = [shape_repair("array-wrapper", "", value, "the list's items are the calls")]
        before = repairs if form.many else [*repairs, *wrapped]
        return [(item, where, [*before, *own]) for item, where, own in items]
    if not isinstance(value, dict):
        return []
    messages = MESSAGES if len(value) == 1 or isinstance(value.get("role"), str) else ()
    around = (*form.wrappers, *CALL_LISTS, *messages)
    for key in () if value.keys().isdisjoint(around) else around:
        inner = value.get(key)
        if isinstance(inner, list | dict) and inner and not _has_name(value, form):
            taken = [shape_repair("function-wrapper", "", {key: inner}, f"unwrapped {key}")]
            before = repairs if key in form.wrappers else [*repairs, *taken]
            items = _items(inner, replace(form, many=True), at + pointer(key), before, depth + 1)
            return [item for item in items if key not in messages or not item[0].keys() <= _TEXT_PART]
    return [(value, at, repairs)]


def _key_of(item: Mapping[str, Any], names: tuple[str, ...], kinds: Any = object) -> str | None:
    """Return the first of the names that is a key, failing that a key that differs from one in style only."""
    for name in names:
        if name in item and isinstance(item[name], kinds):
            return name
    plain = _plain_names(names)
    return next((key for key in item if plain_name(key) in plain and isinstance(item[key], kinds)), None)


@functools.lru_cache(maxsize=64)
def _plain_names(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(plain_name, names))


def _has_name(value: Mapping[str, Any], form: Form) -> bool:
    return _key_of(value, (*form.name, *NAME_ALIASES), str) is not None


def _raw_call(
    item: dict[str, Any], at: str, form: Form, tools: Mapping[str, Tool] | None, depth: int = 0
) -> _Raw | None:
    """Find name and arguments in an object; None where it has not the shape of a call."""
    if form.single_key and len(item) == 1:
        key, arguments = next(iter(item.items()))
        return _Raw(name=key, arguments=arguments, at=at, arguments_at=at + pointer(key))
    inner = _wrapped(item, form) if depth < NESTING else None
    if inner:
        key, code, within = inner
        raw = _raw_call(within, at + pointer(key), form, tools, depth + 1)
        if raw:
            raw.repairs.insert(0, shape_repair(code, "", item, f"unwrapped {key}"))
            raw.id = raw.id if raw.id is not None else _first(item, form.id + ID_KEYS, str | int)
            raw.thought = raw.thought or _first(item, _THOUGHTS, str) or ""
        return raw
    name_key = _name_key(item, form, tools)
    if name_key is None:
        return _name_as_key(item, at, tools)
    raw = _Raw(name=item[name_key], arguments=None, at=at, arguments_at=at)
    raw.id = _first(item, form.id + ID_KEYS, str | int)
    raw.server = _first(item, form.server, str)
    if name_key not in form.name:
        raw.repairs.append(shape_repair("key-alias", "/name", name_key, f"took {name_key} for the name", after="name"))
    return raw if _find_arguments(raw, item, name_key, form, tools) else None


def _wrapped(item: Mapping[str, Any], form: Form) -> tuple[str, str, dict[str, Any]] | None:
    """Find the object inside that holds the name: its key, the repair's code, the object with what stands beside.

    `{"function": {"name": …}}` is a wrapper; so is `{"arguments": {"name": …, "parameters": …}}` without a name
    outside.
    """
    named = [key for key in item if key in NAME_ALIASES]
    for key in named if len(named) < 2 else NAME_ALIASES:
        inner = item.get(key)
        if isinstance(inner, dict) and _has_name(inner, form):
            alone = _argument_key(inner, form) is None
            beside = {k: item[k] for k in item if k in (*form.arguments, *ARGUMENT_ALIASES)} if alone else {}
            return key, "function-wrapper", {**inner, **beside}
    if _has_name(item, form):
        return None
    for key in (*form.arguments, *ARGUMENT_ALIASES):
        inner = item.get(key)
        if isinstance(inner, dict) and _has_name(inner, form) and _argument_key(inner, form):
            return key, "nested-arguments", inner
    return None


def _argument_key(item: Mapping[str, Any], form: Form) -> str | None:
    return _key_of(item, (*form.arguments, *ARGUMENT_ALIASES))


def _name_key(item: Mapping[str, Any], form: Form, tools: Mapping[str, Tool] | None) -> str | None:
    """Which key names the tool. If `name` is an argument and another key names a known tool, that key wins."""
    if tools:
        for key in dict.fromkeys((*form.name, *NAME_ALIASES)):
            if isinstance(item.get(key), str) and known_name(item[key], tools)[0] in tools:
                return key
    found = _key_of(item, (*form.name, *NAME_ALIASES), str)
    return found if found and item[found] else None


def _find_arguments(
    raw: _Raw, item: Mapping[str, Any], name_key: str, form: Form, tools: Mapping[str, Tool] | None
) -> bool:
    """Find the arguments beside the name; False where the object is no call after all."""
    tool = (tools or {}).get(known_name(raw.name, tools or {})[0])
    known = tool.properties if tool else {}
    rest = {key: item[key] for key in item if key != name_key and key not in form.id + form.server}
    # An alias that is a property of the tool, with a value of its type, is an argument and no alias.
    free = rest
    if tool:
        free = {k: rest[k] for k in rest if not (k in known and fits_type(rest[k], known[k], tool.parameters))}
    key = _key_of(rest, form.arguments) or _key_of(free, ARGUMENT_ALIASES)
    if _defines(rest, key, known):
        return False
    others = {k: rest[k] for k in rest if k != key and (k in known or k not in _BESIDE)}
    if not rest.keys().isdisjoint(_THOUGHTS):
        raw.thought = _first({k: rest[k] for k in _THOUGHTS if k in rest and k not in known}, _THOUGHTS, str) or ""
    if key is not None:
        if key not in form.arguments:
            message = f"took {key} for the arguments"
            raw.repairs.append(shape_repair("key-alias", "/arguments", key, message, after="arguments"))
        raw.arguments, raw.arguments_at = rest[key], raw.at + pointer(key)
        stray = {k: others[k] for k in others if k in known and k not in _BESIDE} if known else {}
        if stray and isinstance(raw.arguments, dict) and stray.keys().isdisjoint(raw.arguments):
            raw.arguments = raw.arguments | stray
            message = "took the keys beside the arguments for arguments"
            raw.repairs.append(shape_repair("flat-arguments", "/arguments", None, message, after=raw.arguments))
        return True
    if form.strict and (tool is None or (others and others.keys().isdisjoint(known))):
        return False
    if others:
        raw.arguments, raw.id = others, None if "id" in others else raw.id
        message = "took the other keys for the arguments"
        raw.repairs.append(shape_repair("flat-arguments", "/arguments", None, message, after=others))
    return True


_SAY_KIND = frozenset({"type", "anyOf", "oneOf", "allOf", "$ref", "enum"})
"""Keywords of which the schema of a property has one, mostly."""
_OF_NO_ARGUMENTS = frozenset({"type", "additionalProperties", "$schema"})
"""Keywords of the schema of a tool that takes no arguments."""


def _defines(rest: Mapping[str, Any], key: str | None, known: Mapping[str, Any]) -> bool:
    """Whether what stands beside a name, the arguments under `key`, defines the tool and does not call it."""
    described = _is_described(rest, known)
    if key is None:
        return described or isinstance(rest.get("function"), dict)
    value = rest[key]
    if plain_name(key) == "parameters" and _is_schema(value):
        return True
    plain = isinstance(value, dict) and value.get("type") == "object" and value.keys() <= _OF_NO_ARGUMENTS
    takes_none = plain and plain_name(key) == "parameters"
    return described and (_is_schema(value) or _are_schemas(value) or takes_none or (not value and key != "arguments"))


def _is_described(item: Mapping[str, Any], known: Mapping[str, Any] | tuple[()] = ()) -> bool:
    """Whether it says what only a tool's definition says, and no argument of the tool is called so."""
    return not _DESCRIBING.isdisjoint(item) and any(key in _DESCRIBING and key not in known for key in item)


def _is_schema(value: Any) -> bool:
    """`{"type": "object", "properties": {…}}` with schemas for properties."""
    return (
        isinstance(value, dict)
        and value.get("type") in (None, "object")
        and (value.get("properties") == {} or _are_schemas(value.get("properties")))
    )


def _are_schemas(value: Any) -> bool:
    if not isinstance(value, dict) or not value:
        return False
    schemas = (isinstance(each, dict) and not _SAY_KIND.isdisjoint(each) for each in value.values())
    return all(schemas) and all("value" not in each for each in value.values())


def _name_as_key(item: Mapping[str, Any], at: str, tools: Mapping[str, Tool] | None) -> _Raw | None:
    """`{"get_weather": {"city": "Oslo"}}`: one key, a known tool."""
    if len(item) != 1 or not tools:
        return None
    name, arguments = next(iter(item.items()))
    if known_name(name, tools)[0] not in tools or not isinstance(arguments, dict):
        return None
    repair = shape_repair("name-as-key", "", name, "the key names the tool", after="name")
    return _Raw(name=name, arguments=arguments, at=at, arguments_at=at + pointer(name), repairs=[repair])


def _settled(raw: _Raw, tools: Mapping[str, Tool] | None, decode: Decode) -> ShapedCall | BrokenCall:
    """Settle name and arguments of a call."""
    name, renamed = known_name(raw.name, tools) if tools else (raw.name, None)
    tool = (tools or {}).get(name) or Tool(name=name)
    arguments, repairs, why = shape_arguments(raw.arguments, tool, text_due=False, decode=decode)
    made = (*raw.repairs, *([renamed] if renamed else []), *repairs)
    if arguments is None:
        return BrokenCall(name=name, why=why or "", id=raw.id, server=raw.server, repairs=made)
    return ShapedCall(
        name=name, arguments=arguments, id=raw.id, server=raw.server, pointer=raw.at,
        arguments_pointer=raw.arguments_at, repairs=made, thought=raw.thought,
    )  # fmt: skip


def _first(item: Mapping[str, Any], keys: tuple[str, ...], kinds: Any) -> Any:
    """Return the first value of these keys that says something; `""` and booleans do not."""
    if item.keys().isdisjoint(keys):
        return None
    for key in keys:
        value = item.get(key)
        if isinstance(value, kinds) and not isinstance(value, bool) and value != "":
            return value
    return None
