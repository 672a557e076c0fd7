"""What the words of an error tell: by themselves, with what was taken off them, or somewhere in its document."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from utp_cli.captures.errors import values_in
from utp_cli.facts.error_texts.entries import MANY
from utp_cli.facts.error_texts.finder import find_error_texts
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from utp_cli.captures.tracebacks import ErrorLine
    from utp_cli.facts.error_texts.finder import FoundText

_FEWEST: Final = 15
"""Characters that words need to tell something."""
_MOST_TEXTS: Final = 20
"""Texts in a document of an error that are looked at."""
_STACK: Final = 1_200
"""Characters before an exception in which the last frames of its stack stand."""
_CLASS: Final = 120
"""Characters at the end of a message in which the name of a class stands."""
_LONGEST: Final = 8_000
"""Characters of words that are looked up."""
_LEADS_ON: Final = regex(r"(?::|%s|\bvalidation errors? for \w{1,80})\s*\Z")
"""How a message ends whose reason stands on the next line: a colon, a placeholder that nobody filled in, a class."""
_AFTERMATH: Final = frozenset({"stream-cut-off", "mcp-connection-lost", "server-internal"})
"""What comes of another failure, where one is told beside it."""
_LAST_RESORT: Final = -10
"""Rank of texts that say what failed, and not why: the frame below may know more."""


def known_of(message: str) -> int:
    """Say how much the words of an error tell: 3 for a cause in words of somebody, 2 in words that mean it, or for
    what comes of a cause.

    1 where somebody hides the cause, 0 for unknown words.
    """
    return _known(find_error_texts(message[:_LONGEST]))


def told_best(text: str, line: ErrorLine, message: str) -> tuple[str, list[FoundText]]:
    """Return the words of an error, with what was taken off them where that tells more; and the texts in them."""
    known = find_error_texts(message[:_LONGEST])
    vague = not known or known[0].entry.prio <= _LAST_RESORT or known[0].entry.by == MANY
    for said in _fuller(text, line, message) if vague or line.form == "python-traceback" else ():
        if (more := find_error_texts(said)) and (not known or more[0].entry.prio > known[0].entry.prio):
            return said, more
    return message, known


def _known(found: Sequence[FoundText]) -> int:
    if not found or found[0].entry.code == "gateway-error-opaque":
        return len(found[:1])
    best = found[0].entry
    if best.mild:
        return 0
    return 3 if best.by != MANY and best.prio >= 0 and best.code not in _AFTERMATH else 2


def unquoted(text: str) -> str:
    """Return an error without the blanks and the marks around it; a mark inside that has its twin stays."""
    text = text.strip()
    return text.strip(" `\n") if (text[:1] == text[-1:] == "`") or text.count("`") % 2 else text


def known_inside(document: Any, written: str) -> tuple[str, int]:
    """Return the text in the document of an error that tells most, and how much.

    The message of the error may be cut, or say nothing.

    `written`: the document as it stands, where it is cut in an error that another one quotes.
    """
    texts = [value for value in values_in(document) if isinstance(value, str) and len(value) > _FEWEST]
    known = [(text, known_of(text)) for text in (*texts[:_MOST_TEXTS], written[:_LONGEST])]
    return next((told for told in known if told[1] > 1), max(known, key=lambda told: told[1]))


def _fuller(text: str, line: ErrorLine, message: str) -> Iterable[str]:
    """Give an error with what was taken off it: the words of who passed it on, the last frames of its stack."""
    yield unquoted(text[line.start : line.end])[:_LONGEST]
    if _LEADS_ON.search(message[-_CLASS:]) and not text.startswith("\n\n", line.end):
        yield unquoted(text[line.start : line.end + _STACK])[:_LONGEST]
    if line.form in ("python-traceback", "exception"):
        yield _with_frame(text, line, message)
        yield _with_frames_below(text, line, message)


def _with_frames_below(text: str, line: ErrorLine, message: str) -> str:
    """Put the first frames of the stack behind an exception, as Java and JavaScript print them."""
    below = text[line.end : line.end + _STACK].split("\n")
    frames = takewhile(lambda part: not part or part[0] in " \t", below)
    return f"{message}: {' '.join(part.strip() for part in frames)}"[:_LONGEST]


def _with_frame(text: str, line: ErrorLine, message: str) -> str:
    """Put the last frames of the stack in front of an exception: they say what failed where the words do not."""
    above = text[max(line.start - _STACK, 0) : line.start].rstrip().split("\n")
    frames = takewhile(lambda part: not part or part[0] in " \t" or part.startswith('File "'), reversed(above))
    return f"{' '.join(part.strip(' ^~') for part in reversed([*frames]))}: {message}"[:_LONGEST]
