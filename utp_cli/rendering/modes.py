"""The ways of asking a model for calls: with the provider's own tools, held to a schema, or by a prompt.

| mode | the request | the answer |
| --- | --- | --- |
| native | tools in the provider's format | the provider's calls |
| structured | a schema of one turn | JSON, held to it by the server |
| validated | a prompt | JSON in text; arguments are checked, faults go back to the model |
| parsed | a prompt | JSON in text, taken as it is |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.protocol.errors import UnknownName
from utp_cli.rendering.constraints import SERVERS
from utp_cli.rendering.prompts import definitions, first_sentence
from utp_cli.rendering.spec import Rendered
from utp_cli.rendering.structured import answer_schema, decision_schema
from utp_cli.rendering.tools import render_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.protocol.tools import Tool

_FORMS = """Answer with one JSON object {"response": …} that holds one of these:
{"scratchpad": notes or null, "tool": name, "arguments": {…}}   to call a tool
{"scratchpad": notes or null, "answer": text}                   to answer
{"scratchpad": notes}                                           to think on"""
_DECIDE = """Decide whether a tool is needed. Answer with one JSON object:
{"reasoning": why, "answer": text or null, "use_tool": name or null}
Give either an answer or a tool. The arguments of the tool are asked for next."""


def render_mode(
    tools: Sequence[Tool], mode: str, format: str = "openai-chat", *, tool_choice: str = "auto"  # noqa: A002
) -> Rendered:
    """Return what offers the tools in a mode. `format`: a format's name (native), a server's (structured).

    Raises `UnknownName` for a mode, format, server or tool that does not exist.
    """
    if mode not in MODES:
        raise UnknownName("mode", mode, MODES)
    return MODES[mode](tools, format, tool_choice)


def _native(tools: Sequence[Tool], format_: str, tool_choice: str) -> Rendered:
    return render_tools(tools, format_, tool_choice=tool_choice)


def _structured(tools: Sequence[Tool], server: str, tool_choice: str) -> Rendered:
    schema, losses = answer_schema(tools, tool_choice)
    text = definitions(tools, "standard") + f"\n\n{_FORMS}"
    return Rendered(format=server, fragment=SERVERS[server].schema(schema), text=text, losses=tuple(losses))


def _prompted(tools: Sequence[Tool], _: str, tool_choice: str) -> Rendered:
    return render_tools(tools, "prompt-json", tool_choice=tool_choice)


MODES: dict[str, Callable[[Sequence[Tool], str, str], Rendered]] = {
    "native": _native,
    "structured": _structured,
    "validated": _prompted,
    "parsed": _prompted,
}


def render_decision(tools: Sequence[Tool], server: str = "openai") -> Rendered:
    """Return the first of two stages: names and first sentences, and a schema for the decision.

    The second stage is `render_mode([chosen], "structured", server, tool_choice=chosen.name)`.
    """
    listed = "\n".join(f"- {tool.name}: {first_sentence(tool.description)}" for tool in tools)
    text = f"# Tools\n{listed}\n\n{_DECIDE}"
    return Rendered(format=server, fragment=SERVERS[server].schema(decision_schema(tools)), text=text)
