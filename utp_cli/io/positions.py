"""YAML and JSON read into plain values, each with its place in the text.

YAML is read from its events, not from its objects: no tag constructs anything, aliases cannot multiply without bound,
and a date stays the text it is. Values follow YAML 1.2's core schema, with `<<` merges.
"""

from __future__ import annotations

import bisect
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.errors import BadFile
from utp_cli.protocol.numbers import loads
from utp_cli.protocol.spans import pointer_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 200
MAX_VALUES = 1_000_000
"""Values in one document, those that aliases repeat counted again."""


@dataclass(slots=True)
class Placed:
    """A value and its place: offsets in the text, in characters, end exclusive."""

    value: Any
    start: int
    end: int
    key: Placed | None = None
    """The key it stands under in its mapping."""
    style: str = ""
    """`"` or `'` where quoted, `|` or `>` for a block, `{` or `[` in flow style; `""` for plain text and blocks."""
    items: dict[str, Placed] = field(default_factory=dict)
    """By key, or by index as text."""
    size: int = 1
    """Values in it, itself counted."""

    def find(self, pointer: str) -> tuple[Placed, bool]:
        """Return the value at a JSON Pointer, or the nearest one above it; and whether it was there."""
        found = self
        for part in pointer_parts(pointer):
            if part not in found.items:
                return found, False
            found = found.items[part]
        return found, True

    def add(self, key: str, placed: Placed) -> None:
        """Add an entry."""
        self.items[key] = placed
        self.size += placed.size
        if isinstance(self.value, dict):
            self.value[key] = placed.value
        else:
            self.value.append(placed.value)


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return the 1-based line and column of an offset."""
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1


def read_document(text: str, name: str) -> Placed:
    """Read YAML, JSON or JSON lines; several documents give a list. Raises `BadFile` with line and column."""
    suffix = name.rpartition(".")[2].lower()
    if suffix in ("jsonl", "ndjson"):
        return _read_lines(text, name)
    if suffix == "json" or text.lstrip()[:1] in ("{", "["):
        try:
            return read_json(text, name)
        except BadFile as error:
            lines = [line for line in text.splitlines() if line.strip()]
            if len(lines) > 1 and _is_json(lines[0]) and _is_json(lines[1]):
                return _read_lines(text, name)
            if suffix == "json":
                raise error from None
    return read_yaml(text, name)


def _is_json(text: str) -> bool:
    try:
        loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _read_lines(text: str, name: str) -> Placed:
    root, at = Placed([], 0, len(text), style="["), 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            root.add(str(len(root.items)), read_json(text, name, at, at + len(line.rstrip())))
        at += len(line)
    return root


_TOKEN = re.compile(r'[ \t\r\n]*(?:([{}\[\],:])|("(?:[^"\\]|\\.)*")|([^\s{}\[\],:"]+))', re.DOTALL)


def read_json(text: str, name: str, start: int = 0, end: int | None = None) -> Placed:
    """Read one JSON value. Raises `BadFile`."""
    end = len(text) if end is None else end
    try:
        loads(text[start:end])
    except json.JSONDecodeError as error:
        raise _bad(name, text, start + error.pos, f"not JSON: {error.msg}") from None
    except RecursionError:
        raise _bad(name, text, start, "nested too deeply") from None
    except ValueError as error:
        raise _bad(name, text, start, f"not JSON: {error}") from None
    return _place_json(text, name, start, end)


def _place_json(text: str, name: str, start: int, end: int) -> Placed:
    """Read JSON that is known to be well formed, without recursion."""
    root = Placed([], start, end)
    open_values, key = [root], None
    for token in _TOKEN.finditer(text, start, end):
        mark, top = token[1], open_values[-1]
        at = token.start(token.lastindex or 0)
        if mark in ("}", "]"):
            top.end = token.end()
            open_values.pop()
            _attach(open_values[-1], top)
        elif mark in ("{", "["):
            if len(open_values) > MAX_DEPTH:
                raise _bad(name, text, at, "nested too deeply")
            open_values.append(Placed({} if mark == "{" else [], at, at, key, mark))
            key = None
        elif mark is None:
            placed = Placed(loads(token[2] or token[3]), at, token.end(), key, '"' if token[2] else "")
            is_key = isinstance(top.value, dict) and key is None
            key = placed if is_key else None
            if not is_key:
                _attach(top, placed)
    return root.items["0"]


def _attach(parent: Placed, child: Placed) -> None:
    parent.add(child.key.value if child.key else str(len(parent.items)), child)


def _bad(name: str, text: str, offset: int, what: str) -> BadFile:
    line, column = line_and_column(text, offset)
    return BadFile(f"{name}:{line}:{column}", what)


_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_WORDS |= {word: word[0] in "tT" for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
_INTEGER = re.compile(r"[-+]?[0-9]{1,4000}|0o[0-7]{1,1000}|0x[0-9a-fA-F]{1,1000}")
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_CORE = "tag:yaml.org,2002:"
_TAGS = frozenset(_CORE + kind for kind in ("str", "int", "float", "bool", "null", "map", "seq", "timestamp", "merge"))


def plain_value(text: str) -> Any:
    """Return what an unquoted YAML scalar means."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    return (
        float(text.replace(".i", "i").replace(".I", "I").replace(".n", "n").replace(".N", "N"))
        if _FLOAT.fullmatch(text)
        else text
    )


def read_yaml(text: str, name: str) -> Placed:
    """Read YAML; several documents give a list. Raises `BadFile`."""
    from ruamel.yaml import YAML  # noqa: PLC0415  # 40 ms that JSON files never need
    from ruamel.yaml.error import YAMLError  # noqa: PLC0415

    reader = _Reader(name=name, text=text)
    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            reader.take(event)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
        if (
            getattr(error, "context", None) == "while scanning a quoted scalar"
        ):  # ran into the end: the slip is its start
            mark, problem = getattr(error, "context_mark", None) or mark, "a quote opens here and nothing closes it"
        raise _bad(name, text, mark.index if mark else 0, f"not YAML: {problem}") from None
    except RecursionError:
        raise _bad(name, text, 0, "nested too deeply") from None
    documents = reader.documents.items
    return documents["0"] if len(documents) == 1 else reader.documents


class _Reader:
    """Builds values from events, with a stack of its own."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text
        self.documents = Placed([], 0, len(text))
        self.open = [self.documents]
        self.keys: list[Placed | None] = [None]
        self.anchors: dict[str, Placed | None] = {}
        self.names: list[str | None] = [None]

    def take(self, event: Any) -> None:
        kind = type(event).__name__
        start, end = event.start_mark.index, event.end_mark.index
        if kind == "AliasEvent":
            self._repeat(event.anchor, start)
        elif kind == "ScalarEvent":
            self._check_tag(event, start)
            style = event.style or ""
            is_text = bool(style) or event.tag == _CORE + "str"
            placed = Placed(event.value if is_text else plain_value(event.value), start, end, style=style)
            self._keep(event.anchor, placed)
            self._put(placed)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._check_tag(event, start)
            self._open(event, start, is_mapping=kind == "MappingStartEvent")
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._close(end)
        elif kind == "DocumentStartEvent":
            self.anchors.clear()

    def _open(self, event: Any, start: int, *, is_mapping: bool) -> None:
        if len(self.open) > MAX_DEPTH:
            raise _bad(self.name, self.text, start, "nested too deeply")
        style = ("{" if is_mapping else "[") if event.flow_style else ""
        self.open.append(Placed({} if is_mapping else [], start, start, style=style))
        self.keys.append(None)
        self.names.append(event.anchor)
        self._keep(event.anchor, None)

    def _close(self, end: int) -> None:
        closed = self.open.pop()
        closed.end = end
        self.keys.pop()
        self._keep(self.names.pop(), closed)
        self._put(closed)

    def _check_tag(self, event: Any, start: int) -> None:
        tag = str(event.tag or "")
        if tag not in ("", "!") and tag not in _TAGS:
            raise _bad(self.name, self.text, start, f"the tag {tag} is not data")

    def _keep(self, anchor: str | None, placed: Placed | None) -> None:
        if anchor:
            self.anchors[anchor] = placed

    def _repeat(self, anchor: str, start: int) -> None:
        known = self.anchors.get(anchor)
        if known is None:
            why = "refers to itself" if anchor in self.anchors else "has no anchor"
            raise _bad(self.name, self.text, start, f"the alias *{anchor} {why}")
        self._put(Placed(known.value, known.start, known.end, None, known.style, known.items, known.size))

    def _put(self, placed: Placed) -> None:
        top, key = self.open[-1], self.keys[-1]
        if not isinstance(top.value, dict):
            top.add(str(len(top.items)), placed)
        elif key is None:
            self.keys[-1] = placed
        else:
            self.keys[-1] = None
            placed.key = key
            if placed.start == placed.end:  # nothing is written: the event's mark may stand lines below
                colon = self.text.find(":", key.end, placed.start)
                placed.start = placed.end = colon + 1 if colon >= 0 else placed.start
            if key.value == "<<" and not key.style:
                self._merge(top, placed)
            else:
                top.add(_key_text(key.value), placed)
        if top.size > MAX_VALUES:
            raise _bad(self.name, self.text, placed.start, "aliases make the document too large")

    def _merge(self, top: Placed, placed: Placed) -> None:
        sources = placed.items.values() if isinstance(placed.value, list) else (placed,)
        for source in sources:
            for name, item in source.items.items() if isinstance(source.value, dict) else ():
                if name not in top.value:
                    top.add(name, item)


def _key_text(value: Any) -> str:
    """Write a key as JSON has it: a text. `on`, `1` and `null` are keys too."""
    if isinstance(value, str):
        return value
    return (
        {True: "true", False: "false", None: "null"}.get(value, str(value))
        if not isinstance(value, (dict, list))
        else str(value)
    )


def scalars(placed: Placed) -> Iterator[Placed]:
    """Yield the scalars in a value, keys too, in no order."""
    waiting = [placed]
    while waiting:
        item = waiting.pop()
        if item.key is not None:
            yield item.key
        if isinstance(item.value, (dict, list)):
            waiting.extend(item.items.values())
        else:
            yield item


def comments(text: str, document: Placed) -> list[tuple[int, int, str]]:
    """Return YAML's comments: the offset of each, the line it is about (from 1), its text.

    One that stands alone is about the next line that holds anything else. A `#` within a value is no comment.
    """
    spans = sorted((item.start, item.end) for item in scalars(document))
    starts = [start for start, _ in spans]
    found: list[tuple[int, int, str]] = []
    waiting: list[tuple[int, str]] = []
    at, number = 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        mark = next((m.start() for m in _HASH.finditer(line) if not _is_inside(spans, starts, at + m.start())), None)
        said = [] if mark is None else [(at + mark, line[mark:].rstrip())]
        waiting += said
        if line[:mark].strip():
            found += [(offset, number, comment) for offset, comment in waiting]
            waiting.clear()
        at += len(line) + 1
    return [*found, *((offset, number, comment) for offset, comment in waiting)]


_HASH = re.compile(r"(?:^|(?<=\s))#")


def _is_inside(spans: list[tuple[int, int]], starts: list[int], offset: int) -> bool:
    before = bisect.bisect_right(starts, offset) - 1
    return before >= 0 and spans[before][1] > offset
