"""A whole text that ought to be one JSON value: finds the value in it, and reads it.

Strict JSON is taken as it is. Else: what stands at the edges, where the value begins, the reader, what
follows.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, field
from utp_cli.repair.codes import Edit, in_order
from utp_cli.repair.shortcuts import respelling
from utp_cli.repair.strict import SPACE, strict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.protocol.calls import Note, Repair
    from utp_cli.repair.reader import JsonReader

_EDGE: Final = " \t\n\r\ufeff\u200b\u2060"
_CALL: Final = regex(r"(?:return\s+|await\s+)?[A-Za-z_$][\w.$]{0,100}\s*\(\s*(?=[{\[])")
_CALL_END: Final = regex(r"\s*\)\s*;?\s*")
_CANDIDATE: Final = regex(
    r"(?:(?<!`)`{3,}+|(?<!~)~{3,}+)[\w+.#-]*+\s*+(?=[{\[])"
    r"|[{｛](?=\s*(?:[\"'“`}{]|\\\"|&quot;|[\w$-]+\s*[:：=]))"
    r"|[\[［](?=\s*(?:[\"'“`\]{\[(]|&quot;|-?\d|(?:true|false|null|True|False|None)\b))"
)
"""Where in prose a value may begin: at a fence, or at a bracket with something like data behind it."""

_QUOTED_KEY: Final = regex(r"(?:[`~]{3,}+[\w+.#-]*+\s*+)?\{\s*\"[^\"\n]{1,200}\"\s*:")
_FENCED: Final = regex(r"(?:(?<!`)`{3,}+|(?<!~)~{3,}+)[\w+.#-]*+\s*+(?=[{\[])")
_NEXT: Final = regex(r"\s*+[,;]?\s*+(?=[{\[])")
_STANDS_ALONE: Final = regex(r"(?:\A|[:=\n]|[`~]{3}\w*)\s*\Z")
_RETRIES: Final = 8
"""How often something in prose that never closes is given up, to try again behind its bracket."""


Stretch = tuple[int, str]
"""Where a part of the text begins, and the part."""


class Reading(Record):
    """What was made of a text, as a value. `edits`, `repairs` and `notes` are worked out when first asked for."""

    value: Any = None
    """None also where nothing in the text is a value; `complete` is then False."""
    partial: list[str] = field(default_factory=list)
    """JSON Pointers of the values that may have been cut off."""
    complete: bool = True
    """False where the text ended while something was open."""
    only_closers: bool = False
    """Incomplete, but nothing is lacking except the last `}` and `]`."""
    kept_edits: list[Edit] = field(default_factory=list, repr=False)
    """Those that were noted on the way, in any order."""
    respellings: list[Stretch] = field(default_factory=list, repr=False)
    """What a short cut read as Python: what it changed is worked out from the text."""
    kept_notes: list[Note] = field(default_factory=list, repr=False)
    skimmed: list[Stretch] = field(default_factory=list, repr=False)
    """What a short cut read: what is worth noting is worked out from the text."""

    @cached_property
    def edits(self) -> list[Edit]:
        """What was changed, in the order of the text. Applied to it, it gives strict JSON."""
        respelt = [edit for start, text in self.respellings for edit in respelling(text, start)]
        return in_order([*self.kept_edits, *respelt])

    @cached_property
    def repairs(self) -> list[Repair]:
        """The edits in full. Their spans count characters."""
        return [edit.repair() for edit in self.edits]

    @cached_property
    def notes(self) -> list[Note]:
        """What is worth knowing though it changed nothing."""
        from utp_cli.repair.reader import all_notes  # noqa: PLC0415 - for text that was read with repairs

        return all_notes(self.kept_notes, self.skimmed)


def json_or_nothing(text: str) -> tuple[Any, list[Repair]] | None:
    """Read the object or the list that a value is due to be, with the repairs; None where it is neither."""
    reading = repair_json(text)
    return (reading.value, reading.repairs) if isinstance(reading.value, dict | list) else None


def repair_json(text: str) -> Reading:
    """Read the one JSON value that the text ought to be; every change is among the repairs. Never raises."""
    try:
        return Reading(value=strict(text), skimmed=[(0, text)])
    except ValueError as error:
        whole = "Extra data" in str(error)
    start, end = len(text) - len(text.lstrip(_EDGE)), len(text.rstrip(_EDGE))
    found = list(_values(text, start, end, whole=whole)) if start < end else []
    if not found:
        return Reading(complete=False)
    value, kept, edits = _joined(text, found)
    listed = len(kept) > 1
    edits += [*_edges(text, start, end), *_outside(text, start, end, found)]
    return Reading(
        value=value,
        partial=[f"/{i}{path}" if listed else path for i, each in enumerate(kept) for path in each.reader.partial],
        complete=all(each.reader.complete for each in kept),
        only_closers=kept[-1].reader.only_closers and all(each.reader.complete for each in kept[:-1]),
        kept_edits=edits,
        respellings=[stretch for each in kept for stretch in each.reader.log.respellings],
        kept_notes=[note for each in kept for note in each.reader.log.notes],
        skimmed=[stretch for each in kept for stretch in each.reader.log.skimmed],
    )


class _Found(Record):
    """A value in the text."""

    start: int
    end: int
    reader: JsonReader
    wrapped: tuple[int, int] | None = None
    """Where the function call around it begins and ends."""

    @property
    def fenced(self) -> bool:
        return any(edit.code == "code-fence" for edit in self.reader.log.edits)

    @property
    def value(self) -> Any:
        return self.reader.value


def _read(text: str, start: int, end: int, *, loose: bool = False, whole: bool = True, piece: int = 0) -> _Found | None:
    """Read the value at `start`; None where there is none. A `piece` spares copying the rest of the text.

    `whole` is false where it is known that no strict value stands there.
    """
    from utp_cli.repair.reader import JsonReader  # noqa: PLC0415 - for what the standard reader cannot read

    reader, at = JsonReader(start=start, loose=loose, whole=whole), start
    piece = piece or end - start
    while at < end and not reader.feed(text[at : min(at + piece, end)]):
        at += piece
        piece *= 2
    reader.close()
    return None if reader.declined else _Found(start=start, end=reader.end, reader=reader)


def _values(text: str, start: int, end: int, *, whole: bool) -> Iterator[_Found]:
    """Find the value and those that follow it: at once, or in fences of their own if the first was in one."""
    found = _wrapped(text, start, end) or _plain(text, start, end, whole=whole) or _in_prose(text, start, end)
    while found:
        yield found
        ahead = (_FENCED.search if found.fenced else _NEXT.match)(text, found.end, end)
        if not ahead or found.wrapped or not isinstance(found.value, (dict, list)):
            return
        found = _read(text, ahead.start() if found.fenced else ahead.end(), end, piece=4096)
        if found and not _is_data(found):
            return


def _is_data(found: _Found) -> bool:
    """Whether this is a container that somebody wrote as one: `{name}` is none."""
    made_set = any(edit.code == "python-set" for edit in found.reader.log.edits)
    return isinstance(found.value, (dict, list)) and not made_set


def _wrapped(text: str, start: int, end: int) -> _Found | None:
    """Read the only argument of a function call."""
    call = _CALL.match(text, start, end)
    found = _read(text, call.end(), end) if call else None
    closing = _CALL_END.fullmatch(text, found.end, end) if found else None
    if not found or not closing:
        return None
    return _Found(start=found.start, end=found.end, reader=found.reader, wrapped=(start, end))


def _plain(text: str, start: int, end: int, *, whole: bool) -> _Found | None:
    """Read a value that begins where the text begins: a container, or a scalar that is all there is."""
    found = _read(text, start, end, loose=True, whole=whole)
    if found is None:
        return None
    codes = [edit.code for edit in found.reader.log.edits]
    opened = text[start] in "{[｛［`~" or codes[:1] in (["js-comment"], ["hash-comment"], ["over-escaped"])
    if "missing-open-brace" in codes or (opened and isinstance(found.value, (dict, list))):
        placeholder = found.end < end and not isinstance(found.value, dict) and not _CANDIDATE.match(text, start)
        return None if placeholder else found
    prose = "unquoted-string" in codes or "trailing-garbage" in codes or "leading-garbage" in codes
    return None if prose or found.end < end else found


def _in_prose(text: str, start: int, end: int) -> _Found | None:
    """Find the value in a text that begins with something else.

    The first object with a key counts; failing that the first array of objects; failing that the first
    container that stands by itself. What never closes counts only if nothing else does.
    """
    ranked: dict[int, _Found] = {}
    retries, at = _RETRIES, start
    while candidate := _CANDIDATE.search(text, at, end):
        found = _read(text, candidate.start(), end, piece=4096)
        at = candidate.end()
        if found is None:
            continue
        rank = _rank(text, found)
        ranked.setdefault(rank, found)
        if rank == 0:
            break
        if found.reader.complete:
            at = found.end
        elif retries:
            retries -= 1
        else:
            break
    ranked.pop(_NONE, None)
    return ranked[min(ranked)] if ranked else None


_NONE: Final = 9


def _rank(text: str, found: _Found) -> int:
    """Say how much this looks like the value: 0 is best, `_NONE` not at all."""
    value = found.value
    if not _is_data(found):
        return _NONE
    if isinstance(value, dict) and value:
        rank = 0
    elif value and all(isinstance(item, dict) for item in value):
        rank = 1
    else:
        rank = 2 if _STANDS_ALONE.search(text[max(0, found.start - 40) : found.start]) else _NONE
    certain = found.reader.complete or (rank == 0 and _QUOTED_KEY.match(text, found.start))
    return rank if certain or rank == _NONE else rank + 3


# --- what the parts of the text become ----------------------------------------------------------------------


def _joined(text: str, found: list[_Found]) -> tuple[Any, list[_Found], list[Edit]]:
    """Make one value of several: the value of the text, those that are part of it, the edits it took."""
    if len(found) == 1:
        return found[0].value, found, list(found[0].reader.log.edits)
    telling = [each for each in found if each.value != {}] or found[:1]
    one = telling[0]
    if all(_same(each.value, one.value) for each in telling[1:]):
        gaps = ((found[0].start, one.start), (one.end, found[-1].end))
        dropped = [_fix("concatenated-objects", text, *gap) for gap in gaps if gap[0] < gap[1]]
        return one.value, [one], [*dropped, *one.reader.log.edits]
    edits, last = [_list_sign(text, found[0].start, found[0].start, "[")], found[0].start
    for each in found:
        gap = text[last : each.start]
        if each is not found[0] and gap.strip() != ",":
            edits.append(_list_sign(text, last, each.start if gap.strip() else last, ","))
        edits += each.reader.log.edits
        last = each.end
    return [each.value for each in found], found, [*edits, _list_sign(text, last, last, "]")]


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except RecursionError:  # nested deeper than Python compares
        return False


def _list_sign(text: str, start: int, end: int, sign: str) -> Edit:
    return _fix("concatenated-objects", text, start, end, sign)


def _outside(text: str, start: int, end: int, found: list[_Found]) -> Iterator[Edit]:
    """Tell what stands in front of the values and behind them."""
    first, last = found[0], found[-1]
    codes = ("call-wrapper", "call-wrapper") if first.wrapped else ("leading-garbage", "trailing-garbage")
    for code, begin, stop in zip(codes, (start, last.end), (first.start, end), strict=True):
        if text[begin:stop].strip(SPACE):
            yield _fix(code, text, begin, stop)


def _edges(text: str, start: int, end: int) -> Iterator[Edit]:
    """Tell of invisible characters at either end."""
    for begin, stop in ((0, start), (end, len(text))):
        if text[begin:stop].strip(SPACE):
            yield _fix("bom", text, begin, stop)


def _fix(code: str, text: str, start: int, end: int, after: str = "") -> Edit:
    return Edit(code, start, text[start:end], after, "guess" if after else None)
