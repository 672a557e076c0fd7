"""A paste → what was found in it: layers taken off, documents found, errors unwrapped, neighbours joined."""

from __future__ import annotations

import re
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Final

from utp_cli.captures.classify import words_of_record
from utp_cli.captures.errors import document_of, read_error_body
from utp_cli.captures.failure import tells_of_failure
from utp_cli.captures.found import (
    FoundCapture,
    beside,
    filled,
    in_order,
    joined_runs,
    with_records_joined,
    with_responses,
    without_repeats,
)
from utp_cli.captures.judged import chosen, convincing
from utp_cli.captures.known import is_source, known_lines, voice_around
from utp_cli.captures.lines import Cleaned, cleaned
from utp_cli.captures.mapped import Mapped
from utp_cli.captures.read_each import TELLS, of_documents, of_lines, of_lines_of_status, status_of
from utp_cli.captures.told import known_inside, known_of
from utp_cli.captures.tracebacks import lines_told
from utp_cli.captures.transcripts import page_error, responses_in
from utp_cli.captures.unwritten import rewritten
from utp_cli.captures.voice import ADVICE, CODE, voice_of
from utp_cli.facts.error_texts.entries import MANY
from utp_cli.facts.error_texts.finder import find_error_texts
from utp_cli.protocol.captures import Capture
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, replace
from utp_cli.wire.error_body import error_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from utp_cli.captures.tracebacks import ErrorLine
    from utp_cli.captures.voice import Voice
    from utp_cli.protocol.spans import Span

_PRINTED: Final = frozenset({"box", "vllm", "llama-cpp", "docker-compose", "kubectl", "journald", "github-actions"})
"""Layers that only programs put around lines."""
_LOGGED: Final = _PRINTED - {"box"} | {"log-line"}
"""Layers of the lines of a log."""
_AROUND: Final = frozenset({"quoted", "quoted-string", "box", "ansi", "terminal", "html-entities"})
"""Layers below which a model's words may stand."""
_QUOTED: Final = regex(
    r"[ `\"'\])},.;:|]{0,9}(?!Error|URL|During|Request|Traceback|[Ww]ill (?:sleep|retry)|[Rr]etry)"
    r"(?!(?:after|when|whenever|while|during|every|each|until|and then|but) )(?:[A-Za-z]{1,20}[,.;:]? ){3}"
)
"""A sentence goes on behind it on its line: it is spoken of. Not where the sentence tells when it came."""
_SPOKEN_OF: Final = regex(
    r"[`\"'\])}]{1,9}[,;]? (?:[A-Za-z]{1,20}[,.;:]? ){3}"
    r"|[^\n]{0,400}? (?:is|are|was|were|means|happens|occurs|comes) (?:[a-z]{1,20} ){3}"
)
"""A sentence goes on behind it."""
_CLAUSE: Final = regex(r"\b(?:whose|if|unless|where|whenever|before|until) [^\n.:]{0,30}\Z")
"""How a clause begins that says when or of what known words would be true."""
_FAR: Final = 60
_ITEM: Final = regex(r"^ {0,4}[-*\u2022] (\S[^\n]{0,400})", re.MULTILINE)
_SEVERAL: Final = 3
"""Items of a list of which one has known words: who met an error leads it in."""
_MOST_ITEMS: Final = 20
_PUBLISHED: Final = regex(
    r"\W{0,6}(?:v?\d{1,4}\.\d[\w.-]{0,12} )?(?:troubleshooting|faq|frequently asked"
    r"|(?:common|known|typical) (?:errors?|issues|problems|mistakes)"
    r"|change ?log|release notes|what's new)\b"
    r"|#{1,6} \[?v?\d{1,4}\.\d[\w.-]{0,12}[^\n]{0,40}\n\s{0,4}(?:#{1,6} |\*\*)"
    r"(?:bug ?)?(?:fix(?:es|ed)|features|changed|added|changes)\b"
    r"|(?:fix|feat|chore|refactor|docs|tests?|perf)(?:\([\w./-]{1,40}\))?!?: "
    r"|[-*\u2022] [^\n]{1,300}(?:\(#\d{1,6}\)|\bby @[\w-]{1,40} in \S{1,120})[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""How a page of help begins, a list of changes, or the message of a commit: errors are spoken of in them."""
_HELP: Final = regex(r"^#{1,6} (?:troubleshooting|faq|frequently asked)\b", re.IGNORECASE | re.MULTILINE)
"""The heading of the part of a page that is help."""
_TITLED: Final = regex(r"[ \t]{0,8}(?:#{1,6}|[-*+\u2022]|\d{1,2}[.)]) ")
"""How a heading begins, or an item of a list."""
_PIECE: Final = regex(r"\s*\"\w{1,60}\": ")
"""How a piece out of the middle of a JSON document begins."""
_STACK: Final = regex(
    r"\s*(?:Traceback \(most recent call last\):|File \"[^\"\n]{1,300}\", line \d|thread '[^'\n]{1,80}' panicked at )"
)
"""How a text begins that nobody says: whatever stands behind it, a program printed it."""
_OF_CLIENTS: Final = regex(
    r"(?:^|\\n)(?:This is usually an issue with the model's prompt template\.|For (?:more|further) information"
    r"|For troubleshooting|An error occur?red in the (?:\w{1,30} ){1,4}Component, stopping your flow"
    r"|Failed validating '[^\0]{0,1500}?\n\nOn (?:instance|schema)[^\0]{0,1500}"  # jsonschema, below its message
    r"|Give Feedback / Get Help|\[?LiteLLM\.Info|During task with name|Need help\?|To learn more)[^\n]*",
    re.MULTILINE,
)
"""What clients put above or below an error, whatever it is."""
_FEW_LINES: Final = 4_000
"""Characters of a paste that is searched for known words though an error with a status stands in it."""
_MOST_RECORDS: Final = 50
"""Records of a log, counted from its end, whose words are read."""
_LONGEST: Final = 8_000
"""Characters of words that are looked up among the known error texts."""


class Paste(Record):
    """What was found in an input, and the place of what matters in it."""

    captures: list[Capture]
    chosen: int = 0
    known: int = 0
    """How much the words of its errors tell: see `known_of`."""
    printed: bool = False
    """It begins with lines that only programs print: those of a log, or of a stack."""
    inner: Mapped | None = None
    """The words of a model below quotes, a box or colours, with the way back to the paste."""


def read_capture(text: str) -> list[Capture]:
    """Return what was found in a paste, in the order of the text; one capture of kind `text` where it is plain.

    Spans count characters of `text`. Never raises, whatever the text holds; the work is linear in its length.
    """
    return read_paste(text).captures


def read_paste(text: str) -> Paste:
    """Read a paste: what was found, and which of it matters.

    A text in which nothing was found, and which tells of a failure, is read again as the words of somebody who met it.
    """
    parts = cleaned(text)
    words = parts[0].text.text if len(parts) == 1 else text
    outside = _voice_of_all(words)
    paste = _read(words, parts, outside)
    if len(text) <= _LONGEST and (paste is None or _tells_no_cause(paste)):
        paste = _read_rewritten(text, parts, paste.known if paste else 0) or paste
    if (paste is None or _stands_beside(paste)) and outside != "asks" and len(words) <= _FEW_LINES:
        paste = (_read(words, parts, "asks", met=True) if _tells(words, outside) else None) or paste
    return _plain(text, parts) if paste is None else _of_records(paste) or paste


def _voice_of_all(text: str) -> Voice:
    """Say who speaks in a text, without its blocks of code and what clients put around any error."""
    return voice_around(_OF_CLIENTS.sub("", CODE.sub("", text[:_LONGEST])))


def _tells_no_cause(paste: Paste) -> bool:
    return paste.known < TELLS and all(one.kind in ("error", "log") for one in paste.captures)


def _stands_beside(paste: Paste) -> bool:
    """Whether what was found may only stand beside an error that is told in words."""
    return paste.known == 0 and all(one.kind in ("request", "log") for one in paste.captures)


def _read_rewritten(text: str, parts: Sequence[Cleaned], known: int) -> Paste | None:
    """Read a paste as it may have been before it was put on a page or broken to fit a width.

    None where its errors tell no more than what is `known` already.
    """
    for joined in chain(rewritten(Mapped(text)), *(rewritten(each.text) for each in parts if each.forms)):
        outside = _voice_of_all(joined.text)
        paste = _read(joined.text, cleaned(joined), outside)
        if paste and paste.known > known:
            return paste
    return None


def _of_records(paste: Paste) -> Paste | None:
    """Read the words of the records of a log as a paste of their own, where there is nothing else."""
    logged = [(place, words_of_record(one.document)) for place, one in enumerate(paste.captures) if one.kind == "log"]
    if len(logged) < len(paste.captures):
        return None
    said = [(place, words) for place, words in logged[-_MOST_RECORDS:] if words]
    inner = read_paste("\n".join(words for _, words in said))
    one = inner.captures[inner.chosen]
    if one.kind in ("log", "text"):
        return None
    ends = accumulate(len(words) + 1 for _, words in said)
    place = next(place for (place, _), end in zip(said, ends, strict=True) if one.span[0] < end)
    record = paste.captures[place]
    captures = [*paste.captures[:place], replace(one, span=record.span, form=record.form), *paste.captures[place + 1 :]]
    return replace(paste, captures=captures, chosen=place)


def _tells(text: str, outside: Voice) -> bool:
    """Whether a text tells of a failure: by how it is written, or in known words that nobody explains."""
    if tells_of_failure(text):
        return True
    if _PUBLISHED.match(text):
        return False
    known = [] if outside else [match for match in find_error_texts(text) if not match.entry.common]
    known = [match for match in known if not is_source(text, text.rfind("\n", 0, match.span[0]) + 1)]
    if all(match.entry.prio < 0 for match in known) and ADVICE.search(CODE.sub("", text)):
        return False
    telling = [match for match in known if match.entry.prio >= 0] or known[:1]
    return bool(known) and not any(_is_spoken_of(text, *match.span) for match in telling)


def _is_spoken_of(text: str, start: int, end: int) -> bool:
    """Whether known words are a part of what somebody says: of a sentence, or of one item of a list."""
    return (
        _SPOKEN_OF.match(text, end) is not None
        or _CLAUSE.search(text, max(start - _FAR, 0), start) is not None
        or (_is_listed(text) and any(map(str.isalpha, CODE.sub("", text))))
    )


def _is_listed(text: str) -> bool:
    """Whether a text is a list of several things; not of errors alone, which a program listed."""
    items = _ITEM.findall(text)
    return len(items) >= _SEVERAL and not all(map(find_error_texts, items[:_MOST_ITEMS]))


def _read(text: str, parts: Sequence[Cleaned], outside: Voice, *, met: bool = False) -> Paste | None:
    """Read a paste among the words of who asks or explains (`outside`); None where it is none.

    `met`: whoever wrote the words met the failure, whatever they say.
    """
    found: list[tuple[FoundCapture, Capture]] = []
    around: list[str] = []
    explained = rest = 0
    log = ends = False
    for each in parts:
        inside, noise = read_cleaned(each, asks=outside == "asks")
        found += [(one, _capture(one, each)) for one in inside]
        told = sum(filled(each.text.text[one.start : one.end]) for one in inside)
        explained += told + noise
        log = log or (each.log and any(one.kind == "error" for one in inside))
        printed = each.log or not _PRINTED.isdisjoint(each.forms)  # by a program, not by a model
        log = log or (printed and any(one.kind != "log" and (one.strong or one.known) for one in inside))
        log = log or ("log-line" in each.forms and _begins(inside))
        rest += max(filled(each.text.text) - told - noise, 0)
        ends = _ends(inside, each.text.text)
        around += _words_around(inside, each.text.text)
    found.sort(key=lambda pair: pair[1].span)
    said: Voice = "" if met or _STACK.match(text) else voice_of(CODE.sub("", "\n".join(around)))
    voice = said or ("asks" if outside == "asks" else "")
    every = [one for one, _ in found]
    published = _PUBLISHED.match(text) or _HELP.search(text)
    explaining = outside == "explains" and not rest and not log and not _is_all(text)
    if (published or explaining) and not any(one.strong for one in every):
        return None
    if published and every and all(_TITLED.match(text, text.rfind("\n", 0, one.start) + 1) for one in every):
        return None
    if not found or not (log or convincing(every, explained, rest, ends=ends, voice=voice, fenced="```" in text)):
        return None
    if not voice and all(map(_is_nobodys, every)) and ADVICE.search(CODE.sub("", "\n".join(around))):
        return None
    known = max((one.known for one in every), default=0)
    printed = _STACK.match(text) is not None or not _LOGGED.isdisjoint(parts[0].forms)
    return Paste(captures=[capture for _, capture in found], chosen=chosen(every), known=known, printed=printed)


def _is_all(text: str) -> bool:
    """Whether a text is the words of one known error, from the first to the last; those may explain something too."""
    found = find_error_texts(text)[:1] if len(text) <= _FEW_LINES else []
    return any(match.entry.by != MANY and match.span[0] == 0 and match.span[1] >= len(text.rstrip()) for match in found)


def _begins(inside: Sequence[FoundCapture]) -> bool:
    """Whether a text begins with a known error."""
    return bool(inside) and inside[0].start == 0 and inside[0].kind == "error" and inside[0].known > 0


def _is_nobodys(one: FoundCapture) -> bool:
    """Whether an error names nobody who sent it: it may be an example."""
    return one.kind == "error" and not (one.known or one.hops or one.status)


def _words_around(inside: Sequence[FoundCapture], text: str) -> Iterable[str]:
    """Give the words before, between and behind what was found."""
    at = 0
    for one in inside:
        yield _OF_CLIENTS.sub("", text[at : one.start])
        at = max(at, one.end)
    yield _OF_CLIENTS.sub("", text[at:])


def _ends(inside: Sequence[FoundCapture], text: str) -> bool:
    """Whether a known error is the last that stands in a text, or the text is a piece of JSON that holds one."""
    if not inside or not inside[-1].known:
        return False
    return _PIECE.match(text) is not None or not text[inside[-1].end :].strip(" \n`\"'")


def _plain(text: str, parts: Sequence[Cleaned]) -> Paste:
    """Return a text in which nothing was found; what stood around its lines is off in the document."""
    form = next((name for name in parts[0].forms if name in _AROUND), "text") if len(parts) == 1 else "text"
    inner = parts[0].text if form != "text" else None
    document = inner.text if inner else text
    return Paste(captures=[Capture(kind="text", form=form, span=(0, len(text)), document=document)], inner=inner)


def capture_of_body(body: Any, capture: Capture) -> Capture | None:
    """Unwrap an error body that is the whole input; None where it is none."""
    error = read_error_body(body)
    if error is None:
        return None
    told = error_of(body)
    if told and known_of(told[0]) > known_of(error.message):  # what was taken off it tells more
        error = replace(error, message=told[0].strip())
    if (known := known_of(error.message)) < TELLS and (inside := known_inside(body, ""))[1] > known:
        error = replace(error, message=inside[0])
    document = body if told and told[0].strip() == error.message else document_of(error)
    return replace(capture, hops=error.hops, document=document, status=status_of(error))


def read_cleaned(each: Cleaned, *, asks: bool = False) -> tuple[list[FoundCapture], int]:
    """Find what stands in one cleaned text; and count the characters of stacks in it, which are nobody's words.

    `asks`: who wrote the words around met an error.
    """
    text = each.text.text
    if page := page_error(text):
        body = {"error": {"message": page[0]} | ({"code": page[1]} if page[1] else {})}
        whole = FoundCapture(start=0, end=len(text), kind="error", form="html-page", document=body, message=page[0])
        return [replace(whole, status=page[1], told=1)], 0
    told = lines_told(text, _places(each))
    found = list(with_records_joined(of_documents(text, told), text))
    found = in_order([*found, *of_lines(told.errors, found, text, log=each.log)])
    errors = [one for one in found if one.kind == "error"]
    if not any(
        one.known > TELLS or (one.known >= TELLS and one.told) or (one.told and len(text) > _FEW_LINES)
        for one in errors
    ):
        known = known_lines(text, log=each.log, asks=asks or any(one.strong for one in errors))
        kept = [one for one in found if (one.kind != "error" or one.told or one.known) and not _quoted_by(one, known)]
        faults = list(of_lines(told.faults, kept, text, log=each.log))
        again = list(of_lines(known, kept, text, log=each.log)) or [one for one in faults if one.known]
        again = again or ([] if errors else faults)
        found = in_order([*kept, *again]) if again else found
    if not any(one.kind in ("error", "answer", "stream") for one in found):
        found = in_order([*found, *of_lines_of_status(told.statuses)])
    found = with_responses(found, responses_in(text), text)
    found = joined_runs(found, text)
    once = [
        replace(one, strong=False, known=0, told=0)
        if one.kind == "error" and not asks and _QUOTED.match(text, one.end)
        else one
        for one in without_repeats(found)
    ]
    noise = sum(filled(text[start:end]) for start, end in _nobodys(told.stack, found, once, text))
    return once, noise + max(beside(once, text) - noise, 0)


def _nobodys(
    stack: Iterable[Span], found: Sequence[FoundCapture], kept: Sequence[FoundCapture], text: str
) -> Iterable[Span]:
    """Give what is nobody's words: stacks, what is said again, and what clients put around an error."""
    once = {one.start for one in kept}
    yield from stack
    yield from ((one.start, one.end) for one in found if one.start not in once)
    yield from (tail.span() for tail in _OF_CLIENTS.finditer(text))


def _quoted_by(one: FoundCapture, lines: Sequence[ErrorLine]) -> bool:
    """Whether a known error text quotes a document that is no error: the calls that it complains of, for one."""
    return one.kind != "error" and any(line.start < one.start and one.end <= line.end for line in lines)


def _places(each: Cleaned) -> list[int]:
    """Return where the lines of errors begin in a cleaned text; some may stand in another."""
    places = {each.text.place(origin): origin for origin in each.faults}
    return sorted(place for place, origin in places.items() if each.text.origin(place) == origin)


def _capture(one: FoundCapture, each: Cleaned) -> Capture:
    """Make the public value. What stood around every line names the form of a plain body."""
    around = next((name for name in each.forms if name not in ("ansi", "terminal")), "")
    return Capture(
        kind=one.kind,
        form=around or one.form if one.form == "json-body" else one.form,
        span=each.text.span(one.start, one.end),
        hops=one.hops,
        document=one.document,
        status=one.status,
        headers=one.headers,
        cut=one.cut,
    )
