"""Which environment variables tell a client where its server is. Read in the clients' sources, November 2026."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientKind:
    """Clients that speak one provider's language."""

    name: str
    public: str
    """Where they ask when nothing is said."""
    variables: tuple[str, ...]
    """The first that is set counts."""
    path: str = ""
    """What their base URL ends with, where that of the server says nothing else."""


CLIENT_KINDS: Final = (
    ClientKind(
        name="OpenAI", public="https://api.openai.com/v1", path="/v1",
        variables=("OPENAI_BASE_URL", "OPENAI_API_BASE"),  # openai; its older versions, LiteLLM, langchain-openai
    ),
    ClientKind(
        name="Anthropic", public="https://api.anthropic.com",
        # anthropic and Claude Code; LiteLLM; langchain-anthropic
        variables=("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE", "ANTHROPIC_API_URL"),
    ),
    ClientKind(
        name="Ollama", public="http://127.0.0.1:11434",
        variables=("OLLAMA_HOST", "OLLAMA_API_BASE"),  # ollama; LiteLLM
    ),
    ClientKind(
        name="Gemini", public="https://generativelanguage.googleapis.com",
        variables=("GOOGLE_GEMINI_BASE_URL",),  # google-genai, gemini-cli
    ),
    ClientKind(name="Groq", public="https://api.groq.com", variables=("GROQ_BASE_URL",)),
    ClientKind(name="Cohere", public="https://api.cohere.com", variables=("CO_API_URL",)),
)  # fmt: skip
