"""What rendering is said in: what is sent, what was lost on the way, what a format is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from utp_cli.facts.providers import UNKNOWN
from utp_cli.rendering.targets import FULL

if TYPE_CHECKING:
    from utp_cli.facts.providers import IdRule, Provider
    from utp_cli.protocol.tools import Tool
    from utp_cli.rendering.losses import Loss
    from utp_cli.rendering.targets import SchemaTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """Tools as one target takes them."""

    format: str
    fragment: dict[str, Any] = field(default_factory=dict)
    """The part of the request that offers the tools: the system prompt where they stand in that."""
    text: str = ""
    """What belongs into the system prompt: the definitions (prompt formats), or what the request cannot say."""
    text_goes: Literal["beside", "inside", "alone"] = "beside"
    """`beside` the fragment, into a prompt of the caller's; `inside` the fragment it stands already; `alone`: it is all
    that there is, and the fragment no more than a place for it."""
    losses: tuple[Loss, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    """The name that is sent → the tool's own name, where they differ."""

    def to_dict(self) -> dict[str, Any]:
        """Return the document of `utp render-tools --json`, without its schema."""
        return {
            "format": self.format,
            "fragment": self.fragment,
            "text": self.text,
            "names": self.names,
            "losses": [loss.to_dict() for loss in self.losses],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A tool after translation: what an encoder writes down."""

    name: str
    description: str
    schema: dict[str, Any]
    """An object schema that the target takes."""
    strict: bool | None
    """None: say nothing about it."""
    tool: Tool
    """The definition it came from, for what only some formats carry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentCall:
    """A call on its way back into a conversation."""

    id: str | int
    """As the target takes it."""
    name: str
    arguments: dict[str, Any]
    signature: str | None = None
    """Gemini's thought signature, where the answer carried one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsafe:
    """A call that must not be run, for the formats that have a place for such."""

    id: str | int
    name: str
    raw: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantTurn:
    """An assistant's turn on its way back into a conversation."""

    content: str
    reasoning: str
    calls: Sequence[SentCall]
    unsafe: Sequence[Unsafe] = ()
    signed: Sequence[dict[str, Any]] = ()
    """Blocks of thinking that the target's own provider signed: they go back as they came."""
    foreign: bool = True
    """It was written by a model of another provider than the target's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What a call came to, ready to be written down."""

    id: str | int
    name: str
    value: Any
    """A JSON value; the message where it failed."""
    text: str
    """The value as text; a text result untouched."""
    failed: bool

    @property
    def text_with_failure(self) -> str:
        """The text, with a word about failure for formats that have no flag for it."""
        return f"Error: {self.text}" if self.failed and not self.text.startswith("Error") else self.text


Fragment = Mapping[str, Any]

NAME, TEXT = "{name}", "{text}"
"""Stand for the tool's name in a choice, for the prompt in a fragment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """How one provider is spoken to: data, and the few functions that put values into place."""

    name: str
    aliases: tuple[str, ...] = ()

    wrap: Callable[[list[Sent]], dict[str, Any]] | None = None
    """The tools as the fragment of a request. None: they are written into the prompt."""
    style: str = ""
    """Prompt formats: the style of `prompts.STYLES`."""
    system: Fragment = field(default_factory=dict)
    """Prompt formats: the fragment that holds the prompt, `TEXT` in its place."""
    schema: SchemaTarget = FULL
    strict: SchemaTarget | None = None
    """What schemas of strict tools can say; None: there is no strict mode."""
    strict_said: bool = False
    """`strict: false` is written too, since leaving it out means something else."""
    provider: Provider = UNKNOWN
    """Whose limits count: names, lengths, counts, ids."""

    choices: Mapping[str, Fragment | None] = field(default_factory=lambda: {"auto": {}, "none": None})
    """`auto`, `none`, `required`, `named` → fragment, where the format can say it; None: the tools are left out.
    `auto strict` where a strict set says it otherwise. `NAME` stands for the name."""
    parallel: Mapping[bool, Fragment] = field(default_factory=dict)
    """Whether several calls may come at once → fragment, merged into the request, where there is a switch."""

    has_ids: bool = True
    """Calls and results carry ids."""
    results: Callable[[Sequence[ToolOutcome]], list[dict[str, Any]]]
    """The results of one round as messages."""
    message: Callable[[AssistantTurn], dict[str, Any]] | None = None
    """An answer as the assistant's message; None: there is no such thing."""
    blocks: tuple[str, ...] = ()
    """Where an answer of the provider keeps its blocks: the keys that lead there."""
    is_signed: Callable[[dict[str, Any]], bool] = field(default=lambda _: False)
    """Whether a block is thinking that must go back as it came."""

    @property
    def ids(self) -> IdRule | None:
        """Which ids are taken back; None: they go back as they came, or not at all."""
        return self.provider.call_ids if self.has_ids else None
