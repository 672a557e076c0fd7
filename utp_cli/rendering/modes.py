"""The ways of asking a model for calls: with the provider's own tools, held to a schema, or by a prompt.

| mode | the request | the answer |
| --- | --- | --- |
| native | tools in the provider's format | the provider's calls |
| structured | a schema of one turn, and a prompt | one JSON object, held to the schema by the server |
| validated | JSON of any kind, and a prompt | one JSON object; arguments are checked, faults go back to the model |
| parsed | a prompt | text, with calls in it that are read as they come |
| two-stage | names alone, and a schema | an answer, or a tool's name: what is asked next is structured, for that tool |
| grammar | a prompt, and a grammar | a call and nothing else, held to the grammar by the server |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.protocol.errors import BadOption, UnknownName
from utp_cli.rendering.constraints import SERVERS
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.grammar import call_grammar
from utp_cli.rendering.losses import Loss
from utp_cli.rendering.prompts import definitions, first_sentence
from utp_cli.rendering.spec import TEXT, Rendered
from utp_cli.rendering.structured import RESPONSE, answer_schema, decision_schema
from utp_cli.rendering.tools import CHOICES, render_tools
from utp_cli.rendering.values import filled, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.protocol.tools import Tool
    from utp_cli.rendering.constraints import Server

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
    format: str | None = None,  # noqa: A002 - the word users type
    *,
    tool_choice: str = "auto",
    **options: Any,
) -> Rendered:
    """Return what offers the tools in a mode.

    `format`: a format's name (native, parsed) or a server's (all others). `options`: those of `render_tools`, for the
    modes native, parsed and grammar. Raises `UnknownName` for a mode, format, server or tool that does not exist,
    `BadOption` for a server that has no such mode.
    """
    if mode not in MODES:
        raise UnknownName("mode", mode, MODES)
    known = [tool.name for tool in tools]
    if tool_choice not in CHOICES and tool_choice not in known:
        raise UnknownName("tool", tool_choice, known)
    render, usual = MODES[mode]
    return render(tools, format or usual, tool_choice, options)


Options = dict[str, Any]


def _native(tools: Sequence[Tool], format_: str, tool_choice: str, options: Options) -> Rendered:
    return render_tools(tools, format_, tool_choice=tool_choice, **options)


def _parsed(tools: Sequence[Tool], format_: str, tool_choice: str, options: Options) -> Rendered:
    if FORMATS[format_].wrap:
        prompts = ", ".join(known.name for known in FORMATS if known.wrap is None)
        raise BadOption(f"{format_} is no prompt, and mode parsed has no other request; these are: {prompts}")
    return render_tools(tools, format_, tool_choice=tool_choice, **options)


def _server(name: str) -> Server:
    found = SERVERS.get(name)
    if found is None:
        raise UnknownName("server", name, SERVERS.names, f"there are: {', '.join(known.name for known in SERVERS)}")
    return found


def _structured(tools: Sequence[Tool], server: str, tool_choice: str, options: Options) -> Rendered:
    schema, losses = answer_schema(tools, tool_choice)
    text = _asked(tools, tool_choice, f'one JSON object {{"{RESPONSE}": …}} that holds')
    return _held(server, _server(server).schema(schema), text, [*losses, *_one_a_turn(options)])


def _validated(tools: Sequence[Tool], server: str, tool_choice: str, options: Options) -> Rendered:
    text = _asked(tools, tool_choice, "one JSON object and nothing else:")
    return _held(server, _server(server).json, text, _one_a_turn(options))


def _two_stage(tools: Sequence[Tool], server: str, _: str, __: Options) -> Rendered:
    listed = "\n".join(f"- {tool.name}: {first_sentence(tool.description)}" for tool in tools)
    return _held(server, _server(server).schema(decision_schema(tools)), f"# Tools\n{listed}\n\n{_DECIDE}")


def _grammar(tools: Sequence[Tool], server: str, tool_choice: str, options: Options) -> Rendered:
    held = _server(server).grammar
    if held is None:
        able = ", ".join(known.name for known in SERVERS if known.grammar)
        raise BadOption(f"{server} cannot be held to a grammar; these can: {able}")
    shown = [tool for tool in tools if tool_choice == tool.name] or list(tools)
    prompt = render_tools(shown, "prompt-json", tool_choice="required", **{**options, "dialect": None})
    return _held(server, held(call_grammar(shown)), prompt.text, list(prompt.losses))


def _one_a_turn(options: Options) -> list[Loss]:
    message = "an answer of this mode holds one call"
    return [Loss(keyword="parallel", what="dropped", message=message)] if options.get("parallel") else []


def _held(server: str, constraint: dict[str, Any], text: str, losses: Sequence[Loss] = ()) -> Rendered:
    """Return the constraint with the prompt that goes with it."""
    fragment = merged(filled(_server(server).system, TEXT, text), constraint)
    return Rendered(format=_server(server).name, fragment=fragment, text=text, text_goes="inside", losses=tuple(losses))


def _asked(tools: Sequence[Tool], tool_choice: str, what: str) -> str:
    """Return the prompt for answers that are one of the forms."""
    shown = [tool for tool in tools if tool_choice in ("auto", "required", tool.name)]
    listed = [definitions(shown, "standard")] if shown else []
    return "\n\n".join([*listed, "\n".join([f"Answer with {what}", *_FORMS.get(tool_choice, (_CALL,))])])


MODES: dict[str, tuple[Callable[[Sequence[Tool], str, str, Options], Rendered], str]] = {
    "native": (_native, "openai-chat"),
    "structured": (_structured, "openai"),
    "validated": (_validated, "openai"),
    "parsed": (_parsed, "prompt-json"),
    "two-stage": (_two_stage, "openai"),
    "grammar": (_grammar, "llama.cpp"),
}
"""Mode → what renders it, and the format or server where none is named."""
