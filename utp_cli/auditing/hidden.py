"""Characters that nobody sees: format characters, variation selectors, control characters."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_VARIATION = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
_RIGHT_TO_LEFT = ("R", "AL")
_JOINED_SCRIPTS = re.compile(
    r"[\u0600-\u06ff\u0750-\u077f\u0700-\u074f\u08a0-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18aa]"
)
"""Letters of Arabic, Syriac, the Indic scripts, Burmese, Khmer, Mongolian, which joiners shape."""
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,8}\U000e007f")
"""The flag of a region: a black flag, its name in tag characters, and the end tag."""
_SELECTOR = re.compile("[\U000e0100-\U000e01ef]")


ESCAPES = re.compile("(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[@-_]?|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
"""A terminal's escape sequences, and single control characters."""
_COMMANDS = re.compile("\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)")
"""Commands to a terminal with the text they carry: a terminal shows none of it, a model reads it."""


def hidden_places(text: str) -> list[int]:
    """Return the offsets of the characters that have no business in a text."""
    if text.isascii():
        return []
    fine = {at for flag in _FLAG.finditer(text) for at in range(flag.start(), flag.end())}
    runs = {at for run in _VARIATION.finditer(text) for at in range(run.start(), run.end())}
    odd = [at for at, char in enumerate(text) if char > "\x7f" and unicodedata.category(char) == "Cf"]
    has_rtl = bool(odd) and any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in text)
    undue = {at for at in odd if not _is_due(text, at, has_rtl=has_rtl)}
    return sorted((undue | runs | {m.start() for m in _SELECTOR.finditer(text)}) - fine)


def _is_due(text: str, at: int, *, has_rtl: bool) -> bool:
    """Say whether the format character at this offset is needed where it stands."""
    char, before, after = text[at], text[max(0, at - 3) : at], text[at + 1 : at + 2]
    if char in "\u200e\u200f\u061c":
        return has_rtl
    if char in "\u200c\u200d" and _JOINED_SCRIPTS.match(before[-1:]) and _JOINED_SCRIPTS.match(after):
        return True
    if char == "\u200d":
        shown_before = [c for c in before if c != "\ufe0f" and ord(c) not in _SKIN_TONES]
        emoji_before = bool(shown_before) and unicodedata.category(shown_before[-1]) == "So"
        return emoji_before and bool(after) and unicodedata.category(after) == "So"
    return 0x0600 <= ord(char) <= 0x08E2


def cleaned(text: str) -> str:
    """Return the text as a terminal shows it: commands go with the text that they carry."""
    return visible(_COMMANDS.sub("", text))


@lru_cache(maxsize=8)
def visible(text: str) -> str:
    """Return the text without hidden and control characters."""
    if text.isascii():
        return ESCAPES.sub("", text)
    hidden = set(hidden_places(text))
    return ESCAPES.sub("", "".join(char for at, char in enumerate(text) if at not in hidden) if hidden else text)
