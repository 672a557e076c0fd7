"""Who speaks around an error: somebody who met it and asks, or somebody who explains it to another.

A model's answer about an error quotes the same words as a paste of one. What tells them apart is whom the words around
it address: who met it says "I get", "fails with"; who explains says "you need to", "this error means".
"""

from __future__ import annotations

import re
from typing import Final, Literal

from utp_cli.protocol.patterns import regex

Voice = Literal["asks", "explains", ""]

_MET: Final = (
    r"(?:get|got|getting|see|saw|seeing|receive|received|receiving|encounter|encountered|encountering|face|facing|hit"
    r"|hitting|keep|run|ran|running|tried|try|trying|noticed|observed|upgraded|updated)"
)
_ASKS: Final = regex(
    rf"\b(?:I|[Ww]e)(?:'m|’m|'ve|’ve| am| are| have|)(?: (?:also|just|now|always|often|frequently|then|keep|was|were))*"
    rf" {_MET}\b"
    r"|\b(?:fails?|failed|crash(?:es|ed)|errors? out|stops? working)\b[^.\n]{0,60}\b(?:with|after)\b"
    r"|\b(?:the )?following (?:error|exception)\b"
    r"|^\W{0,6}(?:\[?bug\]?|describe the bug|steps to reproduce|expected behaviou?r|what happened"
    r"|actual behaviou?r|environment|error (?:output|details|logs?|message)|version)\b"
    r"|\b(?:any|some) (?:idea|help|hint|clue)s?\b|\b[Hh]ow (?:do|can|should) (?:I|we)\b|\b[Pp]lease help\b"
    r"|\bsame (?:issue|problem|error)(?: here)?\b",
    re.MULTILINE | re.IGNORECASE,
)
_EXPLAINS: Final = regex(
    r"\b(?:this|that|the|your|such an?) (?:\w+ ){0,2}?(?:error|message|exception|response|failure|status|400|code)s?"
    r"(?: \w+){0,3}? (?:means?|indicates?|says?|tells?|suggests?|points? (?:to|at)|comes? from"
    r"|(?:is|are|was) (?:caused|raised|returned|thrown|due|because|telling|saying|what|about|the way))\b"
    r"|\b(?:is|are|was) (?:raised|thrown|returned|caused|sent) by\b"
    r"|\b(?:you|your|you're|you'll|you've)\b"
    r"|\bto (?:fix|resolve|solve|avoid|address) (?:this|it|that|the)\b|\bmake sure\b"
    r"|\bthe (?:fix|solution|cause|reason)\b"
    r"|\b(?:an|for) example\b|\bexample (?:of|error|body|response|output)\b|^(?:sure|certainly|of course)\b"
    r"|\b(?:documentation|docs|guide|specification) (?:lists?|says?|describes?|shows?|states?|explains?)\b"
    r"|\bI(?:'ll|’ll| will|'ve fixed| have fixed| can| would| suggest| recommend)\b|\blet me\b|\bmeans that\b",
    re.IGNORECASE,
)
_LONGEST: Final = 4_000
"""Characters that are looked at."""


def voice_of(words: str) -> Voice:
    """Return who speaks in the words around an error: the one of the two whose signs are more; `""` where none is."""
    words = words[:_LONGEST]
    asks = sum(1 for _ in _ASKS.finditer(words))
    explains = sum(1 for _ in _EXPLAINS.finditer(words))
    if asks == explains:
        return ""
    return "asks" if asks > explains else "explains"
