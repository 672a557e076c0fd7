"""How many characters reading looks at: linear cost as a number that can be counted, not as a time.

Nothing is counted unless somebody asks. While `counting` is active, the text windows of the engine and of the reader
of JSON are strings that count what is cut out of them and searched in them, and the regular expressions of the
modules that read are stand-ins which count:

- a match, from where it was tried to where it ended;
- a search, from where it began to the end of the match, or of the text that it was given;
- a match that failed, as far as the longest beginning of its pattern matches there;
- a scan by the `json` module, up to the end of the value or to the fault.

Stand-ins are put into the modules and taken out again, so only one thread may count at a time, and none may parse
beside it.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager, suppress
from functools import cache
from re import _compiler, _parser  # type: ignore[attr-defined]  # not in the stubs; the only way to part a pattern
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from utp_cli.engine import machine
from utp_cli.engine.grammars import GRAMMARS
from utp_cli.engine.source import Source
from utp_cli.protocol.patterns import LatePattern
from utp_cli.repair import reader, shortcuts
from utp_cli.repair.strict import scan
from utp_cli.repair.text_window import TextWindow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

READERS = ("utp_cli.engine", "utp_cli.repair", "utp_cli.parsing")
"""Packages whose modules read text."""
PATTERNS = (re.Pattern, LatePattern)


class Looks:
    """A count of characters."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, characters: int) -> None:
        """Count at least one: a look at nothing is a look."""
        self.count += max(characters, 1)


@contextmanager
def counting(packages: tuple[str, ...] = READERS) -> Iterator[Looks]:
    """Count the looks of the modules in `packages` that are loaded. Patterns that they cached are made anew."""
    looks = Looks()
    assert all(GRAMMARS.values())  # noqa: S101 - loads them: what is loaded later would not be counted
    modules = [module for name, module in [*sys.modules.items()] if name.startswith(packages) and name != __name__]
    before = [(module, dict(vars(module))) for module in modules]
    _forget(modules)
    try:
        for module, names in before:
            for name, value in names.items():
                counted = _counted(value, looks)
                if counted is not value:
                    setattr(module, name, counted)
        vars(machine)["Source"] = _windowed(Source, "window", looks)
        vars(reader)["TextWindow"] = _windowed(TextWindow, "window", looks)
        vars(shortcuts)["scan"] = _scanner(scan, looks)
        yield looks
    finally:
        for module, names in before:
            vars(module).update(names)
        _forget(modules)


def _forget(modules: list[ModuleType]) -> None:
    """Drop the patterns that functions have cached."""
    for module in modules:
        for value in [*vars(module).values()]:
            if callable(getattr(value, "cache_clear", None)) and getattr(value, "__module__", "") == module.__name__:
                value.cache_clear()


def _counted(value: Any, looks: Looks) -> Any:
    """Return the value with stand-ins for the patterns in it, itself where there are none."""
    if isinstance(value, PATTERNS):
        return CountedPattern(cast("re.Pattern[str]", value), looks)
    if value is re:
        return SimpleNamespace(**{**vars(re), "compile": lambda *args: CountedPattern(re.compile(*args), looks)})
    if isinstance(value, dict) and not hasattr(value, "__dict__") and _holds_patterns(value.values()):
        return {key: _counted(each, looks) for key, each in value.items()}
    if isinstance(value, tuple | list) and _holds_patterns(value):
        made = [_counted(each, looks) for each in value]
        return value._make(made) if hasattr(value, "_make") else type(value)(made)
    return value


def _holds_patterns(values: Any) -> bool:
    return any(isinstance(each, PATTERNS) or (isinstance(each, tuple) and _holds_patterns(each)) for each in values)


class CountedPattern:
    """A regular expression that counts what it looks at."""

    def __init__(self, pattern: re.Pattern[str], looks: Looks) -> None:
        self._pattern, self._looks = pattern, looks

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def search(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        found = self._pattern.search(text, pos, endpos)
        self._looks.add((found.end() if found else min(len(text), endpos)) - pos)
        return found

    def match(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        found = self._pattern.match(text, pos, endpos)
        self._looks.add((found.end() if found else _reached(self._pattern, text, pos, endpos)) - pos)
        return found

    def fullmatch(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        self._looks.add(min(len(text), endpos) - pos)
        return self._pattern.fullmatch(text, pos, endpos)

    def finditer(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> Iterator[re.Match[str]]:
        at = pos
        for found in self._pattern.finditer(text, pos, endpos):
            self._looks.add(found.end() - at)
            at = found.end()
            yield found
        self._looks.add(min(len(text), endpos) - at)

    def findall(self, text: str) -> list[Any]:
        self._looks.add(len(text))
        return self._pattern.findall(text)

    def sub(self, new: Any, text: str, count: int = 0) -> str:
        self._looks.add(len(text))
        return self._pattern.sub(new, text, count)


@cache
def _beginnings(pattern: re.Pattern[str]) -> tuple[re.Pattern[str], ...]:
    """Return the beginnings of each alternative of a pattern, longest first."""
    tree = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    branches = [tree]
    if len(tree.data) == 1 and str(tree.data[0][0]) == "BRANCH":
        branches = tree.data[0][1][1]
    found = []
    for branch in branches:
        for end in range(len(branch.data) - 1, 0, -1):
            with suppress(re.error, IndexError, KeyError):  # a beginning that cannot stand for itself
                found.append(_compiler.compile(_parser.SubPattern(tree.state, branch.data[:end])))
    return tuple(found)


def _reached(pattern: re.Pattern[str], text: str, pos: int, endpos: int) -> int:
    """Return how far a match that failed has looked."""
    ends = (found.end() for part in _beginnings(pattern) if (found := part.match(text, pos, endpos)))
    return min(max(ends, default=pos) + 1, len(text), endpos)


class CountedText(str):  # noqa: SLOT000 - its subclasses have the counter
    """A string that counts what is cut out of it and searched in it."""

    looks: Looks

    def __getitem__(self, key: Any) -> str:
        part = super().__getitem__(key)
        self.looks.add(len(part))
        return part

    def __add__(self, other: str) -> str:
        self.looks.add(len(self) + len(other))
        return super().__add__(other)

    def find(self, part: str, *place: int) -> int:  # type: ignore[override]
        found = super().find(part, *place)
        begin, end = (*place, 0)[0], place[1] if len(place) > 1 else len(self)
        self.looks.add((found + len(part) if found >= 0 else min(end, len(self))) - begin)
        return found

    def count(self, part: str, *place: int) -> int:  # type: ignore[override]
        begin, end = (*place, 0)[0], place[1] if len(place) > 1 else len(self)
        self.looks.add(min(end, len(self)) - begin)
        return super().count(part, *place)

    def startswith(self, part: str | tuple[str, ...], *place: int) -> bool:  # type: ignore[override]
        self.looks.add(len(part) if isinstance(part, tuple) else 1)
        return super().startswith(part, *place)


def _windowed(kind: type, name: str, looks: Looks) -> type:
    """Return a class like `kind` whose attribute `name`, its text, counts."""
    text_type = type("Text", (CountedText,), {"looks": looks})

    def read(self: Any) -> str:
        text: str = self.__dict__[name]
        return text

    def write(self: Any, text: str) -> None:
        self.__dict__[name] = text_type(text)

    return type(kind.__name__, (kind,), {name: property(read, write)})


def _scanner(scan: Callable[[str, int], Any], looks: Looks) -> Callable[[str, int], Any]:
    """Return a scanner of JSON that counts."""

    def counted(text: str, at: int) -> Any:
        try:
            value, end = scan(text, at)
        except StopIteration as fault:
            looks.add(fault.value - at)
            raise
        except ValueError as fault:
            looks.add(getattr(fault, "pos", len(text)) - at)
            raise
        except RecursionError:
            looks.add(len(text) - at)
            raise
        looks.add(end - at)
        return value, end

    return counted
