"""Big recordings replayed in slices: each worker reads its bytes of a file, and writes its rows as Parquet.

A slice is done once its file is there, whole; what its rows add up to stands in the file's own metadata. So a run that
was killed goes on where it was, and no row passes whoever started it.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from utp_cli.io.sessions import lines_between, read_session, read_sessions
from utp_cli.protocol.errors import BadOption
from utp_cli.replaying.arrow import outcome_columns
from utp_cli.replaying.bars import BARS, Judge
from utp_cli.replaying.chunks import ROWS, Chunk, Done, replay_chunk
from utp_cli.replaying.conversation import NO_LIMITS, Limits
from utp_cli.replaying.metrics import Metrics
from utp_cli.replaying.outcome import Outcome
from utp_cli.replaying.run import SessionChunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import BinaryIO

    from utp_cli.replaying.session import Exchange, RawLine, Session

BYTES: Final = 8_000_000
"""Of a slice: some seconds of work, which is what a kill can cost."""
_KEY: Final = b"utp_replay"


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How a recording is replayed."""

    options: Mapping[str, Any] = field(default_factory=dict)
    against: str | None = None
    limits: Limits = NO_LIMITS
    fail_on: str = "changed"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Slice:
    """Some bytes of a file, and where their rows go."""

    source: str
    start: int
    end: int | None
    """None: all of a file that is not read by lines."""
    session: int
    """Counts the sessions from 0."""
    header: Session = field(repr=False)
    how: How = field(repr=False)
    target: Path


@dataclass(kw_only=True)
class Totals:
    """What slices add up to."""

    metrics: Metrics = field(default_factory=Metrics)
    failed: bool = False
    conversations: Counter[str] = field(default_factory=Counter)
    """Diagnoses of conversations, by code."""
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, other: Totals) -> None:
        """Count those of another."""
        self.metrics.merge(other.metrics)
        self.failed = self.failed or other.failed
        self.conversations.update(other.conversations)
        self.skipped.update(other.skipped)

    def to_json(self) -> str:
        known = {"failed": self.failed, "conversations": self.conversations, "skipped": self.skipped}
        return json.dumps({"metrics": self.metrics.counts(), **known})

    @classmethod
    def of(cls, text: str | bytes) -> Totals:
        """Read what `to_json` has written."""
        said = json.loads(text)
        counted = {key: Counter(said[key]) for key in ("conversations", "skipped")}
        return cls(metrics=Metrics.of(said["metrics"]), failed=said["failed"], **counted)


def slices_of(files: Iterable[str], folder: Path, how: How, size: int = BYTES) -> list[Slice]:
    """Cut files into slices. Raises `BadFile` for what is no recording; `BadOption` for a folder of single answers."""
    slices: list[Slice] = []
    number = 0
    for file in files:
        for session in read_sessions(Path(file)):
            path = Path(session.source)
            if path.is_dir():
                raise BadOption(f"{path} holds single answers: make a session file of it, with utp replay --export")
            header = replace(session, source=str(path.absolute()), rows=[])
            lines = not isinstance(session.rows, list)
            length = path.stat().st_size if lines else 1
            starts = range(0, length, size)
            slices += [
                Slice(
                    source=str(path.absolute()), start=start, end=min(start + size, length) if lines else None,
                    session=number, header=header, how=how,
                    target=folder / f"session={number:05d}" / f"part-{at:06d}.parquet",
                )
                for at, start in enumerate(starts)
            ]  # fmt: skip
            number += 1
    return slices


def replay_slice(piece: Slice) -> str:
    """Replay a slice and write its rows; return its totals, as JSON. What was done before is not done again."""
    done = totals_in(piece.target)
    if done is not None:
        return done
    import secrets  # noqa: PLC0415 - it loads much of cryptography

    import pyarrow as pa  # noqa: PLC0415 - only who has tables needs it
    import pyarrow.parquet as pq  # noqa: PLC0415

    piece.target.parent.mkdir(parents=True, exist_ok=True)
    beside = piece.target.with_name(f".{piece.target.name}.{secrets.token_hex(6)}")
    totals, judge = Totals(), Judge(BARS[piece.how.fail_on])
    try:
        with beside.open("xb") as file, pq.ParquetWriter(_held(file), _batch(piece, []).schema) as writer:
            kept: list[Outcome] = []
            for part in _parts(piece):
                kept += part.outcomes
                judge.add(part)
                totals.skipped.update(part.skipped)
                totals.conversations.update(found.code for talk in part.conversations for found in talk.diagnoses)
                for outcome in part.outcomes:
                    totals.metrics.add(outcome)
                if len(kept) >= ROWS * 64:
                    writer.write_table(pa.Table.from_batches([_batch(piece, kept)]))
                    kept = []
            writer.write_table(pa.Table.from_batches([_batch(piece, kept)]))
            totals.failed = judge.failed
            writer.add_key_value_metadata({_KEY: totals.to_json().encode()})
        os.replace(beside, piece.target)  # noqa: PTH105 - in one step: it is there whole, or not at all
    finally:
        beside.unlink(missing_ok=True)
    return totals.to_json()


def sweep(folder: Path) -> None:
    """Remove what writers that were killed left behind; what somebody still writes stays."""
    for left in folder.glob("session=*/.part-*.parquet.*"):
        with suppress(OSError):  # it is held, or gone already
            with left.open("r+b") as file:
                _held(file)
            left.unlink()


def _held(file: BinaryIO) -> BinaryIO:
    """Hold a file until it is closed. Raises `OSError` where somebody else does."""
    with suppress(ImportError):  # Windows: nobody removes a file that is open
        import fcntl  # noqa: PLC0415 - as above

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return file


def totals_in(target: Path) -> str | None:
    """Return the totals of a slice that is done; None where it is not."""
    import pyarrow.parquet as pq  # noqa: PLC0415

    if not target.is_file():
        return None
    said = (pq.read_metadata(target).metadata or {}).get(_KEY)
    return None if said is None else bytes(said).decode()


def _batch(piece: Slice, outcomes: list[Outcome]) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    names, columns = outcome_columns(outcomes)
    sources = pa.array([piece.source] * len(outcomes), pa.string())
    offsets = pa.array([outcome.line for outcome in outcomes], pa.int64())
    models = pa.array([outcome.model for outcome in outcomes], pa.string())
    return pa.RecordBatch.from_arrays([sources, offsets, models, *columns], ["source", "offset", "model", *names])


def _parts(piece: Slice) -> Iterator[SessionChunk]:
    for chunk in _chunks(piece):
        done = replay_chunk(chunk)
        for each in [done] if not done.fault else one_by_one(chunk):
            yield SessionChunk(
                session=piece.header, outcomes=each.outcomes, conversations=each.conversations, last=chunk.last,
                skipped=each.skipped,
            )  # fmt: skip


def one_by_one(chunk: Chunk) -> Iterator[Done]:
    """Replay the rows of a chunk by themselves, so that one that cannot be read costs itself alone."""
    for row in chunk.rows:
        done = replay_chunk(replace(chunk, rows=[row], following=None))
        if done.fault:
            place = getattr(row, "number", None)
            done.outcomes.append(
                Outcome(
                    index=0, status="error", line=place, error=done.fault[1], calls=[], expected=[], lost=[], found=[],
                    delivered=[], undelivered=[], delivery_lost=[], rejected=[], repairs=[], diagnoses=[], parsers=[],
                    rungs=[], valid=[],
                )
            )  # fmt: skip
        yield done


def _chunks(piece: Slice) -> Iterator[Chunk]:
    path, own = Path(piece.source), piece.header.own
    rows: Iterator[Exchange | RawLine] = iter(read_session(path).rows)
    behind: Iterator[RawLine] = iter(())
    if piece.end is not None:
        rows = lines_between(path, piece.start, piece.end, own=own)
        behind = lines_between(path, piece.end, None, own=own)
    taken = list(islice(rows, ROWS))
    while taken:
        following = list(islice(rows, ROWS))
        yield Chunk(
            number=0, session=piece.header, rows=taken, options=piece.how.options, against=piece.how.against,
            limits=piece.how.limits, following=following[0] if following else next(behind, None), last=not following,
        )  # fmt: skip
        taken = following
