"""The ways to quote a string: JSON's own and those that models write."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, replace
from utp_cli.repair.lookahead import STRONG, ValuePlace, strength
from utp_cli.repair.text_window import Starved

if TYPE_CHECKING:
    from utp_cli.repair.text_window import TextWindow


class QuoteStyle(Record):
    """A way to quote a string."""

    opener: str
    closer: str
    code: str = ""
    """The repair it asks for; JSON's own asks for none."""
    also: str = ""
    """Another closer, taken where it fits well."""
    level: Literal[1, 2] = 1
    """2 where everything is escaped once too often, the quotes too."""
    literal: bool = False
    """Backslashes are characters, as behind the prefix `r`."""
    first: bool = False
    """The first closer ends it, whatever follows."""
    entities: bool = False
    prefixed: bool = False
    """A letter as in `r'…'` stands before the opener, and is part of it."""

    @property
    def whole(self) -> bool:
        """Whether its content is written anew, so that one edit covers the whole string."""
        return self.level == 2 or self.entities


JSON: Final = QuoteStyle(opener='"', closer='"')
STYLES: Final = (
    QuoteStyle(opener='"""', closer='"""', code="triple-quotes", first=True),
    QuoteStyle(opener="'''", closer="'''", code="triple-quotes", first=True),
    QuoteStyle(opener='""', closer='""', code="doubled-quotes"),
    JSON,
    QuoteStyle(opener="'", closer="'", code="single-quotes"),
    QuoteStyle(opener="“", closer="”", code="smart-quotes", also='"'),
    QuoteStyle(opener="”", closer="”", code="smart-quotes", also='"'),
    QuoteStyle(opener="„", closer="“", code="smart-quotes", also="”"),
    QuoteStyle(opener="‘", closer="’", code="smart-quotes", also="'"),
    QuoteStyle(opener="’", closer="’", code="smart-quotes", also="'"),
    QuoteStyle(opener="«", closer="»", code="smart-quotes", also='"'),
    QuoteStyle(opener="´", closer="´", code="smart-quotes", also="'"),
    QuoteStyle(opener="`", closer="`", code="backtick-quotes"),
    QuoteStyle(opener="＂", closer="＂", code="fullwidth-punctuation", also='"'),
    QuoteStyle(opener='\\"', closer='\\"', code="over-escaped", level=2),
    QuoteStyle(opener="\\'", closer="\\'", code="over-escaped", level=2),
    QuoteStyle(opener="&quot;", closer="&quot;", code="html-entities", entities=True),
    QuoteStyle(opener="&#34;", closer="&#34;", code="html-entities", entities=True),
    QuoteStyle(opener="&apos;", closer="&apos;", code="html-entities", entities=True),
    QuoteStyle(opener="&#39;", closer="&#39;", code="html-entities", entities=True),
)
OPENERS: Final = frozenset(style.opener[0] for style in STYLES)
_PREFIX: Final = regex(r"(?:[rR][bBfF]?|[bBfF][rR]?|[uU])(?=[\"'])")
_DOUBLED: Final = regex(r'""(?=[^",:}\]\s\\])[^"\\]*(?:\\(?:.|\Z)[^"\\]*)*("?"?)', re.DOTALL)


def open_string(source: TextWindow, at: int, place: ValuePlace) -> tuple[QuoteStyle, int] | None:
    """Say how the string that begins at index `at` is quoted, and where its content begins; None where
    none does.

    Raises Starved where more text could change the answer.
    """
    text, begin = source.window, at
    prefix = _PREFIX.match(text, at)
    if prefix:
        at = prefix.end()
        if strength(source, at + 1, place) == STRONG:
            return None  # a word that lost its opening quote
    elif source.peek(at) not in OPENERS:
        if text[at] in "rRbBfFuU" and not source.closed and len(text) - at < 3:
            raise Starved
        return None
    if not source.closed and len(text) - at < 6 and (text[at] in "&\\" or len(set(text[at:])) == 1):
        raise Starved
    for style in STYLES:
        if text.startswith(style.opener, at) and (style.opener != '""' or _is_doubled(source, at)):
            body = at + len(style.opener)
            if prefix:
                literal = "r" in prefix[0].lower()
                return replace(style, opener=text[begin:body], prefixed=True, literal=literal), body
            return style, body
    return None


def _is_doubled(source: TextWindow, at: int) -> bool:
    """Whether `""` opens a string that `""` closes, rather than being an empty one."""
    found = _DOUBLED.match(source.window, at)
    if found and found.end() == len(source.window):
        if not source.closed:
            raise Starved
        return found[1] != '"'
    return found is not None and found[1] == '""'
