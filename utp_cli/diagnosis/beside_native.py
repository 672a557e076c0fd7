"""Calls in the text beside structured ones: the parser let go of a part, or people see a call written that is run."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis import fixes
from utp_cli.diagnosis.observation import Observation
from utp_cli.diagnosis.subject import compact
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.protocol.numbers import loads_or_none
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.call_view import CallView
    from utp_cli.diagnosis.subject import Answer

_FENCED = regex(r"```\w*\s*(\{.*\})\s*```", re.DOTALL)
_CALL_KEYS = frozenset({"name", "arguments", "parameters", "id", "type"})
_BLANK = regex(r"[\s,;]*")
_DECODER = json.JSONDecoder()
_REST = regex(r"\s*,\s*\{\s*\"name\"\s*:\s*\"[^\"\n]{1,128}\"\s*,\s*\"(?:arguments|parameters)\"")
"""How the rest of a list of calls begins, behind the first of them."""
_WHOLE_LIST = (
    "ask with `stream: false`: the parser of whole answers reads all calls; or one call a turn "
    "(`parallel_tool_calls: false`); update the server"
)
_AGAIN = "the text says the structured call again: people see it written"
_HOLDS_BACK = "the call is run: drop the text that says it again; update the server: a newer one"
_JSON = ("{", "[", "`", ",")
"""How a text begins that may be JSON."""
_FEWEST = 2
"""Values of a call that nobody says line by line."""
_LONGEST = 20_000
"""Characters of a text that is compared with the values of calls."""
_ALL = "send `parallel_tool_calls: true`: without it llama-server reads one call of an answer"
_ONE_A_TURN = "one call a turn (`parallel_tool_calls: false`), or a newer server; the call can be read out of the text"
_BEGINS = regex(r"(?:^|\n)[ \t]*\Z|[.!:>] ?\Z")
"""What stands in front of a call that is made: a line's beginning, or the end of a sentence."""
_LINE, _ENDS = regex(r"(?:\A|\n)[ \t]*\Z"), regex(r"\s*(?:\Z|\n|<)")
"""What stands before and behind a call that has its lines to itself."""
_TURN = regex(r"(?:/(?:messages|contents|input))?/(\d{1,7})/")
"""How a pointer into a conversation begins."""


def calls_behind(answer: Answer) -> list[CallView]:
    """Return the calls, on lines of their own, in the text of a conversation behind its last structured call."""
    turns = [int(turn[1]) for call in answer.native if (turn := _TURN.match(call.pointer))]
    last = max(turns, default=0)
    found = [call for call in answer.in_text if turns and (turn := _TURN.match(call.pointer)) and int(turn[1]) > last]
    texts = answer.result.texts
    return [call for call in found if call.span and _BEGINS.search(texts.get(call.pointer, ""), 0, call.span[0])]


def said_again(answer: Answer) -> Iterator[Observation]:
    """Find the first call in a text beside structured ones: one of them again, or a further one."""
    yield from islice((*_marked(answer), *_bare(answer), *_values(answer)), 1)


def _marked(answer: Answer) -> Iterator[Observation]:
    """Find calls in markup: structured ones again, which the ladder drops, and others, on lines of their own."""
    texts, others = answer.result.texts, {call.pointer for call in answer.call_views}
    seen = {one.pointer for one in answer.bare if one.holds_call or one.text.lstrip()[:1] in _JSON} - others
    for again in (part for part in answer.result.segments if part.kind == "call" and part.pointer in seen):
        written = texts[again.pointer][slice(*again.span)]
        yield Observation(
            severity="info",
            confidence="low",
            message=_AGAIN,
            evidence=written,
            pointer=again.pointer,
            span=again.span,
            fix=_held_back(answer),
        )
    for call in answer.in_text:
        text = texts.get(call.pointer, "")
        alone = call.span and _LINE.search(text, 0, call.span[0]) and _ENDS.match(text, call.span[1])
        if alone and call.parser in DIALECTS:
            yield Observation(
                message=f"a further call, of {call.name}, stands in the text: the parser let go of it",
                evidence=answer.written(call),
                pointer=call.pointer,
                span=call.span,
                fix=_advice(answer),
                tool=call.name,
            )


def _advice(answer: Answer) -> str:
    """Say what helps against a parser that read one call of several."""
    if fixes.engine_of(answer) == "llama.cpp":
        return _ALL
    return _WHOLE_LIST if answer.result.stream else _ONE_A_TURN


def _bare(answer: Answer) -> Iterator[Observation]:
    """Find texts that are nothing but the JSON of structured calls, or the rest of their list."""
    names = {call.name for call in answer.native}
    for passage in answer.bare:
        if _REST.match(passage.text):
            yield Observation(
                message="a further call stands in the text: the parser let go of the list behind the first",
                evidence=passage.text,
                pointer=passage.pointer,
                fix=_WHOLE_LIST,
            )
            return
        said = named_alone(passage.text)
        if any(call.arguments and _is(passage.text, call.arguments) for call in answer.native):
            yield Observation(
                message="the arguments of the structured call stand in the text as well: people see them written",
                evidence=passage.text,
                pointer=passage.pointer,
                severity="warning",
                fix=_held_back(answer),
            )
            return
        if said and said <= names:
            yield Observation(
                message=_AGAIN,
                evidence=passage.text,
                pointer=passage.pointer,
                severity="warning",
                fix=_held_back(answer),
            )
            return


def _values(answer: Answer) -> Iterator[Observation]:
    """Find a text that is nothing but the values of a structured call, line by line: its markup was taken off."""
    for passage in answer.bare:
        lines = [line.strip() for line in passage.text[:_LONGEST].splitlines() if line.strip()]
        if len(lines) < _FEWEST or passage.holds_call or len(passage.text) > _LONGEST:
            continue
        for call in answer.native:
            if len(call.arguments) >= _FEWEST and lines == _lines_of(call):
                sure = len(call.arguments) > _FEWEST  # a title and a text, a model may write before it saves them
                yield Observation(
                    severity="warning" if sure else "info",
                    confidence="high" if sure else "low",
                    message=f"the text is nothing but the values of the call of {call.name}: people see them written",
                    evidence=passage.text,
                    pointer=passage.pointer,
                    fix=_held_back(answer),
                    tool=call.name,
                )
                return


def _lines_of(call: CallView) -> list[str]:
    """Return the values of a call as lines of text, in their order."""
    texts = (value if isinstance(value, str) else compact(value) for value in call.arguments.values())
    return [line.strip() for text in texts for line in text.splitlines() if line.strip()]


def _held_back(answer: Answer) -> str:
    """Say what keeps the text of a call that is run from people."""
    return _HOLDS_BACK + (", or `stream: false`," if answer.result.stream else "") + " holds it back"


def _is(text: str, arguments: dict[str, Any]) -> bool:
    """Whether a text is the JSON of arguments, and nothing else."""
    return text.lstrip()[:1] == "{" and len(text) <= _LONGEST and loads_or_none(text) == arguments


def named_alone(text: str) -> set[str]:
    """Return the names of the calls where a text is objects with a name and arguments, alone or in a fence."""
    names: set[str] = set()
    text = text.strip()
    fenced = _FENCED.fullmatch(text)
    rest = fenced[1] if fenced else text
    at = 0
    while at < len(rest):
        try:
            value, at = _DECODER.raw_decode(rest, at)
        except (ValueError, RecursionError):
            return set()
        named = isinstance(value, dict) and isinstance(value.get("name"), str) and value.keys() <= _CALL_KEYS
        if not (named and any(isinstance(value.get(key), dict) for key in ("arguments", "parameters"))):
            return set()
        names.add(value["name"])
        at = _BLANK.match(rest, at).end()  # type: ignore[union-attr]  # it matches nothing, too
    return names
