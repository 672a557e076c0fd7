"""A conversation with tools as the prompt that a model's chat template makes of it.

The template comes compiled, and sandboxed: templates are foreign code. It is called as Hugging Face's transformers call
one: tools in OpenAI's form, arguments of past calls as mappings, `add_generation_prompt`, `strftime_now`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from utp_cli.rendering.tools import render_tools
from utp_cli.rendering.values import plain

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from utp_cli.protocol.tools import Tool


class Template(Protocol):
    """A compiled chat template."""

    def render(self, messages: list[dict[str, Any]], **variables: Any) -> str:
        """Return the prompt."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What a template made of a conversation."""

    text: str
    missing: tuple[str, ...]
    """Names of tools that the template left out; all of them where it ignores tools."""
    ignores_tools: bool
    """The prompt is the same without the tools: the model will not know of them."""


def render_prompt(
    template: Template,
    messages: Sequence[dict[str, Any]],
    tools: Sequence[Tool],
    *,
    now: datetime,
    add_generation_prompt: bool = True,
    **variables: Any,
) -> Prompt:
    """Return the prompt. `now` is what the template takes for the date. Raises what the template raises.

    `variables`: further switches that templates know (`enable_thinking`, …).
    """
    turns = [_decoded(message) for message in messages]
    known = {**variables, "add_generation_prompt": add_generation_prompt, "strftime_now": now.strftime}
    listed = render_tools(tools, "openai-chat").fragment.get("tools")
    text = template.render(turns, tools=listed, **known)
    return Prompt(
        text=text,
        missing=tuple(tool.name for tool in tools if tool.name not in text),
        ignores_tools=bool(tools) and text == template.render(turns, tools=None, **known),
    )


def _decoded(message: dict[str, Any]) -> dict[str, Any]:
    """Return a copy in which the arguments of calls are mappings: a template would encode a text once more."""
    copy: dict[str, Any] = plain(message)
    calls = copy.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and isinstance(function.get("arguments"), str):
            try:
                function["arguments"] = json.loads(function["arguments"])
            except (ValueError, RecursionError):  # broken arguments are shown as they are
                continue
    return copy
