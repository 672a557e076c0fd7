"""Which dialects an engine listens for, and what each of their markers means where."""

from __future__ import annotations

from functools import lru_cache
from operator import methodcaller
from typing import TYPE_CHECKING

from utp_cli.engine.markers import Markers, Meaning
from utp_cli.engine.reading import Context

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from utp_cli.dialects.bodies import Body
    from utp_cli.dialects.spec import Dialect
    from utp_cli.engine.markers import Hit
    from utp_cli.engine.reading import Live
    from utp_cli.protocol.tools import Tool


class Plan:
    """Which dialects an engine listens for, in which order; made once and shared by all text fields."""

    def __init__(self, dialects: Sequence[Dialect], asked: Sequence[str] = ()) -> None:
        """`dialects`: most likely first. `asked`: names somebody asked for, which may go without markers."""
        self._rank = {dialect.name: rank for rank, dialect in enumerate(dialects)}
        self._asked = frozenset(asked)
        marked = (p for d in dialects for p in _marked(d, asked=d.name in self._asked))
        self.markers = Markers(marked, tells_half=True)
        self.thinks = any(d.reasoning for d in dialects if d.name in self._asked)
        """A dialect that was asked for has thinking."""
        self.prompt_tail = next((d.prompt_tail for d in dialects[:1] if d.name in self._asked), "")
        """What the prompt of the dialect that was asked for first ends in."""
        self.sections = frozenset(marker for d in dialects for marker in d.section_open)
        """What opens a section of calls."""
        self._openers = [m for d in dialects for m in (*(pair[0] for pair in d.reasoning), *d.markers)]
        self._closers = [
            marker
            for d in dialects
            for marker in (*(close for _, close in d.reasoning), *d.closers, *d.section_close, *d.dropped)
        ]
        self._unthink = tuple(close for d in dialects for _, close in d.reasoning if close.strip())
        self._local: dict[str, tuple[Markers, tuple[str, ...]]] = {}
        self._ordered: dict[tuple[str, str], list[Meaning]] = {}

    def order(self, hit: Hit, section: Dialect | None) -> list[Meaning]:
        """Calls before sections before tokens; the dialect of the open section first, then as ranked."""
        name = section.name if section else ""
        known = self._ordered.get((hit.marker, name))
        if known is None:
            known = self._ordered[hit.marker, name] = sorted(
                hit.meanings,
                key=lambda m: (_ROLES.index(m.role), m.dialect.name != name, self._rank[m.dialect.name]),
            )
        return known

    def context(self, dialect: Dialect, tools: Mapping[str, Tool] | None, live: Live) -> Context[Body]:
        if dialect.name not in self._local:
            marked = list(_local_markers(dialect))
            self._local[dialect.name] = (Markers(marked), tuple(dict.fromkeys(marker for marker, _ in marked)))
        local, until = self._local[dialect.name]
        return Context(dialect=dialect, body=dialect.body, tools=tools, local=local, until=until, live=live)

    def open_tail(self, prompt: str) -> str:
        """Return the prompt from its last opening marker on if nothing closed it: the answer goes on with that.

        So it does with a prompt that is the beginning of a marker.
        """
        if not prompt:
            return ""
        if any(map(methodcaller("startswith", prompt), self._openers)):
            return prompt
        at = max((prompt.rfind(opener) for opener in self._openers), default=-1)
        ended = max((prompt.rfind(closer) for closer in self._closers), default=-1)
        return prompt[at:] if at >= 0 and at >= ended else ""

    def has_thought(self, prompt: str) -> bool:
        """Whether the prompt ends with closed thinking: what comes is the answer."""
        return bool(prompt) and prompt.rstrip().endswith(self._unthink)


_ROLES = ("call", "bare", "think", "unthink", "end", "section", "drop")


def _is_word(marker: str) -> bool:
    """Whether prose may hold a marker: it has none of the signs that markers begin with."""
    return not any(sign in marker for sign in "<[|◁]")


@lru_cache(maxsize=256)
def _marked(dialect: Dialect, *, asked: bool) -> tuple[tuple[str, Meaning], ...]:
    """List a dialect's markers with their meanings; word markers of thinking and bare payloads if it is asked for."""
    thinking = [pair for pair in dialect.reasoning if asked or not _is_word(pair[0])]
    closers = tuple(close for open_, close in dialect.reasoning if (open_, close) in thinking or not _is_word(close))
    others = (*dialect.call_close, *dialect.dropped)  # so ends anybody's turn: see `_opening_words`
    shared = {close for close in closers if close in others or (not asked and close.startswith(others))}
    ends = () if dialect.body.plain_words else dialect.closers  # words that prose holds too stay in it
    roles = (
        ("call", dialect.call_open),
        ("section", dialect.section_open),
        ("bare", (*dialect.body.leading, *(dialect.body.bare if asked else ()))),
        ("think", tuple(open_ for open_, _ in thinking)),
        ("unthink", tuple(close for close in closers if close not in shared)),
        ("end", (*dialect.ends_thinking, *shared)),
        ("drop", (*dialect.section_close, *ends, *dialect.dropped)),
    )
    return tuple((marker, Meaning(role=role, dialect=dialect)) for role, markers in roles for marker in markers)  # type: ignore[arg-type]


def _local_markers(dialect: Dialect) -> Iterator[tuple[str, Meaning]]:
    """List the markers that structure a payload; the first role given to a marker counts."""
    argument = dialect.body.argument
    for role, markers in (
        ("argument", (argument.open,) if argument else ()),
        ("argument-close", (argument.close,) if argument and argument.close else ()),
        ("close", (*dialect.closers, *dialect.section_close)),
        ("separator", dialect.body.separators),
        ("open", dialect.markers),
        ("close", dialect.dropped),
    ):
        for marker in markers:
            yield marker, Meaning(role=role, dialect=dialect)  # type: ignore[arg-type]
