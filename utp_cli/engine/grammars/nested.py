"""Elements all the way down: one element a key, children for objects, `<item>` for the members of a list.

    call = header *( element ) close             header = PREFIX '<invoke name="' NAME '">'
    element = PREFIX "<" KEY ">" ( text | *element ) PREFIX "</" KEY ">"

Every tag has the same prefix, a token of the model's vocabulary, so that no text can be mistaken for a tag.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from utp_cli.engine.grammars.tagged_arguments import read_header
from utp_cli.engine.grammars.writing import in_section, plain_text
from utp_cli.engine.layout import Run
from utp_cli.engine.reading import Context, Declined, Grammar, RawCall, Read, Waiting, next_hit, role_of
from utp_cli.protocol.records import MutableRecord, field
from utp_cli.protocol.spans import pointer
from utp_cli.repair.typed import typed_text
from utp_cli.schemas.types import asked_types

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.dialects.bodies import NestedBody
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.source import Source

ITEM = "item"
DEPTH_LIMIT = 1000
"""Elements deeper than this are text."""


@cache
def _tags(prefix: str) -> re.Pattern[str]:
    return re.compile(re.escape(prefix) + r"\s*<(/?)([^<>/\s][^<>\s]*)\s*>")


class _Node(MutableRecord):
    """An element while its children are read."""

    name: str
    schema: Any
    start: int
    value: Any = None
    """A dict or list once it has children."""
    repeated: set[str] = field(default_factory=set)
    """Names that came more than once."""


def read(source: Source, opened: Hit, context: Context[NestedBody]) -> Waiting[Read | Declined]:
    """Read one call from its opening tag on. Declines where that has no name."""
    tag = context.body.call
    header = yield from read_header(source, opened.start, tag)
    if header is None or not header.value:
        return Declined("no name in the opening tag")
    context.live.name(header.value)
    hit = yield from next_hit(source, context.local, header.end)
    end = hit.start if hit else source.length
    closed = role_of(hit) == "close" and hit is not None and hit.marker == tag.close
    tool = (context.tools or {}).get(header.value)
    schema = tool.parameters if tool else None
    arguments, open_path = elements(source.slice(header.end, end), context.body.tag_prefix, schema)
    context.live.arguments(header.end, end)
    call = RawCall(
        name=header.value, arguments=arguments if isinstance(arguments, dict) else {}, payload=(header.end, end),
        lack="more" if open_path else "nothing", partial=[pointer(*open_path)] if open_path else [],
    )  # fmt: skip
    stop = hit.end if closed and hit else end
    source.rewind(stop)
    pieces = (("markup", opened.end, header.end), ("call", header.end, end), ("markup", end, stop))
    runs = [Run(kind, left, right) for kind, left, right in pieces if right > left]  # type: ignore[arg-type]
    return Read(calls=[call], end=stop, runs=runs, closed=closed)


def elements(text: str, prefix: str, schema: Any) -> tuple[Any, list[str]]:
    """Read the elements of a call; also return the path of the element that is never closed."""
    top = _Node(name="", schema=schema, start=0, value={})
    stack = [top]
    for part in _tags(prefix).finditer(text):
        closing, name = part.groups()
        if not closing and len(stack) < DEPTH_LIMIT:
            stack.append(_Node(name=name, schema=_child_schema(stack[-1].schema, name), start=part.end()))
        elif closing and len(stack) > 1 and stack[-1].name == name:
            node = stack.pop()
            _add(stack[-1], name, _value(node, text[node.start : part.start()], schema))
    open_path = [node.name for node in stack[1:]]
    while len(stack) > 1:
        node = stack.pop()
        _add(stack[-1], node.name, _value(node, text[node.start :], schema))
    return top.value, open_path


def _value(node: _Node, text: str, root: Any) -> Any:
    types, _ = asked_types(node.schema, root)
    if node.value is not None and ("string" not in types or types & {"object", "array"}):
        return node.value
    asked = node.schema.get("type") if isinstance(node.schema, dict) else None
    if not text.strip() and asked in ("array", "object"):
        return [] if asked == "array" else {}
    return typed_text(text, node.schema, root)[0]


def _add(parent: _Node, name: str, value: Any) -> None:
    """Put a child into its parent: items make a list, a repeated name makes its values one."""
    if name == ITEM and not isinstance(parent.value, dict):
        parent.value = [] if parent.value is None else parent.value
        parent.value.append(value)
        return
    if not isinstance(parent.value, dict):
        parent.value = {}
    if name not in parent.value:
        parent.value[name] = value
    elif name in parent.repeated:
        parent.value[name].append(value)
    else:
        parent.value[name] = [parent.value[name], value]
        parent.repeated.add(name)


def _child_schema(schema: Any, name: str) -> Any:
    if not isinstance(schema, dict):
        return None
    if name == ITEM and isinstance(schema.get("items"), dict):
        return schema["items"]
    properties = schema.get("properties")
    return properties.get(name) if isinstance(properties, dict) else None


def write(dialect: Dialect, body: NestedBody, calls: Sequence[Mapping[str, Any]]) -> str:
    """Write calls as nested elements."""
    prefix, lines = body.tag_prefix, []
    for call in calls:
        inside = "".join(_element(prefix, key, value) for key, value in call["arguments"].items())
        lines.append(f'{prefix}<invoke name="{call["name"]}">{inside}{prefix}</invoke>')
    return in_section(dialect, lines)


def _element(prefix: str, name: str, value: Any) -> str:
    if isinstance(value, dict):
        inside = "".join(_element(prefix, key, item) for key, item in value.items())
    elif isinstance(value, list):
        inside = "".join(_element(prefix, ITEM, item) for item in value)
    else:
        inside = plain_text(value)
    return f"{prefix}<{name}>{inside}{prefix}</{name}>"


GRAMMAR = Grammar(read=read, write=write, cannot=("own-tags", "odd-keys", "empty-values", "nested-names"))
