"""Calls and errors in one paste: a model speaks of an error and calls, or an error tells how calls were lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace
from utp_cli.protocol.spans import line_end

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.captures.read import Paste
    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.captures import Capture
    from utp_cli.protocol.spans import Span

ANSWERS: Final[set[str]] = {"answer", "stream"}
"""Kinds of captures that hold what a model answered."""
_TELLS: Final = 2
"""Words of an error that tell a cause: see `captures.told.known_of`."""
_ENCODED: Final = frozenset({"arguments-double-encoded", "nested-json-string"})
"""Warnings: clients read such arguments, and programs that decode them once do not."""
_FRAMES: Final = 1_200
"""Characters before an exception in which its last frames stand: they may say who failed."""
_WILL: Final = regex(r"\b(?:I(?:['\u2019]ll| will)|[Ll]et me(?! know)|[Ll]et['\u2019]s)\b[^\n]{0,200}\s*\Z")
"""Who says right in front of a call what comes next: the writer of the call. One who reports says what came."""


def is_answer(result: ParseResult, paste: Paste) -> bool:
    """Whether a text with calls is a model's answer, and what was found in it is only spoken of.

    `result`: what was read of the text as an answer; `paste`: what was found in it.
    """
    if _goes_on(result, paste):
        return True
    return _calls_outside(result, paste.captures) and not _logged_above(result, paste)


def _goes_on(result: ParseResult, paste: Paste) -> bool:
    """Whether a model says what it does next between an error and its calls below."""
    error, text = paste.captures[paste.chosen], "".join(result.texts.values())
    first = min((call.span[0] for call in result.calls if call.span and not call.pointer), default=0)
    told = result.shape == "text" and error.kind == "error" and error.span[0] < first
    between = text[line_end(text, error.span[0]) : first] if told else ""
    if not between.strip():
        return False
    from utp_cli.captures.report import announces  # noqa: PLC0415 - for words between an error and a call

    return announces(between) or _WILL.search(between) is not None


def with_calls_of(text: ParseResult, told: ParseResult) -> ParseResult:
    """Give the calls back that stand in a paste beside the error that tells how they were lost."""
    if told.calls or told.rejected or not text.calls:
        return told
    texts = {**told.texts, **text.texts}
    read = {"repairs": text.repairs, "segments": text.segments, "attempts": text.attempts}
    return replace(told, calls=text.calls, texts=texts, **read)


def told_beside_answers(
    chosen: ParseResult, paste: Paste, of_capture: Callable[[int], ParseResult]
) -> ParseResult | None:
    """Return what tells more than the chosen of an answer and an error in one paste; None where it tells enough.

    An answer that is sound by itself failed as the error beside it says. Words that many have, of a program that
    failed, tell less than what is wrong with the answer that it was given. `of_capture` reads one capture.
    """
    kind = paste.captures[paste.chosen].kind
    wanted = {"error"} if kind in ANSWERS else ANSWERS if kind == "error" and paste.known <= _TELLS else set()
    places = [place for place, one in enumerate(paste.captures) if one.kind in wanted]
    if not places or (kind in ANSWERS and _is_loud(chosen)):
        return None
    others = (of_capture(place) for place in reversed(places))
    telling = _is_loud if kind in ANSWERS else _explains
    other = next((one for one in others if telling(one)), None)
    return with_calls_of(chosen, other) if other and kind in ANSWERS else other


def _is_within(span: Span, others: Sequence[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in others)


def _is_loud(result: ParseResult) -> bool:
    return any(finding.severity != "info" for finding in result.named)


def _explains(answer: ParseResult) -> bool:
    """Whether what is wrong with an answer makes programs fail that take its calls."""
    return any(finding.severity == "error" or finding.code in _ENCODED for finding in answer.named)


def _calls_outside(result: ParseResult, captures: Sequence[Capture]) -> bool:
    """Whether the text holds calls that stand in no capture: then it is an answer that shows something.

    An error behind the last of them is what became of it; so is one before calls of which nothing says that they were
    made.
    """
    spans = [capture.span for capture in captures]
    last = max((call.span[1] for call in result.calls if call.span), default=0)
    error = captures[-1]
    told = error.span[0] >= last or all(call.standing == "unsure" for call in result.calls)
    if error.kind == "error" and told and (error.status or error.hops or _is_somebodys(error, result)):
        return False
    if error.form == "python-traceback" and not result.calls:  # what stands in its source is shown
        return False
    if any(finding.code == "call-left-in-content" and finding.severity == "error" for finding in result.named):
        return result.shape == "text" and error.kind == "error"
    return result.shape == "text" and any(
        call.span and not call.pointer and not _is_within(call.span, spans) for call in result.calls
    )


def _logged_above(result: ParseResult, paste: Paste) -> bool:
    """Whether a paste begins with a log, a stack, or words that one program has, that tell what became of its calls."""
    error, first = paste.captures[paste.chosen], min((call.span[0] for call in result.calls if call.span), default=0)
    if error.kind != "error" or error.span[1] > first or paste.known < _TELLS:
        return False
    return paste.printed or (error.span[0] == 0 and _is_somebodys(error, result, begins=True))


def _is_somebodys(error: Capture, result: ParseResult, *, begins: bool = False) -> bool:
    """Whether an error has, or begins with, the words of somebody who is known to print them.

    Not that there was no call: there is.
    """
    from utp_cli.facts.error_texts.finder import find_error_texts  # noqa: PLC0415 - for errors

    begin = error.span[0] - (_FRAMES if error.form == "python-traceback" else 0)
    found = find_error_texts("".join(result.texts.values())[max(begin, 0) : error.span[1]], families=False)
    known = [match.entry for match in found if not (begins and match.span[0])]
    return any(entry.prio >= 0 and entry.code != "announced-not-called" for entry in known)
