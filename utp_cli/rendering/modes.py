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

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from utp_cli.facts.grammar_compilers import SERVERS as COMPILERS
from utp_cli.facts.providers import provider_called
from utp_cli.protocol.errors import BadOption, UnknownName
from utp_cli.rendering.constraints import SERVERS
from utp_cli.rendering.formats.catalogue import FORMATS
from utp_cli.rendering.grammar import call_grammar
from utp_cli.rendering.losses import Loss, grammar_losses
from utp_cli.rendering.prompts import COMPACT_BELOW, ROLE, RULES_OF_CALLS, definitions, first_sentence, unchanged
from utp_cli.rendering.samples import sample_arguments
from utp_cli.rendering.spec import TEXT, Rendered
from utp_cli.rendering.structured import RESPONSE, answer_schema, decision_schema
from utp_cli.rendering.tools import CHOICES, render_tools
from utp_cli.rendering.values import compact, filled, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.protocol.tools import Tool
    from utp_cli.rendering.constraints import ConstraintServer

_CALL = '{"scratchpad": notes or null, "tool": name, "arguments": {…}} to call a tool'
_ANSWER = '{"scratchpad": notes or null, "answer": text} to answer'
_THOUGHT = '{"scratchpad": notes} to think on'
_FORMS = {"auto": (_CALL, _ANSWER, _THOUGHT), "none": (_ANSWER, _THOUGHT)}
"""Choice → what an answer may be; every other choice leaves only the call."""
_ALONE = "Write nothing around the object: no text, no code fence."
_MENDED = "If an error comes back, send the whole object again with its arguments mended."
_DECIDE = """Decide whether a tool is needed. Answer with one JSON object:
{"reasoning": why, "answer": text or null, "use_tool": name or null}
Give either an answer or a tool. The arguments of the tool are asked for next."""


def render_mode(
    tools: Sequence[Tool],
    mode: str,
    format: str | None = None,  # noqa: A002 - the word users type
    *,
    tool_choice: str = "auto",
    chosen: str | None = None,
    context_window: int | None = None,
    server: str | None = None,
    **options: Any,
) -> Rendered:
    """Return what offers the tools in a mode.

    `format`: a format's name (native, parsed) or a server's (all others; native: a server that takes OpenAI's form).
    `server`: whose grammar compiler gets the schemas, where `format` does not say it; what it cannot do of them is
    among the losses. `chosen`: the tool that the first of two
    stages chose; the second is returned. `context_window`: in tokens; a small one gets a short prompt. `options`: those
    of `render_tools`, for the modes native, parsed and grammar. Raises `UnknownName` for a mode, format, server or tool
    that does not exist, `BadOption` for a server that has no such mode.
    """
    if mode not in MODES:
        raise UnknownName("mode", mode, MODES)
    known = [tool.name for tool in tools]
    if tool_choice not in CHOICES and tool_choice not in known:
        raise UnknownName("tool", tool_choice, known)
    if chosen is not None:
        if mode != "two-stage":
            raise BadOption(f"only mode two-stage has a second stage for a chosen tool, not {mode}")
        if chosen not in known:
            raise UnknownName("tool", chosen, known)
        mode, tools, tool_choice = "structured", [tool for tool in tools if tool.name == chosen], chosen
    render, usual = MODES[mode]
    if mode == "validated":
        options["short"] = context_window is not None and context_window < COMPACT_BELOW
    if mode != "native":
        return render(tools, format or usual, tool_choice, options)
    compiler = next((name for name in map(_compiler, (format, server)) if name), None)
    spoken = "openai-chat" if compiler and format not in FORMATS.names else format
    rendered = render(tools, spoken or usual, tool_choice, options)
    losses = [loss for tool in tools for loss in grammar_losses(tool, compiler)] if compiler else []
    return replace(rendered, losses=(*rendered.losses, *losses))


Options = dict[str, Any]


def _compiler(server: str | None) -> str | None:
    """Return the server's name where its compiler of grammars is known."""
    name = provider_called(server).name
    return name if name in COMPILERS else None


def _native(tools: Sequence[Tool], format_: str, tool_choice: str, options: Options) -> Rendered:
    return render_tools(tools, format_, tool_choice=tool_choice, **options)


def _parsed(tools: Sequence[Tool], format_: str, tool_choice: str, options: Options) -> Rendered:
    if FORMATS[format_].wrap:
        prompts = ", ".join(known.name for known in FORMATS if known.wrap is None)
        raise BadOption(f"{format_} is no prompt, and mode parsed has no other request; these are: {prompts}")
    return render_tools(tools, format_, tool_choice=tool_choice, **options)


def _server(name: str) -> ConstraintServer:
    found = SERVERS.get(name)
    if found is None:
        raise UnknownName("server", name, SERVERS.names, f"there are: {', '.join(known.name for known in SERVERS)}")
    return found


def _structured(tools: Sequence[Tool], server: str, tool_choice: str, options: Options) -> Rendered:
    schema, losses = answer_schema(tools, tool_choice)
    text = _asked(tools, tool_choice, f'one JSON object {{"{RESPONSE}": …}} that holds')
    return _held(server, _server(server).schema(schema), text, [*losses, *_one_a_turn(options)])


def _validated(tools: Sequence[Tool], server: str, tool_choice: str, options: Options) -> Rendered:
    text = _asked(tools, tool_choice, "one JSON object and nothing else:", short=options["short"])
    if not options["short"]:
        text = "\n\n".join([ROLE, text, _rules(tool_choice), _examples(tools, tool_choice)])
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


def _asked(tools: Sequence[Tool], tool_choice: str, what: str, *, short: bool = False) -> str:
    """Return the prompt for answers that are one of the forms."""
    shown = [tool for tool in tools if tool_choice in ("auto", "required", tool.name)]
    listed = [definitions(shown, "compact" if short else "standard")] if shown else []
    return "\n\n".join([*listed, "\n".join([f"Answer with {what}", *_FORMS.get(tool_choice, (_CALL,))])])


def _rules(tool_choice: str) -> str:
    """Return the rules for an answer that nothing but the prompt holds to its form."""
    of_calls = () if tool_choice == "none" else (*RULES_OF_CALLS, _MENDED)
    return "\n".join(["# Rules", *(f"- {rule}" for rule in (_ALONE, *of_calls))])


def _examples(tools: Sequence[Tool], tool_choice: str) -> str:
    """Return turns that show the forms: a call of one of the tools, and an answer."""
    turns = []
    shown = unchanged([tool for tool in tools if tool_choice in ("auto", "required", tool.name)])
    if shown and tool_choice != "none":
        tool = max(shown, key=lambda sent: bool(sent.schema["properties"]))
        call = {"scratchpad": None, "tool": tool.name, "arguments": sample_arguments(tool.schema)}
        turns.append(f"User: (asks for what {tool.name} can do)\nYou: {compact(call)}")
    if tool_choice in _FORMS:
        turns.append(f"User: Thank you!\nYou: {compact({'scratchpad': None, 'answer': 'You are welcome.'})}")
    return "\n\n".join(["# Examples", *turns])


MODES: dict[str, tuple[Callable[[Sequence[Tool], str, str, Options], Rendered], str]] = {
    "native": (_native, "openai-chat"),
    "structured": (_structured, "openai"),
    "validated": (_validated, "openai"),
    "parsed": (_parsed, "prompt-json"),
    "two-stage": (_two_stage, "openai"),
    "grammar": (_grammar, "llama.cpp"),
}
"""Mode → what renders it, and the format or server where none is named."""
