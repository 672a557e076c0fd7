"""Where the tools go: the providers of `facts.providers` by name, and their strict modes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from utp_cli.facts.providers import OF_FORM, PROVIDERS as ALL
from utp_cli.protocol.catalogue import Catalogue

if TYPE_CHECKING:
    from utp_cli.facts.providers import Provider, StrictMode

PROVIDERS = Catalogue("provider", ALL.values(), lambda provider: (provider.name, *provider.aliases))


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTarget:
    """A provider that a tool is to be sent to."""

    provider: Provider
    strict: bool

    @property
    def mode(self) -> StrictMode | None:
        """The strict mode that applies; None where none does."""
        return self.provider.strict if self.strict else None

    @property
    def names(self) -> set[str]:
        """What rules call it: the provider, its family, and `NAME-strict` of the strict mode that applies."""
        provider = self.provider
        strict = {f"{self.mode.name}-strict"} if self.mode else set()
        return {provider.name, provider.family or provider.name} | strict


def targets(named: tuple[str, ...], form: str, strict: bool) -> tuple[AuditTarget, ...]:
    """Return where a tool of this form goes. Raises `UnknownName` for a provider nobody knows."""
    names = named or ((OF_FORM[form],) if form in OF_FORM else ())
    return tuple(
        AuditTarget(provider=PROVIDERS[name.removesuffix("-strict")], strict=strict or name.endswith("-strict"))
        for name in names
    )
