"""Texts that are the arguments of a call and nothing else: the server, or the model, left out whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.diagnosis import fixes
from utp_cli.diagnosis.announcements import planned_in
from utp_cli.diagnosis.models import dialect_of
from utp_cli.diagnosis.observation import Observation
from utp_cli.protocol.numbers import loads_or_none
from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import dict_of, dicts_of, list_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.subject import Answer
    from utp_cli.protocol.tools import Tool

_FENCED = regex(r"\s*```(?:json)?[ \t]*\n(?P<inner>[^`]{1,20000})```\s*\Z")
_JSON = regex(r"(?i:\bjson\b)")
"""How messages ask for JSON."""
_LONGEST = 20_000
"""Characters of a text that is looked at."""
_OUTPUT = ("response_format", "format", "text", "output_format", "output_config", "structured_outputs", "guided_json")
"""Fields of a request that ask for JSON as the answer."""


def arguments_said(answer: Answer) -> Iterator[Observation]:
    """Find a text that is the arguments of one known tool; or of the tool that the thinking before it names.

    Proof is that all keys are the tool's, the ones that it requires among them, and those of no other tool. No text
    is meant where the request asks for JSON.
    """
    asked = answer.request
    if answer.call_views or asked.get("tool_choice") == "none" or any(asked.get(key) for key in _OUTPUT):
        return
    said = [text for _, one in dicts_of(asked.get("messages")) if (text := text_of(one.get("content"))[:_LONGEST])]
    for passage in answer.bare:
        fenced = _FENCED.match(passage.text)
        value = loads_or_none(fenced["inner"] if fenced else passage.text)
        if not isinstance(value, dict) or not value:
            continue
        fitting = [name for name, tool in answer.known.items() if _fits(value, tool)]
        planned = planned_in(answer)
        name = (
            fitting[0]
            if len(fitting) == 1
            else planned
            if planned and (not answer.known or planned in fitting)
            else None
        )
        if name is None:
            continue
        sure = answer.known and not any(_JSON.search(text) or all(f'"{key}"' in text for key in value) for text in said)
        yield Observation(
            severity="warning" if sure else "info",
            confidence="medium" if sure else "low",
            message=f"the text is the arguments of a call of {name}, and names no tool",
            evidence=passage.text,
            pointer=passage.pointer,
            fix=fixes.tool_parser(answer, dialect_of(answer.model)),
            tool=name,
        )
        return


def _fits(value: dict[str, Any], tool: Tool) -> bool:
    schema = dict_of(tool.parameters)
    properties, required = dict_of(schema.get("properties")), list_of(schema.get("required"))
    return bool(properties) and value.keys() <= properties.keys() and all(key in value for key in required)
