"""Which dialect a text is in, where the calls in it are known beforehand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from utp_cli.detection.probe import NAMES, RICH_SCHEMA
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.engine.grammars import write_calls
from utp_cli.engine.machine import Engine
from utp_cli.engine.plan import Plan
from utp_cli.protocol.records import Record
from utp_cli.protocol.tools import Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.dialects.spec import Dialect

_LONGEST = 5_000
"""Characters of a turn that are read; a template needs a few hundred."""

SIGNS: dict[str, str] = {
    "glm47": r"<tool_call>[\w.-]+<arg_key>",
    "spark25": r"<\|Bot\|>",
    "ling3": r"<role>",
    "poolside_v1": r"<assistant>",
    "step3p5": r"</tool_call><tool_call>",
    "cohere_command4": r"<\|START_TEXT\|>",
    "firefunction": r"<\|start_header_id\|>",
    "muse": r"<\|start\|>assistant to=",
    "hunyuan_a13b": r"<\|extra_\d\|>",
    "apriel": r"\[BEGIN FINAL RESPONSE\]|<\|begin_assistant\|>",
}
"""What tells siblings apart that read the same calls: whitespace, tokens around the turn. A later one counts more."""

_TOOLS = {name: Tool(name=name, parameters=RICH_SCHEMA) for name in NAMES}


class TemplateTurn(Record):
    """A turn of an assistant as a template writes it."""

    text: str
    calls: list[dict[str, Any]]
    """What it says: `{name, arguments}`."""
    prompt: str = ""
    """What stands open before it: the end of the prompt."""
    frame: str = ""
    """What stands around any answer: header and end of turn."""


def _as_text(calls: list[dict[str, Any]]) -> Any:
    return [(call["name"], {key: str(value) for key, value in (call["arguments"] or {}).items()}) for call in calls]


def _names(calls: list[dict[str, Any]]) -> Any:
    return [call["name"] for call in calls]


def dialects_meant(turns: Sequence[TemplateTurn], bare: TemplateTurn, around: str = "") -> tuple[str, ...]:
    """Return the dialects of turns whose arguments nobody can read back: typed values quoted, or quotes left out.

    The values must come back as text; or the names, and `bare`, a call without arguments, exactly.
    """
    alike = dialects_that_read([bare], around)
    return dialects_that_read(turns, around, _as_text) or tuple(
        name for name in dialects_that_read(turns, around, _names) if name in alike
    )


def dialects_that_read(
    turns: Sequence[TemplateTurn], around: str = "", told: Callable[[list[dict[str, Any]]], Any] = list
) -> tuple[str, ...]:
    """Return the dialects that read the calls of the first turn, the nearest first; `told` is what must be equal.

    Nearest: most turns read, then fewest repairs, then those whose sign is there (also in `around`), then those
    that would write the call just so, then those with more tokens of their own in the turn, then the order of the
    catalogue.
    """
    seen = "\n".join([around, *(turn.text for turn in turns)])
    signs = [name for name, sign in SIGNS.items() if re.search(sign, seen)]
    ranked = []
    for place, dialect in enumerate(DIALECTS):
        repairs = _repairs(dialect, turns[0], told)
        if repairs is not None:
            text = turns[0].text
            own = sum(token in text for token in (*dialect.dropped, *dialect.markers, *dialect.call_close))
            written = write_calls(dialect, turns[0].calls).strip() in text
            sign = -signs.index(dialect.name) if dialect.name in signs else 1
            ranked.append((-turns_read(dialect, turns), repairs, sign, not written, -own, place, dialect.name))
    return tuple(name for *_, name in sorted(ranked))


def turns_read(dialect: Dialect, turns: Sequence[TemplateTurn]) -> int:
    """Return how many turns the dialect reads right; none where the first is not among them."""
    if _repairs(dialect, turns[0]) is None:
        return 0
    return 1 + sum(_repairs(dialect, turn) is not None for turn in turns[1:])


def examples_read(dialect: Dialect, text: str) -> tuple[int, int]:
    """Return how many calls of a text the dialect reads, and of how many more it reads a name."""
    engine = Engine(Plan([dialect], asked=(dialect.name,)))
    engine.feed(text[:_LONGEST])
    engine.close()
    named = [found.call for found in engine.found if found.call.name]
    whole = sum(not call.reason and call.lack == "nothing" for call in named)
    return whole, len(named) - whole


def _repairs(dialect: Dialect, turn: TemplateTurn, told: Callable[[list[dict[str, Any]]], Any] = list) -> int | None:
    """Return how many repairs the dialect needs to read the calls; None where it does not.

    A dialect without a marker of its own in the turn must have read all of it: other markup would be left over.
    """
    inner = [other for other in DIALECTS if dialect.body.body_markup and other.body.call == dialect.body.call]
    engine = Engine(Plan(inner or [dialect], asked=(dialect.name,)), tools=_TOOLS, prompt=turn.prompt)
    engine.feed(turn.text[:_LONGEST])
    engine.close()
    calls = [{"name": found.call.name, "arguments": found.call.arguments} for found in engine.found]
    if told(calls) != told(turn.calls):
        return None
    if not any(marker in turn.text for marker in dialect.markers):
        outside = turn.text[: engine.found[0].start - engine.skip] + turn.text[engine.found[-1].end - engine.skip :]
        left = [part for part in outside.split() if part not in turn.frame]
        if left and not turn.prompt.endswith(dialect.markers or " "):
            return None
    return sum(len(found.call.repairs) for found in engine.found)
