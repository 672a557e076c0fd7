"""What a target could not say, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

What = Literal["dropped", "bent", "moved-to-description", "refused", "kept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Something that a definition or a request says and the target cannot."""

    tool: str = ""
    """The tool by its own name; `""` where it concerns the request."""
    pointer: str = ""
    """JSON Pointer into the tool, seen through `$ref`: `/parameters/properties/home/properties/country`."""
    keyword: str
    what: What
    """`dropped`: gone. `bent`: said in another, weaker or narrower way. `moved-to-description`: said in words.
    `refused`: the target does not take it; what was done instead stands in the message. `kept`: sent as it is,
    though some endpoints of the target may refuse it."""
    message: str

    def to_dict(self) -> dict[str, str]:
        return {
            "tool": self.tool,
            "pointer": self.pointer,
            "keyword": self.keyword,
            "what": self.what,
            "message": self.message,
        }
