"""Edits of a definition, and what a fix is made of."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from utp_cli.protocol.spans import pointer_parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from utp_cli.auditing.nodes import Node
    from utp_cli.auditing.subject import AuditedTool

Safety = Literal["safe", "unsafe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionEdit:
    """One change of a definition."""

    op: Literal["set", "remove", "rename"]
    pointer: str
    """Of the value to set or remove, or of the key to rename; `-` as last part is the end of a list."""
    value: Any = None
    """The new value, or the new key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """Edits that belong together."""

    safety: Safety
    edits: tuple[DefinitionEdit, ...]

    def to_dict(self) -> dict[str, Any]:
        """Write it for the JSON report."""
        return {
            "safety": self.safety,
            "edits": [
                {"op": e.op, "pointer": e.pointer} | ({} if e.op == "remove" else {"value": e.value})
                for e in self.edits
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FixTarget:
    """What a fixer gets to see of a finding."""

    tool: AuditedTool
    pointer: str
    value: Any
    """What stands at the pointer; None where nothing does."""

    @property
    def key(self) -> str:
        """The last key of the pointer."""
        return pointer_parts(self.pointer)[-1] if self.pointer else ""

    @property
    def above(self) -> str:
        """The pointer of the mapping or list around it."""
        return self.pointer.rpartition("/")[0]

    def node(self, pointer: str) -> Node | None:
        """Return the schema at a pointer."""
        return self.tool.by_pointer.get(pointer)


if TYPE_CHECKING:
    Fixer = Callable[[FixTarget], Fix | None]


def safe(*edits: DefinitionEdit) -> Fix:
    """Make a fix that changes no meaning."""
    return Fix(safety="safe", edits=edits)


def unsafe(*edits: DefinitionEdit) -> Fix:
    """Make a fix that changes what is accepted or read."""
    return Fix(safety="unsafe", edits=edits)


def set_to(pointer: str, value: Any) -> DefinitionEdit:
    """Make an edit that sets a value, or adds it."""
    return DefinitionEdit(op="set", pointer=pointer, value=value)


def remove(pointer: str) -> DefinitionEdit:
    """Make an edit that takes a value out."""
    return DefinitionEdit(op="remove", pointer=pointer)


def rename(pointer: str, key: str) -> DefinitionEdit:
    """Make an edit that renames a key."""
    return DefinitionEdit(op="rename", pointer=pointer, value=key)


def value_at(document: Any, pointer: str) -> Any:
    """Return the value at a pointer; None where there is none."""
    for part in pointer_parts(pointer):
        if isinstance(document, dict) and part in document:
            document = document[part]
        elif isinstance(document, list) and part.isdecimal() and int(part[:9]) < len(document):
            document = document[int(part)]
        else:
            return None
    return document


def applied(definition: Any, fix: Fix) -> Any:
    """Return a copy of the definition with the edits made. Edits whose place is not there are left out."""
    result = copy.deepcopy(definition)
    for edit in fix.edits:
        parts = pointer_parts(edit.pointer)
        holder = value_at(result, edit.pointer.rpartition("/")[0])
        if isinstance(holder, list) and parts[-1] == "-" and edit.op == "set":
            holder.append(edit.value)
        elif isinstance(holder, list) and parts[-1].isdecimal() and int(parts[-1]) < len(holder):
            holder[int(parts[-1]) : int(parts[-1]) + 1] = [edit.value] if edit.op == "set" else []
        elif isinstance(holder, dict) and edit.op == "set":
            holder[parts[-1]] = edit.value
        elif isinstance(holder, dict) and parts[-1] in holder:
            _change_key(holder, parts[-1], edit)
    return result


def _change_key(holder: dict[str, Any], key: str, edit: DefinitionEdit) -> None:
    if edit.op == "remove":
        del holder[key]
    elif edit.value not in holder:
        pairs = [(edit.value if name == key else name, value) for name, value in holder.items()]
        holder.clear()
        holder.update(pairs)
