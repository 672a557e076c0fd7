"""Sessions replayed only as far as somebody looks. What is kept of an exchange is a row; opened, it is read again."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utp_cli.io.bulk import one_by_one
from utp_cli.io.sessions import lines_between, read_sessions
from utp_cli.protocol.errors import BadFile, UtpError
from utp_cli.replaying.chunks import ROWS, Chunk, compared_rows, replay_chunk
from utp_cli.replaying.conversation import NO_LIMITS, Limits
from utp_cli.replaying.listing import Row, row_of, row_of_talk
from utp_cli.replaying.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from utp_cli.replaying.chunks import Done
    from utp_cli.replaying.compare import Compared
    from utp_cli.replaying.conversation import Conversation
    from utp_cli.replaying.outcome import Outcome
    from utp_cli.replaying.session import Exchange, RawLine


class LazyReplay:
    """The exchanges of some files, one after the other."""

    def __init__(
        self,
        files: Iterable[str],
        options: Mapping[str, Any],
        *,
        against: str | None = None,
        limits: Limits = NO_LIMITS,
    ) -> None:
        """`options`, `against` and `limits` are those of `replaying.run.replay_parts`."""
        self._chunk = Chunk(number=0, session=Session(), rows=[], options=options, against=against, limits=limits)
        self._sessions: list[Session] = []
        """Those that were opened; their rows are here where they cannot be read again from a place in a file."""
        self._read = self._replayed(files)

    def more(self) -> list[Row]:
        """Replay the next exchanges; none are left where the list is empty. Raises `BadFile`."""
        return next(self._read, [])

    def opened(self, row: Row) -> Compared:
        """Read an exchange again, whole. Raises `BadFile` where its line cannot be read any more."""
        if row.place is None:
            raise BadFile(row.source, row.told)
        number, at, nth = row.place
        session = self._sessions[number]
        kept = session.rows
        rows = kept[at : at + 1] if isinstance(kept, list) else self._line(session, at)
        chunk = replace(self._chunk, session=replace(session, rows=[]), rows=rows)
        found = next(islice(compared_rows(chunk), nth, None), None)
        if found is None:
            raise BadFile(session.source, "is not what it was when it was opened")
        return found[0]

    def _line(self, session: Session, at: int) -> list[Exchange | RawLine]:
        try:
            return [*lines_between(Path(session.source), at, at + 1, own=session.own)]
        except OSError as error:
            raise BadFile(session.source, error.strerror or str(error)) from None

    def _replayed(self, files: Iterable[str]) -> Iterator[list[Row]]:
        begun = False
        try:
            for session in (session for file in files for session in read_sessions(Path(file))):
                for rows in self._session(session):
                    if rows:
                        yield rows
                        begun = True
        except UtpError as error:
            if not begun:
                raise
            yield [Row(source="", sign="lost", failing=True, told=str(error), words=str(error).casefold())]

    def _session(self, session: Session) -> Iterator[list[Row]]:
        """Replay a session, a chunk at a time; behind its exchanges, what is wrong with its conversations."""
        lines = not isinstance(session.rows, list) and not Path(session.source).is_dir()
        kept: list[Exchange | RawLine] = []
        self._sessions.append(replace(session, rows=() if lines else kept))
        read: Iterator[Exchange | RawLine] = _keeping(session.rows, kept)
        if lines:
            read = lines_between(Path(session.source), 0, None, own=session.own)
        index = 0
        talks: dict[str, Conversation] = {}
        for done in self._chunks(replace(session, rows=[]), read):
            yield [*self._listed(done.outcomes, session.source, index, lines=lines)]
            index += len(done.outcomes)
            talks |= {talk.key: talk for talk in done.conversations}
        if not index and not session.own:
            raise BadFile(session.source, "holds no answer of a model in any form that is known")
        yield [row_of_talk(talk, session.source) for talk in talks.values() if talk.diagnoses]

    def _listed(self, outcomes: Iterable[Outcome], source: str, start: int, *, lines: bool) -> Iterator[Row]:
        """Make the rows of a chunk whose first exchange is the one of index `start`."""
        before, nth = None, 0
        for index, outcome in enumerate(outcomes, start):
            nth = nth + 1 if lines and outcome.line == before else 0
            before = outcome.line
            at = outcome.line if lines and outcome.line is not None else index
            yield row_of(replace(outcome, index=index), source, (len(self._sessions) - 1, at, nth))

    def _chunks(self, session: Session, rows: Iterator[Exchange | RawLine]) -> Iterator[Done]:
        taken = list(islice(rows, ROWS))
        while taken:
            following = list(islice(rows, ROWS))
            chunk = replace(
                self._chunk, session=session, rows=taken, following=following[0] if following else None,
                last=not following,
            )  # fmt: skip
            done = replay_chunk(chunk)
            if done.fault:  # a line that cannot be read costs itself alone
                apart = [*one_by_one(chunk)]
                outcomes = [outcome for each in apart for outcome in each.outcomes]
                done = replace(done, outcomes=outcomes, conversations=[t for each in apart for t in each.conversations])
            yield done
            taken = following


def _keeping(rows: Iterable[Exchange | RawLine], kept: list[Exchange | RawLine]) -> Iterator[Exchange | RawLine]:
    """Pass rows on, and keep them: they stand in no line of a file that could be read again."""
    for row in rows:
        kept.append(row)
        yield row
