"""Ollama's Go templates: not run, but walked; the branch that writes calls is filled with a call of ours."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from utp_cli.detection.probe import CALLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_GO = re.compile(r"\{\{-?\s*(?:if|range|else|end|with|define|template|block)\b|\{\{-?\s*(?:json\s+)?\$?\.[A-Z]")
_ACTION = re.compile(r"\{\{([^{}]*)\}\}")
_OPENS_CALLS = re.compile(r"(?:else\s+)?(?:if|range|with)\b(?!\s+not\b).*\.ToolCalls", re.DOTALL)
_BLOCKS = ("if", "range", "with", "define", "block")


@dataclass(frozen=True, slots=True, kw_only=True)
class GoFacts:
    """What a Go template shows of itself."""

    turn: str
    """How it writes one call; empty where it writes none."""
    thinking: tuple[str, str] | None
    tools: str


def is_go(source: str) -> bool:
    """Whether a template is Go's rather than Jinja's."""
    return "{%" not in source and _GO.search(source) is not None


def go_facts(source: str) -> GoFacts:
    """Read a Go template. Linear in its length."""
    pieces = list(_pieces(source))
    return GoFacts(turn=_call_turn(pieces), thinking=_thinking(pieces), tools=_tools(pieces))


def _pieces(source: str) -> Iterator[tuple[str, str]]:
    """Split into (`text`, …) and (`action`, …); `{{-` and `-}}` eat the whitespace next to them."""
    at, trimmed = 0, False
    for found in _ACTION.finditer(source):
        text, action = source[at : found.start()], found[1]
        text = text.lstrip() if trimmed else text
        yield "text", text.rstrip() if action.startswith("-") else text
        yield "action", action.strip("-").strip()
        at, trimmed = found.end(), action.endswith("-")
    yield "text", source[at:]


def _call_turn(pieces: Sequence[tuple[str, str]]) -> str:
    """Fill the first block about `.ToolCalls` that is entered when there are calls."""
    starts = (i for i, (kind, word) in enumerate(pieces) if kind == "action" and _OPENS_CALLS.match(word))
    start = next(starts, None)
    if start is None:
        return ""
    written, depth, skipping = [], 1, 0
    for kind, word in pieces[start + 1 :]:
        head = word.split(" ", 1)[0] if kind == "action" else ""
        depth += (head in _BLOCKS) - (head == "end")
        if depth == 0 or (head == "else" and depth == 1):
            break
        if head == "else":
            skipping = skipping or depth
        elif depth < skipping:
            skipping = 0
        elif not skipping:
            written.append(_filled(word) if kind == "action" else word)
    return "".join(written).strip()


def _filled(action: str) -> str:
    """Return what an action writes for the first probe call."""
    if action.startswith(_BLOCKS):
        return ""
    if re.search(r"\.Name\b", action):
        return str(CALLS[0]["name"])
    if re.search(r"\.Arguments\b", action):
        return json.dumps(CALLS[0]["arguments"])
    if re.fullmatch(r"(?:json\s+)?(?:\.|\.Function|\$\w+(?:\.Function)?)", action):
        return json.dumps(CALLS[0])
    return ""


def _thinking(pieces: Sequence[tuple[str, str]]) -> tuple[str, str] | None:
    """Return the texts just around `{{ .Thinking }}`, as far as they are tags."""
    for i, (kind, word) in enumerate(pieces):
        if kind == "action" and re.fullmatch(r"\$?[\w.]*\.Thinking", word):
            opened = re.search(r"([<\[][^<>\[\]\s]{1,40}[>\]])\s*\Z", pieces[i - 1][1][-200:])
            closed = re.match(r"\s*([<\[][^<>\[\]\s]{1,40}[>\]])", pieces[i + 1][1])
            return (opened[1], closed[1]) if opened and closed else None
    return None


def _tools(pieces: Sequence[tuple[str, str]]) -> str:
    """Say how definitions reach the prompt: by what is written inside the first loop over `.Tools`."""
    actions = [word for kind, word in pieces if kind == "action" and not word.startswith("/*")]
    about = [i for i, word in enumerate(actions) if re.search(r"\.Tools\b", word)]
    if not about:
        return "absent"
    inside = actions[about[-1] : about[-1] + 4]
    if any(re.search(r"\.Function\b", word) for word in inside):
        return "function" if any(re.fullmatch(r"(?:json\s+)?\$?\w*\.Function", word) for word in inside) else "text"
    return "openai"
