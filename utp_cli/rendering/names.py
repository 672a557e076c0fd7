"""Names and ids that a provider accepts, made from those it refuses: always the same from the same."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRule:
    """Which names of tools (or properties) are taken."""

    characters: str = ""
    """Inside of a character class; empty: any character."""
    first: str = ""
    """Inside of a character class for the first character, where it is narrower."""
    limit: int | None = None
    """Characters."""

    def accepts(self, name: str) -> bool:
        return bool(name) and self.cleaned(name) == name

    def cleaned(self, name: str) -> str:
        """Return the name with an underscore for what is refused. Cut names end in a digest of the whole."""
        clean = re.sub(f"[^{self.characters}]", "_", name) if self.characters else name
        if not clean or (self.first and not re.match(f"[{self.first}]", clean)):
            clean = "_" + clean
        if self.limit and len(clean) > self.limit:
            clean = f"{clean[: self.limit - 9]}_{digest(name, 8)}"
        return clean

    def sent(self, names: Iterable[str]) -> dict[str, str]:
        """Return what each name is sent as: itself if it is accepted, else one that no other has."""
        known = {name: name for name in names if self.accepts(name)}
        taken = set(known)
        for name in names:
            if name not in known:
                known[name] = self.free(name, taken)
                taken.add(known[name])
        return known

    def free(self, name: str, taken: Collection[str]) -> str:
        """Return a name that is accepted and not taken."""
        clean = self.cleaned(name)
        tries = 0
        while clean in taken:
            tries += 1
            ending = f"_{digest(f'{name} {tries}', 8)}"
            clean = self.cleaned(name)[: (self.limit or len(name) + 9) - len(ending)] + ending
        return clean


ANY_NAME = NameRule()


@dataclass(frozen=True, slots=True, kw_only=True)
class IdRule:
    """Which ids of calls are taken back in the history."""

    pattern: str = r".{1,64}"
    length: int = 24
    """Of the ids that are made."""
    prefix: str = "call_"

    def accepts(self, call_id: str) -> bool:
        return re.fullmatch(self.pattern, call_id) is not None

    def mapped(self, call_id: str) -> str:
        """Return the id, or one made from it where it is refused."""
        return call_id if self.accepts(call_id) else self.made(call_id)

    def made(self, text: str) -> str:
        """Return an id that stands for a text."""
        return self.prefix + digest(text, self.length - len(self.prefix))


ANY_ID = IdRule()


def digest(text: str, length: int) -> str:
    """Return so many letters and digits that stand for a text."""
    import hashlib  # noqa: PLC0415 - costs more than all else here, and most names and ids are taken as they are

    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")
    letters = []
    for _ in range(length):
        number, place = divmod(number, len(_DIGITS))
        letters.append(_DIGITS[place])
    return "".join(letters)
