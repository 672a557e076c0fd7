"""Regular expressions of modules: compiled when they are first used, not when the module is loaded.

A start declares some two hundred and an answer uses twenty; compiling one costs 0.1 to 2 ms.
"""

from __future__ import annotations

import re
from typing import Any, cast


class LatePattern:
    """Stands for a compiled pattern. Each of its methods is made on first use, and found at once from then on."""

    def __init__(self, text: str, flags: int) -> None:
        self._written = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._written), name)
        setattr(self, name, found)
        return found


def regex(text: str, flags: int = 0) -> re.Pattern[str]:
    """Declare a pattern, as `re.compile` does. What is wrong with it shows on first use (and in a test)."""
    return cast("re.Pattern[str]", LatePattern(text, flags))
