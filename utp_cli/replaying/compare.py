"""An exchange parsed again, against what was recorded or expected."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from utp_cli.parsing.candidates import ending
from utp_cli.protocol.numbers import json_dumps

if TYPE_CHECKING:
    from utp_cli.protocol.calls import ParseResult
    from utp_cli.replaying.session import Exchange

Status = Literal["match", "changed", "regressed", "improved", "new", "error"]
STATUSES: tuple[Status, ...] = ("match", "improved", "new", "changed", "regressed", "error")
"""In the order in which they are shown, the worst last."""
BAD: frozenset[Status] = frozenset({"regressed", "error", "changed"})
"""What a replay is run to find."""
_NO_NATIVE_FIELDS = frozenset({"text", "unknown", "error", "ollama-generate"})
"""Shapes in which a server has no place for a native call."""
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
    delivered: list[dict[str, Any]]
    """Calls that the server delivered as native ones, which a client can use without any repair of their JSON."""
    undelivered: list[dict[str, Any]]
    """Calls that could be read, and that the server should have delivered as native ones."""
    delivery_lost: list[dict[str, Any]]
    """Those of them that nobody accepted as lost; with `expected.delivered` what is delivered no more."""


def compare(exchange: Exchange, result: ParseResult, *, native: bool = True) -> Compared:
    """Compare the calls found with those expected, as multisets of name and arguments.

    `native` says that the server is to deliver native calls; it is not where the mode puts them into the text.
    """
    calls, agreed = calls_of(result), exchange.expected_delivered
    expected = recorded_calls(result) if exchange.expected is None else exchange.expected
    delivered = delivered_calls(result)
    if exchange.expected is None and agreed is None and len(expected) == len(delivered) == len(calls) == _plain(result):
        lost, found, undelivered, delivery_lost = [], [], [], []  # most answers: all calls are native and sound
    else:
        wanted, got, sent = (Counter(map(_key, each)) for each in (expected, calls, delivered))
        lost, found = _left(expected, wanted - got), _left(calls, got - wanted)
        undelivered = _left(calls, got - sent) if native and result.shape not in _NO_NATIVE_FIELDS else []
        delivery_lost = undelivered if agreed is None else _left(agreed, Counter(map(_key, agreed)) - sent)
    return Compared(
        exchange=exchange, result=result, expected=expected, lost=lost, found=found,
        status=_status(exchange, result, lost, found), delivered=delivered, undelivered=undelivered,
        delivery_lost=delivery_lost,
    )  # fmt: skip


def _plain(result: ParseResult) -> int:
    """Count the native calls that were read as they came."""
    return len([call for call in result.calls if call.rung == "native" and not call.repairs])


def calls_of(result: ParseResult) -> list[dict[str, Any]]:
    """Return the calls as a session file has them."""
    return [{"name": call.name, "arguments": call.arguments} for call in result.calls]


def delivered_calls(result: ParseResult) -> list[dict[str, Any]]:
    """Return the native calls whose JSON is sound as it came, as a session file has them."""
    broken = {at for at, repair in enumerate(result.repairs) if repair.layer == "syntax"}
    whole = [call for call in result.calls if call.rung == "native" and broken.isdisjoint(call.repairs)]
    return [{"name": call.name, "arguments": call.arguments} for call in whole]


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
    return json_dumps([call.get("name"), call.get("arguments")], sort_keys=True, default=repr)


def _left(calls: list[dict[str, Any]], counts: Counter[str]) -> list[dict[str, Any]]:
    """Pick the calls that the counts name, in order."""
    if not counts:
        return []
    left, picked = Counter(counts), []
    for call in calls:
        key = _key(call)
        if left[key] > 0:
            left[key] -= 1
            picked.append(call)
    return picked
