"""Reads a model id: route first, then the name word by word, then what the words mean together."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Any

from utp_cli.detection.families import (
    ACTIVE_SIZES,
    AT_START,
    CLOSED,
    FINE_TUNE_WORDS,
    REVISION_ONLY,
    SOLD_ONLY,
    SPELLINGS,
    TWO_DIGITS,
    VARIANT_LETTERS,
    VARIANT_SPELLINGS,
    VARIANTS,
    WHOLE_NUMBERS,
    precedence,
)
from utp_cli.detection.kinds import CHAT, kind_of, kind_of_unknown
from utp_cli.detection.makers import MAKERS
from utp_cli.detection.providers import CLOUDS, NAMED_BY_COLON, OWNERS, REPACKAGERS
from utp_cli.detection.route import ModelRoute, read_route
from utp_cli.detection.spec import ModelSpec
from utp_cli.facts.aliases import ALIASES
from utp_cli.protocol.patterns import regex
from utp_cli.protocol.records import Record, replace


class Lexeme(Record):
    """A word of a name and what it is by itself."""

    kind: str
    text: str
    start: int
    """Offset in the name, characters."""
    end: int


def _names(spellings: dict[str, str]) -> str:
    """Alternatives for names, the longest first; a hyphen may also be `_` or nothing."""
    return "|".join(re.escape(name).replace(r"\-", "[-_]?") for name in sorted(spellings, key=len, reverse=True))


_GLUED = "|".join(sorted({*VARIANTS, "base"}, key=len, reverse=True))
_DECIMAL = r"(?:0_\d|\d{1,4}(?:[.p]\d{1,2})?)"

LEXEMES: tuple[tuple[str, str], ...] = (
    ("fine_tune", rf"(?<![a-z\d])(?:{_names(dict.fromkeys(FINE_TUNE_WORDS, ''))})(?!-model|[a-z\d])"),
    (
        "quant",
        r"""(?<![a-z\d])(?:
            (?:ud-)?(?:[it]q\d|q[2-8])(?:_(?:[01k]|[a-z]{1,3}))*(?:_\d)*   # GGUF: q4_k_m, q8_0, iq4_xs
          | q\df\d\d(?:_\d)?                                              # MLC: q4f16_1
          | (?:nv|mx)?fp\d{1,2}(?:-(?:dynamic|block))? | b?f(?:16|32) | nf4
          | u?int[48] | w\d{1,2}a\d{1,2} | \d-?bit(?:-\d+g)? | \db-\d+g | \d\.\d+bpw
          | awq | gptq | bnb | exl[23] | hqq | aqlm | eetq | qat | dwq
        )(?![a-z\d])""",
    ),
    ("tag", r"(?<![a-z\d])[0-9a-f]{16,}(?![a-z\d])"),  # a commit or checksum
    (
        "tag",
        r"""(?<![a-z\d.])(?:
            20\d\d[-_]\d\d[-_]\d\d | \d\d[-_]20\d\d | 20\d\d[-_]\d\d | \d\d-\d\d    # dates
          | \d{3,}(?!\.\d) | 0\d+                                                  # dates, builds, contexts
          | \d{1,4}k | \d(?:\.\d)?m | \d{1,3}e                               # contexts, budgets, experts
        )(?![a-z\d])""",
    ),
    ("tag", r"(?<![a-z\d])(?:latest|preview|exp|experimental|beta|alpha|base)(?![a-z\d])"),
    ("mixture", rf"(?<![a-z\d.])\d{{1,3}}x{_DECIMAL}b(?![a-z\d])"),
    ("active", rf"(?<![a-z\d.])a{_DECIMAL}[bm](?![a-z\d])"),
    ("active", r"(?<![a-z\d.])e\d{1,2}b(?![a-z\d])"),  # "effective" parameters
    ("size", rf"(?<![\d.]){_DECIMAL}b(?![a-z\d])|(?<![a-z\d.])(?:{_DECIMAL}t|\d{{2,4}}m)(?![a-z\d])"),
    ("family", rf"(?<![a-z\d])(?:{_names(SPELLINGS)})(?:(?![a-z])|(?=(?:{_GLUED})(?![a-z])))"),
    ("family", rf"^(?:openai-|azure-)?o(?=\d(?!\d))|^(?:{_names(AT_START)})(?=[-_]?v?\d)"),
    ("family", r"^(?:duo-chat|anthropic)(?=-(?:opus|sonnet|haiku|fable|mythos)(?![a-z]))|^chat(?=-latest$)"),
    ("family", r"^(?:adaptive|bodybuilder|cheap|free|fusion|route-llm)$"),
    ("number", r"(?:(?<![a-z\d])v|(?<!\d))\d{1,2}(?!\d)(?:[.p]\d{1,2}(?!\d)|_\d{1,2}(?![\da-z])){0,2}"),
    ("word", r"[a-z]+"),
)
"""What a word of a name can be. The first match wins; what only looks like a version or size comes first."""

_LEXER = regex(
    "|".join(f"(?P<{kind}{place}>{pattern})" for place, (kind, pattern) in enumerate(LEXEMES)),
    re.VERBOSE | re.ASCII,
)
_POINTS = str.maketrans("p_", "..")
_UNITS = {"m": 10**6, "b": 10**9, "t": 10**12}
_NEXT_DIGIT = regex(r"-p?(\d)(?![\da-z.]|_\d)", re.ASCII)
_NEXT_DIGITS = regex(r"-(\d\d?)(?![\da-z.]|_\d)", re.ASCII)


@lru_cache(maxsize=512)
def read_model_id(text: str) -> ModelSpec:
    """Say what the id states. Any string gives a spec, in time linear in its length."""
    route = read_route(text)
    name, lexemes = _choose_name(route)
    family = _choose_family(lexemes)
    if family is None:
        return ModelSpec(
            **_plain_facts(route, lexemes),
            family="unknown",
            custom=True,
            kind=kind_of_unknown(route.provider, _name_words(name)),
        )
    canonical = _canonical(family.text)
    if canonical in CLOSED and not route.custom and route.org not in OWNERS | REPACKAGERS:
        route = replace(route, org=None)
    version, variant = _version(name, lexemes, family, canonical), _variant(lexemes, canonical)
    facts = _plain_facts(route, lexemes)
    if route.provider is None and not route.custom:
        facts["provider"] = _seller(
            route.org, canonical, {*variant, *facts["marks"], *(["sized"] if facts["size"] else [])}
        )
    if version and facts["size"] and facts["size"] == ACTIVE_SIZES.get((canonical, version[0])):
        facts["size"], facts["active_size"] = None, facts["size"]
    return ModelSpec(
        **facts,
        family=canonical,
        version=version,
        variant="-".join(variant) or None,
        custom=_is_custom(route, lexemes),
        tuned=_is_tuned(route, lexemes),
        kind=_kind(canonical, name),
        words=_words(lexemes, canonical),
        alias=name if name in ALIASES else None,
    )


def _seller(org: str | None, family: str, told: set[str]) -> str | None:
    """Return the provider that a namespace alone tells: who else serves a model that only its maker has?"""
    provider = NAMED_BY_COLON.get(org or "")
    if provider not in MAKERS.get(family, ()):
        return provider if org in CLOUDS and family in MAKERS else None
    sold = family in CLOSED or (
        not told.isdisjoint(("latest", *SOLD_ONLY.get(family, ()))) and told.isdisjoint(("sized", "instruct"))
    )
    return provider if sold else None


def _words(lexemes: list[Lexeme], canonical: str) -> tuple[str, ...]:
    """Return the words that are neither family nor variant."""
    letters = frozenset(VARIANT_LETTERS.get(canonical, ""))
    found = (lexeme.text for lexeme in lexemes if lexeme.kind == "word")
    return tuple(word for word in found if len(word) > 1 and not _variant_words(word, letters))


def _kind(family: str, name: str) -> str:
    return kind_of(family, _name_words(name))


def _name_words(name: str) -> list[str]:
    return re.findall(r"[a-z]+\d?|\d+", name)


def _lex(name: str) -> list[Lexeme]:
    return [
        Lexeme(
            kind=str(found.lastgroup).rstrip("0123456789"),
            text=found[0],
            start=found.start(),
            end=found.end(),
        )
        for found in _LEXER.finditer(name)
    ]


def _choose_name(route: ModelRoute) -> tuple[str, list[Lexeme]]:
    """Return the last candidate that names a family, else the last, with its words."""
    names = [*reversed(route.names), *([route.org] if route.org and _kind("", route.org) != CHAT else [])]
    if route.names and re.match(r"[a-z]{0,2}\d", route.names[-1]):  # minimax/m2: the namespace tells the family
        names += [f"{maker}-{route.names[-1]}" for maker in (route.org, route.provider) if maker]
    if route.provider:  # fal_ai/fal-ai/imagen4/preview, kilo/kilo-auto/small: what names no model is a service of one
        names += reversed(route.before)
    candidates = [(name, _lex(name)) for name in names] or [("", [])]
    named = (pair for pair in candidates if any(lexeme.kind == "family" for lexeme in pair[1]))
    return next(named, candidates[0])


def _choose_family(lexemes: list[Lexeme]) -> Lexeme | None:
    """Return the lexeme of the family; of several the one of highest precedence."""
    families = [lexeme for lexeme in lexemes if lexeme.kind == "family"]
    return min(families, key=lambda lexeme: precedence(_canonical(lexeme.text)), default=None)


_CANONICAL = {
    **{name.replace("-", ""): family for name, family in {**SPELLINGS, **AT_START}.items()},
    **dict.fromkeys(("anthropic", "duochat"), "claude"),
    "chat": "gpt",
    **dict.fromkeys(("adaptive", "bodybuilder", "cheap", "free", "fusion", "routellm"), "router"),
}


def _canonical(text: str) -> str:
    return _CANONICAL[text.removeprefix("openai-").removeprefix("azure-").replace("-", "").replace("_", "")]


def _plain_facts(route: ModelRoute, lexemes: list[Lexeme]) -> dict[str, Any]:
    """Return the facts that need no family."""
    size, active = _sizes(lexemes)
    return {
        "provider": route.provider,
        "org": route.org,
        "size": size,
        "active_size": active,
        "quant": _joined(lexemes, "quant"),
        "tag": _joined(lexemes, "tag"),
        "marks": tuple(lexeme.text for lexeme in lexemes if lexeme.kind == "tag"),
    }


def _joined(lexemes: list[Lexeme], kind: str) -> str | None:
    return "-".join(lexeme.text for lexeme in lexemes if lexeme.kind == kind) or None


def _sizes(lexemes: list[Lexeme]) -> tuple[int | None, int | None]:
    """Return total and active parameters. A pair such as `1b-7b` is active and total."""
    totals = [lexeme for lexeme in lexemes if lexeme.kind in {"size", "mixture"}]
    active = next((_parameters(lexeme.text) for lexeme in lexemes if lexeme.kind == "active"), None)
    sizes = [_parameters(lexeme.text) for lexeme in totals]
    if len(totals) > 1 and totals[1].start == totals[0].end + 1 and sizes[0] < sizes[1]:
        return sizes[1], sizes[0]
    return (sizes[0] if sizes else None), active


def _parameters(text: str) -> int:
    """Read `0.5b`, `1p7b`, `8x7b`, `a3b`, `e4b`, `270m`, `1t`."""
    count, _, each = text[:-1].lstrip("ae").translate(_POINTS).rpartition("x")
    return round(int(count or 1) * float(each) * _UNITS[text[-1]])


def _version(name: str, lexemes: list[Lexeme], family: Lexeme, canonical: str) -> tuple[int, ...]:
    """Return the first number after the family that is its version, not another mark."""
    after = lexemes[lexemes.index(family) :]
    sized = False
    for previous, lexeme in pairwise(after):
        if lexeme.kind == "fine_tune":
            break
        if lexeme.kind == "number" and _counts(lexeme, previous, family, canonical, sized=sized):
            return _digits(name, lexeme, canonical)
        sized = sized or lexeme.kind in {"size", "mixture", "active"}
    return ()


def _counts(number: Lexeme, previous: Lexeme, family: Lexeme, canonical: str, *, sized: bool) -> bool:
    """Whether a number can be the version, by what stands before it."""
    if previous.kind == "family" and previous is not family:
        return False  # hermes-llama2: the base's
    if previous.kind == "word" and previous.end == number.start and len(previous.text) > 1:
        return previous.text in VARIANTS  # large2, vl2; not prod2
    if number.text.startswith("v"):
        return canonical not in REVISION_ONLY
    return not (sized and number.text.isdigit())


def _digits(name: str, number: Lexeme, canonical: str) -> tuple[int, ...]:
    """Read `3`, `3.5`, `v3p1`, `2_5`, and with what follows in the name `3-5`; `35` alone is 3.5 too."""
    parts = re.split(r"[._p]", number.text.lstrip("v"))
    if len(parts) == 1 and len(number.text) == 2 and number.text.isdigit() and canonical not in WHOLE_NUMBERS:
        parts = list(number.text)
    elif len(parts) == 1 and (
        minor := (_NEXT_DIGITS if canonical in TWO_DIGITS else _NEXT_DIGIT).match(name, number.end)
    ):
        parts.append(minor[1])
    return tuple(int(part) for part in parts)


def _variant(lexemes: list[Lexeme], canonical: str) -> dict[str, None]:
    """Return the variant tokens in order, each once."""
    letters = frozenset(VARIANT_LETTERS.get(canonical, ""))
    tokens: dict[str, None] = {}
    for word, after in pairwise([*lexemes, Lexeme(kind="end", text="", start=-1, end=-1)]):
        if word.kind == "word":
            numbered = word.text + after.text if after.start == word.end else ""  # r1 is one token
            found = (numbered,) if numbered in VARIANTS else _variant_words(word.text, letters)
            tokens |= dict.fromkeys(VARIANT_SPELLINGS.get(token, token) for token in found)
    return tokens


def _variant_words(word: str, letters: frozenset[str]) -> tuple[str, ...]:
    """Split a word into variant tokens: itself, or two glued together (`omini`); else none."""
    known = VARIANTS | letters
    if word in known or word in VARIANT_SPELLINGS:
        return (word,)
    glued = ((word[:cut], word[cut:]) for cut in range(1, min(len(word), 20)))
    return next((pair for pair in glued if pair[0] in known and pair[1] in VARIANTS), ())


def _is_custom(route: ModelRoute, lexemes: list[Lexeme]) -> bool:
    foreign = route.org is not None and route.org not in OWNERS | REPACKAGERS
    return foreign or _is_tuned(route, lexemes)


def _is_tuned(route: ModelRoute, lexemes: list[Lexeme]) -> bool:
    return route.custom or any(lexeme.kind == "fine_tune" for lexeme in lexemes)
