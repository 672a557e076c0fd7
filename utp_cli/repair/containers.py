"""Open containers: how they are entered, and how they end, properly or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.protocol.calls import Note
from utp_cli.protocol.numbers import Number
from utp_cli.protocol.spans import pointer
from utp_cli.repair.ahead import Place, token
from utp_cli.repair.structure import DEEP, Frame, Member, best, closers_ahead, due
from utp_cli.repair.tokens import SPACE, Tokens

if TYPE_CHECKING:
    from utp_cli.protocol.calls import Sureness
    from utp_cli.repair.ahead import Role

OPENERS: Final = {"{": "}", "[": "]", "(": ")"}
COMMAS: Final = {"": "missing-comma", ",": "", ";": "wrong-separator", "，": "fullwidth-punctuation"}
"""What a comma may be instead, and how that is called."""
_BIG: Final = 14_000
"""Bits of an integer that reading and writing software may refuse: some 4 300 digits."""
_MISSING: Final = {"}": "missing-close-brace", "]": "missing-close-bracket"}
_SCANS: Final = 16
"""How often the rest of the text may be looked through for closers."""


class Containers(Tokens):
    """The stack of open containers and the value that grows in them."""

    def __init__(self, until: tuple[str, ...], start: int) -> None:
        super().__init__(until, start)
        self.end = start
        """Just behind the value and what belongs to it."""
        self.value: Any = None
        self.complete = True
        """False where the text or payload ended while something was open."""
        self.only_closers = False
        """Incomplete, but nothing is lacking except the last `}` and `]`."""
        self.whole_items: int | None = None
        """Items of the outermost array that are closed, where the text ended inside it."""
        self.members: list[Member] = []
        """Of the object, or of the first object in an array, as they become known."""
        self.partial: list[str] = []
        """JSON Pointers of the values that may have been cut off."""
        self._fence = ""
        self._frames: list[Frame] = []
        self._top: Frame | None = None
        """The container that was closed last, and the place of its closer, and of the repair it needed."""
        self._closed_at = start
        self._told = -1
        self._item_start = self._text_end = -1
        self._scans = _SCANS

    def _entry(self) -> None:
        """Read what begins an entry. This and the next are states that the layers above define."""
        raise NotImplementedError

    def _after(self) -> None:
        """Read what follows an entry."""
        raise NotImplementedError

    # --- what goes in ---------------------------------------------------------------------------------------

    @property
    def _place(self) -> Place:
        """Where the next value stands."""
        return Place(self._role, due(self._frames), self._ends)

    @property
    def _role(self) -> Role:
        return "top" if not self._frames else "member" if self._frames[-1].is_object else "item"

    def _open(self, char: str, plain: str) -> None:
        """Open a container."""
        self._begin_entry()
        value: Any = {} if plain == "{" else []
        start = self._offset
        if char != plain:
            self._fix("fullwidth-punctuation", start, char, plain)
        self._tape.at += 1
        self._push(value, OPENERS[plain], start)

    def _push(self, value: Any, closer: str, start: int) -> None:
        self._attach(value)
        frame = Frame(value, closer, start, self._offset, self._offset)
        depth = len(self._frames)
        frame.watched = frame.is_object and (not depth or (depth == 1 and self.value == [value]))
        self._frames.append(frame)
        self._state = self._entry

    def _begin_entry(self) -> None:
        """A value begins here: what was held back about its key and the comma before it stands."""
        if not self._frames:
            return
        frame = self._frames[-1]
        self._keep_comma(frame)
        if not frame.is_object:
            return
        self.edits += frame.key_edits
        frame.key_edits = []
        if frame.key in frame.value:
            message = f"the key {frame.key!r} was given before; the last one counts"
            self.kept_notes.append(Note(code="duplicate-key", message=message, span=(frame.key_start, frame.key_end)))
        if frame.watched:
            self.members.append(Member(frame.key or "", self._offset, None))

    def _attach(self, value: Any) -> None:
        if not self._frames:
            self.value = value
        elif self._frames[-1].is_object:
            self._frames[-1].value[self._frames[-1].key] = value
        else:
            self._frames[-1].value.append(value)

    def _put(self, value: Any, start: int, end: int | None = None, *, cut: bool = False) -> None:
        """Enter a value that is whole."""
        kind = type(value)
        if (kind is int and value.bit_length() > _BIG) or (kind is Number and value.is_huge):
            message = "a number is larger than many readers take"
            self.kept_notes.append(Note(code="big-number", message=message, span=(start, self._offset)))
        self._attach(value)
        if cut:
            self.partial.append(self._path())
        self._item_start = start
        self._entered(self._offset if end is None else end)

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
        return pointer(*(frame.key or "" if frame.is_object else len(frame.value) - 1 for frame in self._frames))

    def _reattach(self, value: Any) -> None:
        """Put another value in the place of the innermost container."""
        if len(self._frames) == 1:
            self.value = value
        else:
            outer = self._frames[-2]
            outer.value[outer.key if outer.is_object else -1] = value

    def _make_set(self, frame: Frame) -> None:
        """The braces turned out to hold items, not members."""
        self._fix("python-set", frame.start, "{", "[")
        frame.value, frame.watched = [], False
        self._reattach(frame.value)

    def _drop_key(self, code: str) -> None:
        """Drop a key that has no value, and the comma before it."""
        frame = self._frames[-1]
        if frame.is_object:
            self._fix(code, frame.key_start, frame.key_text, "")
            if frame.colon:
                self._fix(code, frame.colon.start, frame.colon.text, "")
            frame.key_edits = []

    def _keep_comma(self, frame: Frame) -> None:
        if frame.comma and frame.comma.text != ",":
            self._fix(COMMAS[frame.comma.text], frame.comma.start, frame.comma.text, ",")
        frame.comma = None

    def _drop_comma(self, frame: Frame) -> None:
        if frame.comma and frame.comma.text:
            self._fix("trailing-comma", frame.comma.start, frame.comma.text, "")
        frame.comma = None

    # --- closers --------------------------------------------------------------------------------------------

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
        fits = next(
            (i for i in range(len(frames) - 1, max(len(frames) - DEEP, 0) - 1, -1) if frames[i].closer == plain),
            -1,
        )
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

    def _ahead(self, enough: int) -> str:
        """Return the closers that the rest of the text has to offer; at some point we stop looking."""
        if not self._scans:
            return ""
        found = closers_ahead(self._tape, self._tape.at + 1, enough, self._ends)
        self._scans -= 1
        return found

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
            self._told = len(self.edits)
            self._fix(code or "fullwidth-punctuation", self._offset, char, written)
        self._top, self._closed_at = frame, self._offset
        self._tape.at += 1
        self._pop(self._offset)

    def _reopen(self, frame: Frame, at: int) -> None:
        """The closer at the offset, the last one read, came early."""
        if self._told >= 0:
            told = self.edits[self._told]
            self.edits[self._told] = told._replace(code="extra-close", after="", confidence="likely")
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
        at = SPACE.match(tape.text, tape.at).end()  # type: ignore[union-attr]
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
        self.only_closers = only_closers and not self.partial
        if not self._frames[0].is_object:
            self.whole_items = len(self._frames[0].value) - (len(self._frames) > 1)
        self.end = at = max(self._behind, self._frames[-1].end)
        for frame in reversed(self._frames):
            self._lost_closer(frame, at)
        self._frames = []
        self._end_fence(self._tape.at)
