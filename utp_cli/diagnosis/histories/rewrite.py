"""`rewrite_history`: what a provider will refuse in a history, and the history as it takes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from utp_cli.detection.series import Series
from utp_cli.diagnosis.histories.contents import adapt_parts, check_calls, check_empty, check_kinds, check_roles
from utp_cli.diagnosis.histories.ids import check_beside, check_count, check_ids, check_thinking
from utp_cli.diagnosis.histories.looking import Look
from utp_cli.diagnosis.histories.order import check_first, check_last, check_neighbours, place_system
from utp_cli.diagnosis.histories.pairing import link_results, pair_results
from utp_cli.diagnosis.histories.reading import TAKEN, form_of, read_turns
from utp_cli.diagnosis.histories.writing import write_turns
from utp_cli.diagnosis.models import belongs
from utp_cli.facts.turns import MODEL_RULES, OTHER_NAMES, TURN_RULES
from utp_cli.protocol.errors import BadOption, UnknownName
from utp_cli.protocol.numbers import copied
from utp_cli.protocol.sdk_objects import document_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from utp_cli.diagnosis.histories.parts import Turn
    from utp_cli.facts.turn_rules import TurnRules
    from utp_cli.protocol.findings import Finding, Severity

_IN_REQUEST: Final = ("messages", "input", "contents")
"""Keys of a request that hold the history."""
_STEPS: Final[tuple[Callable[[Look, list[Turn]], list[Turn]], ...]] = (
    check_roles,
    check_kinds,
    adapt_parts,
    check_calls,
    pair_results,
    check_empty,
    check_thinking,
    place_system,
    check_first,
    check_count,
    check_neighbours,
    check_beside,
    check_last,
    check_ids,
)
"""In this order each step finds what the ones before it cannot have broken."""


@dataclass(frozen=True, kw_only=True)
class History:
    """A history as a provider takes it."""

    provider: str
    messages: list[dict[str, Any]]
    """In the provider's form; messages that nothing changed are equal to those that were given."""
    system: str = ""
    """What belongs into the request's system prompt, where the provider takes no system messages."""
    broken: list[Finding] = field(default_factory=list)
    """Each rule that was broken: the diagnosis, where, and in `fix` how it was mended. Empty: nothing was."""
    converted: str = ""
    """The form that the history came in, where that is another provider's."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "provider": self.provider,
            "messages": self.messages,
            "system": self.system,
            "broken": [finding.to_dict() for finding in self.broken],
            "converted": self.converted,
        }


def rewrite_history(
    messages: Sequence[Any] | Mapping[str, Any],
    provider: str,
    *,
    model: str | None = None,
    open_end: bool = False,
    thinking: bool = False,
    native: bool = False,
    root: str = "/messages",
) -> History:
    """Return a history as a provider takes it, with all that was broken. Nothing is read, sent or changed in place.

    `messages`: messages, items (Responses) or contents (Gemini) of any provider, also mixed, or a request that holds
    them. `provider`: a provider or
    server of `facts/turns.py` or another name of it. `model`: rules of some models hold only where it is known.
    `open_end`: the last message is an answer that just came, so its calls are pending and it may be the last.
    `thinking`: the request turns thinking on. `native`: the messages are known to be meant for this provider, so that
    another form is a fault. `root`: JSON Pointer of the list, for places.

    What a rewrite gives, a second one leaves alone; no result is invented as a success, and no message of the user is
    left out. Raises `UnknownName` for a provider that is not known, `BadOption` for what is no list of messages.
    """
    rules = rules_for(provider, model)
    if thinking and rules.form in ("anthropic", "bedrock"):
        rules = replace(rules, prefill=False)
    turns = read_turns(copied(document_of(_listed(messages))), root)
    form = form_of(turns)
    converted = form not in TAKEN[rules.form] and not native
    unsure = rules.recalled or (rules.order_code != "turn-order" and model is None)
    severity: Severity = "warning" if unsure else "error"
    look = Look(rules=rules, converted=converted, open_end=open_end, severity=severity)
    link_results(turns)
    for step in _STEPS:
        turns = step(look, turns)
    return History(
        provider=rules.name,
        messages=write_turns(turns, rules),
        system="\n\n".join(look.system),
        broken=look.broken,
        converted=form if converted else "",
    )


def _listed(given: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
    """Return the messages, out of the request around them too. Raises `BadOption` where there are none."""
    listed: list[Any] | None
    if isinstance(given, Mapping):
        listed = next((given[key] for key in _IN_REQUEST if isinstance(given.get(key), list)), None)
    else:
        listed = list(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else None
    if listed is None:
        held = f"a mapping without {', '.join(_IN_REQUEST)}" if isinstance(given, Mapping) else type(given).__name__
        raise BadOption(f"a history is a list of messages, or a request that holds one, not {held}")
    return listed


def rules_for(provider: str, model: str | None = None) -> TurnRules:
    """Return the rules of a provider for a model. Raises `UnknownName`."""
    name = provider.casefold()
    rules = TURN_RULES.get(OTHER_NAMES.get(name, name))
    if rules is None:
        raise UnknownName("provider", provider, TURN_RULES)
    for row in MODEL_RULES:
        series = Series(family=row.family, versions=row.versions, any_of=row.any_of)
        if rules.name in row.providers and belongs(model, (series,)):
            rules = replace(rules, **row.changes)
    return rules
