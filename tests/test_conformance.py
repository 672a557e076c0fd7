"""The page of engines beside utp is made from what was measured: a suite is counted, and what is not here stays."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from bench import suites
from bench.engine_parsers import VERSIONS, Returned, offered
from bench.engine_rows import UTP, Row, keep, kept, of_suite
from bench.engines import PAGE, page, suite_table

if TYPE_CHECKING:
    from pathlib import Path

ASKS = '<tool_call>\n{"name": "ring", "arguments": {"bell": "north", "times": 2}}\n</tool_call>'
CALLS = [{"name": "ring", "arguments": {"bell": "north", "times": 2}}]
SUITE = [
    {"parser": "hermes", "text": ASKS, "tools": None, "calls": CALLS, "content": " "},
    {"parser": "qwen25", "text": f"Now.\n{ASKS}", "tools": None, "calls": CALLS, "content": "Now."},
    {"parser": "hermes", "text": f"Then.\n{ASKS}", "tools": None, "calls": CALLS, "content": ""},
    {"parser": "hermes", "text": ASKS, "tools": None, "calls": [], "content": ASKS},
    {"parser": "hermes", "text": f"<think>Ring.</think>{ASKS}", "calls": CALLS, "content": None, "reasoning": "Ring."},
    {"parser": "auto", "text": ASKS, "calls": CALLS, "content": None},
]
"""Read by utp: all but the third, whose text is not told, and the fourth, which shall be no call."""


@pytest.fixture
def bells(tmp_path: Path) -> Path:
    path = tmp_path / "Bells.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in [*SUITE, SUITE[0]]), encoding="utf-8")
    return path


def test_a_suite_is_counted(bells: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(engine: str, parser: str, text: str, _: Any) -> Returned:
        """Lose the text in front of a call, and fail on what begins with `Then`."""
        assert (engine, parser) == ("vllm", "hermes")
        return Returned([], "", "KeyError") if text.startswith("Then") else Returned(CALLS, "")

    monkeypatch.setattr(suites, "run", run)
    own, engine = of_suite(bells, ["vllm"])
    assert (own.suite, own.engine, own.right, own.nearly, own.of) == ("Bells", UTP, 4, 1, 6)
    assert (engine.engine, engine.version) == ("vllm", VERSIONS["vllm"])
    assert (engine.right, engine.nearly, engine.of) == (1, 1, 4)
    assert (engine.utp_right, engine.utp_nearly) == (2, 1)
    assert [*suite_table([own, engine])] == ["| Bells | 4 + 1 of 6 | 1 + 1 of 4 (utp 2 + 1) | – | – | – |\n"]


def test_what_is_not_measured_again_stays_with_its_date(tmp_path: Path) -> None:
    store = tmp_path / "rows.jsonl"
    old = Row("Bells", "", "ollama", "0.1", "2026-01-02", 3, 0, 4, 4, 0)
    new = replace(old, engine="vllm", version="0.9", date="2026-03-04")
    assert keep([old, replace(new, right=1, date="2026-01-02")], store) == kept(store)
    assert [*suite_table(keep([new], store))] == [
        "| Bells | – | 3 of 4 (utp 4) | – | 3 of 4 (utp 4), 0.1 on 2026-01-02 | – |\n"
    ]
    assert kept(store) == [old, new]


def test_tools_are_made_only_where_none_are_known() -> None:
    made = {"bell": {"type": "string"}, "times": {"type": "integer"}}
    assert [tool["parameters"]["properties"] for tool in offered(None, CALLS)] == [made]
    assert offered([{"name": "knock"}], CALLS) == [{"name": "knock"}]
    assert offered(None, []) == []


def test_the_page_says_what_was_measured() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(kept())
