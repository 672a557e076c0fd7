"""What a replay found: result → lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from utp_cli.replaying.compare import BAD, STATUSES
from utp_cli.views.json import line as json_line
from utp_cli.views.lines import Screen, blocks, counted

if TYPE_CHECKING:
    from collections import Counter

    from utp_cli.replaying.compare import Compared
    from utp_cli.replaying.metrics import Tally
    from utp_cli.replaying.run import Replay, Replayed

_STYLES = {"regressed": "red", "error": "red", "changed": "yellow", "improved": "cyan", "match": "green"}
_SIGNS = {"regressed": "lost", "error": "lost", "changed": "look", "improved": "repaired"}
_SHOWN = 20
"""Exchanges that are told one by one where not everything is shown."""


def replay(found: Replay, screen: Screen) -> list[Text]:
    """Draw a replay: a line a session, then what is not as it was, then numbers."""
    return blocks(
        [
            [_session(session, screen) for session in found.sessions],
            _told(found, screen),
            _conversations(found, screen),
            _models(found, screen),
            _counts(found, screen),
        ]
    )


def _session(session: Replayed, screen: Screen) -> Text:
    counts = [(status, sum(c.status == status for c in session.exchanges)) for status in STATUSES]
    line = Text(f"  {screen.cut(screen.safe(session.source), 34):<36}{counted(len(session.exchanges), 'exchange')}")
    for status, count in counts:
        if count:
            line.append(f"   {count} {status}", style=_STYLES.get(status, ""))
    return line


def _told(found: Replay, screen: Screen) -> list[Text]:
    """Tell each exchange that is not as it was."""
    pairs = [(s, c) for s in found.sessions for c in s.exchanges if c.status in _SIGNS]
    pairs.sort(key=lambda pair: pair[1].status not in BAD)
    lines: list[Text] = []
    for session, compared in pairs if screen.verbose else pairs[:_SHOWN]:
        lines += _exchange(session, compared, screen)
    if len(pairs) > _SHOWN and not screen.verbose:
        lines.append(Text(f"  and {len(pairs) - _SHOWN} more; --verbose shows them", style="dim"))
    return lines


def _exchange(session: Replayed, compared: Compared, screen: Screen) -> list[Text]:
    what = [f"{_names(compared.lost)} lost"] * bool(compared.lost)
    what += [f"{_names(compared.found)} found"] * bool(compared.found)
    first = next(iter(compared.result.calls), None)
    right = f"{first.rung}{screen.signs.dot}{first.parser}" if first else f"now {screen.signs.dash}"
    name = session.source.rpartition("/")[2] or session.source
    head = Text.assemble(
        screen.sign(_SIGNS[compared.status]), " ",
        Text(f"{screen.safe(name)} #{compared.exchange.index}  ", style="bold"),
        Text(compared.status, style=_STYLES.get(compared.status, "")),
        f": {screen.cut(screen.safe('; '.join(what) or _error(compared)), 50)}",
    )  # fmt: skip
    lines = [screen.row(head, Text(right, style="dim"))]
    for rejected in compared.result.rejected:
        where = f", finish_reason {compared.result.finish_reason}" if compared.result.finish_reason else ""
        lines.append(Text(f"    {screen.safe(rejected.name or 'a call')} is {rejected.reason}{where}"))
    for finding in compared.result.diagnoses[:3]:
        lines += screen.labelled(Text(f"    {finding.code}  "), finding.message, 8)
    return [*lines, *_arguments(compared, screen)]


def _arguments(compared: Compared, screen: Screen) -> list[Text]:
    """Show expected against found where a call of one name is on both sides."""
    lines = []
    for lost in compared.lost:
        other = next((call for call in compared.found if call["name"] == lost.get("name")), None)
        if other:
            lines.append(Text(f"    - {screen.brief(json_line(lost.get('arguments')), screen.width - 6)}"))
            lines.append(Text(f"    + {screen.brief(json_line(other['arguments']), screen.width - 6)}"))
    return lines


def _error(compared: Compared) -> str:
    return compared.result.facts.error or "no answer"


def _names(calls: list[dict[str, Any]]) -> str:
    return ", ".join(str(call.get("name")) for call in calls)


def _conversations(found: Replay, screen: Screen) -> list[Text]:
    lines: list[Text] = []
    for session in found.sessions:
        for finding in session.diagnoses:
            lines.append(Text(f"  {screen.safe(session.source)}  {finding.code}", style="bold"))
            lines += screen.labelled(Text("    "), finding.message, 4)
            lines += screen.labelled(Text("    fix "), finding.fix, 8) if finding.fix else []
    return lines


def _models(found: Replay, screen: Screen) -> list[Text]:
    head = Text(f"  {'model':<28}{'calls':>7}{'parsed':>9}{'repaired':>10}{'valid':>8}", style="bold")
    return [head, *(_row(model, tally, screen) for model, tally in found.metrics.by_model.items())]


def _row(model: str, tally: Tally, screen: Screen) -> Text:
    told = tally.to_dict()
    valid = f"{told['valid']:.1%}" if told["valid"] is not None else screen.signs.dash
    name = screen.cut(screen.safe(model), 26)
    return Text(f"  {name:<28}{tally.calls:>7}{told['parse_success']:>9.1%}{told['repaired']:>10.1%}{valid:>8}")


def _counts(found: Replay, screen: Screen) -> list[Text]:
    metrics = found.metrics
    named = (("parsers", metrics.by_parser), ("repairs", metrics.by_repair), ("causes", metrics.by_diagnosis))
    return [line for label, counts in named if counts for line in _counted(label, counts, screen)]


def _counted(label: str, counts: Counter[str], screen: Screen) -> list[Text]:
    text = screen.signs.dot.join(f"{name} {count}" for name, count in counts.most_common())
    return screen.labelled(Text(f"  {label:<9}"), text, 11)
