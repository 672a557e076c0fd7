"""Native calls that are certain go on before the answer is over; what comes behind them changes nothing of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases import ids
from tests.strict_clients import READERS
from tests.test_healer import DONE, HERMES, SCENARIOS, healer, of_scenario, passed
from tests.wire_answers import BUILDERS, candidate, chunk, dump, gemini_part, line, piece, sse
from utp_cli.healer.answer import ChoiceState

FIRST = ("call", "call_1", "search", {"query": "tides"})
SECOND = ("call", "call_2", "get_weather", {"city": "Bergen", "days": 2})
WIRES = ["openai-chat", "openai-responses", "anthropic", "ollama", "gemini"]
FINISH = {"openai-chat": "tool_calls", "anthropic": "tool_use"}


def said(wire: str, *parts: Any) -> bytes:
    return BUILDERS[wire, True](*parts, finish=FINISH.get(wire, "stop"))


@pytest.mark.parametrize("wire", WIRES)
def test_a_sound_call_does_not_wait_for_the_end(wire: str) -> None:
    data = BUILDERS[wire, True]("Look.", FIRST, SECOND, finish=FINISH.get(wire, "stop"), size=60)
    until = data.index(b"Bergen")
    healing = healer(wire, stream=True)
    sent = healing.feed(data[:until])
    assert b"tides" in sent
    assert sent + healing.feed(data[until:]) + healing.close() == data


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("text", ["Look.", "Look.\n<", "Look.\n" + HERMES])
def test_a_broken_call_behind_it_is_mended_alone(wire: str, text: str) -> None:
    """`<` and a call in the text hold all that comes behind them."""
    broken = (*SECOND[:3], {"city": "Bergen", "days": "2"})
    out = passed(healer(wire, stream=True), said(wire, text, FIRST, broken), [30])
    (got,) = READERS[wire, True](out)
    expected = [{"name": "search", "arguments": FIRST[3]}, {"name": "get_weather", "arguments": SECOND[3]}]
    assert got["calls"][:2] == expected
    assert len(got["calls"]) == 2 + (HERMES in text)
    assert len(set(got["ids"])) == len(got["ids"]) or wire in ("ollama", "gemini")
    alone = passed(healer(wire, stream=True), said(wire, FIRST))
    assert (dump(FIRST[3]).encode() in out) == (dump(FIRST[3]).encode() in alone)


ODD = {
    "arguments that were repeated": [piece(0, "a", "search", '{"query": "x"}'), piece(1, "b", "get_weather", '{"city": "y"}'),
                                     piece(0, arguments='{"query": "x"}')],
    "an id that is taken": [piece(0, "a", "search", '{"query": "x"}'), piece(1, "a", "get_weather", '{"city": "y"}')],
    "nothing, then more": [piece(0, "a", "search", "{}"), piece(0, arguments='{"query": "x"}'),
                           piece(1, "b", "get_weather", '{"city": "y"}')],
    "the name again": [piece(0, "a", "search", '{"query": "x"}'), piece(1, "b", "get_weather", '{"city": '),
                       piece(1, None, "get_weather", '"y"}')],
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_behind_it(name: str) -> None:
    data = sse([chunk({"role": "assistant"}), *ODD[name], chunk({}, "tool_calls")]) + DONE
    (got,) = READERS["openai-chat", True](passed(healer("openai-chat", stream=True), data))
    assert got["calls"] == [
        {"name": "search", "arguments": {"query": "x"}},
        {"name": "get_weather", "arguments": {"city": "y"}},
    ]
    assert len(set(got["ids"])) == 2


def test_a_line_and_a_chunk_with_two_calls() -> None:
    """One is sound, the other is not: they stay together."""
    calls = [{"function": {"name": name, "arguments": given}} for _, _, name, given in (FIRST, SECOND)]
    calls[1]["function"]["arguments"] = dump(SECOND[3])
    lines = "".join(dump(one) + "\n" for one in (line({"tool_calls": calls}), line({}, done=True))).encode()
    parts = [gemini_part(FIRST), {"functionCall": {"name": "get_weather", "args": dump(SECOND[3])}}]
    chunks = sse([candidate(parts), candidate([], "STOP")], end="\r\n")
    for wire, data in (("ollama", lines), ("gemini", chunks)):
        (got,) = READERS[wire, True](passed(healer(wire, stream=True), data))
        assert [call["arguments"] for call in got["calls"]] == [FIRST[3], SECOND[3]]


STREAMED = [
    case for case in SCENARIOS if "chunks" in case and case.get("end") != "break" and not case["expect"].get("error_ok")
]


@pytest.mark.parametrize("case", STREAMED, ids=ids(STREAMED))
def test_whoever_waits_reads_the_same(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    healing, data = of_scenario(case)
    out = passed(healing, data, [40])
    monkeypatch.setattr(ChoiceState, "passes", lambda *_: False)
    waited = passed(of_scenario(case)[0], data, [40])
    if not case["expect"].get("error"):
        assert READERS[case["wire"], True](out) == READERS[case["wire"], True](waited)
