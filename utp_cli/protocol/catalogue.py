"""A named list in a fixed order: dialects, formats, rules, repair codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from utp_cli.protocol.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")


class Catalogue(Generic[T]):
    """Entries by name and alias, in order. Looking up an unknown name says which known one is nearest."""

    def __init__(self, kind: str, entries: Iterable[T], names: Callable[[T], Iterable[str]]) -> None:
        """`names(entry)` gives the canonical name first, then aliases. Raises ValueError for a name given twice."""
        self.kind = kind
        self._entries = list(entries)
        self._by_name: dict[str, T] = {}
        for entry in self._entries:
            for name in names(entry):
                if self._by_name.setdefault(name, entry) is not entry:
                    raise ValueError(f"two entries of the {kind} catalogue are called {name!r}")

    def __iter__(self) -> Iterator[T]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> T:
        """Return the entry. Raises `UnknownName` with the nearest known name."""
        try:
            return self._by_name[name]
        except KeyError:
            raise UnknownName(self.kind, name, self._by_name) from None

    def get(self, name: str) -> T | None:
        return self._by_name.get(name)

    @property
    def names(self) -> list[str]:
        """Every name and alias."""
        return list(self._by_name)
