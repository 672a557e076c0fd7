"""Fixes of texts and annotations: UTP215, UTP5xx, UTP6xx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from utp_cli.auditing.annotations import HINTS, hint_meant, surely_reads, verb_class
from utp_cli.auditing.edits import DefinitionEdit, Fix, FixTarget, remove, rename, safe, set_to, unsafe
from utp_cli.auditing.hidden import cleaned
from utp_cli.auditing.prose import prose_parameters, without_entries
from utp_cli.auditing.security import BLANKS, COMMENTS
from utp_cli.auditing.unconstrained import COMMANDS

if TYPE_CHECKING:
    from utp_cli.auditing.edits import Fixer
    from utp_cli.auditing.subject import AuditedTool


def _from_prose(fault: FixTarget) -> Fix | None:
    """UTP215: each text moves to its property, and the block goes."""
    said = fault.tool.description
    bare = {node.name: node for node in fault.tool.properties if node.depth == 1 and not node.description}
    moved = [(name, text) for name, text, _ in prose_parameters(said) if name in bare and text]
    if not moved:
        return None
    edits = [set_to(bare[name].at("description"), text) for name, text in moved]
    rest = without_entries(said, {name for name, _ in moved})
    return unsafe(*edits, set_to(fault.tool.at("description"), rest))


def _cleaned(fault: FixTarget) -> Fix | None:
    """UTP501, UTP502: hidden and control characters go."""
    if not isinstance(fault.value, str) or cleaned(fault.value) in ("", fault.value):
        return None
    return safe(set_to(fault.pointer, cleaned(fault.value)))


def _without_default(fault: FixTarget) -> Fix | None:
    """UTP506: the default goes."""
    return unsafe(remove(fault.pointer)) if fault.key == "default" else None


def _without_comments(fault: FixTarget) -> Fix | None:
    """UTP510: comments and blank runs go."""
    if not isinstance(fault.value, str):
        return None
    text = BLANKS.sub(lambda run: "\n\n" if "\n" in run[0] else " ", COMMENTS.sub("", fault.value)).strip()
    return unsafe(set_to(fault.pointer, text)) if text and text != fault.value else None


def _with_hints(fault: FixTarget) -> Fix | None:
    """UTP601: the hints that the verb suggests; none where it might read and might not."""
    tool, kind = fault.tool, verb_class(fault.tool)
    if kind == "read" and not promises_to_read(tool):
        return None
    hints = {"read": {"readOnlyHint": True}, "write": {"readOnlyHint": False}}
    hints["destructive"] = {"readOnlyHint": False, "destructiveHint": True}
    if kind not in hints:
        return None
    if "annotations" not in tool.definition.body:
        return unsafe(set_to(tool.at("annotations"), hints[kind]))
    return unsafe(*(set_to(tool.at("annotations", hint), value) for hint, value in hints[kind].items()))


def promises_to_read(tool: AuditedTool) -> bool:
    """Say whether `readOnlyHint: true` may be written: no doubt by the words, nothing that runs what it is given."""
    runs = any(node.name is not None and node.name.lower() in COMMANDS for node in tool.properties)
    return surely_reads(tool) and not runs and tool.annotations.get("destructiveHint") is not True


def _read_only(fault: FixTarget) -> Fix | None:
    """UTP603: readOnlyHint where the author said nothing of it."""
    said = "readOnlyHint" in fault.tool.annotations or not promises_to_read(fault.tool)
    return None if said else unsafe(set_to(fault.tool.at("annotations", "readOnlyHint"), True))


def _destructive(fault: FixTarget) -> Fix | None:
    """UTP604: destructiveHint where the author said nothing of it."""
    said = "destructiveHint" in fault.tool.annotations
    return None if said else unsafe(set_to(fault.tool.at("annotations", "destructiveHint"), True))


def _one_hint(fault: FixTarget) -> Fix | None:
    """UTP605: destructiveHint beside readOnlyHint, on a tool that reads by its name."""
    both = fault.tool.annotations.get("readOnlyHint") is True and fault.key == "destructiveHint"
    return safe(remove(fault.pointer)) if both and verb_class(fault.tool) == "read" else None


def _right_hint(fault: FixTarget) -> Fix | None:
    """UTP606: renamed, moved, made a boolean."""
    tool, meant = fault.tool, hint_meant(fault.key) or fault.key
    value = {"true": True, "false": False}.get(str(fault.value).lower(), fault.value)
    if meant in tool.annotations and meant != fault.key:
        return None
    edits: list[DefinitionEdit] = []
    if fault.above != tool.at("annotations"):
        if not isinstance(value, bool) or ("annotations" in tool.definition.body and not tool.annotations):
            return None
        edits.append(remove(fault.pointer))
        if "annotations" not in tool.definition.body:
            return safe(*edits, set_to(tool.at("annotations"), {meant: value}))
        return safe(*edits, set_to(tool.at("annotations", meant), value))
    if meant != fault.key:
        edits.append(rename(fault.pointer, meant))
    if meant in HINTS and value is not fault.value:
        edits.append(set_to(tool.at("annotations", meant), value))
    return safe(*edits) if edits else None


def _one_title(fault: FixTarget) -> Fix | None:
    """UTP607: titles that differ by case or space only."""
    title = str(fault.tool.definition.body.get("title", ""))
    same = "".join(title.split()).lower() == "".join(str(fault.value).split()).lower()
    return safe(set_to(fault.pointer, title)) if title and same else None


FIXES_OF_TEXT: dict[str, Fixer] = {
    "UTP215": _from_prose,
    "UTP501": _cleaned,
    "UTP502": _cleaned,
    "UTP506": _without_default,
    "UTP510": _without_comments,
    "UTP601": _with_hints,
    "UTP603": _read_only,
    "UTP604": _destructive,
    "UTP605": _one_hint,
    "UTP606": _right_hint,
    "UTP607": _one_title,
}
