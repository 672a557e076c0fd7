"""With no parser and no model named, the text alone tells the dialect: all cases of the dialects, read by `auto`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.cases import ids, load
from tests.test_parsing import check, options_of
from utp_cli import parse
from utp_cli.dialects.catalogue import DIALECTS, dialects_of

if TYPE_CHECKING:
    from utp_cli.protocol.calls import ParseResult

CASES = load("dialects/cases_*.jsonl")
SAME_TEXT = {
    "srv-trinity-04": "hermes",  # a call in closed thinking: trinity means it
    "more-openpangu_v2-01": "lfm2_json",  # a list in which `parameters` stands for `arguments`: openpangu_v2 writes that
}
"""Cases whose text another dialect writes as well, which takes it for something else: that one is read."""


def read(case: dict[str, Any], parser: str) -> ParseResult:
    return parse(case["input"], parser=parser, **options_of(case, auto=True))


@pytest.mark.parametrize("case", CASES, ids=ids(CASES))
def test_the_text_alone_tells_the_dialect(case: dict[str, Any]) -> None:
    found = read(case, "auto")
    if case["id"] in SAME_TEXT:
        other = read(case, SAME_TEXT[case["id"]])
        for part in ("calls", "rejected", "content", "reasoning", "repairs"):
            assert found.to_dict()[part] == other.to_dict()[part]
        with pytest.raises(AssertionError):  # else it is no exception
            check(case, other)
        return
    asked = dialects_of(case["dialect"]) if case.get("dialect") else ()
    if asked and not any(dialect.markers for dialect in asked):  # plain JSON is a repair to whoever knows no dialect
        case = {**case, "expect": {key: value for key, value in case["expect"].items() if key != "repairs"}}
    check(case, found)


def test_exceptions_are_of_two_dialects() -> None:
    dialects = {case["id"]: case.get("dialect") for case in CASES}
    for case, other in SAME_TEXT.items():
        assert {*DIALECTS[dialects[case]].markers} & {*DIALECTS[other].markers}
