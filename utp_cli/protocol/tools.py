"""A tool as the caller knows it, in the one form everything inside works with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from os import PathLike
from typing import Any, Protocol

from utp_cli.protocol.errors import UnknownName
from utp_cli.protocol.records import Record, field


class Tier(IntEnum):
    """How much a tool may do; a caller offers tools up to one tier. Lower is safer."""

    CRAWL = 1
    WALK = 2
    RUN = 3


def tier_named(name: str | Tier | None) -> Tier | None:
    """Return the tier of a name, in any case; a tier, and None, as it is. Raises `UnknownName` with the nearest."""
    if not isinstance(name, str):
        return name
    known = {tier.name.lower(): tier for tier in Tier}
    if name.lower() not in known:
        raise UnknownName("tier", name, known, f"there are: {', '.join(known)}")
    return known[name.lower()]


class Tool(Record):
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


def as_definition(tool: Tool) -> dict[str, Any]:
    """Return the tool as a definition in utp's own form; what it does not say is left out."""
    told: dict[str, Any] = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    if tool.tier is not Tier.CRAWL:
        told["tier"] = tool.tier.name.lower()
    said = {"requires_confirmation": tool.requires_confirmation, "annotations": tool.annotations}
    told |= {key: value for key, value in said.items() if value}
    return told if tool.strict is None else {**told, "strict": tool.strict}


class SdkObject(Protocol):
    """An object of an SDK: a pydantic model at work."""

    @property
    def model_dump(self) -> Callable[..., Any]:
        """Write it as plain values."""


ToolLike = Tool | Mapping[str, Any] | Callable[..., Any] | SdkObject | str | PathLike[str]
"""What stands for a tool, or for several: a definition in any provider's form, a function or pydantic model, an object
of an SDK, the path of a file."""
ToolSource = ToolLike | Iterable[ToolLike]
"""What the public functions take for `tools`."""
