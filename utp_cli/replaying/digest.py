"""What is kept of a replay while it runs: counts, and the first of what is not as it was."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from utp_cli.replaying.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.replaying.compare import Compared
    from utp_cli.replaying.conversation import Conversation
    from utp_cli.replaying.outcome import Outcome
    from utp_cli.replaying.run import SessionChunk

TOLD = 20
"""Exchanges that are shown one by one where not all are."""
CONVERSATIONS = 1000
"""Conversations of one session that are kept to be told of; those after them are counted."""


def keep(kept: dict[str, Conversation], found: Iterable[Conversation]) -> int:
    """Add conversations, by key, as far as there is room; return how many had none. A later state takes the place."""
    left_out = 0
    for talk in found:
        if talk.key in kept or len(kept) < CONVERSATIONS:
            kept[talk.key] = talk
        else:
            left_out += 1
    return left_out


@dataclass(slots=True)
class Delivery:
    """Calls that the server delivered as native ones, beside those that could be read."""

    delivered: int = 0
    due: int = 0
    lost: int = 0
    """Calls that nobody accepted as lost."""

    def add(self, exchange: Outcome | Compared) -> None:
        """Count an exchange."""
        self.delivered += len(exchange.delivered)
        self.due += len(exchange.delivered) + len(exchange.undelivered)
        self.lost += len(exchange.delivery_lost)

    def __str__(self) -> str:
        """Say it where the two are not the same; else nothing."""
        if self.delivered == self.due:
            return ""
        return f"delivered {self.delivered:,} of {self.due:,}" + ("" if self.lost else ", accepted")


@dataclass(slots=True)
class SessionDigest:
    """One session."""

    source: str
    exchanges: int = 0
    by_status: Counter[str] = field(default_factory=Counter)
    delivery: Delivery = field(default_factory=Delivery)
    shown_outcomes: list[Outcome] = field(default_factory=list)
    """The first that are not as they were."""
    conversations: dict[str, Conversation] = field(default_factory=dict)
    """By key; the first of those that there is something to tell of."""
    left_out: int = 0
    """Conversations that are only counted."""


@dataclass(slots=True)
class Digest:
    """All sessions."""

    sessions: list[SessionDigest] = field(default_factory=list)
    metrics: Metrics = field(default_factory=Metrics)
    delivery: Delivery = field(default_factory=Delivery)
    spoken_of: int = 0
    """Exchanges that are not as they were."""
    keep_all: bool = False
    """Keep every exchange that is not as it was."""
    _open: bool = False

    def add(self, part: SessionChunk) -> None:
        """Count the next exchanges."""
        if not self._open:
            self.sessions.append(SessionDigest(source=part.session.source))
        self._open = not part.last
        session = self.sessions[-1]
        session.exchanges += len(part.outcomes)
        session.left_out += keep(session.conversations, part.conversations)
        for outcome in part.outcomes:
            self.metrics.add(outcome)
            session.by_status[outcome.status] += 1
            session.delivery.add(outcome)
            self.delivery.add(outcome)
            self.spoken_of += outcome.failed or outcome.status == "improved"
            if (outcome.failed or outcome.status == "improved") and (self.keep_all or self._room(session, outcome)):
                session.shown_outcomes.append(outcome)

    def _room(self, session: SessionDigest, outcome: Outcome) -> bool:
        """What is bad comes before what is merely improved."""
        same = sum(other.failed == outcome.failed for other in session.shown_outcomes)
        return same < TOLD
