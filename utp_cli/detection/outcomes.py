"""What a live model made of a scenario: right or not, and who read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from utp_cli.detection.scenarios import Scenario
    from utp_cli.protocol.calls import ParseResult

Verdict = Literal["works", "repaired", "fails", "absent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What came of one request."""

    verdict: Verdict
    """`repaired`: right, but only after our ladder did what the server should have; `absent`: no thinking came."""
    parser: str = ""
    """What read it, where the server had not."""
    repairs: tuple[str, ...] = ()
    diagnoses: tuple[str, ...] = ()
    why: str = ""
    """What is wrong, in words."""

    def to_dict(self) -> dict[str, Any]:
        """Write it as JSON values."""
        return {
            "verdict": self.verdict,
            "parser": self.parser or None,
            "repairs": list(self.repairs),
            "diagnoses": list(self.diagnoses),
            "why": self.why,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What is known of one scenario afterwards."""

    scenario: Scenario
    whole: Heard
    streamed: Heard

    @property
    def differs(self) -> bool:
        """Whether streaming changes the outcome."""
        return self.whole.verdict != self.streamed.verdict or self.whole.parser != self.streamed.parser

    @property
    def bad(self) -> bool:
        """Whether somebody who uses tools should know."""
        return self.differs or self.whole.verdict == "fails"

    def to_dict(self) -> dict[str, Any]:
        """Write one member of `probe`."""
        return {
            "scenario": self.scenario.name,
            "shows": self.scenario.says,
            "whole": self.whole.to_dict(),
            "streamed": self.streamed.to_dict(),
            "streamed_differs": self.differs,
        }


def judged(scenario: Scenario, result: ParseResult) -> Heard:
    """Say whether an answer is what was due, and who read it."""
    repairs = tuple(dict.fromkeys(repair.code for repair in result.repairs))
    diagnoses = tuple(dict.fromkeys(finding.code for finding in result.diagnoses))
    why = _lacks(scenario, result)
    if why:
        absent = scenario.thinks and not result.reasoning
        return Heard(verdict="absent" if absent else "fails", repairs=repairs, diagnoses=diagnoses, why=why)
    by_us = [call.parser for call in result.calls if call.rung != "native"]
    if not by_us and scenario.thinks and any("reasoning" not in pointer for pointer in _thought_in(result)):
        by_us = ["thinking markers"]
    verdict: Verdict = "repaired" if by_us or repairs else "works"
    return Heard(verdict=verdict, parser=by_us[0] if by_us else "", repairs=repairs, diagnoses=diagnoses)


def _lacks(scenario: Scenario, result: ParseResult) -> str:
    """Say what an answer lacks of what was due; nothing where it is right."""
    if scenario.thinks and not result.reasoning:
        return "no thinking came"
    due = list(scenario.calls)
    for call in result.calls:
        said = {"name": call.name, "arguments": call.arguments}
        if said not in due:
            return _unexpected(said, due)
        due.remove(said)
    if due:
        lost = result.rejected[0].reason if result.rejected else ""
        return f"no call of {due[0]['name']}" + (f": {lost}" if lost else "")
    if scenario.answer.casefold() not in result.content.casefold():
        return f"the answer lacks '{scenario.answer}'"
    return ""


def _unexpected(said: dict[str, Any], due: list[dict[str, Any]]) -> str:
    for call in due:
        if call["name"] == said["name"]:
            wrong = [key for key, value in call["arguments"].items() if said["arguments"].get(key) != value]
            more = [key for key in said["arguments"] if key not in call["arguments"]]
            return f"{said['name']}: other arguments than asked ({', '.join([*wrong, *more])})"
    return f"an unasked call of {said['name']}"


def _thought_in(result: ParseResult) -> list[str]:
    """Return the pointers of the texts in which our markers found thinking."""
    return [segment.pointer for segment in result.segments if segment.kind == "reasoning"]
