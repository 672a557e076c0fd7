"""Where a tool set would be refused or bent by each provider, in one run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from utp_cli.auditing.run import audit

if TYPE_CHECKING:
    from utp_cli.auditing.run import AuditedFinding

TARGETS = ("openai", "openai-strict", "azure", "anthropic", "anthropic-strict", "gemini", "bedrock", "mcp")
"""Providers, and the strict modes of those that have one."""
RULES = ("UTP101", "UTP102", "UTP103", "UTP105", "UTP106", "UTP107", "UTP111", "UTP3")
"""What may make a provider refuse a tool."""

Verdict = Literal["fine", "bent", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Portability:
    """What one provider makes of a tool set."""

    provider: str
    entries: list[AuditedFinding]

    @property
    def verdict(self) -> Verdict:
        """`refused` where it answers with an error, `bent` where something gets lost or may be refused."""
        severities = {entry.finding.severity for entry in self.entries}
        return "refused" if "error" in severities else "bent" if "warning" in severities else "fine"

    def to_dict(self) -> dict[str, Any]:
        """Write it for a report."""
        findings = [entry.to_dict() for entry in self.entries]
        return {"provider": self.provider, "verdict": self.verdict, "findings": findings}


def portability(tools: Any, **options: Any) -> list[Portability]:
    """Audit the tools for every provider in turn. `tools` and `options` as for `audit`."""
    return [
        Portability(provider=name, entries=audit(tools, provider=name, select=RULES, **options).entries)
        for name in TARGETS
    ]
