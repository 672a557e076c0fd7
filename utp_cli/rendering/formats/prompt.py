"""Models without tools: definitions in the system prompt, results in a message of the user."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from utp_cli.rendering.spec import TEXT, Format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.rendering.spec import ToolOutcome

_SYSTEM = {"messages": [{"role": "system", "content": TEXT}]}
_FAILED = ' error="true"'


def _results(outcomes: Sequence[ToolOutcome]) -> list[dict[str, Any]]:
    parts = [f"{'Error' if outcome.failed else 'Result'} of {outcome.name}:\n{outcome.text}" for outcome in outcomes]
    return [{"role": "user", "content": "\n\n".join(parts)}]


def _results_xml(outcomes: Sequence[ToolOutcome]) -> list[dict[str, Any]]:
    parts = [
        f'<tool_result name="{escape(outcome.name)}"{_FAILED if outcome.failed else ""}>\n'
        f"{outcome.text}\n</tool_result>"
        for outcome in outcomes
    ]
    return [{"role": "user", "content": "\n".join(parts)}]


PROMPT_JSON = Format(name="prompt-json", aliases=("prompt",), style="standard", system=_SYSTEM, results=_results)
PROMPT_COMPACT = replace(PROMPT_JSON, name="prompt-compact", aliases=(), style="compact")
PROMPT_PARALLEL = replace(PROMPT_JSON, name="prompt-parallel", aliases=(), style="parallel")
PROMPT_XML = replace(PROMPT_JSON, name="prompt-xml", aliases=(), style="xml", results=_results_xml)
ANTHROPIC_XML = replace(PROMPT_XML, name="anthropic-xml", style="invoke", system={"system": TEXT})
