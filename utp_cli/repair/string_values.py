"""What a string says: from its text, once both its ends are known, to its value and the edits that takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from utp_cli.repair.codes import Edit
from utp_cli.repair.escapes import decode, quoted, unescaped, unfinished

if TYPE_CHECKING:
    from utp_cli.repair.quotes import QuoteStyle

EndedBy = Literal["quote", "separator", "marker", "text"]
"""`separator`: never closed, it ended before what must stand outside. `text`: everything ended."""


class WrittenString(NamedTuple):
    """A string as it stands in the text. Offsets, not indexes."""

    style: QuoteStyle
    start: int
    body: int
    """Where its content begins."""
    raw: str
    """Its content, escapes included."""
    end: int
    """Just behind its content."""
    closer: str
    """What stands between its content and the place where reading goes on."""
    by: EndedBy
    sure: bool
    """False where code in it makes the end a guess."""
    faulty: bool
    """Quotes in it were taken for content."""

    @property
    def resume(self) -> int:
        """Where reading goes on."""
        return self.end + len(self.closer)

    @property
    def source(self) -> str:
        """The string as it was written."""
        return self.style.opener + self.raw + self.closer

    @property
    def is_cut(self) -> bool:
        """Whether text or payload ended in it."""
        return self.by in ("text", "marker")

    @property
    def closed_at(self) -> int:
        """Just behind its closing quote; -1 where it has none, or where another string cannot go on with it."""
        return self.resume if self.by == "quote" and not self.style.whole else -1

    def decoded(self) -> tuple[str, list[Edit]]:
        """Return the value, and the edits that make proper JSON of the string."""
        raw, style = self.raw, self.style
        edits: list[Edit] = []
        if self.by == "text" and (kept := unfinished(raw)) < len(raw):
            edits.append(Edit("truncated-escape", self.body + kept, raw[kept:], ""))
            raw = raw[:kept]
        closed = self.by == "quote" and self.closer
        if not closed:
            edits.append(Edit("unclosed-string", self.end, "", '"', None if self.sure else "guess"))
        if style.whole:
            value, _ = decode(unescaped(raw) if style.entities else decode(raw)[0])
            lacks = [edit._replace(start=self.resume, before="", after="") for edit in edits]
            return value, [Edit(style.code, self.start, self.source, quoted(value)), *lacks]
        value, inner = decode(raw, self.body, style.closer, literal=style.literal)
        if style.code and closed:
            edits.append(Edit(style.code, self.end, self.closer, '"', "likely" if self.faulty else None))
        return value, [*self._opening(), *(map(self._own, inner) if style.code else inner), *edits]

    def _own(self, edit: Edit) -> Edit:
        """A double quote inside other quotes, or an escape only they need, is part of the style."""
        if edit.before in ('"', "\\" + self.style.closer):
            return edit._replace(code=self.style.code)
        return edit._replace(code="string-prefix") if self.style.literal else edit

    def _opening(self) -> list[Edit]:
        opener, code = self.style.opener, self.style.code
        prefix = opener.rstrip("\"'") if self.style.prefixed else ""
        edits = [Edit("string-prefix", self.start, prefix, "")] if prefix else []
        return [*edits, Edit(code, self.start + len(prefix), opener[len(prefix) :], '"')] if code else edits
