"""Arguments that JSON gives twice: readers of JSON keep the last value, and say nothing."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any, Final

from utp_cli.engine.reading import repeated
from utp_cli.repair.extract import repair_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from utp_cli.protocol.calls import Repair

MANY = 64
"""Arguments: so many are not looked for one by one."""
LONG: Final = 50_000
"""Characters of a call, or of a list of calls, that are read at once: in a list each call would look at all of it."""


def told_repeats(raw: str, arguments: Mapping[str, Any], told: Sequence[Repair]) -> list[Repair]:
    """Return a repair for each value that a later one replaced. `told`: what reading the call took already.

    `raw` is the call as it was written, or the list that it stands in; only JSON is looked at. A quote in a string is
    escaped, so that a name between plain quotes is a key, or a whole string: few calls hold one twice, and only those
    are read again.
    """
    if raw[:16].lstrip()[:1] not in ("{", "["):
        return []
    for key in arguments:  # no comprehension: nearly every call comes by
        if len(arguments) > MANY or len(raw) > LONG or raw.count(f'"{key}"') > 1:
            return _repeats(raw, arguments, broken=any(repair.layer == "syntax" for repair in told))
    return []


def _repeats(raw: str, arguments: Mapping[str, Any], *, broken: bool) -> list[Repair]:
    for made, pairs in _doubled(raw, broken):
        if arguments.items() <= made.items():
            before: dict[str, Any] = {}
            found: list[Repair] = []
            for key, value in pairs:
                if key in before and key in arguments:
                    found.append(repeated(key, before[key], value))
                before[key] = value
            return found
    return []


@functools.lru_cache(maxsize=2)
def _doubled(raw: str, broken: bool) -> list[tuple[dict[str, Any], list[tuple[str, Any]]]]:
    """Return the objects with a key that stands twice, and their members: once for all calls of a list."""
    found: list[tuple[dict[str, Any], list[tuple[str, Any]]]] = []

    def see(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            found.append((made, pairs))
        return made

    try:
        json.loads(_mended(raw) if broken else raw, object_pairs_hook=see)
    except (ValueError, RecursionError):
        return []
    return found[:MANY]


def _mended(raw: str) -> str:
    """Make strict JSON of what was read with repairs."""
    parts, at = [], 0
    for edit in repair_json(raw).edits:
        parts += [raw[at : edit.start], edit.after]
        at = edit.start + len(edit.before)
    return "".join([*parts, raw[at:]])
