"""What the readers of all spellings give: plain values, objects with a class name, and marks for what is not there."""

from __future__ import annotations

import base64
from typing import Any, Final, NamedTuple

from utp_cli.repair.nesting import Fault, Read

__all__ = ["DEEPEST", "HIDDEN", "Fault", "Named", "Partial", "Plain", "Read", "plain"]

DEEPEST: Final = 40
"""Containers in containers that are read; what nests deeper is no dump of an answer."""


class _Hidden:
    """The type of `HIDDEN`."""

    def __repr__(self) -> str:
        return "HIDDEN"


HIDDEN: Final = _Hidden()
"""A value that the printer left out: unknown, not empty."""


class Partial(str):
    """The beginning of a string whose end was cut off."""

    __slots__ = ()


class Named(NamedTuple):
    """An object: its class, what was given by name, what by place."""

    name: str
    fields: dict[str, Any]
    items: list[Any]


class Plain(NamedTuple):
    """A value as JSON has it."""

    value: Any
    cut: bool
    """Something in it was hidden or cut off."""


_WHOLE: Final = frozenset({"name", "id", "type", "role", "tool_name", "toolName", "tool_call_id", "call_id"})
"""Fields of which half says nothing: half a name is no tool's."""


def _unknown(key: str, value: Any) -> bool:
    return value is HIDDEN or (key in _WHOLE and isinstance(value, Partial))


def plain(value: Any) -> Plain:
    """Write a value as JSON has it: hidden ones are left out, objects are what they hold, bytes are Base64."""
    cut = False

    def walk(value: Any) -> Any:
        nonlocal cut
        if isinstance(value, Named):
            cut = cut or HIDDEN in value.items
            value = value.fields or (value.items if len(value.items) != 1 else value.items[0])
        if isinstance(value, dict):
            known = {key: item for key, item in value.items() if not _unknown(key, item)}
            cut = cut or len(known) < len(value)
            return {key: walk(item) for key, item in known.items()}
        if isinstance(value, list):
            cut = cut or HIDDEN in value
            return [walk(item) for item in value if item is not HIDDEN]
        if isinstance(value, bytes):
            return base64.b64encode(value).decode("ascii")
        if isinstance(value, Partial):
            cut = True
            return str(value)
        cut = cut or value is HIDDEN
        return None if value is HIDDEN else value

    return Plain(walk(value), cut)
