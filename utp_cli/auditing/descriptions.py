"""UTP2xx, what the tool and its parameters say of themselves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from utp_cli.auditing.nodes import Node, resolve
from utp_cli.auditing.prose import prose_parameters
from utp_cli.auditing.subject import AuditedTool, Flaw, Text, ToolSet, audit_rule, shown
from utp_cli.auditing.words import any_word, content_words, first_sentence, sentences, stems, word_set, words

if TYPE_CHECKING:
    from collections.abc import Iterator


@audit_rule("UTP201", "error", "missing-description", on="tool")
def missing_description(tool: AuditedTool) -> Iterator[Flaw]:
    """A tool has no description.

    What it does: wants text that is not blank under `description`.
    Why it is bad: the description is all a model has to decide when to call the tool.
    Example: no description, or `description: ""`.
    Use instead: `Look up one invoice by its number and return its lines and total.`
    Fix safety: no fix.
    """
    if not tool.description.strip():
        yield Flaw(
            pointer=tool.at("description"),
            message=f"{tool.name or 'the tool'} has no description",
            hint="say what it does, when to call it and what it returns",
        )


@audit_rule("UTP202", "warning", "description-too-short", on="tool")
def description_too_short(tool: AuditedTool) -> Iterator[Flaw]:
    """A tool's description is too short to tell anything.

    What it does: wants 4 words and 20 characters (`min-description-words`, `min-description-chars`).
    Why it is bad: the model chooses by name alone.
    Example: `Gets weather`.
    Use instead: `Return today's forecast for one city in °C.`
    Fix safety: no fix.
    """
    text, options = tool.description.strip(), tool.options
    if text and (len(words(text)) < options.min_description_words or len(text) < options.min_description_chars):
        yield Flaw(
            pointer=tool.at("description"),
            message=f"the description of {tool.name} is only {shown(text)}",
            hint="say what it does, when to call it and what it returns",
        )


@audit_rule("UTP203", "warning", "description-too-long", on="tool")
def description_too_long(tool: AuditedTool) -> Iterator[Flaw]:
    """A tool's description is a manual.

    What it does: allows 4,000 characters (`max-description-chars`).
    Why it is bad: every request pays for it, and what decides the choice is lost in it.
    Example: the whole documentation of a query language.
    Use instead: the four sentences that decide when to call it.
    Fix safety: no fix.
    """
    length = len(tool.description)
    if length > tool.options.max_description_chars:
        yield Flaw(
            pointer=tool.at("description"),
            message=f"the description of {tool.name} has {length:,} characters",
            hint=f"cut it to {tool.options.max_description_chars:,}; move details to the parameters",
        )


TELLING = 4
"""Content words beyond the name that make the rest of a description worth reading."""


@audit_rule("UTP204", "warning", "repeats-name", on="tool")
def repeats_name(tool: AuditedTool) -> Iterator[Flaw]:
    """A description says nothing but the name.

    What it does: compares the content words of a description with those of the name, endings cut off.
    Why it is bad: the model learns nothing that the name did not say.
    Example: `get_user: "Gets the user."`
    Use instead: `Return a user's profile (e-mail, plan, sign-up date).`
    Fix safety: no fix.
    """
    name = stems(words(tool.name))
    said = stems(content_words(first_sentence(tool.description)))
    if said and said <= name and len(stems(content_words(tool.description)) - name) < TELLING:
        yield Flaw(
            pointer=tool.at("description"),
            message=f"the description of {tool.name} repeats its name",
            hint="say what the name does not: what comes back, of which things, with which limits",
        )
    for node in tool.properties:
        said = stems(content_words(node.description))
        if said and said <= name | stems(words(node.name or "")):
            yield Flaw(
                pointer=node.at("description"),
                message=f"the description of {node.label} repeats its name",
                hint="say which values it takes, with an example",
            )


@audit_rule("UTP205", "warning", "param-missing-description", on="tool")
def param_missing_description(tool: AuditedTool) -> Iterator[Flaw]:
    """A parameter has no description.

    What it does: looks at properties at any depth; not at those with a single possible value, nor at those whose text
    stands in a block of the tool's description (UTP215).
    Why it is bad: the model guesses what to pass from the name.
    Example: `{type: string}`.
    Use instead: `{type: string, description: "IATA code of the airport, e.g. LIS"}`.
    Fix safety: no fix.
    """
    in_prose = {name for name, _, _ in prose_parameters(tool.description)}
    for node in tool.properties:
        if node.name not in in_prose and not _is_described(node) and not _has_one_value(node):
            yield Flaw(
                pointer=node.pointer,
                message=f"{node.label} has no description",
                hint="say which values it takes, with an example",
            )


def _is_described(node: Node) -> bool:
    """Say whether the property, the definition it refers to, or a branch of it has a description."""
    waiting, steps = [node.schema], 0
    while waiting and steps < 50:
        schema, steps = waiting.pop(), steps + 1
        said = schema.get("description")
        if said is not None and not (isinstance(said, str) and not said.strip()):
            return True
        target = resolve(node.tool.schema, schema.get("$ref"))
        branches = [b for key in ("anyOf", "oneOf", "allOf") if isinstance(schema.get(key), list) for b in schema[key]]
        waiting.extend(item for item in (target, *branches) if isinstance(item, dict))
    return False


def _has_one_value(node: Node) -> bool:
    enum = node.schema.get("enum")
    return "const" in node.schema or (isinstance(enum, list) and len(enum) == 1)


@audit_rule("UTP214", "info", "output-not-described", on="tool", default=False)
def output_not_described(tool: AuditedTool) -> Iterator[Flaw]:
    """Nothing says what the tool returns.

    What it does: looks for `outputSchema`, or a word such as returns, outputs, response or result.
    Why it is bad: a model that does not know what comes back cannot plan the next step.
    Example: `Look up a part.`
    Use instead: `Look up a part; returns its stock and price.`
    Fix safety: no fix.
    """
    if "outputSchema" not in tool.definition.body and not _OUTPUT.search(tool.description):
        yield Flaw(
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
def params_only_in_prose(tool: AuditedTool) -> Iterator[Flaw]:
    r"""Parameters are described in the tool's text instead of the schema.

    What it does: reads a block such as `Args:` or `:param x:` and compares it with the schema.
    Why it is bad: clients that shorten descriptions drop the block, and the parameter stands there bare.
    Example: `Args:\n  repo: owner/name`.
    Use instead: `repo: {type: string, description: owner/name}`.
    Fix safety: unsafe; each text moves to its property, and the block goes.
    """
    top = {node.name: node for node in tool.properties if node.depth == 1}
    for name, _, _ in prose_parameters(tool.description):
        if name in top and not _is_described(top[name]):
            yield Flaw(
                pointer=top[name].pointer,
                message=f"{top[name].label} is described only in the text of the tool",
                hint="move it to the property's own description",
            )


_NAMED_PARAMETER = re.compile(
    r"`(\w+)` (?:parameter|argument|field)s?\b|\b(?:parameter|argument) `(\w+)`", re.IGNORECASE
)


@audit_rule("UTP216", "warning", "stale-parameter-reference", on="set")
def stale_parameter_reference(tools: ToolSet) -> Iterator[Flaw]:
    """A description speaks of a parameter that does not exist.

    What it does: compares `Args:` blocks, and names in back-ticks beside the word parameter, with the schema.
    Why it is bad: the model passes an argument that is refused, or trusts a switch that is gone.
    Example: `` Set the `verbose` parameter `` where there is none.
    Use instead: a description of the parameters that there are.
    Fix safety: no fix.
    """
    for tool in tools.tools:
        known = {text.text for text in tool.texts if text.kind == "key"} | tools.names
        named = [name for name, _, _ in prose_parameters(tool.description)]
        texts = [(tool.description, tool.at("description"))]
        texts += [(node.description, node.at("description")) for node in tool.nodes if "`" in node.description]
        yield from _stale(tool, known, [(name, texts[0][1]) for name in named])
        for text, at in texts:
            found = [(a or b, at) for part in sentences(text) for a, b in _NAMED_PARAMETER.findall(_own_part(part))]
            yield from _stale(tool, known, [pair for pair in found if pair[0] not in named])


def _own_part(sentence: str) -> str:
    """Return the sentence, without its fields where it speaks of what comes back."""
    return sentence.replace(" field", "") if _OUTPUT.search(sentence) else sentence


def _stale(tool: AuditedTool, known: set[str], named: list[tuple[str, str]]) -> Iterator[Flaw]:
    for name, at in named:
        if name not in known:
            yield Flaw(
                tool=tool,
                pointer=at,
                message=f"the text speaks of a parameter `{name}`, and {tool.name} has none of that name",
                hint="describe the parameters that there are",
            )


_PLACEHOLDER = re.compile(
    r"\b(?:TODO|FIXME|TBD|XXX)\b|(?i:\blorem ipsum\b|\badd (?:your|a) description here\b|<description>"
    r"|\bdescription goes here\b|\bplaceholder (?:text|description)\b|\binsert description\b)"
)
_EMPTY_TEXTS = word_set(
    "description string test n/a na none null todo tbd... … -. placeholder desc text value parameter"
    " param foo bar asdf no description undefined"
) | {"no description", "your description", "tool description", "parameter description"}


@audit_rule("UTP217", "warning", "placeholder-text", on="text")
def placeholder_text(text: Text) -> Iterator[Flaw]:
    """A placeholder was left in a description.

    What it does: looks for TODO, FIXME, TBD, lorem ipsum and descriptions that are a bare word such as `string`.
    Why it is bad: the model reads it as the truth about the tool.
    Example: `TODO: describe`.
    Use instead: a sentence that says what the tool does.
    Fix safety: no fix.
    """
    if text.kind not in ("description", "title"):
        return
    bare = text.text.strip().lower().strip(".")
    found = _PLACEHOLDER.search(text.text)
    if found or (text.kind == "description" and text.text.strip() and (not bare or bare in _EMPTY_TEXTS)):
        yield Flaw(
            pointer=text.pointer,
            message=f"placeholder {shown(found[0] if found else text.text)} in a {text.kind}",
            hint="write the description",
        )
