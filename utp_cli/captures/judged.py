"""Whether a text is a paste at all, and which of what was found in it matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.captures.found import FoundCapture
    from utp_cli.captures.voice import Voice

_LOGGED: Final = frozenset({"logfmt", "log-line"})
"""Forms of errors that stand in logs alone."""
_TELLS: Final = 2
"""Words of an error that tell a cause in anybody's words: see `told.known_of`."""
_FEW_WORDS: Final = 300
"""Characters of words around a paste that ask about it, and explain nothing."""
_SHARE_OF_ERROR: Final = 5
"""An error that names its status, or who passed it on, counts from one part in five of the text."""
_EXPLAINED: Final = 6
"""Who explains an error says more than one part in so many."""


def convincing(
    found: Sequence[FoundCapture], explained: int, rest: int, *, ends: bool, voice: Voice, fenced: bool
) -> bool:
    """Whether a text is a paste, and not an answer that speaks of such things.

    `rest`: characters of other words; `voice`: who speaks in them. `ends`: a known error is the last that stands in
    it; who explains goes on. `fenced`: the text has a block of code.
    """
    last = found[-1]
    printed = (
        ends and not fenced and last.strong and last.known > 1 and bool(last.hops or last.status)
    )  # by a program, and nobody goes on about it
    logged = any(one.strong and one.known > _TELLS and one.form in _LOGGED for one in found)
    if voice == "explains" and not (printed or logged) and all(one.kind in ("error", "log", "result") for one in found):
        return explained > rest * _EXPLAINED
    errors = [one for one in found if one.kind == "error"]
    if any(
        (one.strong and one.known > 1) or (voice == "asks" and (one.strong or one.known or one.told)) for one in errors
    ):
        return True
    if not any(one.strong for one in found):  # a model may write "Error: no such file"
        telling = any(one.kind != "error" or one.told or one.known for one in found)
        ends = ends or any(one.kind == "error" and one.known and one.form != "error-text" for one in found)
        return telling and (explained > rest or (ends and rest <= _FEW_WORDS)) and found[0].start < _FEW_WORDS
    named = any(one.kind == "error" and (one.hops or one.status) for one in found)
    return explained >= rest or rest <= _FEW_WORDS or (named and explained * _SHARE_OF_ERROR >= rest)


def chosen(found: Sequence[FoundCapture]) -> int:
    """Return the place of what matters: an error of a provider, else the last answer, else the last of the rest.

    A bare exception beside an answer is one of the program that pasted both.
    """
    errors = [place for place, one in enumerate(found) if one.kind == "error"]
    if any(found[place].told or found[place].known for place in errors):
        return _cause(found, errors)
    for kinds in (("answer", "stream"), ("session",)):
        places = [place for place, one in enumerate(found) if one.kind in kinds]
        if places:
            return places[-1]
    return _cause(found, errors) if errors else len(found) - 1


def _cause(found: Sequence[FoundCapture], errors: Sequence[int]) -> int:
    """Return the place of the error that tells most; of a chain the first, or its deepest cause; else the last."""
    chained = any(found[place].chained or found[place].deeper for place in errors)
    enough = min(max(found[place].known for place in errors), 2 if chained else 3)
    errors = [place for place in errors if found[place].known >= enough]
    most = max(found[place].told for place in errors)
    chain: list[int] = []
    for place in errors:
        if not (found[place].chained or found[place].deeper):
            chain = []
        if found[place].told == most:
            chain = [place] if found[place].deeper else [*chain, place]
    return chain[0] if chain else next(place for place in reversed(errors) if found[place].told == most)
