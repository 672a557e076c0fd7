"""Langfuse: observations of its API, of its exports (snake_case, JSON as text), and as attributes of OTLP spans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from utp_cli.replaying.session import Exchange
from utp_cli.wire.access import dict_of, list_of, text_of
from utp_cli.wire.shape import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ATTRIBUTES: Final = {
    "input": ("langfuse.observation.input", "gen_ai.prompt", "input.value"),
    "output": ("langfuse.observation.output", "gen_ai.completion", "output.value"),
    "model": ("langfuse.observation.model.name", "gen_ai.response.model", "gen_ai.request.model"),
    "modelParameters": ("langfuse.observation.model.parameters",),
    "usageDetails": ("langfuse.observation.usage_details",),
}
"""Field of an observation → attributes of a span that say it, the first wins (Langfuse's mapping, 2026-11)."""


def observation_of(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Make an observation of the attributes of a span."""
    found = {
        field: next((attributes[name] for name in names if attributes.get(name) is not None), None)
        for field, names in _ATTRIBUTES.items()
    }
    return {"traceId": "", "type": text_of(attributes.get("langfuse.observation.type")).upper(), **found}


def langfuse_exchange(observation: dict[str, Any]) -> Iterator[Exchange]:
    """Read an observation that is a generation; others are no answers of a model."""
    said = {_camel(key): value for key, value in observation.items()}
    if text_of(said.get("type")).upper() != "GENERATION" or said.get("output") is None:
        return
    asked = decoded(said.get("input"))
    if isinstance(asked, str):
        asked = [{"role": "user", "content": asked}]
    request = dict(asked) if isinstance(asked, dict) else {"messages": list_of(asked)}
    if "role" in request and "messages" not in request:
        request = {"messages": [request]}
    model = said.get("model") or said.get("providedModelName")
    answer = {
        "traceId": text_of(said.get("traceId")), "type": "GENERATION", "model": model,
        "output": said.get("output"), "usageDetails": decoded(said.get("usageDetails") or said.get("usage")),
    }  # fmt: skip
    yield Exchange(
        response=answer, request={"model": model, **dict_of(decoded(said.get("modelParameters"))), **request}
    )


def _camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(word.capitalize() for word in rest)
