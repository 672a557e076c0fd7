"""What was measured for docs/conformance.md: a line each in `engine_rows.jsonl`, so that what is not here stays.

A row counts one engine on one suite, or on utp's own cases of one dialect. Who has only some of the engines or suites
measures these; the other rows keep their versions and dates.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench import suites
from bench.engine_parsers import VERSIONS
from utp_cli import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

STORE = Path(__file__).with_name("engine_rows.jsonl")
UTP = "utp"
"""Stands for utp where engines are named, and for its own cases where suites are."""


@dataclass(frozen=True, slots=True)
class Row:
    """How many texts an engine reads, and how many of the same texts utp reads."""

    suite: str
    dialect: str
    """The dialect of utp's own cases; empty for a suite."""
    engine: str
    version: str
    date: str
    right: int
    nearly: int
    """Only the calls are the same."""
    of: int
    utp_right: int
    utp_nearly: int

    @property
    def key(self) -> tuple[str, str, str]:
        return self.suite.casefold(), self.dialect, self.engine


def row(suite: str, engine: str, found: Iterable[tuple[str, str]], *, dialect: str = "") -> Row:
    """Count verdicts: the engine's and utp's, for each text."""
    read, own = (Counter(column) for column in zip(*found, strict=True))
    return Row(
        suite, dialect, engine, VERSIONS.get(engine, __version__), dt.datetime.now(tz=dt.UTC).date().isoformat(),
        read[suites.RIGHT], read[suites.NEARLY], read.total(), own[suites.RIGHT], own[suites.NEARLY],
    )  # fmt: skip


def of_suite(path: Path, engines: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of a suite, which is called as its file: utp's on all texts, each engine's on what it can read."""
    records = suites.load(path)
    for engine in (UTP, *engines):
        found = [*suites.verdicts(records, None if engine == UTP else engine)]
        if found:
            yield row(path.stem, engine, found)


def kept(store: Path = STORE) -> list[Row]:
    """Return the rows that were measured so far."""
    lines = store.read_text(encoding="utf-8").splitlines() if store.exists() else []
    return [Row(**json.loads(line)) for line in lines]


def keep(measured: Iterable[Row], store: Path = STORE) -> list[Row]:
    """Put new rows in the place of the old ones with their keys; return all of them."""
    rows = {row.key: row for row in (*kept(store), *measured)}
    found = [rows[key] for key in sorted(rows)]
    store.write_text("".join(json.dumps(asdict(row)) + "\n" for row in found), encoding="utf-8")
    return found
