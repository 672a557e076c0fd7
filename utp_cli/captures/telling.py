"""Which lines of a text may tell an error. A long log has few of them, and the others are passed over.

Each pattern begins with a character or a word that few lines have: `re` skips to it, and no step in Python is made for
the lines between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.facts.error_texts.finder import small_letters
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.spans import line_end

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS: Final = tuple(
    map(
        regex,
        (
            r"err",
            r"fa(?:il|tal)",
            r"except",
            r"traceback",
            r"timeout",
            r"warn",
            r"panic",
            r"sorry,",
            r"provider ended",
            r"upstream r",
            r"invokemodel",
            r"status(?:[ _]?code)?:? ?[45]\d\d",
            r"http(?:/[\d.]{1,3}\"?)?:? ?[4-9]\d\d",
            r"done request: ",
            r"\+0x",
            r"\| ?[4-9]\d\d \|",
            r"=(?:(?<=reason=)|(?<=cause=))",
        ),
    )
)
"""What stands in lines that tell an error, in small letters. A status counts that refuses."""
_SIGNS: Final = (
    regex(r"Fault"),
    regex(r"\.[A-Z][a-zA-Z]{3,60}: (?=\S)"),
    regex(
        r"\n(?:[ \t`'\"*(]*[45]\d\d [A-Z]|[ \t]*(?:File \"|goroutine|stack b|note: run)"
        r"|at \w{1,80}\.[\w.`<>$]{1,200}[(\[]"
        r"|[ \t]+(?:at |\^|~|\d+(?: \u2502|: )|\u2771|\.{3} \d|\[Prev))"
    ),
)
"""The same, as it is written (`Default` is no fault): the class of an exception, and how lines begin."""
_CHUNK: Final = 1 << 16
"""Characters that are searched at a time."""


def telling_lines(text: str) -> Iterator[int]:
    """Give where the lines begin that may tell an error, in order; and some that do not."""
    begin = 0
    while begin < len(text):
        end = line_end(text, begin + _CHUNK) if begin + _CHUNK < len(text) else len(text)
        yield from sorted(_in_chunk(text[max(begin - 1, 0) : end], max(begin - 1, 0)))
        begin = end + 1


def _in_chunk(chunk: str, place: int) -> set[int]:
    """Find the lines of a stretch that begins with the break before them. `place`: where it stands."""
    lines: set[int] = set()
    for patterns, searched in ((_SIGNS, chunk), (_WORDS, small_letters(chunk))):
        for pattern in patterns:
            found = pattern.search(searched)
            while found:
                at = found.start() + (searched[found.start()] == "\n")
                lines.add(place + searched.rfind("\n", 0, at) + 1)
                found = pattern.search(searched, line_end(searched, at))
    return lines
