"""Says when files change, by looking at them again and again: works on every system and file system."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PAUSE = 0.4
"""Seconds between two looks."""
_MOST_FILES = 5_000

_State = dict[str, tuple[int, int, int] | None]


def changes(paths: Iterable[str]) -> Iterator[None]:
    """Yield at once, and whenever a file has changed, came or went; of a folder, any file in it. Never ends."""
    watched = [*paths]
    seen = _state(watched)
    while True:
        yield
        while (now := _state(watched)) == seen:
            time.sleep(_PAUSE)
        seen = now


def _state(paths: Iterable[str]) -> _State:
    return {name: _look(name) for path in paths for name in _files(path)}


def _files(path: str) -> Iterator[str]:
    if not Path(path).is_dir():
        yield path
        return
    for count, name in enumerate(os.path.join(folder, file) for folder, _, files in os.walk(path) for file in files):  # noqa: PTH118 - thousands of names, twice a second
        if count >= _MOST_FILES:
            return
        yield name


def _look(name: str) -> tuple[int, int, int] | None:
    try:
        found = Path(name).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
