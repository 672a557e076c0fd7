"""Looking into JSON that may be anything: each function gives the type that it names."""

from __future__ import annotations

from typing import Any, Final

from utp_cli.protocol.numbers import raw_decode
from utp_cli.protocol.patterns import regex

_UNDERSCORE: Final = regex(r"_([a-z0-9])")
_MOST: Final = 10**18
_FREE: Final = frozenset({"args", "response"})
"""Keys of Gemini's whose values have keys of the tool's own."""
_NAMES: Final = "properties"
"""The key of a schema whose value has names of parameters for keys."""
_OBJECTS: Final = {dict}


def decode(text: str, at: int = 0) -> tuple[Any, int]:
    """Return the JSON value at `text[at]`, and the index behind it. Raises ValueError, for deep nesting too.

    `NaN` and `Infinity` are taken: servers written in Python send them in log probabilities.
    """
    try:
        return raw_decode(text, at)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def decode_whole(text: str) -> Any:
    """Return the one JSON value that the text holds. Raises ValueError where it holds none, or more."""
    start = len(text) - len(text.lstrip(" \t\r\n\ufeff"))
    value, end = decode(text, start)
    if text[end:].strip(" \t\r\n"):
        raise ValueError("more than one value")
    return value


def text_of(value: Any) -> str:
    """The text; an empty one for anything else."""
    return value if isinstance(value, str) else ""


def list_of(value: Any) -> list[Any]:
    """The list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def dict_of(value: Any) -> dict[str, Any]:
    """The object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def dicts_of(value: Any) -> list[tuple[int, dict[str, Any]]]:
    """The objects in a list, each with its place in it."""
    if not isinstance(value, list):
        return []
    if {*map(type, value)} == _OBJECTS:
        return [*enumerate(value)]
    return [(place, item) for place, item in enumerate(value) if isinstance(item, dict)]


def integer_of(value: Any) -> int | None:
    """The whole number, of at most 18 digits: more count nothing; None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and -_MOST < value < _MOST else None


def seconds_of(value: Any) -> int | float | None:
    """The time that something took; None for what can be none."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _MOST
    return value if known else None


def name_of(value: Any) -> str | None:
    """A name that says something; None for an empty one and for what is no text."""
    return text_of(value) or None


def id_of(value: Any) -> str | int | None:
    """An id of the wire; an empty one and the text `null` (Mistral's default) are none."""
    return integer_of(value) if not isinstance(value, str) else value if value not in ("", "null") else None


def dig(value: Any, *path: str | int) -> Any:
    """Follow keys and indexes; None where one leads nowhere."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and -len(value) <= step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def camel(value: Any) -> Any:
    """Write the keys of Gemini's messages as its REST interface does, to any depth; a tool's own keys stay.

    Its Python SDKs and protobuf dumps write them with underscores.
    """
    root = [value]
    waiting: list[Any] = [root]
    while waiting:
        holder = waiting.pop()
        for key, item in [*(holder.items() if isinstance(holder, dict) else enumerate(holder))]:
            if isinstance(item, dict | list) and key not in _FREE:
                holder[key] = [*item] if isinstance(item, list) else dict(item) if key == _NAMES else _renamed(item)
                waiting.append(holder[key])
    return root[0]


def _renamed(given: dict[str, Any]) -> dict[str, Any]:
    return {_UNDERSCORE.sub(lambda m: m[1].upper(), key): item for key, item in given.items() if item is not None}
