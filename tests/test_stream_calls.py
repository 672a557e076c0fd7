"""Streams that stray: which calls are one and which are two, in which order, and characters that were cut in two."""

from __future__ import annotations

import json
from typing import Any

import pytest

from utp_cli import parse


def stream(*deltas: dict[str, Any], reason: str = "tool_calls") -> str:
    ends = [*({"delta": delta} for delta in deltas), {"delta": {}, "finish_reason": reason}]
    chunks = [{"object": "chat.completion.chunk", "choices": [{"index": 0, **choice}]} for choice in ends]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def piece(index: int, call_id: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    said = {"index": index, "id": call_id, "function": {"name": name, "arguments": arguments}}
    return {"tool_calls": [{key: value for key, value in said.items() if value is not None}]}


BOTH = [("f", {"a": 1}), ("g", {"b": 2})]
TWICE = [("f", {"a": 1}), ("f", {"b": 2})]


@pytest.mark.parametrize(
    ("deltas", "calls", "diagnoses"),
    [
        ([piece(0, "x", "f", '{"a":1}'), piece(1, "x", "g", '{"b":2}')], BOTH, ["call-id-duplicate"]),
        (
            [piece(0, "x", "f", ""), piece(1, "x", "f", ""), piece(0, None, None, '{"a":1}'),
             piece(1, None, None, '{"b":2}')],
            TWICE,
            ["call-id-duplicate"],
        ),
        ([piece(0, "x", "f", '{"a":1}'), piece(0, "y", "g", '{"b":2}')], BOTH, ["stream-index-collision"]),
        ([piece(0, "x", "f", '{"a":1}'), piece(0, "y", "f", '{"b":2}')], TWICE, ["stream-index-collision"]),
        ([piece(0, "x", "f", '{"a":1}'), piece(0, None, "g", '{"b":2}')], BOTH, ["stream-index-collision"]),
        ([piece(1, "y", "g", '{"b":2}'), piece(0, "x", "f", '{"a":1}')], BOTH, []),
        ([piece(1, "y", "g", '{"b"'), piece(0, "x", "f", '{"a":1}'), piece(1, None, None, ":2}")], BOTH, []),
        ([piece(3, "y", "g", '{"b"'), piece(0, "x", "f", '{"a":1}'), piece(3, None, None, ":2}")], BOTH,
         ["call-shape-invalid"]),
        ([piece(0, "x", "f", '{"a"'), piece(0, "y", None, ":1}")], BOTH[:1], ["call-shape-invalid"]),
        ([piece(0, "x", "f", '{"a":1}'), piece(0, "x", "g", '{"b":2}')], BOTH, ["stream-index-collision"]),
        ([piece(0, None, None, '{"a"'), piece(0, "x", "f", ":1}")], BOTH[:1], []),
    ],
    ids=("equal ids", "equal ids interleaved", "one index, two ids", "one index, two ids, one name",
         "one index, two names", "the second first", "pieces of the second first",
         "a number left out", "an id for each piece",
         "one index, one id, two names", "arguments first"),
)  # fmt: skip
def test_which_calls_there_are(deltas: list[dict[str, Any]], calls: Any, diagnoses: list[str]) -> None:
    result = parse(stream(*deltas))
    assert [(call.name, call.arguments) for call in result.calls] == calls
    assert [call.pointer.split("/")[4:6] for call in result.calls] == [
        ["tool_calls", str(n)] for n in range(len(calls))
    ]
    assert result.rejected == []
    assert [finding.code for finding in result.diagnoses] == diagnoses


def test_a_name_in_pieces_is_not_read_alike_by_all_clients() -> None:
    pieces = [
        piece(0, "x", "get_", ""),
        piece(0, None, "weath", ""),
        piece(0, None, "er", ""),
        piece(0, None, None, "{}"),
    ]
    result = parse(stream(*pieces))
    assert [(call.name, call.arguments) for call in result.calls] == [("get_weather", {})]
    assert [(each.code, each.severity) for each in result.diagnoses] == [("stream-name-repeated", "warning")]


def test_a_new_id_without_a_name_is_another_call() -> None:
    result = parse(stream(piece(0, "x", "f", '{"a":1}'), piece(0, "y", None, '{"b":2}')))
    assert [(call.name, call.arguments) for call in result.calls] == BOTH[:1]
    assert [(call.name, call.reason) for call in result.rejected] == [(None, "malformed")]
    assert [finding.code for finding in result.diagnoses] == ["stream-index-collision"]


def test_halves_of_a_character_are_joined() -> None:
    high, low = "\ud83d", "\ude00"
    result = parse(stream(piece(0, "x", "f", f'{{"a":"{high}'), piece(0, None, None, f'{low}"}}')))
    assert result.calls[0].arguments == {"a": "😀"}
    text = parse(stream({"content": f"a {high}"}, {"content": f"{low} b"}, reason="stop"))
    assert text.content == "a 😀 b"
    alone = parse(stream({"content": f"a {high}"}, {"content": "b"}, {"content": high}, reason="stop"))
    assert alone.content == f"a {high}b{high}"


def test_pieces_that_a_client_kept_one_by_one_had_no_index() -> None:
    """LangChain joins the pieces of one index; without it they stay apart, and are whole calls for who reads them."""
    kept = [
        {"index": None, "id": "c", "type": "function", "function": {"name": "f", "arguments": ""}},
        {"index": None, "id": "c", "type": "function", "function": {"name": None, "arguments": '{"a": '}},
        {"index": None, "id": "c", "type": "function", "function": {"name": None, "arguments": "1}"}},
    ]
    whole = [{"index": None, "id": f"c{n}", "function": {"name": "f", "arguments": f'{{"a": {n}}}'}} for n in range(2)]
    for calls, codes in ((kept, {"stream-index-collision"}), (whole, set[str]())):
        for message in (
            {"choices": [{"index": 0, "message": {"role": "assistant", "tool_calls": calls}}]},
            {"type": "ai", "data": {"content": "", "additional_kwargs": {"tool_calls": calls}}},
        ):
            found = {finding.code for finding in parse(message).diagnoses}
            assert found & {"stream-index-collision", "arguments-not-object", "call-name-empty"} == codes
