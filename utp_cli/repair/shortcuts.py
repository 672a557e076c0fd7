"""Short cuts: what is there as a whole and asks no question is read at the speed of the standard scanner.

The tolerant reader would say the same, only slower. Python's spelling is read this way too: its quotes and
literals are as long as those of JSON, so that the respelt text keeps every index.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from utp_cli.protocol.patterns import regex
from utp_cli.repair.codes import Edit
from utp_cli.repair.strict import scan

if TYPE_CHECKING:
    from collections.abc import Iterator

_KEY: Final = regex(r'[ \t\n\r]*"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*')
_COLON: Final = regex(r"[ \t\n\r]*:[ \t\n\r]*")
_SPACE: Final = regex(r"[ \t\n\r]*")
_NEXT: Final = {
    # keyed: what stands between two entries where nothing is doubtful
    True: regex(r'[ \t\n\r]*(,)[ \t\n\r]*"([^"\\\x00-\x1f]{0,200})"[ \t\n\r]*:[ \t\n\r]*'),
    False: regex(r'[ \t\n\r]*(,)[ \t\n\r]*(?=["{\[])'),
}
_LAST: Final = {
    # keyed, a string: what stands behind the last one
    (True, True): regex(r"[ \t\n\r]*\}[ \t\n\r]*[,}]"),
    (True, False): regex(r"[ \t\n\r]*\}"),
    (False, True): regex(r"[ \t\n\r]*\][ \t\n\r]*[,}\]]"),
    (False, False): regex(r"[ \t\n\r]*\]"),
}
_PYTHON: Final = regex(r"\"(?>(?:[^\"\\]|\\.)*)\"|'([^'\"\\\x00-\x1f]*+)'|\b(?:None|True|False)\b", re.DOTALL)
"""What Python spells in another way, and strings in which that would not count."""
_JSON: Final = {"None": "null", "True": "true", "False": "false"}
_SIGN: Final = regex(r"'|(?:None|True|False)\b")
_BLOCK: Final = 4096
_RESPELT: Final = 512
"""Characters that are respelt at first."""
_LARGE: Final = 1 << 18
_ATTEMPT: Final = 16
"""Characters that could be read in the time it takes to try."""
_LONGEST_TOKEN: Final = 12
"""A fault so close to the end of a block may be a literal or an escape that the block cut."""


class Member(NamedTuple):
    """Where the value of a key stands. Offsets."""

    key: str
    start: int
    end: int | None
    """None until it is known."""


def members_of(text: str, at: int, base: int) -> list[Member]:
    """Return the members of the strict JSON object at `text[at]`, or of the first object in an array.

    None of an array that begins with something else. `base`: the offset of `text[0]`.
    """
    members: list[Member] = []
    if text[at] == "[":
        at = _SPACE.match(text, at + 1).end()  # type: ignore[union-attr]  # it matches the empty string
    while text[at] in "{,":
        at = _SPACE.match(text, at + 1).end()  # type: ignore[union-attr]
        if text[at] != '"':
            break
        key, at = scan(text, at)
        start = _COLON.match(text, at).end()  # type: ignore[union-attr]  # behind a key stands one
        _, end = scan(text, start)
        members.append(Member(key, base + start, base + end))
        at = _SPACE.match(text, end).end()  # type: ignore[union-attr]
    return members


class EntryIndexes(NamedTuple):
    """An entry of a container. Indexes."""

    key: str
    """`""` in an array."""
    value: Any
    start: int
    end: int
    comma: int
    """Of the comma behind it, -1 where it has none that another entry certainly follows."""


class EntryRun(NamedTuple):
    """Entries of one container, one after the other."""

    entries: list[EntryIndexes]
    """Those about which nothing is doubtful."""
    python: bool
    """Whether quotes and literals are those of Python."""
    looked: int
    """How many characters were looked at beyond those entries, in vain."""
    failed: int
    """Where a value begins that cannot be read this way, -1 where none was tried."""


def run(text: str, at: int, size: int, *, keyed: bool) -> EntryRun:
    """Read the entries from `text[at]` on for as long as nothing is doubtful; `keyed` in an object.

    A block of `size` characters is tried, then larger ones, so that small entries in a large text cost what they
    are worth.
    """
    looked, python = _ATTEMPT, False
    while True:
        block = text[at : at + size]
        entries, failed, fault = _entries(_respelt(block) if python else block, at, keyed=keyed)
        read = entries[-1].end - at if entries else 0
        looked += (len(block) if python else max(fault, read)) - read
        open_string = python and block.startswith("'", fault) and "'" not in block[fault + 1 :]
        cut = (open_string or fault >= len(block) - _LONGEST_TOKEN) and at + size < len(text)
        if entries or not (cut or (not python and _SIGN.match(block, fault))):
            return EntryRun(entries, python, looked, -1 if cut or failed < 0 else at + failed)
        size = size * 8 if cut else min(size, _RESPELT)  # behind a small dict the rest of a log is not respelt
        python = not cut or python


def _entries(block: str, base: int, *, keyed: bool) -> tuple[list[EntryIndexes], int, int]:
    """Return the entries of a block of text, and the indexes in it of the value that failed and of the fault."""
    found: list[EntryIndexes] = []
    first = (_KEY if keyed else _SPACE).match(block)
    if first is None:
        return found, -1, _SPACE.match(block).end()  # type: ignore[union-attr]
    key, start = first[1] if keyed else "", first.end()
    while True:
        value, stop, fault = _value(block, start)
        if stop < 0:
            return found, start, fault
        following = _NEXT[keyed].match(block, stop)
        if following is None:
            break
        found.append(EntryIndexes(key, value, base + start, base + stop, base + following.start(1)))
        key, start = following[2] if keyed else "", following.end()
    if isinstance(value, (dict, list)) or _LAST[keyed, isinstance(value, str)].match(block, stop):
        found.append(EntryIndexes(key, value, base + start, base + stop, -1))
    return found, -1, stop


def _value(block: str, at: int) -> tuple[Any, int, int]:
    """Read a value: itself, the index behind it, -1 if there is none, and the index of the fault."""
    try:
        return *scan(block, at), 0
    except StopIteration as stopped:
        return None, -1, stopped.value
    except json.JSONDecodeError as error:
        return None, -1, len(block) if error.msg.startswith("Unterminated") else error.pos
    except RecursionError:
        return None, -1, max(at, len(block) - _LONGEST_TOKEN - 1)  # larger blocks are no help, and this one was dear
    except ValueError:
        return None, -1, at


def whole(text: str, at: int, size: int = _BLOCK) -> tuple[Any, int, int]:
    """Read the value at `text[at]`: itself, the index behind it, and how many characters were looked at.

    The index is -1 where it is not whole, or not strict JSON. Blocks grow as in `run`; large ones are not copied.
    """
    looked = 0
    while size < _LARGE:
        block = text[at : at + size]
        looked += len(block)
        value, end, fault = _value(block, 0)
        if end >= 0 and (end < len(block) or at + size >= len(text)):  # a number may go on behind the block
            return value, at + end, looked
        if at + size >= len(text) or fault < len(block) - _LONGEST_TOKEN:
            return None, -1, looked
        size *= 16
    value, end, fault = _value(text, at)
    return value, end, looked + max(end, fault) - at


def _respelt(text: str) -> str:
    """Return the text with Python's quotes and literals as JSON has them, as long as before."""
    return _PYTHON.sub(_respell, text)


def _respell(found: re.Match[str]) -> str:
    return found[0] if found[0][0] == '"' else _JSON.get(found[0]) or f'"{found[1]}"'


def respelling(text: str, start: int) -> Iterator[Edit]:
    """Give the edits by which text at offset `start` was respelt."""
    for found in _PYTHON.finditer(text):
        first, last = start + found.start(), start + found.end() - 1
        if found[1] is not None:
            yield Edit("single-quotes", first, "'", '"')
            yield Edit("single-quotes", last, "'", '"')
        elif found[0] in _JSON:
            yield Edit("python-literal", first, found[0], _JSON[found[0]])
