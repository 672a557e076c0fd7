"""What is kept of an exchange once it was compared: plain values, small, fit to be sent between processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.replaying.compare import BAD, calls_of
from utp_cli.validation.plan import parallel_plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.tools import Tool
    from utp_cli.replaying.compare import Compared, Status

_UNSAFE = ("truncated", "malformed", "doubtful")
"""Reasons of rejection that lose a call."""


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What became of one exchange."""

    index: int
    """Counts the exchanges of a session from 0; within its chunk, until the chunk has its place."""
    status: Status
    line: int | None = None
    """Line of the session file, from 1."""
    model: str | None = None
    parser: str | None = None
    rung: str | None = None
    calls: list[dict[str, Any]]
    """`{name, arguments}`, as are those of the next six."""
    expected: list[dict[str, Any]]
    lost: list[dict[str, Any]]
    found: list[dict[str, Any]]
    delivered: list[dict[str, Any]]
    """What the server delivered as native calls; `calls` is what could be read."""
    undelivered: list[dict[str, Any]]
    """Calls that should have been among them."""
    delivery_lost: list[dict[str, Any]]
    """Those that nobody accepted as lost."""
    accepted: bool = False
    """`expected` was written down by somebody; else it is what the recording has natively."""
    rejected: list[tuple[str | None, str]]
    """Name and reason of each."""
    repairs: list[str]
    diagnoses: list[tuple[str, str]]
    """Code and message of each."""
    fix: str = ""
    """What to change, of the first cause that says so."""
    causes: int = 0
    """Diagnoses of severity `error` or `warning`."""
    finish_reason: str | None = None
    error: str | None = None
    parsers: list[str]
    """Of each call."""
    rungs: list[str]
    mended: int = 0
    """Calls that needed a repair."""
    valid: list[bool | None]
    """Of each call, against the tools known."""
    plan: list[list[int]] | None = None
    """Which calls can run side by side, step by step; None where there are fewer than two."""
    retried: bool = False
    """The request went back to the model with the error of a tool."""
    tokens: tuple[int, int] | None = None
    """Of the prompt and of the answer, where they are known."""
    seconds: float | None = None
    repair_attempts: int = 0
    """How often the model was told what was wrong before this answer came."""

    @property
    def failed(self) -> bool:
        """It is not as it was, or a call did not reach the client."""
        return self.status in BAD or bool(self.delivery_lost)

    @property
    def lossy(self) -> int:
        """Calls that were written and cannot be used."""
        return sum(reason in _UNSAFE for _, reason in self.rejected)

    @property
    def sound(self) -> bool:
        """Every call that was written can be run."""
        return not self.lossy and not any(valid is False for valid in self.valid)

    @property
    def differs(self) -> bool:
        """Whether accepting it would change what is expected."""
        return bool(self.lost or self.found or self.delivery_lost or (not self.accepted and self.calls))

    @property
    def to_expect(self) -> dict[str, Any]:
        """What is expected from now on, once it is accepted."""
        return {"calls": self.calls, **({"delivered": self.delivered} if self.undelivered else {})}

    @property
    def why(self) -> str:
        """What is not as it was, in a few words."""
        lost, found = _names(self.lost), _names(self.found)
        told = [f"{lost} lost"] * bool(lost) + [f"{found} found"] * bool(found)
        told += [f"{_names(self.delivery_lost)} not delivered"] * bool(self.delivery_lost and not lost)
        if self.status == "error":
            return self.error or "; ".join(told) or "no answer"
        return "; ".join(told) or self.error or ""

    def to_dict(self) -> dict[str, Any]:
        """Write it as an exchange of `utp.replay/1`."""
        return {
            "index": self.index,
            "status": self.status,
            "parser": self.parser,
            "rung": self.rung,
            "calls": self.calls,
            "delivered": self.delivered,
            "expected": self.expected,
            "lost": self.lost,
            "rejected": len(self.rejected),
            "repairs": len(self.repairs),
            "diagnoses": [code for code, _ in self.diagnoses],
            **({"error": self.error} if self.error else {}),
            **({"plan": self.plan} if self.plan else {}),
            **({"repair_attempts": self.repair_attempts} if self.repair_attempts else {}),
        }


def outcome_of(compared: Compared, index: int, tools: Mapping[str, Tool], *, retried: bool) -> Outcome:
    """Boil down a comparison. `tools` are those of the exchange."""
    result, facts = compared.result, compared.result.facts
    first = next(iter(result.calls or result.rejected), None)
    spent = (facts.prompt_tokens, facts.completion_tokens)
    return Outcome(
        index=index,
        status=compared.status,
        line=compared.exchange.line,
        model=result.model,
        parser=first.parser if first else None,
        rung=first.rung if first else None,
        calls=calls_of(result),
        expected=compared.expected,
        lost=compared.lost,
        found=compared.found,
        delivered=compared.delivered,
        undelivered=compared.undelivered,
        delivery_lost=compared.delivery_lost,
        accepted=compared.exchange.expected is not None,
        rejected=[(call.name, call.reason) for call in result.rejected],
        repairs=[repair.code for repair in result.repairs],
        diagnoses=[(finding.code, finding.message) for finding in result.named],
        fix=next((finding.fix for finding in result.named if finding.severity != "info" and finding.fix), ""),
        causes=sum(finding.severity != "info" for finding in result.named),
        finish_reason=result.finish_reason,
        error=facts.error or _refused(compared),
        parsers=[call.parser for call in result.calls],
        rungs=[call.rung for call in result.calls],
        mended=sum(bool(call.repairs) for call in result.calls),
        valid=[call.valid for call in result.calls],
        plan=parallel_plan(result.calls, tools) if len(result.calls) > 1 else None,
        retried=retried,
        tokens=None if spent == (None, None) else (spent[0] or 0, spent[1] or 0),
        seconds=compared.exchange.elapsed,
        repair_attempts=compared.exchange.repair_attempts,
    )


def _names(calls: list[dict[str, Any]]) -> str:
    return ", ".join(str(call.get("name")) for call in calls)


def _refused(compared: Compared) -> str | None:
    status = compared.exchange.status
    return f"HTTP {status}" if compared.status == "error" and status else None
