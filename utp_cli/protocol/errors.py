"""What the caller did wrong. Faults of the *input* are never exceptions: they are findings and repairs.

UtpError
├── UnknownName      a parser, profile, format, rule … that does not exist
├── BadFile          a file that cannot be read as what it should be
└── BadOption        options that contradict each other or cannot be carried out
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class UtpError(Exception):
    """Wrong use. `str(error)` is one line: what, where, what to do. The command exits with 2."""


class UnknownName(UtpError):
    """A name nobody knows; the message offers the one that begins so or is nearest, else lists what there is."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        """`hint`: what to say in place of the list."""
        self.kind, self.name, self.known = kind, name, sorted(known)
        begun = [each for each in self.known if name and each.startswith(name)]
        near = begun[0] if len(begun) == 1 else nearest(name, self.known)
        offer = f"did you mean '{near}'?" if near else hint or _listed(self.known)
        super().__init__(f"unknown {kind} '{name}'" + (f" ({offer})" if offer else ""))


_LISTED = 30
"""Names that a message lists."""


def _listed(known: list[str]) -> str:
    """List what there is in one line; of very many the first."""
    more = ", …" if len(known) > _LISTED else ""
    return f"there are: {', '.join(known[:_LISTED])}{more}" if known else ""


class BadFile(UtpError):
    """A file that cannot be read as what it should be; `place` is `file`, `file:line` or `file:line:column`."""

    def __init__(self, place: str, what: str) -> None:
        self.place = place
        super().__init__(f"{place}: {what}")


class BadOption(UtpError):
    """Options that contradict each other or cannot be carried out."""


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name that looks most like `name`, or None. Case is ignored."""
    from difflib import get_close_matches  # noqa: PLC0415 - only what is misspelt pays

    by_folded = {k.casefold(): k for k in known}
    found = get_close_matches(name.casefold()[:100], by_folded, n=1, cutoff=cutoff)
    return by_folded[found[0]] if found else None
