"""Finds error texts in what people hold: in one pass over its words, then only the patterns that may match."""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from utp_cli.facts.error_texts.entries import MANY, ErrorText, entry_at, pattern_of, words_of_entries
from utp_cli.facts.error_texts.members import find_members

if TYPE_CHECKING:
    from collections.abc import Iterator

WORD = re.compile(r"\\+(?:u[0-9a-f]{4}|[nrt])?|([a-z]{4,})")
"""A word of four letters or more in a text in lower case; an escape before it is no part of it."""

HAN = "\u6c49"
"""The word that a text with Chinese letters has: their words are not parted."""
_HAN_LETTER = re.compile(r"[\u4e00-\u9fff]")

LIBRARIES = {
    **dict.fromkeys(("vllm", "sglang"), ("mistral-common", "transformers", "xgrammar", "outlines", "llguidance")),
    "llama.cpp": ("minja", "jinja"),
}
"""Server → the libraries that print in its name."""

_LETTERS = bytes(code if chr(code).isalpha() and code < 128 else 32 for code in range(256))
"""Every byte that is no letter of ASCII is taken for a blank."""
_FEWEST = 4
_SHORT = 8_000
"""Characters of a text whose matches are kept."""


@dataclass(frozen=True, slots=True)
class FoundText:
    """An error text that stands in a text."""

    entry: ErrorText
    span: tuple[int, int]
    """Characters of the text, 0-based, end exclusive."""


_NEXT_TO: Final = re.compile(
    "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af](?=[A-Za-z])|(?<=[A-Za-z])[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
"""Letters of languages that put no blank between their words and English ones."""


def find_error_texts(
    text: str, *, server: str | None = None, provider: str | None = None, families: bool = True
) -> list[FoundText]:
    """Return every known error text that stands in `text`, the best first; one match for an entry.

    `server` and `provider` are names as in `ErrorText.by` (`vllm`, `llama.cpp`, `anthropic`), where they are
    known. The order: wrappings (`prio` below zero) last; what was confirmed at its source before what was
    not; entries of the known server or provider; higher `prio`; the longer match; the earlier one. Families are
    found by what they say, not by words that they cannot do without: leave them out of long texts.
    """
    known = {name.casefold() for name in (server, provider) if name}
    known |= {library for name in known for library in LIBRARIES.get(name, ())}
    matches = _all_matches(text, families)
    if not matches and not text.isascii() and (apart := _NEXT_TO.sub(" ", text)) != text:
        matches = _all_matches(apart, families)
    return sorted(matches, key=lambda match: _rank(match, known))


def _all_matches(text: str, families: bool) -> tuple[FoundText, ...]:
    return _kept_matches(text, families) if len(text) <= _SHORT else tuple(_matches(text, families))


@functools.lru_cache(maxsize=64)
def _kept_matches(text: str, families: bool) -> tuple[FoundText, ...]:
    """Keep what stands in the last short texts: a paste is asked about by its reader, its hops and its diagnoses."""
    return tuple(_matches(text, families))


def _matches(text: str, families: bool) -> Iterator[FoundText]:
    lower = small_letters(text)
    words = _words_of(lower)
    by_word = _by_rarest_word()
    near = {place for word in ("", *words) for place, needed in by_word.get(word, ()) if words.issuperset(needed)}
    told = _families_near(lower) if families else set[int]()
    for place in sorted(near):
        entry = entry_at(place)
        if entry.by != MANY or place in told:
            found = pattern_of(entry.match).search(lower)
            if found:
                yield FoundText(entry, found.span())
    for member, span in find_members(text, lower) if families else ():
        yield FoundText(member, span)


def _words_of(text: str) -> set[str]:
    """Return the words of a text in small letters that have four letters or more; `HAN` for Chinese ones."""
    han = {HAN} if not text.isascii() and _HAN_LETTER.search(text) else set[str]()
    if "\\" in text:
        return han.union(word for word in WORD.findall(text) if word)
    words = text.encode("utf-8", "replace").translate(_LETTERS).split()
    return han.union(word.decode("ascii") for word in set(words) if len(word) >= _FEWEST)


def small_letters(text: str) -> str:
    """Return a text in small letters, every letter at its place."""
    lower = text.lower()
    if len(lower) != len(text):  # a letter whose small form is longer
        lower = "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)
    return lower


@functools.cache
def _by_rarest_word() -> dict[str, list[tuple[int, tuple[str, ...]]]]:
    """Return places of entries and the words that select them, by the one of these that fewest share; `""`: by none."""
    selects = [(place, tuple(needed)) for place, (_, words) in enumerate(words_of_entries()) for needed in words]
    shared = Counter(word for _, needed in selects for word in needed)
    found: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
    for place, needed in selects:
        found.setdefault(min(needed, key=shared.__getitem__, default=""), []).append((place, needed))
    return found


def _families_near(text: str) -> set[int]:
    """Return the places of the families that may stand in a text in small letters."""
    parts, needs = _needs_of_families()
    there = sum(bit for part, bit in parts.items() if part in text)
    return {place for place, one, two, three in needs if there & one and there & two and there & three}


@functools.cache
def _needs_of_families() -> tuple[dict[str, int], list[tuple[int, int, int, int]]]:
    """Return what stands in texts of families, a bit for each; and places, each with three sets: it needs one of each.

    A hundred patterns without a word in common cost half a millisecond a line; a log has thousands of lines.
    """
    written = json.loads((Path(__file__).parent / "family_needs.json").read_bytes())
    bits: dict[str, int] = {}

    def bits_of(parts: str) -> int:
        return sum(bits.setdefault(part, 1 << len(bits)) for part in parts.split("|"))

    needs = [
        (place, bits_of(one), bits_of(two), bits_of(three))
        for place, (name, _) in enumerate(words_of_entries())
        for one, two, three in written.get(name, ())
    ]
    return bits, needs


def _rank(match: FoundText, known: set[str]) -> tuple[bool, bool, bool, int, int, int]:
    entry, (start, end) = match.entry, match.span
    another = entry.by not in known or entry.code == "gateway-error-opaque"  # who hides the cause does not go first
    return entry.prio < 0, entry.unconfirmed, another, -entry.prio, start - end, start
