"""What each provider takes, as data. Sources: the providers' API references and error texts, to November 2026."""

from __future__ import annotations

import re
from dataclasses import dataclass

from utp_cli.protocol.catalogue import Catalogue


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Limits of one provider; None or empty where it sets none."""

    name: str
    aliases: tuple[str, ...] = ()
    name_limit: int | None = None
    """Characters of a tool's name."""
    name_pattern: re.Pattern[str] | None = None
    name_rule: str = ""
    """The pattern in words."""
    description_limit: int | None = None
    """Characters of a tool's description."""
    max_tools: int | None = None
    """Tools in one request."""
    root_refused: frozenset[str] = frozenset()
    """Keywords refused at the root of a schema."""


_LETTERS_DIGITS = re.compile(r"[A-Za-z0-9_-]+")
_OPENAI_ROOT = frozenset({"oneOf", "allOf", "anyOf", "enum", "const", "not"})

PROVIDERS = Catalogue(
    "provider",
    [
        Provider(
            name="openai",
            name_limit=64,
            name_pattern=_LETTERS_DIGITS,
            name_rule="letters, digits, _ and -",
            description_limit=1024,
            max_tools=128,
            root_refused=_OPENAI_ROOT,
        ),
        Provider(
            name="azure",
            name_limit=64,
            name_pattern=_LETTERS_DIGITS,
            name_rule="letters, digits, _ and -",
            description_limit=1024,
            max_tools=128,
            root_refused=_OPENAI_ROOT,
        ),
        Provider(
            name="anthropic",
            name_limit=128,
            name_pattern=_LETTERS_DIGITS,
            name_rule="letters, digits, _ and -",
            root_refused=frozenset({"oneOf", "allOf", "anyOf"}),
        ),
        Provider(
            name="gemini",
            aliases=("google", "vertex"),
            name_limit=128,
            name_pattern=re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*"),
            name_rule="a letter or _, then letters, digits, _ . : and -",
            max_tools=512,
        ),
        Provider(
            name="bedrock",
            name_limit=64,
            name_pattern=_LETTERS_DIGITS,
            name_rule="letters, digits, _ and -",
        ),
        Provider(
            name="mcp",
            name_limit=128,
            name_pattern=re.compile(r"[A-Za-z0-9_.-]+"),
            name_rule="letters, digits, _ . and -",
        ),
        Provider(name="mistral", name_limit=64, name_pattern=_LETTERS_DIGITS, name_rule="letters, digits, _ and -"),
        Provider(name="ollama"),
        Provider(name="llama.cpp", aliases=("llamacpp", "llama-server")),
        Provider(name="lmstudio", aliases=("lm-studio",)),
        Provider(name="vllm"),
        Provider(name="sglang"),
        Provider(name="cohere"),
    ],
    lambda provider: (provider.name, *provider.aliases),
)

PROVIDER_OF_FORM = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "bedrock": "bedrock",
    "mcp": "mcp",
}
"""The provider that a form speaks for, where the caller names none."""

STRICT_PROVIDERS = ("openai", "azure", "anthropic")
"""Providers with a strict mode of their own; `NAME-strict` asks for its rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A provider that a tool is to be sent to."""

    provider: Provider
    strict: bool

    @property
    def strict_name(self) -> str:
        """Whose strict mode applies: `openai`, `anthropic`; `""` where none does."""
        family = "openai" if self.provider.name == "azure" else self.provider.name
        return family if self.strict and self.provider.name in STRICT_PROVIDERS else ""


def targets(named: tuple[str, ...], form: str, strict: bool) -> tuple[Target, ...]:
    """Return where a tool of this form goes. Raises `UnknownName` for a provider nobody knows."""
    names = named or ((PROVIDER_OF_FORM[form],) if form in PROVIDER_OF_FORM else ())
    return tuple(
        Target(
            provider=PROVIDERS[name.removesuffix("-strict")],
            strict=strict or name.endswith("-strict"),
        )
        for name in names
    )
