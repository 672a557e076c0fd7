"""What providers offer, joined by identity: one row a model, every figure with the votes behind it.

A table is text, a JSON list a line, sorted by family: reading one family parses its lines only. The first line holds
the date of the newest catalogue, the names of the catalogues and the providers that rows count into.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from utp_cli.detection.identity import Identity, distance, identity_of
from utp_cli.detection.series import in_range
from utp_cli.facts.offers import table_text
from utp_cli.protocol.records import Record, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from utp_cli.detection.spec import ModelSpec

FIELDS = ("context_window", "max_output_tokens", "native_tools", "reasoning", "structured_outputs", "parallel_tools")
"""What rows state, in this order."""

_ADDED_BY_HOSTS = frozenset({"native_tools", "structured_outputs", "parallel_tools"})
"""What hosts can do with any weights."""

_NOTHING: Mapping[str, str] = MappingProxyType({})

Figure = list[Any]
"""Value, how many offers agree, of how many, 1 where the maker's own is among them."""


class OfferRow(Record):
    """What is offered of one model."""

    identity: Identity
    figures: list[Figure | None]
    """One for each of `FIELDS`."""
    hosts: frozenset[int]
    """Who offers it: places in the table's list of providers."""
    others: dict[int, dict[int, Any]] = field(default_factory=dict)
    """Host → place in `FIELDS` → its own value, where it differs."""

    def to_list(self) -> list[Any]:
        """Write the line of a table."""
        one = self.identity
        named = [" ".join(sorted(part)) for part in (one.variant, one.marks, one.words)]
        others = {str(host): {str(at): value for at, value in own.items()} for host, own in self.others.items()}
        return [one.family, list(one.version), one.size, *named, one.kind, self.figures, sorted(self.hosts), others]


def _row(line: list[Any]) -> OfferRow:
    family, version, size, variant, marks, words, kind, figures, hosts, others = line
    return OfferRow(
        identity=Identity(
            family=family,
            version=tuple(version),
            size=size,
            variant=frozenset(variant.split()),
            marks=frozenset(marks.split()),
            words=frozenset(words.split()),
            kind=kind,
        ),
        figures=figures,
        hosts=frozenset(hosts),
        others={int(host): {int(at): value for at, value in own.items()} for host, own in others.items()},
    )


class OfferMatch(Record):
    """The row that fits an id best."""

    row: OfferRow
    older: bool = False
    """It is an older version's: nobody offers this one yet."""


@dataclass(frozen=True)
class Table:
    """Offers of a date."""

    text: str
    _read: dict[str, list[OfferRow]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def _head(self) -> dict[str, Any]:
        head: dict[str, Any] = json.loads(self.text.partition("\n")[0])
        return head

    @property
    def date(self) -> str:
        """Year and month of the newest catalogue."""
        return str(self._head["date"])

    @property
    def models(self) -> int:
        """How many rows there are."""
        return max(self.text.count("\n") - 1, 0)

    @property
    def catalogues(self) -> str:
        """The names of the catalogues, as one text."""
        return str(self._head["catalogues"])

    @property
    def providers(self) -> list[str]:
        """The hosts that rows name by their place."""
        return list(self._head["providers"])

    def rows(self, family: str) -> list[OfferRow]:
        """Return the rows of a family."""
        if family not in self._read:
            self._read[family] = list(self._parsed(family))
        return self._read[family]

    def _parsed(self, family: str) -> Iterator[OfferRow]:
        opening = f'\n["{family}",'
        at = self.text.find(opening)
        while at >= 0:
            end = self.text.find("\n", at + 1)
            yield _row(json.loads(self.text[at + 1 : end]))
            at = end if self.text.startswith(opening, end) else -1

    def find(self, spec: ModelSpec) -> OfferMatch | None:
        """Return the row of the model, else of the newest older version; None where nothing of it is known."""
        return self.nearest(identity_of(spec))

    def all_rows(self) -> Iterator[OfferRow]:
        """Yield every row."""
        lines = iter(self.text.splitlines())
        next(lines, None)
        yield from (_row(json.loads(line)) for line in lines)

    def nearest(self, wanted: Identity) -> OfferMatch | None:
        """Return what `find` returns, for an identity."""
        rows = self.rows(wanted.family)
        if not wanted.version and rows and not any(row.identity.version == () for row in rows):
            return None
        best = _nearest(wanted, (row for row in rows if row.identity.version == wanted.version))
        if best:
            return OfferMatch(row=best)
        older = {
            row.identity.version for row in rows if _before(wanted.version) < row.identity.version < wanted.version
        }
        newest = () if all(row.identity.version <= wanted.version for row in rows) else None
        for version in [*sorted(older, reverse=True), newest]:  # a name without a version is the line's newest
            if best := _nearest(wanted, (row for row in rows if row.identity.version == version)):
                return OfferMatch(row=best, older=True)
        return None

    def is_offered(self, spec: ModelSpec) -> bool:
        """Whether the provider in the id is known to offer the model."""
        wanted, host = identity_of(spec), self._host(spec)
        same = (row for row in self.rows(spec.family) if row.identity.version == wanted.version)
        return any(host in row.hosts and distance(wanted, row.identity) == 0 for row in same)

    def _host(self, spec: ModelSpec) -> int:
        return self.providers.index(spec.provider) if spec.provider in self.providers else -1

    def facts_for(self, spec: ModelSpec, known: Mapping[str, str] = _NOTHING) -> tuple[dict[str, Any], dict[str, str]]:
        """Return fields of `Capability` for an id, and the source of each.

        `known`: fields that rules state, each with the versions that its rule is about. Of these only the maker, the
        host that the id names, or several hosts may say yes or no otherwise; of weights that anybody serves (no
        provider in the id) only the maker. What is offered of an older version says nothing against a rule about newer
        ones, and a window that the id names is not another's.
        """
        match = self.find(spec)
        if match is None:
            return {}, {}
        row, host = match.row, self._host(spec)
        facts: dict[str, Any] = {}
        sources: dict[str, str] = {}
        for place, (name, stated) in enumerate(zip(FIELDS, row.figures, strict=True)):
            if stated is None:
                continue
            newer = match.older and not in_range(row.identity.version, known.get(name, ""))
            if newer or (name == "context_window" and named_window(spec) and not _same_window(spec, row)):
                continue
            figure = self._less_contested(row, place, stated)
            value, agree, _, maker = figure
            alone = agree == 1 and row.hosts != {host}
            added = spec.provider is None and "native_tools" in known and name in _ADDED_BY_HOSTS
            if isinstance(value, bool) and not maker and ((alone and name in known) or added):
                continue
            facts[name], sources[name] = value, self._counted(figure)
            if place in row.others.get(host, {}):
                facts[name] = row.others[host][place]
                sources[name] = f"offer of {spec.provider} · others: {_said(value)} · {self.date}"
            elif spec.provider and host not in row.hosts:
                sources[name] += "; hosts may cap"
            if match.older:
                sources[name] = f"as {_worded(row.identity)}: {sources[name]}"
        return facts, sources

    def _less_contested(self, row: OfferRow, place: int, figure: Figure) -> Figure:
        """Return the figure of the same model without its date, where offers of the dated one disagree.

        A snapshot can what its model can; lists of snapshots are seldom kept up. Of a number only the maker is heard.
        """
        value, agree, of, maker = figure
        if agree == of or not row.identity.marks:
            return figure
        plain = replace(row.identity, marks=frozenset())
        other = next((known.figures[place] for known in self.rows(plain.family) if known.identity == plain), None)
        if not other or (not isinstance(value, bool) and (maker or not other[3])):
            return figure
        return other if other[1] * of > agree * other[2] else figure

    def _counted(self, figure: Figure) -> str:
        value, agree, of, maker = figure
        offers = f"{agree} of {of} offers" + (", the maker's among them" if maker and of > 1 else "")
        return f"{_said(value)} · {'the maker' + chr(39) + 's offer' if maker and of == 1 else offers} · {self.date}"


@lru_cache(maxsize=1)
def built_in() -> Table:
    """Return the table that comes with the package."""
    return Table(table_text())


def named_window(spec: ModelSpec) -> int | None:
    """Return the window that the id itself names, in tokens: `32k`, `1m`."""
    named = [mark for mark in spec.marks if re.fullmatch(r"\d{1,4}k|\d(?:\.\d)?m", mark, re.ASCII)]
    return round(float(named[0][:-1]) * (1024 if named[0].endswith("k") else 1_000_000)) if named else None


def _same_window(spec: ModelSpec, row: OfferRow) -> bool:
    return any(mark in row.identity.marks for mark in spec.marks if mark[-1] in "km")


def _before(version: tuple[int, ...]) -> tuple[int, ...]:
    """Return what versions must be above to tell of this one: a generation ago at most."""
    return (version[0] - 1,) if version else ()


def _nearest(wanted: Identity, rows: Iterator[OfferRow]) -> OfferRow | None:
    """Return the nearest row; of those as near the newest, then the one with the most offers."""
    near = [(apart, row) for row in rows if (apart := distance(wanted, row.identity)) is not None]
    if not near:
        return None
    near = _at_its_time(wanted, near)
    least = min(apart for apart, _ in near)
    return max((row for apart, row in near if apart == least), key=lambda row: (row.identity.newest, len(row.hosts)))


def _at_its_time(wanted: Identity, near: list[tuple[int, OfferRow]]) -> list[tuple[int, OfferRow]]:
    """Leave the snapshots that tell most of a dated name without a version: `mistral-small-2501`.

    The same name without a date is what the line is today. A snapshot is like the last one before it, else like the
    first; only one that is newer than all is like the line of today.
    """
    dates = sorted({row.identity.newest for _, row in near} - {""})
    if wanted.version or not wanted.newest or not dates or wanted.newest > dates[-1]:
        return near
    last = max((date for date in dates if date <= wanted.newest), default=dates[0])
    return [(apart, row) for apart, row in near if row.identity.newest == last]


def _said(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else f"{value:,}"


def _worded(identity: Identity) -> str:
    version = ".".join(map(str, identity.version))
    return " ".join(part for part in (identity.family, version, *sorted(identity.variant)) if part)
