"""Pastes: what is found in them, what it is unwrapped to, and that answers are left alone."""

from __future__ import annotations

import pytest

from tests.cases import ids, load
from utp_cli.captures.read import read_paste
from utp_cli.wire.error_body import error_of

PASTES = load("captures/pastes.jsonl")


@pytest.mark.parametrize("case", PASTES, ids=ids(PASTES))
def test_paste(case):
    paste = read_paste(case["paste"])
    assert [capture.kind for capture in paste.captures] == case["found"]
    chosen = paste.captures[paste.chosen]
    if "chosen" in case:
        assert paste.chosen == case["chosen"]
    if "message" in case:
        assert error_of(chosen.document)[0] == case["message"]
    assert list(chosen.hops) == case.get("hops", list(chosen.hops))
    assert chosen.status == case.get("status", chosen.status)
    assert chosen.form == case.get("form", chosen.form)
    assert case.get("headers", {}).items() <= dict(chosen.headers).items()
    for capture in paste.captures:
        start, end = capture.span
        assert 0 <= start <= end <= len(case["paste"])
