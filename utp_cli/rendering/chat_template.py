"""A conversation with tools as the prompt that a model's chat template makes of it.

The template comes compiled, and sandboxed: templates are foreign code. It is called as Hugging Face's transformers call
one: tools in OpenAI's form, arguments of past calls as mappings, `add_generation_prompt`, `strftime_now`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.protocol.numbers import dumps, loads
from utp_cli.rendering.losses import Loss
from utp_cli.rendering.spec import Rendered
from utp_cli.rendering.tools import render_tools
from utp_cli.rendering.values import plain
from utp_cli.templates.sandbox import Unrenderable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from utp_cli.protocol.tools import Tool
    from utp_cli.templates.sandbox import ChatTemplate


def render_prompt(
    template: ChatTemplate,
    messages: Sequence[dict[str, Any]],
    tools: Sequence[Tool],
    *,
    now: datetime,
    add_generation_prompt: bool = True,
    **variables: Any,
) -> Rendered:
    """Return the prompt, and as losses the tools that the template left out. Raises `Unrenderable`.

    `now` is what the template takes for the date. `variables`: further switches that templates know
    (`enable_thinking`, …), and the tokens that they write (`bos_token`, …; empty where nobody says).
    """
    known = {
        "bos_token": "", "eos_token": "", **variables,
        "add_generation_prompt": add_generation_prompt, "strftime_now": now.strftime,
    }  # fmt: skip
    listed = render_tools(tools, "openai-chat").fragment.get("tools")
    text, turns = _written(template, [_decoded(message) for message in messages], listed, known)
    ignored = bool(tools) and text == _without_tools(template, turns, known)
    return Rendered(
        format="chat-template", text=text, text_goes="alone", losses=tuple(_left_out(tools, text, ignored=ignored))
    )


def _written(
    template: ChatTemplate, turns: list[dict[str, Any]], tools: Any, known: dict[str, Any]
) -> tuple[str, list[dict[str, Any]]]:
    """Return the prompt and the turns it was made of.

    Most templates want the arguments of past calls as mappings. Some paste them in as text: given a mapping these
    fail, or write it the way Python does.
    """
    try:
        text, failure = template.render(turns, tools=tools, **known), None
    except Unrenderable as error:
        text, failure = "", error
    given = [call["function"]["arguments"] for turn in turns for call in _calls(turn)]
    if failure is None and not any(isinstance(part, dict) and part and str(part) in text for part in given):
        return text, turns
    as_texts = [_encoded(turn) for turn in turns]
    if failure and as_texts == turns:
        raise failure
    return template.render(as_texts, tools=tools, **known), as_texts


def _without_tools(template: ChatTemplate, turns: list[dict[str, Any]], known: dict[str, Any]) -> str | None:
    try:
        return template.render(turns, tools=None, **known)
    except Unrenderable:  # it counts on tools, so it does not ignore them
        return None


def _left_out(tools: Sequence[Tool], text: str, *, ignored: bool) -> list[Loss]:
    if ignored:
        message = "the template ignores tools: the prompt is the same without them"
        return [Loss(keyword="tools", what="dropped", message=message)]
    return [
        Loss(tool=tool.name, keyword="name", what="dropped", message="the template does not write this tool")
        for tool in tools
        if tool.name not in text
    ]


def _calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the calls of a message that have arguments."""
    calls = message.get("tool_calls")
    found = [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return [call for call in found if isinstance(call.get("function"), dict) and "arguments" in call["function"]]


def _encoded(message: dict[str, Any]) -> dict[str, Any]:
    """Return a copy in which the arguments of calls are texts."""
    copy: dict[str, Any] = plain(message)
    for call in _calls(copy):
        if not isinstance(call["function"]["arguments"], str):
            call["function"]["arguments"] = dumps(call["function"]["arguments"])
    return copy


def _decoded(message: dict[str, Any]) -> dict[str, Any]:
    """Return a copy in which the arguments of calls are mappings: a template would encode a text once more."""
    copy: dict[str, Any] = plain(message)
    for call in _calls(copy):
        if isinstance(call["function"]["arguments"], str):
            try:
                call["function"]["arguments"] = loads(call["function"]["arguments"])
            except (ValueError, RecursionError):  # broken arguments are shown as they are
                continue
    return copy
