"""UTP4xx, the set of tools: its size, and tools that look alike."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from utp_cli.auditing.subject import AuditedTool, AuditedToolSet, ToolObservation, audit_rule, compact
from utp_cli.auditing.verbs import FAMILY_OF, GENERIC_NAMES, VERBS
from utp_cli.auditing.words import content_words, first_sentence, stems, words
from utp_cli.facts.providers import USUAL_TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator


@audit_rule("UTP401", "warning", "near-duplicate-names", on="set")
def near_duplicate_names(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """Two tools have names that mean the same.

    What it does: compares names without case and `_ - .`, without regard to the order of words, and with verbs of one
    family (get, fetch, retrieve, …) taken as one. Where the descriptions tell the two apart they are told only when
    this rule is asked for by its code.
    Why it is bad: the model picks either.
    Example: `tools: [get_user, fetch_user]`.
    Use instead: `tools: [get_user]`.
    Fix safety: no fix.
    """
    seen: dict[object, AuditedTool] = {}
    for tool in tools.tools:
        parts = words(tool.name)
        if not parts:
            continue
        keys: list[object] = [re.sub(r"[_.-]", "", tool.name.lower()), _by_family(parts)]
        if _DIRECTIONS.isdisjoint(parts):
            keys.append(frozenset(Counter(parts).items()))
        twins = [seen[key] for key in keys if key in seen and seen[key].name != tool.name]
        if twins:
            yield ToolObservation(
                tool=tool,
                pointer=tool.at("name"),
                message=f"{tool.name} and {twins[0].name} mean the same",
                hint="make them one tool, or name what sets them apart",
                opt_in=_are_told_apart(tool, twins[0]),
            )
        for key in keys:
            seen.setdefault(key, tool)


def _are_told_apart(one: AuditedTool, two: AuditedTool) -> bool:
    """Say whether in the descriptions, or in their first sentences, fewer than half of the words are common."""
    return any(
        _differ(content_words(of(one.description)), content_words(of(two.description))) for of in (str, first_sentence)
    )


def _differ(left: frozenset[str], right: frozenset[str]) -> bool:
    return bool(left and right) and len(stems(left) & stems(right)) < 0.5 * len(stems(left) | stems(right))


_DIRECTIONS = frozenset({"to", "from", "into", "by", "of", "in", "with", "2", "vs"})
"""Words that make the order matter: `celsius_to_kelvin` is not `kelvin_to_celsius`."""


def _by_family(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Replace the first verb by the name of its family."""
    for index, part in enumerate(parts):
        if part in FAMILY_OF:
            return (*parts[:index], FAMILY_OF[part], *parts[index + 1 :])
    return parts


FORMULAIC = 6
"""Tools in a set from which on the words that most descriptions share set nothing apart."""


@audit_rule("UTP402", "warning", "overlapping-descriptions", on="set")
def overlapping_descriptions(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """Two tools are described in the same words.

    What it does: looks for equal texts. Others that share
    0.8 of their content words are told only when this rule is asked for by its code, unless each has a word of its own
    that also stands in its tool's name (`read_file`, `write_file`); so are equal texts of names where one pair of first
    words sets three pairs apart (`cairo_token`, `solidity_token`).
    Why it is bad: the model picks either.
    Example: `tools: {search_docs: Search the documents for a phrase, find_docs: Search the documents for a
    phrase}`.
    Use instead: `tools: {search_docs: Search the public manuals for a phrase, search_drafts: Find unpublished texts
    by their author}`.
    Fix safety: no fix.
    """
    said = [content_words(tool.description) for tool in tools.tools]
    common = Counter(word for found in said for word in found)
    if len(said) >= FORMULAIC:
        formula = {word for word, count in common.items() if count > len(said) / 2}
        said = [found - formula for found in said]
    by_word: dict[str, list[int]] = {}
    by_text: dict[str, int] = {}
    systems = _systems(tools)
    for index, tool in enumerate(tools.tools):
        text = " ".join(tool.description.split())
        # Two sets that share 0.8 of their words share one of their rarest fifth: only there we look.
        rarest = sorted(said[index], key=lambda word: (common[word], word))[: len(said[index]) // 5 + 1]
        near = sorted({other for word in rarest for other in by_word.get(word, ())[-50:]})
        earlier = [other for other in near if _overlap(tools, said, other, index)]
        earlier = [by_text[text]] if text in by_text else earlier
        if earlier and text:
            first = tools.tools[earlier[0]]
            yield ToolObservation(
                tool=tool,
                pointer=tool.at("description"),
                message=f"{tool.name} is described in the same words as {first.name}",
                hint="say what sets them apart, and when to use which",
                opt_in=text not in by_text or systems[_system(first, tool)] >= SYSTEMATIC,
                cause="equal texts" if text in by_text else "",
            )
        by_text.setdefault(text, index)
        for word in rarest:
            by_word.setdefault(word, []).append(index)


SYSTEMATIC = 3
"""Pairs of tools from which on what sets their names apart is a system, as of languages or hosts."""


def _systems(tools: AuditedToolSet) -> Counter[tuple[str, ...]]:
    """Count the pairs of first words that alone set names of equally described tools apart."""
    first_with: dict[str, AuditedTool] = {}
    pairs = ((first_with.setdefault(tool.description, tool), tool) for tool in tools.tools)
    return Counter(_system(one, two) for one, two in pairs if one is not two and _system(one, two))


def _system(one: AuditedTool, two: AuditedTool) -> tuple[str, ...]:
    left, right = words(one.name), words(two.name)
    return (left[0], right[0]) if left[1:] == right[1:] != () else ()


def _overlap(tools: AuditedToolSet, said: list[frozenset[str]], one: int, two: int) -> bool:
    left, right = said[one], said[two]
    if min(len(left), len(right)) < 4 or len(left & right) < 0.8 * len(left | right):
        return False
    names = [words(tools.tools[index].name) for index in (one, two)]
    if left == right and names[0] != names[1] and sorted(names[0]) == sorted(names[1]):
        return _DIRECTIONS.isdisjoint(names[0])
    return not (stems(left - right) & stems(names[0]) and stems(right - left) & stems(names[1]))


MANY = 100
"""Tools that a client can still send at once; from 128 on the first provider refuses."""


@audit_rule("UTP403", "warning", "too-many-tools", on="set")
def too_many_tools(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """The set is too large to choose from.

    What it does: allows 40 tools (`max-tools`). No such number is sharp: up to 100 are told only when this rule is
    asked for by its code.
    Why it is bad: models choose worse the more there is to choose from.
    Example: 118 tools.
    Use instead: several smaller sets, or tools found on demand.
    Fix safety: no fix.
    """
    limit = tools.options.max_tools
    if len(tools.tools) > limit:
        yield ToolObservation(
            tool=tools.tools[limit],
            pointer="",
            message=f"{len(tools.tools)} tools in one set; models choose well among {limit}",
            hint="split the set, or let tools be found on demand",
            opt_in=len(tools.tools) <= MANY and limit == USUAL_TOOLS,
        )


@audit_rule("UTP404", "warning", "token-budget", on="set")
def token_budget(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """The definitions take too many tokens.

    What it does: counts four characters of compact JSON as a token (`--tokenizer` for an exact count) and allows 20 %
    of `--context-window`, or 10,000 (`max-tokens`).
    Why it is bad: every request pays for them, and the conversation has less room.
    Example: 28,000 tokens.
    Use instead: shorter descriptions, fewer tools.
    Fix safety: no fix.
    """
    options = tools.options
    count = options.tokenizer or (lambda text: len(text) // 4)
    each = [count(compact(tool.definition.raw)) for tool in tools.tools]
    limit = options.context_window // 5 if options.context_window else options.max_tokens
    total = sum(each)
    if total > limit:
        heaviest = sorted(range(len(each)), key=lambda index: -each[index])[:5]
        named = ", ".join(f"{tools.tools[index].name} ({each[index]:,})" for index in heaviest)
        of_what = f"20 % of the {options.context_window:,} of the window" if options.context_window else f"{limit:,}"
        yield ToolObservation(
            tool=tools.tools[heaviest[0]],
            pointer="",
            message=f"the definitions take about {total:,} tokens, more than {of_what}; heaviest: {named}",
            hint="shorten the heaviest first",
        )


@audit_rule("UTP405", "info", "missing-namespace", on="set", status="deprecated")
def missing_namespace(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """Many tools, and their names do not say what they belong to.

    What it does: with more than 15 tools, wants 60 % of the names to share a first word that is no verb, or one service
    name to stand first or last in 60 % of them.
    Why it is bad: beside another server's tools nobody can tell whose `search` it is. Deprecated, for MCP clients put
    the server's name before the tool's themselves.
    Example: 16 tools, `search`, `create_page`, ….
    Use instead: 16 tools, `wiki_search`, `wiki_create_page`, ….
    Fix safety: no fix.
    """
    named = [words(tool.name) for tool in tools.tools if words(tool.name)]
    if len(named) <= 15:
        return
    first = Counter(parts[0] for parts in named if parts[0] not in VERBS)
    last = Counter(parts[-1] for parts in named if len(parts) > 1)
    grouped = sum(count for count in first.values() if count > 1)
    service = max((*first.values(), *last.values()), default=0)
    if max(grouped, service) < 0.6 * len(named):
        yield ToolObservation(
            tool=tools.tools[-1],
            pointer=tools.tools[-1].at("name"),
            message=f"the names of these {len(named)} tools do not say what they belong to",
            hint="begin them with the service's name, as in `wiki_search`",
        )


@audit_rule("UTP410", "info", "generic-tool-name", on="set", default=False)
def generic_tool_name(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """A tool is called by a bare verb.

    What it does: knows run, execute, search, get and the like, in sets of two tools or more.
    Why it is bad: the model cannot tell what is searched, and another server's tool is called the same.
    Example: `tools: [search, close_ticket]`.
    Use instead: `tools: [search_tickets, close_ticket]`.
    Fix safety: no fix.
    """
    for tool in tools.tools if len(tools.tools) > 1 else ():
        if tool.name.lower() in GENERIC_NAMES:
            yield ToolObservation(
                tool=tool,
                pointer=tool.at("name"),
                message=f"{tool.name} could do anything",
                hint=f"say of what, as in `{tool.name}_tickets`",
            )
