"""Calls and errors in one paste: a model speaks of an error and calls, or an error tells how calls were lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.dialects.catalogue import CALL_MARKUP
from utp_cli.facts.finish_reasons import meaning_of
from utp_cli.parsing.collect import UNSURE
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace
from utp_cli.protocol.spans import line_end

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.captures.read import Paste
    from utp_cli.diagnosis.subject import Answer
    from utp_cli.protocol.calls import ParseResult, ToolCall
    from utp_cli.protocol.captures import Capture
    from utp_cli.protocol.findings import Finding
    from utp_cli.protocol.spans import Span

ANSWERS: Final[set[str]] = {"answer", "stream"}
"""Kinds of captures that hold what a model answered."""
_TELLS: Final = 2
"""Words of an error that tell a cause: see `captures.told.known_of`."""
_ENCODED: Final = frozenset({"arguments-double-encoded", "nested-json-string"})
"""Warnings: clients read such arguments, and programs that decode them once do not."""
MARKUP: Final = regex(CALL_MARKUP)
_LITERAL: Final = regex(r"[=(,:] ?(?:[bfr]?['\"`]{1,3}|\|-?)\s*\Z")
"""What stands in front of a text in source code, in JSON or in YAML."""
_WRITTEN: Final = regex(
    r"(?i)\b(?:raw|generat\w{1,4}|content|outputs?|wrote|writ\w{1,4}|emit\w{0,4}|produc\w{1,3}|completions?|"
    r"decod\w{1,4}|log(?:s|ged)?)\b[^\n]*\s*\Z"
)
"""Words in a line that lead what a model wrote."""
_SHOWN: Final = regex(r"(?i)\b(?:examples?|e\.g\.|expect\w{0,3}|should|docs?|documentation|tests?)\b[^\n]*\s*\Z")
"""Words in a line that lead what it might write."""
_ANSWERED: Final = regex(r"(?im)tool_(?:response|result|output)|^\W{0,4}(?:tool )?results?\b")
"""What says behind a call that its tool ran."""
_LINE: Final = 400
"""Characters of a line that are looked at."""
_EXPLAINED: Final = frozenset({"length", "filter", "malformed"})
"""Why an answer ended, where that says why it is empty: see `meaning_of`."""
_THINKS: Final = "<think>"
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


def lost_beside(answer: ParseResult, text: str, read: Callable[[str], ParseResult]) -> ParseResult | None:
    """Return the raw text of a paste, with its calls, that the answer in it lacks; None where it lacks none.

    So it is where the answer says nothing, or what stands before the call, and has no call; or the calls of the text
    without their arguments. `read` reads what stands around the captures, in place of which there are blanks.
    """
    if answer.shape in ("text", "error", "unknown") or answer.rejected or answer.facts.lone or answer.facts.error:
        return None
    begins = MARKUP.search(around := _around(text, answer.captures))
    if not begins or any(call.arguments for call in answer.calls) or meaning_of(answer.finish_reason) in _EXPLAINED:
        return None
    if not _is_generation(around[: begins.start()], answer.content.strip()):
        return None
    raw = read(" " * begins.start() + around[begins.start() :])  # words in front of a call say that it is shown
    calls = [replace(call, standing="made") for call in raw.calls if call.rung == "markup"]
    if not calls or _ANSWERED.search(around, calls[-1].span[1] if calls[-1].span else 0):
        return None
    if answer.calls and ([one.name for one in answer.calls] != [one.name for one in calls] or not calls[0].arguments):
        return None
    notes = [note for note in raw.kept_notes if note.code != UNSURE]
    kept = {name: getattr(answer, name) for name in ("content", "finish_reason", "captures", "chosen")}
    return replace(
        raw, calls=calls, kept_notes=notes, texts={**raw.texts, "": text}, model=raw.model or answer.model, **kept
    )


def _is_generation(front: str, said: str) -> bool:
    """Whether what stands in front of a call says that the model wrote it: nothing, or words that lead to it.

    `said` is what the answer beside it says: it is a part of what the model wrote.
    """
    if _LITERAL.search(front[-_LINE:]) or not (front := front.rstrip("`\n ")).endswith(said):
        return False
    led = front.removesuffix(said).split(_THINKS, 1)[0].strip()[-_LINE:]
    return not led or (_WRITTEN.search(led) is not None and not _SHOWN.search(led))


def _around(text: str, captures: Sequence[Capture]) -> str:
    for capture in captures:
        start, end = capture.span
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _is_within(span: Span, others: Sequence[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in others)


def lost_finding(calls: Sequence[ToolCall], answer: Answer) -> Finding:
    """Say that the server lost calls which the model wrote."""
    from utp_cli.diagnosis import fixes  # noqa: PLC0415 - for who pastes an answer and what the model wrote
    from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - as above
    from utp_cli.diagnosis.observation import finding_of  # noqa: PLC0415 - as above

    said = f"the model wrote a call of {calls[0].name}, and the answer beside it has none of it"
    found = finding_of(DIAGNOSES["calls-lost"], said, calls[0].raw)
    return replace(found, fix=fixes.lost_text(answer) or found.fix)


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
