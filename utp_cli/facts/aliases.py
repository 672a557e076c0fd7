"""Names that move: what a provider means by them, since when, and what they meant before.

Source: the providers' model pages and deprecation lists, as models.dev (2026-08), LiteLLM and LangChain (2026-11)
keep them. A row of a list that is older than the move describes the model before.
"""

from __future__ import annotations

from typing import NamedTuple


class Alias(NamedTuple):
    """One name that moves."""

    means: str
    """The id it stands for; empty where only the line is known."""
    since: str
    """Year and month."""
    before: str
    """What it meant earlier, the newest first."""


ALIASES: dict[str, Alias] = {
    "deepseek-chat": Alias("deepseek-v4-flash", "2026-07", "V3.2, V3.1, V3; retired under this name since 2026-07-24"),
    "deepseek-reasoner": Alias(
        "deepseek-v4-flash", "2026-07", "V3.2, V3.1, R1; retired under this name since 2026-07-24"
    ),
    "deepseek-flash": Alias("", "2026-09", "V4 Flash; V4.1 Flash now"),
    "mistral-large-latest": Alias("mistral-large-2512", "2025-12", "2411 with 131,072 tokens"),
    "mistral-medium-latest": Alias("mistral-medium-2604", "2026-04", "2508, 2505"),
    "mistral-small-latest": Alias("mistral-small-2603", "2026-03", "2506, 2503"),
    "devstral-latest": Alias("devstral-2512", "2025-12", "2507"),
    "devstral-medium-latest": Alias("devstral-2512", "2025-12", "2507"),
    "qwen-plus": Alias("", "2025-07", "snapshots with 131,072 tokens; 1,000,000 now"),
    "qwen-max": Alias("", "2025-01", "each snapshot has its own figures"),
    "qwen-flash": Alias("", "2025-07", "each snapshot has its own figures"),
    "gemini-flash-latest": Alias("", "2026-11", "the newest of the line; 1,048,576 and 65,536 tokens since 2.5"),
    "gemini-pro-latest": Alias("", "2026-11", "the newest of the line; 1,048,576 and 65,536 tokens since 2.5"),
}
"""Name as the maker writes it → what it means."""
