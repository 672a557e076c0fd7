"""What the grammar compilers of inference servers can do with a schema.

Sources, read in 2026-11: llama.cpp `src/llama-grammar.cpp` (MAX_REPETITION_THRESHOLD) and
`common/json-schema-to-grammar.cpp`; vLLM 0.33 `v1/structured_output/backend_xgrammar.py` and
`tool_parsers/utils.py`; SGLang 0.5.23 `srt/constrained/json_schema_validation.py`; xgrammar `cpp/regex_converter.cc`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LLAMA: Final = ("llama.cpp", "lmstudio")
"""LM Studio runs GGUF models with llama.cpp."""
XGRAMMAR: Final = ("vllm", "sglang")
SERVERS: Final = (*LLAMA, *XGRAMMAR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """Keywords that a server's compiler cannot do."""

    servers: tuple[str, ...]
    keywords: tuple[str, ...]
    types: frozenset[str] = frozenset()
    """Declared types with which it matters; with any, and without, where empty."""
    instead: str


IN_WORDS: Final = "drop it and say it in the description"
REFUSED: Final = (
    Limit(
        servers=("vllm",),
        keywords=("multipleOf",),
        types=frozenset({"integer", "number"}),
        instead=IN_WORDS,
    ),
    Limit(
        servers=("vllm",),
        keywords=("uniqueItems", "contains", "minContains", "maxContains"),
        types=frozenset({"array"}),
        instead=IN_WORDS,
    ),
    Limit(
        servers=("sglang",),
        keywords=("multipleOf", "uniqueItems", "contains", "minContains", "maxContains", "not", "if", "then", "else",
                  "dependentRequired", "dependentSchemas"),
        instead=IN_WORDS,
    ),
)  # fmt: skip
IGNORED: Final = (
    Limit(
        servers=("vllm",),
        keywords=("not", "if", "then", "else", "dependentRequired", "dependentSchemas"),
        instead="check it in the tool; no grammar holds the model to it",
    ),
)
FORMATS: Final = frozenset(
    {"email", "date", "time", "date-time", "duration", "ipv4", "ipv6", "hostname", "uuid", "uri", "uri-reference",
     "uri-template", "json-pointer", "relative-json-pointer"}
)  # fmt: skip
"""String formats that xgrammar compiles."""
LONGEST: Final = 2000
"""Repetitions from which on llama.cpp fails to parse its grammar."""
PATTERNS_REFUSED_BY_XGRAMMAR: Final = r"\(\?(?:[=!]|<[=!]|[imsx-]+[:)])|\\[1-9]|\\[bBpP]|\[\]"
"""Regular expression for what a pattern may not hold."""
PATTERNS_IGNORED_BY_LLAMA: Final = r"\(\?[^:]|\\[^\\\"\[\]|.(){}*+?^$/-]|(?<!^)(?<![\[\\])\^|(?<!\\)\$(?!$)"
"""Regular expression for what a pattern has that no grammar is made of."""
