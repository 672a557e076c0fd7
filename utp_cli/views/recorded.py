"""One exchange that was recorded, in one line."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.text import Text

from utp_cli.recording.secrets import without_parameters
from utp_cli.recording.tally import UNCHANGED
from utp_cli.views.lines import Screen, counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.protocol.findings import Finding
    from utp_cli.recording.capture import RecordedExchange
    from utp_cli.replaying.outcome import Outcome


def recorded(capture: RecordedExchange, outcome: Outcome | None, screen: Screen) -> Text:
    """Draw a line: what was asked, how it ended, calls, who read them, repairs, causes.

    `outcome` is None for what is passed on without being recorded.
    """
    ended = "" if capture.ended == "complete" else f"  {capture.ended}"
    path = screen.cut(screen.safe(capture.path.partition("?")[0]), 34)
    head = f" {path}  {capture.status or screen.signs.dash}  {capture.elapsed:.1f} s{ended}"
    if outcome is None:
        return Text.assemble(screen.sign("skipped"), head, "  not recorded", style="dim")
    told = [counted(len(outcome.calls), "call"), *_named(Counter(outcome.parsers))] if outcome.calls else ["no call"]
    told += [f"{name or 'a call'} {reason}" for name, reason in outcome.rejected]
    told += [counted(len(outcome.repairs), "repair")] if outcome.repairs else []
    told += sorted({code for code, _ in outcome.diagnoses})
    told += [f"healed: {', '.join(changed)}"] if (changed := changes(capture)) else []
    told += [f"history fitted: {', '.join(rules)}"] if (rules := _rules(capture)) else []
    told += ["asked again"] if capture.dropped else []
    told += [capture.note] if capture.note else []
    text = screen.signs.dot.join(screen.safe(part) for part in told)
    return Text.assemble(screen.sign(_sign(capture, outcome)), head, f"  {screen.cut(text, 120)}")


def changes(capture: RecordedExchange) -> list[str]:
    """Return the codes of what was healed, each once, in order."""
    return list(dict.fromkeys(str(heal["code"]) for heal in capture.healed if heal["code"] not in UNCHANGED))


def as_document(capture: RecordedExchange, outcome: Outcome, findings: Iterable[Finding]) -> dict[str, Any]:
    """Write an exchange as a JSON document, for a log: no text of the conversation, no argument of a call."""
    return {
        "event": "exchange",
        "at": datetime.fromtimestamp(capture.at, UTC).isoformat(timespec="milliseconds"),
        "path": without_parameters(capture.path).partition("?")[0],
        "model": outcome.model,
        "status": capture.status,
        "elapsed": round(capture.elapsed, 3),
        "ended": capture.ended,
        "calls": [call["name"] for call in outcome.calls],
        "parsers": outcome.parsers,
        "lost": len(outcome.undelivered),
        "rejected": [{"name": name, "reason": reason} for name, reason in outcome.rejected],
        "repairs": outcome.repairs,
        "diagnoses": [finding.code for finding in findings],
        "healed": changes(capture),
        "asked_again": capture.dropped,
        "fitted": _rules(capture),
        **({"note": capture.note} if capture.note else {}),
    }


def _rules(capture: RecordedExchange) -> list[str]:
    """Return the rules that a history was fitted to, each once, in order."""
    return list(dict.fromkeys(one["code"] for one in capture.fitted))


def _named(parsers: Counter[str]) -> list[str]:
    return [name if count == 1 else f"{name} {count}" for name, count in parsers.items()]


def _sign(capture: RecordedExchange, outcome: Outcome) -> str:
    if capture.dropped:
        return "look"
    if capture.ended in ("unreachable", "upstream-broke"):
        return "lost"
    if changes(capture):
        return "repaired"
    if outcome.status == "error" or not outcome.sound:
        return "lost"
    return "look" if outcome.diagnoses or capture.ended != "complete" else "repaired" if outcome.repairs else "good"
