"""What the parsers of inference servers return for damaged calls, measured on their own code.

`python -m bench.engine_outcomes` writes `engine_outcomes.jsonl`, a parser a line: it writes a call in each dialect,
damages it in one way, and runs the parser of the release (vLLM 0.33.0, SGLang 0.5.23, Ollama 0.33.0-rc2, llama.cpp
b11434; November 2026, the whole answer at once, no reasoning parser in front, thinking off). Parsers that need token
ids (vLLM's `openai`, `cohere_command3`) cannot be run so, and are left out. llama.cpp makes its parser of the chat
template, so a template's file stands for it; its server also holds the model to a grammar, with which it writes less
damage, and of text that its parser cannot read it makes an error.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, NamedTuple

ENGINES: Final[dict[str, str]] = {"vllm": "vLLM", "sglang": "SGLang", "ollama": "Ollama", "llama.cpp": "llama.cpp"}
"""Engines that were measured → how they spell themselves."""

OUTCOMES: Final[dict[str, str]] = {
    "raises": "raises an error",
    "drops": "loses this call, text and all",
    "leaks": "leaves this call in the content",
    "partly": "returns some of these calls and loses the others",
    "passes": "returns this call with arguments that are no JSON",
    "bends": "returns this call with another name or other arguments",
    "half": "returns the half-written call as if it were whole",
    "withholds": "returns no call, and not the text either",
    "reads-leaks": "reads this call, and leaves markup in the content",
    "reads-only-call": "reads this call, and loses the text beside it",
    "reads": "reads this call",
}
"""What a parser does → in words, worst first."""

DAMAGES: Final[dict[str, str]] = {
    "cut": "the text is cut off",
    "missing-close-tag": "its closing tag is missing",
    "missing-close-brace": "JSON with a missing closing brace",
    "extra-close": "JSON with a closing bracket too many",
    "trailing-comma": "JSON with a trailing comma",
    "missing-comma": "JSON with a missing comma",
    "single-quotes": "JSON with single quotes",
    "smart-quotes": "JSON with typographic quotes",
    "unquoted-key": "JSON with bare keys",
    "python-literal": "JSON with Python's True, False or None",
    "raw-newline-in-string": "JSON with a real line break in a string",
    "unescaped-quote": "JSON with a bare quote in a string",
    "bad-escape": "JSON with a backslash that escapes nothing",
    "js-comment": "JSON with a comment",
    "code-fence": "JSON in a code fence",
    "unknown-tool": "no tool has this name",
    "no-arguments": "it has no arguments",
    "two-calls": "there are several calls",
    "text-before": "text stands in front of it",
    "text-after": "text stands behind it",
}
"""Damage, a repair's code where a repair mends it → in words."""


class Measured(NamedTuple):
    """One parser of one release."""

    engine: str
    version: str
    date: str
    """Year and month of the measurement."""
    dialect: str
    parser: str
    """The name in the server's command line, of Ollama in the Modelfile; of llama.cpp, a template of its repository."""
    outcomes: dict[str, str]
    """Damage → outcome; a damage that this dialect cannot have is not in it."""


def measured() -> list[Measured]:
    """Return the table. Read where it is asked for."""
    lines = Path(__file__).with_name("engine_outcomes.jsonl").read_text(encoding="utf-8").splitlines()
    return [Measured(**json.loads(line)) for line in lines]
