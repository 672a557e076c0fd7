"""All dialects, most common first where a marker is shared; and the names that stand for several."""

from __future__ import annotations

import re

from utp_cli.dialects import (
    arg_key_value,
    bare_json,
    channels,
    elements,
    header_json,
    pythonic,
    tagged_arguments,
    tagged_json,
)
from utp_cli.dialects.spec import TOOL, Dialect
from utp_cli.protocol.catalogue import Catalogue

FAMILIES = (
    tagged_json,
    bare_json,
    tagged_arguments,
    arg_key_value,
    header_json,
    pythonic,
    channels,
    elements,
)
"""What is written in them as a constant is in the catalogue, in this order."""
DIALECTS: Catalogue[Dialect] = Catalogue(
    "parser",
    [dialect for family in FAMILIES for dialect in vars(family).values() if isinstance(dialect, Dialect)],
    lambda dialect: (dialect.name, *dialect.aliases),
)

_SAYS = re.compile(
    r"[<\[|].*(?:call|invoke|function|request|plugin|python_|tools?_|action|recipient|channel)",
    re.IGNORECASE | re.DOTALL,
)
CALL_MARKUP = "|".join(
    re.escape(marker)
    for marker in sorted({m for d in DIALECTS for m in d.markers if TOOL not in m and _SAYS.match(m)}, reverse=True)
)
"""A pattern for the markers that say of themselves that a call follows: others stand in prose, or open much else."""

GROUPS: dict[str, tuple[str, ...]] = {
    "anthropic_xml": ("tool_use", "tool_use_xml", "anthropic"),
    "qwen_xml": ("tools", "tools_xml", "hermes", "qwen3_coder", "tool_call_xml"),
}
"""Older names of parsers, each for several dialects."""


def dialects_of(parser: str, engine: str | None = None) -> tuple[Dialect, ...]:
    """Return the dialects that a parser's name stands for; none for `auto`. Raises `UnknownName`.

    A name that is no dialect's is sought among those of installed packages, then among the names that servers have
    for their parsers, those of `engine` first. None for a server's parser that has no markup of its own.
    """
    if parser == "auto":
        return ()
    if parser in GROUPS:
        return tuple(DIALECTS[name] for name in GROUPS[parser])
    found = DIALECTS.get(parser) or _installed(parser)
    if found is None:
        from utp_cli.facts.parser_names import dialect_called  # noqa: PLC0415 - few names need the table

        called = dialect_called(parser, engine)
        if called == "":
            return ()
        found = DIALECTS[called or parser]
    return (found,)


def _installed(name: str) -> Dialect | None:
    from utp_cli.dialects.custom_dialects import installed  # noqa: PLC0415 - looking takes time

    return next((dialect for dialect in installed() if name in (dialect.name, *dialect.aliases)), None)
