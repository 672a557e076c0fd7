"""Hypothesis draws the same examples on every run; `HYPOTHESIS_PROFILE=search` looks for new ones.

`-m cases` runs the tables of cases alone.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

settings.register_profile("fixed", derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
settings.register_profile("search", deadline=None, max_examples=4000, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`-m cases` looks at nothing but the tables: collecting all tests takes longer than running those."""
    only_tables = config.option.markexpr == "cases" and collection_path.name.startswith("test_")
    return True if only_tables and collection_path.name != "test_cases.py" else None
