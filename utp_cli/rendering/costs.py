"""What tools cost, format by format: tokens of the definitions, of a call and of a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from utp_cli.protocol.calls import ToolCall
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.prompts import STYLES, unchanged, written
from utp_cli.rendering.results import render_result
from utp_cli.rendering.samples import sample_arguments
from utp_cli.rendering.spec import AssistantTurn, SentCall
from utp_cli.rendering.tokens import ESTIMATOR, estimate
from utp_cli.rendering.tools import render_tools
from utp_cli.rendering.values import compact

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.protocol.tools import Tool
    from utp_cli.rendering.spec import Format


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Tokens of one format. Providers add their own preambles, which nobody outside can count."""

    format: str
    definitions: int
    """All tools, as they are sent."""
    call: int
    """The frame around one call: without the tool's name and the arguments. 0 where the format has no such message."""
    result: int
    """The frame around one result: without its text."""
    tokenizer: str
    """The name of what counted."""


def costs(tools: Sequence[Tool], count: Callable[[str], int] = estimate, tokenizer: str = ESTIMATOR) -> list[Cost]:
    """Return the cost of the tools in every format. `count`: tokens of a text; `tokenizer`: its name."""
    return [
        Cost(
            format=spec.name,
            definitions=_definitions(tools, spec, count),
            call=_call(tools, spec, count),
            result=_result(spec, count),
            tokenizer=tokenizer,
        )
        for spec in FORMATS
    ]


def _definitions(tools: Sequence[Tool], spec: Format, count: Callable[[str], int]) -> int:
    rendered = render_tools(tools, spec.name)
    return count(rendered.text) + (count(compact(rendered.fragment)) if spec.wrap else 0)


def _call(tools: Sequence[Tool], spec: Format, count: Callable[[str], int]) -> int:
    sent = unchanged(tools[:1])
    name, arguments = (sent[0].name, sample_arguments(sent[0].schema)) if sent else ("tool", {})
    bare = count(name) + count(compact(arguments))
    if spec.style:
        whole = count(written([{"name": name, "arguments": arguments}], STYLES[spec.style].dialect))
    elif spec.message:
        call = SentCall(id="call_0", name=name, arguments=arguments)
        message = spec.message(AssistantTurn(content="", reasoning="", calls=[call]))
        whole = count(compact(message))
    else:
        whole = bare
    return max(0, whole - bare)


def _result(spec: Format, count: Callable[[str], int]) -> int:
    call = ToolCall(name="tool", arguments={}, id="call_0")
    (message,) = render_result(call, "", spec.name)
    return count(compact(message))
