"""Which settings of a profile would have read the most calls of a recording: each parser that fits is tried on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.dialect import dialects_for
from utp_cli.dialects.catalogue import DIALECTS
from utp_cli.replaying.metrics import Metrics
from utp_cli.replaying.run import replay_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from utp_cli.replaying.metrics import GroupTally
    from utp_cli.replaying.run import Engine
    from utp_cli.replaying.session import Session

_MOST: Final = 5
"""Parsers that are tried beside `auto`."""
_A_REPAIR: Final = 0.01
"""What a repair takes off a call that was read: it decides between parsers that read as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Settings for one model."""

    model: str
    call_parser: str
    mode: str
    """`native` where calls come in fields of their own, `parsed` where they stand in the text, `auto` for both."""
    tried: dict[str, tuple[int, int, int]]
    """Parser → calls read and fit to run, calls written, repairs; the best first."""

    def to_dict(self) -> dict[str, Any]:
        """Write it as JSON; `profile` is a table of `profiles.toml`."""
        tried = {name: dict(zip(("sound", "written", "repairs"), row, strict=True)) for name, row in self.tried.items()}
        return {"model": self.model, "profile": self.profile(), "tried": tried}

    def profile(self) -> dict[str, Any]:
        """Return the settings as a profile has them."""
        known = {} if self.model == "unknown" else {"model": self.model}
        return {**known, "tools": {"call_parser": self.call_parser, "mode": self.mode}}


def suggest(
    sessions: Callable[[], Iterable[Session]], options: Mapping[str, Any], engine: Engine = map
) -> list[Suggestion]:
    """Replay with `auto` and with every parser that may fit; return the best for each model.

    `sessions` opens them: it is called once for each parser.
    """
    first = _metrics(sessions(), {**options, "parser": "auto"}, engine)
    fired = [name for name, _ in first.total.by_parser.most_common() if DIALECTS.get(name)]
    expected = [name for model in first.by_model for name in dialects_for(model)]
    candidates = [*dict.fromkeys([*fired, *expected])][:_MOST]
    tried = {name: _metrics(sessions(), {**options, "parser": name}, engine) for name in candidates}
    return [_best(model, {"auto": first, **tried}) for model in first.by_model]


def _metrics(sessions: Iterable[Session], options: Mapping[str, Any], engine: Engine) -> Metrics:
    metrics = Metrics()
    for part in replay_parts(sessions, options, engine=engine):
        for outcome in part.outcomes:
            metrics.add(outcome)
    return metrics


def _best(model: str, tried: Mapping[str, Metrics]) -> Suggestion:
    tallies = {name: tally for name, metrics in tried.items() if (tally := metrics.by_model.get(model))}
    ordered = sorted(tallies, key=lambda name: _score(tallies[name]), reverse=True)
    best = tallies[ordered[0]]
    native, others = best.by_rung["native"], best.calls - best.by_rung["native"]
    return Suggestion(
        model=model,
        call_parser=ordered[0],
        mode="native" if native and not others else "parsed" if others and not native else "auto",
        tried={name: _row(tallies[name]) for name in ordered},
    )


def _score(tally: GroupTally) -> float:
    sound, _, repairs = _row(tally)
    return sound - _A_REPAIR * repairs


def _row(tally: GroupTally) -> tuple[int, int, int]:
    invalid = tally.valid.whole - tally.valid.part
    return tally.calls - invalid, tally.parsed.whole, sum(tally.by_repair.values())
