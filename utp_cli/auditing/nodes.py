"""One walk over a tool's schemas. Rules look at its nodes; nobody walks again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from utp_cli.auditing.words import word_set
from utp_cli.protocol.spans import pointer, pointer_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.subject import AuditedTool

BY_NAME = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
"""Keywords whose value maps names to schemas."""
IN_LIST = ("anyOf", "oneOf", "allOf", "prefixItems")
"""Keywords whose value is a list of schemas."""
ALONE = word_set(
    "items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties"
)
"""Keywords whose value is one schema."""
MAX_NODES = 50_000
MAX_DEPTH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One schema within a tool: the root, a property, an item, a branch, a definition."""

    tool: AuditedTool
    schema: dict[str, Any]
    pointer: str
    """Into the tool's definition as written."""
    keyword: str = ""
    """The keyword it stands under; `""` for the root."""
    name: str | None = None
    """The property's name, where it is the schema of one."""
    parent: Node | None = None
    depth: int = 0
    """Schemas above it."""
    types: tuple[str, ...]
    """Declared type names; Gemini's capitals in lower case."""

    def at(self, *keys: str | int) -> str:
        """Return the pointer to a key of the schema."""
        return self.pointer + pointer(*keys)

    @property
    def label(self) -> str:
        """What a message calls it: `search.query`, `search parameters`."""
        owner = self
        while owner.name is None and owner.parent is not None:
            owner = owner.parent
        return f"{self.tool.name}.{owner.name}" if owner.name is not None else f"the schema of {self.tool.name}"

    @property
    def description(self) -> str:
        """The description; `""` where there is none."""
        found = self.schema.get("description")
        return found if isinstance(found, str) else ""

    @property
    def properties(self) -> dict[str, Any]:
        """The properties as written; `{}` where there are none."""
        found = self.schema.get("properties")
        return found if isinstance(found, dict) else {}

    @property
    def required(self) -> list[str]:
        """The names in `required`."""
        found = self.schema.get("required")
        return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []

    @property
    def is_object(self) -> bool:
        """Whether it describes an object."""
        return "object" in self.types or "properties" in self.schema


def types_of(schema: dict[str, Any]) -> tuple[str, ...]:
    """Return the declared type names: `()` where there are none."""
    declared = schema.get("type")
    if isinstance(declared, str):
        return (declared,)
    return tuple(t for t in declared if isinstance(t, str)) if isinstance(declared, list) else ()


def _types(tool: AuditedTool, schema: dict[str, Any]) -> tuple[str, ...]:
    types = types_of(schema)
    return tuple(kind.lower() for kind in types) if tool.definition.tool.form == "gemini" else types


def value_types(schema: dict[str, Any], tool: AuditedTool, *, null: bool = False) -> frozenset[str]:
    """Return the types a value may have, seen through `$ref`, anyOf and oneOf; null left out unless asked for."""
    found: set[str] = set()
    waiting, seen = [schema], 0
    while waiting and seen < 50:
        current, seen = waiting.pop(), seen + 1
        found.update(kind.lower() for kind in types_of(current))
        for key in ("anyOf", "oneOf"):
            branches = current.get(key)
            waiting.extend(b for b in branches if isinstance(b, dict)) if isinstance(branches, list) else None
        target = resolve(tool.schema, current.get("$ref"))
        waiting.extend([target] if isinstance(target, dict) else [])
    return frozenset(found if null else found - {"null"})


def resolve(root: Any, ref: Any) -> Any:
    """Return what a local `$ref` points to; None where it finds nothing."""
    if not isinstance(ref, str) or not ref.startswith("#"):
        return None
    target = root
    for part in pointer_parts(unquote(ref[1:])):
        if isinstance(target, dict) and part in target:
            target = target[part]
        elif isinstance(target, list) and part.isdecimal() and int(part[:9]) < len(target):
            target = target[int(part[:9])]
        else:
            return None
    return target


def walk(tool: AuditedTool, root: Any, at: str) -> Iterator[Node]:
    """Yield the schemas in order of writing. Stops at `MAX_NODES` schemas, and below `MAX_DEPTH`."""
    if not isinstance(root, dict):
        return
    waiting = [Node(tool=tool, schema=root, pointer=at, types=_types(tool, root))]
    for _ in range(MAX_NODES):
        if not waiting:
            return
        node = waiting.pop()
        yield node
        if node.depth < MAX_DEPTH:
            waiting.extend(reversed(list(_children(node))))


def reachable(nodes: list[Node], root: str) -> list[Node]:
    """Return the schemas below the root, without those of definitions that nothing refers to."""
    inside: dict[str, list[Node]] = {"": []}
    home: dict[str, str] = {}
    for node in nodes:
        defines = node.keyword in ("$defs", "definitions")
        home[node.pointer] = node.pointer if defines else home[node.parent.pointer] if node.parent else ""
        inside.setdefault(home[node.pointer], []).append(node)
    found: set[str] = set()
    waiting = [""]
    while waiting:
        place = waiting.pop()
        if place not in found:
            found.add(place)
            refs = [node.schema.get("$ref") for node in inside[place]]
            targets = [ref_pointer(ref, root) for ref in refs if isinstance(ref, str)]
            waiting.extend(home[target] for target in targets if target in home)
    return [node for node in nodes if node.parent is not None and home[node.pointer] in found]


def ref_pointer(ref: str, root: str) -> str:
    """Return where a local `$ref` leads, as a pointer into the definition."""
    return root + pointer(*pointer_parts(unquote(ref[1:])))


def _children(node: Node) -> Iterator[Node]:
    for keyword, value in node.schema.items():
        if keyword in ALONE and isinstance(value, dict):
            yield _child(node, value, keyword)
        elif keyword in BY_NAME and isinstance(value, dict):
            for name, schema in value.items():
                if isinstance(schema, dict):
                    yield _child(node, schema, keyword, str(name))
        elif (keyword in IN_LIST or keyword == "items") and isinstance(value, list):
            for index, schema in enumerate(value):
                if isinstance(schema, dict):
                    yield _child(node, schema, keyword, index)


def _child(node: Node, schema: dict[str, Any], keyword: str, key: str | int | None = None) -> Node:
    return Node(
        tool=node.tool,
        schema=schema,
        pointer=node.at(keyword) if key is None else node.at(keyword, key),
        keyword=keyword,
        name=str(key) if keyword == "properties" else None,
        parent=node,
        depth=node.depth + 1,
        types=_types(node.tool, schema),
    )
