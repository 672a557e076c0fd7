"""Histories fitted to a server: by its provider's rules of turns, and only where that server keeps them.

    history ─► server ─► refused, and a rule is broken ─► fitted history ─► server
    the next history that breaks the same rules ─► fitted at once

So what a server takes passes as the client said it, whatever the rules say: those of one provider are not known for
each of its models, and a template takes what another refuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from utp_cli.diagnosis.histories.requests import with_history
from utp_cli.diagnosis.histories.rewrite import rewrite_history, rules_for
from utp_cli.facts.hosts import provider_at
from utp_cli.facts.turns import OTHER_NAMES, TURN_RULES
from utp_cli.wire.access import dict_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from utp_cli.protocol.findings import Finding
    from utp_cli.serving.wires import AnswerRequest

_REFUSALS: Final = frozenset({400, 422, 500})
"""How servers refuse a history; 500: a chat template that raises."""
_CERTAIN: Final = frozenset({400, 422})
_ELSEWHERE: Final = ("previous_response_id", "conversation", "prompt")
"""Fields of a request whose history is not all in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedRequest:
    """A request as its server takes it."""

    provider: str
    request: dict[str, Any]
    broken: list[Finding]
    """The rules that were broken, and how that was mended; never empty."""

    def told(self) -> list[dict[str, str]]:
        """Return what was changed: rule, place (JSON Pointer), what was wrong, how it was mended."""
        keys = [(one.code, one.place.pointer or "", one.message, one.fix) for one in self.broken]
        return [dict(zip(("code", "pointer", "message", "fix"), key, strict=True)) for key in keys]


class Fitter:
    """Fits histories, and knows which rules a server was seen to keep."""

    def __init__(self) -> None:
        self._kept: dict[str, set[str]] = {}
        """By provider: the codes of rules."""

    def at_once(self, asked: AnswerRequest, provider: str) -> FittedRequest | None:
        """Return a request that breaks only rules which the server keeps; None where there is nothing to fit."""
        kept = self._kept.get(provider)
        made = fitted(asked, provider) if kept else None
        return made if made and kept and {one.code for one in made.broken} <= kept else None

    def refused(self, asked: AnswerRequest, provider: str, status: int) -> FittedRequest | None:
        """Return the request that was refused as the server may take it; None where it breaks no rule."""
        return fitted(asked, provider) if provider and status in _REFUSALS else None

    def taken(self, made: FittedRequest, status: int) -> None:
        """Note that the server took it, and had refused it before, with this status."""
        if status in _CERTAIN:
            self._kept.setdefault(made.provider, set()).update(one.code for one in made.broken)


def provider_of(asked: AnswerRequest, known: str | None, server: Mapping[str, Any], host: str) -> str:
    """Return whose rules of turns hold for a request; `""` where nobody's are known for its wire.

    `known`: the provider that a profile names. `server`: what is known of the server (`engine`). `host`: where it is.
    """
    wire = asked.wire.name
    named = [known, server.get("engine"), provider_at(host), *(() if wire == "openai-chat" else (wire,))]
    rows = (TURN_RULES.get(OTHER_NAMES.get(name, name)) for name in (str(name or "").casefold() for name in named))
    return next((row.name for row in rows if row and row.form == wire), "")


def fitted(asked: AnswerRequest, provider: str) -> FittedRequest | None:
    """Return a request with its history rewritten; None where no rule is broken.

    Where the model's own template would take it, the server may have another: what templates refuse in general counts.
    """
    if not isinstance(asked.request[asked.wire.messages], list) or any(map(asked.request.get, _ELSEWHERE)):
        return None
    return _rewritten(asked, provider, asked.model or None) or _rewritten(asked, provider, None)


def _rewritten(asked: AnswerRequest, provider: str, model: str | None) -> FittedRequest | None:
    request, key = asked.request, asked.wire.messages
    messages = request[key]
    history = rewrite_history(
        messages,
        provider,
        model=model,
        # a server with a template may go on with what the assistant began
        open_end=rules_for(provider, model).order_code != "turn-order",
        thinking=dict_of(request.get("thinking")).get("type") in ("enabled", "adaptive"),
        native=True,
        root=f"/{key}",
    )
    if not history.broken or history.messages == messages:
        return None
    made = with_history(dict(request), key, rules_for(provider, model), history.messages, history.system)
    return FittedRequest(provider=provider, request=made, broken=history.broken)
