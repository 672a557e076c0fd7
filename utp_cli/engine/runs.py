"""The stretches of a text as the machine found them; decisions are taken back here, over runs, not over text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.engine.layout import RunKind, TextRun
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from utp_cli.engine.source import Source

_LONGEST_NAME = 128
_NAME = regex(r"[^\W\d][\w.:-]*")
_LAST_WORD = regex(r"(?<![\w.:-])[\w.:-]+\Z")


class Runs(list[TextRun]):
    """Runs in order, without gap or overlap."""

    def add(self, run: TextRun) -> None:
        """Append a run; one that goes on with the last one's kind makes that longer."""
        last = self[-1] if self else None
        if last and last.kind == run.kind and last.end == run.start:
            self[-1] = TextRun(last.kind, last.start, run.end)
        else:
            self.append(run)

    def relabel(self, which: range, kind: RunKind, only: RunKind | None = None) -> None:
        """Give the runs `which` (those of the kind `only`) another kind."""
        for index in which:
            run = self[index]
            if only is None or run.kind == only:
                self[index] = TextRun(kind, run.start, run.end)

    def make_thought(self, first: int, source: Source, openers: Container[str]) -> None:
        """Make thought of the text from the run `first` on, and of the markers that are named in it.

        A token right at the beginning is markup, unless it is one of the `openers`: a draft of a call begins there.
        """
        begun = self[first] if first < len(self) else None
        if begun and begun.kind == "token" and source.slice(begun.start, begun.end) not in openers:
            first += 1
        for kind in ("text", "token"):
            self.relabel(range(first, len(self)), "reasoning", only=kind)

    def take_header(self, name: str | None, source: Source, *, cut: bool = False) -> str | None:
        """Make markup of the name that the text ends in: the tool's, or any word that stands behind a token. Return
        the tool's name, or that word where it has none. `cut`: of the tool's name there may be only a beginning.
        """
        last = self[-1] if self else None
        if not last or last.kind != "text":
            return name
        ends_in = _LAST_WORD.search(source.slice(max(last.start, last.end - _LONGEST_NAME), last.end))
        word = ends_in[0] if ends_in and (ends_in[0] == name or (cut and name and ends_in[0].startswith(name))) else ""
        behind_token = len(self) > 1 and self[-2].kind == "token" and last.end - last.start <= _LONGEST_NAME
        if not word and behind_token and _NAME.fullmatch(said := source.slice(last.start, last.end)):
            word = said
        if word:
            self.claim([TextRun("markup", last.end - len(word), last.end)])
        return name or word or None

    def drop_label(self, labels: Sequence[str], source: Source) -> bool:
        """Make markup of the last run where it is one of the labels, and no more; return whether it was."""
        last = self[-1] if self else None
        if not last or last.kind != "text" or source.slice(last.start, last.end) not in labels:
            return False
        self[-1] = TextRun("markup", last.start, last.end)
        return True

    def opening_words(self, words: Sequence[str], source: Source) -> TextRun | None:
        """Return which of the words the text begins with, blanks aside, as the markup that it is; None where none."""
        first = self[0] if self and words else None
        if first is None or first.kind != "text":
            return None
        text = source.slice(first.start, first.end)
        begin = len(text) - len(text.lstrip())
        word = next((word for word in words if text.startswith(word, begin)), "")
        return TextRun("markup", first.start + begin, first.start + begin + len(word)) if word else None

    def cover(self, pieces: list[TextRun]) -> None:
        """Put pieces, in order, in the place of whatever stands there."""
        runs: list[TextRun] = []
        at = 0
        for run in self:
            start = run.start
            while at < len(pieces) and pieces[at].start < run.end:
                piece = pieces[at]
                runs += [TextRun(run.kind, start, piece.start)] if piece.start > start else []
                runs += [piece] if piece.start >= run.start else []
                start = max(start, piece.end)
                if piece.end > run.end:
                    break
                at += 1
            runs += [TextRun(run.kind, start, run.end)] if run.end > start else []
        self[:] = runs

    def claim(self, pieces: list[TextRun]) -> None:
        """Cut pieces, in order, out of text: they are what they say. Pieces that are no text stay as they were."""
        runs: list[TextRun] = []
        left = pieces[::-1]
        for run in self:
            at = run.start
            while run.kind == "text" and left and left[-1].end <= run.end:
                piece = left.pop()
                if piece.start < at:
                    continue
                runs += [TextRun("text", at, piece.start)] if piece.start > at else []
                runs.append(piece)
                at = piece.end
            runs += [TextRun(run.kind, at, run.end)] if run.end > at else []
        self[:] = runs
