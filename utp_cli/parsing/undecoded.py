"""Text whose tokens were not decoded: byte-level BPE writes a blank as `Ġ`, a line break as `Ċ`, a tab as `ĉ`;
SentencePiece writes a blank as `▁`.

Raw token streams show such text, and servers whose tokenizer does not fit the model. The first two are Maltese letters
too; markers of DeepSeek and drawings have the last. They count only in a text without any blank, at places where no
word has them; the last not in strings of JSON.
"""

from __future__ import annotations

from itertools import chain, islice

from utp_cli.protocol.calls import Note
from utp_cli.protocol.patterns import regex

_DECODED = str.maketrans("ĠĊĉ▁", " \n\t ")
_SIGN = regex(r"(?<=[a-z0-9:,.;!?}\]])[ĠĊ]|[ĠĊ](?=[^\w\s])")
_SENTENCE_PIECE = regex(r"(?<=[:,.;!?>}\]])▁|▁(?=[\"\[{<])|\A▁")
_STRING = regex(r"\"(?:[^\"\\]|\\.)*+(?:\"|\Z)")
_BLANK = regex(r"\s")
_DRAWN = regex("[▂-█]|▁▁")
"""Bars of a drawing, of which ▁ is the lowest."""
_ENOUGH = 2
"""So many signs make sure of it."""


def decoded(text: str) -> str | None:
    """Return the text with its blanks, each character in its place; None where it was decoded."""
    if _BLANK.search(text) or _DRAWN.search(text):
        return None
    outside = _STRING.sub('""', text) if "▁" in text else ""
    signs = chain(_SIGN.finditer(text), _SENTENCE_PIECE.finditer(outside))
    return text.translate(_DECODED) if len([*islice(signs, _ENOUGH)]) == _ENOUGH else None


def undecoded_note(pointer: str) -> Note:
    """Say what was done, and what to set right."""
    message = "the text holds tokens as the tokenizer has them (Ġ or ▁: a blank, Ċ: a line break); read as decoded"
    return Note(code="undecoded-tokens", message=message, pointer=pointer)
