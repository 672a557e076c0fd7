"""Somebody who tells in plain words how tool calls go wrong: no answer of a model, and no error either."""

from __future__ import annotations

import re
from typing import Final

from utp_cli.captures.voice import CODE, voice_of
from utp_cli.protocol.patterns import regex

_MINE: Final = regex(r"\b(?:my|our|I'm|I’m|I am|we're|we’re|we are|I use|we use|I have|anyone else)\b", re.IGNORECASE)
"""Whose trouble it is: a model that tells of one says "your"."""
_TROUBLES: Final = (
    (
        "identical-call-loop",
        regex(
            r"\b(?:call|repeat|invok|run|us)(?:s|es|e|ing)? the (?:exact )?same (?:tool|function)s?\b[^.\n]{0,40}"
            r"\b(?:again|over|repeatedly|forever|endless\w*|in a loop|times)\b"
            r"|\bkeeps? (?:calling|repeating|invoking|running) the (?:exact )?same (?:tool|function|call)"
            r"|\b(?:tool|function)[ -]call(?:s|ing)? (?:infinite |endless )?loops?\b",
            re.IGNORECASE,
        ),
    ),
    (
        "call-left-in-content",
        regex(
            r"\b(?:print|output|writ|show|return|display|dump|type|emit)(?:s|es|e|ing|ting)?\b(?: out)?[^.\n]{0,60}"
            r"\b(?:json|calls?|tags?|xml|markup)\b[^.\n]{0,40}\b(?:instead of|rather than|without|but (?:never|doesn't"
            r"|does not|won't))(?: actually| really)? (?:call|run|execut|invok|us)\w{0,5}\b"
            r"|\b(?:tool|function)[ -]calls? (?:is|are|comes?|appears?|ends? up|shows? up)\b[^.\n]{0,30}"
            r"\b(?:as|in)(?: the| plain| normal| message){0,3} (?:text|content|chat)\b",
            re.IGNORECASE,
        ),
    ),
)
"""What people say, by the diagnosis that it describes."""
_LONGEST: Final = 4_000
"""Characters that are looked at."""


def trouble_told(text: str) -> str:
    """Return the code of the diagnosis that somebody describes who has the trouble; `""` where nobody does."""
    words = CODE.sub("", text[:_LONGEST])
    if not _MINE.search(words):
        return ""
    code = next((code for code, pattern in _TROUBLES if pattern.search(words)), "")
    return code if code and voice_of(words) != "explains" else ""
