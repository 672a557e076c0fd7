"""The tolerant reader: text that ought to be JSON → its value, every deviation logged.

One pushdown machine. Its state is a method that reads one token: it goes on and says what comes next, or raises
Starved before it has changed anything, and is called again when more text has come. Containers are on a stack of
their own, so nothing recurses; what has been read is let go, so nothing is read twice.

    begin → value ⇄ string        entry: a key, an item or a closer       after: a comma or a closer
            value → entry → (key → colon →) value → after → entry …       tail: what may belong to it still
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.calls import Note, Repair
from utp_cli.protocol.spans import pointer
from utp_cli.repair import strict
from utp_cli.repair.ahead import SPACES, token
from utp_cli.repair.codes import CODES
from utp_cli.repair.escapes import SURROGATE, Edit, decode, quoted
from utp_cli.repair.scalars import read_bare, read_bare_key
from utp_cli.repair.strings import StringReader, open_string
from utp_cli.repair.structure import DEEP, Comma, Frame, Member, best, closers_ahead, due
from utp_cli.repair.tape import Starved, Tape

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.protocol.calls import Sureness
    from utp_cli.repair.ahead import Role
    from utp_cli.repair.strings import Style

__all__ = ["JsonReader", "Member"]

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_ODD: Final = re.compile(rf"[{SPACES}]+")
_ESCAPED_SPACE: Final = re.compile(r"(?:\\[ntr])+")
_COMMENTS: Final = (
    ("js-comment", re.compile(r"/\*(?:[^*]|\*(?!/))*(?:\*/|\*?\Z)|//[^\n\r]*")),
    ("hash-comment", re.compile(r"#[^\n\r]*")),
)
_BLOCK: Final = re.compile(r"/\*.*\*/", re.DOTALL)
_FENCE: Final = re.compile(rf"(`{{3,}}+|~{{3,}}+|`(?=[{SPACES}]*[{{\[]))(?:[A-Za-z][\w+.#-]*)?+[{SPACES}]*+(?=[^{SPACES}])")
_INVISIBLE: Final = re.compile("[\ufeff\u200b\u2060]+")
_DELIMITED: Final = re.compile(r"(?=[ \t\n\r,}\]])")
_GARBAGE: Final = re.compile(r"[^,;，}\])\"'\n]+|.", re.DOTALL)
_ASCII: Final = {"｛": "{", "｝": "}", "［": "[", "］": "]", "：": ":", "，": ","}
_CONCAT: Final = re.compile(rf"[{SPACES}]*(?:\+[{SPACES}]*)?")
_VALUE_STARTS: Final = frozenset("\"'`“„‘«＂&\\{[(-+_$")
_OPENERS: Final = {"{": "}", "[": "]", "(": ")"}
_COMMAS: Final = {"": "missing-comma", ",": "", ";": "wrong-separator", "，": "fullwidth-punctuation"}
"""What a comma may be instead, and how that is called."""
_BIG: Final = 14_000
"""Bits of an integer that reading and writing software may refuse: some 4 300 digits."""
_MISSING: Final = {"}": "missing-close-brace", "]": "missing-close-bracket"}
_SCANS: Final = 16
"""How often the rest of the text may be looked through for closers."""


class JsonReader:
    """Reads one JSON container from text that arrives in pieces. All offsets and spans count characters.

    Where the payload ends: behind the value and surplus closers; outside strings, before a marker of `until`.
    In a string a marker is content as long as the string goes on to close properly (see `strings`).
    """

    def __init__(self, *, until: tuple[str, ...] = (), start: int = 0, loose: bool = False) -> None:
        """`until` are markers that may follow the payload, `start` is the offset of the first character fed.

        `loose` says that the text is meant to be one value and nothing else: then a bare value counts too.
        """
        self.declined = False
        """Nothing here reads as a container."""
        self.done = False
        self.end = start
        """Just behind the value and what belongs to it."""
        self.value: Any = None
        self.repairs: list[Repair] = []
        """As they were made; `in_order` puts them in the order of the text."""
        self.complete = True
        """False where the text or payload ended while something was open."""
        self.only_closers = False
        """Incomplete, but nothing is lacking except the last `}` and `]`."""
        self.members: list[Member] = []
        """Of the object, or of the first object in an array, as they become known."""
        self._tape = Tape(start)
        self._until = until
        self._ends = until
        self._firsts = frozenset(marker[0] for marker in until)
        self._loose = loose
        self._fence = ""
        self._frames: list[Frame] = []
        self._string: StringReader | None = None
        self._role = ""
        self._joins = False
        self._closed_at = start
        self._top: Frame | None = None
        self._item_start = self._text_end = self._told = -1
        self._behind = start
        self._cut: list[str] = []
        self._notes: list[Note] = []
        self._skimmed, self._skimmed_at = "", start
        self._reach = start
        self._scans = _SCANS
        self._begun = False
        self._state: Callable[[], None] = self._begin

    # --- the interface --------------------------------------------------------------------------------------

    def feed(self, text: str) -> bool:
        """Take the next piece. True once the end is certain (or it is declined); later pieces are ignored."""
        if not self.over and text and self._tape.add(text):
            self._run()
            self._begun = True
        return self.over

    def close(self) -> None:
        """No more text will come."""
        if not self.over:
            self._tape.close()
            self._run()

    @property
    def over(self) -> bool:
        return self.done or self.declined

    @property
    def settled(self) -> int:
        """Up to this offset the text certainly belongs to the payload."""
        return self.end if self.over else self._string.settled if self._string else self._offset

    @property
    def notes(self) -> list[Note]:
        """What is worth knowing though it changed nothing: `duplicate-key`, `big-number`, `lone-surrogate`."""
        if self._skimmed:
            again = JsonReader(start=self._skimmed_at)
            again._begun = True  # noqa: SLF001 - no short cut: it sees no duplicate keys
            again.feed(self._skimmed)
            again.close()
            self._skimmed, self._notes = "", [*again.notes, *self._notes]
        return self._notes

    @property
    def partial(self) -> list[str]:
        """JSON Pointers of the values that may have been cut off."""
        return self._cut

    # --- the machine ----------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self.over:
                self._state()
        except Starved:
            pass

    @property
    def _offset(self) -> int:
        return self._tape.base + self._tape.at

    def _fix(self, code: str, start: int, before: str, after: str, confidence: Sureness | None = None) -> None:
        entry = CODES[code]
        self.repairs.append(
            Repair(
                code=code,
                layer="syntax",
                confidence=confidence or entry.confidence,
                span=(start, start + len(before)),
                before=before,
                after=after,
                message=entry.sentence,
            )
        )

    def _fix_all(self, edits: list[Edit]) -> None:
        for edit in edits:
            self._fix(*edit)

    def _drop(self, code: str, width: int, after: str = "", confidence: Sureness | None = None) -> None:
        """Put something else in the place of the next characters."""
        at = self._tape.at
        self._fix(code, self._offset, self._tape.text[at : at + width], after, confidence)
        self._tape.at += width
        self._behind = self._offset

    def _next(self) -> str:
        """Skip what stands between tokens and return the next character, `""` where text or payload ends."""
        tape = self._tape
        self._behind = self._offset
        while True:
            at = _SPACE.match(tape.text, tape.at).end()  # type: ignore[union-attr]
            char = tape.char(at)
            over = not char or (char in self._firsts and self._at_marker(at))
            tape.at = at
            if over:
                return ""
            if "!" < char < "\x7f" and char not in "/#\\":
                return char
            if not self._skip_odd(char):
                return char

    def _at_marker(self, at: int) -> bool:
        text = self._tape.text
        if text.startswith(self._ends, at):
            return True
        if not self._tape.closed and any(marker.startswith(text[at:]) for marker in self._ends):
            raise Starved
        return False

    def _skip_odd(self, char: str) -> bool:
        """Skip a comment or unusual white space; False where there is none."""
        text, at = self._tape.text, self._tape.at
        if char == "\\":
            self._tape.char(at + 1)
            if found := _ESCAPED_SPACE.match(text, at):
                self._need(found.end() + 1)
                self._drop("over-escaped", len(found[0]))
            return found is not None
        if found := _ODD.match(text, at):
            self._need(found.end())
            self._drop("odd-whitespace", len(found[0]), " ")
            return True
        if char == "/":
            self._tape.char(at + 1)
        for code, pattern in _COMMENTS:
            if found := pattern.match(text, at):
                if not _BLOCK.fullmatch(found[0]):
                    self._need(found.end())
                cut = min((p for p in (text.find(m, at, found.end()) for m in self._ends) if p >= 0), default=found.end())
                self._drop(code, cut - at)
                return True
        return False

    def _need(self, index: int) -> None:
        """Wait until the character at the index, or the end of the text, has come."""
        if index >= len(self._tape.text) and not self._tape.closed:
            raise Starved

    # --- where it begins ------------------------------------------------------------------------------------

    def _begin(self) -> None:
        tape = self._tape
        tape.at = _SPACE.match(tape.text, tape.at).end()  # type: ignore[union-attr]
        char = tape.char(tape.at)
        if found := _INVISIBLE.match(tape.text, tape.at):
            self._need(found.end())
            self._drop("bom", len(found[0]))
        elif char == "\\" and self._skip_odd(char):
            pass
        elif char and char in "`~" and not self._fence:
            self._open_fence()
        elif char and char in "{[" and not self._begun and self._skim():
            self._state = self._tail
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
            if not tape.closed and len(tape.text) - tape.at < 40:
                raise Starved
            self.declined = True
            return
        self._fence = found[1]
        self._ends = (*self._until, self._fence)
        self._firsts |= {self._fence[0]}
        self._drop("code-fence", len(found[0]))

    def _lost_brace(self, char: str) -> bool:
        """Whether a key stands where an object should begin."""
        if not char or (self._until and self._at_marker(self._tape.at)):
            return False
        at = self._tape.at
        if char in "\"'“＂&\\":
            kind, behind = token(self._tape, at, self._ends)
            return kind == "s" and token(self._tape, behind, self._ends)[0] == ":"
        if not self._loose:
            return False
        key, behind, quoted = read_bare_key(self._tape, at, self._ends)
        if not key or token(self._tape, behind + quoted, self._ends)[0] != ":":
            return False
        return closers_ahead(self._tape, behind, 2, self._ends) == "}"

    def _skim(self) -> bool:
        """Take the short cut for strict JSON that is there as a whole."""
        tape, at = self._tape, self._tape.at
        try:
            self.value, end, members = strict.skim(tape.text, at)
        except ValueError:
            return False
        self._skimmed, self._skimmed_at = tape.text[at:end], self._offset
        self.members = [Member(key, tape.base + start, tape.base + stop) for key, start, stop in members]
        self._top = Frame(self.value, "}", tape.base + at, tape.base + end - 1, 0, watched=True)
        tape.at = end
        self.end = self._offset
        self._closed_at = self.end - 1
        return True

    # --- values ---------------------------------------------------------------------------------------------

    def _value(self) -> None:
        """Read a value, or the beginning of one."""
        char = self._next()
        frame = self._frames[-1] if self._frames else None
        plain = _ASCII.get(char, char)
        if not plain or plain in ":,;}])":
            self._no_value(frame, plain)
        elif plain in _OPENERS:
            self._open(char, plain)
        elif opened := open_string(self._tape, self._tape.at, self._place, self._ends):
            self._begin_string(opened, self._place)
        elif self._dots():
            self._begin_entry(self._place)
            self._drop("ellipsis", self._dots(), "null")
            self._put(None, self._offset)
        else:
            self._scalar()

    @property
    def _place(self) -> Role:
        return "top" if not self._frames else "member" if self._frames[-1].is_object else "item"

    def _begin_string(self, opened: tuple[Style, int], role: Role) -> None:
        self._begin_entry(role)
        self._string = StringReader(self._tape, *opened, role, due(self._frames), self._ends, self._reach)
        self._state = self._in_string

    def _begin_entry(self, role: Role) -> None:
        """A value begins here: what was held back about its key and the comma before it stands."""
        if role == "key" or not self._frames:
            return
        frame = self._frames[-1]
        if frame.comma and frame.comma.text != ",":
            self._fix(_COMMAS[frame.comma.text], frame.comma.start, frame.comma.text, ",")
        frame.comma = None
        if not frame.is_object:
            return
        self._fix_all(frame.key_edits)
        frame.key_edits = []
        if frame.key in frame.value:
            message = f"the key {frame.key!r} was given before; the last one counts"
            self._notes.append(Note(code="duplicate-key", message=message, span=(frame.key_start, frame.key_end)))
        if frame.watched:
            self.members.append(Member(frame.key or "", self._offset, None))

    def _no_value(self, frame: Frame | None, char: str) -> None:
        """Something else stands where a value is due."""
        if char == ":":
            self._drop("wrong-separator", 1)
        elif not char and frame and frame.is_object:
            self._drop_key("missing-value")
            self._finish(only_closers=False)
        elif not char:
            self._finish(only_closers=False)
        elif frame and frame.is_object:
            self._begin_entry("member")
            self._fix("missing-value", frame.key_end, "", "null")
            self._put(None, frame.key_end, frame.key_end)
        elif frame:
            self._state = self._entry
        else:
            self._drop("leading-garbage", 1)

    def _scalar(self) -> None:
        """Read a value without quotes."""
        tape, text, at, start = self._tape, self._tape.text, self._tape.at, self._offset
        found = strict.NUMBER.match(text, at)
        if found and _DELIMITED.match(text, found.end()):
            grouped = text[found.end()] == "," and tape.char(found.end() + 1).isdigit()
            if not grouped:
                self._begin_entry(self._place)
                tape.at = found.end()
                self._put(strict.number(found[0]), start)
                return
        bare, end = read_bare(tape, at, self._place, self._ends, due(self._frames))
        if end == at:
            self._drop("trailing-garbage", 1)
            return
        if bare.dropped:
            self._fix_all(bare.edits)
            self._drop_key("truncated-number")
            tape.at = end
            self._break_off()
            return
        self._begin_entry(self._place)
        self._fix_all(bare.edits)
        tape.at = end
        self._put(bare.value, start, cut=bare.cut)

    def _put(self, value: Any, start: int, end: int | None = None, *, cut: bool = False) -> None:
        """Enter a value that is whole."""
        if type(value) is int and value.bit_length() > _BIG:
            self._notes.append(Note(code="big-number", message="an integer of thousands of digits", span=(start, self._offset)))
        self._attach(value)
        if cut:
            self._cut.append(self._path())
        self._item_start = start
        self._entered(self._offset if end is None else end)

    def _attach(self, value: Any) -> None:
        if not self._frames:
            self.value = value
        elif self._frames[-1].is_object:
            self._frames[-1].value[self._frames[-1].key] = value
        else:
            self._frames[-1].value.append(value)

    def _entered(self, end: int) -> None:
        """A value ended at the offset."""
        self._text_end = -1
        if not self._frames:
            self.end = end
            self._state = self._tail
            return
        frame = self._frames[-1]
        frame.before, frame.end = frame.end, end
        if frame.watched and self.members:
            self.members[-1] = self.members[-1]._replace(end=end)
        self._state = self._after

    def _path(self) -> str:
        return pointer(*(frame.key if frame.is_object else len(frame.value) - 1 for frame in self._frames))  # type: ignore[misc]

    def _in_string(self) -> None:
        """Go on with the open string."""
        string = self._string
        assert string is not None  # noqa: S101 - the state says so
        ended = string.read()
        value, edits = string.value(ended)
        source = string.source(ended) if string.role == "key" else ""
        self._string = None
        self._reach = max(self._reach, string.looked)
        self._tape.at = ended.resume - self._tape.base
        if SURROGATE.search(value):
            message = "half of a surrogate pair; it cannot be encoded as UTF-8"
            self._notes.append(Note(code="lone-surrogate", message=message, span=(string.start, ended.resume)))
        if string.role == "key":
            self._end_key(string.start, value, edits, source, cut=ended.by in ("text", "marker"))
            return
        if self._joins:
            self._end_join(value, edits)
        else:
            self._fix_all(edits)
            self._put(value, string.start, cut=ended.by in ("text", "marker"))
        if not self._frames and ended.by == "text":
            self.complete = False
        self._text_end = ended.resume if ended.by == "quote" else -1

    # --- strings side by side -------------------------------------------------------------------------------

    def _concat(self) -> bool:
        """Whether the string just read goes on in another one; if so begin to read that."""
        tape = self._tape
        if self._text_end != self._offset:
            return False
        found = _CONCAT.match(tape.text, tape.at)
        if found is None:
            return False
        self._need(found.end())
        at = found.end()
        opened = open_string(tape, at, self._place, self._ends) if tape.char(at) in ("'", '"') else None
        if opened is None:
            return False
        if "+" not in found[0]:
            kind, behind = token(tape, at, self._ends)
            if self._place != "member" or kind not in "sS" or (kind == "s" and token(tape, behind, self._ends)[0] in ":="):
                return False
        last = self.repairs[-1] if self.repairs else None
        if last and last.span and last.span[1] == self._text_end and last.after == '"':
            self.repairs[-1] = replace(last, after="")
            gap = found[0]
        else:
            gap = '"' + found[0]
        opener = '"' if not opened[0].code and not opened[0].prefixed else ""
        self._fix("string-concat", self._offset - len(gap) + len(found[0]), gap + opener, "")
        tape.at = at
        self._string = StringReader(tape, *opened, self._place, due(self._frames), self._ends, self._reach)
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
        self._fix_all(edits)
        self._entered(self._offset)

    # --- containers -----------------------------------------------------------------------------------------

    def _open(self, char: str, plain: str) -> None:
        """Open a container."""
        self._begin_entry(self._place)
        value: Any = {} if plain == "{" else []
        start = self._offset
        if char != plain:
            self._fix("fullwidth-punctuation", start, char, plain)
        self._tape.at += 1
        self._push(value, _OPENERS[plain], start)

    def _push(self, value: Any, closer: str, start: int) -> None:
        self._attach(value)
        frame = Frame(value, closer, start, self._offset, self._offset)
        depth = len(self._frames)
        frame.watched = frame.is_object and (not depth or (depth == 1 and self.value == [value]))
        self._frames.append(frame)
        self._state = self._entry

    def _entry(self) -> None:
        """Read what begins an entry, or what stands in its place."""
        frame, char = self._frames[-1], self._next()
        plain = _ASCII.get(char, char)
        if not char:
            self._finish(only_closers=frame.comma is None)
        elif plain in _COMMAS:
            self._drop("extra-comma", 1)
        elif plain in "}])":
            self._close(char, plain)
        elif width := self._dots():
            self._ellipsis(frame, width)
        elif frame.is_object:
            self._key(frame, plain)
        else:
            self._state = self._value

    def _dots(self) -> int:
        """Return how many characters an ellipsis takes here."""
        text, at = self._tape.text, self._tape.at
        if text[at] == "…":
            return 1
        if text[at] == ".":
            self._need(at + 2)
        return 3 if text.startswith("...", at) else 0

    def _ellipsis(self, frame: Frame, width: int) -> None:
        """Drop an ellipsis, and the comma before it."""
        if frame.comma and frame.comma.text:
            self._fix("ellipsis", frame.comma.start, frame.comma.text, "")
        frame.comma = None
        self._drop("ellipsis", width)
        if frame.value:
            self._state = self._after

    def _key(self, frame: Frame, plain: str) -> None:
        """Read a key, or the beginning of one."""
        tape, at, start = self._tape, self._tape.at, self._offset
        if opened := open_string(tape, at, "key", self._ends):
            self._begin_string(opened, "key")
            return
        if plain in _OPENERS:
            self._bracket_for_key(frame, plain)
            return
        key, end, quoted_behind = read_bare_key(tape, at, self._ends)
        if not key:
            self._drop("leading-garbage", 1)
            return
        kind = token(tape, end + quoted_behind, self._ends)[0]
        if kind in ",}" and self._fresh(frame):
            self._make_set(frame)
            self._state = self._value
            return
        edits = [Edit("unquoted-key", start, key, quoted(key))]
        if quoted_behind:
            key, inner = decode(key, start)
            edits = [Edit("missing-open-quote", start, "", '"'), *inner]
        source = tape.text[at : end + quoted_behind]
        tape.at = end + quoted_behind
        self._end_key(start, key, edits, source, cut=tape.closed and tape.at == len(tape.text))

    def _fresh(self, frame: Frame) -> bool:
        return not frame.value and frame.comma is None

    def _bracket_for_key(self, frame: Frame, plain: str) -> None:
        """A container begins where a key is due."""
        if self._fresh(frame) and plain == "{" and frame.end == self._offset:
            self._drop("over-escaped", 1)
        elif self._fresh(frame):
            self._make_set(frame)
            self._state = self._value
        elif len(self._frames) > 1 and not self._frames[-2].is_object:
            self._fix("missing-close-brace", frame.end, "", "}", "likely")
            self._pop(frame.end)
            self._frames[-1].comma = frame.comma or Comma(frame.end, "")
            self._state = self._entry
        else:
            self._drop("leading-garbage", 1)

    def _make_set(self, frame: Frame) -> None:
        """The braces turned out to hold items, not members."""
        self._fix("python-set", frame.start, "{", "[")
        frame.value, frame.watched = [], False
        self._reattach(frame.value)

    def _reattach(self, value: Any) -> None:
        """Put another value in the place of the innermost container."""
        if len(self._frames) == 1:
            self.value = value
        else:
            outer = self._frames[-2]
            outer.value[outer.key if outer.is_object else -1] = value

    def _end_key(self, start: int, key: str, edits: list[Edit], source: str, *, cut: bool) -> None:
        """A key has been read; it stands once its value begins."""
        frame = self._frames[-1]
        frame.key, frame.key_start, frame.key_text, frame.key_end = key, start, source, self._offset
        frame.key_edits, frame.colon = edits, None
        self._state = self._colon
        if cut:
            self._drop_key("truncated-key")
            self._break_off()

    def _drop_key(self, code: str) -> None:
        """Drop a key that has no value, and the comma before it."""
        frame = self._frames[-1]
        if frame.is_object:
            self._fix(code, frame.key_start, frame.key_text, "")
            if frame.colon:
                self._fix(code, frame.colon.start, frame.colon.text, "")
            frame.key_edits = []

    def _colon(self) -> None:
        """Read what stands between a key and its value."""
        frame, char = self._frames[-1], self._next()
        plain = _ASCII.get(char, char)
        if not char:
            self._drop_key("missing-value")
            self._finish(only_closers=False)
        elif plain in ":=":
            self._take_colon(frame, char)
        elif plain in ",;}" and self._fresh(frame):
            self._make_set(frame)
            self._fix_all(frame.key_edits)
            frame.value.append(frame.key)
            self._entered(frame.key_end)
        elif plain in ",;}])":
            frame.key_edits.append(Edit("missing-value", frame.key_end, "", ": null"))
            self._begin_entry("member")
            self._put(None, frame.key_end, frame.key_end)
        else:
            frame.key_edits.append(Edit("missing-colon", frame.key_end, "", ":"))
            self._state = self._value

    def _take_colon(self, frame: Frame, char: str) -> None:
        tape, start = self._tape, self._offset
        width = 2 if char == "=" and tape.char(tape.at + 1) == ">" else 1
        written = tape.text[tape.at : tape.at + width]
        if char != ":":
            code = "wrong-separator" if char == "=" else "fullwidth-punctuation"
            frame.key_edits.append(Edit(code, start, written, ":"))
        tape.at += width
        if frame.key_end == start:
            frame.key_text += written
        else:
            frame.colon = Comma(start, written)
        frame.key_end = self._offset
        self._state = self._value

    def _after(self) -> None:
        """Read what follows an entry."""
        if self._concat():
            return
        frame, char = self._frames[-1], self._next()
        plain = _ASCII.get(char, char)
        if not char:
            self._finish(only_closers=True)
        elif plain in _COMMAS:
            frame.comma = Comma(self._offset, char)
            frame.many = True
            self._tape.at += 1
            self._state = self._entry
        elif plain in "}])":
            self._close(char, plain)
        elif frame.is_object:
            self._after_member(frame, plain)
        elif plain == ":" and isinstance(frame.value[-1], str):
            self._colon_in_array(frame)
        elif plain in _VALUE_STARTS or char.isalnum() or self._dots():
            self._lost_comma(frame)
        else:
            self._garbage()

    def _after_member(self, frame: Frame, plain: str) -> None:
        """No comma follows a member."""
        kind, behind = token(self._tape, self._tape.at, self._ends)
        if kind in "sS" or (kind in "wn" and token(self._tape, behind, self._ends)[0] in ":="):
            self._lost_comma(frame)
        elif self._dots() or (plain == "{" and len(self._frames) > 1 and not self._frames[-2].is_object):
            self._state = self._entry
        else:
            self._garbage()

    def _lost_comma(self, frame: Frame) -> None:
        if not self._dots():
            frame.comma, frame.many = Comma(frame.end, ""), True
        self._state = self._entry

    def _garbage(self) -> None:
        """Drop what can be nothing, up to what can be something."""
        found = _GARBAGE.match(self._tape.text, self._tape.at)
        assert found is not None  # noqa: S101 - it matches any character
        self._need(found.end())
        at = self._tape.at
        places = (self._tape.text.find(marker, at, found.end()) for marker in self._ends)
        self._drop("trailing-garbage", min((p for p in places if p >= 0), default=found.end()) - at)

    def _colon_in_array(self, frame: Frame) -> None:
        """A string followed by a colon: the array ended before it, or an object begins or goes on with it."""
        outer = self._frames[:-1]
        closers = due(self._frames)
        readings = [(due(outer), "ended")] if outer and outer[-1].is_object else []
        if len(frame.value) > 1 and isinstance(frame.value[-2], dict) and frame.value[-2]:
            readings.append(("}" + closers, "goes on"))
        readings += [("}" + closers, "begins"), (closers, "begins")]
        ahead = self._ahead(len(closers) + 2)
        answer = best(ahead, readings, readings[0][1])
        key, start, end = frame.value.pop(), self._item_start, frame.end
        if answer == "ended":
            self._lost_closer(frame, frame.before)
            if not frame.value:
                self._fix("missing-comma", frame.before, "", ",")
            self._pop(frame.before)
        elif answer == "goes on":
            self._reopen(Frame(frame.value[-1], "}", start, frame.before - 1, start), frame.before - 1)
        else:
            self._fix("missing-open-brace", start, "", "{")
            frame.end = start
            self._push({}, "}", start)
        self._end_key(start, key, [], "", cut=False)
        self._frames[-1].key_end = end

    # --- closers --------------------------------------------------------------------------------------------

    def _ahead(self, enough: int) -> str:
        """Return the closers that the rest of the text has to offer; at some point we stop looking."""
        if not self._scans:
            return ""
        found = closers_ahead(self._tape, self._tape.at + 1, enough, self._ends)
        self._scans -= 1
        return found

    def _close(self, char: str, plain: str) -> None:
        """Read a closer."""
        frames = self._frames
        if plain != frames[-1].closer:
            self._close_other(char, plain)
            return
        self._drop_comma(frames[-1])
        self._shut(char, plain)

    def _close_other(self, char: str, plain: str) -> None:
        """Read a closer that is not the one due: a slip, a surplus one, or others were forgotten."""
        frames = self._frames
        fits = next((i for i in range(len(frames) - 1, max(len(frames) - DEEP, 0) - 1, -1) if frames[i].closer == plain), -1)
        closers = due(frames)
        readings = [(closers[1:], "slip"), (closers, "surplus")]
        if fits >= 0:
            readings.insert(0, (closers[len(frames) - fits :], "outer"))
        answer = best(self._ahead(len(closers) + 1), readings, "outer" if self._outer_goes_on(fits) else "slip")
        frame = frames[-1]
        if answer == "surplus":
            self._drop("extra-close", 1, confidence="likely")
            return
        self._drop_comma(frame)
        if answer == "slip":
            self._shut(char, frame.closer, "wrong-close")
            return
        while len(frames) > fits + 1:
            at = frames[-1].end
            self._lost_closer(frames[-1], at, "likely")
            self._pop(at)
        self._shut(char, plain)

    def _outer_goes_on(self, fits: int) -> bool:
        """Whether what follows a closer can stand behind the outer container it fits."""
        if fits < 0:
            return False
        kind, behind = token(self._tape, self._tape.at + 1, self._ends)
        if kind != "," or not fits:
            return kind != ","
        kind, behind = token(self._tape, behind, self._ends)
        is_key = kind in "swn" and token(self._tape, behind, self._ends)[0] in ":="
        return is_key == self._frames[fits - 1].is_object

    def _drop_comma(self, frame: Frame) -> None:
        if frame.comma and frame.comma.text:
            self._fix("trailing-comma", frame.comma.start, frame.comma.text, "")
        frame.comma = None

    def _lost_closer(self, frame: Frame, at: int, confidence: Sureness | None = None) -> None:
        """A container ends at the offset without its closer."""
        self._drop_comma(frame)
        if frame.closer == ")":
            self._fix("python-tuple", frame.start, "(", "[")
        written = "}" if frame.is_object else "]"
        self._fix(_MISSING[written], at, "", written, confidence)

    def _shut(self, char: str, plain: str, code: str = "") -> None:
        """Close the innermost container with the character at hand, which stands for `plain`."""
        frame = self._frames[-1]
        written = "}" if frame.is_object else "]"
        if plain == ")":
            lone = len(frame.value) == 1 and not frame.many
            self._fix("python-tuple", frame.start, "(", "" if lone else "[")
            code = code or "python-tuple"
            if lone:
                written = ""
                self._reattach(frame.value[0])
        elif plain != written:
            code = code or "python-set"
        self._told = -1
        if char != written:
            self._told = len(self.repairs)
            self._fix(code or "fullwidth-punctuation", self._offset, char, written)
        self._top, self._closed_at = frame, self._offset
        self._tape.at += 1
        self._pop(self._offset)

    def _reopen(self, frame: Frame, at: int) -> None:
        """The closer at the offset, the last one read, came early."""
        if self._told >= 0:
            told = self.repairs[self._told]
            entry = CODES["extra-close"]
            self.repairs[self._told] = replace(told, code=entry.code, confidence="likely", after="", message=entry.sentence)
        else:
            self._fix("extra-close", at, "}", "", "likely")
        self._told = -1
        self._frames.append(frame)

    def _pop(self, end: int) -> None:
        self._frames.pop()
        self._entered(end)

    # --- where it ends --------------------------------------------------------------------------------------

    def _tail(self) -> None:
        """Read what may belong to the value though it is closed."""
        tape = self._tape
        at = _SPACE.match(tape.text, tape.at).end()  # type: ignore[union-attr]
        char = tape.char(at)
        if char and char in self._firsts and self._at_marker(at):
            self._end_fence(at)
        elif char in ("}", "]"):
            tape.at = at
            self._drop("extra-close", 1)
            self.end = self._offset
        elif char == "," and self._reopens(at):
            self._reopen(self._top, self._closed_at)  # type: ignore[arg-type]
            self._state = self._after
        else:
            self.done = True

    def _reopens(self, at: int) -> bool:
        """Whether another member follows the closed object."""
        if self._top is None or not self._top.is_object or not self._top.value:
            return False
        kind, behind = token(self._tape, at + 1, self._ends)
        return kind == "s" and token(self._tape, behind, self._ends)[0] == ":"

    def _end_fence(self, at: int) -> None:
        tape = self._tape
        if self._fence and tape.text.startswith(self._fence, at):
            tape.at = at
            self._drop("code-fence", len(self._fence))
            self.end = self._offset
        self.done = True

    def _break_off(self) -> None:
        """The text ended in something that had to be dropped."""
        self._behind = self._offset
        self._finish(only_closers=False)

    def _finish(self, *, only_closers: bool) -> None:
        """Text or payload ended while containers were open."""
        if not self._frames:
            self.done, self.end = True, self._behind
            self.complete = False
            return
        self.complete = False
        self.only_closers = only_closers and not self._cut
        self.end = at = max(self._behind, self._frames[-1].end)
        for frame in reversed(self._frames):
            self._lost_closer(frame, at)
        self._frames = []
        self._end_fence(self._tape.at)
