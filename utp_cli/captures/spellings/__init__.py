"""Documents that were printed by a language, not written as JSON: Python, JavaScript, Java, Go, YAML and more."""

from __future__ import annotations

from utp_cli.captures.spellings.reading import read_spelling, starts
from utp_cli.captures.spellings.spelling import Spelling

__all__ = ["Spelling", "read_spelling", "starts"]
