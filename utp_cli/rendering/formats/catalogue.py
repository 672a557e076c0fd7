"""The formats, in order. A new one is a file and its line here."""

from __future__ import annotations

from utp_cli.protocol.catalogue import Catalogue
from utp_cli.rendering.formats import (
    anthropic,
    bedrock,
    cohere,
    gemini,
    langchain,
    mcp,
    mistral,
    ollama,
    openai,
    prompt,
)

FORMATS = Catalogue(
    "format",
    [
        openai.CHAT,
        openai.AZURE,
        openai.RESPONSES,
        openai.LEGACY,
        anthropic.ANTHROPIC_MESSAGES,
        gemini.GEMINI_API,
        gemini.GEMINI_JSON,
        ollama.OLLAMA_CHAT,
        bedrock.CONVERSE,
        cohere.COHERE,
        mistral.MISTRAL,
        mcp.MCP,
        langchain.LANGCHAIN,
        prompt.ANTHROPIC_XML,
        prompt.PROMPT_JSON,
        prompt.PROMPT_XML,
    ],
    lambda format_: (format_.name, *format_.aliases),
)
