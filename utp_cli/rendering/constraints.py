"""How each server is made to write JSON, or JSON of one schema: the arguments of the request.

Sources: OpenAI's and Ollama's API references, vLLM 0.33, SGLang 0.5.23, llama.cpp's server README (autumn 2026).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from utp_cli.protocol.catalogue import Catalogue
from utp_cli.rendering.values import compact

if TYPE_CHECKING:
    from collections.abc import Callable

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What one server is asked for."""

    name: str
    aliases: tuple[str, ...] = ()
    schema: Callable[[Schema], dict[str, Any]]
    """The fragment that holds the answer to a schema."""
    json: dict[str, Any]
    """The fragment that holds the answer to JSON of any kind."""


def _response_format(schema: Schema) -> dict[str, Any]:
    named = {"name": "answer", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


_JSON_OBJECT = {"response_format": {"type": "json_object"}}

SERVERS = Catalogue(
    "server",
    [
        Server(name="openai", aliases=("openai-chat", "azure"), schema=_response_format, json=_JSON_OBJECT),
        Server(
            name="openai-responses",
            schema=lambda schema: {
                "text": {"format": {"type": "json_schema", "name": "answer", "strict": True, "schema": schema}}
            },
            json={"text": {"format": {"type": "json_object"}}},
        ),
        Server(name="ollama", schema=lambda schema: {"format": schema}, json={"format": "json"}),
        Server(name="vllm", schema=lambda schema: {"structured_outputs": {"json": schema}}, json=_JSON_OBJECT),
        Server(
            name="llama.cpp", aliases=("llamacpp",), schema=lambda schema: {"json_schema": schema}, json=_JSON_OBJECT
        ),
        Server(name="sglang", schema=_response_format, json=_JSON_OBJECT),
        Server(
            name="sglang-generate",
            schema=lambda schema: {"sampling_params": {"json_schema": compact(schema)}},
            json={"sampling_params": {"json_schema": '{"type": "object"}'}},
        ),
    ],
    lambda server: (server.name, *server.aliases),
)
