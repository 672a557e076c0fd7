"""Which provider takes which tool: a table of signs, then what is refused and what is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from utp_cli.auditing.portability_report import VERDICTS
from utp_cli.views.json import document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.auditing.portability_report import Portability, Reason, Verdict
    from utp_cli.views.lines import Screen

SIGNS: dict[Verdict, str] = {"accepted": "good", "bent": "repaired", "refused": "lost"}
_NAMES = 32
"""Cells for a tool's name."""


def as_text(reports: Sequence[Portability], screen: Screen) -> list[Text]:
    """Draw a row for each tool and a column for each provider, then the reasons, grouped."""
    tools = list(reports[0].reasons) if reports else []
    lines = [_verdict(reports, tools, screen), Text("")]
    width = min(max(map(len, tools), default=0), _NAMES) + 2
    for at, report in enumerate(reports):
        lines.append(Text(f"  {' ' * width}{f'{screen.signs.side} ' * at}{screen.signs.corners[0]} {report.provider}"))
    for tool in tools:
        row = Text(f"  {screen.cut(screen.safe(tool), _NAMES):<{width}}")
        for report in reports:
            row = Text.assemble(row, screen.sign(SIGNS[report.verdict(tool)]), " ")
        lines.append(row)
    for verdict in reversed(VERDICTS):
        lines += _reasons(verdict, reports, screen)
    return lines


def _verdict(reports: Sequence[Portability], tools: list[str], screen: Screen) -> Text:
    worst: dict[Verdict, int] = dict.fromkeys(VERDICTS, 0)
    for tool in tools:
        worst[max((report.verdict(tool) for report in reports), key=VERDICTS.index)] += 1
    sign = next((SIGNS[verdict] for verdict in reversed(VERDICTS) if worst[verdict]), "good")
    many = f"{len(tools)} tool{'s' if len(tools) != 1 else ''}"
    told = [f"{worst['accepted']} accepted everywhere"]
    told += [f"{worst[verdict]} {verdict} somewhere" for verdict in VERDICTS[1:] if worst[verdict]]
    return Text.assemble(screen.sign(sign), f" {many}: {', '.join(told)}")


def _reasons(verdict: Verdict, reports: Sequence[Portability], screen: Screen) -> list[Text]:
    """Draw the reasons for one verdict; one that several providers give for several tools stands once."""
    grouped: dict[tuple[str, str], dict[str, list[str]]] = {}
    for report in reports:
        for tool, reason in ((tool, reason) for tool, reasons in report.reasons.items() for reason in reasons):
            if reason.verdict == verdict:
                given = grouped.setdefault((reason.code, reason.message), {})
                given.setdefault(report.provider, []).append(_where(tool, reason, screen))
    lines: list[Text] = []
    for (code, message), given in grouped.items():
        places = max(given.values(), key=len)
        told = places if screen.verbose else places[:2]
        more = f", and {len(places) - len(told)} more" if len(places) > len(told) else ""
        label = Text.assemble("    ", screen.sign(SIGNS[verdict]), " ")
        lines += screen.labelled(label, f"{code}: {', '.join(given)}", 6)
        lines += [*screen.labelled(Text(""), message, 6), *screen.labelled(Text(""), f"{', '.join(told)}{more}", 6)]
    return [Text(""), screen.section(verdict), *lines] if lines else []


def _where(tool: str, reason: Reason, screen: Screen) -> str:
    return screen.safe(f"{tool or '(no name)'}{reason.pointer}")


def as_json(reports: Sequence[Portability]) -> str:
    """Write `utp.portability/1`: tools by name, each with its verdict for every provider."""
    tools: dict[str, Any] = {}
    for report in reports:
        for tool, reasons in report.reasons.items():
            told = {"verdict": report.verdict(tool), "reasons": [reason.to_dict() for reason in reasons]}
            tools.setdefault(tool, {})[report.provider] = told
    providers = [report.provider for report in reports]
    return document({"schema": "utp.portability/1", "providers": providers, "tools": tools})
