"""Which schemas a target takes, beside the table of keywords. Sources: see `keywords`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from utp_cli.rendering.names import ANY_NAME, NameRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a target's schemas can say."""

    column: Literal["", "openai", "anthropic", "gemini", "ollama"] = ""
    """Its column in the table of keywords; `""`: all of JSON Schema."""
    root_refused: tuple[str, ...] = ()
    """Keywords that may not stand at the root."""
    refs: Literal["inline", "hoist"] = "inline"
    """`hoist`: definitions stand under `$defs` and may recurse. `inline`: references are written out, recursion ends
    after `unrolled` rounds."""
    unrolled: int = 3
    closed: bool = False
    """Every object says `additionalProperties: false`."""
    all_required: bool = False
    """Every property is required; an optional one may be null."""
    typed: bool = False
    """Every schema has a type, every array the type of its items."""
    one_type: bool = False
    """`type` is one name in capitals; null is `nullable: true`; beside `anyOf` nothing stands; an object has
    properties."""
    keys: NameRule = ANY_NAME
    """Names of properties."""
    keys_at_root: bool = False
    """Only the names of the root's properties are limited."""
    description_limit: int | None = None
    """Characters of a property's description."""


_ANTHROPIC_KEYS = NameRule(characters="a-zA-Z0-9_.-", limit=64)

FULL = Target()
OPENAI = Target(root_refused=("oneOf", "anyOf", "allOf", "enum", "const", "not"))
ANTHROPIC = Target(root_refused=("oneOf", "anyOf", "allOf"), keys=_ANTHROPIC_KEYS, keys_at_root=True)
OPENAI_STRICT = Target(column="openai", refs="hoist", closed=True, all_required=True, typed=True)
ANTHROPIC_STRICT = Target(column="anthropic", closed=True, keys=_ANTHROPIC_KEYS, keys_at_root=True)
GEMINI = Target(
    column="gemini",
    typed=True,
    one_type=True,
    keys=NameRule(characters="a-zA-Z0-9_", first="a-zA-Z_", limit=64),
)
OLLAMA = Target(column="ollama", description_limit=500)
