"""What a live model really does with tools: outcomes → lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from utp_cli.facts.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.detection.outcomes import Heard, ScenarioOutcome
    from utp_cli.views.lines import Screen

_COLUMN = 38
_SAID = {"works": "works", "absent": "none came"}
_SIGNS = {"works": "good", "repaired": "repaired", "fails": "lost", "absent": "skipped"}


def probing(outcomes: Sequence[ScenarioOutcome], name: str, screen: Screen) -> list[Text]:
    """Draw what really works: a verdict, then a line a scenario, whole and streamed."""
    good = sum(outcome.whole.verdict == "works" and not outcome.differs for outcome in outcomes)
    lines = [screen.section(f"probe: {good} of {len(outcomes)} work", screen.safe(screen.cut(name, 40)))]
    paths = [FORMATS[name].path for name in (outcomes[0].asked if outcomes else ())]
    lines += screen.labelled(Text("  asked  "), ", ".join(paths), 9) if len(paths) > 1 else []
    for outcome in outcomes:
        sign = screen.sign("look" if outcome.differs else _SIGNS[outcome.whole.verdict])
        label = Text.assemble("  ", sign, f" {outcome.scenario.says}")
        text = _heard(outcome.whole)
        if outcome.differs:
            text += f"; streamed: {_heard(outcome.streamed)}"
        lines += screen.labelled(label, text, _COLUMN)
        lines += _clients(outcome, screen)
    return lines


def _clients(outcome: ScenarioOutcome, screen: Screen) -> list[Text]:
    """Say what clients see, where the verdict does not."""
    told = {client: fault for heard in (outcome.streamed, outcome.whole) for client, fault in _worse(heard)}
    return [
        line for name, fault in told.items() for line in screen.labelled(Text(f"    {name} sees: "), fault, _COLUMN)
    ]


def _worse(heard: Heard) -> tuple[tuple[str, str], ...]:
    return tuple((name, fault) for name, fault in heard.clients if heard.why != f"{name} sees: {fault}")


def _heard(heard: Heard) -> str:
    """Say what came of one request."""
    if heard.verdict == "repaired":
        by = f"read by {heard.parser}" if heard.parser else "after repair"
        return by + (f" ({', '.join(heard.repairs)})" if heard.repairs else "")
    at = f" at {heard.path}" if heard.path and heard.verdict != "works" else ""
    if heard.verdict != "fails":
        return f"{_SAID[heard.verdict]}{at}"
    causes = f" ({', '.join(heard.diagnoses)})" if heard.diagnoses else ""
    why = f": {heard.why}" if heard.why else ""
    reads = f"; utp reads it: {heard.parser}" if heard.parser else "; utp mends it" if heard.repairs else ""
    return f"fails{at}{why}{causes}{reads}"
