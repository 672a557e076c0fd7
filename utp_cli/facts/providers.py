"""What each provider takes: names, lengths, counts, ids, schemas. Every command reads it here.

Sources, looked up in November 2026; the month is that of the newest one:
OpenAI: names, 128 tools on chat completions (error texts, March 2026), call ids (error texts, July 2026), the limits of
strict mode (its page, October 2026); descriptions over 1,024 characters are taken since May 2025, Azure and gateways
kept the limit. Anthropic: names (error text, September 2026), keys of the root's properties (April 2026), the root
(August 2026), strict tools (its page, September 2026). Gemini: names, 512 declarations, names of properties (Vertex
discovery document, November 2026). Bedrock: names, ids, descriptions (botocore 1.44), strict tools as Anthropic's.
Cohere: names (error text on its page of errors; cohere 7.3). Mistral: ids (error text, March 2026). MCP: names
(specification of 2025-11-25). A provider that is not here, or a field that is empty, has no limit that anybody knows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from utp_cli.facts.formats import FORMATS
from utp_cli.facts.schema_subsets import ANTHROPIC_STRICT, GEMINI_SCHEMA, OPENAI_STRICT
from utp_cli.facts.servers import ALIASES

if TYPE_CHECKING:
    from utp_cli.facts.schema_subsets import SchemaSubset


@dataclass(frozen=True, slots=True, kw_only=True)
class NameRule:
    """Which names of tools, or of properties, are taken."""

    characters: str = ""
    """Inside of a character class; empty: any character."""
    first: str = ""
    """Inside of a character class for the first character, where it is narrower."""
    limit: int | None = None
    """Characters."""
    words: str = "any name"
    """Its characters, in words."""

    @property
    def is_free(self) -> bool:
        """Whether there is no rule at all."""
        return not self.characters and self.limit is None

    def spelt(self, name: str) -> bool:
        """Whether the characters of a name are taken, however many they are."""
        if not self.characters:
            return True
        first = f"(?=[{self.first}])" if self.first else ""
        return re.fullmatch(f"{first}[{self.characters}]+", name) is not None

    def accepts(self, name: str) -> bool:
        """Whether a name is taken."""
        return bool(name) and self.spelt(name) and (self.limit is None or len(name) <= self.limit)


ANY_NAME: Final = NameRule()
PORTABLE: Final = NameRule(characters="a-zA-Z0-9_.-", limit=128, words="letters, digits, _ . and -")
"""Names that more than one provider takes, of those that have a rule."""
_PLAIN: Final = NameRule(characters="a-zA-Z0-9_-", limit=64, words="letters, digits, _ and -")


@dataclass(frozen=True, slots=True, kw_only=True)
class IdRule:
    """Which ids of calls are taken back in the history."""

    pattern: str = r".{1,64}"
    length: int = 24
    """Of the ids that are made."""
    prefix: str = "call_"

    def accepts(self, call_id: str) -> bool:
        """Whether an id is taken."""
        return re.fullmatch(self.pattern, call_id) is not None


ANY_ID: Final = IdRule()


@dataclass(frozen=True, slots=True, kw_only=True)
class StrictLimits:
    """What strict tools may hold in all; None: no limit."""

    tools: int | None = None
    optional: int | None = None
    """Properties that are not required."""
    unions: int | None = None
    """Properties with `anyOf` or a list of types."""
    properties: int | None = None
    levels: int | None = None
    enum_values: int | None = None
    characters: int | None = None
    """Of names and enum values."""
    long_enum: tuple[int, int] | None = None
    """Values from which on an enum is long, and the characters that a long one may have."""
    together: bool = False
    """Counted over all strict tools of a request, else in each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StrictMode:
    """What `strict: true` asks of a tool."""

    name: Literal["openai", "anthropic"]
    """Whose it is: others copied it."""
    schema: SchemaSubset
    limits: StrictLimits


OPENAI_MODE: Final = StrictMode(
    name="openai",
    schema=OPENAI_STRICT,
    limits=StrictLimits(properties=5000, levels=10, enum_values=1000, characters=120_000, long_enum=(250, 15_000)),
)
OPENAI_OLD_LIMITS: Final = replace(OPENAI_MODE.limits, properties=100, levels=5)
"""Those of old endpoints."""
ANTHROPIC_MODE: Final = StrictMode(
    name="anthropic",
    schema=ANTHROPIC_STRICT,
    limits=StrictLimits(tools=20, optional=24, unions=16, together=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptionLimit:
    """Characters of a description."""

    characters: int
    holds: Literal["here", "elsewhere", "advised"] = "here"
    """`here`: the provider refuses more. `elsewhere`: it takes more, some endpoints that copy its API refuse it.
    `advised`: nobody refuses more, models lose the thread."""
    of_properties: bool = False
    """It counts for the descriptions of properties as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One provider; None or empty where it sets no limit."""

    name: str
    aliases: tuple[str, ...] = ()
    family: str = ""
    """The provider whose rules it shares but for what it says itself; empty: its own."""
    names: NameRule = ANY_NAME
    root_keys: NameRule = ANY_NAME
    """Names of the properties at the root of a schema."""
    keys: NameRule = ANY_NAME
    """Names of properties at any depth."""
    description: DescriptionLimit | None = None
    """Of a tool's description."""
    blank_description: bool = True
    """A description may be blank."""
    tools: int | None = None
    """Tools in one request."""
    root_refused: tuple[str, ...] = ()
    """Keywords refused at the root of a schema."""
    schema_due: bool = False
    """A tool without a schema is refused."""
    items_due: bool = False
    """An array without `items` is refused."""
    schema: SchemaSubset | None = None
    """What its schemas can say; None: all of JSON Schema."""
    strict: StrictMode | None = None
    call_ids: IdRule | None = ANY_ID
    """None: ids go back as they came, or not at all."""


_OPENAI: Final = Provider(
    name="openai",
    aliases=("openai-chat",),
    names=_PLAIN,
    description=DescriptionLimit(characters=1024, holds="elsewhere"),
    tools=128,
    root_refused=("oneOf", "anyOf", "allOf", "enum", "const", "not"),
    items_due=True,
    strict=OPENAI_MODE,
    call_ids=IdRule(pattern=r"[!-~]{1,40}"),
)
_ANTHROPIC_KEYS: Final = NameRule(characters="a-zA-Z0-9_.-", limit=64, words="letters, digits, _ . and -")

_ALL: Final = (
    _OPENAI,
    replace(
        _OPENAI,
        name="openai-responses",
        aliases=("responses",),
        family="openai",
        tools=None,
        call_ids=IdRule(pattern=r"[!-~]{1,64}"),
    ),
    replace(_OPENAI, name="azure", aliases=(), family="openai", description=DescriptionLimit(characters=1024)),
    Provider(
        name="anthropic",
        aliases=("claude",),
        names=replace(_PLAIN, limit=128),
        root_keys=_ANTHROPIC_KEYS,
        root_refused=("oneOf", "anyOf", "allOf"),
        schema_due=True,
        strict=ANTHROPIC_MODE,
        call_ids=IdRule(pattern=r"[a-zA-Z0-9_-]{1,64}", prefix="toolu_"),
    ),
    Provider(
        name="gemini",
        aliases=("google", "vertex"),
        names=NameRule(
            characters="a-zA-Z0-9_.:-",
            first="a-zA-Z_",
            limit=128,
            words="a letter or _, then letters, digits, _ . : and -",
        ),
        keys=NameRule(
            characters="a-zA-Z0-9_",
            first="a-zA-Z_",
            limit=64,
            words="a letter or _, then letters, digits and _",
        ),
        tools=512,
        items_due=True,
        schema=GEMINI_SCHEMA,
        call_ids=None,
    ),
    Provider(
        name="bedrock",
        aliases=("converse",),
        names=_PLAIN,
        blank_description=False,
        schema_due=True,
        strict=ANTHROPIC_MODE,
        call_ids=IdRule(pattern=r"[a-zA-Z0-9_.:-]{1,64}", prefix="tooluse_"),
    ),
    Provider(
        name="mcp",
        names=NameRule(characters="A-Za-z0-9_.-", limit=128, words="letters, digits, _ . and -"),
        schema_due=True,
        call_ids=None,
    ),
    Provider(
        name="mistral",
        names=_PLAIN,
        schema_due=True,
        call_ids=IdRule(pattern=r"[a-zA-Z0-9]{9}", length=9, prefix=""),
    ),
    Provider(
        name="cohere",
        names=NameRule(
            characters="a-zA-Z0-9_",
            first="a-zA-Z_",
            words="a letter or _, then letters, digits and _",
        ),
        schema_due=True,
    ),
    Provider(
        name="ollama",
        description=DescriptionLimit(characters=500, holds="advised", of_properties=True),
        call_ids=None,
    ),
    Provider(name="llama.cpp", aliases=ALIASES["llama.cpp"]),
    Provider(name="lmstudio", aliases=("lm-studio",)),
    Provider(name="vllm"),
    Provider(name="sglang"),
    Provider(name="tgi", aliases=ALIASES["tgi"]),
    Provider(name="outlines"),
    Provider(name="llguidance", aliases=("guidance",)),
)
PROVIDERS: Final[dict[str, Provider]] = {provider.name: provider for provider in _ALL}
_CALLED: Final = {name: provider for provider in _ALL for name in (provider.name, *provider.aliases)}
NARROWEST_NAME: Final = min(provider.names.limit for provider in _ALL if provider.names.limit)
"""Characters of a name that every provider takes."""
USUAL_TOOLS: Final = 40
"""Tools among which models choose well (reports of users and MCP clients' advice, 2025-2026)."""
UNKNOWN: Final = Provider(name="")
"""A provider that nobody knows: it inherits nobody's limits."""
OF_FORM: Final = {record.name: record.provider for record in FORMATS.values() if record.schemas and record.provider}
"""The provider that the form of a definition speaks for, where nobody names one."""


def provider_called(name: str | None, form: str = "") -> Provider:
    """Return the provider of this name or alias; without a name, that of the form. `UNKNOWN` where nobody knows it."""
    return _CALLED.get((name or OF_FORM.get(form, "")).lower(), UNKNOWN)
