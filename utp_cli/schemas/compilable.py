"""Which keyword of a schema a server's grammar compiler refuses, or takes and ignores.

What each compiler can do stands in `facts.grammar_compilers`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from utp_cli.facts.grammar_compilers import (
    FORMATS,
    IN_WORDS,
    LIMITS,
    LLAMA,
    LLGUIDANCE,
    LONGEST,
    OUTLINES,
    PATTERNS_IGNORED_BY_LLAMA,
    PATTERNS_REFUSED,
    SAYS_WHAT_IT_IS,
    XGRAMMAR,
    Effect,
)
from utp_cli.schemas.shapes import is_number

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from utp_cli.schemas.walk import Schema

_LENGTHS = ("minLength", "maxLength")
_COUNTS = ("minItems", "maxItems")
LONGEST_SHOWN: Final = 80
"""Characters of a pattern that is shown in a message."""
_REPETITION = re.compile(r"\{(\d{1,9})(?:,(\d{0,9}))?\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncompilable:
    """A keyword that no grammar is made of."""

    servers: tuple[str, ...]
    keyword: str
    effect: Effect
    instead: str
    """What to do, in words."""
    older: bool = False
    """Older releases of the servers refuse it."""


def uncompilable(schema: Schema, types: Collection[str], servers: Collection[str]) -> Iterator[Uncompilable]:
    """Yield what the compilers of `servers` cannot do of one schema; what stands inside it is not looked at.

    `types`: those that it declares. `servers`: names of `facts.grammar_compilers.SERVERS`; others are passed over.
    """
    for limit in LIMITS:
        if (names := _of(limit.servers, servers)) and (not limit.types or not limit.types.isdisjoint(types)):
            for key in limit.keywords:
                if key in schema:  # also where it is false: they look at no value
                    yield Uncompilable(servers=names, keyword=key, effect=limit.effect, instead=limit.instead)
    for rule in (_of_strings, _of_lengths, _of_objects, _of_nothing, _of_patterns):
        yield from rule(schema, types, servers)


def _of(able: tuple[str, ...], servers: Collection[str]) -> tuple[str, ...]:
    return tuple(name for name in able if name in servers)


def _of_strings(schema: Schema, types: Collection[str], servers: Collection[str]) -> Iterator[Uncompilable]:
    """Yield what a compiler refuses in the schema of a text. vLLM and outlines look only where `type` says string."""
    if types and "string" not in types:
        return
    servers = servers if types else _of(("sglang", *LLGUIDANCE), servers)
    pattern = schema.get("pattern")
    for group, known in FORMATS.items():
        names = _of(group, servers)
        if names and isinstance(schema.get("format"), str) and schema["format"] not in known:
            instead = "drop it, or write it as a `pattern`"
            yield Uncompilable(servers=names, keyword="format", effect="refused", instead=instead)
        refused, instead = PATTERNS_REFUSED[group]
        if names and isinstance(pattern, str) and re.search(refused, pattern):
            yield Uncompilable(servers=names, keyword="pattern", effect="refused", instead=instead)
    yield from _together(schema, servers)


def _together(schema: Schema, servers: Collection[str]) -> Iterator[Uncompilable]:
    """Yield what no compiler holds together: a pattern, a format, and bounds of the length."""
    bound = next((key for key in _LENGTHS if key in schema), None)
    held = [key for key in ("pattern", "format") if key in schema]
    if bound and held:
        instead = f"keep the {held[0]}, and put the length into a pattern: `^[a-z]{{2,8}}$`"
        if names := _of(XGRAMMAR, servers):
            yield Uncompilable(servers=names, keyword=bound, effect="refused", instead=instead)
        if names := _of(OUTLINES, servers):
            yield Uncompilable(servers=names, keyword=held[0], effect="ignored", instead=instead)
    elif len(held) > 1 and (names := _of(("sglang",), servers)):
        yield Uncompilable(servers=names, keyword="format", effect="refused", instead="keep the pattern alone")


def _of_lengths(schema: Schema, _: Collection[str], servers: Collection[str]) -> Iterator[Uncompilable]:
    """Yield the bounds that are too large for llama.cpp."""
    names = _of(LLAMA, servers)
    for keys, limit in ((_LENGTHS, LONGEST), (_COUNTS, LONGEST + 1)) if names else ():
        for key in keys:
            if is_number(schema.get(key)) and schema[key] >= limit:
                instead = f"drop it, or stay below {LONGEST:,}"
                yield Uncompilable(servers=names, keyword=key, effect="refused", instead=instead)
    pattern = schema.get("pattern")
    if names and isinstance(pattern, str):
        bounds = [int(bound) for found in _REPETITION.finditer(pattern) for bound in found.groups() if bound]
        if max(bounds, default=0) >= LONGEST:
            instead = f"repeat less than {LONGEST:,} times"
            yield Uncompilable(servers=names, keyword="pattern", effect="refused", instead=instead)


def _of_objects(schema: Schema, types: Collection[str], servers: Collection[str]) -> Iterator[Uncompilable]:
    """Yield what vLLM does not hand to xgrammar: several patterns for names, several branches of allOf."""
    names, found = _of(("vllm",), servers), []
    if not names:
        return
    if "object" in types:
        named = schema.get("patternProperties")
        if isinstance(named, dict) and (len(named) > 1 or "properties" in schema):
            found.append(("patternProperties", "list the names under `properties`, or keep one pattern alone"))
        beside = {"patternProperties", "properties", "unevaluatedProperties"} & schema.keys()
        if "propertyNames" in schema and beside:
            found.append(("propertyNames", IN_WORDS))
    if isinstance(schema.get("allOf"), list) and len(schema["allOf"]) > 1:
        found.append(("allOf", "write the branches as one schema"))
    for key, instead in found:
        yield Uncompilable(servers=names, keyword=key, effect="refused", instead=instead)


def _of_nothing(schema: Schema, _: Collection[str], servers: Collection[str]) -> Iterator[Uncompilable]:
    """Yield what outlines can make nothing of: a schema that does not say what it is."""
    names = _of(OUTLINES, servers)
    if names and schema and not any(key in schema for key in SAYS_WHAT_IT_IS):
        key = next(iter(schema))
        yield Uncompilable(servers=names, keyword=key, effect="refused", instead="give the schema a `type`")


def _of_patterns(schema: Schema, _: Collection[str], servers: Collection[str]) -> Iterator[Uncompilable]:
    """Yield the patterns that llama.cpp makes no grammar of."""
    names, pattern = _of(LLAMA, servers), schema.get("pattern")
    if not names or not isinstance(pattern, str):
        return
    anchored = pattern.startswith("^") and pattern.endswith("$")
    if not anchored or re.search(PATTERNS_IGNORED_BY_LLAMA, pattern):
        plain = _plain(pattern)
        instead = f"write it as `{plain}`" if 0 < len(plain) < LONGEST_SHOWN else "drop it"
        yield Uncompilable(servers=names, keyword="pattern", effect="ignored", instead=instead, older=True)


_CLASSES = {r"\d": "0-9", r"\w": "A-Za-z0-9_", r"\s": r" \t\n"}


def _plain(pattern: str) -> str:
    """Return the pattern from `^` to `$`, with classes written out; `""` where that is not enough."""
    begun, ended = pattern.startswith("^"), pattern.endswith("$")
    inner = pattern[begun : len(pattern) - ended]
    inside = False
    parts = []
    for sign in re.findall(r"\\.|.", inner, re.DOTALL):
        inside = (inside or sign == "[") and sign != "]"
        known = _CLASSES.get(sign)
        parts.append(sign if known is None else known if inside else f"[{known}]")
    inner = "".join(parts)
    if any(sign in inner for sign in "|") and not (begun and ended):
        inner = f"({inner})"
    whole = f"^{'' if begun else '.*'}{inner}{'' if ended else '.*'}$"
    return "" if re.search(PATTERNS_IGNORED_BY_LLAMA, whole) else whole
