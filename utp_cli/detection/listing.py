"""Public lists of models and what they can do, read into facts: fresher than the registry, and by id.

Forms: LiteLLM's price table, `api.json` of models.dev, `/api/v1/models` of OpenRouter; as of November 2026.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.errors import BadOption

if TYPE_CHECKING:
    from collections.abc import Iterator

Facts = dict[str, Any]

LISTS = {
    "litellm": "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json",
    "models.dev": "https://models.dev/api.json",
    "openrouter": "https://openrouter.ai/api/v1/models",
}
"""Every form, and where its list is published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Facts about single models: fields of `Capability` by lower-case id."""

    name: str
    """Whose list it is."""
    facts: dict[str, Facts]

    def facts_for(self, model: str) -> Facts:
        """Return what the list says of a model, by its whole id or what follows the first slash."""
        lowered = model.lower()
        return self.facts.get(lowered) or self.facts.get(lowered.partition("/")[2]) or {}


_LITELLM = {
    "supports_function_calling": "native_tools",
    "supports_parallel_function_calling": "parallel_tools",
    "supports_response_schema": "structured_outputs",
    "supports_reasoning": "reasoning",
    "max_input_tokens": "context_window",
    "max_output_tokens": "max_output_tokens",
}
_MODELS_DEV = {
    "tool_call": "native_tools",
    "structured_output": "structured_outputs",
    "reasoning": "reasoning",
}
_MODELS_DEV_LIMITS = {"context": "context_window", "output": "max_output_tokens"}
OPENROUTER_PARAMETERS = {
    "tools": "native_tools",
    "tool_choice": "supports_tool_choice_required",
    "structured_outputs": "structured_outputs",
    "response_format": "json_mode",
    "reasoning": "reasoning",
}
_COUNTS = frozenset({"context_window", "max_output_tokens"})


def read_listing(document: Any) -> Listing:
    """Read a decoded list of one of the known forms. Raises `BadOption` for anything else."""
    for name, reader in (("openrouter", _openrouter), ("models.dev", _models_dev), ("litellm", _litellm)):
        facts = {model.lower(): stated for model, stated in reader(document) if stated}
        if facts:
            return Listing(name=name, facts=facts)
    raise BadOption("no list of models in a known form (LiteLLM, models.dev, OpenRouter)")


def _litellm(document: Any) -> Iterator[tuple[str, Facts]]:
    """`{ID: {supports_…, max_…}}`."""
    for model, entry in _entries(document):
        yield model, _stated(entry, _LITELLM)


def _models_dev(document: Any) -> Iterator[tuple[str, Facts]]:
    """`{PROVIDER: {models: {ID: {tool_call, limit: {context, output}}}}}`; a bare id has what all agree on."""
    offers: dict[str, list[Facts]] = {}
    for provider, offer in _entries(document):
        for model, entry in _entries(offer.get("models")):
            facts = _stated(entry, _MODELS_DEV) | _stated(entry.get("limit"), _MODELS_DEV_LIMITS)
            yield f"{provider}/{model}", facts
            offers.setdefault(model, []).append(facts)
    for model, found in offers.items():
        yield model, {k: v for k, v in found[0].items() if all(other.get(k, v) == v for other in found)}


def _openrouter(document: Any) -> Iterator[tuple[str, Facts]]:
    """`{data: [{id, supported_parameters, context_length, top_provider}]}`: what is not named is missing."""
    data = document.get("data") if isinstance(document, dict) else None
    for entry in data if isinstance(data, list) else []:
        known = entry.get("supported_parameters") if isinstance(entry, dict) else None
        if isinstance(known, list) and isinstance(entry.get("id"), str):
            facts = {field: parameter in known for parameter, field in OPENROUTER_PARAMETERS.items()}
            facts |= _stated(entry, {"context_length": "context_window"})
            facts |= _stated(entry.get("top_provider"), {"max_completion_tokens": "max_output_tokens"})
            yield entry["id"], facts


def _entries(table: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the members of a table that are tables."""
    for name, entry in table.items() if isinstance(table, dict) else ():
        if isinstance(entry, dict):
            yield name, entry


def _stated(entry: Any, fields: dict[str, str]) -> Facts:
    """Return the fields that an entry states, in the type they must have; `null` states nothing."""
    found = {field: entry.get(key) for key, field in fields.items()} if isinstance(entry, dict) else {}
    return {field: value for field, value in found.items() if _fits(field, value)}


def _fits(field: str, value: Any) -> bool:
    if field in _COUNTS:
        return isinstance(value, int) and not isinstance(value, bool) and value > 0
    return isinstance(value, bool)
