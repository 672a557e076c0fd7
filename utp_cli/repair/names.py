"""Names as models write them → the tool that is meant. Never silently, and only where exactly one fits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.protocol.calls import Repair
from utp_cli.protocol.patterns import regex
from utp_cli.repair.codes import CODES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.tools import Tool

_DECORATIONS: Final = (
    regex(r"(?:functions?|tools?)[_-](?P<name>.+)"),
    regex(r"\w[\w-]*?(?:::|__|[.:/])(?P<name>.+)"),
    regex(r"<function=(?P<name>[^>]+)>?"),
    regex(r"(?P<name>[^<(:]+)(?:<.*|\(\)|:\d+)", re.DOTALL),
)
"""What template leaks and habits put around a name: prefixes (GPT's `functions.x`, a server's `mcp__github__x`), and
tails (Kimi's `x:0`, `x()`, a special token that leaked)."""
LONGEST_NAME: Final = 256
"""Longer names are nobody's."""
_TRIES: Final = 16


def known_name(name: str, tools: Mapping[str, Tool], *, allow_typo: bool = False) -> tuple[str, Repair | None]:
    """Return the known name that is meant, and the repair that took; the name itself where none fits.

    `allow_typo`: a slip of one letter counts too (two in names of six or more), if one tool alone is that near.
    """
    if name in tools or not tools or len(name) > LONGEST_NAME:
        return name, None
    bare = _undecorated(name, tools)
    if bare:
        return bare, _repair("name-decoration", name, bare, "took the decoration off the name")
    plain = _undotted(name)
    alike = [known for known in tools if _undotted(known) == plain]
    if len(alike) == 1:
        return alike[0], _repair("name-style", name, alike[0], "spelt the name as the tool does")
    near = [known for known in tools if _one_slip(plain, _undotted(known))] if allow_typo else []
    if len(near) == 1:
        return near[0], _repair("name-typo", name, near[0], "took the nearest name")
    return name, None


_STYLE = regex(r"[_\-\s]")


def plain_name(name: str) -> str:
    """Return a name without case, `_`, `-` and spaces: what its styles have in common."""
    return _STYLE.sub("", name).lower() if not name.isalpha() else name.lower()


def _undotted(name: str) -> str:
    """Without dots too: some providers allow none in the names of tools."""
    return plain_name(name).replace(".", "")


def _undecorated(name: str, tools: Mapping[str, Tool]) -> str | None:
    """Return the known name inside a decorated one, None where there is none."""
    waiting = [name.strip().strip("\"'`")]
    for candidate in waiting:
        if candidate in tools:
            return candidate
        if len(waiting) < _TRIES:
            waiting += [found["name"].strip() for each in _DECORATIONS if (found := each.fullmatch(candidate))]
    return None


def _one_slip(written: str, known: str) -> bool:
    """Whether the edit distance is 1, or 2 for names of six letters and more."""
    allowed = 2 if min(len(written), len(known)) >= 6 else 1
    if abs(len(written) - len(known)) > allowed:
        return False
    row = list(range(len(known) + 1))
    for i, letter in enumerate(written, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(known, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (letter != other))
    return row[-1] <= allowed


def _repair(code: str, before: str, after: str, message: str) -> Repair:
    return Repair(
        code=code, layer="shape", confidence=CODES[code].confidence, pointer="/name", before=before, after=after,
        message=message,
    )  # fmt: skip
