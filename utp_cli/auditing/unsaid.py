"""What a definition leaves to the text, or to chance: values, the order of calls, places of one machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from utp_cli.auditing.nodes import value_types
from utp_cli.auditing.subject import AuditedToolSet, Text, ToolObservation, audit_rule, shown
from utp_cli.auditing.words import word_set, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.nodes import Node

_VALUE = r"""(?:'[\w./+-]{1,40}'|"[\w./+-]{1,40}"|`[\w./+-]{1,40}`)"""
_CLOSED = re.compile(
    r"\b(?:one of|either|(?:valid|allowed|possible|supported|accepted) (?:values|options)(?: are| include)?|must be)\b"
    rf"[:\s(\[]{{0,4}}(?P<values>{_VALUE}(?:\s{{0,2}}(?:,|\||/|\bor\b|\band\b)\s{{0,2}}(?:(?:or|and)\s)?{_VALUE}){{1,40}})"
    r"(?P<after>.{0,30})",
    re.IGNORECASE | re.DOTALL,
)
_BARE = r"[A-Za-z][\w-]{0,30}(?: \(default\))?"
_BARRED = re.compile(rf"(?:\A|[:(])\s?(?P<values>{_BARE}(?:\s?\|\s?{_BARE}){{1,20}})(?=\s?(?:[).;,]|\Z))")
"""`list | get | set`, alone or in brackets."""
_BRACKETED = re.compile(r"\((?P<values>[A-Za-z][\w-]{0,30}(?:, (?:or )?[A-Za-z][\w-]{0,30}){2,20})\)\W?\Z")
_KIND = word_set(
    "action operation mode type status state format method level direction scope platform category priority strategy"
    " order sort kind visibility severity role"
)
"""Last words of names whose values are few: a list in brackets behind them is all of them."""
_SHORT = 120
"""Characters up to which a text without quotes is a list of values and little more."""
_TYPES = word_set("string str number int integer float boolean bool null none object array any true false undefined")
_OPEN_END = re.compile(
    r"\A\W*(?:etc|\.\.\.|…|or (?:a|an|any|another|the|other|custom)\b|and (?:more|others|so on)|,)", re.IGNORECASE
)
_MAYBE = re.compile(r"\b(?:e\.g\.|such as|for example|for instance|include|includes)\W*$", re.IGNORECASE)


_SEVERAL = re.compile(r"\b(?:comma|separated|one or more|any of|multiple)\b|\blist of\b", re.IGNORECASE)
"""Words that say that one text takes several of the values: an enum would refuse two."""


def closed_values(text: str) -> list[str]:
    """Return the values that a text says are the only ones; `[]` where it gives none, or only examples."""
    for found in _CLOSED.finditer(text):
        if not _OPEN_END.match(found["after"]) and not _MAYBE.search(text[max(0, found.start() - 20) : found.start()]):
            return list(dict.fromkeys(value[1:-1] for value in re.findall(_VALUE, found["values"])))
    barred = _BARRED.search(text) if len(text) <= _SHORT else None
    return _unquoted(barred["values"]) if barred and not _MAYBE.search(text[: barred.start()]) else []


def _unquoted(listed: str) -> list[str]:
    """Return the values of a list without quotes; types are none."""
    values = list(dict.fromkeys(re.findall(r"[A-Za-z][\w-]*", re.sub(r"\(default\)|\bor ", "", listed))))
    return values if _TYPES.isdisjoint(map(str.lower, values)) else []


def _kinds(node: Node) -> list[str]:
    """Return the values in brackets at the end of the text of a parameter whose name asks for a kind."""
    asked = not _KIND.isdisjoint(words(node.name or "")[-1:]) and len(node.description) <= _SHORT
    found = _BRACKETED.search(node.description) if asked else None
    return _unquoted(found["values"]) if found else []


@audit_rule("UTP219", "warning", "values-only-in-prose", on="seen", fix="unsafe")
def values_only_in_prose(node: Node) -> Iterator[ToolObservation]:
    """The few values that a parameter takes stand in its text, not in `enum`.

    What it does: looks in the descriptions of text parameters without an enum, a pattern or a format for words such as
    "one of" or "must be", followed by two quoted values or more; for words with `|` between them; and, where the name
    asks for a kind (mode, action, format), for words in brackets at the end. Lists that go on ("or any other", "etc."),
    examples, and texts that take several of them ("separated by commas") are fine.
    Why it is bad: no validator and no strict mode knows the values, so the model's slip reaches the tool.
    Example: `status: {type: string, description: "One of 'open' or 'closed'"}`.
    Use instead: `status: {type: string, enum: [open, closed], description: Which ones to list}`.
    Fix safety: unsafe; the values become an enum, and nothing else is accepted any more.
    """
    if node.name is None or value_types(node.schema, node.tool) != {"string"}:
        return
    if not {"enum", "const", "pattern", "format", "anyOf", "oneOf", "$ref"}.isdisjoint(node.schema):
        return
    several = _SEVERAL.search(node.description)
    values = [] if several else closed_values(node.description) or _kinds(node)
    if len(values) > 1 and not {other.name for other in node.tool.properties} & {*values}:
        yield ToolObservation(
            pointer=node.pointer,
            message=f"the values of {node.label} stand in the text, not in `enum`",
            hint=f"add `enum: [{', '.join(values[:6])}{', …' if len(values) > 6 else ''}]`",
            cause="values",
        )


_LEFT_OUT = re.compile(
    r"\A\W*optional\b|[(\[]optional[)\]]\W*\Z|\bleave (?:it |this )?(?:unset|undefined|out)\b"
    r"|(?:\A|[.;(]\s*)(?:if|when) (?:it is |this is )?(?:omitted|left out|not (?:provided|given|specified|supplied))"
    r"(?!,? (?:\w+ )?(?:ask|prompt|use|call|infer|find)\b)",
    re.IGNORECASE,
)
"""Words at the start of a text or a sentence that say what happens without the parameter."""


@audit_rule("UTP220", "info", "required-but-optional", on="seen")
def required_but_optional(node: Node) -> Iterator[ToolObservation]:
    """A required parameter is said to be optional.

    What it does: looks in the descriptions of required parameters for "optional" at the start or in brackets at the
    end, "leave unset", and sentences that begin with "if not provided", "if omitted". What to do first then ("if not
    provided, ask the user") is fine.
    Why it is bad: the model makes a value up, for the schema wants one.
    Example: `{properties: {region: {type: string, description: Optional region code}}, required: [region]}`.
    Use instead: `{properties: {region: {type: string, description: Optional region code}}, required: []}`
    Fix safety: no fix.
    """
    required = node.parent is not None and node.name in node.parent.required
    strict = bool(node.tool.strict_modes)  # there all are required, and null stands for left out
    if required and not strict and "null" not in value_types(node.schema, node.tool, null=True):
        found = _LEFT_OUT.search(node.description)
        if found:
            yield ToolObservation(
                pointer=node.pointer,
                message=f"{node.label} is required, and its text says that it may be left out",
                hint=f"take {node.name} out of `required`, or the words out of the text",
                cause="required",
            )


_ORDERED = re.compile(
    r"\b(?:must|should|has to|needs to|can only|may only|only) be (?:called|used|run|invoked) (?:only )?"
    r"(?:before|after) (?:the |calling |running |using )?[`'\"]?(?P<after>[A-Za-z][\w.-]*\w)"
    r"|\b(?:call|run|use|invoke) [`'\"]?(?P<first>[A-Za-z][\w.-]*\w)[`'\"]?"
    r" (?:first|before (?:this|calling this|using this))",
    re.IGNORECASE,
)


@audit_rule("UTP411", "info", "one-sided-order", on="set", status="preview")
def one_sided_order(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """A tool must be called after another one, and only one of the two says so.

    What it does: looks for "must be called after X" and "call X first", where X is a tool of the set whose text does
    not name this tool.
    Why it is bad: a model that has just called X does not know that a step is missing.
    Example: `tools: {ship_order: Must be called after pay_order., pay_order: Pay an order.}`
    Use instead: `tools: {ship_order: Must be called after pay_order., pay_order: Pay an order. Then call
    ship_order.}`
    Fix safety: no fix.
    """
    by_name = {tool.name: tool for tool in tools.tools}
    for tool in tools.tools:
        for found in _ORDERED.finditer(tool.description):
            other = by_name.get(found["after"] or found["first"])
            if other is not None and other is not tool and tool.name not in other.description:
                yield ToolObservation(
                    tool=tool,
                    pointer=tool.at("description"),
                    message=f"{tool.name} depends on {other.name}, which does not say so",
                    hint=f"name {tool.name} in the description of {other.name} too",
                )
                break


_HOME = re.compile(r"(?:/Users/|/home/|\b[A-Za-z]:\\{1,2}Users\\{1,2})(?P<name>[A-Za-z][\w.-]*)")
_ANYBODY = word_set(
    "user username users you your yourname yourusername yourname me name example somebody someone alice bob john jane"
    " johndoe janedoe john.doe jane.doe foo bar test tester dev developer admin ubuntu runner node app vscode shared"
    " public default all path project projects person user1 myuser my-user home.txt pi ec2-user root appuser"
)
"""Names of people who do not exist, and of accounts that every machine has."""
_INTERNAL = re.compile(r"\bhttps?://[\w.-]+\.(?:internal|intranet|corp|lan)\b(?!\.)", re.IGNORECASE)


@audit_rule("UTP511", "warning", "private-location", on="text")
def private_location(text: Text) -> Iterator[ToolObservation]:
    """A text names a place that only its author's machine or network has.

    What it does: looks in descriptions, defaults and examples for home folders of a named user and for hosts that end
    in .internal, .corp, .intranet or .lan. `/home/user`, `/path/to` and other stand-ins are fine; a home folder of
    Linux in a description is told only when this rule is asked for by its code.
    Why it is bad: the model passes it on, where it does not exist; and it tells strangers a name.
    Example: `{type: string, default: /Users/mkessler/reports}`.
    Use instead: `{type: string, default: reports}`.
    Fix safety: no fix.
    """
    if text.kind not in ("description", "default", "example", "examples", "const", "enum"):
        return
    home = next((found for found in _HOME.finditer(text.text) if found["name"].lower() not in _ANYBODY), None)
    place = home or _INTERNAL.search(text.text)
    if place:
        yield ToolObservation(
            pointer=text.pointer,
            message=f"{shown(place[0])} in a {text.kind} of {text.tool.name} exists on one machine only",
            hint="name a place that every caller has, or none",
            cause=place[0],
            opt_in=text.kind == "description" and place[0].startswith("/home"),
        )
