"""Values where they are due: strings, numbers, literals and bare words, the openers of containers, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.protocol.calls import Note
from utp_cli.protocol.patterns import regex
from utp_cli.repair import strict
from utp_cli.repair.codes import Edit
from utp_cli.repair.containers import OPENERS
from utp_cli.repair.cursor import ASCII
from utp_cli.repair.escapes import SURROGATE
from utp_cli.repair.lookahead import SPACES, token
from utp_cli.repair.quotes import open_string
from utp_cli.repair.scalars import LITERAL, classify, read_bare
from utp_cli.repair.strings import PLAIN, StringReader

if TYPE_CHECKING:
    from utp_cli.repair.attempts import Attempts
    from utp_cli.repair.containers import Containers, State
    from utp_cli.repair.cursor import Cursor
    from utp_cli.repair.lookahead import ValuePlace
    from utp_cli.repair.quotes import QuoteStyle
    from utp_cli.repair.string_values import WrittenString

_DELIMITED: Final = regex(r"(?=[ \t\n\r,;}\])，｝］])")
_CONCAT: Final = regex(rf"[{SPACES}]*(?:\+[{SPACES}]*)?")


class ValueProgress:
    """How far the reading of one value has come."""

    __slots__ = ("attempts", "containers", "cursor", "joins", "loose", "reach", "source", "string", "whole")

    def __init__(self, containers: Containers, attempts: Attempts, *, loose: bool, whole: bool) -> None:
        self.containers = containers
        self.cursor: Cursor = containers.cursor
        self.source = containers.source
        self.attempts = attempts
        self.loose = loose
        """The text is one value and nothing else: a bare value counts too."""
        self.whole = whole
        """The value may be strict JSON, and all there."""
        self.string: StringReader | None = None
        """The string that is being read."""
        self.joins = False
        """Its text belongs behind that of the last one."""
        self.reach = self.cursor.behind
        """Up to this offset the text has been searched for the ends of strings."""


def value(progress: ValueProgress) -> State:
    """Read a value, or the beginning of one."""
    containers, source = progress.containers, progress.source
    char = progress.cursor.next()
    plain = ASCII.get(char, char)
    if not plain or plain in ":,;}])":
        return _no_value(progress, plain)
    if plain in OPENERS:
        taken = progress.attempts.whole(char) if containers.frames else None
        return taken or containers.open(char, plain)
    if char in "'\"":
        found = PLAIN[char, containers.role].match(source.window, source.here)
        if found and found[1].isascii():
            return _plain_string(containers, char, found[1])
    elif char in "-0123456789":
        return _scalar(progress)
    place = containers.place
    if opened := open_string(source, source.here, place):
        return begin_string(progress, opened, place)
    if width := progress.cursor.dots():
        containers.begin_entry()
        progress.cursor.drop("ellipsis", width, "null")
        return containers.put(None, progress.cursor.offset)
    return _scalar(progress)


def _no_value(progress: ValueProgress, char: str) -> State:
    """Something else stands where a value is due."""
    containers = progress.containers
    frame = containers.frames[-1] if containers.frames else None
    if char == ":":
        progress.cursor.drop("wrong-separator", 1)
        return "value"
    if not char:
        if frame and frame.is_object:
            containers.drop_key("missing-value")
        return containers.finish(only_closers=False)
    if frame and frame.is_object:
        containers.begin_entry()
        containers.log.fix("missing-value", frame.key_end, "", "null")
        return containers.put(None, frame.key_end, frame.key_end)
    if frame:
        return "entry"
    progress.cursor.drop("leading-garbage", 1)
    return "value"


def _plain_string(containers: Containers, quote: str, text: str) -> State:
    """Enter a string that asks no question."""
    containers.begin_entry()
    source = containers.source
    start = source.base + source.here
    end = start + len(text) + 2
    source.here = end - source.base
    if quote == "'":
        containers.log.edits += [Edit("single-quotes", start, "'", '"'), Edit("single-quotes", end - 1, "'", '"')]
    state = containers.put(text, start)
    containers.text_end = end
    return state


def _scalar(progress: ValueProgress) -> State:
    """Read a value without quotes."""
    containers, source = progress.containers, progress.source
    text, at, start = source.window, source.here, source.base + source.here
    found = strict.NUMBER.match(text, at) or LITERAL.match(text, at)
    if found and _DELIMITED.match(text, found.end()) and not _goes_on(progress.cursor, found.end()):
        containers.begin_entry()
        source.here = found.end()
        bare = classify(found[0], start)
        containers.log.edits += bare.edits
        return containers.put(bare.value, start)
    bare, end = read_bare(source, at, containers.place)
    if end == at:
        progress.cursor.drop("trailing-garbage", 1)
        return "value"
    if bare.dropped:
        containers.log.edits += bare.edits
        containers.drop_key("truncated-number")
        source.here = end
        return containers.break_off()
    containers.begin_entry()
    containers.log.edits += bare.edits
    source.here = end
    return containers.put(bare.value, start, cut=bare.cut)


def _goes_on(cursor: Cursor, at: int) -> bool:
    """Whether what follows the number or literal at hand belongs to it, as in `5 Main St` and `1,250`."""
    source = cursor.source
    if source.window[at] not in " \t":
        return source.window[at] == "," and source.peek(at + 1).isdigit()
    kind, behind = token(source, at, cursor.ends)
    if kind != "w" or "\n" in source.window[at:behind]:
        return False
    return token(source, behind, cursor.ends)[0] not in ":="


# --- strings ----------------------------------------------------------------------------------------------------


def begin_string(progress: ValueProgress, opened: tuple[QuoteStyle, int], place: ValuePlace) -> State:
    """Begin to read a string; `opened` is what `open_string` returned."""
    if place.role != "key":
        progress.containers.begin_entry()
    progress.string = StringReader(progress.source, opened, place, progress.reach)
    return "string"


def string(progress: ValueProgress) -> State:
    """Go on with the open string, which is a value."""
    reader, containers = progress.string, progress.containers
    assert reader is not None  # noqa: S101 - the state says so
    written = reader.read()
    text, edits = end_string(progress, reader, written)
    if progress.joins:
        progress.joins = False
        containers.log.edits += _joined(edits, progress.cursor.offset)
        state = containers.prolong(text)
    else:
        containers.log.edits += edits
        state = containers.put(text, written.start, cut=written.is_cut)
    if not containers.frames and written.by == "text":
        containers.complete = False
    containers.text_end = written.closed_at
    return state


def end_string(progress: ValueProgress, reader: StringReader, written: WrittenString) -> tuple[str, list[Edit]]:
    """Go on behind a string that was read; return its value and the edits that it took."""
    text, edits = written.decoded()
    progress.string = None
    progress.reach = max(progress.reach, reader.looked)
    progress.source.here = written.resume - progress.source.base
    if SURROGATE.search(text):
        message = "half of a surrogate pair; it cannot be encoded as UTF-8"
        note = Note(code="lone-surrogate", message=message, span=(written.start, written.resume))
        progress.containers.log.notes.append(note)
    return text, edits


# --- strings side by side -----------------------------------------------------------------------------------------


def concat(progress: ValueProgress) -> bool:
    """Whether the string just read goes on in another one; if so begin to read that."""
    containers, source, ends = progress.containers, progress.source, progress.cursor.ends
    offset = source.base + source.here
    if containers.text_end != offset or source.window[source.here : source.here + 1] in (",", "}", "]"):
        return False
    found = _CONCAT.match(source.window, source.here)
    if found is None:
        return False
    progress.cursor.need(found.end())
    at = found.end()
    if source.peek(at) not in ("'", '"'):
        return False
    place = containers.place
    opened = open_string(source, at, place)
    if opened is None or opened[0].whole:
        return False
    if "+" not in found[0]:
        kind, behind = token(source, at, ends)
        if place.role != "member" or kind not in "sS" or (kind == "s" and token(source, behind, ends)[0] in ":="):
            return False
    edits = containers.log.edits
    last, gap = edits[-1] if edits else None, found[0]
    if last and last.start + len(last.before) == containers.text_end and last.after == '"':
        edits[-1] = last._replace(after="")
    else:
        gap = '"' + found[0]
    opener = '"' if not opened[0].code and not opened[0].prefixed else ""
    containers.log.fix("string-concat", offset - len(gap) + len(found[0]), gap + opener, "")
    source.here = at
    progress.string = StringReader(source, opened, place, progress.reach)
    progress.joins = True
    return True


def _joined(edits: list[Edit], end: int) -> list[Edit]:
    """Return the edits of a string that goes on behind another one: its opening quote goes."""
    opening = next((i for i, edit in enumerate(edits) if edit.after == '"'), None)
    if opening is not None and len(edits[opening].before) > 0 and edits[opening].start < end - 1:
        edits[opening] = edits[opening]._replace(after="")
    return edits
