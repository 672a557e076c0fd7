"""Which dialect a text is in, where the call in it is known beforehand; and a new one where none fits."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from utp_cli.detection.probe import CALLS, NAMES, SCHEMA
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.dialects.own import dialect_from_table
from utp_cli.engine.grammars import GRAMMARS
from utp_cli.engine.machine import Engine
from utp_cli.engine.plan import Plan
from utp_cli.protocol.errors import BadOption
from utp_cli.protocol.tools import Tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.dialects.spec import Dialect

_LONGEST = 5_000
"""Characters of a turn that are read; a template needs a few hundred."""

_TOOLS = {name: Tool(name=name, parameters=SCHEMA) for name in NAMES}


def dialects_that_read(turn: str, prompt: str = "") -> tuple[str, ...]:
    """Return the dialects that read exactly the first probe call out of a turn, the nearest first.

    Nearest: fewest repairs, then those that would write the call just so, then those with more tokens of
    their own in the turn, then the order of the catalogue.
    """
    ranked = []
    for place, dialect in enumerate(DIALECTS):
        repairs = _read(dialect, turn, prompt)
        if repairs is not None:
            own = sum(token in turn for token in (*dialect.dropped, *dialect.markers, *dialect.call_close))
            ranked.append((repairs, not _writes(dialect, turn), -own, place, dialect.name))
    return tuple(name for *_, name in sorted(ranked))


def _read(dialect: Dialect, turn: str, prompt: str) -> int | None:
    """Return how many repairs the dialect needs to read the call; None where it does not."""
    engine = Engine(Plan([dialect], asked=(dialect.name,)), tools=_TOOLS, prompt=prompt)
    engine.feed(turn[:_LONGEST])
    engine.close()
    calls = [{"name": found.call.name, "arguments": found.call.arguments} for found in engine.found]
    return sum(len(found.call.repairs) for found in engine.found) if calls == CALLS[:1] else None


def _writes(dialect: Dialect, turn: str) -> bool:
    return GRAMMARS[dialect.family].write(dialect, CALLS[:1]).strip() in turn


def derive(turn: str, text_turn: str) -> dict[str, Any] | None:
    """Make a `[dialects.NAME]` table that reads the turn; None where no grammar with new markers would.

    `text_turn` is the same turn with plain text in place of the call: what both share is no markup.
    """
    for table in _tables(_without_frame(turn, text_turn)):
        try:
            dialect = dialect_from_table("derived", table)
        except BadOption:
            continue
        if _read(dialect, turn, "") is not None:
            return table
    return None


def _without_frame(turn: str, text_turn: str) -> str:
    """Cut off what stands around any answer: header in front, end of turn behind."""
    ends = re.search(r"\A(.*?)answer of the probe(.*)\Z", text_turn, re.DOTALL)
    if ends is None:
        return turn.strip()
    return turn.strip().removeprefix(ends[1].strip()).removesuffix(ends[2].strip()).strip()


def _tables(markup: str) -> Iterator[dict[str, Any]]:
    """Propose dialects: JSON that holds the name, then a header with the name before JSON, then tags."""
    decoder = json.JSONDecoder()
    for start in (place.start() for place in re.finditer(r"[\[{]", markup[:4000])):
        try:
            value, end = decoder.raw_decode(markup, start)
        except (ValueError, RecursionError):
            continue
        before, after = markup[:start], markup[end:].strip()
        call = value[0] if isinstance(value, list) and value else value
        if isinstance(call, dict) and NAMES[0] in call.values():
            keys = {"name_keys": _keys(call, str), "argument_keys": _keys(call, dict)}
            family = "tagged_json_list" if isinstance(value, list) else "tagged_json_object"
            yield {"family": family, "call_open": [before.strip()], "call_close": [after], **keys}
        elif call == CALLS[0]["arguments"] and NAMES[0] in before:
            opening, _, separator = before.partition(NAMES[0])
            closing = {"call_close": [after]} if after else {}
            header = ["{name}" + separator]
            yield {"family": "header_json", "call_open": [opening.strip()], "header": header, **closing}
    yield from _tag_tables(markup)


def _keys(call: dict[str, Any], kind: type) -> list[str]:
    """Return the keys that hold the name (text) or the arguments (an object)."""
    wanted = NAMES[0] if kind is str else CALLS[0]["arguments"]
    return [key for key, value in call.items() if value == wanted]


_TAGS = re.compile(
    rf"""(?P<before>.*?)
    <(?P<call>[\w:.-]+)(?P<slot>[=\s][^<>]*?)(?P<quote>["']?){NAMES[0]}(?P=quote)(?P<end>\s*/?>)\s*
    <(?P<arg>[\w:.-]+)(?P<arg_slot>[=\s][^<>]*?)(?P<arg_quote>["']?)reedbed(?P=arg_quote)(?P<arg_end>[^<>]*>)
    .*(?P<after></(?P=call)>.*)""",
    re.VERBOSE | re.DOTALL,
)


def _tag_tables(markup: str) -> Iterator[dict[str, Any]]:
    """Propose tags: `<call=NAME><arg=KEY>value</arg></call>` or the same with attributes."""
    found = _TAGS.fullmatch(markup[:4000])
    if found is None:
        return

    def tag(kind: str, slot: str) -> dict[str, str]:
        attribute = found[slot].strip().rstrip("=").strip()
        return {"open": f"<{found[kind]}", "slot": attribute or "=", "close": f"</{found[kind]}>"}

    call, argument = tag("call", "slot"), tag("arg", "arg_slot")
    before, after = found["before"].strip(), found["after"].removeprefix(f"</{found['call']}>").strip()
    section = {"section_open": [before], "section_close": [after]} if before else {}
    wrapped = {"call_open": [before], "call_close": [after]} if before else {"call_open": [call["open"]]}
    families = ("xml_function_eq", "xml_invoke") if call["slot"] == "=" else ("xml_invoke", "xml_function_eq")
    for family in families:
        for around in (wrapped, {**section, "call_open": [call["open"]]}):
            yield {"family": family, "call": call, "argument": argument, "trim": "line", **around}
