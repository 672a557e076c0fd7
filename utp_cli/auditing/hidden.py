"""Characters that nobody sees: format characters, variation selectors, control characters."""

from __future__ import annotations

import re
import unicodedata

_VARIATION = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
_RIGHT_TO_LEFT = ("R", "AL")
_JOINED_SCRIPTS = re.compile(
    r"[\u0600-\u06ff\u0750-\u077f\u0700-\u074f\u08a0-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18aa]"
)
"""Letters of Arabic, Syriac, the Indic scripts, Burmese, Khmer, Mongolian, which joiners shape."""
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_FLAG = "\U0001f3f4"




ESCAPES = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[@-_]?|\x9b[0-?]*[ -/]*[@-~]"
    "|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]"
)
"""A terminal's escape sequences, and single control characters."""


def hidden_places(text: str) -> list[int]:
    """Return the offsets of the characters that have no business in a text."""
    runs = {at for run in _VARIATION.finditer(text) for at in range(run.start(), run.end())}
    has_rtl = any(unicodedata.bidirectional(c) in _RIGHT_TO_LEFT for c in text)
    in_flag = False
    found = []
    for at, char in enumerate(text):
        code = ord(char)
        in_flag = char == _FLAG or (in_flag and 0xE0020 <= code <= 0xE007F)
        if at in runs or 0xE0100 <= code <= 0xE01EF:
            found.append(at)
        elif unicodedata.category(char) == "Cf" and not in_flag and not _is_due(text, at, has_rtl=has_rtl):
            found.append(at)
    return found


def _is_due(text: str, at: int, *, has_rtl: bool) -> bool:
    """Say whether the format character at this offset is needed where it stands."""
    char, before, after = text[at], text[:at][-3:], text[at + 1 : at + 2]
    if char in "\u200e\u200f\u061c":
        return has_rtl
    if char in "\u200c\u200d" and _JOINED_SCRIPTS.match(before[-1:]) and _JOINED_SCRIPTS.match(after):
        return True
    if char == "\u200d":
        shown_before = [c for c in before if c != "\ufe0f" and ord(c) not in _SKIN_TONES]
        emoji_before = bool(shown_before) and unicodedata.category(shown_before[-1]) == "So"
        return emoji_before and bool(after) and unicodedata.category(after) == "So"
    return 0x0600 <= ord(char) <= 0x08E2


def visible(text: str) -> str:
    """Return the text without hidden and control characters."""
    hidden = set(hidden_places(text))
    return ESCAPES.sub("", "".join(char for at, char in enumerate(text) if at not in hidden))
