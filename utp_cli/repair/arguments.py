"""The arguments of a call whose name is known: whatever stands there becomes an object, or it is said why not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.calls import Repair
from utp_cli.protocol.records import replace
from utp_cli.repair.codes import CODES
from utp_cli.repair.extract import repair_json
from utp_cli.repair.names import plain_name
from utp_cli.repair.strict import strict
from utp_cli.schemas.types import fits_type, json_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.protocol.tools import Tool
    from utp_cli.repair.typed import Decode

NAME_ALIASES: Final = (
    "name", "tool", "tool_name", "function", "function_name", "action", "recipient_name",
)  # fmt: skip
ARGUMENT_ALIASES: Final = (
    "arguments", "args", "parameters", "params", "input", "tool_input", "action_input", "kwargs", "arguments_json",
    "tool_args", "tool_arguments", "function_args", "function_arguments",
)  # fmt: skip
NESTING: Final = 4
"""How often text is decoded, and wrappers are opened."""


def tolerant(text: str) -> tuple[Any, list[Repair]] | None:
    """Read JSON text, broken or not; None where it is none. The repairs have no span: the text is itself a value."""
    try:
        return strict(text), []
    except ValueError:
        pass
    if not text.lstrip().startswith(("{", "[", "```")):
        return None
    reading = repair_json(text)
    if not reading.complete:
        return None
    return reading.value, [replace(repair, span=None, pointer="/arguments") for repair in reading.repairs]


def shape_arguments(
    arguments: Any,
    tool: Tool | None,
    *,
    text_due: bool,
    absent_is_empty: bool = False,
    decode: Decode = tolerant,
) -> tuple[dict[str, Any] | None, list[Repair], str | None]:
    """Make the arguments of a call an object; None, and why, where they cannot be one.

    `text_due`: the format writes JSON text, so that decoding once is no repair. `absent_is_empty`: it allows
    arguments to be left out.
    """
    value, repairs = (arguments, []) if not text_due else _due_text(arguments, tool, decode)
    for _ in range(NESTING):
        if _is_empty(value):
            if not (absent_is_empty and (arguments is None or _is_absent(arguments))):
                before = None if _is_absent(value) else value
                repairs.append(shape_repair("empty-arguments", "/arguments", before, "read as {}", after={}))
            return {}, repairs, None
        lifted = _lifted(value, tool, decode)
        if lifted is None:
            break
        value, made = lifted
        repairs += made
    if not isinstance(value, dict):
        return None, repairs, f"the arguments are {_KINDS[json_type(value)]}, not an object"
    return value, repairs, None


_KINDS: Final = {
    "array": "a list", "string": "text", "boolean": "a boolean", "integer": "a number", "number": "a number",
    "null": "null", "object": "an object",
}  # fmt: skip


def _is_empty(value: Any) -> bool:
    if isinstance(value, dict):
        return False
    if isinstance(value, str):
        return value.strip() in ("", "null")
    return value is None or value == [] or _is_absent(value)


def _is_absent(value: Any) -> bool:
    """Whether it is the mark that a wire format leaves where there is no value: nothing that JSON knows."""
    return not isinstance(value, str | int | float | bool | list | dict | None)


def _due_text(arguments: Any, tool: Tool | None, decode: Decode) -> tuple[Any, list[Repair]]:
    found = _object_in(arguments, tool, decode, levels=1) if isinstance(arguments, str) else None
    return found or (arguments, [])


def _object_in(text: str, tool: Tool | None, decode: Decode, levels: int) -> tuple[Any, list[Repair]] | None:
    """Decode until an object, a list or nothing comes out; None where the text holds no such thing.

    Where the JSON is broken it must be an object with an argument of the tool: prose in braces stays text.
    """
    value: Any = text
    repairs: list[Repair] = []
    for _ in range(levels):
        decoded = decode(value)
        if decoded is None:
            return None
        value, more = decoded
        repairs += more
        if not isinstance(value, str):
            break
    if repairs and not (isinstance(value, dict) and _knows_any(tool, value)):
        return None
    return (value, repairs) if isinstance(value, dict | list | str) and value != text else None


def _knows_any(tool: Tool | None, keys: dict[str, Any]) -> bool:
    """Whether a key is an argument of the tool, as far as its arguments are known."""
    known = {plain_name(name) for name in tool.properties} if tool else set()
    return not known or any(plain_name(key) in known for key in keys)


Lifted = tuple[Any, list[Repair]] | None


def _lifted(value: Any, tool: Tool | None, decode: Decode) -> Lifted:
    """Take one step from what stands there to the object of arguments; None where there is none to take."""
    for code, message, step in _STEPS[isinstance(value, dict), tool is not None and bool(tool.parameters)]:
        found = step(value, tool, decode)
        if found is not None:
            made, more = found
            return made, [shape_repair(code, "/arguments", value, message, after=made), *more]
    return None


def _decoded(value: Any, tool: Tool | None, decode: Decode) -> Lifted:
    r"""`"{\"city\": \"Oslo\"}"`. A list in text counts only where the text itself is no argument."""
    found = _object_in(value, tool, decode, NESTING) if isinstance(value, str) else None
    if found and isinstance(found[0], list) and (tool is None or _bare(value, tool, decode)):
        return None
    return None if found is None or isinstance(found[0], str) else found


def _named_values(value: Any, tool: Tool, _: Decode) -> Lifted:
    """`[{"name": "city", "value": "Oslo"}]`: the same two keys in all items, one of them holds a property's name."""
    if not isinstance(value, list) or not all(isinstance(item, dict) and len(item) == 2 for item in value):
        return None
    keys = [*value[0]]
    if any(item.keys() != value[0].keys() for item in value) or not _TOLD_OF_PARAMETERS.isdisjoint(keys):
        return None
    for name, held in (keys, keys[::-1]):
        names = [item[name] for item in value]
        if all(isinstance(each, str) and each in tool.properties for each in names) and len(set(names)) == len(names):
            return {item[name]: item[held] for item in value}, []
    return None


_TOLD_OF_PARAMETERS: Final = frozenset({"type", "required", "description", "schema"})
"""Keys beside a name that make it the name of a parameter, not of an argument."""


def _only_item(value: Any, tool: Tool, _: Decode) -> Lifted:
    """`[{"city": "Oslo"}]`."""
    alone = isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict)
    return (value[0], []) if alone and value[0] and value[0].keys() <= tool.properties.keys() else None


def _positional(value: Any, tool: Tool, _: Decode) -> Lifted:
    """`["Oslo", 3]`: required properties first, then the others, in order; length and types must fit."""
    names = list(dict.fromkeys([*tool.required, *tool.properties]))
    if not isinstance(value, list) or not len(tool.required) <= len(value) <= len(names):
        return None
    made = dict(zip(names, value, strict=False))
    return (made, []) if all(_fits(item, name, tool) for name, item in made.items()) else None


def _bare(value: Any, tool: Tool, _: Decode) -> Lifted:
    """`"Oslo"` for a tool with one required (or only one) parameter of that type."""
    names = tool.required if len(tool.required) == 1 else list(tool.properties)
    if isinstance(value, dict) or len(names) != 1 or not _fits(value, names[0], tool):
        return None
    return {names[0]: value}, []


def _fits(value: Any, name: str, tool: Tool) -> bool:
    return fits_type(value, tool.properties.get(name), tool.parameters)


def _nested(value: Any, tool: Tool | None, decode: Decode) -> Lifted:
    """`{"arguments": {…}}`, also beside a repeated name, unless the key is a property of the tool."""
    if not isinstance(value, dict) or len(value) > 2 or value.keys().isdisjoint(ARGUMENT_ALIASES):
        return None
    known = tool.properties if tool else {}
    # Where nobody knows the tool's arguments, a lone `input` may well be one of them.
    aliases = ARGUMENT_ALIASES if known or len(value) == 2 else ARGUMENT_ALIASES[:1]
    keys = [key for key in value if key in aliases and key not in known]
    if len(keys) != 1:
        return None
    beside = [key for key in value if key not in keys]
    if not all(key in NAME_ALIASES and tool and value[key] == tool.name and key not in known for key in beside):
        return None
    inner = value[keys[0]]
    as_object = isinstance(inner, dict) or (isinstance(inner, str) and _decoded(inner, tool, decode))
    return (inner, []) if as_object else None


def _echoed(value: Any, tool: Tool, _: Decode) -> Lifted:
    """The schema copied, with the values in place of the types."""
    if not isinstance(value, dict) or "properties" in tool.properties:
        return None
    inner = value.get("properties")
    if isinstance(inner, dict) and inner and value.keys() <= _SCHEMA_KEYS and inner.keys() <= tool.properties.keys():
        made = {key: _echoed_value(item, key, tool) for key, item in inner.items()}
        return None if any(_is_type(item) for item in made.values()) else (made, [])
    if not value.keys() <= tool.properties.keys():
        return None
    made = {key: _echoed_value(item, key, tool) for key, item in value.items()}
    return (made, []) if any(made[key] is not value[key] for key in value) else None


_SCHEMA_KEYS: Final = frozenset({"type", "properties", "required", "additionalProperties", "title", "$schema"})


def _is_type(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _echoed_value(item: Any, name: str, tool: Tool) -> Any:
    """`{"type": "string", "value": "Oslo"}` where no object is asked: the value."""
    asks_object = fits_type({}, tool.properties.get(name), tool.parameters)
    return item["value"] if _is_type(item) and "value" in item and not asks_object else item


_Steps = tuple[tuple[str, str, "Callable[[Any, Any, Decode], Lifted]"], ...]
_OF_OBJECTS: Final[_Steps] = (
    ("nested-arguments", "lifted the inner arguments", _nested),
    ("schema-echo", "took the values out of the schema", _echoed),
)
_OF_OTHERS: Final[_Steps] = (
    ("double-encoded-json", "decoded the text", _decoded),
    ("name-value-list", "made an object of names and values", _named_values),
    ("array-wrapper", "took the only item", _only_item),
    ("positional-arguments", "gave the values the names of the schema", _positional),
    ("bare-argument", "took the value for the one argument", _bare),
)
_STEPS: Final = {
    (True, True): _OF_OBJECTS,
    (True, False): _OF_OBJECTS[:1],
    (False, True): _OF_OTHERS,
    (False, False): _OF_OTHERS[:1],
}
"""What is tried, in this order, by whether it is an object, and whether the tool is known."""


def shape_repair(code: str, at: str, before: Any, message: str, *, after: Any = "") -> Repair:
    """Make a repair of layer `shape`; `at` points into the call."""
    return Repair(
        code=code, layer="shape", confidence=CODES[code].confidence, pointer=at, before=before, after=after,
        message=message,
    )  # fmt: skip
