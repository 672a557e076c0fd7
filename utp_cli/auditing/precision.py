"""How often each rule is right on real tool sets, as people judged it; and what a page says of that.

The figures are those that `fixtures/audit/judged` gives with the rules as they are; a test keeps both together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

ENOUGH = 20
"""Judged findings from which on a share says something."""
PROVEN = 0.9
"""The share of useful ones from which on a rule may be an error by itself."""


class Judged(NamedTuple):
    """How many causes were judged, by verdict."""

    useful: int
    """The author would change the text."""
    noise: int
    """True by the letter, nothing to do."""
    wrong: int
    """The claim is false."""

    @property
    def is_proven(self) -> bool:
        """Whether enough were judged, and enough of them useful."""
        return sum(self) >= ENOUGH and self.useful >= PROVEN * sum(self)


JUDGED: dict[str, Judged] = {
    "UTP103": Judged(2, 0, 0),
    "UTP108": Judged(2, 0, 0),
    "UTP111": Judged(2, 0, 0),
    "UTP112": Judged(2, 0, 0),
    "UTP113": Judged(1, 0, 0),
    "UTP115": Judged(2, 0, 0),
    "UTP201": Judged(4, 0, 0),
    "UTP202": Judged(1, 0, 0),
    "UTP205": Judged(22, 4, 0),
    "UTP212": Judged(1, 0, 0),
    "UTP213": Judged(6, 0, 0),
    "UTP215": Judged(21, 1, 0),
    "UTP216": Judged(4, 0, 0),
    "UTP219": Judged(6, 0, 0),
    "UTP220": Judged(3, 0, 0),
    "UTP221": Judged(5, 0, 0),
    "UTP402": Judged(1, 0, 0),
    "UTP404": Judged(14, 1, 0),
    "UTP406": Judged(1, 0, 0),
    "UTP407": Judged(10, 1, 0),
    "UTP409": Judged(3, 0, 0),
    "UTP512": Judged(1, 1, 0),
    "UTP601": Judged(172, 0, 0),
}
"""By code; findings of the default run on the sets of `fixtures/audit/judged`, 2026-11."""


def standing(code: str, facts: Mapping[str, Any]) -> str:
    """Return the last lines of a rule's page: its status, who refuses, and how often it was right."""
    told = []
    if facts["status"] != "stable":
        told.append(f"Status: {facts['status']}, off by default.")
    elif not facts["default"]:
        told.append("Status: off by default.")
    if facts["refused_by"]:
        told.append(f"Refused by: {', '.join(facts['refused_by'])}.")
    if code in JUDGED:
        useful, noise, wrong = JUDGED[code]
        many = useful + noise + wrong
        told.append(f"Measured: of {many} judged on real tool sets {useful} useful, {noise} noise, {wrong} wrong.")
    elif facts["default"]:
        told.append("Measured: fired on none of the real tool sets that were judged.")
    return "".join(f"\n{line}" for line in told)
