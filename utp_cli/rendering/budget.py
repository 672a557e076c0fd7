"""Tools made to fit a small context window: the relevant ones first, descriptions cut short, the rest left out."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from utp_cli.rendering.tokens import estimate
from utp_cli.rendering.values import compact, plain, worded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from utp_cli.protocol.tools import Tool

SMALL_WINDOW = 32_768
"""Tokens; a window as large as this has room for tools, and nothing is cut."""
SHARE = 0.2
"""Of a smaller window, for the definitions of tools."""
LENGTHS = (400, 160, 80)
"""Characters that descriptions are cut to: the first that makes the tools fit. Tools are left out only where the
last does not."""

_WORD = re.compile(r"[a-z0-9]+")
_FIELDS = ((3, "name"), (1, "description"))
"""What a word counts, by where it stands."""
_FILLERS = frozenset({"a", "an", "and", "for", "from", "in", "is", "it", "of", "on", "or", "the", "to", "with"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedTools:
    """Tools that fit, and what that took."""

    tools: tuple[Tool, ...]
    """In the order they were given."""
    dropped: tuple[str, ...]
    """Names of the tools left out."""
    shortened: tuple[str, ...]
    """Names of the tools whose descriptions were cut."""
    tokens: int
    """Estimated, of the definitions that are left."""
    limit: int | None
    """Tokens for definitions; None: no limit."""


def fit(
    tools: Sequence[Tool], context_window: int | None, task: str = "", count: Callable[[str], int] = estimate
) -> FittedTools:
    """Choose and shorten tools for a context window of so many tokens; None is a large one.

    `task`: what the user wants, in words; tools that share words with it are kept first. `count`: tokens of a text.
    """
    limit = int(context_window * SHARE) if context_window is not None and context_window < SMALL_WINDOW else None
    versions = [list(tools), *([shortened(tool, length) for tool in tools] for length in LENGTHS)]
    kept = _kept(tools, versions[-1], limit, task, count)
    left = list(tools)
    for version in versions:
        left = [tool for index, tool in enumerate(version) if index in kept]
        if limit is None or _cost(left, count) <= limit:
            break
    given = {tool.name: tool for tool in tools}
    return FittedTools(
        tools=tuple(left),
        dropped=tuple(tool.name for index, tool in enumerate(tools) if index not in kept),
        shortened=tuple(tool.name for tool in left if tool != given[tool.name]),
        tokens=_cost(left, count),
        limit=limit,
    )


def _kept(
    tools: Sequence[Tool], short: Sequence[Tool], limit: int | None, task: str, count: Callable[[str], int]
) -> set[int]:
    """Return the places of the tools that fit, at their shortest: the most relevant first."""
    weights = _weights(tools)
    kept: set[int] = set()
    left = float("inf") if limit is None else limit
    for index in sorted(range(len(tools)), key=lambda index: -relevance(tools[index], task, weights)):
        cost = _cost([short[index]], count)
        if cost <= left:
            kept.add(index)
            left -= cost
    return kept


def relevance(tool: Tool, task: str, weights: Mapping[str, float] | None = None) -> float:
    """Return how much a tool has to do with a task: words in common, those of its name three times.

    `weights`: what a word counts, 1 where it is not in it.
    """
    wanted, known = _words(task), weights or {}
    common = ((factor, wanted & _words(getattr(tool, field))) for factor, field in _FIELDS)
    return sum(factor * sum(known.get(word, 1.0) for word in sorted(words)) for factor, words in common)


def _weights(tools: Sequence[Tool]) -> dict[str, float]:
    """Return what each word counts: less, the more tools have it."""
    spread = Counter(word for tool in tools for word in _words(f"{tool.name} {tool.description}"))
    return {word: 1 / many for word, many in spread.items()}


def shortened(tool: Tool, length: int) -> Tool:
    """Return the tool with every description cut to so many characters."""
    parameters = _shortened(plain(tool.parameters), length)
    return replace(tool, description=worded(tool.description, length), parameters=parameters)


def _shortened(value: Any, length: int) -> Any:
    """Cut the descriptions in a copy of a schema; a property may be called `description`, its schema is no text."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            said = node.get("description")
            if isinstance(said, str):
                node["description"] = worded(said, length)
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
    return value


def _cost(tools: Sequence[Tool], count: Callable[[str], int]) -> int:
    return sum(count(f"{tool.name} {tool.description} {compact(tool.parameters)}") for tool in tools)


def _words(text: str) -> set[str]:
    """Return the words of a text in lower case, without plural s; those in a name too."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower()
    return {word.removesuffix("s") if len(word) > 3 else word for word in _WORD.findall(apart)} - _FILLERS
