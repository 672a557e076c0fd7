"""UTP4xx, names across the set: styles, spellings, types, references from one tool to another."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from utp_cli.auditing.nodes import value_types
from utp_cli.auditing.subject import AuditedTool, AuditedToolSet, ToolObservation, audit_rule, shown
from utp_cli.auditing.words import content_words, stems, word_set
from utp_cli.protocol.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.nodes import Node

_STYLES = (
    ("dotted", re.compile(r"[^.]+(?:\.[^.]+)+")),
    ("kebab-case", re.compile(r"[^-]+(?:-[^-]+)+")),
    ("snake_case", re.compile(r"_*[^_]+(?:_+[^_]+)+_*")),
    ("camelCase", re.compile(r"[a-z][a-z0-9]*+[A-Z]\w*")),
    ("PascalCase", re.compile(r"[A-Z]+[a-z0-9]\w*")),
)


def style_of(name: str) -> str | None:
    """Return how a name joins its words; None for one word in lower case, which goes with any style."""
    return next((style for style, pattern in _STYLES if pattern.fullmatch(name)), None)


@audit_rule("UTP406", "info", "inconsistent-name-style", on="set")
def inconsistent_name_style(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """Names of one set are written in different styles.

    What it does: compares the styles of the tools' names; three must have a style. It compares property names too when
    this rule is asked for by its code: they are often taken over from the service's API.
    Why it is bad: the model writes the majority's style, and the odd name fails.
    Example: `tools: [get_user, list_users, deleteUser]`.
    Use instead: `tools: [get_user, list_users, delete_user]`.
    Fix safety: no fix.
    """
    yield from _odd_ones({tool.name: (tool, tool.at("name")) for tool in reversed(tools.tools)}, "tools")
    places: dict[str, tuple[AuditedTool, str]] = {}
    for tool in tools.tools:
        for node in tool.properties:
            places.setdefault(node.name or "", (tool, node.pointer))
    yield from _odd_ones(places, "properties")


def _odd_ones(places: dict[str, tuple[AuditedTool, str]], kind: str) -> Iterator[ToolObservation]:
    styles = {name: style for name in places if (style := style_of(name))}
    if len(styles) < 3:
        return
    usual, count = Counter(styles.values()).most_common(1)[0]
    for name, style in styles.items():
        if style != usual:
            tool, at = places[name]
            yield ToolObservation(
                tool=tool,
                pointer=at,
                message=f"{shown(name)} is {style}; {count} of {len(styles)} names are {usual}",
                hint=f"write it in {usual}",
                cause=f"styles of {kind}",
                opt_in=kind == "properties",
            )


_SPELLINGS = (
    "repo repository repo_name",
    "query q search_query search_term",
    "limit max_results max_count page_size per_page num_results",
    "path file_path filepath filename",
    "user_id uid",
    "start_date from_date date_from",
    "end_date to_date date_to",
    "lang language",
    "msg message",
)
_SPANS = frozenset({"start_date", "end_date"})
"""Families whose names are the service's: a report runs from one date to another, a sheet starts and ends."""
_SPELLING_OF = {name.replace("_", ""): line.split()[0] for line in _SPELLINGS for name in line.split()}


@audit_rule("UTP407", "warning", "inconsistent-parameter-name", on="set")
def inconsistent_parameter_name(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """Two tools call the same parameter differently.

    What it does: compares top-level names without case, `_` and `-`, and by families such as repo, repository, where
    the descriptions are much alike. Names that stand side by side in one tool mean different things. First and last
    days (`start_date`, `from_date`) are told only when this rule is asked for by its code.
    Why it is bad: the model learns one spelling and uses it everywhere.
    Example: `tools: {list_issues: {properties: {repo: {…}}}, close_issue: {properties: {repository: {…}}}}`.
    Use instead: `tools: {list_issues: {properties: {repo: {…}}}, close_issue: {properties: {repo: {…}}}}`.
    Fix safety: no fix.
    """
    top = {tool.index: _top_level(tool) for tool in tools.tools}
    together: set[str] = set()
    for names in top.values():
        counts = Counter(map(_plain, names))
        together.update(name for name in names if counts[_plain(name)] > 1)
    first: dict[str, dict[str, tuple[AuditedTool, frozenset[str]]]] = {}
    for tool in tools.tools:
        for name, node in top[tool.index].items():
            key, types = _plain(name), value_types(node.schema, tool)
            known = first.setdefault(key, {})
            alike = [
                other
                for other, (owner, kind) in known.items()
                if other != name and owner is not tool and (not types or not kind or types & kind)
            ]
            if alike and name not in known and name not in together:
                yield ToolObservation(
                    tool=tool,
                    pointer=node.pointer,
                    message=f"{tool.name} says {name}, {known[alike[0]][0].name} says {alike[0]}",
                    hint="use one name in all tools",
                    cause="styles" if _bare(name) == _bare(alike[0]) else "",
                    opt_in=_bare(name) != _bare(alike[0])
                    and (key in _SPANS or not _same_kind(node, top[known[alike[0]][0].index][alike[0]])),
                )
            known.setdefault(name, (tool, types))


def _top_level(tool: AuditedTool) -> dict[str, Node]:
    return {node.name: node for node in tool.properties if node.depth == 1 and node.name is not None}


def _plain(name: str) -> str:
    plain = re.sub(r"[_-]", "", name.lower())
    return _SPELLING_OF.get(plain, plain)


@audit_rule("UTP408", "info", "inconsistent-parameter-type", on="set")
def inconsistent_parameter_type(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """The same parameter has different types in two tools.

    What it does: compares the types of top-level properties of one name; integer and number are one, null and untyped
    do not count. Where one takes a list or an object (`data` of one row, of many), or the descriptions do not say that
    the same thing is meant (0.6 of their content words are common), it is told only when this rule is asked for by its
    code.
    Why it is bad: the model carries a value from one tool to the other, and the call fails.
    Example: `tools: {get_user: {properties: {user_id: {type: integer, description: Number of the user account}}},
    ban_user: {properties: {user_id: {type: string, description: Number of the user account}}}}`.
    Use instead: one type: `tools: {get_user: {user_id: {type: integer}}, ban_user: {user_id: {type: integer}}}`.
    Fix safety: no fix.
    """
    first: dict[str, tuple[AuditedTool, frozenset[str]]] = {}
    told: set[str] = set()
    top = {tool.index: _top_level(tool) for tool in tools.tools}
    for tool in tools.tools:
        for name, node in top[tool.index].items():
            types = frozenset("number" if t == "integer" else t for t in value_types(node.schema, tool))
            if not types:
                continue
            owner, known = first.setdefault(name, (tool, types))
            if known.isdisjoint(types) and name not in told:
                told.add(name)
                yield ToolObservation(
                    tool=tool,
                    pointer=node.pointer,
                    message=f"{name} is {' or '.join(sorted(types))} in {tool.name},"
                    f" {' or '.join(sorted(known))} in {owner.name}",
                    hint="use one type in all tools",
                    opt_in=not (types | known) <= _SCALARS or not _same_thing(node, top[owner.index][name]),
                )


_SCALARS = frozenset({"string", "number", "boolean"})


def _same_kind(one: Node, two: Node) -> bool:
    """Say whether a third of the content words of two descriptions are common, and both mean a file, or a folder."""
    left, right = stems(content_words(one.description)), stems(content_words(two.description))
    if _FOLDERS.isdisjoint(left) != _FOLDERS.isdisjoint(right):
        return False
    return len(left & right) >= max(1, len(left | right) / 3)


_FOLDERS = stems(word_set("directory folder"))


def _same_thing(one: Node, two: Node) -> bool:
    """Say whether two descriptions speak of the same thing in much the same words."""
    left, right = content_words(one.description), content_words(two.description)
    return len(left & right) >= max(3, 0.6 * len(left | right))


_IDENTIFIER = r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*"
_REFERENCE = re.compile(
    rf"`(?P<ticked>{_IDENTIFIER}|[A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*)(?:\(\))?`"
    rf"|\b(?i:use|call|run|invoke|see|prefer|via) (?:the )?(?P<bare>{_IDENTIFIER})\b(?![./=:]\w)",
)
_TOOL_WORDS = re.compile(r"\b(?:use|call|calling|tools?|instead|first|before|after|run|invoke)\b", re.IGNORECASE)
_NO_TOOL = re.compile(
    r"\W{0,3}(?:parameter|argument|field|option|property|flag|header|column|key|value|object|variable|setting|is|=|:)",
    re.IGNORECASE,
)


@audit_rule("UTP409", "warning", "unknown-tool-reference", on="set")
def unknown_tool_reference(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """A description sends the model to a tool that is not there.

    What it does: looks for names in back-ticks, or after use, call, see and the like, that are no tool of the set, no
    property and no enum value, but almost the name of one: with other joints, without a prefix, with a slip. Other
    names are told only when this rule is asked for by its code; they may be fields of an answer, or tools elsewhere.
    Why it is bad: the model calls it, and the call fails.
    Example: `tools: {open_session: Open a session., get_items: Return the items. Call open_sesion first.}`
    Use instead: `tools: {open_session: Open a session., get_items: Return the items. Call open_session first.}`
    Fix safety: no fix.
    """
    known = {text.text for tool in tools.tools for text in tool.texts if text.kind in ("name", "key", "enum", "const")}
    joined = {_bare(tool.name): tool.name for tool in tools.tools if tool.name}
    for tool in tools.tools:
        told: set[str] = set()
        for text in tool.texts:
            if text.kind != "description":
                continue
            for found in _REFERENCE.finditer(text.text):
                name = found["ticked"] or found["bare"]
                if (
                    not known & {name, f"{name}s", name.removesuffix("s")}
                    and name not in told
                    and _means_tool(text.text, found)
                ):
                    told.add(name)
                    meant = _tool_meant(name, joined)
                    yield ToolObservation(
                        tool=tool,
                        pointer=text.pointer,
                        message=f"{tool.name} speaks of {name}, and there is no such tool in the set",
                        hint=f"did you mean '{meant}'?" if meant else "name a tool of the set",
                        opt_in=meant is None or meant == tool.name,
                        cause="without its prefix" if _is_end_of(name, meant) else name,
                    )


def _is_end_of(name: str, meant: str | None) -> bool:
    """Say whether it is the tool's name without what stands before it: a habit of the set, told once."""
    return meant is not None and _bare(meant) != _bare(name) and _bare(meant).endswith(_bare(name))


def _tool_meant(name: str, joined: dict[str, str]) -> str | None:
    """Return the tool whose name this almost is. `joined` has the tools by their names without case and joints."""
    bare = _bare(name)
    if bare in joined:
        return joined[bare]
    if len(bare) < LONG_ENOUGH or len(joined) > MANY_TOOLS:
        return None
    ended = [tool for other, tool in joined.items() if other.endswith(bare)]
    return ended[0] if len(ended) == 1 else joined.get(nearest(bare, joined, cutoff=A_SLIP) or "")


LONG_ENOUGH = 8
"""Letters of a name from which on a likeness is no chance."""
A_SLIP = 0.9
"""How like a name must be to be a slip for another: one letter in ten."""
MANY_TOOLS = 200
"""Names among which the nearest is looked for; more would cost more than a hint is worth."""


def _bare(name: str) -> str:
    return re.sub(r"[_.-]", "", name.lower())


_CALLED_WITH = re.compile(r"\([^)]")
"""A function of a query language, with its arguments."""


def _means_tool(text: str, found: re.Match[str]) -> bool:
    name = found["ticked"] or found["bare"]
    of_a_kind = text[max(0, found.start() - 4) : found.start()].lower().split()[-1:] in (["a"], ["an"])
    if name.isupper() or of_a_kind or _NO_TOOL.match(text, found.end()) or _CALLED_WITH.match(text, found.end()):
        return False
    if found["bare"]:
        return True
    around = text[max(0, found.start() - 40) : found.start()] + " " + text[found.end() : found.end() + 25]
    return bool(_TOOL_WORDS.search(around))
