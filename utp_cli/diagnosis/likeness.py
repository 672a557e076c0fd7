"""Which error texts a message is most like, by its words: rare words and pairs of words count more than common ones.

A likeness is a guess. Measured on 2,018 errors of public threads whose own texts were hidden (27 November 2026): the
first cause was right for 55 in 100 of them, one of the first three for 79. At no bar on the score or on the lead over
the next cause were enough of them right to tell one as a fact.
"""

from __future__ import annotations

import functools
import math
from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from utp_cli.facts.error_texts.entries import error_texts
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from utp_cli.facts.error_texts.entries import ErrorText

_WORD: Final = regex(r"[a-z]{2,}")
_PLACEHOLDER: Final = regex(r"\{\w*\}")
_LONGEST: Final = 3_000
"""Characters of a message whose words are compared."""
_CAUSE: Final = 0.5
"""What a word of an entry's cause counts, beside one of its text."""
_NEEDED: Final = 0.6
"""The same of a word that an entry's pattern cannot do without: it has spellings that its text has not."""
_SEVERAL: Final = 12
"""Texts of one cause that count for it."""
_LESS: Final = 0.85
"""What each of them counts, beside the one before."""
_TELLING: Final = 2.3
"""How rare a word is that tells something: one text in ten has it, or fewer."""
_FEWEST: Final = 2
"""Telling words, or pairs of them, that a message and a text have to share; one of them at least is a word."""
_CAMEL: Final = regex(r"(?<=[a-z])(?=[A-Z])")


def most_like(message: str) -> tuple[ErrorText, ...]:
    """Return the error texts that a message is most like, one for each cause, the best first."""
    return _ranked(message[:_LONGEST])


@functools.lru_cache(maxsize=256)
def _ranked(message: str) -> tuple[ErrorText, ...]:
    postings, rare = _postings()
    said = {term: 1 + math.log(times) for term, times in Counter(_terms(message)).items()}
    scores: defaultdict[int, float] = defaultdict(float)
    telling: Counter[int] = Counter()
    worded: set[int] = set()
    for term, times in said.items():
        for place, weight in postings.get(term, ()):
            scores[place] += times * weight
        if rare.get(term, 0) > _TELLING:
            places = [place for place, _ in postings[term]]
            telling.update(places)
            worded.update(places if " " not in term else ())
    entries = error_texts()
    by_cause: dict[str, list[tuple[float, int]]] = {}
    for place, score in sorted(scores.items(), key=lambda pair: (-pair[1], pair[0])):
        if place in worded and telling[place] >= _FEWEST:
            by_cause.setdefault(entries[place].code, []).append((score, place))
    best = sorted(
        by_cause.values(), key=lambda found: -sum(score * _LESS**at for at, (score, _) in enumerate(found[:_SEVERAL]))
    )
    return tuple(entries[found[0][1]] for found in best)


def _terms(text: str) -> list[str]:
    """Return the words of a text, and its pairs of neighbours."""
    words = _WORD.findall(_CAMEL.sub(" ", _PLACEHOLDER.sub(" ", text)).lower())
    return [*words, *map(" ".join, pairwise(words))]


@functools.cache
def _postings() -> tuple[dict[str, list[tuple[int, float]]], dict[str, float]]:
    """Return for each term the places of the entries that have it, with what it counts there; and how rare it is."""
    said = [
        dict.fromkeys((word for needed in entry.words for word in needed), _NEEDED)
        | dict.fromkeys(_terms(entry.cause), _CAUSE)
        | dict.fromkeys(_terms(entry.says), 1.0)
        for entry in error_texts()
    ]
    common = Counter(term for terms in said for term in terms)
    rare = {term: math.log((len(said) + 1) / (entries + 0.5)) for term, entries in common.items()}
    postings: dict[str, list[tuple[int, float]]] = {}
    for place, terms in enumerate(said):
        length = math.sqrt(sum((weight * rare[term]) ** 2 for term, weight in terms.items())) or 1.0
        for term, weight in terms.items():
            postings.setdefault(term, []).append((place, weight * rare[term] ** 2 / length))
    return postings, rare
