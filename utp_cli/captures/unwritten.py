"""What a text was before something wrote it down: Docker's log files, strings of JSON, pages, tables, narrow windows.

The first functions are layers (see `lines.py`): what they undo shows in the text. `rewritten` guesses, and is for texts
in which nothing was found.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import lines_of
from utp_cli.repair.escapes import unescaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from utp_cli.captures.mapped import Mapped
    from utp_cli.protocol.spans import Span

_STRING: Final = r"\"((?>(?:[^\"\\\n]++|\\.)*))\""
_DOCKER: Final = regex(
    rf"^[ \t]*\{{\"log\": ?{_STRING}, ?\"stream\": ?\"\w{{1,10}}\"(?:, ?\"attrs\": ?\{{[^{{}}\n]*\}})?"
    r"(?:, ?\"time\": ?\"[^\"\n]{1,40}\")?\}[ \t\r]*(?:\n|\Z)",
    re.MULTILINE,
)
"""A line of the file that Docker keeps in what a container printed (driver json-file, Docker 28, November 2026)."""
_WHOLE: Final = regex(rf"\s*(?:b?{_STRING}|b?'((?>(?:[^'\\\n]++|\\.)*))')\s*\Z")
_ESCAPE: Final = regex(
    r"(?:\\x[0-9a-fA-F]{2})+|\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)"
)
_QUOTE_ENTITY: Final = regex(r"&(?:#39|#x27|apos);")
_ENTITY: Final = regex(r"&(?:quot|apos|amp|lt|gt|#39|#x27|#34);")
_BARE_QUOTE: Final = regex(r'(?<!\\)"')
_FIRM_SPACE: Final = regex(r"[\u00a0\u2007\u202f]")
_OF_PAGES: Final = regex(
    r"(?P<space>[\u00a0\u2007\u202f])|</?(?:pre|code|p|br|div|span|b|i|strong|em|details|summary)(?: [^<>\n]{1,80})?/?>"
    r"|(?P<bar>\\(?=\|))"
    r"|(?P<cell>\|(?:[ \t]*:?-{3,}:?[ \t]*\|){1,20}|(?<=[ \n])\|(?=[ \n])|^\| | \|\Z)"
)
"""Spaces that keep words together, tags, and the lines between the cells of a table."""
_IN_PLACE_OF: Final = {"space": " ", "cell": "\n", "bar": "", None: ""}
"""What is put for each, by the name of its group."""
_RAISED: Final = regex(
    r"\s*(?:raise|throw(?: new)?)[ ]+([\w.]{2,80})\("
    rf"\s*(?:[rf]{{0,2}}(?:{_STRING}|'(?>(?:[^'\\\n]++|\\.)*)')\s*\+?\s*){{1,20}},?\s*\);?\s*\Z"
)
"""One statement that raises an error with a text."""
_TELLS: Final = 80
"""Characters of such a statement that nobody writes as an answer."""
_LITERAL: Final = regex(rf"{_STRING}|'((?>(?:[^'\\\n]++|\\.)*))'")
_WORD: Final = regex(r"[^\s`*#-][^\s]{0,40}(?=\s|\Z)")
"""A word that a sentence may go on with."""
_NARROWEST: Final = 40
"""Characters of the width of a terminal."""
_WIDTHS: Final = frozenset({72, 76, 78, 79, 80, 100, 120, 132, 160})
"""Widths at which one broken line is enough: any text has a line that is the longest."""
_SEVERAL: Final = 2
_ITSELF: Final = "\"'\\/"


def docker_lines(mapped: Mapped) -> Mapped | None:
    """Return a text with what a container printed in place of the lines of Docker's file; None where there are none."""
    text = mapped.text
    if not _DOCKER.search(text):
        return None
    return mapped.made_of(_replaced(text, _DOCKER, lambda line: _unescaped(text, *line.span(1))))


def quoted_string(mapped: Mapped) -> Mapped | None:
    """Return what a text means that is one string of JSON or Python, or stood in one; None where nothing is escaped."""
    found = _WHOLE.match(mapped.text)
    if found is None and mapped.text.count('\\"') >= _SEVERAL and not _BARE_QUOTE.search(mapped.text):
        return mapped.made_of(_unescaped(mapped.text))
    if found is None or "\\" not in found[0]:
        return None
    return mapped.made_of(_unescaped(mapped.text, *found.span(found.lastindex or 1)))


def plain_spaces(mapped: Mapped) -> Mapped | None:
    """Return a text with plain spaces for those that keep words together; None where there are none, or a document."""
    text = mapped.text
    if "{" in text or not _FIRM_SPACE.search(text):
        return None
    return replace(mapped, text=_FIRM_SPACE.sub(" ", text))


_TAG_IN_ENTITIES: Final = regex(r"&lt;[/|\uff5c]?[\w|\uff5c]|\|&gt;")
"""Markup, escaped."""


def without_entities(mapped: Mapped) -> Mapped | None:
    """Return what a text means that was taken out of a page; None where quotes and tags stand for themselves."""
    text = mapped.text
    quotes = ("&quot;" in text and '"' not in text) or (_QUOTE_ENTITY.search(text) and "'" not in text)
    if not quotes and ("<" in text or not _TAG_IN_ENTITIES.search(text)):
        return None
    return mapped.made_of(_replaced(text, _ENTITY, lambda entity: [unescaped(entity[0])]))


def rewritten(mapped: Mapped) -> Iterator[Mapped]:
    """Give a text as it may have been before it was put on a page, into a table, or broken to fit a width.

    A statement that raises an error is what it raises, where it is all there is.
    """
    if mapped.origins == (0,) and (raised := _RAISED.match(mapped.text)) and len(mapped.text) >= _TELLS:
        yield mapped.made_of(_raised(mapped.text, raised))
        return
    plain = _off_the_page(mapped)
    if plain is not mapped:
        yield plain
    yield from _with_lines_joined(plain)


def _raised(text: str, raised: re.Match[str]) -> Iterator[Span | str]:
    yield raised.span(1)
    yield ": "
    for literal in _LITERAL.finditer(text, raised.end(1)):
        yield from _unescaped(text, *literal.span(literal.lastindex or 1))


def _off_the_page(mapped: Mapped) -> Mapped:
    """Take off tags and the lines of a table, and put plain spaces for those that keep words together."""
    if not _OF_PAGES.search(mapped.text):
        return mapped
    return mapped.made_of(_replaced(mapped.text, _OF_PAGES, lambda found: [_IN_PLACE_OF[found.lastgroup]]))


def _with_lines_joined(mapped: Mapped) -> Iterator[Mapped]:
    """Join lines again: those broken at the width of a terminal, those broken between words."""
    text = mapped.text
    lines = list(lines_of(text))
    wide = max(end - start for start, end in lines)
    if wide < _NARROWEST:
        return
    broken = [end - start == wide and text[end + 1 : end + 2].strip() != "" for start, end in lines]
    if sum(broken) >= (1 if wide in _WIDTHS else _SEVERAL):
        yield mapped.made_of(_joined(lines, broken, ""))
    full = [_is_full(text, line, wide) for line in lines]
    following = sum(text[start:end].strip() != "" for start, end in lines[1:])
    if "```" not in text and sum(full) * 2 >= following > 0:
        yield mapped.made_of(_joined(lines, full, " "))


def _joined(lines: Sequence[Span], goes_on: Sequence[bool], between: str) -> Iterator[Span | str]:
    for (start, end), on in zip(lines, goes_on, strict=True):
        yield start, end + (not on)
        if on and between:
            yield between


def _is_full(text: str, line: Span, wide: int) -> bool:
    """Whether the first word of the next line had no place in a line."""
    word = _WORD.match(text, line[1] + 1)
    return word is not None and line[0] < line[1] and line[1] - line[0] + 1 + len(word[0]) > wide


def _unescaped(text: str, start: int = 0, end: int | None = None) -> Iterator[Span | str]:
    return _replaced(text, _ESCAPE, _meant, start, end)


def _replaced(
    text: str,
    pattern: re.Pattern[str],
    meant: Callable[[re.Match[str]], Iterable[Span | str]],
    start: int = 0,
    end: int | None = None,
) -> Iterator[Span | str]:
    """Give the parts of a text: what is meant for each match, and as it stands what is between them."""
    end = len(text) if end is None else end
    for found in pattern.finditer(text, start, end):
        yield start, found.start()
        yield from meant(found)
        start = found.end()
    yield start, end


def _meant(escape: re.Match[str]) -> list[Span | str]:
    written = escape[0]
    if written[1] in _ITSELF:
        return [(escape.start() + 1, escape.end())]
    if written[1] == "x":
        return [bytes.fromhex(written.replace("\\x", "")).decode(errors="replace")]
    try:
        return [str(json.loads(f'"{written}"'))]
    except ValueError:
        return [written]
