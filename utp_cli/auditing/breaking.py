"""Two versions of a tool set compared: what would break callers, prompts and recordings that know the old one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.auditing.nodes import value_types
from utp_cli.auditing.providers import targets
from utp_cli.auditing.report import AuditedFinding, AuditReport
from utp_cli.auditing.structure import HINTED
from utp_cli.auditing.subject import AuditedTool, AuditedToolSet, Options, compact, look_at, shown
from utp_cli.protocol.errors import nearest
from utp_cli.protocol.findings import Finding, Place
from utp_cli.protocol.rules import Rule, rule
from utp_cli.validation.definitions import find_definitions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from utp_cli.auditing.nodes import Node

    Locate = Callable[[int, str], Place]
    Path = tuple[str, ...]

ITEM = "[]"
"""The step of a path that leads to the items of a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChange:
    """A tool, or a parameter of one, before and after."""

    path: Path
    """Names from the root of the parameters; `()` is the root."""
    before: Node | None
    """None where it is new."""
    after: Node | None
    """None where it is gone."""
    tool: AuditedTool
    """The new one; the old one where the tool is gone."""
    renamed: str = ""
    """What it may be called now."""
    gone: bool = False
    """The whole tool is."""

    @property
    def label(self) -> str:
        """The parameter as messages call it."""
        return ".".join(self.path).replace(f".{ITEM}", ITEM) or "the schema"

    def finding(self, code: str, message: str) -> Finding:
        """Make a finding at the new schema, or at what is left around it."""
        place = Place() if self.gone else self.tool.locate(self.after.pointer if self.after else self._around())
        hint = f"is it {self.renamed} now? Keep the old name too, or tell callers" if self.renamed else ""
        return Finding(
            code=code, name=code, severity="error", place=place, message=message, hint=hint, tool=self.tool.name
        )

    def _around(self) -> str:
        owner = self.before.parent if self.before else None
        return owner.pointer if owner and owner.pointer in self.tool.by_pointer else self.tool.definition.schema_pointer


def breaking_changes(
    old: Any, new: Any, rules: Sequence[Rule[Any]], locate: Locate | None = None, options: Options | None = None
) -> AuditReport:
    """Return what a caller of the old tools would trip over in the new ones, in the order of the old set.

    `old` and `new` are definitions in any form; `locate` gives places in the new file.
    """
    after = _looked(new, locate or (lambda _, pointer: Place(pointer=pointer)), options or Options())
    before = _looked(old, lambda _, pointer: Place(pointer=pointer), after.options)
    known = _Known(before, after)
    changes = [change for tool in before.tools for change in _changes(tool, known)]
    entries = [
        AuditedFinding(finding=finding, tool=None if change.gone else change.tool.index, fix=None)
        for change in changes
        for ruling in rules
        for finding in ruling.check(change)
    ]
    return AuditReport(entries=entries, subjects=after, rules={"change": [*rules]})


def _looked(definitions: Any, locate: Locate, options: Options) -> AuditedToolSet:
    def place_in(index: int) -> Callable[[str], Place]:
        return lambda pointer: locate(index, pointer)

    tools = [
        look_at(d, index, targets((), d.tool.form, strict=False), options, place_in(index))
        for index, d in enumerate(find_definitions(definitions))
    ]
    return AuditedToolSet(tools=tools, options=options, names=frozenset(tool.name for tool in tools))


class _Known:
    """The new set by name, and those of its tools that the old one has not: by what they take, by what they say."""

    def __init__(self, before: AuditedToolSet, after: AuditedToolSet) -> None:
        self.by_name = {tool.name: tool for tool in reversed(after.tools)}
        come = [tool for tool in after.tools if tool.name not in before.names]
        self.come = [tool.name for tool in come]
        self.by_parameters = {compact(tool.schema): tool.name for tool in reversed(come) if tool.properties}
        self.by_text = {tool.description: tool.name for tool in reversed(come) if tool.description}

    def renamed(self, old: AuditedTool) -> str:
        """Return what an old tool may be called now: the new one with its parameters, its text, or nearly its name."""
        found = self.by_parameters.get(compact(old.schema)) or self.by_text.get(old.description)
        return found or _nearest(old.name, self.come)


def _nearest(name: str, known: list[str]) -> str:
    return (nearest(name, known) if len(known) <= HINTED else None) or ""


def _changes(old: AuditedTool, known: _Known) -> Iterator[ToolChange]:
    new = known.by_name.get(old.name)
    if new is None:
        yield ToolChange(path=(), before=None, after=None, tool=old, gone=True, renamed=known.renamed(old))
        return
    was, now = _by_path(old), _by_path(new)
    come: dict[Path, dict[str, Node]] = {}
    for path, node in now.items():
        if path and path not in was:
            come.setdefault(path[:-1], {})[path[-1]] = node
    for path in dict.fromkeys([*was, *now]):
        if path in now:
            yield ToolChange(path=path, before=was.get(path), after=now[path], tool=new)
        elif path[:-1] in now:  # what is gone with the mapping around it is told once
            renamed = _renamed(path[-1], was[path], come.get(path[:-1], {}))
            yield ToolChange(path=path, before=was[path], after=None, tool=new, renamed=renamed)


def _renamed(name: str, was: Node, come: dict[str, Node]) -> str:
    """Return the new property that an old one may be: the only one with its schema, or with nearly its name."""
    if len(come) > HINTED:
        return ""
    same = [other for other, node in come.items() if node.schema == was.schema]
    return same[0] if len(same) == 1 else _nearest(name, list(come))


def _by_path(tool: AuditedTool) -> dict[Path, Node]:
    """Return the root, the properties and the items of lists, by the names that lead to them."""
    paths: dict[str, Path] = {}
    found: dict[Path, Node] = {}
    for node in tool.nodes:
        above = paths.get(node.parent.pointer) if node.parent else ()
        if above is None or (node.parent and node.keyword not in ("properties", "items")):
            continue
        step = (node.name,) if node.name is not None else (ITEM,) if node.parent else ()
        paths[node.pointer] = (*above, *step)
        found[paths[node.pointer]] = node
    return found


@rule("breaking-tool-removed", "error")
def tool_removed(change: ToolChange) -> Iterator[Finding]:
    """A tool is gone, or has another name.

    What it does: looks for each old name among the new ones.
    Why it is bad: prompts, allow-lists and recorded sessions that name it call into nothing.
    Example: `search` becomes `search_tickets`.
    Use instead: keep `search` until nobody calls it.
    Fix safety: no fix.
    """
    if change.gone:
        yield change.finding("breaking-tool-removed", f"{change.tool.name} is gone")


@rule("breaking-parameter-removed", "error")
def parameter_removed(change: ToolChange) -> Iterator[Finding]:
    """A parameter is gone, or has another name.

    What it does: looks for each old property, at any depth, among the new ones.
    Why it is bad: a caller that passes it is refused, or, worse, heard as if it had not.
    Example: `limit` becomes `max_results`.
    Use instead: take both for a while.
    Fix safety: no fix.
    """
    if change.path and change.before is not None and change.after is None:
        yield change.finding("breaking-parameter-removed", f"{change.label} is gone")


@rule("breaking-parameter-required", "error")
def parameter_required(change: ToolChange) -> Iterator[Finding]:
    """A parameter must be given now.

    What it does: compares the `required` of objects that were there before.
    Why it is bad: every call without it is refused.
    Example: `required: [query]` becomes `required: [query, index]`.
    Use instead: an optional `index` with a default.
    Fix safety: no fix.
    """
    if change.before is None or change.after is None:
        return
    for name in dict.fromkeys(change.after.required):
        if name not in change.before.required:
            label = ".".join((*change.path, name)).replace(f".{ITEM}", ITEM)
            yield change.finding("breaking-parameter-required", f"{label} is required now")


@rule("breaking-type-narrowed", "error")
def type_narrowed(change: ToolChange) -> Iterator[Finding]:
    """A parameter takes fewer types, or other ones.

    What it does: compares the types, seen through `$ref`, anyOf and oneOf; an integer is a number.
    Why it is bad: values that were right are refused.
    Example: `type: [string, "null"]` becomes `type: string`.
    Use instead: go on taking null.
    Fix safety: no fix.
    """
    if change.before is None or change.after is None:
        return
    was, now = (value_types(node.schema, node.tool, null=True) for node in (change.before, change.after))
    lost = was - now - ({"integer"} if "number" in now else set())
    if now and (lost or not was):
        message = f"{change.label} was {_any_of(was)}, is {_any_of(now)}"
        yield change.finding("breaking-type-narrowed", message)


def _any_of(types: frozenset[str]) -> str:
    return " or ".join(sorted(types)) or "anything"


@rule("breaking-enum-narrowed", "error")
def enum_narrowed(change: ToolChange) -> Iterator[Finding]:
    """A parameter takes fewer values.

    What it does: compares `enum` and `const`.
    Why it is bad: values that were right are refused.
    Example: `enum: [asc, desc, none]` becomes `enum: [asc, desc]`.
    Use instead: go on taking `none`.
    Fix safety: no fix.
    """
    if change.before is None or change.after is None:
        return
    was, now = _values(change.before), _values(change.after)
    if now is None:
        return
    gone = [shown(value) for value in was if value not in now][:5] if was is not None else ["other values"]
    if gone:
        yield change.finding("breaking-enum-narrowed", f"{change.label} no longer takes {', '.join(gone)}")


def _values(node: Node) -> list[Any] | None:
    if "const" in node.schema:
        return [node.schema["const"]]
    found = node.schema.get("enum")
    return found if isinstance(found, list) else None


_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_SIGNS = dict.fromkeys(_LOWER, 1) | dict.fromkeys(_UPPER, -1)
_FORMS = ("pattern", "format", "multipleOf")


@rule("breaking-bound-tightened", "error")
def bound_tightened(change: ToolChange) -> Iterator[Finding]:
    """A bound is tighter, or a pattern or format is new or another.

    What it does: compares minimum, maximum, lengths, counts, `pattern`, `format` and `multipleOf`.
    Why it is bad: values that were right are refused.
    Example: `maximum: 100` becomes `maximum: 50`.
    Use instead: go on taking 100, and return fewer.
    Fix safety: no fix.
    """
    if change.before is None or change.after is None:
        return
    was, now = change.before.schema, change.after.schema
    for key in (*_SIGNS, *_FORMS):
        if key in now and _is_tighter(key, was.get(key), now[key]):
            yield change.finding("breaking-bound-tightened", f"{change.label} has {key} {shown(now[key])} now")
    if now.get("uniqueItems") is True and was.get("uniqueItems") is not True:
        yield change.finding("breaking-bound-tightened", f"{change.label} takes no repeated items now")


def _is_tighter(key: str, was: Any, now: Any) -> bool:
    if key in _FORMS:
        return bool(was != now)
    sign = _SIGNS[key]
    return isinstance(now, (int, float)) and (not isinstance(was, (int, float)) or sign * now > sign * was)


@rule("breaking-object-closed", "error")
def object_closed(change: ToolChange) -> Iterator[Finding]:
    """An object takes no other properties any more.

    What it does: compares `additionalProperties`.
    Why it is bad: calls with a property that nobody declared are refused.
    Example: nothing becomes `additionalProperties: false`.
    Use instead: leave it open; close it with the next version.
    Fix safety: no fix.
    """
    if change.before is None or change.after is None:
        return
    if change.after.schema.get("additionalProperties") is False and (
        change.before.schema.get("additionalProperties") is not False
    ):
        yield change.finding("breaking-object-closed", f"{change.label} takes no other properties now")
