"""From the offers of several catalogues to one table: joined by identity, voted on, the maker first."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from utp_cli.detection.identity import Identity, identity_of
from utp_cli.detection.makers import MAKERS
from utp_cli.detection.offers import FIELDS, Figure, OfferRow
from utp_cli.protocol.records import Record, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from utp_cli.detection.spec import ModelSpec

_NEAR = 0.06
"""Two counts this near are one in two spellings: 1,048,576 and 1,000,000."""

_CONTEXT, _ANSWER = FIELDS.index("context_window"), FIELDS.index("max_output_tokens")


class Offer(Record):
    """What one catalogue says of one model at one provider."""

    catalogue: str
    origin: str
    """Where the catalogue has its figures from: catalogues of one origin have one vote."""
    date: str
    spec: ModelSpec
    facts: dict[str, Any]
    """Fields of `Capability`."""
    max_input: int | None = None
    """What a prompt may take, where that is less than the window."""


def tabulate(offers: Sequence[Offer]) -> str:
    """Join and vote; return the text of a `Table`."""
    providers = sorted({offer.spec.provider or "" for offer in offers} - {""})
    joined: dict[Identity, dict[str, list[Offer]]] = defaultdict(lambda: defaultdict(list))
    for offer in _whole_windows(offers):
        joined[identity_of(offer.spec)][offer.spec.provider or ""].append(offer)
    rows = [_joined(identity, hosts, providers) for identity, hosts in joined.items() if identity.family != "unknown"]
    head = {
        "date": max((offer.date for offer in offers), default=""),
        "catalogues": ", ".join(sorted({offer.catalogue for offer in offers})),
        "providers": providers,
    }
    lines = [json.dumps(row.to_list(), separators=(",", ":")) for row in rows if any(row.figures)]
    return "\n".join([json.dumps(head), *sorted(lines), ""])


def _joined(identity: Identity, hosts: dict[str, list[Offer]], providers: list[str]) -> OfferRow:
    """Vote on every field, and keep what single hosts do otherwise."""
    told = {host: _told(offers) for host, offers in hosts.items()}
    own = _settled(told)
    _widen(own)
    makers = [host for host in MAKERS.get(identity.family, ()) if host in own]
    figures = [_figure({h: f[place] for h, f in own.items() if place in f}, makers) for place in range(len(FIELDS))]
    others: dict[int, dict[int, Any]] = {}
    for host, facts in own.items():
        for place, value in facts.items():
            figure = figures[place]
            if host and figure and not _same(value, figure[0]):
                others.setdefault(providers.index(host), {})[place] = value
    known = frozenset(providers.index(host) for host in own if host)
    return OfferRow(identity=identity, figures=figures, hosts=known, others=others)


def _told(offers: list[Offer]) -> dict[int, list[Any]]:
    """Return what catalogues say of one offer: one vote an origin, that of its newest catalogue; the newest first."""
    found: dict[int, list[Any]] = {}
    for place, name in enumerate(FIELDS):
        said: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
        for offer in offers:
            value = offer.facts.get(name)
            if value is not None and not (place == _ANSWER and _unlimited(offer)):
                said[offer.origin][offer.date].append(value)
        newest = sorted(((max(dates), dates[max(dates)]) for dates in said.values()), key=itemgetter(0), reverse=True)
        if newest:
            found[place] = [_elected(values) for _, values in newest]
    return found


def _settled(told: dict[str, dict[int, list[Any]]]) -> dict[str, dict[int, Any]]:
    """Return one value for each host and field: where catalogues disagree, the one that is more common elsewhere."""
    own: dict[str, dict[int, Any]] = {host: {} for host in told}
    for place in range(len(FIELDS)):
        all_said = [value for facts in told.values() for value in facts.get(place, ())]
        for host, facts in told.items():
            if place in facts:
                own[host][place] = _elected(facts[place], all_said)
    return own


def _whole_windows(offers: Sequence[Offer]) -> Iterator[Offer]:
    """Put the window where a catalogue gave what a prompt may take, as far as another gives both for the family."""
    windows: dict[tuple[str, int], int] = {
        (offer.spec.family, offer.max_input): offer.facts["context_window"]
        for offer in offers
        if offer.max_input and "context_window" in offer.facts
    }
    for offer in offers:
        known, answer = offer.facts.get("context_window"), offer.facts.get("max_output_tokens")
        window = windows.get((offer.spec.family, known)) if known else None
        if window and answer and abs(known + answer - window) <= _NEAR * window:
            yield replace(offer, facts=offer.facts | {"context_window": window})
        else:
            yield offer


def _unlimited(offer: Offer) -> bool:
    """Whether the longest answer only repeats the window: nobody limited it."""
    answer: int = offer.facts["max_output_tokens"]
    return answer >= 0.97 * (offer.facts.get("context_window") or 1 << 60)


def _elected(values: list[Any], among: list[Any] | None = None) -> Any:
    """Return the value that most (of `among`, else of themselves) are near to; the first among equals."""
    return max(values, key=lambda value: sum(_same(value, other) for other in among or values))


def _same(one: Any, two: Any) -> bool:
    if isinstance(one, bool):
        return one is two
    near: bool = abs(one - two) <= _NEAR * max(one, two)
    return near


def _widen(own: dict[str, dict[int, Any]]) -> None:
    """Where a catalogue gave what a prompt may take, put the window that others give: prompt and answer make it."""
    windows = {facts[_CONTEXT] for facts in own.values() if _CONTEXT in facts}
    for facts in own.values():
        whole = facts.get(_CONTEXT, 0) + facts.get(_ANSWER, 0)
        if _CONTEXT in facts and facts.get(_ANSWER) and whole in windows:
            facts[_CONTEXT] = whole


def _figure(values: dict[str, Any], makers: Iterable[str]) -> Figure | None:
    """Return the maker's value, else the one that most hosts agree on, with the votes for it."""
    if not values:
        return None
    maker = next((values[host] for host in makers if host in values), None)
    common = [value for value, _ in Counter(values.values()).most_common()]
    value = _elected(common, [*values.values()]) if maker is None else maker
    agree = sum(_same(value, other) for other in values.values())
    return [value, agree, len(values), int(maker is not None)]
