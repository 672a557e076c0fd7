"""The first line of an answer: what became of its calls, in one sign and one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from utp_cli.facts.finish_reasons import meaning_of
from utp_cli.parsing.answered import beside_error, is_error, no_answer, other_than_answer
from utp_cli.protocol.findings import worst
from utp_cli.views.lines import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.protocol.calls import ParseResult, Reason
    from utp_cli.protocol.findings import Severity

Sign = Literal["good", "repaired", "look", "lost"]

UNSEEN = {"call-left-in-content", "harmony-leak", "react-instead-of-native"}
"""Diagnoses of a call that stands in the text because no server lifted it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictLine:
    """How it went: `sign` is a name of `Signs`."""

    sign: Sign
    text: str


def verdict(result: ParseResult) -> VerdictLine:
    """Judge an answer: the first row of `_VERDICTS` that holds, worst first."""
    return next(VerdictLine(sign=sign, text=words(result)) for holds, sign, words in _VERDICTS if holds(result))


def _calls(result: ParseResult) -> str:
    """Say how many calls there are, or what the answer is in place of one."""
    if result.calls:
        return counted(len(result.calls), "call")
    if result.server_calls:
        return f"no call of yours; the provider ran {counted(len(result.server_calls), 'call')} itself"
    if result.content.strip():
        return f"no call: plain answer, {counted(len(result.content), 'character')}"
    if result.reasoning:
        return f"no call: only thinking, {counted(len(result.reasoning), 'character')}"
    return "no call: an empty answer"


def _rejected(result: ParseResult, reason: Reason) -> int:
    return sum(call.reason == reason for call in result.rejected)


def _without_call(result: ParseResult, reason: Reason) -> bool:
    return not result.calls and _rejected(result, reason) > 0


def _unseen(result: ParseResult) -> str:
    found = len(result.calls) + sum(call.rung != "native" for call in result.rejected)
    if not found:
        return "no call that can be run"
    return f"{counted(found, 'call')} found, but your server did not see {'it' if found == 1 else 'them'}"


def _lost(result: ParseResult, reason: Reason, what: str) -> str:
    """Say how many were lost, after how many there are."""
    found = f"{_calls(result)}, and " if result.calls else ""
    return f"{found}{counted(_rejected(result, reason), 'call')} {what}"


def _cut_off(result: ParseResult) -> str:
    by_limit = meaning_of(result.finish_reason) == "length"
    return _lost(result, "truncated", f"cut off {'by the length limit' if by_limit else 'before the end'}")


def _invalid(result: ParseResult) -> int:
    return sum(call.valid is False for call in result.calls)


def _unfit(result: ParseResult) -> str:
    number = _invalid(result)
    return f"{_calls(result)}, {number} {'does' if number == 1 else 'do'} not fit the tools"


def _diagnosed(result: ParseResult, severity: Severity) -> str:
    codes = dict.fromkeys(finding.code for finding in result.named if finding.severity == severity)
    return f"{_calls(result)}; see {', '.join(codes)}"


def _thought(result: ParseResult) -> str:
    return f"no call: {counted(_rejected(result, 'in-reasoning'), 'call')} only thought of"


def _shown(result: ParseResult) -> str:
    return f"no call: {counted(_rejected(result, 'shown'), 'call')} only shown"


def _only_thinking(result: ParseResult) -> bool:
    """Whether the model thought, ended, and said and called nothing."""
    said = result.calls or result.rejected or result.server_calls or result.content.strip()
    return bool(result.reasoning and result.finish_reason and not said)


def _unsure(result: ParseResult) -> bool:
    return any(call.standing == "unsure" for call in result.calls)


def _undecided(result: ParseResult) -> str:
    """Ask for the tools only where they are not known."""
    known = any(call.standing == "unsure" and call.valid is not None for call in result.calls)
    ask = "read the text around it" if known else "name the tools with -t to be sure"
    return f"{_calls(result)}, made or only shown: {ask}"


def _repaired(result: ParseResult) -> str:
    number = sum(bool(call.repairs) for call in result.calls)
    return f"{_calls(result)}, {number} repaired" if number else _calls(result)


def _noted(result: ParseResult, code: str) -> bool:
    return any(note.code == code for note in result.kept_notes)


def _chosen(result: ParseResult) -> str:
    """Name the tool that the first of two stages chose."""
    names = [call.name for call in result.rejected if call.reason == "intent" and call.name]
    return f"the model chose {', '.join(names)}; the second stage is next"


_VERDICTS: tuple[tuple[Callable[[ParseResult], object], Sign, Callable[[ParseResult], str]], ...] = (
    (is_error, "lost", lambda r: str(no_answer(r))),
    (lambda r: r.facts.lone and worst(r.named) != "error", "look", lambda r: str(no_answer(r))),
    (other_than_answer, "look", lambda r: str(other_than_answer(r))),
    (lambda r: any(f.code in UNSEEN and f.severity == "error" for f in r.named), "lost", _unseen),
    (lambda r: _rejected(r, "truncated"), "lost", _cut_off),
    (lambda r: _noted(r, "unknown-choice"), "lost", lambda _: "the model chose a tool that there is not"),
    (lambda r: _rejected(r, "malformed"), "lost", lambda r: _lost(r, "malformed", "could not be read")),
    (lambda r: _rejected(r, "doubtful"), "lost", lambda r: _lost(r, "doubtful", "too doubtful to run")),
    (_invalid, "lost", _unfit),
    (lambda r: _without_call(r, "in-reasoning") and worst(r.named) == "error", "lost", _thought),
    (lambda r: worst(r.named) == "error", "lost", lambda r: _diagnosed(r, "error")),
    (lambda r: _noted(r, "tool-chosen"), "look", _chosen),
    (lambda r: _without_call(r, "intent"), "look", lambda _: "no call, although the text announces one"),
    (lambda r: _without_call(r, "in-reasoning"), "look", _thought),
    (no_answer, "look", lambda r: str(no_answer(r))),
    (beside_error, "look", lambda r: f"{_calls(r)}, and an error behind it in the paste"),
    (lambda r: _without_call(r, "shown"), "look", _shown),
    (lambda r: worst(r.named) == "warning", "look", lambda r: _diagnosed(r, "warning")),
    (lambda r: not r.calls and _noted(r, "unread-json"), "look", lambda _: "no call: JSON that cannot be read"),
    (lambda r: not r.calls and _noted(r, "file-name"), "look", lambda _: "no call: a file's name, not what it holds"),
    (_only_thinking, "look", _calls),
    (_unsure, "look", _undecided),
    (lambda r: r.repairs, "repaired", _repaired),
    (lambda _: True, "good", _calls),
)
"""When it holds, the sign, the words; worst first."""


def headline(result: ParseResult, *, stop_sign: str = " · ", source: str = "") -> str:
    """Say what the input was: its shape, and how the answer stopped."""
    shape = f"{result.shape} stream" if result.stream else result.shape
    reason = result.finish_reason
    stop = "stop" if reason == "stop" else reason and f"stop: {reason}"
    return stop_sign.join(part for part in (source, shape, stop) if part)
