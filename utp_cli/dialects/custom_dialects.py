"""Dialects of one's own: `[dialects.NAME]` tables of a configuration, and entry points of installed packages.

Both are checked when they are loaded, by the rules that the dialects of the catalogue obey.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from utp_cli.dialects.bodies import BODIES, Tag
from utp_cli.dialects.spec import LIMITS, Dialect
from utp_cli.protocol.errors import BadOption, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from utp_cli.dialects.bodies import Body
    from utp_cli.protocol.records import Record

ENTRY_POINTS = "utp.dialects"
"""The group of entry points that is asked; each names a `Dialect`, or a table as TOML would have it."""


def dialect_from_table(name: str, table: Mapping[str, Any]) -> Dialect:
    """Make a dialect of a `[dialects.NAME]` table. Raises `BadOption` that says what does not make sense.

    The table is flat: keys of the dialect and of its body beside each other, and `family` says which body that is.
    """
    for key in table:
        if key not in _KNOWN:
            near = nearest(key, _KNOWN)
            raise BadOption(
                f"[dialects.{name}]: '{key}' is not a field" + (f" (did you mean '{near}'?)" if near else "")
            )
    family = table.get("family")
    body = BODIES.get(family) if isinstance(family, str) else None
    if body is None:
        raise BadOption(f"[dialects.{name}]: family must be one of {', '.join(sorted(BODIES))}")
    made = {key: _field_value(name, key, value) for key, value in table.items() if key != "family"}
    inside = {field.name for field in fields(body)}
    for key in made.keys() - inside - _AROUND:
        raise BadOption(f"[dialects.{name}]: family {family} reads no {key}")
    for key in _needed(body):
        if not made.get(key):
            raise BadOption(f"[dialects.{name}]: family {family} needs {key}")
    around = {key: made.pop(key) for key in [*made] if key not in inside}
    dialect = Dialect(name=name, body=body(**made), **around)
    for fault in faults(dialect):
        raise BadOption(f"[dialects.{name}]: {fault}")
    return dialect


def table_of(dialect: Dialect) -> dict[str, Any]:
    """Return a dialect as the flat table that would declare it, with its name."""
    around = {field.name: getattr(dialect, field.name) for field in fields(dialect) if field.name != "body"}
    inside = {field.name: getattr(dialect.body, field.name) for field in fields(dialect.body)}
    return {"name": dialect.name, "family": dialect.family, **around, **inside}


def _needed(body: type[Body]) -> list[str]:
    """List the fields of a body that have no default."""
    return [field.name for field in fields(body) if field.default is MISSING]


def faults(dialect: Dialect) -> Iterator[str]:
    """Say what does not make sense in a declaration."""
    table = table_of(dialect)
    for needed in (*dialect.body.needs, *((key,) for key in _needed(type(dialect.body)))):
        if not any(table[key] for key in needed):
            yield f"family {dialect.family} needs {' or '.join(needed)}"
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


_RECORDS: tuple[type[Record], ...] = (Dialect, *BODIES.values())
_FIELDS = {field.name: str(field.type) for record in _RECORDS for field in fields(record)}
"""Field → its type, as it is written. One that several families have is of one type in all of them."""
_AROUND = {field.name for field in fields(Dialect)} - {"name", "body"}
_KNOWN = {"family", *_FIELDS} - {"name", "body"}
_TOLD = {"name", "aliases", "models", "source", "servers", "dropped", "reasoning", "cannot", "quirks"}
_READING = tuple(field.name for field in fields(Dialect) if field.name not in _TOLD)
"""The fields that decide how a call is read."""


def _field_value(name: str, key: str, value: Any) -> Any:
    """TOML has lists and tables where the record has tuples and tags; one string stands for a list of one."""
    try:
        if _FIELDS[key].startswith("Tag"):
            return Tag(**value)
        if key == "reasoning":
            pairs = [value] if value and isinstance(value[0], str) else value
            return tuple((_text(left), _text(right)) for left, right in pairs)
        if _FIELDS[key].startswith("tuple"):
            return (value,) if isinstance(value, str) else tuple(_text(item) for item in value)
        if _FIELDS[key] == "bool" and not isinstance(value, bool):
            raise TypeError("it must be true or false")  # noqa: TRY301 - one message for all of them
        return _text(value) if _FIELDS[key].startswith("str") else value
    except (TypeError, ValueError) as error:
        raise BadOption(f"[dialects.{name}]: {key} does not make sense: {error}") from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
