"""One exchange that was recorded, in one line."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.text import Text

from utp_cli.views.lines import Screen, counted

if TYPE_CHECKING:
    from utp_cli.recording.capture import Capture
    from utp_cli.replaying.outcome import Outcome


def recorded(capture: Capture, outcome: Outcome | None, screen: Screen) -> Text:
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
    text = screen.signs.dot.join(screen.safe(part) for part in told)
    return Text.assemble(screen.sign(_sign(capture, outcome)), head, f"  {screen.cut(text, 120)}")


def _named(parsers: Counter[str]) -> list[str]:
    return [name if count == 1 else f"{name} {count}" for name, count in parsers.items()]


def _sign(capture: Capture, outcome: Outcome) -> str:
    if outcome.status == "error" or not outcome.sound or capture.ended in ("unreachable", "upstream-broke"):
        return "lost"
    return "look" if outcome.diagnoses or capture.ended != "complete" else "repaired" if outcome.repairs else "good"
