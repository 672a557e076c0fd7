"""Mistral's chat API."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from utp_cli.facts.providers import PROVIDERS
from utp_cli.rendering.formats import openai
from utp_cli.rendering.targets import FULL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from utp_cli.rendering.spec import ToolOutcome


def results(outcomes: Sequence[ToolOutcome]) -> list[dict[str, Any]]:
    """Return a message for each result; Mistral's has the tool's name as well (mistralai 3, `ToolMessage`)."""
    messages = zip(openai.results(outcomes), outcomes, strict=True)
    return [{**message, "name": outcome.name} if outcome.name else message for message, outcome in messages]


MISTRAL = replace(
    openai.CHAT,
    name="mistral",
    aliases=(),
    schema=FULL,
    strict=FULL,
    provider=PROVIDERS["mistral"],
    results=results,
)
