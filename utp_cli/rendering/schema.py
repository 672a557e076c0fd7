"""A tool's schema as a target takes it: one walk, bounded in depth and size, that says what it loses.

What a target cannot say is put in words into the description nearest to it. A value that the sent schema allows is
meant to be one that the tool takes: where the translation must choose, it is narrower and keeps the type. (Gemini has
no object without properties: there such an object is text that holds JSON.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from utp_cli.rendering.values import DEPTH, copied
from utp_cli.rendering.walk import Schema, Walk, mapping, texts
from utp_cli.schemas.bounds import BRANCHES
from utp_cli.schemas.resolve import resolve

if TYPE_CHECKING:
    from utp_cli.protocol.tools import Tool
    from utp_cli.rendering.losses import Loss
    from utp_cli.rendering.targets import SchemaTarget

ROOT = "/parameters"


@dataclass(frozen=True, slots=True, kw_only=True)
class Translated:
    """A schema and what could not be said in it."""

    schema: Schema
    """Has `type` (object) and `properties`."""
    words: tuple[str, ...]
    """What belongs into the tool's description, since the root has none that a model reads."""
    losses: tuple[Loss, ...]


def translate(tool: Tool, target: SchemaTarget) -> Translated:
    """Return the tool's parameters as the target takes them. Raises nothing, whatever the schema."""
    root, deep = copied(tool.parameters)
    walk = Walk(tool.name, mapping(root), target)
    if deep:
        walk.lose(ROOT, "", "dropped", f"what lies deeper than {DEPTH} levels is left out")
    schema = _narrow(walk) if target.subset else _full(walk)
    return Translated(schema=schema, words=tuple(walk.words), losses=tuple(walk.losses))


def _full(walk: Walk) -> Schema:
    """Keep everything but what may not stand at the root."""
    found = walk.root
    if found.keys() & {"$ref", *walk.target.root_refused}:
        found = walk.flat(found, ROOT, ())[0] or {}
        for keyword in walk.target.root_refused:
            _spread(walk, found, keyword)
    for keyword in walk.target.root_refused:
        if keyword in found:
            walk.say(walk.words, keyword, found.pop(keyword), ROOT)
    properties = mapping(found.get("properties"))
    names = walk.sent_names(properties, ROOT, 0)
    schema = {**found, "type": "object", "properties": {names[name]: value for name, value in properties.items()}}
    if "required" in found:
        schema["required"] = [names.get(name, name) for name in texts(found["required"])]
    return schema


def _narrow(walk: Walk) -> Schema:
    """Translate the root, then the definitions it refers to."""
    found = walk.flat(walk.root, ROOT, ())[0] or {}
    walk.rewrite(found, ROOT)
    _spread(walk, found, "anyOf")
    found["type"] = ["object"]
    schema = walk.simple(found, ["object"], ROOT, (), 0) or _empty(walk.target)
    definitions: Schema = {}
    for ref in walk.waiting:  # translating one may add more
        name = walk.definitions[ref]
        child = walk.node(resolve(ref, walk.root), f"{ROOT}/$defs/{name}", (ref,), 1)
        definitions[name] = child or _empty(walk.target)
    return {**schema, "$defs": definitions} if definitions else schema


def _empty(target: SchemaTarget) -> Schema:
    schema: Schema = {"type": "OBJECT" if target.one_type else "object", "properties": {}}
    return (
        {**schema, "required": [], "additionalProperties": False} if target.subset and target.subset.closed else schema
    )


def _spread(walk: Walk, found: Schema, keyword: str) -> None:
    """Make the alternatives of a root optional properties of one object, and tell of them in words."""
    branches = found.get(keyword)
    if keyword not in ("anyOf", "oneOf") or not isinstance(branches, list):
        return
    del found[keyword]
    parts = [walk.flat(branch, ROOT, ())[0] or {} for branch in branches[:BRANCHES]]
    common = dict(mapping(found.get("properties")))
    for part in parts:
        for name, schema in mapping(part.get("properties")).items():
            known = common.setdefault(name, schema)
            common[name] = known if known == schema else {"anyOf": [known, schema]}
    needed = [set(texts(part.get("required"))) for part in parts]
    shared = set.intersection(*needed) if needed else set()
    found["properties"] = common
    found["required"] = list(dict.fromkeys([*texts(found.get("required")), *sorted(shared)]))
    ways = " or ".join(", ".join(sorted(names - shared)) or "none of these" for names in needed)
    if any(names - shared for names in needed):
        walk.words.append(f"give {ways}")
    walk.lose(f"{ROOT}/{keyword}", keyword, "bent", "a root cannot have alternatives: their properties are optional")
