"""What each provider makes of each tool: takes it, takes it bent, refuses it.

A tool is rendered for a provider first, as `utp render-tools` would: what that loses is what is bent. What the provider
would still answer with an error makes it refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from utp_cli.auditing.run import audit
from utp_cli.protocol.errors import UnknownName
from utp_cli.rendering.tools import render_tools
from utp_cli.validation.definitions import find_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from utp_cli.protocol.tools import Tool

TARGETS: dict[str, tuple[str, bool | None]] = {
    "openai": ("openai-chat", None),
    "openai-strict": ("openai-chat", True),
    "azure": ("azure", None),
    "azure-strict": ("azure", True),
    "anthropic": ("anthropic", None),
    "anthropic-strict": ("anthropic", True),
    "gemini": ("gemini", None),
    "bedrock": ("bedrock", None),
    "mistral": ("mistral", None),
    "ollama": ("ollama", None),
    "cohere": ("cohere", None),
    "mcp": ("mcp", None),
}
"""Providers, and the strict modes of those that have one: the format they are sent, and whether `strict` is set."""
_REFUSING = ("UTP102", "UTP103", "UTP104", "UTP105", "UTP106", "UTP107", "UTP111", "UTP3")
"""Rules whose errors a provider answers with one of its own."""

Verdict = Literal["accepted", "bent", "refused"]
VERDICTS: tuple[Verdict, ...] = ("accepted", "bent", "refused")
"""Best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a tool is refused, or what of it is lost."""

    verdict: Verdict
    code: str
    """A rule of the audit, or the keyword that is lost."""
    pointer: str
    """Into the tool: as it is sent where it is refused, as it was written where something is lost."""
    message: str

    def to_dict(self) -> dict[str, str]:
        """Write it for `utp.portability/1`."""
        return {"verdict": self.verdict, "code": self.code, "pointer": self.pointer, "message": self.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class Portability:
    """What one provider makes of a tool set."""

    provider: str
    reasons: dict[str, list[Reason]]
    """By the tool's name; nothing is said of what goes through as it is."""

    def verdict(self, tool: str) -> Verdict:
        """Return the worst there is to say of a tool."""
        said: list[Verdict] = [reason.verdict for reason in self.reasons.get(tool, ())]
        return max(said, key=VERDICTS.index, default="accepted")


def portability(tools: Any, providers: Sequence[str] | None = None) -> list[Portability]:
    """Look at the tools with every provider's eyes, or with those named. `tools` as for `audit`.

    Raises `UnknownName` for a provider nobody knows.
    """
    for name in providers or ():
        if name not in TARGETS:
            raise UnknownName("provider", name, TARGETS)
    written = [definition.tool for definition in find_definitions(tools)]
    return [_seen_by(name, written) for name in providers or TARGETS]


def _seen_by(provider: str, tools: list[Tool]) -> Portability:
    reasons: dict[str, list[Reason]] = {tool.name: [] for tool in tools}
    for name, reason in (*_unnamed(tools), *_rendered(provider, tools)):
        known = reasons.setdefault(name, [])
        if reason not in known:
            known.append(reason)
    return Portability(provider=provider, reasons=reasons)


def _unnamed(tools: list[Tool]) -> Iterable[tuple[str, Reason]]:
    """Yield what is refused before it can be sent: no name, or one that is taken."""
    seen: set[str] = set()
    for tool in tools:
        if not tool.name:
            yield "", Reason(verdict="refused", code="UTP102", pointer="/name", message="a tool without a name")
        elif tool.name in seen:
            message = f"two tools are called {tool.name}"
            yield tool.name, Reason(verdict="refused", code="UTP101", pointer="/name", message=message)
        seen.add(tool.name)


def _rendered(provider: str, tools: list[Tool]) -> Iterable[tuple[str, Reason]]:
    format_name, strict = TARGETS[provider]
    once = list({tool.name: tool for tool in reversed(tools) if tool.name}.values())[::-1]
    sent = render_tools(once, format_name, strict=strict)
    for loss in sent.losses:
        if loss.what == "kept":
            continue
        verdict: Verdict = "refused" if loss.what == "refused" else "bent"
        yield loss.tool, Reason(verdict=verdict, code=loss.keyword, pointer=loss.pointer, message=loss.message)
    for finding in audit(sent.fragment, provider=provider.removesuffix("-strict"), select=_REFUSING).findings:
        if finding.severity == "error":
            name = sent.names.get(finding.tool or "", finding.tool or "")
            message = f"{finding.message} ({finding.name})"
            yield name, Reason(verdict="refused", code=finding.code, pointer=finding.place.pointer, message=message)
