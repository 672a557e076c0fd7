"""Error texts that stand alone: the words of a known server or provider, without an envelope around them."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final

from utp_cli.captures.errors import values_in
from utp_cli.captures.tracebacks import ErrorLine, fenced, form_of
from utp_cli.captures.voice import voice_of
from utp_cli.facts.error_texts.finder import find_error_texts
from utp_cli.protocol.numbers import loads
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import line_end

if TYPE_CHECKING:
    from utp_cli.captures.voice import Voice
    from utp_cli.facts.error_texts.finder import FoundText

_CHUNK: Final = 16_000
"""Characters that are searched at a time."""
_SHORT: Final = 4_000
"""Characters of a text without the marks of a log: a longer one is no error text."""
_FEW: Final = 1_000
"""Characters of a text that somebody who met an error wrote about nothing else."""
_ABOUT_IT: Final = regex(
    r"\b(?:this|that|the|your|such) (?:\w{1,20} )?(?:error|message|exception|failure)s?\b"
    r"|\bto (?:fix|resolve|solve|avoid(?! this requirement))\b"
    r"|\b(?:usually|typically|often|because|means|meaning)\b|```|^[ \t]{0,4}(?:[-*\u2022]|\d{1,2}\.) ",
    re.IGNORECASE | re.MULTILINE,
)
"""Words of one who speaks about a message, and the items of his list."""
_NAMED: Final = regex(r"[A-Z][\w ]{1,40}: {1,2}")
"""What a program calls an error in front of a message: `Invalid argument: `."""
_BRIEF: Final = 400
"""Characters of a text that begins with a message and goes on in a sentence or two."""
_SHARE: Final = 3
"""A text is told, not quoted, where it is at least one part in three of its lines."""
_SHARE_OF_BEGINNING: Final = 8
"""The same where its lines begin with it."""
_DOCUMENT: Final = regex(r"\[?\{['\"]")
"""How a document begins that a message quotes."""
_BLOCKS: Final = 3
"""Blocks of a template on one line, which no error quotes."""
_FAILING: Final = regex(r"(?i:fail|error|exception|unable|cannot|could not|\btemplate ['\"`])")
"""What stands before a template that an error quotes."""
_FIRST: Final = 2
"""Characters that may stand before it at their beginning."""
_LONGEST: Final = 8_000
_STATUS: Final = regex(
    r"(?:[Ss]tatus(?:[ _][Cc]ode)?|[Ee]rror [Cc]ode|\bAPI Error):? ?[45]\d\d\b|\bHTTP [45]\d\d\b"
    r"|^[ \t`\"'*]{0,4}[45]\d\d |: MCP error -\d{1,6}: ",
    re.IGNORECASE | re.MULTILINE,
)
_BAD_LEVEL: Final = regex(
    r"[^\n]{0,60}?\b(?:WARN(?:ING)?|ERROR|ERR|CRITICAL|FATAL|SEVERE)\b(?![^\w\n]{0,3}\w{1,20} (?:is|means)\b)"
)
"""How a line of a log begins that tells of a fault."""
_CROSS: Final = regex(r"[ \t\u2502>]*[\u2717\u2718\u2716\u274c\u26d4\u203c]\ufe0f? ?(?!\*\*)")
"""What programs put in front of a failure."""
_LEAD: Final = regex(r"[ \t>*-]*(?:[\w.\[\]]{1,80}: |\[[\w .:-]{1,40}\] )?")
"""What may stand before a message on its line: the path of the field that it complains of."""
_MARKS: Final = ("`", '"', "\u201c", "'", "**")
"""What errors are quoted with in a sentence."""
_LABEL: Final = regex(
    r"\b(?:error|exception|message|says?|saying|fails?|failed|failing|with)\b[^\w\n]{0,9}: ?\W{0,4}", re.IGNORECASE
)
_SENT: Final = regex(
    r"\b(?:returns?|returned|returning|sends?|gives?|gave|gets?|got|getting|responds? with|comes? back(?: with)?)"
    r"(?: (?:me|an?|the|only|just|back|completely|totally)){0,3} \Z",
    re.IGNORECASE,
)
"""What leads to words of an answer that came, and not of a refusal: `returns empty content`."""
_ERROR_SAYS: Final = regex(r"^\W{0,3}(?:\[\w{1,20}\]:? {0,2})?(?:[\w.]{0,80}(?:Error|Exception)): ", re.MULTILINE)
"""How a line begins that says what an error says."""
_LONGEST_QUOTE: Final = 1_000
_FAR: Final = 400
_COMMENT: Final = regex(r"[ \t]*(?:#|//) ")
"""A line of source code that says something to its reader."""
_CODE_LINE: Final = regex(
    r"\$ (?:python3?|curl|node|npx|uvx?|docker|cat|echo|grep|jq)\b"
    r"|(?:>>> |In \[\d{1,4}\]: )[A-Za-z_][\w.]{0,60} ?[(=\[]|(?:>[ \t]?)?[+-]?[ \t]*(?:"
    r"(?:raise [A-Z]|throw (?:new )?\w)[\w.:]*\([^)\n]{0,60}[\"'`]"
    r"|(?:return|assert|static|public|private|protected)\b[^\n]*[\"'`(][^\n]*$"
    r"|(?:let|var|const|final)\b[^\n]* = [^\n]*[\"'`(]"
    r"|except(?: [\w.(), ]{1,80}?(?: as \w{1,40})?)?:[ \t]*$|\}? ?catch ?(?:\([^)\n]{0,60}\) ?)?\{[ \t]*$"
    r"|(?:with|if|elif|case|match)\b[^\n]*\([^\n]*(?:[:{][ \t]*$|\)\s*throw new \w)|expect\("
    r"|(?:[a-z_]\w{0,40}(?:\.|::)){1,5}[a-z_]\w{0,40}!?\([\"'`(]"
    r"|(?:is |in )?[A-Z]?\w{1,40}(?:\([^)\n]{0,40}\))? (?:=>|->) [^\n]*[\"'`(]|@[A-Z]\w{1,60}\(|@\w{1,40}\.\w{1,40}\("
    r"|(?=\d{0,11}[a-f])[0-9a-f]{7,12} [A-Z])",
    re.MULTILINE,
)
"""A line of source code, of git's log, or of a prompt, that would say it. Below a frame it is where it was said."""
_RAN: Final = regex(r"^[ \t]*(?:File \"|at )|HTTP/[\d.]{1,3}\"? [45]\d\d\b", re.MULTILINE)
"""What tells that a line of code ran: a frame, or a request that failed."""
_LISTED: Final = regex(r"\s*(?:[{\[|]|\d{1,3}[.)] )")
"""A line of a list, a table or a document holds more than the message."""
_WORD: Final = regex(r"[a-z]{2,}")
_PLACEHOLDER: Final = regex(r"\{\w*\}")


_TELLING_KEY: Final = regex(
    r"err|exception|message|msg|detail|fail|cause|stack|trace|log|text|output|content|result|warn|level|status|std"
    r"|descri|response|body|data|raw",
    re.IGNORECASE,
)
"""What a key is called that holds what a program said."""


def _is_data(text: str) -> bool:
    """Whether a text is a document of which no key speaks of an error, a message or an output."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        document = loads(text)
    except (ValueError, RecursionError):
        return False
    keys = (key for value in values_in(document) if isinstance(value, dict) for key in value)
    return not any(map(_TELLING_KEY.search, keys))


def known_lines(text: str, *, log: bool, asks: bool = False) -> list[ErrorLine]:
    """Find the lines that are known error texts. `log`: the text has the marks of a log, and may be long.

    `asks`: who wrote the words around met the error, and may quote it in a sentence or in words like those of others.
    """
    if not log and (len(text) > _SHORT or _is_data(text)):
        return []
    out: list[ErrorLine] = []
    at = 0
    while at < len(text):
        end = len(text) if at + _CHUNK >= len(text) else text.rfind("\n", at, at + _CHUNK) + 1
        end = end if end > at else min(at + _CHUNK, len(text))
        out += _in_chunk(text, at, end, asks=asks, few=log and len(text) <= _FEW)
        at = end
    return out


def _in_chunk(text: str, start: int, end: int, *, asks: bool, few: bool) -> list[ErrorLine]:
    """`few`: the text is a few lines that somebody took out of a log."""
    found: list[ErrorLine] = []
    for match in find_error_texts(text[start:end], families=len(text) <= _SHORT):
        line = _line(match, text, start)
        if is_source(text, line.start):
            continue
        told = _is_told(match, line, text, start, few=few) or _says(match.entry.says, text[line.start : line.end])
        if asks and not told:
            part = _quoted(text, start + match.span[0], start + match.span[1], line)
            said = _is_short(match, text, start) and not _SENT.search(text, line.start, start + match.span[0])
            line, told = part or line, part is not None or match.entry.prio >= 0 or said
        told = told or (match.entry.proves_alone and fenced(text, line.start))
        apart = all(line.end <= other.start or other.end <= line.start for other in found)
        proves = match.entry.proves_alone or asks or few or _failed(text, line)
        if proves and apart and told:
            found.append(line)
    carrying = [_extended(line, text) for line in sorted(found, key=lambda line: line.start)]
    return carrying[:1] if carrying and carrying[0].end == len(text) else carrying


def is_source(text: str, at: int) -> bool:
    """Whether a line is source code, and nothing tells that it ran."""
    if _COMMENT.match(text, at):
        return fenced(text, at)
    if text.count("{%", at, line_end(text, at)) >= _BLOCKS:
        return _FAILING.search(text, at, text.index("{%", at)) is None
    return _CODE_LINE.match(text, at) is not None and _RAN.search(text) is None


def _is_told(match: FoundText, line: ErrorLine, text: str, base: int, *, few: bool) -> bool:
    """Whether the lines say it: they begin with it, or name a status, or it is a good part of them.

    `few`: they were taken out of a log, where nothing but programs speaks.
    """
    lead = _LEAD.match(text, line.start, base + match.span[0])
    begins = base + match.span[0] - (lead.end() if lead else line.start) <= _FIRST
    begins = (
        begins or few or any((_STATUS.search(text, line.start, line.end), _BAD_LEVEL.match(text, line.start, line.end)))
    )
    end = base + match.span[1]
    if match.entry.carries != "model output":  # what it quotes is no words of the line
        quoted = _DOCUMENT.search(text, end, line.end)
        end = quoted.start() if quoted else line.end
    return (match.span[1] - match.span[0]) * (_SHARE_OF_BEGINNING if begins else _SHARE) >= end - line.start


def _is_short(match: FoundText, text: str, base: int) -> bool:
    """Whether a short text says it in words: the members of a document are none."""
    return len(text) <= _FEW and '":' not in text[base + match.span[0] : base + match.span[1]]


def _failed(text: str, line: ErrorLine) -> bool:
    """Whether a line names a status that refuses, or begins as errors do, or as the bad ones of a log."""
    marks = (_BAD_LEVEL, _CROSS)
    told = _STATUS.search(text, line.start, line.end) or any(mark.match(text, line.start, line.end) for mark in marks)
    return bool(told) or form_of(text[line.start : line.end][:_FAR]) != ""


def _quoted(text: str, start: int, end: int, line: ErrorLine) -> ErrorLine | None:
    """Return the part of a sentence that quotes an error: what stands in quotes, or behind `error:`."""
    for mark in _MARKS:
        begin, stop = text.rfind(mark, line.start, start), text.find(mark, end, line.end)
        if begin >= 0 and stop >= 0 and stop - begin <= _LONGEST_QUOTE:
            return ErrorLine(start=begin + len(mark), end=stop, form=line.form)
    labels = [label.end() for label in _LABEL.finditer(text, line.start, min(start, line.start + _SHORT))]
    return ErrorLine(start=labels[-1], end=line.end, form=line.form) if labels else None


def _says(says: str, line: str) -> bool:
    """Whether most words of a line are those of the message, the placeholders aside."""
    words = set(_WORD.findall(line.lower()))
    if len(line) >= _SHORT or _LISTED.match(line):
        return False
    return len(_own_words(says) & words) * 2 >= len(words)


def _is_all(says: str, text: str) -> bool:
    """Whether a text is a message and what clients put around it: most of its words are the message's own."""
    words = set(_WORD.findall(text.lower()))
    return len(_own_words(says) & words) * 4 >= len(words) * 3


def _leads(match: FoundText, text: str) -> bool:
    """Whether a text is a few words that begin with a confirmed message: what goes on behind it is the program's."""
    lead = _LEAD.match(text, 0, match.span[0])
    begins = match.span[0] - (lead.end() if lead else 0) <= _FIRST or _NAMED.fullmatch(text, 0, match.span[0])
    short = len(text) <= _BRIEF and not _ABOUT_IT.search(text, match.span[1])
    return bool(begins) and match.entry.proves_alone and short


@functools.cache
def _own_words(says: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_PLACEHOLDER.sub(" ", says.lower())))


def _line(match: FoundText, text: str, base: int) -> ErrorLine:
    """Return the lines that an error text stands in."""
    start = text.rfind("\n", 0, base + match.span[0]) + 1
    end = text.find("\n", base + match.span[1] - 1)
    form = _CARRIES if match.entry.carries in _TO_THE_END else "error-text"
    return ErrorLine(start=start, end=len(text) if end < 0 else end, form=form)


_CARRIES: Final = "error-text-with-output"
_TO_THE_END: Final = ("model output", "tools")
"""What errors quote that goes on to the end of the text."""


def _extended(line: ErrorLine, text: str) -> ErrorLine:
    """Let a text that quotes what the model wrote, or all tools, go on to the end."""
    if line.form != _CARRIES:
        return line
    return ErrorLine(start=line.start, end=min(len(text), line.start + _LONGEST), form="error-text")


def voice_around(words: str) -> Voice:
    """Return who speaks; errors say "you" too: a known one alone, and lines of little else, are nobody's."""
    voice = voice_of(words)
    if voice != "explains" or len(words) > _SHORT:
        return voice
    found = find_error_texts(words, families=False)
    if any(_is_all(match.entry.says, words) or _leads(match, words) for match in found):
        return ""
    for match in sorted(found, key=lambda match: match.span, reverse=True):
        start, stop = words.rfind("\n", 0, match.span[0]) + 1, line_end(words, match.span[1])
        if _ERROR_SAYS.fullmatch(words[start : match.span[0]]) or _is_all(match.entry.says, words[start:stop]):
            words = (words[:start] + words[stop:]).replace(words[match.span[0] : stop], "")
    return voice_of(words)
