"""Which keyword of a schema a server's grammar compiler refuses, or takes and ignores.

What each compiler can do stands in `facts.grammar_compilers`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from utp_cli.facts.grammar_compilers import (
    FORMATS,
    IN_WORDS,
    LIMITS,
    LLAMA,
    LLGUIDANCE,
    LONGEST,
    LOOKS_AHEAD,
    OUTLINES,
    PATTERNS_IGNORED_BY_LLAMA,
    PATTERNS_REFUSED,
    SAYS_WHAT_IT_IS,
    XGRAMMAR,
    Effect,
)
from utp_cli.schemas.shapes import is_number, is_whole
from utp_cli.schemas.types import declared

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from utp_cli.schemas.walk import Schema

_LENGTHS = ("minLength", "maxLength")
_LARGE = (
    ("minLength", LONGEST, True),
    ("maxLength", LONGEST, False),
    ("minItems", LONGEST + 1, True),
    ("maxItems", LONGEST, False),
)
"""Bounds, from where on llama.cpp cannot count, and whether it refuses them; else it drops them."""
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
    for rule in (
        _of_strings,
        _of_lengths,
        _of_bounds,
        _of_objects,
        _of_counts,
        _of_yes_and_no,
        _of_branches,
        _of_nothing,
        _of_patterns,
    ):
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
    names = _of(XGRAMMAR, servers)
    if names and isinstance(pattern, str) and re.search(LOOKS_AHEAD, pattern):
        instead = "write it without look-ahead and flags"
        yield Uncompilable(servers=names, keyword="pattern", effect="ignored", instead=instead, older=True)
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
    """Yield the bounds that are too large for llama.cpp: it fails at the least, and drops the most."""
    names = _of(LLAMA, servers)
    for key, limit, refused in _LARGE if names else ():
        if is_number(schema.get(key)) and schema[key] > limit:
            effect: Effect = "refused" if refused else "ignored"
            instead = f"drop it, or stay at {LONGEST:,} or below"
            yield Uncompilable(servers=names, keyword=key, effect=effect, instead=instead, older=not refused)
    pattern = schema.get("pattern")
    if names and isinstance(pattern, str):
        bounds = [(int(found[1]), int(found[2] or 0)) for found in _REPETITION.finditer(pattern)]
        if max((most or least for least, most in bounds), default=0) > LONGEST:
            refused = max(least for least, _ in bounds) > LONGEST
            instead = f"repeat no more than {LONGEST:,} times"
            effect = "refused" if refused else "ignored"
            yield Uncompilable(servers=names, keyword="pattern", effect=effect, instead=instead, older=not refused)


_BOUNDS = (
    ("minLength", "maxLength", (*LLAMA, *XGRAMMAR, *OUTLINES, *LLGUIDANCE)),
    ("minItems", "maxItems", (*LLAMA, *XGRAMMAR, *LLGUIDANCE)),
    ("minimum", "maximum", (*XGRAMMAR, *LLGUIDANCE)),
    ("minProperties", "maxProperties", (*XGRAMMAR, *LLGUIDANCE)),
)
"""Bounds, and who refuses them where the least is above the most. llama.cpp counts on and on."""


def _of_bounds(schema: Schema, types: Collection[str], servers: Collection[str]) -> Iterator[Uncompilable]:
    """Yield bounds that nothing can keep, and those of a whole number that are none."""
    for least, most, able in _BOUNDS:
        low, high = (schema.get(key, 0) for key in (least, most))
        names = _of(able, servers)
        if names and most in schema and is_number(low) and is_number(high) and low > high:
            instead = f"make it no larger than {most}"
            yield Uncompilable(servers=names, keyword=least, effect="refused", instead=instead)
    names = _of(XGRAMMAR, servers)
    for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if names and "integer" in types else ():
        if is_number(schema.get(key)) and not is_whole(schema[key]):
            yield Uncompilable(servers=names, keyword=key, effect="refused", instead="write a whole number")


def _of_counts(schema: Schema, types: Collection[str], servers: Collection[str]) -> Iterator[Uncompilable]:
    """Yield bounds of the number of properties that xgrammar and llguidance cannot count."""
    named, required = schema.get("properties"), schema.get("required")
    count = len(named) if isinstance(named, dict) else 0
    least = schema.get("minProperties", 0)
    names = _of(XGRAMMAR, servers)
    closed = not schema.get("additionalProperties") and "patternProperties" not in schema
    if names and "object" in types and closed and is_number(least) and least > count:
        instead = "drop it, or list more properties: others are not allowed unless `additionalProperties` says so"
        yield Uncompilable(servers=names, keyword="minProperties", effect="refused", instead=instead)
    names = _of(LLGUIDANCE, servers)
    optional = count and (not isinstance(required, list) or any(name not in required for name in named or ()))
    for key in ("minProperties", "maxProperties") if names and optional else ():
        if key in schema:
            instead = "drop it, or make every property required"
            yield Uncompilable(servers=names, keyword=key, effect="refused", instead=instead)


def _of_yes_and_no(schema: Schema, _: Collection[str], servers: Collection[str]) -> Iterator[Uncompilable]:
    """Yield schemas inside that are `true` or `false`: llama.cpp and outlines take none, the others no `false`."""
    named = schema.get("properties")
    for key, values in (
        ("properties", named.values() if isinstance(named, dict) else ()),
        ("items", [schema.get("items")]),
    ):
        said = {value for value in values if isinstance(value, bool)}
        no_value = (*XGRAMMAR, *LLGUIDANCE) if False in said and key == "properties" else ()
        if said and (names := _of((*LLAMA, *OUTLINES, *no_value), servers)):
            yield Uncompilable(
                servers=names, keyword=key, effect="refused", instead="write a schema, not true or false"
            )


def _of_branches(schema: Schema, _: Collection[str], servers: Collection[str]) -> Iterator[Uncompilable]:
    """Yield `oneOf` with branches that llguidance cannot tell from each other, and names that are no texts."""
    branches, names = schema.get("oneOf"), _of(LLGUIDANCE, servers)
    if names and isinstance(branches, list) and any(_may_overlap(*pair) for pair in combinations(branches[:_MOST], 2)):
        instead = "write `anyOf`, or give each branch a required property with a `const` of its own"
        yield Uncompilable(servers=names, keyword="oneOf", effect="refused", instead=instead)
    called = schema.get("propertyNames")
    if (names := _of(XGRAMMAR, servers)) and isinstance(called, dict) and called.get("type", "string") != "string":
        yield Uncompilable(servers=names, keyword="propertyNames", effect="refused", instead="names are texts: drop it")


_MOST: Final = 50
"""Branches of a `oneOf` that are compared with each other."""
_DEEPEST: Final = 8
"""Objects in objects that are looked into."""
_ELSEWHERE = frozenset({"$ref", "allOf", "anyOf", "oneOf"})


def _may_overlap(one: Any, other: Any, depth: int = 0) -> bool:
    """Whether a value may fit both branches, as far as llguidance looks; of what stands elsewhere nothing is said."""
    if depth > _DEEPEST or not isinstance(one, dict) or not isinstance(other, dict):
        return False
    if _ELSEWHERE & (one.keys() | other.keys()):
        return False
    texts, others = _literals(one), _literals(other)
    if texts is not None and others is not None:
        return bool(texts & others)
    kinds, kinds_of_other = _kinds(one), _kinds(other)
    if kinds and kinds_of_other and not kinds & kinds_of_other:
        return False
    named, of_other = _required(one), _required(other)
    return all(_may_overlap(named[name], of_other[name], depth + 1) for name in named.keys() & of_other.keys())


def _required(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schemas of the required properties."""
    named, required = schema.get("properties"), schema.get("required")
    if not isinstance(named, dict) or not isinstance(required, list):
        return {}
    return {name: named[name] for name in required if isinstance(name, str) and name in named}


def _literals(schema: Schema) -> frozenset[str] | None:
    """Return the values that a schema lists, as JSON; None where it lists none."""
    listed = [schema["const"]] if "const" in schema else schema.get("enum")
    return (
        frozenset(json.dumps(value, sort_keys=True, default=repr) for value in listed)
        if isinstance(listed, list)
        else None
    )


def _kinds(schema: Schema) -> set[str]:
    """Return the types that a schema allows, an integer as a number; none where it does not say."""
    listed = _literals(schema)
    if "type" not in schema and listed is not None:
        return {"number" if text[0] in "-0123456789" else _FIRST.get(text[0], "null") for text in listed}
    return {"number" if kind == "integer" else kind for kind in declared(schema)}


_FIRST = {'"': "string", "{": "object", "[": "array", "t": "boolean", "f": "boolean"}
"""The first character of a value in JSON → its type."""


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
