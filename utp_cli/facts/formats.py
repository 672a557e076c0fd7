"""The formats: one record each, from which every command takes its list of them.

A record says who reads the format, who writes it, where a definition keeps its schema, and where a request goes. Reader
and writer are named and not imported: what only writing needs is not loaded by reading. How a format is told from
others stands in the tables of `wire.shape_answers` and `wire.shape_requests`; a test sees that every record that is
read has its sign there. Paths and shapes: `wire/`, the providers' API references (2026-11).
"""

from __future__ import annotations

from typing import Final, NamedTuple

Path = tuple[str, ...]


class FormatRecord(NamedTuple):
    """One format. Empty: it has no such thing."""

    name: str
    reader: str = ""
    """A module of `wire/` with a `Decoder`: answers, whole and streamed."""
    writer: str = ""
    """A module of `rendering/formats/` and its `Format` in it: definitions, choice, calls, results, ids."""
    provider: str = ""
    """Whose limits count for definitions in it: a name of `facts.providers`."""
    schemas: tuple[Path, ...] = ()
    """From a definition's body to its schema, the usual key first."""
    body: Path = ()
    """From a definition to the mapping that holds name and description."""
    path: str = ""
    """Where a request goes, `{model}` for the model."""
    limit_field: str = "max_tokens"
    """The name of the limit on generated tokens in a request."""


_CHAT: Final = "/v1/chat/completions"
_OLLAMA_LIMIT: Final = "options.num_predict"

FORMATS: Final[dict[str, FormatRecord]] = {
    record.name: record
    for record in (
        FormatRecord("tools-canonical", schemas=(("parameters",),)),
        FormatRecord(
            "openai-chat", "openai_chat", "openai:CHAT", "openai",
            body=("function",), schemas=(("parameters",),), path=_CHAT,
        ),
        FormatRecord("azure", writer="openai:AZURE", provider="azure"),
        FormatRecord(
            "openai-responses", "openai_responses", "openai:RESPONSES", "openai-responses",
            schemas=(("parameters",),), path="/v1/responses", limit_field="max_output_tokens",
        ),
        FormatRecord("openai-legacy", "openai_chat", "openai:LEGACY", "openai", path=_CHAT),
        FormatRecord(
            "anthropic", "anthropic", "anthropic:ANTHROPIC_MESSAGES", "anthropic",
            schemas=(("input_schema",),), path="/v1/messages",
        ),
        FormatRecord(
            "gemini", "gemini", "gemini:GEMINI_API", "gemini",
            schemas=(("parameters",), ("parametersJsonSchema",), ("parameters_json_schema",)),
            path="/v1beta/models/{model}:generateContent", limit_field="generationConfig.maxOutputTokens",
        ),
        FormatRecord("gemini-json", writer="gemini:GEMINI_JSON", provider="gemini"),
        FormatRecord("ollama", "ollama", "ollama:OLLAMA_CHAT", "ollama", path="/api/chat", limit_field=_OLLAMA_LIMIT),
        FormatRecord("ollama-generate", "ollama", path="/api/generate", limit_field=_OLLAMA_LIMIT),
        FormatRecord(
            "bedrock", "bedrock", "bedrock:CONVERSE", "bedrock",
            body=("toolSpec",), schemas=(("inputSchema", "json"), ("inputSchema",)), path="/model/{model}/converse",
            limit_field="inferenceConfig.maxTokens",
        ),
        FormatRecord("cohere", "cohere", "cohere:COHERE", "cohere", path="/v2/chat"),
        FormatRecord("mistral", writer="mistral:MISTRAL", provider="mistral", path=_CHAT),
        FormatRecord("mcp", "mcp", "mcp:MCP", "mcp", schemas=(("inputSchema",),)),
        FormatRecord("langchain", "langchain", "langchain:LANGCHAIN", "openai"),
        FormatRecord("ai-sdk", "ai_sdk"),
        FormatRecord("otel", "otel"),
        FormatRecord("litellm-log", "litellm_log"),
        FormatRecord("langfuse", "langfuse"),
        FormatRecord("har", "har"),
        FormatRecord("anthropic-xml", writer="prompt:ANTHROPIC_XML"),
        FormatRecord("prompt-json", writer="prompt:PROMPT_JSON"),
        FormatRecord("prompt-compact", writer="prompt:PROMPT_COMPACT"),
        FormatRecord("prompt-parallel", writer="prompt:PROMPT_PARALLEL"),
        FormatRecord("prompt-xml", writer="prompt:PROMPT_XML"),
    )
}  # fmt: skip
