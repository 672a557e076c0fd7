"""The first line of an answer: what became of its calls, in one sign and one sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from utp_cli.protocol.findings import worst
from utp_cli.views.lines import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.protocol.calls import ParseResult, Reason

Sign = Literal["good", "repaired", "look", "lost"]

UNSEEN = {"call-left-in-content", "harmony-leak", "react-instead-of-native"}
"""Diagnoses of a call that stands in the text because no server lifted it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How it went: `sign` is a name of `Signs`."""

    sign: Sign
    text: str


def verdict(result: ParseResult) -> Verdict:
    """Judge an answer: the first row of `_VERDICTS` that holds, worst first."""
    return next(Verdict(sign=sign, text=words(result)) for holds, sign, words in _VERDICTS if holds(result))


def rejected(result: ParseResult, reason: Reason) -> int:
    """Count what was rejected for one reason."""
    return sum(call.reason == reason for call in result.rejected)


def invalid(result: ParseResult) -> int:
    """Count the calls that do not fit their tool."""
    return sum(call.valid is False for call in result.calls)


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
    return "no call: JSON in no known format" if result.shape == "unknown" else "no call: an empty answer"


def _and(result: ParseResult, more: str) -> str:
    return f"{counted(len(result.calls), 'call')}, and {more}" if result.calls else more


def _cut_off(result: ParseResult) -> str:
    number = counted(rejected(result, "truncated"), "call")
    by = (
        "by the length limit"
        if result.finish_reason and result.facts.ended is not False
        else "before the end"
    )
    return _and(result, f"{number} cut off {by}")


def _unseen(result: ParseResult) -> str:
    found = len(result.calls) + sum(call.rung != "native" for call in result.rejected)
    return f"{counted(found, 'call')} found, but your server did not see {'it' if found == 1 else 'them'}"


def _codes(result: ParseResult, severity: str) -> str:
    return ", ".join(
        dict.fromkeys(finding.code for finding in result.diagnoses if finding.severity == severity)
    )


def _repaired(result: ParseResult) -> str:
    number = sum(bool(call.repairs) for call in result.calls)
    return f"{_calls(result)}, {number or 'none'} repaired" if result.calls else _calls(result)


_VERDICTS: tuple[tuple[Callable[[ParseResult], object], Sign, Callable[[ParseResult], str]], ...] = (
    (lambda r: r.shape == "error", "lost", lambda _: "no answer: the server sent an error"),
    (lambda r: any(d.code in UNSEEN for d in r.diagnoses), "lost", _unseen),
    (lambda r: rejected(r, "truncated"), "lost", _cut_off),
    (
        lambda r: rejected(r, "malformed"),
        "lost",
        lambda r: _and(r, f"{counted(rejected(r, 'malformed'), 'call')} could not be read"),
    ),
    (
        lambda r: rejected(r, "doubtful"),
        "lost",
        lambda r: _and(r, f"{counted(rejected(r, 'doubtful'), 'call')} too doubtful to run"),
    ),
    (
        invalid,
        "lost",
        lambda r: f"{_calls(r)}, {invalid(r)} {'does' if invalid(r) == 1 else 'do'} not fit the tools",
    ),
    (
        lambda r: worst(r.diagnoses) == "error",
        "lost",
        lambda r: f"{_calls(r)}; something went wrong: {_codes(r, 'error')}",
    ),
    (
        lambda r: rejected(r, "intent") and not r.calls,
        "look",
        lambda _: "no call, although the text announces one",
    ),
    (
        lambda r: rejected(r, "in-reasoning") and not r.calls,
        "look",
        lambda r: f"no call: {counted(rejected(r, 'in-reasoning'), 'call')} only thought of",
    ),
    (
        lambda r: worst(r.diagnoses) == "warning",
        "look",
        lambda r: f"{_calls(r)}; look at {_codes(r, 'warning')}",
    ),
    (lambda r: r.repairs, "repaired", _repaired),
    (lambda _: True, "good", _calls),
)


def headline(result: ParseResult, *, stop_sign: str = " · ", source: str = "") -> str:
    """Say what the input was: its shape, and how the answer stopped."""
    shape = f"{result.shape} stream" if result.stream else result.shape
    reason = result.finish_reason
    stop = "stop" if reason == "stop" else reason and f"stop: {reason}"
    return stop_sign.join(part for part in (source, shape, stop) if part)
