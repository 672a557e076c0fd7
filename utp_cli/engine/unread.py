"""Markers behind which no call was read: what stands between a pair of them, or behind one, is no answer.

- A pair around the name of a known tool, or a pair that is all there is: a call that cannot be read. In the middle of a
  sentence it is shown.
- An opening marker with that name right behind it, which nothing closes: a call that cannot be read, too.
- An opening marker at the very end, or half a header behind it: a call that was cut off before it said anything.
- A pair around nothing, where a call could stand, or a marker that is written twice: markup.

Other markers of that kind are text: somebody speaks about them.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from utp_cli.engine.found import FoundCall
from utp_cli.engine.layout import TextRun
from utp_cli.engine.reading import HEADER_LIMIT, RawCall
from utp_cli.engine.standing import LOOK_BACK, before_run, goes_on, lead_in, says
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.runs import Runs
    from utp_cli.engine.source import Source
    from utp_cli.engine.standing import LeadIn

_WORD = regex(r"[\w.-]+")
_HEADED = regex(r"\|>([\w.-]+)\Z")
_LONGEST = 20_000
"""Characters between two markers in which a tool's name is looked for."""
_HALF_FENCE = regex(r"`{1,3}\w*")
_HALF_TAG = regex(r"[^<>{}\n]{1,200}")
_HALF_ELEMENT = regex(r"<[^</>\n]{0,200}")
_HALF_MESSAGE = regex(r"[^<>{}\n]{0,200}\bto=[^<>{}\n]{0,200}(?:<[^{}\n]{0,60})?")
"""What the text may end in behind an opening marker so that it began a call: for tags, elements, message headers."""
_HEADER = 200
"""Characters behind a marker that nothing closes, and words in them, in which it is."""
_HEADER_WORDS = 3


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
        return any(marker in (*dialect.closers, *dialect.section_close) for dialect in self.dialects)


class MarkerPair(NamedTuple):
    """An opening and a closing marker with no call between them: `[opener.start, end)`.

    Where nothing closes the opening one, both ends are where the next marker opens, or the text ends.
    """

    opener: Opener
    inner_end: int
    end: int

    @property
    def closed(self) -> bool:
        return self.end > self.inner_end


class Openers:
    """The opening markers of a text that no call was read behind."""

    def __init__(self) -> None:
        self.last: Opener | None = None
        """While neither a call, nor another marker, has followed it."""
        self.pairs: list[MarkerPair] = []
        """In order; none overlaps another."""

    @property
    def any(self) -> bool:
        return self.last is not None or bool(self.pairs)

    def opened(self, hit: Hit, end: int, run: int, *, token: bool) -> None:
        """A marker opens, `run` the run behind it."""
        if opener := Opener.of(hit, end, run, token=token):
            self._left_open(hit.start)
            self.last = opener

    def closed(self, hit: Hit, end: int) -> None:
        """A marker closes, if it closes the last one."""
        if self.last and self.last.closed_by(hit.marker):
            self.pairs.append(MarkerPair(self.last, hit.start, end))
            self.last = None

    def followed(self, hit: Hit, dialect: Dialect | None) -> int | None:
        """Markup that was read follows, calls of `dialect`; return the run behind the section that they stand in.

        The same marker once more opens nothing inside: what stands between the two is nobody's.
        """
        last = self.last
        if last and last.token and dialect in last.dialects and hit.marker.strip() != last.marker:
            self.last = None
            return last.run
        self._left_open(hit.start)
        return None

    def _left_open(self, position: int) -> None:
        if self.last:
            self.pairs.append(MarkerPair(self.last, position, position))
            self.last = None


def unread_calls(openers: Openers, runs: Runs, source: Source, tools: Iterable[str] | None) -> list[FoundCall]:
    """Return what the pairs, and the last opening marker, stand for; take it out of the text."""
    if not openers.any:
        return []
    pairs, last = openers.pairs, openers.last
    names = frozenset(tools or ())
    said = [run for run in runs if run.kind == "text" and says(source.slice(run.start, run.end))] if pairs else []
    found, pieces = [], []
    joined, made = -1, False  # markers in a row stand where the first does
    for pair in [*pairs, *([MarkerPair(last, source.length, source.length)] if last else ())]:
        marker = pair.opener.marker
        behind = source.slice(pair.inner_end, min(source.length, pair.inner_end + len(marker)))
        again = not pair.closed and behind == marker and pair.opener.end == pair.inner_end
        if (pair.closed or again) and not says(source.slice(pair.opener.end, pair.inner_end)):
            made = made if pair.opener.start == joined else _lead_in(pair.opener, runs, source) == "made"
            joined = pair.inner_end if again else -1
            pieces += [TextRun("markup", pair.opener.start, pair.end)] * made
            continue
        one = _closed(pair, said, runs, source, names) if pair.closed else _open(pair, runs, source, names)
        found += [one] if one else []
        if one is None or one.standing == "shown":  # text has its markers at both ends
            both = pair.closed or pair.end >= source.length
            ends = ((pair.opener.start, pair.opener.end), (pair.inner_end, pair.end)) if both else ()
            pieces += [TextRun("text", *end) for end in ends]
        else:
            begin, end = one.call.payload
            pieces += [
                TextRun("markup", one.start, begin),
                TextRun("call", begin, end),
                TextRun("markup", end, one.end),
            ]
    runs.cover([piece for piece in pieces if piece.end > piece.start])
    return found


def _closed(
    pair: MarkerPair, said: Sequence[TextRun], runs: Runs, source: Source, names: frozenset[str]
) -> FoundCall | None:
    """What stands between two markers, if it is about a known tool, or all there is."""
    begin, end = pair.opener.end, pair.inner_end
    words = _WORD.findall(source.slice(begin, min(end, begin + _LONGEST)))
    headed = _name_before(pair.opener, source, names)
    name = headed or next((word for word in words if word in names), None)
    if name is None and not _is_all(pair, said):
        return None
    call = RawCall(name=name, arguments={}, payload=(begin, end), reason="the markup cannot be read")
    lead = "made" if headed else _lead_in(pair.opener, runs, source)
    if name and (lead == "shown" or (lead == "inline" and goes_on(_line_behind(pair.end, source)))):
        call.reason = ""
        return _found(call, pair, pair.end, shown=True)
    return _found(call, pair, pair.end, headed=headed)


def _open(pair: MarkerPair, runs: Runs, source: Source, names: frozenset[str]) -> FoundCall | None:
    """What stands behind a marker that nothing closes, if that begins with a known tool, or is nothing at all."""
    begin, end = pair.opener.end, pair.inner_end
    header = source.slice(begin, min(end, begin + _HEADER)).split("\n\n", 1)[0]
    words = [word.removeprefix("functions.") for word in _WORD.findall(header)[:_HEADER_WORDS]]
    headed = _name_before(pair.opener, source, names)
    name = headed or next((word for word in words if word in names), None)
    nothing = end >= source.length and _is_cut(pair.opener, source)
    if not (name or nothing) or not (headed or _lead_in(pair.opener, runs, source) == "made"):
        return None
    if nothing:
        payload = (begin, end if name else begin)
        return _found(RawCall(name=name, arguments={}, payload=payload, partial=[""], lack="more"), pair, end)
    paragraph = source.slice(begin, end).split("\n\n", 1)[0].rstrip()
    payload = (begin, begin + len(paragraph))
    call = RawCall(name=name, arguments={}, payload=payload, reason="the markup cannot be read")
    return _found(call, pair, payload[1], headed=headed)


def _name_before(opener: Opener, source: Source, names: frozenset[str]) -> str:
    """Return the known tool whose name stands between a token and a marker, in dialects that write it there."""
    if not opener.dialects[0].body.named_before:
        return ""
    before = _HEADED.search(source.slice(max(0, opener.start - _HEADER), opener.start))
    return before[1] if before and before[1] in names else ""


def _is_cut(opener: Opener, source: Source) -> bool:
    """Whether the text ends behind an opening marker, or in what begins a call there: a tag, a header, a fence."""
    rest = source.slice(opener.end, min(source.length, opener.end + HEADER_LIMIT)).strip()
    if not rest or opener.end + HEADER_LIMIT < source.length:
        return not says(source.slice(opener.end, source.length))
    whole = source.slice(opener.start, source.length)
    calls = [marker for dialect in opener.dialects for marker in dialect.call_open]
    if any(marker.startswith((rest, whole)) for marker in calls) or _HALF_FENCE.fullmatch(rest):
        return True
    if opener.marker[-1] not in ">|]":
        return _HALF_TAG.fullmatch(rest) is not None
    bodies = [dialect.body for dialect in opener.dialects]
    if any(body.thinking_channels for body in bodies):
        return _HALF_MESSAGE.fullmatch(rest) is not None
    return any(body.tagged for body in bodies) and _HALF_ELEMENT.fullmatch(rest) is not None


def _found(call: RawCall, pair: MarkerPair, end: int, *, shown: bool = False, headed: str = "") -> FoundCall:
    return FoundCall(
        call=call, dialect=pair.opener.dialects[0], marker=pair.opener.marker,
        start=pair.opener.start - len(headed), end=end, closed=pair.closed,
        at_end=not pair.closed and end >= pair.end, runs=range(0), standing="shown" if shown else "made",
    )  # fmt: skip


def _is_all(pair: MarkerPair, said: Sequence[TextRun]) -> bool:
    """Whether nothing is said outside of a pair. `said`: the runs of text that say something, in order."""
    return not said or (said[0].end > pair.opener.start and said[-1].start < pair.end)


def _line_behind(position: int, source: Source) -> str:
    return source.slice(position, min(position + LOOK_BACK, source.length)).split("\n", 1)[0]


def _lead_in(opener: Opener, runs: Runs, source: Source) -> LeadIn:
    """Say what the text before a marker makes of it; what is thought is shown."""
    index = bisect_right(runs, opener.start, key=attrgetter("end"))
    inside = runs[index] if index < len(runs) else None
    if inside and inside.kind == "reasoning":
        return "shown"
    ahead = ""
    if inside and inside.kind == "text":
        ahead = source.slice(max(inside.start, opener.start - LOOK_BACK), opener.start)
    return lead_in(before_run(index, runs, source) + ahead)
