"""What a live model made of a scenario: right or not, and who read it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from utp_cli.protocol.numbers import loads
from utp_cli.protocol.records import Record, replace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from utp_cli.detection.scenarios import Call, Scenario
    from utp_cli.protocol.calls import ParseResult

Verdict = Literal["works", "repaired", "fails", "absent"]
_FIELD: Final = re.compile("reasoning|thinking")
"""In the pointers of fields that the wires have for thinking."""
_QUOTED: Final = 60
"""Characters of arguments that are told."""


class Ends(NamedTuple):
    """How answers end in a wire format."""

    key: str
    """What it calls the finish reason."""
    calls: str
    words: str
    """The finish reason of an answer with calls, and of one without."""
    arguments: type
    """What clients get as the arguments of a call."""


ENDS: Final = {
    "openai-chat": Ends("finish_reason", "tool_calls", "stop", str),
    "anthropic": Ends("stop_reason", "tool_use", "end_turn", dict),
    "ollama": Ends("done_reason", "stop", "stop", dict),
}
"""By wire format, in the order in which they are asked. Ollama says `stop` for calls too (references, 2026-11)."""


class Seen(Record):
    """What a client makes of an answer."""

    client: str
    format: str = "openai-chat"
    """A name of `ENDS`."""
    decoded: bool = False
    """Arguments are values, whatever the wire carries."""
    calls: tuple[tuple[Any, Any], ...] = ()
    """Name and arguments of each, as it has them."""
    ids: tuple[Any, ...] = ()
    """Of each call; empty where the wire has none."""
    content: str = ""
    finish_reason: str | None = None
    fault: str = ""
    """Why there is nothing to see."""


class Heard(Record):
    """What came of one request."""

    verdict: Verdict
    """`repaired`: right, but only after our ladder did what the server should have; `absent`: no thinking came."""
    parser: str = ""
    """What read it, where the server had not."""
    repairs: tuple[str, ...] = ()
    diagnoses: tuple[str, ...] = ()
    why: str = ""
    """What is wrong, in words."""
    clients: tuple[tuple[str, str], ...] = ()
    """Clients that see something else than was asked for, and what they see."""
    path: str = ""
    """Where it was asked; empty: where chat completions are, or what the probe was told to ask first."""

    def to_dict(self) -> dict[str, Any]:
        """Write it as JSON values."""
        return {
            "verdict": self.verdict,
            "parser": self.parser or None,
            "repairs": list(self.repairs),
            "diagnoses": list(self.diagnoses),
            "why": self.why,
            **({"clients": dict(self.clients)} if self.clients else {}),
            **({"path": self.path} if self.path else {}),
        }


class ScenarioResult(Record):
    """What came of one scenario in one wire format."""

    whole: Heard
    streamed: Heard

    @property
    def differs(self) -> bool:
        """Whether streaming changes the outcome."""
        return self.whole.verdict != self.streamed.verdict or self.whole.parser != self.streamed.parser


class ScenarioOutcome(Record):
    """What is known of one scenario afterwards."""

    scenario: Scenario
    asked: dict[str, ScenarioResult]
    """By wire format; the first is the one that counts where all are as good."""

    @property
    def whole(self) -> Heard:
        """The worst of the formats, whole."""
        return _worst([asked.whole for asked in self.asked.values()])

    @property
    def streamed(self) -> Heard:
        """The worst of the formats, streamed."""
        return _worst([asked.streamed for asked in self.asked.values()])

    @property
    def differs(self) -> bool:
        """Whether streaming changes the outcome in some format."""
        return any(asked.differs for asked in self.asked.values())

    @property
    def bad(self) -> bool:
        """Whether somebody who uses tools should know."""
        return self.differs or self.whole.verdict == "fails"

    def to_dict(self) -> dict[str, Any]:
        """Write one member of `probe`."""
        formats = {
            name: {"whole": asked.whole.to_dict(), "streamed": asked.streamed.to_dict()}
            for name, asked in self.asked.items()
        }
        return {
            "scenario": self.scenario.name,
            "shows": self.scenario.says,
            "whole": self.whole.to_dict(),
            "streamed": self.streamed.to_dict(),
            "streamed_differs": self.differs,
            "formats": formats,
        }


_RANKS: Final[tuple[Verdict, ...]] = ("works", "repaired", "absent", "fails")


def _worst(heard: list[Heard]) -> Heard:
    """Return the first of the worst, with what the clients of all see."""
    worst = max(heard, key=lambda one: _RANKS.index(one.verdict))
    return replace(worst, clients=tuple(told for one in heard for told in one.clients))


def judged(scenario: Scenario, result: ParseResult) -> Heard:
    """Say whether an answer is what was due, and who read it."""
    repairs = tuple(dict.fromkeys(repair.code for repair in result.repairs))
    diagnoses = tuple(dict.fromkeys(finding.code for finding in result.named))
    why = _lacks(scenario, result)
    if why:
        absent = scenario.thinks and not result.reasoning
        return Heard(verdict="absent" if absent else "fails", repairs=repairs, diagnoses=diagnoses, why=why)
    by_us = [call.parser for call in result.calls if call.rung != "native"]
    if not by_us and scenario.thinks and any(not _FIELD.search(pointer) for pointer in _thought_in(result)):
        by_us = ["thinking markers"]
    verdict: Verdict = "repaired" if by_us or repairs else "works"
    return Heard(verdict=verdict, parser=by_us[0] if by_us else "", repairs=repairs, diagnoses=diagnoses)


def as_seen(heard: Heard, scenario: Scenario, views: Iterable[Seen]) -> Heard:
    """Make a verdict no better than what the worst client sees. What read the answer all the same is kept."""
    clients = tuple((seen.client, fault) for seen in views if (fault := _sees(scenario, seen)) and fault != heard.why)
    if not clients or heard.verdict in ("fails", "absent"):
        return replace(heard, clients=clients)
    client, fault = clients[0]
    return replace(heard, verdict="fails", why=f"{client} sees: {fault}", clients=clients)


def plain_view(result: ParseResult, format_name: str = "openai-chat") -> Seen:
    """Return what any client sees of an answer whose calls are native, without an SDK: ids and the finish reason."""
    calls = [call for call in result.calls if call.rung == "native"]
    return Seen(
        client="any client",
        format=format_name,
        decoded=True,
        calls=tuple((call.name, call.arguments) for call in calls),
        ids=tuple(call.id for call in calls),
        content=result.content,
        finish_reason=result.finish_reason,
    )


def _sees(scenario: Scenario, seen: Seen) -> str:
    """Say what is wrong with what a client sees; nothing where it can go on with it."""
    if seen.fault:
        return seen.fault
    ends = ENDS[seen.format]
    calls: list[Call] = []
    for name, arguments in seen.calls:
        if not seen.decoded and not isinstance(arguments, ends.arguments):
            due = "text" if ends.arguments is str else "object"
            return f"arguments of {name} that are no {due}: {str(arguments)[:_QUOTED]}"
        try:
            calls.append({"name": name, "arguments": loads(arguments) if isinstance(arguments, str) else arguments})
        except ValueError:
            return f"arguments of {name} that are no JSON: {arguments[:_QUOTED]}"
    if wrong := _wrong(scenario, calls, seen.content):
        return wrong
    if not all(seen.ids):
        return "a call without an id"
    twice = next((call_id for call_id, count in Counter(seen.ids).items() if count > 1), None)
    if twice is not None:
        return f"calls with the same id '{twice}'"
    due = ends.calls if calls else ends.words
    # OpenAI itself says `stop` where the request names the tool.
    sound = {due, ends.words} if "tool_choice" in scenario.more else {due}
    return "" if seen.finish_reason in sound else f"{ends.key} '{seen.finish_reason}', not '{due}'"


def _lacks(scenario: Scenario, result: ParseResult) -> str:
    """Say what an answer lacks of what was due; nothing where it is right."""
    if scenario.thinks and not result.reasoning:
        return "no thinking came"
    calls = [{"name": call.name, "arguments": call.arguments} for call in result.calls]
    return _wrong(scenario, calls, result.content, result.rejected[0].reason if result.rejected else "")


def _wrong(scenario: Scenario, calls: list[Call], content: str, lost: str = "") -> str:
    """Compare calls and text with what was due. `lost` is why a call that was written is none."""
    due = list(scenario.calls)
    for said in calls:
        if said not in due:
            return _unexpected(said, due)
        due.remove(said)
    if due:
        return f"no call of {due[0]['name']}" + (f": {lost}" if lost else "")
    if scenario.answer.casefold() not in content.casefold():
        return f"the answer lacks '{scenario.answer}'"
    return ""


def _unexpected(said: dict[str, Any], due: list[dict[str, Any]]) -> str:
    for call in due:
        if call["name"] == said["name"]:
            given = said["arguments"] if isinstance(said["arguments"], dict) else {}
            wrong = [key for key, value in call["arguments"].items() if given.get(key) != value]
            more = [key for key in given if key not in call["arguments"]]
            return f"{said['name']}: other arguments than asked ({', '.join([*wrong, *more])})"
    return f"an unasked call of {said['name']}"


def _thought_in(result: ParseResult) -> list[str]:
    """Return the pointers of the texts in which our markers found thinking."""
    return [segment.pointer for segment in result.segments if segment.kind == "reasoning"]
