"""The entries of a container: keys, colons, commas, and what is written in their stead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.protocol.patterns import regex
from utp_cli.repair.codes import Edit
from utp_cli.repair.containers import COMMAS, OPENERS
from utp_cli.repair.cursor import ASCII
from utp_cli.repair.escapes import decode, quoted
from utp_cli.repair.lookahead import ValuePlace, token
from utp_cli.repair.quotes import open_string
from utp_cli.repair.scalars import read_bare_key
from utp_cli.repair.structure import OPTION, Comma, Frame, best, due
from utp_cli.repair.values import begin_string, concat, end_string

if TYPE_CHECKING:
    from utp_cli.repair.containers import Containers, State
    from utp_cli.repair.values import ValueProgress

_PLAIN_KEY: Final = regex(r"([\"'])([ !#-&(-\[\]-~]*)\1:")
"""A key and its colon that ask no question. Only a short cut."""
_VALUE_STARTS: Final = frozenset("\"'`“„‘«＂&\\{[(-+_$")


def entry(progress: ValueProgress) -> State:
    """Read what begins an entry, or what stands in its place."""
    containers, cursor = progress.containers, progress.cursor
    frame = containers.frames[-1]
    if taken := progress.attempts.entries(frame):
        return taken
    char = cursor.next()
    plain = ASCII.get(char, char)
    if not char:
        return containers.finish(only_closers=frame.comma is None)
    if plain in COMMAS:
        cursor.drop("extra-comma", 1)
        return "entry"
    if plain in "}])":
        return containers.close(char, plain, "entry")
    if width := cursor.dots():
        return _ellipsis(containers, frame, width)
    return _key(progress, frame, plain) if frame.is_object else "value"


def _ellipsis(containers: Containers, frame: Frame, width: int) -> State:
    """Drop an ellipsis, and the comma before it."""
    if frame.comma and frame.comma.text:
        containers.log.fix("ellipsis", frame.comma.start, frame.comma.text, "")
    frame.comma = None
    containers.cursor.drop("ellipsis", width)
    return "after" if frame.value else "entry"


# --- keys ---------------------------------------------------------------------------------------------------------


def _key(progress: ValueProgress, frame: Frame, plain: str) -> State:
    """Read a key, or the beginning of one."""
    containers, source, ends = progress.containers, progress.source, progress.cursor.ends
    at, start = source.here, source.base + source.here
    if found := _PLAIN_KEY.match(source.window, at):
        source.here = found.end()
        frame.begin_key(found[2], start, found[0], source.base + found.end())
        if found[1] == "'":
            frame.key_edits = [Edit("single-quotes", place, "'", '"') for place in (start, frame.key_end - 2)]
        return "value"
    place = ValuePlace("key", due(containers.frames), ends)
    if opened := open_string(source, at, place):
        begin_string(progress, opened, place)
        return "key"
    if plain in OPENERS:
        return _bracket_for_key(containers, frame, plain)
    key, end, quoted_behind = read_bare_key(source, at, ends)
    if not key:
        progress.cursor.drop("leading-garbage", 1)
        return "entry"
    end += quoted_behind
    kind = token(source, end, ends)[0]
    if kind in ",}" and frame.is_fresh:
        containers.make_set(frame)
        return "value"
    named = key.lstrip("".join(OPTION)) if key.startswith(OPTION) else key
    edits = [Edit("unquoted-key", start, key, quoted(named))]
    if quoted_behind:
        key, inner = decode(key, start)
        edits = [Edit("missing-open-quote", start, "", '"'), *inner]
        named = key
    source.here = end
    frame.begin_key(named, start, source.window[at:end], source.base + end)
    frame.key_edits = edits
    return _cut_key(containers) if source.closed and end == len(source.window) else "colon"


def key(progress: ValueProgress) -> State:
    """Go on with the open string, which is a key."""
    reader, containers = progress.string, progress.containers
    assert reader is not None  # noqa: S101 - the state says so
    written = reader.read()
    text, edits = end_string(progress, reader, written)
    frame = containers.frames[-1]
    frame.begin_key(text, written.start, written.source, written.resume)
    frame.key_edits = edits
    return _cut_key(containers) if written.is_cut else "colon"


def _cut_key(containers: Containers) -> State:
    """The text ended in a key."""
    containers.drop_key("truncated-key")
    return containers.break_off()


def _bracket_for_key(containers: Containers, frame: Frame, plain: str) -> State:
    """A container begins where a key is due."""
    cursor = containers.cursor
    if frame.is_fresh and plain == "{" and frame.end == cursor.offset:
        cursor.drop("over-escaped", 1)
    elif frame.is_fresh:
        containers.make_set(frame)
        return "value"
    elif len(containers.frames) > 1 and not containers.frames[-2].is_object:
        containers.log.fix("missing-close-brace", frame.end, "", "}", "likely")
        containers.pop(frame.end)
        containers.frames[-1].comma = frame.comma or Comma(frame.end, "")
    else:
        cursor.drop("leading-garbage", 1)
    return "entry"


# --- colons -------------------------------------------------------------------------------------------------------


def colon(progress: ValueProgress) -> State:
    """Read what stands between a key and its value."""
    containers = progress.containers
    frame, char = containers.frames[-1], progress.cursor.next()
    plain = ASCII.get(char, char)
    if not char:
        containers.drop_key("missing-value")
        return containers.finish(only_closers=False)
    if plain in ":=":
        return _take_colon(progress, frame, char)
    if plain in ",;}" and frame.is_fresh:
        containers.make_set(frame)
        containers.log.edits += frame.key_edits
        frame.value.append(frame.key)
        return containers.entered(frame.key_end)
    if plain in ",;}])":
        frame.key_edits.append(Edit("missing-value", frame.key_end, "", ": null"))
        containers.begin_entry()
        return containers.put(None, frame.key_end, frame.key_end)
    frame.key_edits.append(Edit("missing-colon", frame.key_end, "", ":"))
    return "value"


def _take_colon(progress: ValueProgress, frame: Frame, char: str) -> State:
    source, start = progress.source, progress.cursor.offset
    width = 2 if char == "=" and source.peek(source.here + 1) == ">" else 1
    written = source.window[source.here : source.here + width]
    if char != ":":
        code = "wrong-separator" if char == "=" else "fullwidth-punctuation"
        frame.key_edits.append(Edit(code, start, written, ":"))
    source.here += width
    if frame.key_end == start:
        frame.key_text += written
    else:
        frame.colon = Comma(start, written)
    frame.key_end = progress.cursor.offset
    return "value"


# --- commas -------------------------------------------------------------------------------------------------------


def after(progress: ValueProgress) -> State:
    """Read what follows an entry."""
    containers, cursor = progress.containers, progress.cursor
    if concat(progress):
        return "string"
    frame, char = containers.frames[-1], cursor.next()
    plain = ASCII.get(char, char)
    if not char:
        return containers.finish(only_closers=True)
    if plain in COMMAS:
        frame.comma, frame.many = Comma(cursor.offset, char), True
        progress.source.here += 1
        return "entry"
    if plain in "}])":
        return containers.close(char, plain, "after")
    if frame.is_object:
        return _after_member(containers, frame, plain)
    if plain == ":" and isinstance(frame.value[-1], str):
        return _colon_in_array(containers, frame)
    if plain in _VALUE_STARTS or char.isalnum() or cursor.dots():
        return _lost_comma(cursor.dots(), frame)
    cursor.skip_garbage()
    return "after"


def _after_member(containers: Containers, frame: Frame, plain: str) -> State:
    """No comma follows a member."""
    source, cursor = containers.source, containers.cursor
    kind, behind = token(source, source.here, cursor.ends)
    option = kind == "o" and frame.key_text.startswith(OPTION)
    if option or kind in "sS" or (kind in "wn" and token(source, behind, cursor.ends)[0] in ":="):
        return _lost_comma(cursor.dots(), frame)
    if cursor.dots() or (plain == "{" and len(containers.frames) > 1 and not containers.frames[-2].is_object):
        return "entry"
    cursor.skip_garbage()
    return "after"


def _lost_comma(dots: int, frame: Frame) -> State:
    """Another entry follows, or an ellipsis."""
    if not dots:
        frame.comma, frame.many = Comma(frame.end, ""), True
    return "entry"


def _colon_in_array(containers: Containers, frame: Frame) -> State:
    """A string followed by a colon: the array ended before it, or an object begins or goes on with it."""
    outer = containers.frames[:-1]
    closers = due(containers.frames)
    readings = [(due(outer), "ended")] if outer and outer[-1].is_object else []
    if len(frame.value) > 1 and isinstance(frame.value[-2], dict) and frame.value[-2]:
        readings.append(("}" + closers, "goes on"))
    readings += [("}" + closers, "begins"), (closers, "begins")]
    ahead = containers.ahead(len(closers) + 2)
    answer = best(ahead, readings, readings[0][1])
    text, start, end = frame.value.pop(), containers.item_start, frame.end
    if answer == "ended":
        containers.lost_closer(frame, frame.before)
        if not frame.value:
            containers.log.fix("missing-comma", frame.before, "", ",")
        containers.pop(frame.before)
    elif answer == "goes on":
        containers.reopen(Frame(frame.value[-1], "}", start, frame.before - 1, start), frame.before - 1)
    else:
        containers.log.fix("missing-open-brace", start, "", "{")
        frame.end = start
        containers.push({}, "}", start)
    containers.frames[-1].begin_key(text, start, "", end)
    return "colon"
