"""One JSON value out of a source: the reader of JSON fed with what the source has, in growing blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from utp_cli.protocol.patterns import regex
from utp_cli.repair.shape import BrokenCall
from utp_cli.repair.sound import SoundValue, container_at, read_sound
from utp_cli.repair.text_window import any_of

if TYPE_CHECKING:
    from collections.abc import Callable, Set as AbstractSet

    from utp_cli.dialects.bodies import Body
    from utp_cli.engine.reading import Waiting
    from utp_cli.engine.source import Source
    from utp_cli.protocol.calls import Repair
    from utp_cli.repair.reader import JsonReader
    from utp_cli.repair.shape import ShapedCall

JsonRead: TypeAlias = "JsonReader | SoundValue"
"""What stands where a value was to be read."""

_FIRST_BLOCK = 256
"""Characters handed over at first; each further block is twice as long, so that a text of many short values is not
copied once for each of them."""


_NAP = 50
"""Characters of a string that are waited for at once, unless its quote comes: what is told of it comes that late.

None are while a quote is that near: its follower, half a marker say, may not tell yet whether it closed the string."""
_LAST = "last value"
QUOTED = regex(r'"\s{0,9}(?:(?P<object>\{)|\Z)')
"""An object in quotes, where the object itself is due; or where the text ends before that tells."""


def read_value(
    source: Source, position: int, until: tuple[str, ...], look: Callable[[JsonRead], None] = lambda _: None
) -> Waiting[JsonRead]:
    """Read one value from `position` on; what it left unread stays in the source. `look` sees the reader as it goes.

    Dialects that share a marker ask for the same value one after the other: it is read once.
    """
    before = source.noted.get(_LAST)
    if before and before.fits(source, position, until):
        look(before.reader)
        source.rewind(position if before.reader.declined else before.reader.end)
        return before.reader  # type: ignore[no-any-return]
    source.rewind(position)
    bracket = container_at(source.window, position - source.base)
    sound = read_sound(source.window, bracket, source.base) if bracket >= 0 else None
    if sound and sound.is_all(closed=source.closed):
        look(sound)
        source.noted[_LAST] = _Last(sound, position, until, sound.end)
        source.rewind(sound.end)
        return sound
    from utp_cli.repair.reader import JsonReader  # noqa: PLC0415 - for what is not whole, or broken

    quoted = QUOTED.match(source.window, position - source.base)
    reader = JsonReader(until=until, start=position, loose=bool(quoted and quoted["object"]), whole=bracket < 0)
    if sound:
        reader.take(sound)
    return (yield from _read_on(source, position, reader, look))


def _read_on(
    source: Source, position: int, reader: JsonReader, look: Callable[[JsonRead], None]
) -> Waiting[JsonReader]:
    """Feed a reader what the source has, until it has its value."""
    cursor, block = reader.end, _FIRST_BLOCK
    while True:
        text = source.take(cursor, block)
        cursor, block = cursor + len(text), block * 2
        done = reader.feed(text) or reader.declined
        if not done and cursor >= source.length and source.closed:
            reader.close()
            done = True
        look(reader)
        if done:
            source.noted[_LAST] = _Last(reader, position, reader.until, cursor)
            source.rewind(position if reader.declined else reader.end)
            return reader
        if cursor >= source.length:
            if reader.quote == '"' and '"' not in source.slice(
                max(reader.settled, source.length - _NAP), source.length
            ):
                source.sleep('"', cursor + _NAP)
            yield


class _Last(NamedTuple):
    """The value that was read last."""

    reader: JsonRead
    start: int
    until: tuple[str, ...]
    reached: int
    """The text up to here was handed to the reader."""

    def fits(self, source: Source, position: int, until: tuple[str, ...]) -> bool:
        """Whether a reader for other markers would say the same: none of those that differ stand in the text."""
        if position != self.start:
            return False
        others = tuple({*until} ^ {*self.until})
        stop = self.reached + max(map(len, others), default=0)
        enough = source.closed or stop <= source.length
        return enough and not any_of(others).search(source.slice(position, min(stop, source.length)))


def lack_of(reader: JsonRead) -> Literal["nothing", "closers", "more"]:
    """Say what the value lacks: nothing, only its last `}` and `]`, or more than that."""
    return "nothing" if reader.complete else "closers" if reader.only_closers else "more"


def repairs_of(reader: JsonRead, body: Body | None = None) -> list[Repair]:
    """Return the repairs that reading the value took; a fence, or Python, is none where the dialect declares it."""
    repairs = reader.repairs
    if not repairs:
        return []
    plain = {*_FENCES * (body is not None and body.fenced), *_PYTHON * (body is not None and body.python)}
    return [repair for repair in repairs if repair.code not in plain]


_FENCES = ("code-fence",)
_PYTHON = ("single-quotes", "python-literal")


_WORDS_IN_BRACES = {"python-set", "unquoted-string", "positional-arguments"}


def guessed(codes: AbstractSet[str]) -> str:
    """Say by the codes of its repairs why arguments are none that were words without quotes in braces.

    `{invalid json}` names no parameter.
    """
    return "words in braces, and no arguments" if codes >= _WORDS_IN_BRACES else ""


def begins_more(reader: JsonRead) -> bool:
    """Whether a list that lacks closers has begun an item that they would have to close."""
    return isinstance(reader.value, list) and len(reader.value) > (reader.whole_items or 0) and not reader.complete


def is_whole(call: ShapedCall | BrokenCall, reader: JsonRead) -> bool:
    """Whether a list that was cut off was cut behind the item that a call stands in."""
    item = call.arguments_pointer[1:].partition("/")[0] if not isinstance(call, BrokenCall) else ""
    return reader.whole_items is not None and item.isdecimal() and int(item) < reader.whole_items
