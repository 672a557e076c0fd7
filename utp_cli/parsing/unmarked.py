"""Readings of a whole text that has no marker of a call in front: dialects that need none, or whose prompt held it.

All of them are tried only where no dialect was asked for and none showed itself; what each must leave is said here.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.dialects.spec import TOOL
from utp_cli.engine.plan import Plan
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.found import FoundCall
    from utp_cli.protocol.spans import Segment
    from utp_cli.protocol.tools import Tool

_NAMED_LINE = regex(r"^[ \t]*(\[?)[ \t]*([A-Za-z_][\w.-]{0,127})\(", re.MULTILINE)
"""A line that begins as a Python call, or as a list of them."""
_SEVERAL = 2
"""Lines with names of tools that no marker parts: those are GLM-4's."""
_NAME_LINE = regex(r"^[ \t]*([A-Za-z_][\w.-]{0,127}) ?\r?\n\s*\{", re.MULTILINE)
"""A line with a word, and JSON behind it."""
_ELEMENT = regex(r"(?:^[ \t]*|[:.!?] )<([A-Za-z_][\w.-]{0,127})>(?=\s*</?[A-Za-z_])", re.MULTILINE)
"""An element on a line of its own, or behind a sentence, which begins with a tag or ends at once."""
CUT = regex(r"[^<\[\s]{1,40}[>\]=]")
"""How a text may begin of which a server has cut the beginning off."""
_NAME = regex(r"[A-Za-z_][\w./-]{0,127}")
_SIGNS = (">", "]", "=")
"""How markers end that no prose holds."""
_FEWEST = 2
"""Characters less than any end of a marker that is taken for one."""
_FIRST_LINE = regex(r"([^\s{}()]{1,128})\n")


class Reading(Record):
    """One way to read a text."""

    plan: Plan
    accepts: Callable[[list[FoundCall], list[Segment]], bool]
    """Whether the reading is kept, by the calls that it found and the stretches of text that are left over."""
    prompt: str = ""
    """What the prompt is taken to have ended in."""


def _nothing_over(_found: list[FoundCall], over: list[Segment]) -> bool:
    return not over


def _words_lead_to_calls(found: list[FoundCall], over: list[Segment]) -> bool:
    made = all(one.standing == "made" and not one.quoted for one in found)
    return made and all(segment.span[1] <= found[-1].start for segment in over)


def _nothing_but_calls(found: list[FoundCall], _over: list[Segment]) -> bool:
    return bool(found) and all(one.call.name for one in found)


def _begins_with_markup(_found: list[FoundCall], over: list[Segment]) -> bool:
    return not over or over[0].span[0] > 0


def cut_readings(text: str) -> Iterator[Reading]:
    """Yield the readings of an answer that begins with the end of a call's opening marker, as servers cut it.

    The marker of which the least is missing comes first.
    """
    begun = _ends_of_openers().match(text)
    found = _opener_ends()[begun[0]] if begun else {}
    for dialect, missing in sorted(found.items(), key=lambda item: len(item[1])):
        yield Reading(plan=_led_by(DIALECTS[dialect]), accepts=_calls_at_once, prompt=missing)


def _calls_at_once(found: list[FoundCall], over: list[Segment]) -> bool:
    calls = [one.call for one in found if one.closed or one.call.arguments]
    sound = all(not call.reason and _NAME.fullmatch(call.name or "") for call in calls)
    values = [value for one in found if not one.closed for value in one.call.arguments.values()]
    sound = sound and not any("</" in value for value in values if isinstance(value, str))  # another dialect's end
    return bool(calls) and sound and len(calls) == len(found) and _begins_with_markup(found, over)


@cache
def _opener_ends() -> dict[str, dict[str, str]]:
    """Return the ends of all opening markers that tell which they are: by dialect, what is missing of each."""
    ends: dict[str, dict[str, str]] = {}
    for dialect in DIALECTS:
        for opener in () if dialect.by_name else dialect.markers:
            for at in range(1, len(opener) - _FEWEST) if opener[-1] in _SIGNS else ():
                known = ends.setdefault(opener[at:], {})
                if opener[:at] not in known.values():
                    known[dialect.name] = opener[:at]
    whole = {opener for dialect in DIALECTS for opener in dialect.markers}
    return {end: found for end, found in ends.items() if end not in whole and any(map(str.isalpha, end))}


@cache
def _ends_of_openers() -> re.Pattern[str]:
    return re.compile("|".join(re.escape(end) for end in sorted(_opener_ends(), key=len, reverse=True)))


def readings(text: str, tools: Mapping[str, Tool] | None) -> Iterator[Reading]:
    """Yield the readings of a text, the whole answer or that after thinking, most likely first."""
    for dialect, form in _without_markers():
        if form.match(text):
            yield Reading(plan=_led_by(dialect), accepts=_nothing_over)
    if not tools:
        return
    if lines := _names_in(_NAME_LINE, text, tools):
        yield Reading(plan=_led_by(with_names(DIALECTS["glm4"], lines)), accepts=_words_lead_to_calls)
    if reading := element_reading(text, tools):
        yield reading
    if "(" not in text:
        return
    begun = next((line for line in _NAMED_LINE.finditer(text) if line[2] in tools), None)
    if begun:
        dialect = DIALECTS["pythonic"] if begun[1] else with_names(DIALECTS["granite_pythonic"], tools)
        yield Reading(plan=_led_by(dialect), accepts=_words_lead_to_calls)


def element_reading(text: str, tools: Mapping[str, Tool], before: int | None = None) -> Reading | None:
    """Return the reading of a text with elements named as known tools, the first of them `before` a place and in no
    fence there.
    """
    names = _names_in(_ELEMENT, text, tools)
    if not names or (before is not None and (min(names.values()) > before or "```" in text[:before])):
        return None
    return Reading(plan=_led_by(with_names(DIALECTS["tool_elements"], names)), accepts=_nothing_but_calls)


def _names_in(pattern: re.Pattern[str], text: str, tools: Mapping[str, Tool]) -> dict[str, int]:
    """Return the names of known tools that a pattern finds, with the place of the first of each."""
    found = [(each[1], each.start()) for each in pattern.finditer(text) if each[1] in tools]
    return dict(reversed(found))


def tail_reading(text: str, tools: Mapping[str, Tool] | None) -> Reading | None:
    """Return the reading of an answer that begins behind its prompt's fixed tail: with a tool's name, or with what
    stands there in place of one.
    """
    first = _FIRST_LINE.match(text)
    for dialect in _with_tails() if first else ():
        tail = dialect.prompt_tail
        others = tuple(token.removeprefix(tail) for token in dialect.dropped if token.startswith(tail))
        several = tail not in text and len(_names_in(_NAME_LINE, text, tools or {})) >= _SEVERAL
        begins_with_name = tools and first and first[1] in tools and not several
        if begins_with_name or (text.startswith(others) and tail in text):
            return Reading(plan=_led_by(dialect), accepts=_begins_with_markup, prompt=tail)
    return None


def with_names(dialect: Dialect, tools: Iterable[str] | None) -> Dialect:
    """Tell a dialect whose calls begin with a tool's name what the names are: that becomes a dialect of one's own."""
    names = tuple(tools or ())

    def named(markers: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(marker.replace(TOOL, name) for marker in markers for name in names)

    told = replace(dialect, call_open=named(dialect.call_open), call_close=named(dialect.call_close))
    return replace(told, body=replace(told.body, bare=named(told.body.bare))) if told.body.bare else told


@cache
def _without_markers() -> list[tuple[Dialect, re.Pattern[str]]]:
    """Return the dialects that need none where the whole answer is their payload, and how that begins."""
    return [(dialect, re.compile(dialect.body.bare_form)) for dialect in DIALECTS if dialect.body.bare_form]


@cache
def _with_tails() -> list[Dialect]:
    return [dialect for dialect in DIALECTS if dialect.prompt_tail]


@lru_cache(maxsize=32)
def _led_by(dialect: Dialect) -> Plan:
    return Plan(
        [dialect, *(each for each in DIALECTS if each.name != dialect.name and not each.by_name)], [dialect.name]
    )
