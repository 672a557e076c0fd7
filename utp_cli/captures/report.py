"""Somebody who tells in plain words how tool calls go wrong: no answer of a model, and no error either."""

from __future__ import annotations

import re
from typing import Final

from utp_cli.captures.voice import CODE, voice_of
from utp_cli.protocol.patterns import regex

_MINE: Final = regex(
    r"\b(?:the (?:server|endpoint|api) (?:returns|sends|gives|responds)|my|our|I'm|I’m|I am|we're|we’re|we are|I use"
    r"|we use|I have|I (?:only |just |still )?(?:see|get|got)|anyone else)\b",
    re.IGNORECASE,
)
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
            r"|\b(?:raw|plain)\b[^.\n]{0,25}\b(?:json|xml|calls?|tags)\b[^.\n]{0,50}\b(?:rendered|shown|displayed|printed)\b"
            r"|\b(?:throw|print|output|writ|return|respond|repl(?:y|i)|spit)(?:s|es|e|ing|ting)?\b[^.\n]{0,40}"
            r"\b(?:json|xml|calls?|tags?|markup)\b[^.\n]{0,30}\bas (?:an? |the |its |plain |normal |raw |regular ){0,3}"
            r"(?:text|content|response|message|answer|reply|output|string)\b"
            r"|\b(?:tool|function)[_ -]calls? (?:is|are|stays?|comes? back|comes?|remains?)"
            r" (?:always |still |just |an? |null or ){0,2}(?:empty|null|none|missing|\[\])"
            r"|\b(?:tool|function)[ -]calls? (?:is|are|gets?) (?:never|not) (?:executed|run|invoked|made|parsed)"
            r"|\b(?:outputs?|prints?|writes?|returns?) an? (?:normal|plain|regular) (?:message|text|answer)\b"
            r"|\b(?:tool|function)[ -]calls? (?:is|are|comes?|appears?|ends? up|shows? up)\b[^.\n]{0,30}"
            r"\b(?:as|in)(?: the| plain| normal| message){0,3} (?:text|content|chat)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "calls-lost",
        regex(
            r"\b(?:server|model|api|endpoint|llm|it|vllm|ollama|sglang|mlx_lm\.server|llama-server)\b[^.\n]{0,30}"
            r"\b(?:returns?|sends?|gives?|responds? with|answers? with) (?:me |back )?an? (?:completely )?"
            r"(?:empty|blank) \W?(?:message|response|answer|content|reply|completion|tool_calls)\b"
            r"|\bneither\b[^.\n]{0,40}\b(?:tool_calls\b[^.\n]{0,30}\bnor|nor\b[^.\n]{0,30}\btool_calls)\b"
            r"|\b(?:content|tool_calls)\b[^.\n]{0,20}\band\b[^.\n]{0,20}\b(?:tool_calls|content)\b[^.\n]{0,20}"
            r"\bboth (?:empty|null)\b",
            re.IGNORECASE,
        ),
    ),
)
"""What people say, by the diagnosis that it describes."""
_LONGEST: Final = 4_000
"""Characters that are looked at."""


def trouble_told(text: str, *, beside_call: bool = False) -> str:
    """Return the code of the diagnosis that somebody describes who has the trouble; `""` where nobody does.

    `beside_call`: a call stands there too, which says enough of whose trouble it is.
    """
    words = CODE.sub("", text[:_LONGEST])
    if not (beside_call or _MINE.search(words)):
        return ""
    code = next((code for code, pattern in _TROUBLES if pattern.search(words)), "")
    return code if code and voice_of(words) != "explains" else ""
