"""An exchange parsed again, against what was recorded or expected."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from utp_cli.parsing.candidates import ending

if TYPE_CHECKING:
    from utp_cli.protocol.calls import ParseResult
    from utp_cli.replaying.session import Exchange

Status = Literal["match", "changed", "regressed", "improved", "new", "error"]
STATUSES: tuple[Status, ...] = ("match", "improved", "new", "changed", "regressed", "error")
"""In the order in which they are shown, the worst last."""
BAD: frozenset[Status] = frozenset({"regressed", "error", "changed"})
"""What a replay is run to find."""
_REFUSED = 400
"""The lowest HTTP status that is an error."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """What became of one exchange, with all that was read of it."""

    exchange: Exchange
    result: ParseResult
    status: Status
    expected: list[dict[str, Any]]
    """`{name, arguments}` of what was expected, else of what the recorded answer carried natively."""
    lost: list[dict[str, Any]]
    """Expected calls that are not among those found."""
    found: list[dict[str, Any]]
    """Calls found that nobody expected."""


def compare(exchange: Exchange, result: ParseResult) -> Compared:
    """Compare the calls found with those expected, as multisets of name and arguments."""
    calls = calls_of(result)
    expected = recorded_calls(result) if exchange.expected is None else exchange.expected
    wanted, got = Counter(map(_key, expected)), Counter(map(_key, calls))
    lost = _left(expected, wanted - got)
    found = _left(calls, got - wanted)
    return Compared(
        exchange=exchange, result=result, expected=expected, lost=lost, found=found,
        status=_status(exchange, result, lost, found),
    )  # fmt: skip


def calls_of(result: ParseResult) -> list[dict[str, Any]]:
    """Return the calls as a session file has them."""
    return [{"name": call.name, "arguments": call.arguments} for call in result.calls]


def recorded_calls(result: ParseResult) -> list[dict[str, Any]]:
    """Return what the recording itself has for calls: its native ones, also those that cannot be read.

    In an answer that was cut off, one that breaks off was never a whole call, there as here.
    """
    cut = ending(result.finish_reason, result.facts.ended).cut
    unread = [call for call in result.rejected if call.rung == "native" and call.name]
    broken = [call for call in unread if not (cut and call.reason == "truncated")]
    whole = [call for call in result.calls if call.rung == "native" and not call.repairs]
    return [{"name": call.name, "arguments": call.arguments} for call in (*whole, *broken)]


def _status(exchange: Exchange, result: ParseResult, lost: list[Any], found: list[Any]) -> Status:
    judged = exchange.expected is not None
    if exchange.source is None:
        return "error"
    if not judged and (result.facts.error is not None or (exchange.status or 0) >= _REFUSED):
        return "error"
    if not judged and result.shape in ("text", "unknown") and not found:
        return "new"  # it says nowhere what calls it holds
    if lost:
        return "regressed"
    if found:
        return "changed" if judged and exchange.expected else "improved"
    return "match"


def _key(call: dict[str, Any]) -> str:
    return json.dumps([call.get("name"), call.get("arguments")], sort_keys=True, default=repr)


def _left(calls: list[dict[str, Any]], counts: Counter[str]) -> list[dict[str, Any]]:
    """Pick the calls that the counts name, in order."""
    left, picked = Counter(counts), []
    for call in calls:
        key = _key(call)
        if left[key] > 0:
            left[key] -= 1
            picked.append(call)
    return picked
