"""A replay as a list: a short row an exchange, which says where the exchange is read again once somebody opens it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from utp_cli.replaying.bars import BARS

if TYPE_CHECKING:
    from utp_cli.protocol.findings import Finding
    from utp_cli.replaying.conversation import Conversation
    from utp_cli.replaying.outcome import Outcome

    Place = tuple[int, int, int]
    """The session, counted from 0; the byte at which its line begins, or the exchange where it has no lines; the
    exchange within the line, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One exchange, or what is wrong with one conversation."""

    source: str
    index: int | None = None
    """Counts the exchanges of a session from 0; None for a conversation."""
    sign: Literal["good", "repaired", "look", "lost"]
    """A name of `views.lines.Signs`."""
    failing: bool
    """It is not as it was, or has a cause."""
    told: str
    """What became of it, in a few words. Model output: it is to be escaped."""
    words: str
    """What a search looks through, without upper case."""
    place: Place | None = None
    findings: tuple[Finding, ...] = ()
    """Of a conversation."""


def row_of(outcome: Outcome, source: str, place: Place) -> Row:
    """Boil down what became of an exchange."""
    failing = BARS["cause"].answer(outcome)
    sign: Literal["good", "repaired", "look", "lost"] = "repaired" if outcome.repairs else "good"
    if failing:
        sign = "lost" if outcome.failed else "look"
    names = [str(call["name"]) for call in outcome.calls]
    rejected = [f"{name or 'a call'} {reason}" for name, reason in outcome.rejected]
    codes = [code for code, _ in outcome.diagnoses]
    told = outcome.why or ", ".join([*names, *rejected]) or "no call"
    said = [f"#{outcome.index}", outcome.status, told, *names, *rejected, *codes, *outcome.repairs, *outcome.parsers]
    return Row(
        source=source, index=outcome.index, sign=sign, failing=failing,
        told=told if outcome.status in ("match", "new") else f"{outcome.status}: {told}",
        words=" ".join([*said, outcome.model or ""]).casefold(), place=place,
    )  # fmt: skip


def row_of_talk(talk: Conversation, source: str) -> Row:
    """Boil down what is wrong with a conversation."""
    codes = ", ".join(dict.fromkeys(finding.code for finding in talk.diagnoses))
    return Row(
        source=source, sign="lost" if talk.failed else "look", failing=BARS["cause"].conversation(talk),
        told=f"conversation: {codes}", words=f"conversation {codes}".casefold(), findings=tuple(talk.diagnoses),
    )  # fmt: skip
