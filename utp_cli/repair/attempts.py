"""When short cuts are tried, and how what they read is put into its container."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from utp_cli.repair import shortcuts
from utp_cli.repair.shortcuts import Member
from utp_cli.repair.structure import Comma, Frame

if TYPE_CHECKING:
    from utp_cli.repair.containers import Containers, State

WORTH_IT: Final = 64
"""Characters that must be there before a short cut is tried."""
_STRIDES: Final = 512, 4096
"""How far a short cut may look at first: about as far as the last one got."""


class Attempts:
    """Tries short cuts as long as they are worth it: there is enough text, and not too often it was in vain."""

    __slots__ = ("_containers", "_failed", "_stride", "_wasted")

    def __init__(self, containers: Containers, *, allowed: bool) -> None:
        """No short cut is tried where none is `allowed`."""
        self._containers = containers
        self._wasted = 0 if allowed else sys.maxsize
        """How many characters short cuts have looked at in vain."""
        self._stride = _STRIDES[1]
        """How far the next one looks at first."""
        self._failed = -1
        """Where a value begins that the last one could not read."""

    def whole(self, char: str) -> State | None:
        """Read the container that begins here, if it is strict JSON; None where it is not read this way."""
        source = self._containers.source
        if len(source.window) - source.here < WORTH_IT or char not in "{[":
            return None
        start = source.base + source.here
        if start == self._failed or not self._is_worth_it():
            return None
        value, end, looked = shortcuts.whole(source.window, source.here)
        if end < 0:
            self._wasted += looked
            return None
        containers = self._containers
        containers.begin_entry()
        containers.log.skimmed.append((start, source.window[source.here : end]))
        containers.closer_edit = -1
        source.here = end
        return containers.put(value, start)

    def entries(self, frame: Frame) -> State | None:
        """Read entries that ask no question, into the innermost container; None where none was read this way."""
        source = self._containers.source
        if len(source.window) - source.here < WORTH_IT or not self._is_worth_it():
            return None
        run = shortcuts.run(source.window, source.here, self._stride, keyed=frame.is_object)
        self._failed = source.base + run.failed if run.failed >= 0 else -1
        taken = self._enter(frame, run.entries)
        read = (taken.end if taken else source.here) - source.here
        self._wasted += run.looked + (run.entries[-1].end - source.here - read if run.entries else 0)
        self._stride = min(max(_STRIDES[0], 2 * read), _STRIDES[1])
        return self._leave(frame, taken, python=run.python) if taken else None

    def _enter(self, frame: Frame, found: list[shortcuts.EntryIndexes]) -> shortcuts.EntryIndexes | None:
        """Put the entries into the container, up to a key that it has; return the last one that was new."""
        base = self._containers.source.base
        if frame.is_object:
            new: dict[str, shortcuts.EntryIndexes] = {}
            for entry in found:
                if entry.key in frame.value or entry.key in new:
                    break
                new[entry.key] = entry
            frame.value.update((key, entry.value) for key, entry in new.items())
            found = list(new.values())
            if frame.watched:
                members = [Member(entry.key, base + entry.start, base + entry.end) for entry in found]
                self._containers.members += members
        else:
            frame.value += [entry.value for entry in found]
        if not found:
            return None
        frame.key = found[-1].key
        frame.before = base + found[-2].end if len(found) > 1 else frame.end
        frame.end = base + found[-1].end
        return found[-1]

    def _leave(self, frame: Frame, last: shortcuts.EntryIndexes, *, python: bool) -> State:
        """Go on behind the last entry, and the comma behind it."""
        containers, source = self._containers, self._containers.source
        start = source.base + source.here
        containers.keep_comma(frame)
        text = source.window[source.here : last.end]
        if python:
            containers.log.respellings.append((start, text))
        opener, closer = "{}" if frame.is_object else "[]"
        containers.log.skimmed.append((start - 1, opener + text + closer))
        containers.item_start, containers.closer_edit, containers.text_end = source.base + last.start, -1, -1
        state: State = "after"
        if last.comma < 0:
            source.here = last.end
        else:
            frame.comma, frame.many = Comma(source.base + last.comma, ","), True
            source.here = last.comma + 1
            state = "entry"
        containers.cursor.behind = source.base + source.here
        return state

    def _is_worth_it(self) -> bool:
        """Whether not too much was in vain. The first object of an array is read with care: its members are told."""
        frames, source = self._containers.frames, self._containers.source
        first = len(frames) == 1 and not frames[-1].value and not frames[-1].is_object
        return not first and self._wasted <= 4 * source.length
