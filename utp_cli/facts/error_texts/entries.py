"""The entries: what each file holds, how a pattern is written, and the words that select it."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Carries = Literal["none", "model output", "template error", "schema path", "tool name", "call id", "tools"]

FILES = (
    *("servers", "templates", "grammars", "providers"),
    *("frameworks", "agents", "applications", "families"),
)
"""Names of the files, in the order in which entries of equal rank win: inference servers, chat templates and
tokenizers, grammar compilers, hosted providers; client libraries, coding agents, other applications and gateways; and
families: the ways in which anybody says a thing, for texts that no other file has."""

MANY = "many"
"""Who prints the text of a family: nobody in particular."""

CLASSES = {
    "tooling": r"(?:(?:tool|function)s?[-_ ](?:calls?|calling|use|usage)|tools|functions)",
    "refused": (
        r"(?:not (?:\w+ ){0,2}?(?:support(?:ed|s|ing)?|enabled|available|allowed|implemented)|n[o'’]t (?:\w+ )?support"
        r"|unsupported|no (?:\w+ )?support for|support(?:s)? no|lacks? support|without support)\b"
    ),
}
"""Words that say the same, by the name under which a pattern takes them: `(?&refused)`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorText:
    """One message that somebody prints."""

    id: str
    says: str
    """The message, with `{placeholders}`."""
    match: str
    """A regular expression, without regard to case; see `pattern_of` for what a space and a quote stand for. A group
    `what` is what the message is about: a keyword, a tool, a field."""
    words: tuple[tuple[str, ...], ...]
    """The words that the text must have, in lower case: all those of one tuple, a tuple for each alternative of
    `match`. An empty tuple selects the entry for every text. Written by `python -m tests.test_error_texts`."""
    by: str
    """Who prints it: a server, a library, a provider, a framework."""
    code: str
    """The diagnosis that it proves."""
    cause: str
    fix: str
    example: str
    """A whole message in the envelope of whoever prints it, with harmless values."""
    source: str
    """Where it was read: a file of the source, or a public thread."""
    carries: Carries = "none"
    """What the message quotes. `model output`: the answer of the model, to be read for calls; `tools`: their texts."""
    quote: tuple[str, str] | None = None
    """Regular expressions: the quoted answer begins behind the first (`""`: behind the match) and ends before the
    last place of the second (`""`: with the message). None where nothing that can be read is quoted."""
    versions: str = ""
    """Since when, or in which release it was read; `""` where nobody knows."""
    status: int = 0
    """The HTTP status that comes with it; 0 where there is none."""
    prio: int = 0
    """Higher wins where two entries match. Below zero: a wrapping, which any text inside it outranks."""
    unconfirmed: bool = False
    """Nobody has read it at its source: it never wins over an entry that somebody has."""
    common: bool = False
    """Its words are few, and may stand in prose: without the marks of an error around them they prove nothing."""
    mild: bool = False
    """Whoever prints it goes on all the same: it is told, and is no fault."""
    also: tuple[str, ...] = ()
    """Further diagnoses that the same words may come of; told as guesses."""
    doubtful: bool = False
    """Of a family: where it stands in known texts, their cause is often another. Counted and written by
    `python -m tests.test_error_texts`."""

    @property
    def is_general(self) -> bool:
        """Whether others say the same of something else, or nobody has read it at its source.

        What a validator says of one member, which tells cause and place, is not general.
        """
        return self.unconfirmed or self.common or (self.by == MANY and bool(self.match))

    @property
    def proves_alone(self) -> bool:
        """Whether it tells of a failure without the marks of an error around it."""
        return self.prio >= 0 and not self.common


@functools.cache
def error_texts() -> tuple[ErrorText, ...]:
    """Read all entries, in order of `FILES` and lines. This takes a tenth of a second, once: a search needs few."""
    return tuple(map(entry_at, range(len(_lines()))))


@functools.cache
def _lines() -> list[str]:
    folder = Path(__file__).parent
    return [
        line for name in FILES for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").split("\n") if line
    ]


@functools.cache
def words_of_entries() -> list[tuple[str, list[list[str]]]]:
    """Return the id and the `words` of each entry, in order, without a look at the rest of its line."""
    decode = json.JSONDecoder().raw_decode
    return [
        (line[len(_ID) : line.index('"', len(_ID))], decode(line, line.index(_WORDS) + len(_WORDS))[0])
        for line in _lines()
    ]


_ID, _WORDS = '{"id": "', ', "words": '
"""How a line begins, and what stands before the words in it."""


def fix_of_families(code: str) -> str:
    """Return the fix that the families have for a diagnosis; an empty text where none has it."""
    named = f'"by": "{MANY}", "code": "{code}"'
    return next((entry_at(place).fix for place, line in enumerate(_lines()) if named in line), "")


@functools.cache
def entry_at(place: int) -> ErrorText:
    """Read one entry: its place is 0-based, in order of `FILES` and lines."""
    fields = json.loads(_lines()[place])
    fields["words"] = tuple(tuple(words) for words in fields["words"])
    for name in ("quote", "also"):
        if name in fields:
            fields[name] = tuple(fields[name])
    return ErrorText(**fields)


_CLASS = re.compile(r"\(\?&(\w+)\)")
_NAME_IN_QUOTES = re.compile(r"""(\(\?P<what>\[\^(?:\\.|[^\]\\])*\]\{\d+,\d+\})(?=\)["'`])""")
"""What a message is about, in quotes: it ends at the first quote of any kind behind which the message goes on."""
_CAPITALS = re.compile(r"\\.|\(\?P<\w+>|([A-Z]+)", re.DOTALL)
_PART = re.compile(r"""\[(?:\\.|[^\]\\])*\]|\\.|\(\?P<\w+>|(?<=\w)-(?=\w)|[ <>&'"`]""", re.DOTALL)
_QUOTE = r"""(?:\\{0,8}+['"`\u2018\u2019\u201c\u201d])"""
_STANDS_FOR = {
    " ": r"(?>(?:\s|\\{1,8}n){1,40})",
    "-": r"-(?:\n\s{0,9})?",
    "<": r"(?:<|\\{1,8}u003c|&lt;)",
    ">": r"(?:>|\\{1,8}u003e|&gt;)",
    "&": r"(?:&|\\{1,8}u0026|&amp;)",
    **dict.fromkeys("'\"`", _QUOTE),
}


@functools.cache
def pattern_of(match: str) -> re.Pattern[str]:
    r"""Compile the pattern of an entry so that it finds a text in lower case, also when it was escaped or wrapped.

    Without `re.IGNORECASE` a search passes quickly over the places where no match can begin.

    Outside of `[…]` a space stands for white space of any kind, an escaped line break too; a hyphen in a word for one
    at which a terminal broke the line too; a quote for any quote, typographic ones too, with or without
    backslashes; `<`, `>` and `&` for themselves or their escapes in JSON and HTML; and `(?&name)` for the words of
    `CLASSES` of that name.
    """
    match = _NAME_IN_QUOTES.sub(r"\1?", opened(match))
    pattern = _PART.sub(lambda part: _STANDS_FOR.get(part[0], part[0]), match)
    return re.compile(_CAPITALS.sub(lambda part: part[1].lower() if part[1] else part[0], pattern))


def opened(match: str) -> str:
    """Write the classes of words in a pattern out."""
    return _CLASS.sub(lambda name: CLASSES[name[1]], match)
