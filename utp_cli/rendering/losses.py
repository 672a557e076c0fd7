"""What a target could not say, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from utp_cli.protocol.spans import pointer
from utp_cli.schemas.compilable import uncompilable
from utp_cli.schemas.types import declared
from utp_cli.schemas.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.protocol.tools import Tool

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


def grammar_losses(tool: Tool, server: str) -> Iterator[Loss]:
    """Yield what a server's grammar compiler cannot do of the schema of a tool: it is sent as it is."""
    for place in walk(tool.parameters, "/parameters"):
        for one in uncompilable(place.keywords, declared(place.schema), (server,)):
            verb = "refuses" if one.effect == "refused" else "ignores"
            yield Loss(
                tool=tool.name,
                pointer=place.pointer + pointer(one.keyword),
                keyword=one.keyword,
                what="kept",
                message=f"the grammar compiler of {server} {verb} it: {one.instead}",
            )
