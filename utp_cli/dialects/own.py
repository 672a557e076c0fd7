"""Dialects of one's own: `[dialects.NAME]` tables of a configuration, and entry points of installed packages.

Both are checked when they are loaded, by the rules that the dialects of the catalogue obey.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from utp_cli.dialects.spec import LIMITS, Dialect, Tag
from utp_cli.protocol.errors import BadOption, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ENTRY_POINTS = "utp.dialects"
"""The group of entry points that is asked; each names a `Dialect`, or a table as TOML would have it."""


@dataclass(frozen=True, slots=True)
class Fields:
    """What a family reads of a declaration, beside what all families read."""

    needed: tuple[str, ...]
    """Without these there is nothing to read; `a|b`: one of them."""
    more: tuple[str, ...] = ()


_ALL = (
    "family", "aliases", "models", "source", "servers", "section_open", "section_close", "call_open", "call_close",
    "close_optional", "reasoning", "calls_in_reasoning", "ends_thinking", "dropped", "cannot", "quirks",
)  # fmt: skip
_JSON = Fields(
    needed=("call_open|section_open|bare",),
    more=(
        "bare", "bare_form", "leading", "fenced", "plain_words", "name_keys", "argument_keys", "id_keys",
        "server_keys", "default_server", "wrappers", "no_call", "single_key", "named_before", "by_line",
    ),
)  # fmt: skip
_TAGS = Fields(needed=("call_open", "call"), more=("argument", "trim", "doubled_name"))

FAMILIES: dict[str, Fields] = {
    "tagged_json_object": _JSON,
    "tagged_json_list": _JSON,
    "xml_function_eq": _TAGS,
    "xml_invoke": _TAGS,
    "arg_key_value": Fields(needed=("call_open", "call_close", "argument"), more=("separators", "trim")),
    "header_json": Fields(needed=("call_open", "header"), more=("fenced", "bare", "leading", "plain_words")),
    "harmony": Fields(
        needed=("call_open", "header"),
        more=(
            "leading", "call", "argument", "trim", "body_markup", "thinking_channels", "thinking_recipients",
            "text_recipients",
        ),
    ),
    "kv_custom": Fields(needed=("call_open", "quote")),
    "pythonic": Fields(
        needed=("call_open|section_open|bare|bare_names",),
        more=("bare", "bare_names", "bare_form", "by_line", "fenced", "name_suffix"),
    ),
    "raw_code": Fields(needed=("call_open", "fixed_name", "argument_keys")),
    "tool_block": Fields(needed=("call_open", "call_close", "argument_keys")),
    "xml_nested": Fields(needed=("call_open", "call", "tag_prefix")),
    "xml_elements": Fields(
        needed=("call_open", "call_close", "name_keys"), more=("argument_keys", "server_keys", "default_server")
    ),
}  # fmt: skip
"""Family → the fields it reads."""


def dialect_from_table(name: str, table: Mapping[str, Any]) -> Dialect:
    """Make a dialect of a `[dialects.NAME]` table. Raises `BadOption` that says what does not make sense."""
    for key in table:
        if key not in _KNOWN:
            near = nearest(key, _KNOWN)
            raise BadOption(
                f"[dialects.{name}]: '{key}' is not a field" + (f" (did you mean '{near}'?)" if near else "")
            )
    if table.get("family") not in FAMILIES:
        raise BadOption(f"[dialects.{name}]: family must be one of {', '.join(sorted(FAMILIES))}")
    dialect = Dialect(name=name, **{key: _field_value(name, key, value) for key, value in table.items()})
    for fault in faults(dialect):
        raise BadOption(f"[dialects.{name}]: {fault}")
    return dialect


def faults(dialect: Dialect) -> Iterator[str]:
    """Say what does not make sense in a declaration."""
    read = FAMILIES[dialect.family]
    for needed in read.needed:
        if not any(getattr(dialect, key) for key in needed.split("|")):
            yield f"family {dialect.family} needs {' or '.join(needed.split('|'))}"
    known = {*_ALL, *read.more, *(key for needed in read.needed for key in needed.split("|"))}
    for field in fields(Dialect):
        if field.name not in known and field.name != "name" and getattr(dialect, field.name) != _default(field.name):
            yield f"family {dialect.family} reads no {field.name}"
    for limit in dialect.cannot:
        if limit not in LIMITS:
            yield f"cannot: '{limit}' is none of {', '.join(LIMITS)}"
    yield from _clashes(dialect)


def _clashes(dialect: Dialect) -> Iterator[str]:
    """Find markers that mean nothing, or two things at one place."""
    opens = {"call_open": dialect.call_open, "section_open": dialect.section_open}
    closes = {"call_close": dialect.call_close, "section_close": dialect.section_close}
    thinking = {"reasoning": tuple(marker for pair in dialect.reasoning for marker in pair)}
    for key, markers in {**opens, **closes, **thinking, "dropped": dialect.dropped}.items():
        if any(not marker.strip() for marker in markers) and key != "call_close":
            yield f"{key} holds an empty marker"
    for one, left in opens.items():
        for other, right in {**closes, **thinking}.items():
            for marker in left:
                if marker in right:
                    yield f"markers clash: {marker!r} is both {one} and {other}"
    for left_marker, right_marker in dialect.reasoning:
        if left_marker == right_marker:
            yield f"markers clash: {left_marker!r} both opens and closes reasoning"


def clash_with(dialect: Dialect, others: Iterable[Dialect]) -> str | None:
    """Say how a declaration gets in the way of another dialect; None where it does not.

    Dialects may share an opening marker: what follows it tells them apart. What another one closes or thinks with
    opens no call, and a name stands for one dialect.
    """
    for other in others:
        names = {other.name, *other.aliases} & {dialect.name, *dialect.aliases}
        if names:
            return f"the name '{min(names)}' is taken by another dialect"
        meant = {marker for pair in other.reasoning for marker in pair} | {*other.call_close, *other.section_close}
        for marker in dialect.markers:
            if marker in meant:
                return f"markers clash: {marker!r} opens a call here and means something else in '{other.name}'"
        if not dialect.models and all(getattr(dialect, key) == getattr(other, key) for key in _READING):
            return f"markers clash: it reads just as '{other.name}' does; use that name, or say `models`"
    return None


def installed() -> Iterator[Dialect]:
    """Load the dialects that installed packages offer. Raises `BadOption` for one that makes no sense.

    Asked only for a name that the catalogue does not have, or for the full list: looking takes time.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415

    for point in entry_points(group=ENTRY_POINTS):
        try:
            offered = point.load()
        except Exception as error:
            raise BadOption(f"dialect '{point.name}' of {point.value} cannot be loaded: {error}") from error
        dialect = offered if isinstance(offered, Dialect) else None
        if dialect is None and isinstance(offered, Mapping):
            dialect = dialect_from_table(point.name, offered)
        if dialect is None:
            raise BadOption(f"dialect '{point.name}': {point.value} is neither a Dialect nor a table")
        for fault in faults(dialect):
            raise BadOption(f"dialect '{point.name}' of {point.value}: {fault}")
        yield dialect


_KNOWN = {field.name for field in fields(Dialect)} - {"name"}
_TOLD = {"name", "aliases", "models", "source", "servers", "dropped", "reasoning", "cannot", "quirks"}
_READING = tuple(field.name for field in fields(Dialect) if field.name not in _TOLD)
"""The fields that decide how a call is read."""
_TUPLES = {field.name for field in fields(Dialect) if str(field.type).startswith("tuple[str")}
_FLAGS = {field.name for field in fields(Dialect) if field.type == "bool"}
_TEXTS = {field.name for field in fields(Dialect) if str(field.type).startswith("str")}
_TAG_FIELDS = {"call", "argument"}
_PLAIN = Dialect(name="", family="")


def _default(field: str) -> Any:
    return getattr(_PLAIN, field)


def _field_value(name: str, key: str, value: Any) -> Any:
    """TOML has lists and tables where the dataclass has tuples and tags; one string stands for a list of one."""
    try:
        if key in _TAG_FIELDS:
            return Tag(**value)
        if key == "reasoning":
            pairs = [value] if value and isinstance(value[0], str) else value
            return tuple((_text(left), _text(right)) for left, right in pairs)
        if key in _TUPLES:
            return (value,) if isinstance(value, str) else tuple(_text(item) for item in value)
        if key in _FLAGS and not isinstance(value, bool):
            raise TypeError("it must be true or false")  # noqa: TRY301 - one message for all of them
        return _text(value) if key in _TEXTS else value
    except (TypeError, ValueError) as error:
        raise BadOption(f"[dialects.{name}]: {key} does not make sense: {error}") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
