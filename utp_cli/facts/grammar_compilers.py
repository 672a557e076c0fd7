"""What the grammar compilers of inference servers can do with a schema.

Sources, read in 2026-11: llama.cpp `src/llama-grammar.cpp` (MAX_REPETITION_THRESHOLD) and
`common/json-schema-to-grammar.cpp`; vLLM 0.33 `v1/structured_output/backend_xgrammar.py` and
`tool_parsers/utils.py`; SGLang 0.5.23 `srt/constrained/json_schema_validation.py`; xgrammar `cpp/regex_converter.cc`.
Measured in 2026-11 with the programs themselves: outlines_core 0.2.14, llguidance 1.9.1, xgrammar 0.2.8 (which vLLM
0.33 brings), and llama.cpp's converter and grammar parser as shipped with llama-cpp-python 0.3.36. What
they said of 194 schemas stands in `fixtures/audit/compilers.jsonl`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

LLAMA: Final = ("llama.cpp", "lmstudio")
"""LM Studio runs GGUF models with llama.cpp."""
XGRAMMAR: Final = ("vllm", "sglang")
OUTLINES: Final = ("tgi", "outlines")
"""TGI, and vLLM or SGLang with the backend `outlines`."""
LLGUIDANCE: Final = ("llguidance",)
"""vLLM with the backend `guidance`, SGLang with `llguidance`, llama.cpp built with it."""
SERVERS: Final = (*LLAMA, *XGRAMMAR, *OUTLINES, *LLGUIDANCE)

Effect = Literal["refused", "ignored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Keywords that a server's compiler cannot do."""

    servers: tuple[str, ...]
    keywords: tuple[str, ...]
    effect: Effect = "refused"
    types: frozenset[str] = frozenset()
    """Declared types with which it matters; with any, and without, where empty."""
    instead: str


IN_WORDS: Final = "drop it and say it in the description"
IN_TOOL: Final = "check it in the tool; no grammar holds the model to it"
_OF_LISTS: Final = ("uniqueItems", "contains", "minContains", "maxContains")
_LOGIC: Final = ("not", "if", "then", "else", "dependentRequired", "dependentSchemas")
_UNEVALUATED: Final = ("unevaluatedProperties", "unevaluatedItems")
_OF_NUMBERS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
LIMITS: Final = (
    Limit(
        servers=("vllm",), keywords=("multipleOf",), types=frozenset({"integer", "number"}), instead=IN_WORDS
    ),
    Limit(servers=("vllm",), keywords=_OF_LISTS, types=frozenset({"array"}), instead=IN_WORDS),
    Limit(servers=("sglang",), keywords=("multipleOf", *_OF_LISTS, *_LOGIC), instead=IN_WORDS),
    Limit(servers=("vllm",), keywords=_LOGIC, effect="ignored", instead=IN_TOOL),
    Limit(servers=LLGUIDANCE, keywords=(*_OF_LISTS, *_LOGIC, *_UNEVALUATED, "propertyNames"), instead=IN_WORDS),
    Limit(
        servers=OUTLINES,
        keywords=(*_OF_LISTS, *_LOGIC, *_UNEVALUATED, *_OF_NUMBERS, "patternProperties", "propertyNames"),
        effect="ignored",
        instead=IN_TOOL,
    ),
)  # fmt: skip
_USUAL: Final = frozenset({"email", "date", "time", "date-time", "uuid", "uri"})
_NETWORK: Final = frozenset({"duration", "ipv4", "ipv6", "hostname"})
FORMATS: Final[dict[tuple[str, ...], frozenset[str]]] = {
    XGRAMMAR: _USUAL | _NETWORK | {"uri-reference", "uri-template", "json-pointer", "relative-json-pointer"},
    OUTLINES: _USUAL,
    LLGUIDANCE: _USUAL | _NETWORK,
}
"""Servers → the string formats that their compiler knows; all others are refused."""
LONGEST: Final = 2000
"""More repetitions than that llama.cpp's grammar cannot count: as the least it fails to parse the grammar, as the most
it drops the bound (builds before 2026 fail there too)."""
_LOOKS: Final = r"\(\?(?:[=!]|<[=!])|\\[1-9]|\\[bB]"
PATTERNS_REFUSED: Final[dict[tuple[str, ...], tuple[str, str]]] = {
    XGRAMMAR: (
        r"\(\?<[=!]|\\[1-9]|\\[bB]|\(\?[imsx-]+:|\\[pP]|\[\]",
        "write it without look-behind, back-references, \\b, \\p and flags",
    ),
    OUTLINES: (_LOOKS, "write it without look-around, back-references and \\b"),
    LLGUIDANCE: (_LOOKS, "write it without look-around, back-references and \\b"),
}
"""Servers → a regular expression for what a pattern may not hold, and what to do."""
LOOKS_AHEAD: Final = r"\(\?(?:[=!]|[imsx-]+\))"
"""What xgrammar takes in a pattern since 0.2.8, and refused before."""
PATTERNS_IGNORED_BY_LLAMA: Final = r"\(\?[^:]|\\[^\\\"\[\]|.(){}*+?^$nrtxu-]|(?<!^)(?<![\[\\])\^|(?<!\\)\$(?!$)"
"""Regular expression for what a pattern has that no grammar is made of."""
SAYS_WHAT_IT_IS: Final = (
    "type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "properties", "items", "prefixItems"
)  # fmt: skip
"""Of these outlines needs one, in a schema that says anything at all."""
