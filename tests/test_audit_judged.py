"""How right the audit is on real tool sets: people's judgements against what the rules find today."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from functools import cache
from typing import Any

import pytest

from tests.cases import FIXTURES, ids, load
from utp_cli.auditing.catalogue import RULES
from utp_cli.auditing.precision import JUDGED, Judged
from utp_cli.auditing.report import FindingGroup
from utp_cli.auditing.run import audit

SETS = {
    path.stem: path
    for folder in (FIXTURES / "tools" / "servers", FIXTURES / "audit" / "judged" / "sets")
    for path in sorted(folder.glob("*.json"))
}
TOLD = load("audit/told.jsonl")
"""Sets of tools, and what is told of them when nothing is asked for by its code."""
FIRST_SIGHTS = [f"audit/judged/first_sight{end}.jsonl" for end in ("", *(f"_{number}" for number in range(2, 10)))]
ROWS = [
    *load("audit/judged/judged.jsonl", "audit/judged/more.jsonl"),
    *(row for name in FIRST_SIGHTS for row in load(name) if row["set"] in SETS),  # large sets are not kept here
]
VERDICTS = {(row["set"], row["tool"], row["code"], row["pointer"]): row["verdict"] for row in ROWS}
TEN = 10
"""Judgements of a rule from which on its share says something."""
WORST_FIRST = ("wrong", "useful", "noise")
"""A cause with a wrong place is wrong; places that only repeat it were judged noise."""


@cache
def causes(name: str) -> tuple[FindingGroup, ...]:
    """What the audit tells of a set by default."""
    return tuple(audit(json.loads(SETS[name].read_text(encoding="utf-8"))["tools"]).causes())


def verdict(name: str, cause: FindingGroup) -> str | None:
    """What people said of a cause; None where nobody did."""
    places = ((e.finding.tool, e.finding.code, e.finding.place.pointer) for e in cause.entries)
    said = {VERDICTS.get((name, *place)) for place in places}
    return next((word for word in WORST_FIRST if word in said), None)


@cache
def told() -> dict[str, Counter[str]]:
    """How often each rule was judged how, over all sets."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for name in SETS:
        for cause in causes(name):
            found[cause.finding.code][verdict(name, cause) or "unjudged"] += 1
    return found


@pytest.mark.parametrize("case", TOLD, ids=ids(TOLD))
def test_told_by_default(case: dict[str, Any]) -> None:
    found = {cause.finding.code for cause in audit(case["tools"]).causes()}
    assert set(case["expect"]["must"]) <= found
    assert found.isdisjoint(case["expect"]["must_not"])


def test_one_habit_of_naming_is_told_once() -> None:
    texts = {"pdf__read": "Read a page.", "pdf__merge_files": "See read_pages.", "pdf__read_pages": "Use merge_files."}
    texts["pdf__split"] = "Split a file; call merge_files to undo."
    found = audit([{"name": name, "description": text, "inputSchema": {}} for name, text in texts.items()]).causes()
    assert [len(cause.entries) for cause in found if cause.finding.code == "UTP409"] == [3]


def test_every_judgement_is_of_a_set_at_hand() -> None:
    assert {row["set"] for row in ROWS} <= SETS.keys()
    assert {row["verdict"] for row in ROWS} == {"useful", "noise", "wrong"}
    assert len(SETS) >= 60


def test_the_figures_of_the_pages_are_those_of_today() -> None:
    counted = {code: Judged(c["useful"], c["noise"], c["wrong"]) for code, c in told().items()}
    assert {code: figure for code, figure in counted.items() if sum(figure)} == JUDGED


def test_most_of_what_is_told_is_useful() -> None:
    total = sum(told().values(), Counter())
    judged = total["useful"] + total["noise"] + total["wrong"]
    unjudged = {
        f"{name}: {cause.finding.code} {cause.finding.message}"
        for name in SETS
        for cause in causes(name)
        if verdict(name, cause) is None
    }
    print("\n".join(sorted(unjudged)))  # noqa: T201 - pytest -s shows what is still to judge
    assert judged >= 90
    assert total["useful"] >= 0.85 * judged
    assert total["wrong"] <= 0.05 * judged
    assert total["unjudged"] <= 0.25 * judged


@pytest.mark.parametrize("code", [code for code, judged in JUDGED.items() if sum(judged) >= TEN])
def test_what_is_told_by_default_has_earned_it(code: str) -> None:
    """A rule of which more than a fifth is of no use is told to those who ask for it."""
    assert JUDGED[code].useful >= 0.8 * sum(JUDGED[code])


def test_few_sets_fail_by_default() -> None:
    failing = [name for name in SETS if any(cause.finding.severity == "error" for cause in causes(name))]
    assert len(failing) <= len(SETS) / 3


def test_no_page_is_a_book() -> None:
    assert max(len(causes(name)) for name in SETS) <= 12


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_an_error_needs_proof_or_a_refusal(rule: Any) -> None:
    proven = rule.code in JUDGED and JUDGED[rule.code].is_proven
    assert rule.severity != "error" or rule.facts["refused_by"] or proven


def test_a_page_says_how_often_its_rule_was_right() -> None:
    useful, noise, wrong = JUDGED["UTP601"]
    line = (
        f"Measured: of {useful + noise + wrong} judged on real tool sets {useful} useful, {noise} noise, {wrong} wrong."
    )
    assert RULES["UTP601"].page.endswith(line)
    assert "Status: preview, off by default." in RULES["UTP411"].page
    assert "Refused by: openai" in RULES["UTP106"].page
