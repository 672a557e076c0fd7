"""What the steps of a rewrite share: the rules, and the list of what was broken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from utp_cli.diagnosis.histories.reading import TAKEN
from utp_cli.diagnosis.observation import clipped
from utp_cli.protocol.findings import Finding, Place, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from utp_cli.diagnosis.histories.parts import SourceMessage, Turn
    from utp_cli.facts.turn_rules import TurnRules


@dataclass(slots=True, kw_only=True)
class Look:
    """One rewrite under way."""

    rules: TurnRules
    converted: bool
    """The history is in another provider's form: that its messages are too is no fault of theirs."""
    open_end: bool
    """The last message is an answer that just came: its calls are pending."""
    severity: Severity = "error"
    """`warning` where the rules are recalled, or depend on a model that nobody named."""
    broken: list[Finding] = field(default_factory=list)
    system: list[str] = field(default_factory=list)
    """What has to stand outside of the messages."""
    _told: set[tuple[str, ...]] = field(default_factory=set)

    def breaks(
        self, code: str, place: str, message: str, *, evidence: str = "", mend: str = "", outcome: str = ""
    ) -> None:
        """Note that a rule is broken, and how that is mended. `outcome`: what comes of it, where it is not refused."""
        refuses = "refuses" if self.severity == "error" else "may refuse"
        said = f"{message}: {outcome}" if outcome else f"{message}, which {self.rules.label} {refuses}"
        told = Finding(
            code=code,
            name=code,
            severity=self.severity,
            place=Place(pointer=place),
            message=said,
            evidence=clipped(evidence),
            hint=mend,
            fix=mend,
        )
        seen = (code, place, said, told.evidence, mend)
        if seen not in self._told:
            self._told.add(seen)
            self.broken.append(told)

    def foreign(self, source: SourceMessage) -> bool:
        """Whether a message is in a form that the provider does not take."""
        return source.form not in TAKEN[self.rules.form]

    def own(self, turns: list[Turn]) -> Iterator[SourceMessage]:
        """Yield the messages whose form and fields are to be checked, each once."""
        seen = set()
        for turn in turns:
            source = turn.source
            if source is not None and id(source) not in seen and not (self.converted and self.foreign(source)):
                seen.add(id(source))
                yield source
