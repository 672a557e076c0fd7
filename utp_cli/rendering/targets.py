"""How schemas are written for a target: what it takes stands in `facts`, how it is brought to that stands here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from utp_cli.facts import schema_subsets as subsets
from utp_cli.facts.providers import ANY_NAME, PROVIDERS

if TYPE_CHECKING:
    from utp_cli.facts.providers import NameRule
    from utp_cli.facts.schema_subsets import SchemaSubset


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaTarget:
    """What a target's schemas can say."""

    subset: SchemaSubset | None = None
    """What it takes of JSON Schema; None: all."""
    root_refused: tuple[str, ...] = ()
    """Keywords that may not stand at the root."""
    refs: Literal["inline", "hoist"] = "inline"
    """`hoist`: definitions stand under `$defs` and may recurse. `inline`: references are written out, recursion ends
    after `unrolled` rounds."""
    unrolled: int = 3
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


_OPENAI, _ANTHROPIC, _GEMINI = PROVIDERS["openai"], PROVIDERS["anthropic"], PROVIDERS["gemini"]
_OLLAMA_LIMIT = PROVIDERS["ollama"].description

FULL = SchemaTarget()
OPENAI = SchemaTarget(root_refused=_OPENAI.root_refused)
ANTHROPIC = SchemaTarget(root_refused=_ANTHROPIC.root_refused, keys=_ANTHROPIC.root_keys, keys_at_root=True)
OPENAI_STRICT = SchemaTarget(subset=subsets.OPENAI_STRICT, refs="hoist", typed=True)
BEDROCK_STRICT = SchemaTarget(subset=subsets.ANTHROPIC_STRICT)
ANTHROPIC_STRICT = replace(BEDROCK_STRICT, keys=_ANTHROPIC.root_keys, keys_at_root=True)
GEMINI = SchemaTarget(subset=_GEMINI.schema, typed=True, one_type=True, keys=_GEMINI.keys)
OLLAMA = SchemaTarget(
    subset=subsets.OLLAMA_TOOL,
    description_limit=_OLLAMA_LIMIT.characters if _OLLAMA_LIMIT else None,
)
