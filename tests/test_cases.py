"""`pytest -m cases`: the tables of cases by a direct loop, in seconds; the same functions run case by case otherwise.

Not part of a plain run, which would check all of it twice.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TABLES = (
    "test_auditing.test_case",
    "test_captures.test_paste",
    "test_commands_checked.test_what_is_wrong_is_found_and_nothing_else",
    "test_detection.test_an_id_says_what_its_label_says",
    "test_diagnosis.test_case",
    "test_diagnosis.test_error_text",
    "test_healer.test_scenarios",
    "test_parsing.test_dialect_case",
    "test_parsing.test_segments_tile_the_text",
    "test_repair.test_case",
    "test_repair.test_case_in_pieces",
    "test_shape.test_shape_case",
    "test_threads.test_the_cause_of_a_thread_is_named",
    "test_validation.test_each_way_to_spoil_a_sound_call_is_told",
    "test_wire.test_case",
    "test_wire.test_fact",
    "test_wire.test_recognised",
)
"""Tests with one table of cases each."""


def rows(test: Callable[..., None]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the id and the arguments of each case of a parametrised test."""
    mark = next(mark for mark in test.pytestmark if mark.name == "parametrize")  # type: ignore[attr-defined]
    names = mark.args[0].split(",") if isinstance(mark.args[0], str) else mark.args[0]
    given = mark.kwargs.get("ids")
    ids = [given(row) for row in mark.args[1]] if callable(given) else given
    for number, row in enumerate(mark.args[1]):
        values = row if len(names) > 1 else (row,)
        yield str(ids[number] if ids else row), values


@pytest.mark.cases
@pytest.mark.parametrize("table", TABLES)
def test_table(table):
    module, _, name = table.partition(".")
    test, failed = getattr(import_module(f"tests.{module}"), name), []
    seen = 0
    for case, values in rows(test):
        seen += 1
        try:
            test(*values)
        except Exception as err:  # noqa: BLE001 - every case is tried, whatever one raises
            failed.append(f"{case}: {type(err).__name__} {err}"[:300])
    assert seen, "the table is empty"
    assert not failed, f"{len(failed)} of {seen} cases fail: pytest 'tests/{module}.py' tells more\n" + "\n".join(
        failed
    )
