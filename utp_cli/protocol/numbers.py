"""JSON whose numbers stay as they were written: read, kept and written back, whatever their size.

Python's own reader and writer change numbers: `1e999` becomes `Infinity`, which is no JSON, `0.10` becomes `0.1`, and
an integer of more than 4,300 digits raises. Here a float that would be written otherwise is a `Number`, which is a
float and knows its text; integers are whole, however long. Everything else is the standard library's.
"""

from __future__ import annotations

import json
import marshal
import math
import sys
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_BLOCK: Final = 512
"""Digits that every interpreter reads and writes at once; the limit can be set as low as 640."""
_LONG: Final = 10**_BLOCK
_FEW_BITS: Final = 1 << 12
"""Bits of an integer that is made a decimal at once."""
_BIGGEST: Final = 10**4300
"""From here on the standard library refuses to write an integer."""
_SHORT: Final = 24
"""Characters of a number that is remembered: the longest that a float is written with."""
_KEPT: Final = 4096
"""Numbers that are remembered."""
_MUCH: Final = 1 << 19
"""Characters from which on a text is searched for long strings."""
_PART: Final = 1 << 16
"""Characters of a string that are written at a time."""
_INDENTED: Final = 60
"""Levels that are indented; without a bound, the indentation of deep nesting is quadratic."""


class Number(float):
    """A JSON number that Python would write otherwise. As a float it is the nearest one, else infinite."""

    __slots__ = ("text",)
    text: str
    """As it was written."""

    def __new__(cls, text: str, value: float | None = None) -> Self:
        made = super().__new__(cls, float(text) if value is None else value)
        made.text = text
        return made

    def __getnewargs__(self) -> tuple[str, float]:  # type: ignore[override]  # what copies and pickles are made of
        return self.text, float(self)

    def __repr__(self) -> str:
        return self.text

    @property
    def is_huge(self) -> bool:
        """Whether no float comes near it."""
        return abs(self) >= sys.float_info.max


def number(text: str) -> int | float:
    """Return the value of a JSON number, whatever its length."""
    return integer(text) if text.lstrip("-").isdigit() else _FLOATS[text]


class _Floats(dict[str, float]):
    """Floats by what was written: broken JSON is tried in several ways, and each of them reads its numbers again."""

    def __missing__(self, text: str) -> float:
        value = float(text)
        if repr(value) != text:
            value = Number(text, value)
        if len(text) <= _SHORT:
            if len(self) >= _KEPT:
                self.clear()
            self[text] = value
        return value


_FLOATS: Final = _Floats()
floating: Final = _FLOATS.__getitem__
"""Return the value of a JSON number that is no integer. A hit calls no Python."""


def integer(text: str) -> int:
    """Read digits, with or without a minus: in blocks, joined pairwise so that few are large."""
    if len(text) <= _BLOCK:
        return int(text)
    sign, written = (-1, text[1:]) if text[0] == "-" else (1, text)
    written = written.zfill(-(-len(written) // _BLOCK) * _BLOCK)
    blocks = [int(written[i : i + _BLOCK]) for i in range(0, len(written), _BLOCK)]
    base = _LONG
    while len(blocks) > 1:
        if len(blocks) % 2:
            blocks.insert(0, 0)
        blocks = [high * base + low for high, low in zip(blocks[::2], blocks[1::2], strict=True)]
        base *= base
    return shown_whole(sign * blocks[0])


class Huge(int):
    """An integer that may have more digits than the interpreter writes; it is shown as any other."""

    __slots__ = ()

    def __repr__(self) -> str:
        return digits(int(self))

    __str__ = __repr__

    def __format__(self, how: str) -> str:
        return super().__format__(how) if how else repr(self)


def shown_whole(value: int) -> int:
    """Return an integer that can be shown, whatever its length."""
    return value if -_LONG < value < _LONG else Huge(value)


def digits(value: int) -> str:
    """Write an integer of any length; a long one by decimals, whose products cost far less than quadratic time."""
    if -_LONG < value < _LONG:
        return str(value)
    import decimal  # noqa: PLC0415 - only for long integers

    powers: dict[int, decimal.Decimal] = {}

    def joined(part: int, width: int) -> decimal.Decimal:
        if width <= _FEW_BITS:
            return decimal.Decimal(part)
        half = width >> 1
        if half not in powers:
            powers[half] = decimal.Decimal(2) ** half
        high = part >> half
        return joined(high, width - half) * powers[half] + joined(part - (high << half), half)

    with decimal.localcontext() as exact:
        exact.prec, exact.Emax, exact.traps[decimal.Inexact] = decimal.MAX_PREC, decimal.MAX_EMAX, True
        return f"{joined(value, value.bit_length()):f}"


_DECODER: Final = json.JSONDecoder(parse_float=floating)
_PATIENT: Final = json.JSONDecoder(parse_float=floating, parse_int=integer)
"""Slower, and takes integers beyond the interpreter's limit of digits."""


def loads(text: str | bytes) -> Any:
    """Read JSON, in any of its encodings. Raises `ValueError` (`json.JSONDecodeError` says where), `RecursionError`.

    `NaN` and `Infinity` are taken, as by the standard library.
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    if len(text) > _MUCH and (read := _with_long_strings(text)):
        return read[0]
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return _PATIENT.decode(text)


def loads_or_none(text: object) -> Any:
    """Return the value of a JSON text; None where it is none, or no text."""
    try:
        return loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None


def _with_long_strings(text: str) -> list[Any]:
    """Read JSON that may hold long strings; an empty list where it has none, or is no JSON."""
    from utp_cli.protocol.long_strings import read_with, without_long_strings  # noqa: PLC0415 - for long texts

    try:
        short, held = without_long_strings(text)
        return [json.JSONDecoder(parse_float=read_with(held, floating)).decode(short)] if held else []
    except ValueError:  # the whole text says where it is none
        return []


class UncountedText(str):
    """A text that is decoded in many places: an error of the standard library's reader counts the lines before it.

    Here they do not count, so that each error costs the same wherever it is; its line is a wrong one.
    """

    __slots__ = ()

    def count(self, *_: Any) -> int:
        """Return 0."""
        return 0


def raw_decode(text: str, at: int) -> tuple[Any, int]:
    """Read the JSON value at `text[at]`; return it and the index behind it. Raises as `loads` does."""
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return _PATIENT.raw_decode(text, at)


def dumps(value: Any, *, indent: int | None = None, default: Callable[[Any], Any] | None = None) -> str:
    """Write JSON, letters as they are, numbers as they were written; `NaN` and `Infinity`, which JSON lacks, as `null`.

    Takes nesting of any depth. `default` makes JSON of what is none, as in the standard library; without it that
    raises `TypeError`.
    """
    if indent is None and default is None and (written := _written_at_once(value)) is not None:
        return written
    return "".join(dumped(value, indent=indent, default=default))


def dumped(value: Any, *, indent: int | None = None, default: Callable[[Any], Any] | None = None) -> Iterator[str]:
    """Yield what `dumps` returns: in one piece, or in many where a long string is in it."""
    if any(True for _ in odd_numbers(value, longest=_MUCH)):
        yield from _pieces(value, indent, default)
        return
    try:
        yield json.dumps(value, ensure_ascii=False, indent=indent, default=default)
    except RecursionError:
        yield from _pieces(value, None, default)


_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _written_at_once(value: Any) -> str | None:
    """Write a value without a look at each member; None where the standard library may not write all as it was.

    `marshal` takes no `Number`, and is written in C. What is too big, or no number of JSON, the encoder refuses.
    """
    try:
        marshal.dumps(value)
        return _ENCODE(value)
    except (ValueError, TypeError, RecursionError):
        return None


def json_dumps(value: Any, *, sort_keys: bool = False, **options: Any) -> str:
    """Write JSON as the standard library does, with its options; integers of any length, and any depth, too.

    Raises as that does, `ValueError` for a value that holds itself among it.
    """
    try:
        return json.dumps(value, sort_keys=sort_keys, **options)
    except RecursionError:
        return "".join(_pieces(value, None, options.get("default"), sort_keys=sort_keys))
    except ValueError as error:
        if "digits" not in str(error):
            raise
        return "".join(_pieces(value, None, options.get("default"), sort_keys=sort_keys))


def odd_numbers(value: Any, *, longest: int = sys.maxsize) -> Iterator[int | float | str]:
    """Yield the numbers in a value that the standard library would not write as they were written.

    With them the strings of more than `longest` characters.
    """
    waiting = [value]
    for item in waiting:  # grows on the way
        kind = type(item)
        if kind is str:
            if len(item) > longest:
                yield item
        elif isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list | tuple):
            waiting += item
        elif (isinstance(item, int) and not -_BIGGEST < item < _BIGGEST) or (
            isinstance(item, float) and (kind is Number or not math.isfinite(item))
        ):
            yield item


def writable(value: Any) -> Any:
    """Return the value as the standard library's writer takes it, a copy where something had to change.

    A number that is too big for it becomes a `Number` that it writes as the biggest float, and what JSON lacks becomes
    None.
    """
    if not any(type(item) is not Number or item.is_huge for item in odd_numbers(value)):
        return value
    return copied(value, _writable)


def copied(value: Any, leaf: Callable[[Any], Any] = lambda item: item) -> Any:
    """Return a copy of a value, nested to any depth; `leaf` makes the members of it that hold nothing."""
    root = [value]
    waiting: list[Any] = [root]
    while waiting:
        holder = waiting.pop()
        for key, item in [*(holder.items() if isinstance(holder, dict) else enumerate(holder))]:
            if isinstance(item, dict | list | tuple):
                holder[key] = dict(item) if isinstance(item, dict) else list(item)
                waiting.append(holder[key])
            else:
                holder[key] = leaf(item)
    return root[0]


def _writable(item: Any) -> Any:
    if isinstance(item, float) and not math.isfinite(item):
        most = math.copysign(sys.float_info.max, item)
        return Number(item.text, most) if isinstance(item, Number) else None
    if isinstance(item, int) and not -_BIGGEST < item < _BIGGEST:
        return Number(digits(item), -sys.float_info.max if item < 0 else sys.float_info.max)
    return item


def _by_key(member: tuple[Any, Any]) -> Any:
    return member[0]


class _Written(str):
    """Text that is JSON already."""

    __slots__ = ()


def _pieces(
    value: Any, indent: int | None, default: Callable[[Any], Any] | None, *, sort_keys: bool = False
) -> Iterator[str]:
    """Yield JSON piece by piece, with a stack of what is still to be written in place of recursion."""
    waiting = [(value, 1)]
    while waiting:
        item, level = waiting.pop()
        if isinstance(item, _Written):
            yield item
        elif isinstance(item, dict):
            members = sorted(item.items(), key=_by_key) if sort_keys else item.items()
            named = ((f"{_scalar(key if isinstance(key, str) else _scalar(key))}: ", each) for key, each in members)
            waiting += _enclosed("{", named, "}", level, indent)
        elif isinstance(item, list | tuple):
            waiting += _enclosed("[", (("", member) for member in item), "]", level, indent)
        elif isinstance(item, str):
            yield '"'
            yield from (_scalar(item[at : at + _PART])[1:-1] for at in range(0, len(item), _PART))
            yield '"'
        else:
            yield _scalar(item, default)


def _scalar(item: Any, default: Callable[[Any], Any] | None = None) -> str:
    if isinstance(item, float):
        return item.text if isinstance(item, Number) else repr(item) if math.isfinite(item) else "null"
    if isinstance(item, int) and not isinstance(item, bool):
        return digits(item)
    return json.dumps(item, ensure_ascii=False, default=default)


def _enclosed(
    opening: str, members: Iterable[tuple[str, Any]], closing: str, level: int, indent: int | None
) -> list[tuple[Any, int]]:
    """Return the parts of a container, last first; each member comes with what stands before its value."""

    def line(depth: int) -> str:
        return "" if indent is None else "\n" + " " * (indent * min(depth, _INDENTED))

    comma = ", " if indent is None else ","
    parts: list[tuple[Any, int]] = [(_Written(opening), level)]
    for before, value in members:
        start = comma if len(parts) > 1 else ""
        parts += [(_Written(f"{start}{line(level)}{before}"), level), (value, level + 1)]
    end = line(level - 1) if len(parts) > 1 else ""
    return [*parts, (_Written(end + closing), level)][::-1]
