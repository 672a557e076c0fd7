"""What a text is that is no answer, and the forms by which it is known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterable
    from re import Pattern


class Doubt(NamedTuple):
    """What a text is that is no answer."""

    what: str
    get: str
    """What gets on from there; `""` for nothing."""
    code: str = ""
    """The diagnosis that this hints at."""
    failed: bool = False
    """Whether it is the words of an error, which may tell more."""


class Form(NamedTuple):
    """How a text is written that is no answer; the other fields are those of its `Doubt`."""

    pattern: Pattern[str]
    what: str
    """`{}` stands for the first group that the pattern found."""
    get: str
    code: str = ""


UNREAD: Final = "call-left-in-content"
"""The diagnosis that most doubts hint at: a call is there, and nothing read it."""
UNKNOWN: Final = "unknown markup {}: no dialect reads the call behind it"
DIALECT: Final = "a dialect of your own in profiles.toml reads it: utp dialects --help"
PROMPT: Final = "the prompt and the raw answer: does the template teach this form?"
TOOLS: Final = "the definitions of the tools: utp parse --tools FILE"
ALONE: Final = "the call by itself: utp parse"
JOINS: Final = "why they are joined: utp explain arguments-concatenated"
LOOP: Final = "what its result says, and the system prompt: utp explain identical-call-loop"
_HARMFUL: Final = regex(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What a terminal obeys, or shows in another order."""


def first_form(forms: Iterable[Form], text: str) -> Doubt | None:
    """Return what a text is by the first of `forms` that is found in it; None where none is."""
    for form in forms:
        if found := form.pattern.search(text):
            return Doubt(form.what.format(printable(next(filter(None, found.groups()), ""))), form.get, form.code)
    return None


def printable(sign: str) -> str:
    """Return a sign of a text without what a terminal obeys."""
    return _HARMFUL.sub("", sign.strip())
