"""Which keyword of which tool a server's grammar compiler stumbled over, where the tools of the request are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.fixes import label_of
from utp_cli.diagnosis.observation import clipped, finding_of
from utp_cli.diagnosis.subject import known_tools
from utp_cli.facts.grammar_compilers import LLAMA, SERVERS
from utp_cli.protocol.numbers import json_dumps
from utp_cli.protocol.records import replace
from utp_cli.schemas.compilable import uncompilable
from utp_cli.schemas.types import declared
from utp_cli.schemas.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from utp_cli.protocol.findings import Finding
    from utp_cli.protocol.tools import Tool
    from utp_cli.schemas.compilable import Uncompilable
    from utp_cli.schemas.walk import SchemaPlace

CODES: Final = frozenset({"schema-not-compilable", "grammar-too-large"})
"""Diagnoses of a server that could not make a grammar of the tools."""
_LONGEST: Final = 40
"""Characters of a value that are shown."""


def uncompiled(tools: Mapping[str, Tool], engine: str | None) -> str:
    """Say which tool, which path, and what to write instead: the first keyword, and how many there are more.

    `engine`: the server that refused; llama.cpp where it is none that is known, since its words are the most common.
    Returns `""` where nothing is found.
    """
    found = sorted(_keywords(tools, (engine,) if engine in SERVERS else LLAMA[:1]), key=lambda each: each[0])
    if not found:
        return ""
    _, told = found[0]
    return told + (f"; and {len(found) - 1} more (utp audit --provider {engine})" if found[1:] else "")


def not_compiled(definitions: Sequence[Any], engine: str) -> list[Finding]:
    """Return what a server cannot compile in definitions of tools; as a hint, what its older releases could not."""
    tools = known_tools(definitions) if engine in SERVERS else {}
    found = sorted(_keywords(tools, (engine,)), key=lambda each: each[0])
    if not found:
        return []
    from utp_cli.diagnosis.catalogue import DIAGNOSES  # noqa: PLC0415 - it needs this package

    older, told = found[0]
    how: dict[str, Any] = {"severity": "info", "confidence": "low"} if older else {}
    who = f"older releases of {label_of(engine)}" if older else label_of(engine)
    said = f"{who} cannot make a grammar of the tools"
    return [replace(finding_of(DIAGNOSES["schema-not-compilable"], said, told, **how), fix=told)]


def _keywords(tools: Mapping[str, Tool], servers: tuple[str, ...]) -> Iterator[tuple[bool, str]]:
    """Give what is refused, or was by older releases, each with whether only those refuse it."""
    for tool in tools.values():
        for place in walk(tool.parameters):
            for one in uncompilable(place.keywords, declared(place.schema), servers):
                if one.effect == "refused" or one.older:
                    yield one.effect != "refused", _told(tool, place, one)


def _told(tool: Tool, place: SchemaPlace, one: Uncompilable) -> str:
    owner = place
    while owner.name is None and owner.parent is not None:
        owner = owner.parent
    name = f"{tool.name}.{owner.name}" if owner.name is not None else tool.name
    value = clipped(json_dumps(place.keywords[one.keyword], default=repr), _LONGEST)
    return f"in {name} (at {place.pointer}/{one.keyword}) `{one.keyword}: {value}`: {one.instead}"
