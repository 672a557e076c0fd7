"""Tools that models were trained on, and call unasked."""

from __future__ import annotations

from typing import Final

BUILT_IN: Final = frozenset({
    "brave_search", "wolfram_alpha", "python", "ipython", "code_interpreter", "web_search", "browser",
    "browser.search", "browser.open", "browser.find", "container.exec", "image_gen", "simple_browser",
})  # fmt: skip
"""Names of such tools (Llama 3.1, gpt-oss, GLM; their model cards, 2024 to 2026)."""
PARALLEL: Final = "multi_tool_use.parallel"
"""OpenAI's own wrapper around several calls, which leaks now and then as a call."""
