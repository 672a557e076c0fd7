"""The one loader of case files. A file that holds no case is an error, so that an empty folder cannot pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"


def load(*patterns: str) -> list[dict[str, Any]]:
    """Load the cases of all files that match, relative to `fixtures/`."""
    cases = []
    for pattern in patterns:
        found = sorted(FIXTURES.glob(pattern))
        assert found, f"no case file matches {pattern}"
        for path in found:
            lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
            assert lines, f"{path} holds no case"
            cases += [json.loads(line) for line in lines]
    return cases


def ids(cases: list[dict[str, Any]]) -> list[str]:
    names = [case["id"] for case in cases]
    assert len(names) == len(set(names)), "two cases have the same id"
    return names


def same(left: Any, right: Any) -> bool:
    """JSON equality: types count, 1 and 1.0 are one number."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(same(a, b) for a, b in zip(left, right, strict=True))
    return bool(left == right)
