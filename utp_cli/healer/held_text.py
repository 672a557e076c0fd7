"""A text in which calls may stand, and how far it is certain that no call stands in it.

What dialects mark, the engine finds: what it has not decided waits, and so does a call that it found, until its place
says that it is only shown. What has no markers is looked for where a line begins (`unmarked`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.engine.standing import before_run, goes_on, lead_in, says
from utp_cli.healer.unmarked import Unmarked
from utp_cli.repair.names import known_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.engine.found import FoundCall
    from utp_cli.engine.machine import Engine
    from utp_cli.protocol.tools import Tool

SPECIAL: Final = "<|"
"""How the special tokens of most models begin: thinking between such is to be seen by no client."""
THINKING: Final = frozenset(marker for dialect in DIALECTS for pair in dialect.reasoning for marker in pair)
"""Tags of thinking: they stay, as the client of such a server expects them."""
_BLANKS: Final = 2
"""Characters that the engine may leave undecided and that are passed where they are blank."""
_FEW: Final = 40
"""Characters of words that may stand between a token and its call."""
_ENOUGH: Final = 400
"""Characters of a text that tell whether it is prose."""
_PROSE: Final = re.compile(r"\w[^\w\s]*\s\W*\w")


def is_prose(text: str) -> bool:
    """Whether a text is more than a word or two: a token that it follows belongs to no call behind it."""
    return len(text) >= _FEW and _PROSE.search(text) is not None


class HeldText:
    """One text of an answer. `certain`: characters from its beginning that are part of no call."""

    def __init__(self, engine: Engine, tools: Mapping[str, Tool] | None, *, marked_only: bool = False) -> None:
        """`marked_only`: what has no markers is no call."""
        self.certain = 0
        self.length = 0
        self._engine = engine
        self._tools = tools
        self._unmarked = Unmarked(tools, reads=not marked_only)
        self._looked = 0
        """Characters that `unmarked` has seen."""
        self._found = 0
        """Calls of the engine that turned out to be shown."""
        self._made = False

    def grow(self, length: int) -> None:
        """Look on: the engine has read `length` more characters."""
        self.length += length
        while not self._made and self._advance():
            pass

    def release(self) -> None:
        """The text is settled: nothing of it waits."""
        self.certain = self.length

    def _advance(self) -> bool:
        """Move on to the next thing that is in doubt; True where that was decided."""
        bound, found = self._bound()
        if bound > self._looked:
            self._unmarked.feed(self._visible(bound))
            self._looked = bound
        self.certain = min(self._unmarked.safe, bound)
        if found is None and self.certain == bound < self.length <= bound + _BLANKS:
            # Blanks may begin a marker, and no client misses them.
            self.certain = self.length if self._engine.source.slice(bound, self.length).isspace() else bound
        if self._unmarked.made:
            self._made = True
            return False
        if found is None:
            return False
        judged = self._judge(found)
        if judged is None:
            return False
        self._made = judged
        if not judged:
            self._found += 1
            if found.end > self._looked:
                self._unmarked.feed(self._engine.source.slice(self._looked, found.end))
                self._looked = found.end
                self.certain = self._unmarked.safe
        return not judged

    def _visible(self, bound: int) -> str:
        """The text up to `bound` that `unmarked` has not seen; empty lines stand for thinking and its tags."""
        pieces: list[str] = []
        for run in reversed(self._engine.runs):
            if run.end <= self._looked:
                break
            start, end = max(run.start, self._looked), min(run.end, bound)
            if end > start:
                pieces.append(self._engine.source.slice(start, end) if run.kind == "text" else "\n" * (end - start))
        return "".join(reversed(pieces))

    def _bound(self) -> tuple[int, FoundCall | None]:
        """Return how far the engine sees text and thinking alone, and the call that ends it."""
        engine = self._engine
        found = engine.found[self._found] if len(engine.found) > self._found else None
        runs = []
        for run in reversed(engine.runs):
            if run.end <= self._looked:
                break
            runs.append(run)
        prose = False
        stop = runs[0].end if runs else self._looked
        for run in runs:  # last first
            if found and run.start >= found.start:
                stop = found.start
                continue
            if run.kind == "text":
                prose = prose or is_prose(engine.source.slice(run.start, min(run.end, run.start + _ENOUGH)))
            elif run.kind in ("token", "markup"):
                marker = engine.source.slice(run.start, run.end)
                special = run.kind == "markup" and SPECIAL in marker
                if special or (not prose and marker.strip() not in THINKING):
                    stop = run.start
        return stop, found

    def _judge(self, found: FoundCall) -> bool | None:
        """Say whether a call is made; None while what follows may still tell."""
        engine, name = self._engine, found.call.name
        if name is None or found.call.reason or engine.runs[found.runs.start].kind == "reasoning":
            return False
        if self._tools is not None and known_name(name, self._tools)[0] not in self._tools:
            return False
        if found.thought:
            return None
        behind = next((run for run in engine.runs[found.runs.stop :] if run.kind == "text"), None)
        rest = engine.source.slice(behind.start, behind.end) if behind else ""
        if found.quoted:
            return False if found.quoted == "inline" or says(rest) else None
        lead = lead_in(before_run(found.runs.start, engine.runs, engine.source))
        if lead != "inline":
            return lead == "made"
        line, end, _ = rest.partition("\n")
        return False if goes_on(line) else True if end else None
