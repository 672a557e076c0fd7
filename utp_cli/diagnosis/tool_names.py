"""Names of calls: of tools that do not exist, or decorated and spelt in another way."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from utp_cli.diagnosis.choice import undeclared
from utp_cli.diagnosis.observation import Observation, diagnosis
from utp_cli.diagnosis.subject import ConversationHistory
from utp_cli.facts.built_in_tools import BUILT_IN
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from utp_cli.diagnosis.call_view import CallView
    from utp_cli.diagnosis.conversation_turns import MessageTurn
    from utp_cli.diagnosis.subject import Answer
    from utp_cli.protocol.tools import Tool

_TAKEN_APART = "the model's own wrapper for parallel calls: take `tool_uses` apart into calls, or send one call a turn"
"""The fix for OpenAI's own wrapper, which leaks now and then as a call."""
HOSTED = frozenset({"computer", "local_shell", "shell", "apply_patch"})
"""What the Responses API asks of the client without that the request defines it by name."""

_UNDECLARED = (
    "look whose tool it is: a gateway or a preset that adds tools of its own has to run them itself (switch that off,"
    " or upgrade it); else declare the tool in the request's `tools`"
)
_MOST_NAMES = 50
"""Unknown names that are compared with every known one."""
_PREFIX = regex(r"^(?:functions?|default_api|tools?|api|mcp__.+?_|[\w-]+)(?:[.:/]|__)")
_SERVER = regex(r"^(?:mcp__)?[\w-]{1,60}?(?:__|[.:/])(?=\w)")
"""The MCP server that a client puts in front of the names of its tools."""
_SPELLINGS = frozenset({"name-decoration", "name-style"})
"""Repairs of a name that is meant, as opposed to one that is merely like it."""
_SUFFIX = regex(r"(?::\d+|\(\))$")


@diagnosis("unknown-tool", "error", star=True, kinds=("answer", "session"), views=("known", "request"))
def unknown_tool(subject: Answer | ConversationHistory) -> Iterator[Observation]:
    """The tool does not exist.

    What people see: the executor has no such tool.

    What proves it: tools are known, and a call's name is none of them, not even without prefix, case and
    punctuation. The evidence gives the nearest name; a tool that the model was trained on is named as such. Or the
    request is known as a whole, declares no tools, and a structured call comes: a warning, mostly of a gateway's tool.

    What to change: offer a tool of that name (register it, or switch its tool set on), or return an error result that
    lists the tools; offer fewer and clearer tools. Llama 3.1 and gpt-oss: switch their built-in tools off in the
    template. `multi_tool_use.parallel` is no tool: unwrap its `tool_uses`.

    Error texts: `MCP error -32602: Tool get_ordr not found`, `Error: get_ordr is not a valid tool, try
    one of [get_order]`, `attempted to call tool … which was not in request.tools`.

    Symptoms: `Unknown function`, `KeyError`.
    """
    for call in _not_known(subject.known, subject.turns):
        if call.free_text and isinstance(subject, ConversationHistory):
            continue  # a tool of an earlier turn, of a kind that not every request may offer
        if not _variants(call, subject.known):
            near = nearest(call.name or "", subject.known)
            kind = "a built-in tool of the model" if call.name in BUILT_IN else f"nearest: {near or 'none'}"
            yield Observation(
                message=f"there is no tool {call.name}",
                evidence=f"{call.name}; {kind}; known: {', '.join(subject.known)}",
                pointer=call.pointer,
                span=call.span,
                fix=_TAKEN_APART if call.wraps_calls else _begun(call.name or "", subject),
                tool=call.name,
            )
    for call in () if subject.known or isinstance(subject, ConversationHistory) else undeclared(subject)[:1]:
        yield Observation(
            severity="warning",  # who wrote the request down may have left them out
            message=f"{call.name} is called, and the request declared no tools",
            evidence=f"{call.name}; known: none, the request has no tools",
            pointer=call.pointer,
            fix=_UNDECLARED,
            tool=call.name,
        )


def _begun(name: str, subject: Answer | ConversationHistory) -> str:
    """Say what helps where a stream brought no more than the beginning of a tool's name."""
    whole = [one for one in subject.known if one.startswith(name)]
    streamed = not isinstance(subject, ConversationHistory) and subject.result.stream
    return _TOO_EARLY.format(name=whole[0]) if streamed and name and len(whole) == 1 else ""


_TOO_EARLY: Final = (
    "it is the beginning of {name}: the server's parser of streams sent it too early; update the server, or ask with "
    "`stream: false` (and without speculative decoding)"
)


@diagnosis("tool-name-variant", "warning", kinds=("answer", "session"), views=("known",))
def tool_name_variant(subject: Answer | ConversationHistory) -> Iterator[Observation]:
    """The name of a tool is decorated or spelt in another way.

    What people see: the tool exists, under a slightly different name.

    What proves it: the call's name becomes a known one after dropping a prefix (`functions.`,
    `default_api:`, `mcp__server__`, `tool:`), case, or `-`, `.` and `_`; or one known tool has that name behind the
    prefix of a server.

    What to change: map it back when exactly one tool fits; give tools names without dots.

    Symptoms: `functions.get_weather is not registered`, `Tool default_api.search not found`.
    """
    for call in _not_known(subject.known, subject.turns):
        variants = _variants(call, subject.known)
        if variants:
            yield Observation(
                message=f"{call.name} is a variant of {' or '.join(variants)}",
                evidence=f"{call.name}; known: {', '.join(variants)}",
                pointer=call.pointer,
                span=call.span,
                fix=f"map {call.name} to {variants[0]}" if len(variants) == 1 else "",
                tool=call.name,
            )


def _not_known(known: Mapping[str, Tool], turns: tuple[MessageTurn, ...]) -> Iterator[CallView]:
    """The calls whose name is no known one, each name once."""
    seen = {*known, "", None}
    calls = (call for turn in turns for call in turn.calls) if known else ()
    for call in calls:
        elsewhere = call.server or (call.parser == "openai-responses" and call.name in HOSTED)
        if not elsewhere and call.name not in seen and len(seen) < len(known) + _MOST_NAMES:
            seen.add(call.name)
            yield call


def _folded(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


def _variants(call: CallView, known: Mapping[str, Tool]) -> list[str]:
    """The known tools that a name may mean: as it was repaired, as it is, or without its prefixes."""
    if call.known_name in known and any(repair.code in _SPELLINGS for repair in call.repairs):
        return [call.known_name]
    rest, found = _SUFFIX.sub("", (call.name or "").strip()), list[str]()
    for _ in range(4):
        found = [tool for tool in known if _folded(tool) == _folded(rest)]
        shorter = _PREFIX.sub("", rest, count=1)
        if found or shorter == rest:
            break
        rest = shorter
    served = [tool for tool in known if _SERVER.match(tool) and _folded(_SERVER.sub("", tool)) == _folded(rest)]
    return found or (served if len(served) == 1 else [])
