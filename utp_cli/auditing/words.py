"""Words as the rules mean them: whole, lower-cased, split where case rises."""

from __future__ import annotations

import re
from functools import lru_cache

_RISE = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)\s+|\n\s*\n|\n(?=\s*[-*] )")


def word_set(listed: str) -> frozenset[str]:
    """Return the words of a list written as one text, for tables."""
    return frozenset(listed.split())


def may_hold(text: str, *hints: str) -> bool:
    """Say whether a search that ignores case can find anything: every match of it has one of the hints (lower case).

    A look for a few literals costs a fraction of the search. Other letters than ASCII's have more than one other case.
    """
    lowered = text.lower()
    return not text.isascii() or any(hint in lowered for hint in hints)


_OTHER_SCRIPT = re.compile(r"[^\W\d_a-zA-Z\u00aa-\u024f]")


def is_readable(text: str) -> bool:
    """Say whether all letters are Latin: in other scripts nothing here knows a unit or a form of dates."""
    return text.isascii() or not _OTHER_SCRIPT.search(text)


_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
"""Letters of scripts that put no spaces between words: Thai, Lao, Burmese, Khmer, Japanese and Chinese."""


def extent(text: str) -> tuple[int, int]:
    """Return how many words and characters a text takes, as if written with spaces.

    Where a script has none, two letters count as a word, and each as two characters.
    """
    dense = "" if text.isascii() else "".join(_UNSPACED.findall(text))
    spaced = words(_UNSPACED.sub(" ", text)) if dense else words(text)
    return len(spaced) + (len(dense) + 1) // 2, len(text) + len(dense)


EMPTY_WORDS = word_set(
    "a an the of to for in on by with and or is are be this that it its as from at your you given"
    " specified particular provided"
)
"""Words that say nothing by themselves; the others are content words."""


_NAME = re.compile(r"[\w.-]+")


def names_in(text: str) -> list[str]:
    """Return what could be names of tools: dots and dashes may stand in them, not behind them."""
    return [name for found in _NAME.findall(text) if (name := found.rstrip(".-"))]


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """Return the words: `words("getUserId v2")` is `("get", "user", "id", "v2")`."""
    return tuple(_WORD.findall(_RISE.sub(" ", text).lower()))


def content_words(text: str) -> frozenset[str]:
    """Return the words that say something."""
    return frozenset(words(text)) - EMPTY_WORDS


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Cut the endings that do not change what is meant: `creates`, `creating`, `created`, `create` are one."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 2 and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2]:
        return word[:-1]
    if len(word) > 2 and word.endswith("i"):
        return word[:-1] + "y"
    return word.removesuffix("e") if len(word) > 3 else word


def stems(found: frozenset[str] | tuple[str, ...]) -> set[str]:
    """Return the words without their endings."""
    return {stem(word) for word in found}


def sentences(text: str) -> list[str]:
    """Split at full stops, blank lines and list items; an `e.g.` ends nothing."""
    return [part for part in (piece.strip() for piece in _SENTENCE_END.split(text)) if part]


def first_sentence(text: str) -> str:
    """Return the first sentence, `""` where there is none."""
    return next(iter(sentences(text)), "")


def any_word(listed: str) -> re.Pattern[str]:
    """Return a pattern that finds any of the phrases (separated by ` | `) as whole words, whatever their case."""
    phrases = [r"[\s-]+".join(map(re.escape, phrase.split())) for phrase in listed.split(" | ")]
    return re.compile(r"(?<![^\W_])(?:" + "|".join(phrases) + r")(?![^\W_])", re.IGNORECASE)
