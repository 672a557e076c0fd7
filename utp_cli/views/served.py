"""What went by, summed up: how many calls, how many the server lost, why, and what to set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from utp_cli.views.lines import Screen, counted

if TYPE_CHECKING:
    from utp_cli.recording.tally import ExchangeTally

_FIXES = 2
"""What is told of one cause."""
_CAUSES = 8


def served(tally: ExchangeTally, screen: Screen) -> list[Text]:
    """Draw the sums, and the causes, the most frequent first."""
    told = [counted(tally.answers, "answer"), counted(tally.calls, "call")]
    told += [f"{tally.lost:,} lost by the server"] if tally.calls or tally.lost else []
    told += [f"{tally.healed:,} healed"] if tally.healed else []
    told += [f"{counted(tally.mended, 'answer')} changed"] if tally.mended > tally.healed else []
    told += [f"asked again {counted(tally.retries, 'time')}"] if tally.retries else []
    told += [f"{tally.failed:,} failed"] if tally.failed else []
    sign = "lost" if tally.missing or tally.failed else "repaired" if tally.lost or tally.mended else "good"
    lines = [Text.assemble(screen.sign(sign), " ", screen.signs.dot.join(told))]
    causes = sorted(tally.causes.items(), key=lambda item: -item[1].count)
    for code, cause in causes if screen.verbose else causes[:_CAUSES]:
        lines.append(Text(f"  {screen.safe(code)}{screen.signs.dot}{counted(cause.count, 'answer')}", style="bold"))
        fixes = [*cause.fixes]
        for fix in fixes if screen.verbose else fixes[:_FIXES]:
            lines += screen.labelled(Text("    fix "), fix, 8)
        lines += [] if fixes else [Text(f"    utp explain {screen.safe(code)}", style="dim")]
    return lines


def sums(tally: ExchangeTally) -> dict[str, Any]:
    """Return the sums as a JSON document."""
    causes = {code: {"answers": cause.count, "fixes": [*cause.fixes]} for code, cause in tally.causes.items()}
    return {
        "event": "summary", "answers": tally.answers, "calls": tally.calls, "lost": tally.lost, "healed": tally.healed,
        "retries": tally.retries, "failed": tally.failed, "causes": causes,
    }  # fmt: skip
