"""UTP205, parameters without a description: which of them a careful author would describe."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from utp_cli.auditing.nodes import Node, around_it, value_types
from utp_cli.auditing.prose import prose_parameters
from utp_cli.auditing.schemas import misplaced_properties
from utp_cli.auditing.subject import AuditedToolSet, ToolObservation, audit_rule
from utp_cli.auditing.words import stem, stems, word_set, words
from utp_cli.schemas.types import branches

if TYPE_CHECKING:
    from collections.abc import Iterator


@audit_rule("UTP205", "warning", "param-missing-description", on="set")
def param_missing_description(tools: AuditedToolSet) -> Iterator[ToolObservation]:
    """A parameter has no description.

    What it does: looks at properties at any depth; not at those with a single possible value, nor at those whose text
    stands in a block of the tool's description (UTP215). Unless it is asked for by its code it passes over those that
    can do without: optional ones in a set that describes most of its parameters, switches, what the tool's description
    names, what has a default or plain values, names that say it all (`query`, `url`, `limit`), and the id of a thing
    that the names of the tools speak of (`order_id` beside `list_orders`).
    Why it is bad: the model guesses what to pass from the name.
    Example: `station: {type: string}`.
    Use instead: `station: {type: string, description: "IATA code of the airport, e.g. LIS"}`.
    Fix safety: no fix.
    """
    things = stems(tuple(word for tool in tools.tools for word in words(tool.name)))
    top = [is_described(node) for tool in tools.tools for node in tool.properties if node.depth == 1]
    most = sum(top) > len(top) / 2
    for tool in tools.tools:
        in_prose = {name for name, _, _ in prose_parameters(tool.description)}
        for node in tool.properties:
            if not (
                node.name in in_prose or is_described(node) or _has_one_value(node) or misplaced_properties(node.schema)
            ):
                yield ToolObservation(
                    tool=tool,
                    pointer=node.pointer,
                    message=f"{node.label} has no description",
                    hint="say which values it takes, with an example",
                    opt_in=_says_enough(node)
                    or _is_of_a_known_thing(node, things)
                    or (most and not _is_required(node) and not _is_anything(node)),
                    cause="no description",
                )


_IDS = word_set("id ids uid uids uuid uuids gid iid sid pid")
_PLAIN_ENDS = _IDS | word_set("name names value values key")
"""Names that say all where the thing that they belong to is named."""
_COLUMNS = word_set("field column property")
"""Names that say all inside a filter or an order."""


def _is_of_a_known_thing(node: Node, things: set[str]) -> bool:
    """Say whether it is the id of a thing that tools are named after, or `id`, `name` of the thing around it.

    The tools of the set give such an id out, or the tool's text says what it is; the tool's own name says whose `name`
    is meant: `rename_label.name`.
    A path of a tool that is named after files is one of theirs.
    """
    *of_what, last = words(node.name or "") or ("",)
    if len(of_what) > 1 and len(last) == 1:
        *of_what, last = of_what  # run_id_a, run_id_b
    if of_what:
        return last in _IDS and (
            of_what == ["parent"]
            or stem(of_what[-1]) in things
            or (len(of_what) == 1 and stem(of_what[0]) in stems(words(node.tool.description)))
        )
    named = words(node.tool.name)
    if last == "path":
        return not _FILES.isdisjoint(stems(named))
    inside = node.depth > 1
    return (last in _PLAIN_ENDS and (inside or len(named) > 1)) or (inside and last in _COLUMNS)


_FILES = stems(word_set("file directory folder dir"))


_TELLING_NAMES = word_set(
    "query q url uri limit offset page cursor text content title body message email subject filename filepath language"
    " lang count size width height latitude longitude color colour prompt question answer code command script sql"
    " keyword keywords term timezone country city username password host port branch repo owner comment comments tags"
    " summary verbose force recursive dry_run timeout seed temperature max min start end steps index description notes"
    " label labels skip take top sort order topic author category pid client_id year month day hour minute second"
)
"""Names of parameters that are understood without a word."""
_TELLING_ENDS = word_set(
    "url uri name title email text query limit count date path file size key slug page offset content message body"
    " description comment color colour width height language lang prompt username password longitude latitude lon lng"
    " lat names titles urls emails paths files keys tags token secret"
    " ms seconds minutes hours days kg mm cm km px percent bytes mb gb"
)
"""Last words of names of two words or more that say what is due; `user_id` does not say which id."""
_BOUNDS = word_set("max min maximum minimum")
"""First words that say it with whatever follows: `max_depth`."""


def _says_enough(node: Node) -> bool:
    """Say whether a careful author would leave the property without a description."""
    parts, types = words(node.name or ""), value_types(node.schema, node.tool)
    if node.depth > 1 and not _is_needed(node):
        return True  # nobody describes each branch of a large schema
    if "default" in node.schema or "enum" in node.schema or not {"format", "pattern"}.isdisjoint(node.schema):
        return True
    if (
        len(node.name or "") == 1
        or types == {"boolean"}
        or (node.name or "").lower() in _TELLING_NAMES
        or "_".join(parts) in _TELLING_NAMES
    ):
        return True
    items = node.schema.get("items")
    if isinstance(items, dict) and not {"description", "enum"}.isdisjoint(items):
        return True
    if "object" in types or (isinstance(items, dict) and items.get("type") != "string"):
        return _has_properties(node) or _is_spoken_of(node, parts)
    telling = len(parts) > 1 and (parts[-1] in _TELLING_ENDS or parts[0] in _BOUNDS)
    return telling or _is_spoken_of(node, parts)


def _is_required(node: Node) -> bool:
    return node.parent is not None and node.name in node.parent.required


def _is_anything(node: Node) -> bool:
    """Say whether it is an object, a list of them, or has no type at all: no name says what is in it."""
    items = node.schema.get("items")
    types = value_types(items if isinstance(items, dict) else node.schema, node.tool)
    return not types or "object" in types


def _is_needed(node: Node) -> bool:
    is_branch = any(around.keyword in ("anyOf", "oneOf", "allOf") for around in around_it(node))
    return _is_required(node) and node.depth <= MANY_LEVELS and not is_branch


MANY_LEVELS = 3
"""Schemas above a property from which on nobody describes each."""


def _has_properties(node: Node) -> bool:
    """Say whether it is an object, or a list of them, that lists its properties."""
    items = node.schema.get("items")
    return any(branch.get("properties") for branch in branches(items or node.schema, node.tool.schema))


def _is_spoken_of(node: Node, parts: tuple[str, ...]) -> bool:
    """Say whether a text above it names the property, or the tool's says the words of its name together."""
    said = node.tool.description
    above = [said, *(around.description for around in around_it(node))]
    if node.name and any(re.search(rf"(?<!\w){re.escape(node.name)}(?!\w)", text) for text in above):
        return True
    stemmed = f" {' '.join(map(stem, parts))} "
    return bool(parts) and (stemmed in _stemmed(said) or stemmed in _stemmed(node.tool.name))


@lru_cache(maxsize=64)
def _stemmed(text: str) -> str:
    return f" {' '.join(map(stem, words(text)))} "


def is_described(node: Node) -> bool:
    """Say whether the property, the definition it refers to, or a branch of it has a description."""
    said = [branch.get("description") for branch in branches(node.schema, node.tool.schema)]
    return any(text is not None and not (isinstance(text, str) and not text.strip()) for text in said)


def _has_one_value(node: Node) -> bool:
    enum = node.schema.get("enum")
    takes_nothing = node.schema.get("properties") == {} and node.schema.get("additionalProperties") is False
    return takes_nothing or "const" in node.schema or (isinstance(enum, list) and len(enum) == 1)
