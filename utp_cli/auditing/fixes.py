"""Fixes: what would end a finding, as edits of values. Writing them into a file's text is the business of `io`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from utp_cli.auditing.subject import AuditedTool
    from utp_cli.protocol.findings import Finding

Safety = Literal["safe", "unsafe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change of a definition."""

    op: Literal["set", "remove", "rename"]
    pointer: str
    """Of the value to set or remove, or of the key to rename."""
    value: Any = None
    """The new value, or the new key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """Edits that belong together."""

    safety: Safety
    edits: tuple[Edit, ...]

    def to_dict(self) -> dict[str, Any]:
        edits = [{"op": e.op, "pointer": e.pointer} | ({} if e.op == "remove" else {"value": e.value}) for e in self.edits]
        return {"safety": self.safety, "edits": edits}


def fix_for(tool: AuditedTool, finding: Finding) -> Fix | None:
    """Return the fix of a finding, None where there is none."""
    return None
