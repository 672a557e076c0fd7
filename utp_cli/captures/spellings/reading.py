"""Where a spelling may begin, and which reader reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.captures.spellings import python_forms as python
from utp_cli.captures.spellings.documents import CLASSES
from utp_cli.captures.spellings.values import Fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from utp_cli.captures.spellings.spelling import Spelling

_CLASS: Final = rf"(?:[A-Za-z_]\w*\.)*(?:Beta|Parsed)?(?:{'|'.join(sorted(CLASSES, key=len, reverse=True))})\("

_FORMS: Final[tuple[tuple[str, Callable[[str, int], Spelling | None]], ...]] = (
    (rf"(?<![\w.]){_CLASS}", python.read_object),
    (r"(?<![\w.])(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\(['\"]", python.read_object),
    (rf"\[\s*{_CLASS}", python.read_literal),
    (r"[\[(]?\s*\{\s*'(?:[^'\"\\\n]{1,60})'\s*: ", python.read_literal),
    (rf"(?<![^\s])(?:{python.PRINTED_KEYS})=(?=[\['\"{{(NTF\d<]|[A-Z]\w*\()", python.read_printed),
    (r"<OpenAIObject ", python.read_openai_object),
)
"""What a form begins with, and its reader; the first that reads it wins."""
_STARTS: Final = re.compile("|".join(f"(?:{sign})" for sign, _ in _FORMS), re.MULTILINE)
_READERS: Final = tuple((re.compile(sign, re.MULTILINE), reader) for sign, reader in _FORMS)


def starts(text: str) -> Iterator[int]:
    """Give the positions (characters) at which a spelling may begin, in order. Linear, and lazy."""
    return (match.start() for match in _STARTS.finditer(text))


def read_spelling(text: str, start: int = 0) -> Spelling | None:
    """Read the one document that begins at `start` (characters); None where none does. Never raises."""
    for sign, reader in _READERS:
        if sign.match(text, start):
            try:
                found = reader(text, start)
            except Fault:
                continue
            if found is not None:
                return found
    return None
