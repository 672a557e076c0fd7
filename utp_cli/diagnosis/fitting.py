"""Which error text a message is, or is most like: for people who ask about a message, not for diagnoses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from utp_cli.facts.error_texts.entries import error_texts
from utp_cli.facts.error_texts.finder import find_error_texts
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from utp_cli.facts.error_texts.entries import ErrorText

_WORD = regex(r"[a-z]{3,}")
_ENOUGH = 0.6
"""The part of a message's words that a text must have, where its pattern does not match."""
_LONGEST = 20_000
"""Characters of a message whose words are compared."""


@dataclass(frozen=True, slots=True)
class Fit:
    """An error text that fits a message."""

    entry: ErrorText
    how: str
    """How sure that is, in a sentence."""


def fitting_texts(message: str) -> list[Fit]:
    """Return the error texts that stand in a message, the best first; else those that share most of its words."""
    found = [Fit(match.entry, _how(match.entry)) for match in find_error_texts(message)]
    return found or _alike(message[:_LONGEST])


def _how(entry: ErrorText) -> str:
    if entry.prio < 0:
        return "likely: the message has a text that often wraps another; look for the reason behind it"
    if entry.unconfirmed:
        return "likely: the message has this error text, which nobody has looked up at its source yet"
    return "sure: the message has this error text"


def _alike(message: str) -> list[Fit]:
    words = set(_WORD.findall(message.lower()))
    if len(words) < 2:
        return []
    rated = [(len(words & set(_WORD.findall(entry.says.lower()))) / len(words), entry) for entry in error_texts()]
    best = sorted((pair for pair in rated if pair[0] >= _ENOUGH), key=lambda pair: (-pair[0], pair[1].unconfirmed))
    return [Fit(entry, f"perhaps: {share:.0%} of the words stand in this error text") for share, entry in best]
