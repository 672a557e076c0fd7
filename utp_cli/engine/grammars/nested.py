"""Elements all the way down: one element a key, children for objects, `<item>` for the members of a list.

    call = header *( element ) close             header = PREFIX '<invoke name="' NAME '">'
    element = PREFIX "<" KEY ">" ( text | *element ) PREFIX "</" KEY ">"

Every tag has the same prefix, a token of the model's vocabulary. A text may still hold tags: a closing tag ends a text
if another tag follows it, or the text of the answer ends; what stands in a text is passed over where a closing tag
behind it proves that the text goes on.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from utp_cli.engine.grammars.element_values import plain_text as decoded
from utp_cli.engine.grammars.tagged_arguments import read_header
from utp_cli.engine.grammars.writing import in_section, plain_text
from utp_cli.engine.layout import TextRun
from utp_cli.engine.reading import (
    HEADER_LIMIT,
    Context,
    Declined,
    Grammar,
    MarkerRead,
    RawCall,
    Waiting,
    hit_at,
    role_of,
    skip_space,
)
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import MutableRecord, Record, field
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
_MOST_QUOTED: Final = 16
"""Tags behind a place where a text may end that are looked at for a proof that it goes on."""
_TAG = regex(r"\s*<(/?)([^<>/\s][^<>\s]*)[^<>]*>")
_HALF_TAG = regex(r"\s*(?:<[^<>]*)?\Z")


class _Mark(Record):
    """A tag in the text, or a marker that ends the call."""

    start: int
    end: int
    name: str
    closes: bool
    role: str
    """Of the dialect's own markers: `open`, `close`; empty for the tag of an element."""


class _Node(MutableRecord):
    """An element while its children are read."""

    name: str
    schema: Any
    start: int
    value: Any = None
    """A dict or list once it has children."""
    repeated: set[str] = field(default_factory=set)
    """Names that came more than once."""


def read(source: Source, opened: Hit, context: Context[NestedBody]) -> Waiting[MarkerRead | Declined]:
    """Read one call from its opening tag on. Declines where that has no name."""
    header = yield from read_header(source, opened.start, context.body.call)
    if header is None or not header.value:
        return Declined("no name in the opening tag")
    context.live.name(header.value)
    tool = (context.tools or {}).get(header.value)
    tree = _Tree(source, tool.parameters if tool else None, entities=context.body.entities)
    marks = _Marks(source, context)
    if not (context.body.tag_prefix or (yield from marks.is_due(header.end))):
        return Declined("no element behind the name")
    mark = yield from _read_elements(marks, header.end, tree)
    end = mark.start if mark else source.length
    open_path = tree.close(end)
    context.live.arguments(header.end, end)
    call = RawCall(
        name=header.value, arguments=tree.arguments, payload=(header.end, end), lack="more" if open_path else "nothing",
        partial=[pointer(*open_path)] if open_path else [],
        reason="words stand beside the arguments" if tree.stray else "",
    )  # fmt: skip
    closed = mark is not None and source.slice(mark.start, mark.end) == context.body.call.close
    stop = mark.end if closed and mark else end
    source.rewind(stop)
    pieces = (("markup", opened.end, header.end), ("call", header.end, end), ("markup", end, stop))
    runs = [TextRun(kind, left, right) for kind, left, right in pieces if right > left]  # type: ignore[arg-type]
    return MarkerRead(calls=[call], end=stop, runs=runs, closed=closed)


def _read_elements(marks: _Marks, position: int, tree: _Tree) -> Waiting[_Mark | None]:
    """Read elements up to the marker that ends the call, and return that; None where the text ends first."""
    while mark := (yield from marks.after(position)):
        tree.stray = tree.stray or tree.is_stray(position, mark.start)
        position = mark.end
        ends = mark.role != "" or (mark.closes and mark.name == tree.top.name)
        if ends and tree.in_text and not (mark.role == "" and (yield from marks.is_due(position))):
            further = yield from marks.further(position, tree.open)
            if further:
                tree.take(further)
                position = further.end
                continue
        if mark.role:
            return mark
        tree.take(mark)
    return None


class _Marks:
    """Finds the tags of a text."""

    def __init__(self, source: Source, context: Context[NestedBody]) -> None:
        self._source, self._context = source, context
        self._prefix = context.body.tag_prefix
        self._signs = _signs(self._prefix, context.until)
        self._longest = max(map(len, (self._prefix, *context.until)))

    def after(self, position: int) -> Waiting[_Mark | None]:
        """Return the next tag or marker from `position` on; None where there is none."""
        source = self._source
        while True:
            found = source.search(self._signs, position)
            if found is None:
                if source.closed:
                    return None
                position = max(position, source.length - self._longest + 1)
                source.release(position)
                yield
                continue
            position = source.at(found)
            hit = yield from hit_at(source, self._context.local, position)
            tag = yield from self._tag_at(position)
            if hit or tag:
                end = hit.end if hit else source.base + tag.end() if tag else 0
                return _Mark(
                    start=position, end=end, name=tag[2] if tag else "", closes=bool(tag and tag[1]), role=role_of(hit)
                )
            position += 1

    def _tag_at(self, position: int) -> Waiting[re.Match[str] | None]:
        """Return the tag at `position`, None where the prefix opens none."""
        source, begin = self._source, position + len(self._prefix)
        if not source.startswith(self._prefix, position):
            return None
        while True:
            index = begin - source.base
            tag = _TAG.match(source.window, index, index + HEADER_LIMIT)
            enough = source.closed or source.length - begin >= HEADER_LIMIT
            if tag or enough or not _HALF_TAG.match(source.window, index):
                return tag
            yield

    def is_due(self, position: int) -> Waiting[bool]:
        """Whether a tag or marker stands at `position`, behind whitespace, or the text ends."""
        source = self._source
        ahead = yield from skip_space(source, position)
        while source.length - ahead < self._longest and not source.closed:
            yield
        return ahead >= source.length or self._signs.match(source.window, ahead - source.base) is not None

    def further(self, position: int, names: Mapping[str, int]) -> Waiting[_Mark | None]:
        """Return a closing tag from `position` on that is due where it stands and that no opening tag there belongs to.

        Then that element, one of those that are open, goes on up to it.
        """
        opened: Counter[str] = Counter()
        for _ in range(_MOST_QUOTED):
            mark = yield from self.after(position)
            if mark is None:
                return None
            position = mark.end
            if not names.get(mark.name):
                continue
            if not mark.closes:
                opened[mark.name] += 1
            elif opened[mark.name]:
                opened[mark.name] -= 1
            elif (yield from self.is_due(position)):
                return mark
        return None


@cache
def _signs(prefix: str, markers: tuple[str, ...]) -> re.Pattern[str]:
    """Match where a tag or a marker may begin."""
    return re.compile("|".join(re.escape(sign) for sign in dict.fromkeys((prefix or "<", *markers))))


class _Tree:
    """The elements of a call, as far as they were read."""

    def __init__(self, source: Source, schema: Any, *, entities: bool) -> None:
        self._source, self._root, self._entities = source, schema, entities
        self._stack = [_Node(name="", schema=schema, start=0, value={})]
        self.open: Counter[str] = Counter()
        """How many open elements have a name."""
        self.stray = False
        """Words stand beside the arguments: what they are is not known."""

    @property
    def top(self) -> _Node:
        """The element that is open, innermost."""
        return self._stack[-1]

    def is_stray(self, start: int, end: int) -> bool:
        """Whether words stand there that belong to no element."""
        return len(self._stack) == 1 and bool(self._source.slice(start, end).strip())

    @property
    def in_text(self) -> bool:
        """Whether what is open is an element without children."""
        return self.top.value is None  # of the call itself it is a dict

    @property
    def arguments(self) -> dict[str, Any]:
        value = self._stack[0].value
        return value if isinstance(value, dict) else {}

    def take(self, mark: _Mark) -> None:
        """Open or close an element. What was opened in it and never closed is its text."""
        name = mark.name
        if not mark.closes and len(self._stack) < DEPTH_LIMIT and not self._is_text(self.top):
            self._stack.append(_Node(name=name, schema=_child_schema(self.top.schema, name), start=mark.end))
            self.open[name] += 1
        elif mark.closes and self.open[name]:
            while self.top.name != name:
                self.open[self._stack.pop().name] -= 1
            self.pop(mark.start)

    def pop(self, end: int) -> list[str | int]:
        """Close the innermost element at `end`; return the keys and indexes of its value in what stands around it."""
        node = self._stack.pop()
        self.open[node.name] -= 1
        return _add(self.top, node.name, self._value(node, end))

    def close(self, end: int) -> list[str | int]:
        """Close all that is open at `end`; return the path of the innermost."""
        path: list[str | int] = []
        while len(self._stack) > 1:
            path = [*self.pop(end), *path]
        return path

    def _is_text(self, node: _Node) -> bool:
        """Whether the schema says that an element is text, and nothing else."""
        types, _ = asked_types(node.schema, self._root)
        return "string" in types and not types & {"object", "array"}

    def _value(self, node: _Node, end: int) -> Any:
        if node.value is not None and not self._is_text(node):
            return node.value
        text = self._source.slice(node.start, end)
        text = decoded(text) if self._entities else text
        asked = node.schema.get("type") if isinstance(node.schema, dict) else None
        if not text.strip() and asked in ("array", "object"):
            return [] if asked == "array" else {}
        return typed_text(text, node.schema, self._root)[0]


def _add(parent: _Node, name: str, value: Any) -> list[str | int]:
    """Put a child into its parent, and return where: items make a list, a repeated name makes its values one."""
    if name == ITEM and not isinstance(parent.value, dict):
        parent.value = [] if parent.value is None else parent.value
        parent.value.append(value)
        return [len(parent.value) - 1]
    if not isinstance(parent.value, dict):
        parent.value = {}
    if name not in parent.value:
        parent.value[name] = value
        return [name]
    if name in parent.repeated:
        parent.value[name].append(value)
    else:
        parent.value[name] = [parent.value[name], value]
        parent.repeated.add(name)
    return [name, len(parent.value[name]) - 1]


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
        inside = "".join(_element(body, key, value) for key, value in call["arguments"].items())
        lines.append(f'{prefix}<invoke name="{call["name"]}">{inside}{prefix}</invoke>')
    return in_section(dialect, lines)


def _element(body: NestedBody, name: str, value: Any) -> str:
    if isinstance(value, dict):
        inside = "".join(_element(body, key, item) for key, item in value.items())
    elif isinstance(value, list):
        inside = "".join(_element(body, ITEM, item) for item in value)
    else:
        inside = html.escape(plain_text(value), quote=False) if body.entities else plain_text(value)
    return f"{body.tag_prefix}<{name}>{inside}{body.tag_prefix}</{name}>"


GRAMMAR = Grammar(read=read, write=write, cannot=("own-tags", "odd-keys", "empty-values", "nested-names"))
