"""Ollama's Go templates: not run, but walked; the branch that writes calls is filled with calls of ours."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import TypeAlias

    Node: TypeAlias = "str | Action | Block"

_GO = regex(r"\{\{-?\s*(?:if|range|else|end|with|define|template|block)\b|\{\{-?\s*(?:json\s+)?\$?\.[A-Z]")
_ACTION = regex(r"\{\{((?>(?:\"[^\"\n]*\"|`[^`]*`|[^{}])*))(\}\})?")
"""An action, or what begins one and never ends: passed over as a whole, so that nothing is read twice."""
_OPENS_CALLS = regex(r"(?:if|range|with)\b(?!\s+not\b).*\.ToolCalls", re.DOTALL)
_RANGE = regex(r"range\s+(?:(?:\$(?P<key>\w+)\s*,\s*)?\$(?P<value>\w+)\s*:?=\s*)?(?P<what>.*)", re.DOTALL)
_COUNTED = regex(r"(?:if|with)\s+(?:(?:gt|ne)\s+)?\$(?P<name>\w+)(?:\s+0)?")
_OPENING_TAG = regex(r"([<\[][^<>\[\]\s]{1,40}[>\]])\s*\Z")
_CLOSING_TAG = regex(r"\s*([<\[][^<>\[\]\s]{1,40}[>\]])")
_BLOCKS = ("if", "range", "with", "define", "block")
_DEEPEST = 50
"""Blocks within blocks; published templates have five."""


@dataclass(frozen=True, slots=True)
class Action:
    """`{{ word }}`."""

    word: str


@dataclass(frozen=True, slots=True)
class Block:
    """`{{ head }} body {{ else }} otherwise {{ end }}`; `else if` makes a block of its own in `otherwise`."""

    head: str
    body: list[Node] = field(default_factory=list)
    otherwise: list[Node] = field(default_factory=list)


class GoTemplate(Record):
    """A template taken apart."""

    pieces: list[tuple[str, str]]
    """(`text`, …) and (`action`, …), in order."""
    calls: list[Node]
    """The branch that is entered where there are calls; empty where there is none."""

    def turn(self, calls: Sequence[Mapping[str, Any]]) -> str:
        """Return how it writes calls `{name, arguments}`."""
        return "".join(_filled(self.calls, {"": list(calls)})).strip()


def is_go(source: str) -> bool:
    """Whether a template is Go's rather than Jinja's."""
    return "{%" not in source and _GO.search(source) is not None


def take_apart(source: str) -> GoTemplate:
    """Read a Go template. Linear in its length."""
    pieces = list(_pieces(source))
    return GoTemplate(pieces=pieces, calls=_find_calls(_tree(pieces)))


def _pieces(source: str) -> Iterator[tuple[str, str]]:
    """Split into text and actions; `{{-` and `-}}` eat the whitespace next to them."""
    at, trimmed = 0, False
    for found in filter(lambda found: found[2], _ACTION.finditer(source)):
        text, action = source[at : found.start()], found[1]
        text = text.lstrip() if trimmed else text
        yield "text", text.rstrip() if action.startswith("-") else text
        yield "action", action.removeprefix("-").removesuffix("-").strip()
        at, trimmed = found.end(), action.endswith("-")
    yield "text", source[at:].lstrip() if trimmed else source[at:]


def _tree(pieces: Sequence[tuple[str, str]]) -> list[Node]:
    """Nest the pieces into blocks. What is never closed ends with the text."""
    top: list[Node] = []
    lists, depths = [top], [0]
    for kind, word in pieces:
        head = word.split(" ", 1)[0] if kind == "action" else ""
        if kind == "text":
            lists[-1].append(word)
        elif head in _BLOCKS and len(lists) < _DEEPEST:
            lists[-1].append(block := Block(word))
            lists.append(block.body)
            depths.append(len(lists) - 1)
        elif head == "else" and len(lists) > 1:
            block = lists[-2][-1]  # type: ignore[assignment]
            lists[-1] = block.otherwise
            if condition := word.removeprefix("else").strip():
                lists[-1].append(inner := Block(condition))
                lists.append(inner.body)
        elif head == "end" and len(depths) > 1:
            del lists[depths.pop() :]
        else:
            lists[-1].append(Action(word))
    return top


def _find_calls(nodes: Sequence[Node]) -> list[Node]:
    """Return the first block about `.ToolCalls` that is entered when there are calls."""
    waiting: list[Node] = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if isinstance(node, Block):
            if _OPENS_CALLS.match(node.head):
                return [node]
            waiting += reversed([*node.body, *node.otherwise])
    return []


def _filled(nodes: Sequence[Node], known: dict[str, Any]) -> Iterator[str]:
    """Write nodes for what is known: variables by name, `""` is the dot."""
    for node in nodes:
        if isinstance(node, str):
            yield node
        elif isinstance(node, Action):
            yield _said(node.word, known)
        elif node.head.startswith("range"):
            yield from _repeated(node, known)
        else:
            counted = _COUNTED.fullmatch(node.head)
            holds = known.get(counted["name"], True) if counted else True
            yield from _filled(node.body if holds else node.otherwise, known)


def _repeated(block: Block, known: dict[str, Any]) -> Iterator[str]:
    """Write the body of a `range` over the calls, or over the arguments of one."""
    found = _RANGE.fullmatch(block.head)
    dot = known[""]
    if found is None or (".ToolCalls" not in found["what"] and ".Arguments" not in found["what"]):
        return
    items = dot if isinstance(dot, list) else [dot]
    pairs: Any = enumerate(items)
    if ".Arguments" in found["what"]:
        pairs = items[0]["arguments"].items() if items and isinstance(items[0], dict) else ()
    for key, value in pairs:
        names = {found["key"] or "_": key, found["value"] or "_": value}
        yield from _filled(block.body, {**known, "": value, **names})


def _said(action: str, known: Mapping[str, Any]) -> str:
    """Return what an action writes."""
    word = re.sub(r"^json\s++|(?<!\s)\s*+\|\s*+json$", "", action)
    variable = re.fullmatch(r"\$(\w+)", word)
    value = known.get(variable[1]) if variable else known[""]
    call = known[""][0] if isinstance(known[""], list) and known[""] else known[""]
    if isinstance(call, dict) and re.search(r"\.Name\b", word):
        return str(call["name"])
    if isinstance(call, dict) and re.search(r"\.Arguments\b", word):
        return json.dumps(call["arguments"], ensure_ascii=False)
    if variable or re.fullmatch(r"\.|(?:\$\w+)?\.Function", word):
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return ""


def thinking_in(template: GoTemplate) -> tuple[str, str] | None:
    """Return the texts just around `{{ .Thinking }}`, as far as they are tags."""
    pieces = template.pieces
    for at, (kind, word) in enumerate(pieces):
        if kind == "action" and re.fullmatch(r"\$?[\w.]*\.Thinking", word):
            opened = _OPENING_TAG.search(pieces[at - 1][1][-200:])
            closed = _CLOSING_TAG.match(pieces[at + 1][1])
            return (opened[1], closed[1]) if opened and closed else None
    return None


def tools_in(template: GoTemplate) -> str:
    """Say how definitions reach the prompt: by what is written inside the last loop over `.Tools`."""
    actions = [word for kind, word in template.pieces if kind == "action" and not word.startswith("/*")]
    about = [at for at, word in enumerate(actions) if re.search(r"\.Tools\b", word)]
    if not about:
        return "absent"
    inside = actions[about[-1] : about[-1] + 4]
    if any(re.search(r"\.Function\b", word) for word in inside):
        return "function" if any(re.fullmatch(r"(?:json\s+)?\$?\w*\.Function", word) for word in inside) else "text"
    return "openai"
