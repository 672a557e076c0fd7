"""What tools cost: estimated tokens of definitions, a call and a result, format by format."""

from __future__ import annotations

import math

CHARACTERS_A_TOKEN = 4
ESTIMATOR = "characters / 4"
"""The name of `estimate`, to be shown with its figures."""


def estimate(text: str) -> int:
    """Return about how many tokens a text has: its characters divided by four, rounded up."""
    return math.ceil(len(text) / CHARACTERS_A_TOKEN)
