"""Where a value begins, and what may belong to it though it is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.protocol.patterns import regex
from utp_cli.repair.cursor import SPACE
from utp_cli.repair.lookahead import SPACES, token
from utp_cli.repair.scalars import read_bare_key
from utp_cli.repair.sound import read_sound
from utp_cli.repair.structure import closers_ahead
from utp_cli.repair.text_window import Starved

if TYPE_CHECKING:
    from utp_cli.repair.containers import Containers, State
    from utp_cli.repair.values import ValueProgress

_FENCE: Final = regex(rf"(`{{3,}}+|~{{3,}}+|`(?=[{SPACES}]*[{{\[]))(?:[A-Za-z][\w+.#-]*)?+[{SPACES}]*+(?=[^{SPACES}])")
_FENCE_BEGUN: Final = regex(rf"(?:`++|~++)(?:[A-Za-z][\w+.#-]*+)?[{SPACES}]*+\Z")
_INVISIBLE: Final = regex("[\ufeff\u200b\u2060]+")


def begin(progress: ValueProgress) -> State:
    """Read what stands before the value, up to where it begins."""
    containers, cursor, source = progress.containers, progress.cursor, progress.source
    source.here = SPACE.match(source.window, source.here).end()  # type: ignore[union-attr]  # it matches the empty string
    char = source.peek(source.here)
    if not char:
        return "declined"
    if char in "{[":
        sound = read_sound(source.window, source.here, source.base) if progress.whole else None
        if sound:
            start, source.here = source.here, sound.end - source.base
            containers.skim(sound)
            containers.log.skimmed.append((sound.start, source.window[start : source.here]))
            return "tail"
        return "value"
    if char in "｛［":
        return "value"
    if found := _INVISIBLE.match(source.window, source.here):
        cursor.need(found.end())
        cursor.drop("bom", len(found[0]))
        return "begin"
    if char in ("\\/#" if progress.loose else "\\") and cursor.skip_odd(char):
        return "begin"
    if char in "`~" and not containers.fence:
        return _open_fence(containers)
    if _lost_brace(progress, char):
        start = cursor.offset
        containers.log.fix("missing-open-brace", start, "", "{")
        return containers.push({}, "}", start)
    return "value" if progress.loose and not containers.fence else "declined"


def _open_fence(containers: Containers) -> State:
    source = containers.source
    found = _FENCE.match(source.window, source.here)
    if found is None:
        if not source.closed and _FENCE_BEGUN.match(source.window, source.here):
            raise Starved
        return "declined"
    containers.fence = found[1]
    containers.cursor.end_at(found[1])
    containers.cursor.drop("code-fence", len(found[0]))
    return "begin"


def _lost_brace(progress: ValueProgress, char: str) -> bool:
    """Whether a key stands where an object should begin."""
    source, ends, at = progress.source, progress.cursor.ends, progress.source.here
    if ends and progress.cursor.at_marker(at):
        return False
    if char in "\"'“＂&\\":
        kind, behind = token(source, at, ends)
        return kind == "s" and token(source, behind, ends)[0] == ":"
    if not progress.loose:
        return False
    key, behind, quoted = read_bare_key(source, at, ends)
    if not key or " " in key or token(source, behind + quoted, ends)[0] != ":":
        return False
    return closers_ahead(source, behind, 2, ends) == "}"


def tail(progress: ValueProgress) -> State:
    """Read what may belong to the value though it is closed."""
    containers, cursor, source = progress.containers, progress.cursor, progress.source
    at = SPACE.match(source.window, source.here).end()  # type: ignore[union-attr]  # it matches the empty string
    char = source.peek(at)
    if char and cursor.marker_begins(at, char):
        return containers.end_fence(at)
    if char in ("}", "]"):
        source.here = at
        cursor.drop("extra-close", 1)
        containers.end = cursor.offset
        return "tail"
    if char == "," and containers.top is not None and _goes_on(containers, at):
        return containers.reopen(containers.top, containers.closed_at)
    return "done"


def _goes_on(containers: Containers, at: int) -> bool:
    """Whether another member follows the closed object."""
    top, source, ends = containers.top, containers.source, containers.cursor.ends
    if top is None or not top.is_object or not top.value:
        return False
    kind, behind = token(source, at + 1, ends)
    return kind == "s" and token(source, behind, ends)[0] == ":"
