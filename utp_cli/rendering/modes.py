"""The ways of asking a model for calls: with the provider's own tools, held to a schema, or by a prompt.

| mode | the request | the answer |
| --- | --- | --- |
| native | tools in the provider's format | the provider's calls |
| structured | a schema of one turn, and a prompt | one JSON object, held to the schema by the server |
| validated | JSON of any kind, and a prompt | one JSON object; arguments are checked, faults go back to the model |
| parsed | a prompt | text, with calls in it that are read as they come |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.protocol.errors import UnknownName
from utp_cli.rendering.constraints import SERVERS
from utp_cli.rendering.prompts import definitions, first_sentence
from utp_cli.rendering.spec import Rendered
from utp_cli.rendering.structured import RESPONSE, answer_schema, decision_schema
from utp_cli.rendering.tools import render_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.protocol.tools import Tool

_CALL = '{"scratchpad": notes or null, "tool": name, "arguments": {…}} to call a tool'
_ANSWER = '{"scratchpad": notes or null, "answer": text} to answer'
_THOUGHT = '{"scratchpad": notes} to think on'
_FORMS = {"auto": (_CALL, _ANSWER, _THOUGHT), "none": (_ANSWER, _THOUGHT)}
"""Choice → what an answer may be; every other choice leaves only the call."""
_DECIDE = """Decide whether a tool is needed. Answer with one JSON object:
{"reasoning": why, "answer": text or null, "use_tool": name or null}
Give either an answer or a tool. The arguments of the tool are asked for next."""


def render_mode(
    tools: Sequence[Tool],
    mode: str,
    format: str = "openai-chat",  # noqa: A002 - the word users type
    *,
    tool_choice: str = "auto",
) -> Rendered:
    """Return what offers the tools in a mode. `format`: a format's name (native), a server's (structured, validated).

    Raises `UnknownName` for a mode, format, server or tool that does not exist.
    """
    if mode not in MODES:
        raise UnknownName("mode", mode, MODES)
    known = [tool.name for tool in tools]
    if tool_choice not in ("auto", "none", "required", *known):
        raise UnknownName("tool", tool_choice, known)
    return MODES[mode](tools, format, tool_choice)


def _native(tools: Sequence[Tool], format_: str, tool_choice: str) -> Rendered:
    return render_tools(tools, format_, tool_choice=tool_choice)


def _structured(tools: Sequence[Tool], server: str, tool_choice: str) -> Rendered:
    schema, losses = answer_schema(tools, tool_choice)
    text = _asked(tools, tool_choice, f'one JSON object {{"{RESPONSE}": …}} that holds')
    return Rendered(format=server, fragment=SERVERS[server].schema(schema), text=text, losses=tuple(losses))


def _validated(tools: Sequence[Tool], server: str, tool_choice: str) -> Rendered:
    text = _asked(tools, tool_choice, "one JSON object and nothing else:")
    return Rendered(format=server, fragment=dict(SERVERS[server].json), text=text)


def _parsed(tools: Sequence[Tool], _: str, tool_choice: str) -> Rendered:
    return render_tools(tools, "prompt-json", tool_choice=tool_choice)


def _asked(tools: Sequence[Tool], tool_choice: str, what: str) -> str:
    """Return the prompt for answers that are one of the forms."""
    shown = [tool for tool in tools if tool_choice in ("auto", "required", tool.name)]
    listed = [definitions(shown, "standard")] if shown else []
    return "\n\n".join([*listed, "\n".join([f"Answer with {what}", *_FORMS.get(tool_choice, (_CALL,))])])


MODES: dict[str, Callable[[Sequence[Tool], str, str], Rendered]] = {
    "native": _native,
    "structured": _structured,
    "validated": _validated,
    "parsed": _parsed,
}


def render_decision(tools: Sequence[Tool], server: str = "openai") -> Rendered:
    """Return the first of two stages: names and first sentences, and a schema for the decision.

    The second stage is `render_mode(tools, "structured", server, tool_choice=chosen)`: only the chosen tool is shown.
    """
    listed = "\n".join(f"- {tool.name}: {first_sentence(tool.description)}" for tool in tools)
    text = f"# Tools\n{listed}\n\n{_DECIDE}"
    return Rendered(format=server, fragment=SERVERS[server].schema(decision_schema(tools)), text=text)
