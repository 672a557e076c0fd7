"""A raw text beside an answer in one paste: it may hold calls that the server lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from utp_cli.dialects.catalogue import CALL_MARKUP
from utp_cli.facts.finish_reasons import meaning_of
from utp_cli.parsing.collect import UNSURE
from utp_cli.protocol.numbers import raw_decode
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.diagnosis.subject import Answer
    from utp_cli.protocol.calls import ParseResult, ToolCall
    from utp_cli.protocol.captures import Capture
    from utp_cli.protocol.findings import Finding

_MARKUP: Final = regex(CALL_MARKUP)
_OBJECT: Final = regex(r'(?m)^[`\t ]*(?=\{\s{0,99}"(?:name|type|function|arguments|parameters)"\s*:)')
"""Where an object begins that may be a call without markup."""
_LITERAL: Final = regex(r"[=(,:] ?(?:[bfr]?#{0,3}['\"`]{1,3}|\|-?)\s*\Z")
"""What stands in front of a text in source code, in JSON or in YAML."""
_RAW: Final = regex(r"(?i)(?<![a-z])(?:raw|actual|got|unparsed)(?![a-z])")
"""Words that tell what came, whatever else is said with them."""
_SHOWN: Final = regex(
    r"(?i)(?<![a-z_-])(?:examples?|e\.g\.|samples?|expect\w{0,3}|desired|correct|should|wants?|supposed|never|not|instead|refuses?"
    r"|docs?|documentation|readme|card|spec|formats?|forms?|prompts?|templates?|history|(?:apply_)?chat_template|teach\w{0,3}|tell"
    r"|beispiel|exemple|ejemplo|so:)(?![a-z])|n['\u2019]t\b|\u4f8b"
)
"""Words that lead what a model is shown, or might write; in the name of an option they lead nothing."""
_ANSWERED: Final = regex(r"(?im)tool_(?:response|result|output)|^\W{0,4}(?:tool )?results?\b")
"""What says behind a call that its tool ran."""
_BETWEEN: Final = "`\n "
"""What stands between the words and the call, but for the language of a fence."""
_FENCED: Final = regex(r"`{3,9}[a-z]{1,20}\Z")
_LINE: Final = 400
"""Characters of a line that are looked at."""
_EXPLAINED: Final = frozenset({"length", "filter", "malformed"})
"""Why an answer ended, where that says why it is empty: see `meaning_of`."""
_THINKS: Final = "<think>"


def lost_beside(answer: ParseResult, text: str, read: Callable[[str], ParseResult]) -> ParseResult | None:
    """Return the raw text of a paste, with its calls, that the answer in it lacks; None where it lacks none.

    So it is where the answer says nothing, or what stands before the call, and has no call; or the calls of the text
    without their arguments. `read` reads what stands around the captures, in place of which there are blanks.
    """
    if answer.shape in ("text", "error", "unknown") or answer.rejected or answer.facts.lone or answer.facts.error:
        return None
    if any(call.arguments for call in answer.calls) or meaning_of(answer.finish_reason) in _EXPLAINED:
        return None
    beside = around(text, answer.captures)
    start, written, rung = _written(beside)
    if not written or not _is_generation(beside[:start], answer.content.strip(), said_raw=rung == "json"):
        return None
    raw = read(" " * start + written)  # words in front of a call say that it is shown
    calls = [replace(call, standing="made") for call in raw.calls if call.rung == rung]
    if not calls or _ANSWERED.search(beside, calls[-1].span[1] if calls[-1].span else 0):
        return None
    if answer.calls and ([one.name for one in answer.calls] != [one.name for one in calls] or not calls[0].arguments):
        return None
    notes = [note for note in raw.kept_notes if note.code != UNSURE]
    kept = {name: getattr(answer, name) for name in ("content", "finish_reason", "captures", "chosen")}
    return replace(
        raw, calls=calls, kept_notes=notes, texts={**raw.texts, "": text}, model=raw.model or answer.model, **kept
    )


def _written(text: str) -> tuple[int, str, str]:
    """Return where a call may begin, what is to be read from there (`""`: nothing), and on which rung."""
    if marked := _MARKUP.search(text):
        return marked.start(), text[marked.start() :], "markup"
    if bare := _OBJECT.search(text):
        try:
            return bare.end(), text[bare.end() : raw_decode(text, bare.end())[1]], "json"
        except (ValueError, RecursionError):
            pass
    return 0, "", ""


def _is_generation(front: str, said: str, *, said_raw: bool) -> bool:
    """Whether the model wrote a call: no source code holds it, and no words in the line before it lead an example.

    `front` is what stands in front of it; `said` what the answer beside it says, a part of what the model wrote.
    `said_raw`: words have to tell it, since what is written may be anything.
    """
    if _LITERAL.search(front[-_LINE:]):
        return False
    front = front.rstrip(_BETWEEN)
    if fence := _FENCED.search(front[-_LINE:]):
        front = front[: -len(fence[0])].rstrip(_BETWEEN)
    if not front.endswith(said):
        return False
    led = front.removesuffix(said).split(_THINKS, 1)[0].strip()[-_LINE:].rpartition("\n")[2]
    return _RAW.search(led) is not None or not (said_raw or _SHOWN.search(led))


def around(text: str, captures: Sequence[Capture]) -> str:
    """Return a text with blanks in place of what was found in it."""
    for capture in captures:
        start, end = capture.span
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def lost_finding(calls: Sequence[ToolCall], answer: Answer) -> Finding:
    """Say that the server lost calls which the model wrote."""
    from utp_cli.diagnosis import fixes  # noqa: PLC0415 - for who pastes an answer and what the model wrote
    from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - as above
    from utp_cli.diagnosis.observation import finding_of  # noqa: PLC0415 - as above

    said = f"the model wrote a call of {calls[0].name}, and the answer beside it has none of it"
    found = finding_of(DIAGNOSES["calls-lost"], said, calls[0].raw)
    return replace(found, fix=fixes.lost_text(answer) or found.fix)
