"""What an answer to a scenario of the probe is worth, and what a client sees of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli import parse
from utp_cli.detection.outcomes import Heard, ScenarioOutcome, ScenarioResult, Seen, as_seen, judged, plain_view
from utp_cli.detection.scenarios import SCENARIOS, TOOLS

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
OSLO = ("get_temperature", {"city": "Oslo"})
TURKU = ("get_temperature", {"city": "Turku"})
HERMES = '<tool_call>\n{"name": "get_temperature", "arguments": {"city": "Oslo"}}\n</tool_call>'


def answer(*calls: tuple[str, Any], content: str = "", ids: tuple[str, ...] = (), finish: str = "") -> Any:
    """A whole answer of OpenAI's chat format; ids follow one another where none are given."""
    written = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for (name, arguments), call_id in zip(calls, ids or [f"call_{n}" for n in range(len(calls))], strict=True)
    ]
    message = {"role": "assistant", "content": content, **({"tool_calls": written} if written else {})}
    reason = finish or ("tool_calls" if written else "stop")
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": reason}]}


JUDGED: list[tuple[str, Any, str, str, str]] = [
    # scenario, answer, verdict, what read it where the server had not, what is wrong
    ("single", answer(OSLO), "works", "", ""),
    ("single", answer(content=HERMES), "repaired", "hermes", ""),
    ("single", answer(), "fails", "", "no call of get_temperature"),
    ("single", answer(TURKU), "fails", "", "get_temperature: other arguments than asked (city)"),
    ("single", answer(("get_temperature", {"city": "Oslo", "unit": "C"})), "fails", "", "get_temperature: other arguments than asked (unit)"),
    ("single", answer(("list_alarms", {})), "fails", "", "an unasked call of list_alarms"),
    ("single", answer(OSLO, OSLO), "fails", "", "an unasked call of get_temperature"),
    ("parallel", answer(TURKU, OSLO), "works", "", ""),  # the order is the model's
    ("parallel", answer(TURKU), "fails", "", "no call of get_temperature"),
    ("no-call", answer(content="Meadow."), "works", "", ""),
    ("no-call", answer(content="Forest."), "fails", "", "the answer lacks 'meadow'"),
    ("no-call", answer(OSLO, content="Meadow."), "fails", "", "an unasked call of get_temperature"),
    ("thinking", answer(content="<think>7 times 13</think>No."), "repaired", "thinking markers", ""),
    ("thinking", answer(content="No."), "absent", "", "no thinking came"),
    ("thinking", answer(content="<think>7 times 13</think>Yes."), "fails", "", "the answer lacks 'no'"),
]  # fmt: skip


@pytest.mark.parametrize(("scenario", "document", "verdict", "parser", "why"), JUDGED, ids=range(len(JUDGED)))
def test_what_an_answer_is_worth(scenario: str, document: Any, verdict: str, parser: str, why: str) -> None:
    heard = judged(BY_NAME[scenario], parse(document, tools=TOOLS))
    assert (heard.verdict, heard.parser, heard.why) == (verdict, parser, why)


SEEN: list[tuple[str, Any, str]] = [
    # scenario, answer, what is wrong with what a client sees
    ("single", answer(OSLO), ""),
    ("single", answer(content=HERMES), "no call of get_temperature"),
    ("parallel", answer(OSLO, TURKU, ids=("a", "a")), "calls with the same id 'a'"),
    ("parallel", answer(OSLO, TURKU, ids=("a", "b")), ""),
    ("single", answer(OSLO, finish="stop"), "finish_reason 'stop', not 'tool_calls'"),
    ("forced", answer(OSLO, finish="stop"), ""),  # OpenAI says so itself where the tool is named
    ("forced", answer(OSLO, finish="length"), "finish_reason 'length', not 'tool_calls'"),
    ("no-call", answer(content="meadow", finish="tool_calls"), "finish_reason 'tool_calls', not 'stop'"),
]


@pytest.mark.parametrize(("scenario", "document", "fault"), SEEN, ids=range(len(SEEN)))
def test_what_any_client_sees(scenario: str, document: Any, fault: str) -> None:
    view = plain_view(parse(document, tools=TOOLS))
    right = Heard(verdict="works")
    seen = as_seen(right, BY_NAME[scenario], [view])
    if not fault:
        assert seen == right
        return
    assert (seen.verdict, seen.why) == ("fails", f"any client sees: {fault}")
    assert seen.clients == (("any client", fault),)
    worse = as_seen(Heard(verdict="fails", why="nothing came"), BY_NAME[scenario], [view])
    assert (worse.verdict, worse.why, worse.clients) == ("fails", "nothing came", (("any client", fault),))
    assert as_seen(Heard(verdict="fails", why=fault), BY_NAME[scenario], [view]).clients == ()  # said already


TEXT = '{"city": "Oslo"}'
CLIENTS: list[tuple[dict[str, Any], str]] = [
    # what a client sees of one call of get_temperature, and what is wrong with that
    ({"arguments": TEXT, "finish_reason": "tool_calls"}, ""),
    ({"arguments": OSLO[1], "finish_reason": "tool_calls", "decoded": True}, ""),
    ({"arguments": OSLO[1], "finish_reason": "tool_calls"}, "arguments of get_temperature that are no text: {'city': 'Oslo'}"),
    ({"arguments": OSLO[1], "format": "anthropic", "finish_reason": "tool_use"}, ""),
    ({"arguments": TEXT, "format": "anthropic", "finish_reason": "tool_use"}, f"arguments of get_temperature that are no object: {TEXT}"),
    ({"arguments": OSLO[1], "format": "anthropic", "finish_reason": "end_turn"}, "stop_reason 'end_turn', not 'tool_use'"),
    ({"arguments": OSLO[1], "format": "ollama", "finish_reason": "stop", "ids": ()}, ""),
    ({"arguments": '{"city"', "finish_reason": "tool_calls"}, 'arguments of get_temperature that are no JSON: {"city"'),
    ({"arguments": TEXT, "finish_reason": "tool_calls", "ids": ("",)}, "a call without an id"),
    ({"arguments": TEXT, "finish_reason": "tool_calls", "fault": "it broke off"}, "it broke off"),
]  # fmt: skip


@pytest.mark.parametrize(("seen", "fault"), CLIENTS, ids=range(len(CLIENTS)))
def test_what_one_client_sees(seen: dict[str, Any], fault: str) -> None:
    seen = {"ids": ("a",), **seen}
    view = Seen(client="it", calls=((OSLO[0], seen.pop("arguments")),), **seen)
    heard = as_seen(Heard(verdict="works"), BY_NAME["single"], [view])
    assert heard.clients == ((("it", fault),) if fault else ())
    assert heard.verdict == ("fails" if fault else "works")


WORKS, REPAIRED, ABSENT, FAILS = (Heard(verdict=v) for v in ("works", "repaired", "absent", "fails"))
FORMATS: list[tuple[list[tuple[Heard, Heard]], str, str, bool, bool]] = [
    # whole and streamed by format; the worst of each, whether streaming changes something, whether that is bad
    ([(WORKS, WORKS)], "works", "works", False, False),
    ([(REPAIRED, REPAIRED)], "repaired", "repaired", False, False),
    ([(ABSENT, ABSENT)], "absent", "absent", False, False),
    ([(WORKS, REPAIRED)], "works", "repaired", True, True),
    ([(FAILS, FAILS)], "fails", "fails", False, True),
    ([(WORKS, WORKS), (REPAIRED, REPAIRED)], "repaired", "repaired", False, False),
    ([(REPAIRED, ABSENT), (ABSENT, REPAIRED)], "absent", "absent", True, True),
    ([(WORKS, FAILS), (WORKS, WORKS)], "works", "fails", True, True),
    ([(REPAIRED, Heard(verdict="repaired", parser="hermes"))], "repaired", "repaired", True, True),
]


@pytest.mark.parametrize(("heard", "whole", "streamed", "differs", "bad"), FORMATS, ids=range(len(FORMATS)))
def test_the_worst_format_counts(
    heard: list[tuple[Heard, Heard]], whole: str, streamed: str, differs: bool, bad: bool
) -> None:
    asked = {str(n): ScenarioResult(whole=one, streamed=other) for n, (one, other) in enumerate(heard)}
    outcome = ScenarioOutcome(scenario=BY_NAME["single"], asked=asked)
    assert (outcome.whole.verdict, outcome.streamed.verdict) == (whole, streamed)
    assert (outcome.differs, outcome.bad) == (differs, bad)
    told = outcome.to_dict()
    assert (told["scenario"], told["shows"], told["streamed_differs"]) == ("single", "one call", differs)
    assert told["whole"] == {"verdict": whole, "parser": None, "repairs": [], "diagnoses": [], "why": ""}
    assert [*told["formats"]] == [*asked]
