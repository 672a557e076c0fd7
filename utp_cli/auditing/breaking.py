"""Two versions of a tool set compared: what would break callers that know the old one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.auditing.nodes import value_types
from utp_cli.auditing.providers import targets
from utp_cli.auditing.subject import AuditedTool, Options, look_at
from utp_cli.protocol.findings import Finding, Place
from utp_cli.validation.definitions import find_definitions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from utp_cli.auditing.nodes import Node


def breaking_changes(old: Any, new: Any, locate: Callable[[int, str], Place] | None = None) -> list[Finding]:
    """Return what a caller of the old tools would trip over in the new ones, in the order of the old set.

    `old` and `new` are definitions in any form; `locate` gives places in the new file. Removed tools,
    removed and newly required parameters, narrower types, bounds and enums are errors.
    """
    found = locate or (lambda _, pointer: Place(pointer=pointer))
    after = {tool.name: tool for tool in _looked(new, found)}
    return [finding for tool in _looked(old, found) for finding in _changes(tool, after.get(tool.name))]


def _looked(definitions: Any, locate: Callable[[int, str], Place]) -> list[AuditedTool]:
    def place_in(index: int) -> Callable[[str], Place]:
        return lambda pointer: locate(index, pointer)

    return [
        look_at(d, index, targets((), d.tool.form, strict=False), Options(), place_in(index))
        for index, d in enumerate(find_definitions(definitions))
    ]


def _changes(old: AuditedTool, new: AuditedTool | None) -> Iterator[Finding]:
    if new is None:
        message = f"{old.name} is gone"
        yield Finding(code="breaking-tool-removed", severity="error", message=message, tool=old.name)
        return
    before, after = _by_path(old), _by_path(new)
    for path, node in before.items():
        if path not in after:
            parent = after.get(path[:-1])
            if parent is not None and path[-1] in before[path[:-1]].properties:
                yield _finding(new, parent, "parameter-removed", f"{_name(path)} is gone")
            continue
        for code, message in _narrower(node, after[path]):
            yield _finding(new, after[path], code, f"{_name(path)} {message}")
    for path, node in after.items():
        known = before[path].required if path in before else node.required
        for name in node.required:
            if name not in known:
                yield _finding(new, node, "parameter-required", f"{_name((*path, name))} is required now")


def _by_path(tool: AuditedTool) -> dict[tuple[str, ...], Node]:
    """Return the root and the properties, by the names that lead to them; an item of a list is `[]`."""
    paths: dict[str, tuple[str, ...]] = {}
    found: dict[tuple[str, ...], Node] = {}
    for node in tool.nodes:
        above = paths.get(node.parent.pointer) if node.parent else ()
        if above is None or (node.parent and node.keyword not in ("properties", "items")):
            continue
        step = (node.name,) if node.name is not None else ("[]",) if node.parent else ()
        paths[node.pointer] = (*above, *step)
        found[paths[node.pointer]] = node
    return found


def _name(path: tuple[str, ...]) -> str:
    return ".".join(path) or "the schema"


def _finding(tool: AuditedTool, node: Node, code: str, message: str) -> Finding:
    place = tool.locate(node.pointer)
    return Finding(code=f"breaking-{code}", severity="error", place=place, message=message, tool=tool.name)


_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")


def _narrower(old: Node, new: Node) -> Iterator[tuple[str, str]]:
    before, after = value_types(old.schema, old.tool), value_types(new.schema, new.tool)
    lost = before - after - ({"integer"} if "number" in after else set())
    if after and (lost or not before):
        yield "type-narrowed", f"was {_any_of(before)}, is {_any_of(after)}"
    was, now = old.schema.get("enum"), new.schema.get("enum")
    if isinstance(now, list):
        gone = [value for value in was if value not in now] if isinstance(was, list) else ["any other value"]
        if gone:
            yield "enum-narrowed", f"no longer takes {', '.join(map(str, gone[:5]))}"
    for keys, sign in ((_LOWER, 1), (_UPPER, -1)):
        for key in keys:
            bound, earlier = new.schema.get(key), old.schema.get(key)
            tighter = isinstance(bound, (int, float)) and (
                not isinstance(earlier, (int, float)) or sign * bound > sign * earlier
            )
            if tighter:
                yield "bound-tightened", f"has {key} {bound} now"
    if new.schema.get("additionalProperties") is False and old.schema.get("additionalProperties") is not False:
        yield "object-closed", "takes no other properties now"


def _any_of(types: frozenset[str]) -> str:
    return " or ".join(sorted(types)) or "anything"
