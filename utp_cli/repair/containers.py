"""Open containers and the value that grows in them: how they are entered, and how they end, properly or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from utp_cli.protocol.calls import Note
from utp_cli.protocol.numbers import Number
from utp_cli.protocol.spans import pointer
from utp_cli.repair.lookahead import ValuePlace, token
from utp_cli.repair.shortcuts import Member
from utp_cli.repair.structure import DEEP, OPTION, Frame, best, closers_ahead, due

if TYPE_CHECKING:
    from utp_cli.protocol.calls import RepairConfidence
    from utp_cli.repair.cursor import Cursor
    from utp_cli.repair.lookahead import Role
    from utp_cli.repair.sound import SoundValue

State = Literal["begin", "value", "string", "entry", "key", "colon", "after", "tail", "done", "declined"]
"""What is read next; see `reader`."""
OPENERS: Final = {"{": "}", "[": "]", "(": ")"}
COMMAS: Final = {"": "missing-comma", ",": "", ";": "wrong-separator", "，": "fullwidth-punctuation"}
"""What a comma may be instead, and how that is called."""
_BIG: Final = 14_000
"""Bits of an integer that reading and writing software may refuse: some 4 300 digits."""
_MISSING: Final = {"}": "missing-close-brace", "]": "missing-close-bracket"}
_SCANS: Final = 16
"""How often the rest of the text may be looked through for closers."""


class Containers:
    """The stack of open containers and the value in them. What ends something returns what is to be read next."""

    __slots__ = (
        "_scans",
        "closed_at",
        "closer_edit",
        "complete",
        "cursor",
        "end",
        "fence",
        "frames",
        "item_start",
        "log",
        "members",
        "only_closers",
        "partial",
        "sound",
        "source",
        "text_end",
        "top",
        "value",
        "whole_items",
    )  # fmt: skip

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.source = cursor.source
        self.log = cursor.log
        self.end = cursor.behind
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
        self.sound: SoundValue | None = None
        """All of it, where that was read in one go: its members come before the others, when somebody asks."""
        self.partial: list[str] = []
        """JSON Pointers of the values that may have been cut off."""
        self.fence = ""
        """What ends the code fence around the value."""
        self.frames: list[Frame] = []
        """The open containers, the outermost first."""
        self.top: Frame | None = None
        """The container that was closed last, and the place of its closer, and of the repair it needed."""
        self.closed_at = self.end
        self.closer_edit = -1
        self.item_start = self.text_end = -1
        """Where the last value began; behind its closing quote, where it was a string."""
        self._scans = _SCANS

    # --- what goes in ---------------------------------------------------------------------------------------

    @property
    def place(self) -> ValuePlace:
        """Where the next value stands."""
        return ValuePlace(self.role, due(self.frames), self.cursor.ends)

    @property
    def role(self) -> Role:
        """What the next value is."""
        if not self.frames:
            return "top"
        frame = self.frames[-1]
        if not frame.is_object:
            return "item"
        return "option" if frame.key_text.startswith(OPTION) else "member"

    def skim(self, sound: SoundValue) -> None:
        """Take a value that was read in one go, as if it had been entered and closed."""
        self.sound, self.value, self.end, self.closed_at = sound, sound.value, sound.end, sound.end - 1
        self.top = Frame(sound.value, "}", sound.start, self.closed_at, 0)
        self.top.watched = True

    def open(self, char: str, plain: str) -> State:
        """Open a container."""
        self.begin_entry()
        value: Any = {} if plain == "{" else []
        start = self.cursor.offset
        if char != plain:
            self.log.fix("fullwidth-punctuation", start, char, plain)
        self.source.here += 1
        return self.push(value, OPENERS[plain], start)

    def push(self, value: Any, closer: str, start: int) -> State:
        """Enter a container that began at the offset."""
        self._attach(value)
        offset = self.cursor.offset
        frame = Frame(value, closer, start, offset, offset)
        depth = len(self.frames)
        frame.watched = frame.is_object and (not depth or (depth == 1 and self.value == [value]))
        self.frames.append(frame)
        return "entry"

    def begin_entry(self) -> None:
        """A value begins here: what was held back about its key and the comma before it stands."""
        if not self.frames:
            return
        frame = self.frames[-1]
        self.keep_comma(frame)
        if not frame.is_object:
            return
        if frame.key_edits:
            self.log.edits += frame.key_edits
            frame.key_edits = []
        if frame.key in frame.value:
            message = f"the key {frame.key!r} was given before; the last one counts"
            self.log.notes.append(Note(code="duplicate-key", message=message, span=(frame.key_start, frame.key_end)))
        if frame.watched:
            self.members.append(Member(frame.key or "", self.cursor.offset, None))

    def _attach(self, value: Any) -> None:
        if not self.frames:
            self.value = value
            return
        frame = self.frames[-1]
        if frame.is_object:
            frame.value[frame.key] = value
        else:
            frame.value.append(value)

    def put(self, value: Any, start: int, end: int | None = None, *, cut: bool = False) -> State:
        """Enter a value that is whole."""
        if (isinstance(value, int) and value.bit_length() > _BIG) or (isinstance(value, Number) and value.is_huge):
            message = "a number is larger than many readers take"
            self.log.notes.append(Note(code="big-number", message=message, span=(start, self.cursor.offset)))
        self._attach(value)
        if cut:
            self.partial.append(self._path())
        self.item_start = start
        return self.entered(self.cursor.offset if end is None else end)

    def entered(self, end: int) -> State:
        """A value ended at the offset."""
        self.text_end = -1
        if not self.frames:
            self.end = end
            return "tail"
        frame = self.frames[-1]
        frame.before, frame.end = frame.end, end
        if frame.watched and self.members:
            key, start, _ = self.members[-1]
            self.members[-1] = Member(key, start, end)
        return "after"

    def prolong(self, more: str) -> State:
        """Put more text behind the string that was entered last."""
        frame = self.frames[-1]
        frame.value[frame.key if frame.is_object else -1] += more
        return self.entered(self.cursor.offset)

    def _path(self) -> str:
        return pointer(*(frame.key or "" if frame.is_object else len(frame.value) - 1 for frame in self.frames))

    def _reattach(self, value: Any) -> None:
        """Put another value in the place of the innermost container."""
        if len(self.frames) == 1:
            self.value = value
        else:
            outer = self.frames[-2]
            outer.value[outer.key if outer.is_object else -1] = value

    def make_set(self, frame: Frame) -> None:
        """The braces turned out to hold items, not members."""
        self.log.fix("python-set", frame.start, "{", "[")
        frame.turn_into_list()
        self._reattach(frame.value)

    def drop_key(self, code: str) -> None:
        """Drop a key that has no value, and the comma before it."""
        frame = self.frames[-1]
        if frame.is_object:
            self.log.fix(code, frame.key_start, frame.key_text, "")
            if frame.colon:
                self.log.fix(code, frame.colon.start, frame.colon.text, "")
            frame.key_edits = []

    def keep_comma(self, frame: Frame) -> None:
        """Something follows the comma: it stands."""
        if frame.comma and frame.comma.text != ",":
            self.log.fix(COMMAS[frame.comma.text], frame.comma.start, frame.comma.text, ",")
        frame.comma = None

    def drop_comma(self, frame: Frame) -> None:
        """Nothing follows the comma."""
        if frame.comma and frame.comma.text:
            self.log.fix("trailing-comma", frame.comma.start, frame.comma.text, "")
        frame.comma = None

    # --- closers --------------------------------------------------------------------------------------------

    def close(self, char: str, plain: str, here: State) -> State:
        """Read a closer: the one that is due, a slip, a surplus one (then all stays as it is, `here`), or others were
        forgotten before it.
        """
        frames = self.frames
        if plain == frames[-1].closer:
            self.drop_comma(frames[-1])
            return self._shut(char, plain)
        fits = next(
            (i for i in range(len(frames) - 1, max(len(frames) - DEEP, 0) - 1, -1) if frames[i].closer == plain),
            -1,
        )
        closers = due(frames)
        readings = [(closers[1:], "slip"), (closers, "surplus")]
        if fits >= 0:
            readings.insert(0, (closers[len(frames) - fits :], "outer"))
        answer = best(self.ahead(len(closers) + 1), readings, "outer" if self._outer_goes_on(fits) else "slip")
        frame = frames[-1]
        if answer == "surplus":
            self.cursor.drop("extra-close", 1, confidence="likely")
            return here
        self.drop_comma(frame)
        if answer == "slip":
            return self._shut(char, frame.closer, "wrong-close")
        while len(frames) > fits + 1:
            at = frames[-1].end
            self.lost_closer(frames[-1], at, "likely")
            self.pop(at)
        return self._shut(char, plain)

    def _outer_goes_on(self, fits: int) -> bool:
        """Whether what follows a closer can stand behind the outer container it fits."""
        if fits < 0:
            return False
        source, ends = self.source, self.cursor.ends
        kind, behind = token(source, source.here + 1, ends)
        if kind != "," or not fits:
            return kind != ","
        kind, behind = token(source, behind, ends)
        is_key = kind in "swn" and token(source, behind, ends)[0] in ":="
        return is_key == self.frames[fits - 1].is_object

    def ahead(self, enough: int) -> str:
        """Return the closers that the rest of the text has to offer; at some point we stop looking."""
        if not self._scans:
            return ""
        found = closers_ahead(self.source, self.source.here + 1, enough, self.cursor.ends)
        self._scans -= 1
        return found

    def lost_closer(self, frame: Frame, at: int, confidence: RepairConfidence | None = None) -> None:
        """A container ends at the offset without its closer."""
        self.drop_comma(frame)
        if frame.closer == ")":
            self.log.fix("python-tuple", frame.start, "(", "[")
        written = "}" if frame.is_object else "]"
        self.log.fix(_MISSING[written], at, "", written, confidence)

    def _shut(self, char: str, plain: str, code: str = "") -> State:
        """Close the innermost container with the character at hand, which stands for `plain`."""
        frame = self.frames[-1]
        written = "}" if frame.is_object else "]"
        if plain == ")":
            lone = len(frame.value) == 1 and not frame.many
            self.log.fix("python-tuple", frame.start, "(", "" if lone else "[")
            code = code or "python-tuple"
            if lone:
                written = ""
                self._reattach(frame.value[0])
        elif plain != written:
            code = code or "python-set"
        start = self.cursor.offset
        self.closer_edit = -1
        if char != written:
            self.closer_edit = len(self.log.edits)
            self.log.fix(code or "fullwidth-punctuation", start, char, written)
        self.top, self.closed_at = frame, start
        self.source.here += 1
        return self.pop(start + 1)

    def reopen(self, frame: Frame, at: int) -> State:
        """The closer at the offset, the last one read, came early."""
        if self.closer_edit >= 0:
            edit = self.log.edits[self.closer_edit]
            self.log.edits[self.closer_edit] = edit._replace(code="extra-close", after="", confidence="likely")
        else:
            self.log.fix("extra-close", at, "}", "", "likely")
        self.closer_edit = -1
        self.frames.append(frame)
        return "after"

    def pop(self, end: int) -> State:
        """The innermost container ended at the offset."""
        self.frames.pop()
        return self.entered(end)

    # --- where it ends --------------------------------------------------------------------------------------

    def break_off(self) -> State:
        """The text ended in something that had to be dropped."""
        self.cursor.behind = self.cursor.offset
        return self.finish(only_closers=False)

    def finish(self, *, only_closers: bool) -> State:
        """Text or payload ended while containers were open."""
        self.complete = False
        if not self.frames:
            self.end = self.cursor.behind
            return "done"
        self.only_closers = only_closers and not self.partial
        if not self.frames[0].is_object:
            self.whole_items = len(self.frames[0].value) - (len(self.frames) > 1)
        self.end = at = max(self.cursor.behind, self.frames[-1].end)
        for frame in reversed(self.frames):
            self.lost_closer(frame, at)
        self.frames = []
        return self.end_fence(self.source.here)

    def end_fence(self, at: int) -> State:
        """End the payload at the index, behind the fence if its end stands there."""
        if self.fence and self.source.window.startswith(self.fence, at):
            self.source.here = at
            self.cursor.drop("code-fence", len(self.fence))
            self.end = self.cursor.offset
        return "done"
