"""UTP2xx, what the tool and its parameters say of themselves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from utp_cli.auditing.prose import prose_parameters
from utp_cli.auditing.subject import AuditedTool, AuditedToolSet, Text, ToolObservation, audit_rule, shown
from utp_cli.auditing.undescribed import is_described
from utp_cli.auditing.words import (
    any_word,
    content_words,
    extent,
    first_sentence,
    may_hold,
    names_in,
    sentences,
    stems,
    word_set,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@audit_rule("UTP201", "warning", "missing-description", on="tool")
def missing_description(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A tool has no description.

    What it does: wants text that is not blank under `description`.
    Why it is bad: the description is all a model has to decide when to call the tool.
    Example: `description: ""`.
    Use instead: `Look up one invoice by its number and return its lines and total.`
    Fix safety: no fix.
    """
    if not tool.description.strip():
        yield ToolObservation(
            pointer=tool.at("description"),
            message=f"{tool.name or 'the tool'} has no description",
            hint="say what it does, when to call it and what it returns",
        )


@audit_rule("UTP202", "info", "description-too-short", on="tool")
def description_too_short(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A tool's description is too short to tell anything.

    What it does: wants 4 words and 20 characters (`min-description-words`, `min-description-chars`); of scripts without
    spaces two letters count as a word, and each as two characters. Unless it is asked
    for by its code it tells only of two words or fewer where there is something left to say: of two parameters or more
    fewer than half are described.
    Why it is bad: the model chooses by name alone.
    Example: `{name: get_weather, description: Gets weather, parameters: {type: object, properties: {at: {type:
    string}, on: {type: string}}}}`.
    Use instead: `Return today's forecast for one city in °C.`
    Fix safety: no fix.
    """
    text, options = tool.description.strip(), tool.options
    count, characters = extent(text)
    if text and (count < options.min_description_words or characters < options.min_description_chars):
        yield ToolObservation(
            pointer=tool.at("description"),
            message=f"the description of {tool.name} is only {shown(text)}",
            hint="say what it does, when to call it and what it returns",
            opt_in=count > BARE or not _much_is_left_to_say(tool),
            cause="short",
        )


BARE = 2
"""Words that are hardly more than the tool's name."""


def _much_is_left_to_say(tool: AuditedTool) -> bool:
    top = [node for node in tool.properties if node.depth == 1]
    return len(top) > 1 and sum(map(is_described, top)) < len(top) / 2


@audit_rule("UTP203", "info", "description-too-long", on="tool", default=False)
def description_too_long(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A tool's description is a manual.

    What it does: allows 4,000 characters (`max-description-chars`); up to twice as many are told only when this rule is
    asked for by its code.
    Why it is bad: every request pays for it, and what decides the choice is lost in it.
    Example: the whole documentation of a query language.
    Use instead: the four sentences that decide when to call it.
    Fix safety: no fix.
    """
    length = len(tool.description)
    if length > tool.options.max_description_chars:
        yield ToolObservation(
            pointer=tool.at("description"),
            message=f"the description of {tool.name} has {length:,} characters",
            hint=f"cut it to {tool.options.max_description_chars:,}; move details to the parameters",
            opt_in=length <= 2 * tool.options.max_description_chars,
        )


TELLING = 4
"""Content words beyond the name that make the rest of a description worth reading."""


@audit_rule("UTP204", "info", "repeats-name", on="tool", default=False)
def repeats_name(tool: AuditedTool) -> Iterator[ToolObservation]:
    """A description says nothing but the name.

    What it does: compares the content words of a description with those of the name, endings cut off.
    Why it is bad: the model learns nothing that the name did not say.
    Example: `{name: get_user, description: Gets the user.}`
    Use instead: `{name: get_user, description: Return the plan and the sign-up date of one account.}`
    Fix safety: no fix.
    """
    name = stems(words(tool.name))
    said = stems(content_words(first_sentence(tool.description)))
    if said and said <= name and len(stems(content_words(tool.description)) - name) < TELLING:
        yield ToolObservation(
            pointer=tool.at("description"),
            message=f"the description of {tool.name} repeats its name",
            hint="say what the name does not: what comes back, of which things, with which limits",
        )
    for node in tool.properties:
        said = stems(content_words(node.description))
        if said and said <= name | stems(words(node.name or "")):
            yield ToolObservation(
                pointer=node.at("description"),
                message=f"the description of {node.label} repeats its name",
                hint="say which values it takes, with an example",
            )


@audit_rule("UTP214", "info", "output-not-described", on="tool", default=False)
def output_not_described(tool: AuditedTool) -> Iterator[ToolObservation]:
    """Nothing says what the tool returns.

    What it does: looks for `outputSchema`, or a word such as returns, outputs, response or result.
    Why it is bad: a model that does not know what comes back cannot plan the next step.
    Example: `Look up a part.`
    Use instead: `Look up a part; returns its stock and price.`
    Fix safety: no fix.
    """
    if "outputSchema" not in tool.definition.body and not _OUTPUT.search(tool.description):
        yield ToolObservation(
            pointer=tool.at("description"),
            message=f"nothing says what {tool.name} returns",
            hint='add a sentence: "Returns …"',
        )


_OUTPUT = any_word(
    "populates | return | returns | returned | returning | output | outputs | respond | responds | response | result |"
    " results"
    " | yield | yields | produce | produces | get back | gets back | answer | answers"
)


@audit_rule("UTP215", "warning", "params-only-in-prose", on="tool", fix="unsafe")
def params_only_in_prose(tool: AuditedTool) -> Iterator[ToolObservation]:
    r"""Parameters are described in the tool's text instead of the schema.

    What it does: reads a block such as `Args:` or `:param x:` and compares it with the schema.
    Why it is bad: clients that shorten descriptions drop the block, and the parameter stands there bare.
    Example: `{description: "Clone it.\n\nArgs:\n repo: owner/name", parameters: {properties: {repo: {type:
    string}}}}`.
    Use instead: `repo: {type: string, description: owner/name}`.
    Fix safety: unsafe; each text moves to its property, and the block goes.
    """
    top = {node.name: node for node in tool.properties if node.depth == 1}
    for name, _, _ in prose_parameters(tool.description):
        if name in top and not is_described(top[name]):
            yield ToolObservation(
                pointer=top[name].pointer,
                message=f"{top[name].label} is described only in the text of the tool",
                hint="move it to the property's own description",
                cause="only in the text",
            )


@audit_rule("UTP221", "info", "described-twice", on="tool")
def described_twice(tool: AuditedTool) -> Iterator[ToolObservation]:
    r"""Parameters are described in the schema and again in the tool's text.

    What it does: compares a block such as `Args:` with the schema; two parameters or more must stand in both.
    Why it is bad: every request pays for both, and one of them is forgotten when the other changes.
    Example: `{description: "Clone it.\n\nArgs:\n repo: owner/name\n to: A folder", parameters: {properties: {repo:
    {type: string, description: owner/name}, to: {type: string, description: A folder}}}}`.
    Use instead: `repo: {type: string, description: owner/name}`.
    Fix safety: no fix; which of the two is right, the author knows.
    """
    top = {node.name: node for node in tool.properties if node.depth == 1}
    twice = [name for name, text, _ in prose_parameters(tool.description) if name in top and text]
    twice = [name for name in twice if is_described(top[name])]
    if len(twice) > 1:
        yield ToolObservation(
            pointer=tool.at("description"),
            message=f"{tool.name} describes {', '.join(twice[:3])} in its text and in the schema",
            hint="keep the schema's descriptions, and drop the block",
            cause="twice",
        )


_NAMED_PARAMETER = re.compile(
    r"(?<!\bno )(?<!\bnot a )(?<!\bwithout )`(\w+)` (?:parameter|argument)s?\b|\b(?:parameter|argument) `(\w+)`",
    re.IGNORECASE,
)


@audit_rule("UTP216", "warning", "stale-parameter-reference", on="set")
def stale_parameter_reference(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """A description speaks of a parameter that does not exist.

    What it does: compares `Args:` blocks with the tool's schema, and names in back-ticks beside the word parameter with
    those of the whole set. A name that is only written in another style is told when this rule is asked for by its
    code.
    Why it is bad: the model passes an argument that is refused, or trusts a switch that is gone.
    Example: `` Return the forecast. Set the `verbose` parameter for more. ``
    Use instead: `` Return the forecast. The `city` parameter is an English name. ``
    Fix safety: no fix.
    """
    keys = {tool.index: {text.text for text in tool.texts if text.kind == "key"} for tool in tools.tools}
    anywhere = tools.names.union(*keys.values())
    for tool in tools.tools:
        known = keys[tool.index] | tools.names
        named = [name for name, _, _ in prose_parameters(tool.description)]
        texts = [(tool.description, tool.at("description"))]
        texts += [(node.description, node.at("description")) for node in tool.nodes if "`" in node.description]
        yield from _stale(tool, known, [(name, texts[0][1]) for name in named])
        for text, at in texts:
            own = [part for part in sentences(text) if not tools.names & {*names_in(part)} - {tool.name}]
            found = [(a or b, at) for part in own for a, b in _NAMED_PARAMETER.findall(part)]
            yield from _stale(tool, anywhere, [pair for pair in found if pair[0] not in named])


def _stale(
    tool: AuditedTool, known: set[str] | frozenset[str], named: list[tuple[str, str]]
) -> Iterator[ToolObservation]:
    plain = {_plain(key): key for key in known} if named else {}
    for name, at in named:
        if name not in known:
            meant = plain.get(_plain(name))
            yield ToolObservation(
                tool=tool,
                pointer=at,
                message=f"the text speaks of a parameter `{name}`, and {tool.name} has none of that name",
                cause=name,
                hint=f"did you mean `{meant}`?" if meant else "describe the parameters that there are",
                opt_in=meant is not None,
            )


def _plain(name: str) -> str:
    return re.sub(r"[_-]", "", name.lower())


_PLACEHOLDER = re.compile(
    r"\A\W*(?:TODO|FIXME|TBD|XXX)\b(?!\s+(?:items?|lists?|entries|entry|tasks?|apps?)\b)|\b(?:TODO|FIXME|TBD)\s*:"
    r"|\b(?:TODO|FIXME|TBD|XXX)\W*\Z|(?i:\blorem ipsum\b|\badd (?:your|a) description here\b|\A\W*<description>\W*\Z"
    r"|\bdescription goes here\b|\A\W*placeholder (?:text|description)\b|\binsert description\b)"
)
_PLACEHOLDER_HINTS = ("todo", "fixme", "tbd", "xxx", "lorem", "description", "placeholder")
_ABOUT_TODO = re.compile(
    r"\bto-?dos\b|\bto-?do (?:list|item|app|task|entr|comment|marker|tag)"
    r"|\b(?:search|find|finds|list|lists|scan|scans|grep|count|counts|look|looks|detect|detects|e\.g\.)\b[^.]{0,60}\b(?:TODO|FIXME)",
    re.IGNORECASE,
)
"""A tool whose business are TODO marks, or to-do lists."""
_EMPTY_TEXTS = word_set(
    "description string test n/a na none null todo tbd... … -. placeholder desc text value parameter"
    " param foo bar asdf no description undefined"
) | {"no description", "your description", "tool description", "parameter description"}

_THINGS = word_set("bar test text value")
"""Of these the ones that may be what a property is named after."""


def _is_empty(bare: str, text: Text) -> bool:
    """Say whether a text is a bare word.

    "Tool description" tells all of a property that is named `description`; "Bar" names a hotel's `bar` again.
    """
    named = words((text.pointer.split("/")[-2:-1] or [""])[0])
    again = {*named} == {*words(bare)} and bare in _THINGS
    return bare in _EMPTY_TEXTS and not (named and {*named} < {*words(bare)}) and not again


@audit_rule("UTP217", "warning", "placeholder-text", on="text")
def placeholder_text(text: Text) -> Iterator[ToolObservation]:
    """A placeholder was left in a description.

    What it does: looks for descriptions that begin or end with TODO, FIXME or TBD, or have it with a colon; lorem
    ipsum; and descriptions that are a bare word such as `string`. A tool for to-do lists, or one that searches for TODO
    comments, may speak of them.
    Why it is bad: the model reads it as the truth about the tool.
    Example: `description: "TODO: describe"`.
    Use instead: `Return the forecast of one city.`
    Fix safety: no fix.
    """
    if text.kind not in ("description", "title"):
        return
    bare = text.text.strip().lower().strip(".")
    found = _PLACEHOLDER.search(text.text) if may_hold(text.text, *_PLACEHOLDER_HINTS) else None
    named = not {"todo", "todos", "task"}.isdisjoint(words(text.tool.name))
    found = None if found is None or named or _ABOUT_TODO.search(text.text) else found
    if found or (text.kind == "description" and text.text.strip() and (not bare or _is_empty(bare, text))):
        yield ToolObservation(
            pointer=text.pointer,
            message=f"placeholder {shown(found[0] if found else text.text)} in a {text.kind}",
            hint="write the description",
        )
