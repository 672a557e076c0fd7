"""What a live model is asked to find out what really works: one request each, with the calls that must come of it.

Requests are in the format of OpenAI's chat completions, which every engine of `servers` takes.
"""

from __future__ import annotations

from typing import Any

from utp_cli.protocol.records import Record, field

Message = dict[str, Any]
Call = dict[str, Any]


class Scenario(Record):
    """One thing to find out."""

    name: str
    says: str
    """What it shows when it works."""
    messages: tuple[Message, ...]
    calls: tuple[Call, ...] = ()
    """The calls `{name, arguments}` that are due, in any order; none: an answer in words."""
    answer: str = ""
    """What an answer in words must hold."""
    thinks: bool = False
    """The answer must show thinking, apart from its text."""
    more: dict[str, Any] = field(default_factory=dict)
    """Further members of the request."""


def _tool(name: str, description: str, **properties: dict[str, Any]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": [*properties]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS: list[dict[str, Any]] = [
    _tool(
        "get_temperature",
        "Measure the temperature in a city, now.",
        city={"type": "string", "description": "The city, as the user writes it."},
    ),
    _tool(
        "add_event",
        "Put an event into the calendar.",
        title={"type": "string", "description": "The title, word for word."},
        when={
            "type": "object",
            "description": "The date.",
            "properties": {"year": {"type": "integer"}, "month": {"type": "integer"}, "day": {"type": "integer"}},
            "required": ["year", "month", "day"],
        },
        guests={"type": "array", "description": "Names of the guests.", "items": {"type": "string"}},
    ),
    _tool("list_alarms", "List the alarms that are set."),
]


def _user(text: str) -> Message:
    return {"role": "user", "content": text}


def _call(name: str, **arguments: Any) -> Call:
    return {"name": name, "arguments": arguments}


_ASKED = "How warm is it in Oslo? Use the tool."
_OSLO = _call("get_temperature", city="Oslo")
_MEASURED = (
    _user(_ASKED),
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {
                "id": "call00001",
                "type": "function",
                "function": {"name": "get_temperature", "arguments": '{"city": "Oslo"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "call00001", "name": "get_temperature", "content": '{"celsius": 17}'},
)

SCENARIOS: tuple[Scenario, ...] = (
    Scenario(name="single", says="one call", messages=(_user(_ASKED),), calls=(_OSLO,)),
    Scenario(
        name="parallel",
        says="two calls in one answer",
        messages=(_user("How warm is it in Oslo and in Turku? Use the tool for both cities at once."),),
        calls=(_OSLO, _call("get_temperature", city="Turku")),
    ),
    Scenario(
        name="nested",
        says="nested and Unicode arguments",
        messages=(
            _user(
                'Put the event titled "Fête du blé ☀" on 3 May 2031 into the calendar, guests: Zoë and 李雷. '
                "Use the tool."
            ),
        ),
        calls=(
            _call(
                "add_event", title="Fête du blé ☀", when={"year": 2031, "month": 5, "day": 3}, guests=["Zoë", "李雷"]
            ),
        ),
    ),
    Scenario(
        name="no-arguments",
        says="a call without arguments",
        messages=(_user("Which alarms are set? Use the tool."),),
        calls=(_call("list_alarms"),),
    ),
    Scenario(
        name="no-call",
        says="no call where none is needed",
        messages=(_user("Say only the word: meadow"),),
        answer="meadow",
    ),
    Scenario(
        name="forced",
        says="tool_choice is obeyed",
        messages=(_user("Good morning! I live in Oslo."),),
        calls=(_OSLO,),
        more={"tool_choice": {"type": "function", "function": {"name": "get_temperature"}}},
    ),
    Scenario(
        name="result",
        says="a result is taken up",
        messages=_MEASURED,
        answer="17",
    ),
    Scenario(
        name="follow-up",
        says="a further call after a result",
        messages=(
            *_MEASURED,
            {"role": "assistant", "content": "It is 17 °C in Oslo."},
            _user("And in Turku? Use the tool again."),
        ),
        calls=(_call("get_temperature", city="Turku"),),
    ),
    Scenario(
        name="thinking",
        says="thinking stands apart from the text",
        messages=(_user("Think it over: is 91 a prime number? End with yes or no."),),
        answer="no",
        thinks=True,
    ),
)


def request_for(scenario: Scenario, model: str, *, stream: bool) -> dict[str, Any]:
    """Return the body of the request."""
    body = {"model": model, "messages": list(scenario.messages), "tools": TOOLS, "temperature": 0, "max_tokens": 2048}
    return {**body, **scenario.more, **({"stream": True} if stream else {})}
