"""Which calls of an answer may run side by side: for people, and as the document `utp.plan/1`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.validation.plan import effect_of, parallel_plan
from utp_cli.views.json import document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.text import Text

    from utp_cli.protocol.calls import ParseResult
    from utp_cli.protocol.tools import Tool
    from utp_cli.views.lines import Screen


def batches_of(result: ParseResult, tools: Mapping[str, Tool]) -> tuple[list[list[int]], list[int]]:
    """Return batches of indexes into the calls, and the calls that are left out because they are not valid."""
    sound = [index for index, call in enumerate(result.calls) if call.valid is not False]
    batches = parallel_plan([result.calls[index] for index in sound], tools)
    left_out = [index for index, call in enumerate(result.calls) if call.valid is False]
    return [[sound[place] for place in batch] for batch in batches], left_out


def plan_document(result: ParseResult, tools: Mapping[str, Tool], *, one_line: bool = False) -> str:
    """Write `utp.plan/1`: batches, one after the other; the calls of one may run side by side."""
    batches, left_out = batches_of(result, tools)
    found: dict[str, Any] = {"schema": "utp.plan/1", "source": result.source}
    found |= {"batches": [[_entry(result, tools, index) for index in batch] for batch in batches]}
    return document(found | {"left_out": left_out}, one_line=one_line)


def _entry(result: ParseResult, tools: Mapping[str, Tool], index: int) -> dict[str, Any]:
    call = result.calls[index]
    return {"call": index, "id": call.id, "name": call.name, "effect": effect_of(call.name, tools.get(call.name))}


def plan(result: ParseResult, tools: Mapping[str, Tool], screen: Screen, source: str = "") -> list[Text]:
    """Draw the batches: a number for each, a line for each call."""
    from rich.text import Text  # noqa: PLC0415 - the document has no need of it

    from utp_cli.views.lines import counted  # noqa: PLC0415
    from utp_cli.views.pretty import signature  # noqa: PLC0415

    batches, left_out = batches_of(result, tools)
    planned = sum(map(len, batches))
    said = f"{counted(planned, 'call')} in {len(batches):,} batch{'' if len(batches) == 1 else 'es'}"
    lines = [
        screen.row(Text(said if planned else "no call to run", style="bold"), Text(screen.safe(source), style="dim"))
    ]

    def drawn(label: str, index: int) -> Text:
        call = result.calls[index]
        return Text(label + signature(call.name, call.arguments, screen, screen.width - len(label)))

    for number, batch in enumerate(batches, 1):
        for index in batch:
            effect = effect_of(result.calls[index].name, tools.get(result.calls[index].name))
            lines.append(drawn(f"  {number if index == batch[0] else '':<4}{effect:<7}", index))
    return lines + [drawn(f"  {'':<4}{'not':<7}", index) for index in left_out]
