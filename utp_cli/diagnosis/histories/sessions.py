"""A conversation that was pasted: its own faults, and what the provider whose form it has will refuse in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.series import Series
from utp_cli.diagnosis.histories.hints import LIKE_OPENAIS, Receiver, hints
from utp_cli.diagnosis.histories.options import LISTED, PRINTED
from utp_cli.diagnosis.histories.receiving import OPENAI, PROVES, RESPONSES, likely_receiver, named, receiver
from utp_cli.diagnosis.histories.requests import check_request
from utp_cli.diagnosis.histories.ruled import ruled
from utp_cli.diagnosis.models import MISTRAL, OPENAI_MODELS, belongs
from utp_cli.diagnosis.observation import clipped
from utp_cli.diagnosis.run import diagnose_session, diagnose_tools
from utp_cli.facts.releases import number_of
from utp_cli.facts.turns import TURN_RULES
from utp_cli.protocol.findings import Finding, Place
from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import replace
from utp_cli.wire.access import dicts_of, text_of
from utp_cli.wire.history import messages_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from utp_cli.protocol.tools import Tool

_CLAUDE: Final = (Series(family="claude"),)
_OPENAIS_ITEMS: Final = frozenset(
    {"custom_tool", "tool_search", "local_shell", "shell", "apply_patch", "computer", "code_interpreter", "file_search"}
)
"""Items of the Responses API, without `_call`, that compatible servers do not read (OpenAI's reference, 2026)."""
_CLAUDES_BLOCKS: Final = frozenset({"tool_reference", "server_tool_use", "web_search_tool_result", "mcp_tool_use"})
"""Blocks of Anthropic's own tools (its reference, November 2026); `tool_reference`: Claude Code's deferred tools."""
_REWRITTEN: Final = (
    "rewrite it as a plain call and its result, or as text, or leave both out; Claude Code: ENABLE_TOOL_SEARCH=false"
    " sends no tool_reference; Codex: switch tool search and custom tools off"
)
_WRAPPED: Final = 'wrap each: {"type": "function", "function": {"name", "description", "parameters"}}'
_LIKE_CLAUDES: Final = regex(r"claude|\barn:aws|\A(?:opus|sonnet|haiku|opusplan|default|best)(?:\[|\Z)", re.IGNORECASE)
"""The same of Anthropic's, and the aliases of Claude Code."""
_SURE: Final = frozenset(
    {
        *("tool-options-without-tools", "tools-with-structured-output", "constraint-conflict", "tool-choice-malformed"),
        *("tool-shape-invalid", "tool-name-invalid", "tool-name-duplicate", "schema-strict-incomplete"),
        *("mistral-id-format", "parallel-history-unsupported", "arguments-wrong-kind", "tools-need-responses-api"),
        *("gemini-schema-shape", "schema-keyword-unsupported", "tool-choice-refused", "constraint-field-ignored"),
    }
)
"""What is refused for certain, where only the server or the model tells who gets a request: the order of its turns and
their roles depend on a template, and frameworks convert a history before they send it."""
_SINCE: Final = {"constraint-field-ignored": "0.12"}
"""The first release of the server that does so."""
_SURE_OF_OPENAI: Final = frozenset(
    {
        "responses-item-pairing",
        *("schema-not-object", "tool-name-too-long", "schema-array-without-items"),
        *("parallel-option-unsupported", "reasoning-effort-refused"),
    }
)
"""What OpenAI refuses for certain, and servers may take."""
_SAID: Final = frozenset({"messages", "id"})
_OF_ANY: Final = frozenset({"schema-invalid"})
"""What is wrong in a tool, whoever it is sent to."""
_BEGUN: Final = regex(r"(?:[{\[(,]|\":)\s{0,9}\Z")
"""How a text ends that a model is to go on with: JSON, mostly. A sentence may end with a colon or a quote."""
_BESIDE: Final = frozenset({"messages", "tools", "server"})
_OBJECTS: Final = regex(r"arguments are an object")
"""How the evidence of arguments begins that are no text."""
_ENCODED: Final = "encode it: content is a text, json.dumps(result) or JSON.stringify(result); or a list of parts"
_FOLLOWS: Final = {"missing-tool-result": "call-id-duplicate"}
"""Of calls with one id, one result answers one."""


def diagnose_conversation(
    asked: Mapping[str, Any],
    form: str,
    *,
    tools: Mapping[str, Tool] | None = None,
    model: str | None = None,
    provider: str | None = None,
    server: Mapping[str, Any] | None = None,
    **_: Any,
) -> list[Finding]:
    """Return the diagnoses of a session or request; the rules of who gets it hold where that is told, or shows.

    The last message may be an answer that just came: that it is the last, and its calls are pending, is no fault.
    """
    model = model or text_of(asked.get("model")) or None
    request = {key: value for key, value in asked.items() if key not in _BESIDE}
    known = tools if tools is not None else asked.get("tools")
    messages = messages_of(asked) or []
    found = diagnose_session(messages, tools=known, model=model, provider=provider, request=request)
    defined = asked.get("tools")
    if isinstance(defined, list) and asked.keys() - {"tools"}:
        found += [one for one in diagnose_tools(defined, provider=provider, model=model) if one.code in _OF_ANY]
    engine, version = (text_of((server or {}).get(key)) for key in ("engine", "version"))
    if named(engine) == "ollama" or (not engine and belongs(model, MISTRAL)):  # they take arguments as objects
        found = [one for one in found if not _OBJECTS.match(one.evidence) or one.code != "arguments-wrong-kind"]
    found += [*_objects(asked), *_text_for_tools(asked), *_foreign_items(asked, model)]
    name = named(provider) if provider else receiver(asked, form, model, engine)
    told = bool(provider) or (name in PROVES and not _is_compatible(name, model))
    found += _flat_tools(asked, form) if name not in TURN_RULES or name in OPENAI else ()
    has_rules, said = name in TURN_RULES, messages or isinstance(asked.get("input"), str) or asked.get("contents")
    if has_rules and not said:  # of tools alone nobody knows what they go with
        alone = diagnose_tools(defined, provider=name, model=model) if isinstance(defined, list) else []
        found += [one for one in alone if one.severity == "error"]
    elif has_rules:
        broken = _broken(asked, name, model, messages, found, version)
        found += _as_sure(broken, name, told=told, guessed=bool(server or model) or name == RESPONSES)
    likely = likely_receiver(asked, form, model)
    if not has_rules and messages and likely and not engine:
        broken = _broken(asked, likely, model, messages, found, "")
        found += [replace(one, severity="info", confidence="low") for one in broken]
    to = Receiver(
        engine=named(engine), version=version, provider=named(provider or ""), model=model, offered=bool(known)
    )
    more = [*hints(asked, to), *ruled(asked, frozenset({to.engine, to.provider, name, likely}), model)]
    return _with_hints(found, more)


def _broken(
    asked: Mapping[str, Any], name: str, model: str | None, messages: list[Any], found: list[Finding], version: str
) -> list[Finding]:
    """Return the rules of a provider that a conversation breaks, and that nothing found has told of."""
    checked = check_request(asked, name, model=model, open_end=not _is_prefilled(messages))
    new = _new(checked.broken, {finding.code for finding in found}, version)
    return [one for one in new if _is_sent(one, asked, name)]


def _with_hints(found: list[Finding], more: list[Finding]) -> list[Finding]:
    """Join hints to what was found: one that is surer than what was found of the same takes its place."""
    codes = {finding.code for finding in found}
    loud = {finding.code for finding in found if finding.severity != "info"}
    new = [one for one in more if one.code not in (codes if one.severity == "info" else loud)]
    surer = {one.code for one in new if one.severity != "info"}
    return [*(one for one in found if one.code not in surer), *new]


def _new(broken: list[Finding], codes: set[str], version: str) -> list[Finding]:
    """Return the rules broken that no diagnosis has told of, and that hold for a release."""
    release = number_of(version)
    return [
        one
        for one in broken
        if one.code not in codes
        and _FOLLOWS.get(one.code) not in codes
        and not () < release < number_of(_SINCE.get(one.code))
    ]


_OF_AN_API: Final = frozenset(
    {"type", "input_schema", "parameter_definitions", "toolSpec", "functionDeclarations", "function_declarations"}
)
"""Keys of a tool that is written for an API; with name, description and parameters alone it is for none."""


def _is_sent(one: Finding, asked: Mapping[str, Any], name: str) -> bool:
    """Of messages alone nobody knows what was sent beside them; tools in no API's form are written anew, but where
    Anthropic's limit of tokens stands beside them.
    """
    tools = asked.get("tools")
    own = isinstance(tools, list) and not any(_OF_AN_API & tool.keys() for _, tool in dicts_of(tools))
    if one.code == "tool-shape-invalid" and own and not (name == "anthropic" and "max_tokens" in asked):
        return False
    return not asked.keys() <= _SAID or one.place.pointer != "/tools"


def _as_sure(broken: list[Finding], name: str, *, told: bool, guessed: bool) -> list[Finding]:
    """Return what is refused for certain, and as hints what may be, where somebody is named or guessed."""
    sure = _SURE | (_SURE_OF_OPENAI if name in (*OPENAI, RESPONSES) else frozenset())
    likely = [replace(one, severity="info", confidence="low") for one in broken if one.code not in sure]
    certain = broken if told else [one for one in broken if one.code in sure]
    return certain + (likely if guessed and not told else [])


def _is_compatible(form: str, model: str | None) -> bool:
    """Whether a request in Anthropic's form is for another's model: who serves that has rules of its own."""
    return form == "anthropic" and bool(model) and not belongs(model, _CLAUDE)


def _foreign_items(asked: Mapping[str, Any], model: str | None) -> Iterator[Finding]:
    """Find, as a hint, items and blocks that one provider's own API has, where another's model gets them."""
    if not model:
        return
    items = () if belongs(model, OPENAI_MODELS) or LIKE_OPENAIS.search(model) else dicts_of(asked.get("input"))
    own = (f"/input/{at}" for at, item in items if _bare(item) in _OPENAIS_ITEMS)
    blocks = () if _LIKE_CLAUDES.search(model) else _blocks_of(asked.get("messages"))
    claudes = (place for place, kind in blocks if kind in _CLAUDES_BLOCKS)
    for code, who, place in (
        ("responses-item-unsupported", "OpenAI", next(own, "")),
        ("content-shape", "Anthropic", next(claudes, "")),
    ):
        if place:
            message = f"an item that {who}'s own API has: {model} may be served without it"
            yield replace(_fault(code, place, message, place, _REWRITTEN), severity="info", confidence="low")


def _bare(item: Mapping[str, Any]) -> str:
    return text_of(item.get("type")).removesuffix("_output").removesuffix("_call")


def _blocks_of(messages: Any) -> Iterator[tuple[str, str]]:
    """Give the places and types of the blocks of messages, those in results of tools included."""
    for at, message in dicts_of(messages):
        for number, block in dicts_of(message.get("content")):
            place = f"/messages/{at}/content/{number}"
            yield place, text_of(block.get("type"))
            yield from ((f"{place}/content/{n}", text_of(one.get("type"))) for n, one in dicts_of(block.get("content")))


def _flat_tools(asked: Mapping[str, Any], form: str) -> Iterator[Finding]:
    """Find, as a hint, tools that no API of chat completions takes: name and parameters without `function` around."""
    if form == "anthropic" or not asked.get("model") or "messages" not in asked:
        return
    for at, tool in dicts_of(asked.get("tools")):
        schema = tool.get("parameters", tool.get("inputSchema"))
        if isinstance(schema, dict) and "name" in tool and "function" not in tool:
            message = "a tool in no form of chat completions: its name and parameters stand outside of `function`"
            found = _fault("tool-shape-invalid", f"/tools/{at}", message, ", ".join(tool), _WRAPPED)
            yield replace(found, severity="info", confidence="low")
            return


def _is_prefilled(messages: list[Any]) -> bool:
    """Whether the last message is the beginning of an answer. Saved conversations end with whole ones."""
    last = messages[-1] if messages and isinstance(messages[-1], dict) else {}
    return last.get("role") == "assistant" and _BEGUN.search(text_of(last.get("content"))[-100:]) is not None


def _objects(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find results of tools whose content is an object: chat completions want a text there, or a list of parts."""
    for at, message in dicts_of(asked.get("messages")):
        if isinstance(message.get("content"), dict) and message.get("role") == "tool":
            written = json_dumps(message["content"], default=repr)
            place = f"/messages/{at}/content"
            yield _fault("content-shape", place, "the content of a message is an object", written, _ENCODED)


def _text_for_tools(asked: Mapping[str, Any]) -> Iterator[Finding]:
    """Find tools that are the text of an object: a program wrote its own in place of the definitions."""
    if PRINTED.match(text := text_of(asked.get("tools"))):
        yield _fault("tool-shape-invalid", "/tools", "tools that are no list", text, LISTED)


def _fault(code: str, place: str, message: str, evidence: str, mend: str) -> Finding:
    where = Place(pointer=place)
    return Finding(
        code=code,
        name=code,
        severity="error",
        place=where,
        message=message,
        evidence=clipped(evidence),
        hint=mend,
        fix=mend,
    )
