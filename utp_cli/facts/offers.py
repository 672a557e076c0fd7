"""The dated table of offers: what providers say their models can do. `python -m bench.offers` writes it.

Read by `detection.offers`; see `offers.md` beside it for where the figures come from and under which licences.
"""

from __future__ import annotations

from pathlib import Path


def table_text() -> str:
    """Return the table, a JSON list a line. Read where it is asked for: only detection pays."""
    return Path(__file__).with_name("offers.jsonl").read_text(encoding="utf-8")
