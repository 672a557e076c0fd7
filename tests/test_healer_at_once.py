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


# -- the pieces of one call ------------------------------------------------------------------------------------------------

OPENING = piece(0, "a", "get_weather", "")
ORDERS: dict[str, list[tuple[str, bool]]] = {
    "a text runs": [('{"', True), ('city": "', True), ("Ber", True), ("gen", True), ('"', True), ("}", False)],
    "a number waits for its end": [('{"days": ', True), ("1", False), ("2", False), (', "city": "B', True), ('"}', False)],
    "an escape waits for its end": [('{"city": "', True), ("\\u00", False), ("e9", True), ('"}', False)],
    "a comma waits for a member": [('{"days": 2', False), (",", False), (' "city', True), ('": "B"', True), ("}", False)],
    "a number as text": [('{"city": "B", "days": ', True), ('"2', False), ('"}', False)],
    "a list": [('{"city": ', True), ("[", False), ('"B"]}', False)],
    "a name that nobody knows": [('{"', True), ("town", False), ('": "B"}', False)],
    "a name twice": [('{"city": "B"', True), (', "city":', False), (' "C"}', False)],
    "no JSON": [("{", True), ("'city'", False), (": 'B'}", False)],
    "nothing": [("{}", False)],
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERS)
def test_pieces_go_on_as_far_as_they_are_sound(name: str) -> None:
    healing = healer("openai-chat", stream=True)
    for part in (chunk({"role": "assistant", "content": ""}), OPENING):
        assert healing.feed(sse([part])) == sse([part])
    held = b""
    for text, passes in ORDERS[name]:
        part = sse([piece(0, arguments=text)])
        held += part
        assert healing.feed(part) == (held if passes else b"")
        held = b"" if passes else held


SLIPS = [
    '{"city":"Bergen","days":"2"}', '{"days":"2","city":"Bergen"}', '{"city":"B\\u00e9 \\"x\\"","days":"2"}',
    "{'city':'Bergen','days':2}", '{"city":"Bergen","days":2}}', '{"city":"a","city":"b"}', '{"City":"a"}',
    '{"city":"a\nb"}', '{"city":"x",}', '{"city":["a"]}', '{"city": 5}', '{"city":"x","days":"2","more":{"a":1}}',
    '"{\\"city\\":\\"x\\"}"', '{"city":"x" "days":2}', '{"city":"x","days":True}', '{"days":2.0,"city":"x"}',
]  # fmt: skip


@pytest.mark.parametrize("arguments", SLIPS)
def test_what_has_passed_is_mended_by_what_follows(arguments: str) -> None:
    """However the pieces are cut, the client gets what it would get of the call in one piece."""

    def got(*pieces: str) -> Any:
        parts = [OPENING, *(piece(0, arguments=text) for text in pieces), chunk({}, "tool_calls")]
        out = passed(healer("openai-chat", stream=True), sse([chunk({"role": "assistant"}), *parts]) + DONE)
        return READERS["openai-chat", True](out)[0]["calls"]

    whole = got(arguments)
    for size in range(1, len(arguments)):
        assert got(*(arguments[at : at + size] for at in range(0, len(arguments), size))) == whole
