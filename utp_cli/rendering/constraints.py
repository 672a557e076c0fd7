"""How each server is made to write JSON, JSON of one schema, or what a grammar allows: the arguments of the request.

Sources: OpenAI's and Ollama's API references, vLLM 0.33, SGLang 0.5.23, llama.cpp's server README, the types of
anthropic 2.11, google-genai 3.4, mistralai 3.7 and cohere 7.3 (autumn 2026).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from utp_cli.facts.servers import ALIASES
from utp_cli.protocol.catalogue import Catalogue
from utp_cli.rendering.spec import TEXT
from utp_cli.rendering.values import compact

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintServer:
    """What one server is asked for."""

    name: str
    aliases: tuple[str, ...] = ()
    schema: Callable[[Schema], dict[str, Any]]
    """The fragment that holds the answer to a schema."""
    json: dict[str, Any] = field(default_factory=dict)
    """The fragment that holds the answer to JSON of any kind; empty: only the prompt asks for it."""
    grammar: Callable[[str], dict[str, Any]] | None = None
    """The fragment that holds the answer to a grammar (GBNF); None: there is none."""
    system: Mapping[str, Any] = field(default_factory=lambda: {"messages": [{"role": "system", "content": TEXT}]})
    """The fragment that holds the prompt, `TEXT` in its place."""


def _response_format(schema: Schema) -> dict[str, Any]:
    named = {"name": "answer", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


_JSON_OBJECT = {"response_format": {"type": "json_object"}}

SERVERS = Catalogue(
    "server",
    [
        ConstraintServer(name="openai", aliases=("openai-chat", "azure"), schema=_response_format, json=_JSON_OBJECT),
        ConstraintServer(
            name="openai-responses",
            aliases=("responses",),
            schema=lambda schema: {
                "text": {"format": {"type": "json_schema", "name": "answer", "strict": True, "schema": schema}}
            },
            json={"text": {"format": {"type": "json_object"}}},
            system={"instructions": TEXT},
        ),
        ConstraintServer(
            name="anthropic",
            schema=lambda schema: {"output_config": {"format": {"type": "json_schema", "schema": schema}}},
            system={"system": TEXT},
        ),
        ConstraintServer(
            name="gemini",
            schema=lambda schema: {
                "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": schema}
            },
            json={"generationConfig": {"responseMimeType": "application/json"}},
            system={"systemInstruction": {"parts": [{"text": TEXT}]}},
        ),
        ConstraintServer(name="mistral", schema=_response_format, json=_JSON_OBJECT),
        ConstraintServer(
            name="cohere",
            schema=lambda schema: {"response_format": {"type": "json_object", "json_schema": schema}},
            json=_JSON_OBJECT,
        ),
        ConstraintServer(name="ollama", schema=lambda schema: {"format": schema}, json={"format": "json"}),
        ConstraintServer(
            name="vllm",
            schema=lambda schema: {"structured_outputs": {"json": schema}},
            json=_JSON_OBJECT,
            grammar=lambda grammar: {"structured_outputs": {"grammar": grammar}},
        ),
        ConstraintServer(
            name="llama.cpp",
            aliases=ALIASES["llama.cpp"],
            schema=lambda schema: {"json_schema": schema},
            json=_JSON_OBJECT,
            grammar=lambda grammar: {"grammar": grammar},
        ),
        ConstraintServer(
            name="sglang", schema=_response_format, json=_JSON_OBJECT, grammar=lambda grammar: {"ebnf": grammar}
        ),
        ConstraintServer(
            name="sglang-generate",
            schema=lambda schema: {"sampling_params": {"json_schema": compact(schema)}},
            json={"sampling_params": {"json_schema": '{"type": "object"}'}},
            grammar=lambda grammar: {"sampling_params": {"ebnf": grammar}},
            system={"text": TEXT},
        ),
    ],
    lambda server: (server.name, *server.aliases),
)
