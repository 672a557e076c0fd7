"""What the content of an XML element stands for: text, CDATA, entities, and elements in it as objects and lists."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import MutableRecord, replace
from utp_cli.repair.extract import json_or_nothing
from utp_cli.repair.typed import typed_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from utp_cli.protocol.calls import Repair

CDATA_OPEN, CDATA_CLOSE = "<![CDATA[", "]]>"
DEPTH_LIMIT = 100
"""Elements deeper than this are kept as text."""
_PART = regex(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)|<(/?)([A-Za-z_][\w.:-]*)(?:\s[^<>]*?)?(/?)>", re.DOTALL)
_HALF_TAG = regex(r"<(?:/?[\w.:-]*|!(?:\[\w*)?)\Z")
_SECTION = regex(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
_ENTITY = regex(r"&(?:lt|gt|amp|quot|apos);")


def plain_text(text: str) -> str:
    """Return the text of an element: CDATA as it stands, the five entities of XML decoded elsewhere."""
    return "".join(plain for plain, _, _ in _parts(text))


def _parts(text: str) -> Iterator[tuple[str, int, int]]:
    """Cut the text of an element into what it stands for, with the place `[start, end)` of each part."""
    at = 0
    for section in _SECTION.finditer(text):
        before = text[at : section.start()]
        yield from _decoded(text, at + len(before) - len(before.lstrip()), at + len(before.rstrip()))
        yield section[1], *section.span(1)
        at = section.end()
    behind = text[at:] if at else ""  # space around CDATA is layout
    yield from _decoded(text, at + len(behind) - len(behind.lstrip()), len(text) - len(behind) + len(behind.rstrip()))


def _decoded(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    for entity in _ENTITY.finditer(text, start, end):
        yield text[start : entity.start()], start, entity.start()
        yield html.unescape(entity[0]), *entity.span()
        start = entity.end()
    yield text[start:end], start, end


def placed(repairs: Iterable[Repair], text: str, start: int) -> list[Repair]:
    """Give repairs that count in what an element's text stands for their places in `text`, which begins at `start`."""
    spans = [repair.span for repair in repairs if repair.span]
    if not spans:
        return [*repairs]
    places: list[int] = []
    end = 0
    for plain, begin, stop in _parts(text):
        places += range(begin, begin + len(plain))
        end = stop if plain else end
    places.append(end)
    moved = []
    for repair in repairs:
        span = (places[repair.span[0]], places[repair.span[1]]) if repair.span else None
        before = text[slice(*span)] if span else repair.before
        moved.append(replace(repair, span=span, before=before).moved(start))
    return moved


class _Node(MutableRecord):
    """An element while its children are read."""

    name: str
    schema: Any
    start: int
    children: dict[str, Any] | None = None

    def put(self, done: _Node, text: str, root: Any, path: list[str | int]) -> tuple[list[Repair], list[str | int]]:
        """Put in a child that ends, with its `text`; return its repairs, and a `path` in it as one from here."""
        value: Any = done.children
        repairs: list[Repair] = []
        if value is None:
            value, repairs = _leaf(plain_text(text), done.schema, root)
        if done.children is not None and _is_array(done.schema) and _is_wrapper(done.children, done.schema):
            value, path = next(iter(done.children.values())), path[1:]
        held = _add(self, done.name, value)
        index = [len(held) - 1] if isinstance(held, list) and held is not value else []
        return placed(repairs, text, done.start), [done.name, *index, *path]


def element_value(
    text: str, schema: Any, root: Any, *, cut: bool = False
) -> tuple[Any, list[Repair], list[str | int] | None]:
    """Read the content of an element: elements become an object, repeated ones a list, text takes its type.

    Returns repairs, with places in `text`, and, where the text was `cut` in a value, the path of that.
    """
    top = _Node(name="", schema=schema, start=0)
    stack: list[_Node] = [top]
    repairs: list[Repair] = []
    deeper = 0
    if cut and text.rfind(CDATA_OPEN) <= text.rfind(CDATA_CLOSE):
        text = _HALF_TAG.sub("", text)
    for part in _PART.finditer(text):
        _, closing, name, empty = part.groups()
        if name is None:
            continue
        if len(stack) > DEPTH_LIMIT and (deeper or not closing):
            deeper += -1 if closing else not empty
            continue
        node = stack[-1]
        if not closing:
            child = _Node(name=name, schema=_property(node.schema, name), start=part.end())
            stack.append(child)
        if (closing or empty) and len(stack) > 1 and stack[-1].name == name:
            done = stack.pop()
            repairs += stack[-1].put(done, "" if empty else text[done.start : part.start()], root, [])[0]
    in_value = cut and stack[-1].children is None
    path: list[str | int] = []
    while cut and len(stack) > 1:
        done = stack.pop()
        found, path = stack[-1].put(done, text[done.start :], root, path)
        repairs += found
    if top.children is not None:
        return top.children, repairs, path if in_value else None
    value, found = typed_text(plain_text(text), schema, root, decode=json_or_nothing)
    return value, repairs + placed(found, text, 0), path if in_value else None


def _leaf(text: str, schema: Any, root: Any) -> tuple[Any, list[Repair]]:
    """Give text its type; where a list is asked, it may be the whole list as JSON, or one item."""
    if _is_array(schema) and not text.strip():
        return [], []
    if _is_array(schema) and not text.lstrip().startswith("["):
        return typed_text(text, schema.get("items"), root, decode=json_or_nothing)
    return typed_text(text, schema, root, decode=json_or_nothing)


def _is_wrapper(value: dict[str, Any], schema: dict[str, Any]) -> bool:
    """Whether an element holds the items of a list: `<tags><tag>a</tag><tag>b</tag></tags>`."""
    items = schema.get("items")
    free = isinstance(items, dict) and items.get("type") == "object" and "properties" not in items
    return len(value) == 1 and not free and _property(items, next(iter(value))) is None


def _is_array(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "array"


def _add(parent: _Node, name: str, value: Any) -> Any:
    """Put a value in under its name, which may have come before; return all that has this name."""
    parent.children = {} if parent.children is None else parent.children
    if name not in parent.children:
        wrap = _is_array(_property(parent.schema, name)) and not isinstance(value, list)
        parent.children[name] = [value] if wrap else value
    elif isinstance(parent.children[name], list):
        parent.children[name].append(value)
    else:
        parent.children[name] = [parent.children[name], value]
    return parent.children[name]


def _property(schema: Any, name: str) -> Any:
    if _is_array(schema):
        return _property(schema.get("items"), name) or schema.get("items")
    properties = schema.get("properties") if isinstance(schema, dict) else None
    found = properties.get(name) if isinstance(properties, dict) else None
    return found if isinstance(found, dict) else None
