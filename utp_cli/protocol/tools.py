"""A tool as the caller knows it, in the one form everything inside works with."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any


class Tier(IntEnum):
    """How much a tool may do; a caller offers tools up to one tier. Lower is safer."""

    CRAWL = 1
    WALK = 2
    RUN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool definition: `{name, description, parameters}` and what surrounds it."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    """JSON Schema of the arguments, an object schema; `{}` where the definition had none."""
    tier: Tier = Tier.CRAWL
    requires_confirmation: bool = False
    strict: bool | None = None
    """As the definition says; None where it says nothing."""
    annotations: dict[str, Any] = field(default_factory=dict)
    """MCP's hints (`readOnlyHint`, …), as written."""
    form: str = "tools-canonical"
    """The wire format the definition was written in (a name of `wire/FORMATS`)."""
    place: str = ""
    """`file:line:column` of the definition, where it came from a file."""

    @property
    def properties(self) -> dict[str, Any]:
        """The top-level properties of the parameters; `{}` where there are none or they are no mapping."""
        found = self.parameters.get("properties")
        return found if isinstance(found, dict) else {}

    @property
    def required(self) -> list[str]:
        """The names of the arguments that must be there."""
        found = self.parameters.get("required")
        return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []
