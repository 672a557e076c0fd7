"""The audit of whole sets: what providers make of them, what a baseline knows, what is waved through, what breaks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.test_auditing import ODD, tool
from utp_cli.auditing.baseline import identity, without_known
from utp_cli.auditing.breaking import breaking_changes
from utp_cli.auditing.catalogue import BESIDE, CHANGES
from utp_cli.auditing.portability_report import TARGETS, portability
from utp_cli.auditing.run import audit
from utp_cli.auditing.suppression import codes_of
from utp_cli.protocol.errors import UnknownName

if TYPE_CHECKING:
    from utp_cli.auditing.report import AuditReport


def test_portability() -> None:
    verdicts = {p.provider: p.verdict("a.b") for p in portability([tool(name="a.b"), tool()])}
    assert set(verdicts) == set(TARGETS)
    assert verdicts["openai"] == verdicts["anthropic"] == "bent"
    assert verdicts["mcp"] == verdicts["gemini"] == "accepted"
    assert {p.verdict("forecast_weather") for p in portability([tool()], ["openai", "bedrock"])} == {"accepted"}


def test_portability_says_why() -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "#/nowhere"}, "b": {"type": ["string", "array"]}}}
    (openai,) = portability([tool(parameters=schema), {"description": "x"}, tool(), tool()], ["openai"])
    assert openai.verdict("forecast_weather") == "refused"
    assert {"UTP101", "UTP111"} <= {reason.code for reason in openai.reasons["forecast_weather"]}
    assert openai.verdict("") == "refused"
    with pytest.raises(UnknownName, match="did you mean 'gemini'"):
        portability([], ["gemni"])


@pytest.mark.parametrize("tools", ODD, ids=range(len(ODD)))
def test_portability_of_odd_input(tools: Any) -> None:
    for report in portability(tools):
        assert all(report.verdict(name) in ("accepted", "bent", "refused") for name in report.reasons)


def test_baseline() -> None:
    report = audit([tool(name="a_b", description="")])
    known = Counter(identity(finding, "t.yaml") for finding in report.findings)
    later = without_known(audit([tool(), tool(name="a_b", description="")]), known.copy(), "t.yaml")
    assert later.findings == []
    assert [entry.finding.code for entry in later.suppressed] == ["UTP201"]
    twice = audit([tool(name="a_b", description=""), tool(name="a_b", description="")], select=["UTP201"])
    assert len(without_known(twice, known.copy(), "t.yaml").findings) == 1
    assert len(without_known(twice, known.copy(), "other.yaml").findings) == 2


@pytest.mark.parametrize(
    ("names", "file", "left"),
    [
        (["a_b"], "t.yaml", []),
        (["a_b", "a_b"], "t.yaml", ["a_b"]),
        (["a_b"], "other.yaml", ["a_b"]),
        (["c_d"], "t.yaml", ["c_d"]),  # the same code at the same pointer
        (["c_d", "a_b"], "t.yaml", ["c_d"]),
    ],
)
def test_what_a_baseline_knows(names: list[str], file: str, left: list[str]) -> None:
    def told(*names: str) -> AuditReport:
        return audit([tool(name=name, description="") for name in names], select=["UTP201"])

    known = Counter(identity(finding, "t.yaml") for finding in told("a_b").findings)
    report = without_known(told(*names), known, file)
    assert [finding.tool for finding in report.findings] == left
    assert len(report.suppressed) == len(names) - len(left)


@pytest.mark.parametrize(
    ("comment", "named"),
    [
        ("# utp: ignore", {"ALL"}),
        ("# utp:ignore[UTP205, utp3]", {"UTP205", "UTP3"}),
        ("# utp: ignore UTP205, UTP3", {"UTP205", "UTP3"}),
        ("# utp: ignore[UTP205] as agreed", {"UTP205"}),
        ("# utp: ignored", None),
        ("# utp is ignored", None),
        ("# ignore", None),
    ],
)
def test_comments_that_suppress(comment: str, named: set[str] | None) -> None:
    assert codes_of(comment) == named


def parameters(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": properties.pop("required", [])}


A = {"type": "string", "description": "The first word."}
BROKEN = {
    "tool-removed": (None, "a_tool is gone"),
    "parameter-removed": (parameters(b=A), "a is gone"),
    "parameter-required": (parameters(a=A, z=A, required=["z"]), "z is required now"),
    "type-narrowed": (parameters(a={"type": "integer"}), "a was string, is integer"),
    "enum-narrowed": (parameters(a=A | {"enum": ["x"]}), "a no longer takes other values"),
    "bound-tightened": (parameters(a=A | {"maxLength": 5}), "a has maxLength 5 now"),
    "object-closed": (parameters(a=A) | {"additionalProperties": False}, "the schema takes no other properties now"),
}


@pytest.mark.parametrize("change", BROKEN)
def test_breaking_change(change: str) -> None:
    schema, message = BROKEN[change]
    old = [tool(name="a_tool", parameters=parameters(a=A))]
    new = [tool(name="a_tool", parameters=schema)] if schema else []
    assert [(f.code, f.message) for f in breaking_changes(old, new, CHANGES).findings] == [
        (f"breaking-{change}", message)
    ]
    assert breaking_changes(old, old, CHANGES).findings == []
    assert f"breaking-{change}" in BESIDE


def test_every_breaking_change_has_a_test() -> None:
    assert {rule.code for rule in CHANGES} == {f"breaking-{change}" for change in BROKEN}


def test_breaking_changes_deep_and_renamed() -> None:
    deep = {"type": "array", "items": {"type": "object", "properties": {"size": {"type": ["integer", "null"]}}}}
    narrow = {"type": "array", "items": {"type": "object", "properties": {"size": {"type": "integer"}}}}
    found = breaking_changes([tool(parameters=parameters(a=deep))], [tool(parameters=parameters(a=narrow))], CHANGES)
    assert [f.message for f in found.findings] == ["a[].size was integer or null, is integer"]
    found = breaking_changes([tool()], [tool(name="weather")], CHANGES)
    assert "is it weather now" in found.findings[0].hint
    found = breaking_changes([tool(parameters=parameters(limit=A))], [tool(parameters=parameters(max=A))], CHANGES)
    assert "is it max now" in found.findings[0].hint


def test_what_breaks_nobody() -> None:
    old = parameters(a=A | {"enum": ["x"], "maxLength": 5}, n={"type": "integer"}, required=["a"])
    wider = parameters(a=A | {"enum": ["x", "y"]}, n={"type": "number"}, new=A)
    assert breaking_changes([tool(parameters=old)], [tool(parameters=wider), tool(name="more")], CHANGES).findings == []


SUPPRESSED = [
    ({"x-utp-ignore": ["UTP202"]}, {}, {"UTP205"}, 1),
    ({"x-utp-ignore": True}, {}, set(), 2),
    ({"x-utp-ignore": "UTP2"}, {}, set(), 2),
    ({}, {"x-utp-ignore": ["param-missing-description"]}, {"UTP202"}, 1),
    ({}, {"x-utp-ignore": ["UTP202"]}, {"UTP202", "UTP205", "unused-suppression"}, 0),
    ({}, {"x-utp-ignore": ["UTP205", "UTP999"]}, {"UTP202", "unused-suppression"}, 1),
    ({}, {"x-utp-ignore": ["UTP206"]}, {"UTP202", "UTP205"}, 0),
]


@pytest.mark.parametrize(("in_tool", "in_schema", "left", "gone"), SUPPRESSED, ids=range(len(SUPPRESSED)))
def test_keys_that_suppress(in_tool: Any, in_schema: Any, left: set[str], gone: int) -> None:
    schema = parameters(word={"type": "string", **in_schema})
    report = audit([tool(description="Too short.", parameters=schema, **in_tool)], select=["UTP202", "UTP205"])
    assert {f.code for f in report.findings} == left
    assert len(report.suppressed) == gone
