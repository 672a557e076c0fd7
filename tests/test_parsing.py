"""The ladder over the case files: what is expected comes out, whole and in pieces, and every law holds on the way."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.cases import ids, load, same
from utp_cli import Parser, parse
from utp_cli.protocol.calls import ParseResult
from utp_cli.protocol.spans import first_gap

DIALECTS = load("dialects/cases_*.jsonl")
SHAPES = load("repair/cases_shape.jsonl")


def options_of(case: dict[str, Any], *, auto: bool = False) -> dict[str, Any]:
    options = {
        "tools": case.get("tools"),
        "model": None if auto else case.get("model"),
        "finish_reason": "length" if case.get("truncated") else case.get("finish_reason"),
        "generation_prompt": case.get("generation_prompt") or "",
    }
    if case.get("dialect") and not case.get("model") and not auto:
        options["parser"] = case["dialect"]
    return options


def check(case: dict[str, Any], result: ParseResult) -> None:
    """Compare a result with what the case expects."""
    document, expect = result.to_dict(), case["expect"]
    calls = document["calls"]
    if case.get("truncated") and "invalid" not in expect:
        calls = calls + [c for c in document["rejected"] if c["reason"] == "truncated" and c["name"]]
    got = [{"name": c["name"], "arguments": c["arguments"]} for c in calls]
    assert same(got, [{"name": c["name"], "arguments": c["arguments"]} for c in expect["calls"]])
    for call, wanted in zip(calls, expect["calls"], strict=True):
        assert wanted.get("id") in (None, call["id"])
    for key in ("content", "reasoning"):
        assert document[key].strip() == expect.get(key, "").strip()
    if "repairs" in expect:
        assert {repair["code"] for repair in document["repairs"]} == set(expect["repairs"])


@pytest.mark.parametrize("case", DIALECTS + SHAPES, ids=ids(DIALECTS + SHAPES))
def test_case(case: dict[str, Any]) -> None:
    result = parse(case["input"], **options_of(case))
    check(case, result)
    assert first_gap(result.segments, len(case["input"])) is None


def pieces(text: str, seed: int) -> list[str]:
    generator, out, at = random.Random(seed), [], 0
    while at < len(text):
        step = generator.choice((1, 1, 2, 3, 5, 8, 13, 40))
        out.append(text[at : at + step])
        at += step
    return out


COMPARED = ("calls", "rejected", "content", "reasoning", "segments", "repairs", "attempts")


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("case", DIALECTS + SHAPES, ids=ids(DIALECTS + SHAPES))
def test_pieces_give_what_the_whole_gives(case: dict[str, Any], seed: int) -> None:
    options = options_of(case)
    whole = parse(case["input"], **options).to_dict()
    parser = Parser(**options)
    for piece in list(case["input"]) if seed == 0 else pieces(case["input"], seed):
        parser.feed(piece)
    streamed = parser.close().to_dict()
    for key in COMPARED:
        assert streamed[key] == whole[key], key


@pytest.mark.parametrize("case", DIALECTS, ids=ids(DIALECTS))
def test_bytes_cut_anywhere(case: dict[str, Any]) -> None:
    options = options_of(case)
    parser = Parser(**options)
    for byte in case["input"].encode():
        parser.feed(bytes([byte]))
    assert parser.close().to_dict()["calls"] == parse(case["input"], **options).to_dict()["calls"]
