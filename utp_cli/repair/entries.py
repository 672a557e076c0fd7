"""The entries of a container: keys, colons, commas, and what is written in their stead."""

from __future__ import annotations

from typing import Final

from utp_cli.protocol.patterns import regex
from utp_cli.repair.ahead import Place, token
from utp_cli.repair.codes import Edit
from utp_cli.repair.containers import COMMAS, OPENERS, Containers
from utp_cli.repair.escapes import decode, quoted
from utp_cli.repair.quotes import Style, open_string
from utp_cli.repair.scalars import read_bare_key
from utp_cli.repair.structure import Comma, Frame, best, due
from utp_cli.repair.tokens import ASCII

_PLAIN_KEY: Final = regex(r"([\"'])([ !#-&(-\[\]-~]*)\1:")
"""A key and its colon that ask no question. Only a short cut."""
_VALUE_STARTS: Final = frozenset("\"'`“„‘«＂&\\{[(-+_$")


class Entries(Containers):
    """The states between two values."""

    def _value(self) -> None:
        """Read a value. This and the next two are defined by the layer above."""
        raise NotImplementedError

    def _begin_string(self, opened: tuple[Style, int], place: Place) -> None:
        raise NotImplementedError

    def _concat(self) -> bool:
        raise NotImplementedError

    def _take_run(self, frame: Frame) -> bool:
        raise NotImplementedError

    def _entry(self) -> None:
        """Read what begins an entry, or what stands in its place."""
        frame = self._frames[-1]
        if self._take_run(frame):
            return
        char = self._next()
        plain = ASCII.get(char, char)
        if not char:
            self._finish(only_closers=frame.comma is None)
        elif plain in COMMAS:
            self._drop("extra-comma", 1)
        elif plain in "}])":
            self._close(char, plain)
        elif width := self._dots():
            self._ellipsis(frame, width)
        elif frame.is_object:
            self._key(frame, plain)
        else:
            self._state = self._value

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
        if found := _PLAIN_KEY.match(tape.text, at):
            tape.at = found.end()
            places = (start, self._offset - 2) if found[1] == "'" else ()
            edits = [Edit("single-quotes", place, "'", '"') for place in places]
            self._end_key(start, found[2], edits, found[0], cut=False)
            self._state = self._value
            return
        place = Place("key", due(self._frames), self._ends)
        if opened := open_string(tape, at, place):
            self._begin_string(opened, place)
            return
        if plain in OPENERS:
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

    def _end_key(self, start: int, key: str, edits: list[Edit], source: str, *, cut: bool) -> None:
        """A key has been read; it stands once its value begins."""
        frame = self._frames[-1]
        frame.key, frame.key_start, frame.key_text, frame.key_end = key, start, source, self._offset
        frame.key_edits, frame.colon = edits, None
        self._state = self._colon
        if cut:
            self._drop_key("truncated-key")
            self._break_off()

    def _colon(self) -> None:
        """Read what stands between a key and its value."""
        frame, char = self._frames[-1], self._next()
        plain = ASCII.get(char, char)
        if not char:
            self._drop_key("missing-value")
            self._finish(only_closers=False)
        elif plain in ":=":
            self._take_colon(frame, char)
        elif plain in ",;}" and self._fresh(frame):
            self._make_set(frame)
            self.edits += frame.key_edits
            frame.value.append(frame.key)
            self._entered(frame.key_end)
        elif plain in ",;}])":
            frame.key_edits.append(Edit("missing-value", frame.key_end, "", ": null"))
            self._begin_entry()
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
            self._begin_entry()
            self._fix("missing-value", frame.key_end, "", "null")
            self._put(None, frame.key_end, frame.key_end)
        elif frame:
            self._state = self._entry
        else:
            self._drop("leading-garbage", 1)

    def _after(self) -> None:
        """Read what follows an entry."""
        if self._concat():
            return
        frame, char = self._frames[-1], self._next()
        plain = ASCII.get(char, char)
        if not char:
            self._finish(only_closers=True)
        elif plain in COMMAS:
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
