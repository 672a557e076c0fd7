"""The schemas of a tool as rules look at them; nobody walks again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.spans import pointer
from utp_cli.schemas.resolve import target
from utp_cli.schemas.types import branches, declared
from utp_cli.schemas.walk import DEFINITIONS, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.auditing.subject import AuditedTool
    from utp_cli.schemas.walk import SchemaPlace


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
    place: SchemaPlace

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


def value_types(schema: dict[str, Any], tool: AuditedTool, *, null: bool = False) -> frozenset[str]:
    """Return the types a value may have, seen through references and alternatives; null left out unless asked for."""
    found = frozenset(kind.lower() for branch in branches(schema, tool.schema) for kind in declared(branch))
    return found if null else found - {"null"}


def around_it(node: Node) -> Iterator[Node]:
    """Yield the schemas that a schema stands in, from the nearest to the root."""
    around = node.parent
    while around is not None:
        yield around
        around = around.parent


def nodes_of(tool: AuditedTool, root: Any, at: str) -> list[Node]:
    """Return the schemas in order of writing; what stands in the place of a schema and is none is left out."""
    in_capitals = tool.definition.tool.form == "gemini"
    nodes: dict[int, Node] = {}
    for place in walk(root, at):
        if isinstance(place.schema, dict):
            types = declared(place.schema)
            nodes[id(place)] = Node(
                tool=tool,
                schema=place.schema,
                pointer=place.pointer,
                keyword=place.keyword,
                name=place.name,
                parent=None if place.parent is None else nodes[id(place.parent)],
                depth=place.depth,
                types=tuple(kind.lower() for kind in types) if in_capitals else types,
                place=place,
            )
    return [*nodes.values()]


def reachable(nodes: list[Node]) -> list[Node]:
    """Return the schemas below the root, without those of definitions that nothing refers to."""
    if not nodes:
        return []
    root = nodes[0]
    inside: dict[str, list[Node]] = {root.pointer: []}
    home: dict[str, str] = {}
    for node in nodes:
        above = home[node.parent.pointer] if node.parent else root.pointer
        home[node.pointer] = node.pointer if node.keyword in DEFINITIONS else above
        inside.setdefault(home[node.pointer], []).append(node)
    found: set[str] = set()
    waiting = [root.pointer]
    while waiting:
        place = waiting.pop()
        if place not in found:
            found.add(place)
            targets = (target(node.schema["$ref"], root.schema) for node in inside[place] if "$ref" in node.schema)
            led = [root.pointer + there[0] for there in targets if there is not None]
            waiting.extend(home[there] for there in led if there in home)
    return [node for node in nodes if node.parent is not None and home[node.pointer] in found]
