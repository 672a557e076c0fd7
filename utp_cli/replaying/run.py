"""Sessions parsed again: in parts, in order, in bounded memory; or whole, for who wants to look at everything."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from utp_cli.parsing.parser import Parser
from utp_cli.protocol.collecting import CollectorWaits
from utp_cli.protocol.errors import BadFile
from utp_cli.replaying.chunks import ROWS, Chunk, replay_chunk
from utp_cli.replaying.conversation import NO_LIMITS, Conversation, Limits, Spent, over_budget
from utp_cli.replaying.importing import told
from utp_cli.replaying.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from utp_cli.replaying.chunks import Done
    from utp_cli.replaying.compare import Compared
    from utp_cli.replaying.outcome import Outcome
    from utp_cli.replaying.session import Session

    Engine = Callable[[Callable[[Chunk], Done], Iterable[Chunk]], Iterable[Done]]
    """Maps chunks, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChunk:
    """The next exchanges of a session."""

    session: Session
    outcomes: list[Outcome]
    conversations: list[Conversation]
    """What was found in the conversations that these exchanges belong to."""
    last: bool
    """The session ends with it."""
    skipped: Counter[str] = field(default_factory=Counter)
    """What holds no answer of a model and was passed over, by kind."""


@dataclass(kw_only=True)
class Replayed:
    """One session after its replay."""

    session: Session
    exchanges: list[Compared] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    """One for each exchange."""
    conversations: dict[str, Conversation] = field(default_factory=dict)
    """By key."""
    skipped: Counter[str] = field(default_factory=Counter)
    """What holds no answer of a model and was passed over, by kind."""

    @property
    def source(self) -> str:
        return self.session.source

    def to_dict(self) -> dict[str, Any]:
        """Write a session of `utp.replay/1`."""
        return {
            **session_head(self.session),
            "exchanges": [outcome.to_dict() for outcome in self.outcomes],
            **session_tail(self.conversations.values(), self.skipped),
        }


@dataclass(kw_only=True)
class Replay:
    """All sessions of a replay."""

    sessions: list[Replayed] = field(default_factory=list)
    metrics: Metrics = field(default_factory=Metrics)

    def to_dict(self) -> dict[str, Any]:
        """Write the JSON document `utp.replay/1`."""
        with CollectorWaits():
            return {
                "schema": "utp.replay/1",
                "sessions": [session.to_dict() for session in self.sessions],
                "metrics": self.metrics.to_dict(),
            }


def session_head(session: Session) -> dict[str, Any]:
    """Return what `utp.replay/1` says of a session before its exchanges."""
    return {"source": session.source, "model": session.model}


def session_tail(conversations: Iterable[Conversation], skipped: Counter[str]) -> dict[str, Any]:
    """Return what `utp.replay/1` says of a session after its exchanges."""
    talks = [*conversations]
    return {
        "diagnoses": [finding.to_dict() for talk in talks for finding in talk.diagnoses],
        "tool_errors": [failure.to_dict() for talk in talks for failure in talk.failures],
        "envelopes": [envelope.to_dict() for talk in talks for envelope in talk.envelopes],
        **({"skipped": dict(skipped)} if skipped else {}),
    }


def replay_parts(
    sessions: Iterable[Session],
    options: Mapping[str, Any] | None = None,
    *,
    engine: Engine = map,
    against: str | None = None,
    limits: Limits = NO_LIMITS,
) -> Iterator[SessionChunk]:
    """Parse every exchange again; yield what became of them, in order, a chunk at a time.

    `options` are those of `parse` and win over what a session's header says. `against` is a parser whose calls count
    as the expected ones. A conversation that takes more than its `limits` has a diagnosis that says so. `engine` maps
    the chunks. Raises `UnknownName` for a parser, `BadFile` for a broken line, and for a source that is no session
    file and holds no answer.
    """
    known = dict(options or {})
    opened: list[Session] = []
    index, spending = 0, _Spending(limits.max_tokens)
    for parser in (known.get("parser"), against):
        Parser(parser=parser or "auto", dialects=known.get("dialects") or ())  # one that does not exist is said here
    for done in engine(replay_chunk, _chunks(sessions, opened, known, against, limits)):
        session = opened[done.number]
        outcomes = done.outcomes
        for outcome in outcomes:
            outcome.index += index
        index += len(outcomes)
        skipped = done.skipped + session.skipped if done.last else done.skipped
        if done.fault:
            raise BadFile(*done.fault)
        if done.last and not index and not session.own:
            held = told(skipped)
            what = "holds no answer of a model in any form that is known"
            raise BadFile(session.source, f"{what}; passed over {held}" if held else what)
        yield SessionChunk(
            session=session, outcomes=outcomes, conversations=spending.add(done), last=done.last, skipped=skipped
        )
        index = 0 if done.last else index


class _Spending:
    """Adds up what the conversations of a session took, over its chunks."""

    def __init__(self, budget: int | None) -> None:
        self._budget = budget
        self._spent: dict[str, Spent] = {}
        """By key; of a first answer, which has none yet, by how it begins."""

    def add(self, done: Done) -> list[Conversation]:
        """Return the conversations of a chunk, with those that went over their budget in it."""
        if self._budget is None:
            return done.conversations
        talks = {talk.key: talk for talk in done.conversations}
        for opening, key, spent in done.spent:
            before = self._spent.get(key) or self._spent.pop(opening, Spent()) if key else Spent()
            self._spent[key or opening] = before + spent
        for key in dict.fromkeys(key or opening for opening, key, _ in done.spent):
            total = self._spent.get(key, Spent())
            if findings := over_budget(total, self._budget):
                talk = talks.get(key) or Conversation(key=key, diagnoses=[], failures=[], envelopes=[])
                talks[key] = replace(talk, diagnoses=[*talk.diagnoses, *findings])
        self._spent = {} if done.last else self._spent
        return [*talks.values()]


def replay_sessions(
    sessions: Iterable[Session], options: Mapping[str, Any] | None = None, *, limits: Limits = NO_LIMITS
) -> Replay:
    """Parse every exchange again and keep all that was read, for looking at it. Raises as `replay_parts` does."""
    replay = Replay()
    kept: list[Compared] = []

    def keeping(work: Any, chunks: Iterable[Chunk]) -> Iterator[Done]:
        return (work(chunk, kept.append) for chunk in chunks)

    current: Replayed | None = None
    with CollectorWaits():
        for part in replay_parts(sessions, options, engine=keeping, limits=limits):
            if current is None:
                current = Replayed(session=part.session)
                replay.sessions.append(current)
            current.exchanges += kept
            kept.clear()
            current.outcomes += part.outcomes
            current.skipped += part.skipped
            current.conversations |= {talk.key: talk for talk in part.conversations}
            for outcome in part.outcomes:
                replay.metrics.add(outcome)
            current = None if part.last else current
    return replay


def _chunks(
    sessions: Iterable[Session], opened: list[Session], options: dict[str, Any], against: str | None, limits: Limits
) -> Iterator[Chunk]:
    """Cut sessions into chunks, each as long as there are rows, and at least one for each session."""
    for number, session in enumerate(sessions):
        header = replace(session, rows=[])
        opened.append(header)
        rows = iter(session.rows)
        following = list(islice(rows, ROWS))
        while True:
            taken, following = following, list(islice(rows, ROWS))
            yield Chunk(
                number=number, session=header, rows=taken, options=options, against=against, limits=limits,
                following=following[0] if following else None, last=not following,
            )  # fmt: skip
            if not following:
                break
