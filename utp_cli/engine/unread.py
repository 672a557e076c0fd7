"""Markers behind which no call was read: what stands between a pair of them, or behind the last one, is no answer.

- A pair around the name of a known tool, or a pair that is all there is: a call that cannot be read.
- An opening marker at the very end: a call that was cut off before it said anything.

Other markers of that kind are text: somebody speaks about them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from utp_cli.engine.found import FoundCall
from utp_cli.engine.layout import TextRun
from utp_cli.engine.reading import RawCall
from utp_cli.engine.standing import before_run, lead_in, says
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.runs import Runs
    from utp_cli.engine.source import Source

_WORD = regex(r"[\w.-]+")
_LONGEST = 20_000
"""Characters between two markers in which a tool's name is looked for."""


class Opener(Record):
    """An opening marker that no call has followed so far."""

    marker: str
    start: int
    end: int
    dialects: tuple[Dialect, ...]
    """Those that it may open a call of, or a section."""
    run: int
    """The run behind it."""
    token: bool
    """It opens a section, and is markup whatever follows."""

    @classmethod
    def of(cls, hit: Hit, end: int, run: int, *, token: bool) -> Opener | None:
        """Return the opener that a marker is; None where it is a word, or opens nothing by itself."""
        opens = [m.dialect for m in hit.meanings if m.role in ("call", "section") and not m.dialect.body.plain_words]
        if not opens or not any(sign in hit.marker for sign in "<[|"):
            return None
        return cls(marker=hit.marker.strip(), start=hit.start, end=end, dialects=tuple(opens), run=run, token=token)

    def closed_by(self, marker: str) -> bool:
        """Whether a marker closes what this one opens."""
        return any(marker in (*dialect.call_close, *dialect.section_close) for dialect in self.dialects)


class MarkerPair(NamedTuple):
    """An opening and a closing marker with no call between them: `[opener.start, end)`."""

    opener: Opener
    inner_end: int
    end: int


def unread_calls(
    pairs: Sequence[MarkerPair], last: Opener | None, runs: Runs, source: Source, tools: Iterable[str] | None
) -> list[FoundCall]:
    """Return what the pairs, and the last opening marker, stand for; take it out of the text."""
    if not pairs and last is None:
        return []
    names = frozenset(tools or ())
    said = [run for run in runs if run.kind == "text" and says(source.slice(run.start, run.end))] if pairs else []
    found, pieces = [], []
    for pair in pairs:
        begin, end = pair.opener.end, pair.inner_end
        words = _WORD.findall(source.slice(begin, min(end, begin + _LONGEST)))
        name = next((word for word in words if word in names), None)
        if name or (says(source.slice(begin, end)) and _is_all(pair, said)):
            call = RawCall(name=name, arguments={}, payload=(begin, end), reason="the markup cannot be read")
            found.append(_found(call, pair.opener, pair.end, closed=True))
            pieces += [
                TextRun("markup", pair.opener.start, begin),
                TextRun("call", begin, end),
                TextRun("markup", end, pair.end),
            ]
    if last and not says(source.slice(last.end, source.length)) and _is_made(last, runs, source):
        call = RawCall(name=None, arguments={}, payload=(last.end, last.end), partial=[""], lack="more")
        found.append(_found(call, last, source.length, closed=False))
        pieces.append(TextRun("markup", last.start, source.length))
    runs.cover([piece for piece in pieces if piece.end > piece.start])
    return found


def _found(call: RawCall, opener: Opener, end: int, *, closed: bool) -> FoundCall:
    return FoundCall(
        call=call, dialect=opener.dialects[0], marker=opener.marker, start=opener.start, end=end, closed=closed,
        at_end=not closed, runs=range(0),
    )  # fmt: skip


def _is_all(pair: MarkerPair, said: Sequence[TextRun]) -> bool:
    """Whether nothing is said outside of a pair. `said`: the runs of text that say something, in order."""
    return not said or (said[0].end > pair.opener.start and said[-1].start < pair.end)


def _is_made(opener: Opener, runs: Runs, source: Source) -> bool:
    index = next((i for i, run in enumerate(runs) if run.end > opener.start), len(runs))
    inside = runs[index] if index < len(runs) else None
    if inside and inside.kind == "reasoning":
        return False
    ahead = source.slice(inside.start, opener.start) if inside and inside.kind == "text" else ""
    return lead_in(before_run(index, runs, source) + ahead) == "made"
