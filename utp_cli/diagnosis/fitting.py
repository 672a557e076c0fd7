"""Which error text a message is, or is most like: for people who ask about a message, not for diagnoses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from utp_cli.diagnosis.likeness import most_like
from utp_cli.facts.error_texts.finder import find_error_texts

if TYPE_CHECKING:
    from utp_cli.facts.error_texts.entries import ErrorText

_LIKE = "perhaps: its words are most like those of this error text (of such guesses, 55 in 100 are right)"


@dataclass(frozen=True, slots=True)
class Fit:
    """An error text that fits a message."""

    entry: ErrorText
    how: str
    """How sure that is, in a sentence."""


def fitting_texts(message: str) -> list[Fit]:
    """Return the error texts that stand in a message, the best first; else those that it is most like."""
    found = [Fit(match.entry, _how(match.entry)) for match in find_error_texts(message)]
    return found or [Fit(entry, _LIKE) for entry in most_like(message)]


def _how(entry: ErrorText) -> str:
    if entry.prio < 0:
        return "likely: the message has a text that often wraps another; look for the reason behind it"
    if entry.unconfirmed:
        return "likely: the message has this error text, which nobody has looked up at its source yet"
    return "sure: the message has this error text"
