"""The arguments that Vertex streams as values, each with the path at which it stands."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

from utp_cli.protocol.patterns import regex
from utp_cli.wire.access import dicts_of, text_of

_STEP: Final = regex(r"""\.?([^.\[\]]+)|\[(\d{1,9})\]|\[['"]([^'"]*)['"]\]""")
"""One step of a JSONPath such as `$.legs[0]['from']`."""
_MOST_STEPS: Final = 64
_VALUES: Final = ("numberValue", "boolValue", "nullValue", "stringValue")


class PartialArguments:
    """Values at paths, put together."""

    def __init__(self) -> None:
        self._value: dict[str, Any] = {}
        self._texts: dict[str, tuple[Any, Any, list[str]]] = {}
        """By path: the container, the key in it, and the pieces of a text that goes on."""

    def take(self, pieces: Any) -> None:
        """Take the pieces of one event, `{jsonPath, stringValue | numberValue | …, willContinue?}`."""
        for _, piece in dicts_of(pieces):
            path = text_of(piece.get("jsonPath"))
            text = piece.get("stringValue")
            if isinstance(text, str) and path in self._texts:
                self._texts[path][2].append(text)
            elif place := self._place(path):
                container, key = place
                kind = next((kind for kind in _VALUES if kind in piece), "nullValue")
                _put(container, key, None if kind == "nullValue" else piece[kind])
                if isinstance(text, str):
                    self._texts[path] = (container, key, [text])

    def whole(self) -> dict[str, Any]:
        """Return what the pieces add up to."""
        for container, key, pieces in self._texts.values():
            _put(container, key, "".join(pieces))
        return self._value

    def _place(self, path: str) -> tuple[Any, str | int] | None:
        """Return the container that a path leads to, made where it is not there, and the key in it."""
        found = _STEP.findall(path.removeprefix("$"))[:_MOST_STEPS]
        steps = [int(index) if index else plain or quoted for plain, index, quoted in found]
        container: Any = self._value
        for step, following in pairwise(steps):
            fresh: Any = [] if isinstance(following, int) else {}
            container = _child(container, step, fresh)
        return (container, steps[-1]) if steps and _fits(container, steps[-1]) else None


def _fits(container: Any, key: str | int) -> bool:
    return isinstance(container, list if isinstance(key, int) else dict)


def _child(container: Any, key: str | int, fresh: Any) -> Any:
    """Return the container under a key, `fresh` where there is none of its kind yet."""
    if not _fits(container, key):
        return None
    held = container.get(key) if isinstance(key, str) else container[key] if key < len(container) else None
    if type(held) is type(fresh):
        return held
    _put(container, key, fresh)
    return fresh


def _put(container: Any, key: str | int, value: Any) -> None:
    """Set a value; in a list, one behind the end stands at the end."""
    if isinstance(key, str) or key < len(container):
        container[key] = value
    else:
        container.append(value)
