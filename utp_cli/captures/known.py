"""Error texts that stand alone: the words of a known server or provider, without an envelope around them."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final

from utp_cli.captures.tracebacks import Line
from utp_cli.facts.error_texts.finder import find_error_texts
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from utp_cli.facts.error_texts.finder import Match

_CHUNK: Final = 16_000
"""Characters that are searched at a time."""
_SHORT: Final = 4_000
"""Characters of a text without the marks of a log: a longer one is no error text."""
_SHARE: Final = 3
"""A text is told, not quoted, where it is at least one part in three of its lines."""
_SHARE_OF_BEGINNING: Final = 8
"""The same where its lines begin with it."""
_FIRST: Final = 2
"""Characters that may stand before it at their beginning."""
_LONGEST: Final = 8_000
_STATUS: Final = regex(
    r"(?:[Ss]tatus(?:[ _][Cc]ode)?|[Ee]rror [Cc]ode):? ?[45]\d\d\b|\bHTTP [45]\d\d\b|^[ \t`\"'*]{0,4}[45]\d\d "
    r"|: MCP error -\d{1,6}: ",
    re.IGNORECASE | re.MULTILINE,
)
_LISTED: Final = regex(r"\s*(?:[{\[|]|\d{1,3}[.)] )")
"""A line of a list, a table or a document holds more than the message."""
_WORD: Final = regex(r"[a-z]{2,}")
_PLACEHOLDER: Final = regex(r"\{\w*\}")


def known_lines(text: str, *, log: bool) -> list[Line]:
    """Find the lines that are known error texts. `log`: the text has the marks of a log, and may be long."""
    if not log and len(text) > _SHORT:
        return []
    out: list[Line] = []
    at = 0
    while at < len(text):
        end = len(text) if at + _CHUNK >= len(text) else text.rfind("\n", at, at + _CHUNK) + 1
        end = end if end > at else min(at + _CHUNK, len(text))
        out += _in_chunk(text, at, end)
        at = end
    return out


def _in_chunk(text: str, start: int, end: int) -> list[Line]:
    found: list[Line] = []
    for match in find_error_texts(text[start:end]):
        line = _line(match, text, start)
        apart = all(line.end <= other.start or other.end <= line.start for other in found)
        told = _is_told(match, line, text, start) or _says(match.entry.says, text[line.start : line.end])
        if match.entry.prio >= 0 and apart and told:
            found.append(line)
    carrying = [_extended(line, text) for line in sorted(found, key=lambda line: line.start)]
    return carrying[:1] if carrying and carrying[0].end == len(text) else carrying


def _is_told(match: Match, line: Line, text: str, base: int) -> bool:
    """Whether the lines say it: they begin with it, or name a status, or it is a good part of them."""
    begins = base + match.span[0] - line.start <= _FIRST
    begins = begins or _STATUS.search(text, line.start, line.end) is not None
    return (match.span[1] - match.span[0]) * (_SHARE_OF_BEGINNING if begins else _SHARE) >= line.end - line.start


def _says(says: str, line: str) -> bool:
    """Whether most words of a line are those of the message, the placeholders aside."""
    words = set(_WORD.findall(line.lower()))
    if len(line) >= _SHORT or _LISTED.match(line):
        return False
    return len(_own_words(says) & words) * 2 >= len(words)


@functools.cache
def _own_words(says: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_PLACEHOLDER.sub(" ", says.lower())))


def _line(match: Match, text: str, base: int) -> Line:
    """Return the lines that an error text stands in."""
    start = text.rfind("\n", 0, base + match.span[0]) + 1
    end = text.find("\n", base + match.span[1] - 1)
    form = "error-text" if match.entry.carries != "model output" else _CARRIES
    return Line(start=start, end=len(text) if end < 0 else end, form=form)


_CARRIES: Final = "error-text-with-output"


def _extended(line: Line, text: str) -> Line:
    """Let a text that quotes what the model wrote go on to the end."""
    if line.form != _CARRIES:
        return line
    return Line(start=line.start, end=min(len(text), line.start + _LONGEST), form="error-text")
