"""The formats, in order. A new one is a file and its line here.

Shapes are those of the types of openai 2.54, anthropic 2.11, google-genai 2.34, ollama 0.6.3, mistralai 3.7, cohere
7.3, botocore 1.44, mcp 2.3 and langchain-core 1.7; limits stand on the providers' pages and in their error texts, to
November 2026.
"""

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
        prompt.PROMPT_COMPACT,
        prompt.PROMPT_PARALLEL,
        prompt.PROMPT_XML,
    ],
    lambda format_: (format_.name, *format_.aliases),
)
