"""The tolerant reader: text that ought to be JSON → its value, every deviation logged.

One pushdown machine. Its state is a method that reads one token: it goes on and says what comes next, or
raises Starved before it has changed anything, and is called again when more text has come. Containers are
on a stack of their own, so nothing recurses; what has been read is let go, so nothing is read twice.

    begin → value ⇄ string        entry: a key, an item or a closer       after: a comma or a closer
            value → entry → (key → colon →) value → after → entry …       tail: what may belong to it still
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from utp_cli.protocol.calls import Note
from utp_cli.protocol.patterns import regex
from utp_cli.repair import shortcuts, strict
from utp_cli.repair.ahead import SPACES, token
from utp_cli.repair.codes import Edit
from utp_cli.repair.containers import OPENERS
from utp_cli.repair.entries import Entries
from utp_cli.repair.escapes import SURROGATE
from utp_cli.repair.quotes import open_string
from utp_cli.repair.scalars import LITERAL, classify, read_bare, read_bare_key
from utp_cli.repair.strings import PLAIN, StringReader
from utp_cli.repair.structure import Comma, Frame, Member, closers_ahead
from utp_cli.repair.tape import Starved
from utp_cli.repair.tokens import ASCII, SPACE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.repair.ahead import Place
    from utp_cli.repair.quotes import Style

__all__ = ["JsonReader", "Member", "all_notes"]

_FENCE: Final = regex(rf"(`{{3,}}+|~{{3,}}+|`(?=[{SPACES}]*[{{\[]))(?:[A-Za-z][\w+.#-]*)?+[{SPACES}]*+(?=[^{SPACES}])")
_FENCE_BEGUN: Final = regex(rf"(?:`++|~++)(?:[A-Za-z][\w+.#-]*+)?[{SPACES}]*+\Z")
_WORTH_IT: Final = 64
"""Characters that must be there before a short cut is tried."""
_STRIDES: Final = 512, 4096
"""How far a short cut may look at first: about as far as the last one got."""
_INVISIBLE: Final = regex("[\ufeff\u200b\u2060]+")
_DELIMITED: Final = regex(r"(?=[ \t\n\r,;}\])，｝］])")
_CONCAT: Final = regex(rf"[{SPACES}]*(?:\+[{SPACES}]*)?")


def all_notes(kept: Iterable[Note], skimmed: Iterable[tuple[int, str]]) -> list[Note]:
    """Return what is worth knowing though nothing changed, in the order of the text.

    `kept`: what a reader noted. `skimmed`: what its short cuts read, which do not see such things, with its offset.
    """
    found = [*kept, *(note for start, text in skimmed for note in _notes_in(start, text))]
    return sorted(found, key=lambda note: note.span or (0, 0))


def _notes_in(start: int, text: str) -> list[Note]:
    reader = JsonReader(start=start, loose=True, whole=False)
    reader._wasted = sys.maxsize  # noqa: SLF001 - no short cuts
    reader.feed(text)
    reader.close()
    return reader.kept_notes


class JsonReader(Entries):
    """Reads one JSON container from text that arrives in pieces. All offsets and spans count characters.

    Where the payload ends: behind the value and surplus closers; outside strings, before a marker of `until`.
    In a string a marker is content as long as the string goes on to close properly (see `strings`).
    """

    def __init__(self, *, until: tuple[str, ...] = (), start: int = 0, loose: bool = False, whole: bool = True) -> None:
        """`until` are markers that may follow the payload, `start` is the offset of the first character fed.

        `loose` says that the text is meant to be one value and nothing else: then a bare value counts too.
        Where it is known that no strict value stands there, `whole` is false.
        """
        super().__init__(until, start)
        self._loose = loose
        self._fed = not whole
        self.skimmed: list[tuple[int, str]] = []
        """What the short cuts read, with its offset."""
        self._wasted = 0
        """How many characters short cuts have looked at in vain."""
        self._stride = _STRIDES[1]
        """How far the next one looks at first."""
        self._failed = -1
        """Where a value begins that the last short cut could not read."""
        self._string: StringReader | None = None
        self._joins = False
        self._reach = start
        self._state = self._begin

    def feed(self, text: str) -> bool:
        """Take the next piece. True once the end is certain (or it is declined); later pieces are ignored."""
        if not self.over and text and self._tape.add(text):
            self._run()
            self._fed = True
        return self.over

    def take(self, text: str, at: int, stop: int = sys.maxsize) -> bool:
        """Read strict JSON at `text[at]`, up to `stop`, without a copy of the text; what follows is fed. Or False."""
        begin = SPACE.match(text, at).end()  # type: ignore[union-attr]
        self._fed = text[begin : begin + 1] in ("{", "[")
        taken = self._fed and self._skim(text, begin, stop, self._tape.base - at)
        self._tape.base = self.end
        return taken

    def close(self) -> None:
        """No more text will come."""
        if not self.over:
            self._tape.close()
            self._run()

    @property
    def settled(self) -> int:
        """Up to this offset the text certainly belongs to the payload."""
        return self.end if self.over else self._string.settled if self._string else self._offset

    @property
    def quote(self) -> str:
        """What closes the string that is being read; `""` where none is."""
        return self._string.style.closer if self._string else ""

    # --- where it begins ------------------------------------------------------------------------------------

    def _begin(self) -> None:
        tape = self._tape
        tape.at = SPACE.match(tape.text, tape.at).end()  # type: ignore[union-attr]
        char = tape.char(tape.at)
        if found := _INVISIBLE.match(tape.text, tape.at):
            self._need(found.end())
            self._drop("bom", len(found[0]))
        elif char and char in ("\\/#" if self._loose else "\\") and self._skip_odd(char):
            pass
        elif char and char in "`~" and not self._fence:
            self._open_fence()
        elif char and char in "{[" and not self._fed and self._skim(tape.text, tape.at, len(tape.text), tape.base):
            tape.at = self.end - tape.base
        elif char and char in "{[｛［":
            self._state = self._value
        elif self._lost_brace(char):
            self._fix("missing-open-brace", self._offset, "", "{")
            self._push({}, "}", self._offset)
        elif self._loose and char and not self._fence:
            self._state = self._value
        else:
            self.declined = True

    def _open_fence(self) -> None:
        tape = self._tape
        found = _FENCE.match(tape.text, tape.at)
        if found is None:
            if not tape.closed and _FENCE_BEGUN.match(tape.text, tape.at):
                raise Starved
            self.declined = True
            return
        self._fence = found[1]
        self._ends = (*self._ends, self._fence)
        self._firsts |= {self._fence[0]}
        self._drop("code-fence", len(found[0]))

    def _lost_brace(self, char: str) -> bool:
        """Whether a key stands where an object should begin."""
        if not char or (self._ends and self._at_marker(self._tape.at)):
            return False
        at = self._tape.at
        if char in "\"'“＂&\\":
            kind, behind = token(self._tape, at, self._ends)
            return kind == "s" and token(self._tape, behind, self._ends)[0] == ":"
        if not self._loose:
            return False
        key, behind, quoted = read_bare_key(self._tape, at, self._ends)
        if not key or " " in key or token(self._tape, behind + quoted, self._ends)[0] != ":":
            return False
        return closers_ahead(self._tape, behind, 2, self._ends) == "}"

    def _skim(self, text: str, at: int, stop: int, base: int) -> bool:
        """Take the short cut for strict JSON from `text[at]` up to `stop`; `base` is the offset of `text[0]`."""
        try:
            value, end, members = shortcuts.skim(text, at)
        except ValueError:
            return False
        if end > stop:
            return False
        self.skimmed.append((base + at, text[at:end]))
        self.value, self.end = value, base + end
        self.members = [Member(key, base + first, base + last) for key, first, last in members]
        self._closed_at = self.end - 1
        self._top = Frame(value, "}", base + at, self._closed_at, 0, watched=True)
        self._state = self._tail
        return True

    def _take_run(self, frame: Frame) -> bool:
        """Take the short cut for entries that ask no question."""
        tape = self._tape
        if not self._worth_it():
            return False
        run = shortcuts.run(tape.text, tape.at, self._stride, keyed=frame.is_object)
        self._failed = tape.base + run.failed if run.failed >= 0 else -1
        taken = self._enter(frame, run.entries)
        read = (taken.end if taken else tape.at) - tape.at
        self._wasted += run.looked + (run.entries[-1].end - tape.at - read if run.entries else 0)
        self._stride = min(max(_STRIDES[0], 2 * read), _STRIDES[1])
        if taken is None:
            return False
        self._keep_comma(frame)
        text = tape.text[tape.at : taken.end]
        if run.python:
            self.respellings.append((self._offset, text))
        opener, closer = "{}" if frame.is_object else "[]"
        self.skimmed.append((self._offset - 1, opener + text + closer))
        self._item_start, self._told, self._text_end = tape.base + taken.start, -1, -1
        if taken.comma < 0:
            tape.at, self._state = taken.end, self._after
        else:
            frame.comma, frame.many = Comma(tape.base + taken.comma, ","), True
            tape.at = taken.comma + 1
        self._behind = self._offset
        return True

    def _enter(self, frame: Frame, found: list[shortcuts.Entry]) -> shortcuts.Entry | None:
        """Put the entries into the container, up to a key that it has; return the last one that was new."""
        base = self._tape.base
        if frame.is_object:
            new: dict[str, shortcuts.Entry] = {}
            for entry in found:
                if entry.key in frame.value or entry.key in new:
                    break
                new[entry.key] = entry
            frame.value.update((key, entry.value) for key, entry in new.items())
            found = list(new.values())
            if frame.watched:
                self.members += [Member(entry.key, base + entry.start, base + entry.end) for entry in found]
        else:
            frame.value += [entry.value for entry in found]
        if not found:
            return None
        frame.key = found[-1].key
        frame.before = base + found[-2].end if len(found) > 1 else frame.end
        frame.end = base + found[-1].end
        return found[-1]

    def _worth_it(self) -> bool:
        """Whether a short cut may be tried: there is enough text, and not too often it was in vain.

        The first object of an array is read with care, because its members are reported.
        """
        tape, frame = self._tape, self._frames[-1]
        first = len(self._frames) == 1 and not frame.value and not frame.is_object
        return not first and len(tape.text) - tape.at >= _WORTH_IT and self._wasted <= 4 * tape.length

    # --- values ---------------------------------------------------------------------------------------------

    def _value(self) -> None:
        """Read a value, or the beginning of one."""
        char = self._next()
        frame = self._frames[-1] if self._frames else None
        plain = ASCII.get(char, char)
        if not plain or plain in ":,;}])":
            self._no_value(frame, plain)
        elif plain in OPENERS:
            if not (self._frames and self._take_whole(char)):
                self._open(char, plain)
        elif char in ("'", '"') and self._take_plain(char):
            pass
        elif opened := open_string(self._tape, self._tape.at, self._place):
            self._begin_string(opened, self._place)
        elif self._dots():
            self._begin_entry()
            self._drop("ellipsis", self._dots(), "null")
            self._put(None, self._offset)
        else:
            self._scalar()

    def _take_whole(self, char: str) -> bool:
        """Take the short cut for a container that is strict JSON, unless that has failed too often."""
        tape, start = self._tape, self._offset
        if char not in "{[" or start == self._failed or not self._worth_it():
            return False
        value, end, looked = shortcuts.whole(tape.text, tape.at)
        if end < 0:
            self._wasted += looked
            return False
        self._begin_entry()
        self.skimmed.append((start, tape.text[tape.at : end]))
        self._told = -1
        tape.at = end
        self._put(value, start)
        return True

    def _take_plain(self, quote: str) -> bool:
        """Take the short cut for a string that asks no question."""
        tape, start = self._tape, self._offset
        found = PLAIN[quote, self._role].match(tape.text, tape.at)
        if found is None or not found[1].isascii():
            return False
        self._begin_entry()
        tape.at = found.end()
        if quote == "'":
            self.edits += [Edit("single-quotes", place, "'", '"') for place in (start, self._offset - 1)]
        self._put(found[1], start)
        self._text_end = self._offset
        return True

    def _scalar(self) -> None:
        """Read a value without quotes."""
        tape, text, at, start = self._tape, self._tape.text, self._tape.at, self._offset
        found = strict.NUMBER.match(text, at) or LITERAL.match(text, at)
        if found and _DELIMITED.match(text, found.end()) and not self._goes_on(found.end()):
            self._begin_entry()
            tape.at = found.end()
            bare = classify(found[0], start)
            self.edits += bare.edits
            self._put(bare.value, start)
            return
        bare, end = read_bare(tape, at, self._place)
        if end == at:
            self._drop("trailing-garbage", 1)
            return
        if bare.dropped:
            self.edits += bare.edits
            self._drop_key("truncated-number")
            tape.at = end
            self._break_off()
            return
        self._begin_entry()
        self.edits += bare.edits
        tape.at = end
        self._put(bare.value, start, cut=bare.cut)

    def _goes_on(self, at: int) -> bool:
        """Whether what follows the number or literal at hand belongs to it, as in `5 Main St` and `1,250`."""
        if self._tape.text[at] not in " \t":
            return self._tape.text[at] == "," and self._tape.char(at + 1).isdigit()
        kind, behind = token(self._tape, at, self._ends)
        if kind != "w" or "\n" in self._tape.text[at:behind]:
            return False
        return token(self._tape, behind, self._ends)[0] not in ":="

    def _begin_string(self, opened: tuple[Style, int], place: Place) -> None:
        if place.role != "key":
            self._begin_entry()
        self._string = StringReader(self._tape, opened, place, self._reach)
        self._state = self._in_string

    def _in_string(self) -> None:
        """Go on with the open string."""
        string = self._string
        assert string is not None  # noqa: S101 - the state says so
        ended = string.read()
        value, edits = string.value(ended)
        source = string.source(ended) if string.place.role == "key" else ""
        self._string = None
        self._reach = max(self._reach, string.looked)
        self._tape.at = ended.resume - self._tape.base
        if SURROGATE.search(value):
            message = "half of a surrogate pair; it cannot be encoded as UTF-8"
            self.kept_notes.append(Note(code="lone-surrogate", message=message, span=(string.start, ended.resume)))
        if string.place.role == "key":
            self._end_key(string.start, value, edits, source, cut=ended.by in ("text", "marker"))
            return
        if self._joins:
            self._end_join(value, edits)
        else:
            self.edits += edits
            self._put(value, string.start, cut=ended.by in ("text", "marker"))
        if not self._frames and ended.by == "text":
            self.complete = False
        self._text_end = ended.resume if ended.by == "quote" and not string.style.whole else -1

    # --- strings side by side -------------------------------------------------------------------------------

    def _concat(self) -> bool:
        """Whether the string just read goes on in another one; if so begin to read that."""
        tape = self._tape
        if self._text_end != self._offset or tape.text[tape.at : tape.at + 1] in (",", "}", "]"):
            return False
        found = _CONCAT.match(tape.text, tape.at)
        if found is None:
            return False
        self._need(found.end())
        at = found.end()
        opened = open_string(tape, at, self._place) if tape.char(at) in ("'", '"') else None
        if opened is None or opened[0].whole:
            return False
        if "+" not in found[0]:
            kind, behind = token(tape, at, self._ends)
            if (
                self._place.role != "member"
                or kind not in "sS"
                or (kind == "s" and token(tape, behind, self._ends)[0] in ":=")
            ):
                return False
        last = self.edits[-1] if self.edits else None
        if last and last.start + len(last.before) == self._text_end and last.after == '"':
            self.edits[-1] = last._replace(after="")
            gap = found[0]
        else:
            gap = '"' + found[0]
        opener = '"' if not opened[0].code and not opened[0].prefixed else ""
        self._fix("string-concat", self._offset - len(gap) + len(found[0]), gap + opener, "")
        tape.at = at
        self._string = StringReader(tape, opened, self._place, self._reach)
        self._joins = True
        self._state = self._in_string
        return True

    def _end_join(self, value: str, edits: list[Edit]) -> None:
        self._joins = False
        frame = self._frames[-1]
        key = frame.key if frame.is_object else -1
        frame.value[key] += value
        opening = next((i for i, edit in enumerate(edits) if edit.after == '"'), None)
        if opening is not None and len(edits[opening].before) > 0 and edits[opening].start < self._offset - 1:
            edits[opening] = edits[opening]._replace(after="")
        self.edits += edits
        self._entered(self._offset)
