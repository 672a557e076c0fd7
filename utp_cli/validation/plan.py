"""Whether a tool only reads or also writes, and which calls may therefore run side by side.

MCP's annotations come first, then the verb of the name, then the verbs of the description's first sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from utp_cli.protocol.patterns import regex
from utp_cli.validation.verbs import DESTRUCTIVE, READ, WRITE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.protocol.calls import ToolCall
    from utp_cli.protocol.tools import Tool

Effect = Literal["read", "write"]

_CHANGES: Final = WRITE | DESTRUCTIVE
_NAMESPACE: Final = regex(r"__|[./:]")
_RISE: Final = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD: Final = regex(r"[^\W_]+")
_SENTENCE: Final = regex(r"[^.!?\n]{0,400}")


def words(text: str) -> list[str]:
    """Return the words, lower case: `words("getUserId_v2")` is `["get", "user", "id", "v2"]`."""
    return _WORD.findall(_RISE.sub(" ", text).lower())


def effect_of(name: str, tool: Tool | None) -> Effect:
    """Say whether a call reads or writes. What nobody can tell counts as writing."""
    hints = tool.annotations if tool else {}
    if isinstance(hints.get("readOnlyHint"), bool):
        return "read" if hints["readOnlyHint"] else "write"
    if hints.get("destructiveHint") is True:
        return "write"
    sentence = _SENTENCE.match(tool.description.strip()) if tool else None
    for said in (words(_NAMESPACE.split(name)[-1]), words(sentence[0]) if sentence else []):
        verbs = [_base(word) for word in said]
        if verbs and verbs[0] in READ:
            return "read"
        if not _CHANGES.isdisjoint(verbs):
            return "write"
        if not READ.isdisjoint(verbs):
            return "read"
    return "write"


def _base(word: str) -> str:
    """`creates` → `create`, `fetches` → `fetch`; other words as they are."""
    known = READ | _CHANGES
    return next((each for each in (word, word[:-1], word[:-2]) if each in known and word.startswith(each)), word)


def parallel_plan(calls: Sequence[ToolCall], tools: Mapping[str, Tool]) -> list[list[int]]:
    """Return batches of indexes into the calls: one batch after the other, the calls of one side by side.

    Reads that stand together are one batch; a write stands alone, so that order holds around it.
    """
    plan: list[list[int]] = []
    reading = False
    for index, call in enumerate(calls):
        reads = effect_of(call.name, tools.get(call.name)) == "read"
        if reads and reading:
            plan[-1].append(index)
        else:
            plan.append([index])
        reading = reads
    return plan
