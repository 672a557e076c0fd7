"""What makes a replay fail: statuses, calls that did not reach the client, faults of conversations, causes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from utp_cli.replaying.compare import BAD

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.replaying.conversation import Conversation
    from utp_cli.replaying.outcome import Outcome
    from utp_cli.replaying.run import SessionChunk


def _never(_: object) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Bar:
    """What a run fails on."""

    answer: Callable[[Outcome], bool] = _never
    conversation: Callable[[Conversation], bool] = _never


def _failed(found: Outcome | Conversation) -> bool:
    return found.failed


def _has_cause(talk: Conversation) -> bool:
    return any(finding.severity != "info" for finding in talk.diagnoses)


BARS: Final[dict[str, Bar]] = {
    "never": Bar(),
    "regressed": Bar(lambda outcome: outcome.status in BAD - {"changed"}),
    "changed": Bar(_failed, _failed),
    "delivered": Bar(lambda outcome: outcome.failed or bool(outcome.undelivered), _failed),
    "cause": Bar(lambda outcome: outcome.failed or outcome.causes > 0, _has_cause),
    "improved": Bar(lambda outcome: outcome.failed or outcome.status == "improved", _failed),
}
"""By name. From `changed` on each fails on all that `changed` fails on: what is not as it was, calls that nobody
accepted as lost, error-level diagnoses of a conversation."""


@dataclass(slots=True)
class Judge:
    """Hears the parts of a replay, and says whether it failed."""

    bar: Bar
    failed: bool = False
    _talks: dict[str, bool] = field(default_factory=dict)
    """Conversations of the session at hand, by key: the last state of each counts."""

    def add(self, part: SessionChunk) -> None:
        """Judge the next exchanges."""
        self.failed = self.failed or any(map(self.bar.answer, part.outcomes))
        self._talks |= {talk.key: self.bar.conversation(talk) for talk in part.conversations}
        if part.last:
            self.failed = self.failed or any(self._talks.values())
            self._talks = {}
